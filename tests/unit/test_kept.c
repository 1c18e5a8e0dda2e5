/*
 * Weights kept from pass to pass are those that are made anew, whatever the
 * points look like: far from the landmarks, equal to them, or stretched by an
 * outlier, which no common centre suits.
 */
#include "oracle.h"

#include "operator/gram.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { N = 500, M = 40, P = 50 };

typedef enum { CLOUD, FAR_AWAY, OUTLIER, KINDS } kind_t;

/* The first M points are the landmarks. */
static double *points_of(kind_t kind) {
  double *x = numbers(N * P);
  fill_normal(x, N * P, 3);
  for (int64_t i = 0; i < N * P; i++) {
    if (kind == FAR_AWAY) x[i] += i / P >= N - 5 ? 1000 : 0;
    if (kind == OUTLIER) x[i] += i / P == 0 ? 1e7 : 0;
  }
  return x;
}

static tiles_t tiles_of(const double *x, int64_t n, int64_t leaf) {
  lavdm_data data = {.points = x, .n = n, .p = P};
  run_t run = {.threads = 1};
  tiles_t tiles;
  assert_int_equal(REAL(tiles_build)(&run, &data, NULL, leaf, &tiles), 0);
  return tiles;
}

/* Weights of every pair against sums of differences, in the first pass and after it. */
static void check_tiles(const graph_t *graph, const kernel_t *kernel, int64_t far) {
  graph_work **work = REAL(graph_work_new)(1);
  for (int pass = 0; pass < 2; pass++) {
    int64_t found = 0;
    for (int64_t t = 0; t < graph->tiles; t++) {
      graph_tile tile;
      assert_int_equal(graph->tile(graph, t, true, work[0], &tile), 0);
      assert_int_equal(tile.count, M);
      assert_ptr_equal(tile.w, graph->kept->w + tile.first * M);
      assert_ptr_equal(tile.s, tile.w);
      found += tile.far;
      for (int64_t i = 0; i < tile.rows && !tile.far; i++)
        for (int64_t c = 0; c < M; c++) {
          const double *x = graph->points->x + (tile.first + i) * P, *a = graph->landmarks->x + c * P;
          double d2 = 0;
          for (int64_t j = 0; j < P; j++) d2 += (x[j] - a[j]) * (x[j] - a[j]);
          double w = oracle_kernel(kernel->kind, kernel->epsilon, kernel->radius, d2);
          assert_true(fabs(tile.w[i * M + c] - w) <= 1e-11 * w);
        }
    }
    assert_int_equal(found, far);
  }
  REAL(graph_work_free)(work, 1);
}

static void test_weights(void **state) {
  (void)state;
  for (kind_t kind = 0; kind < KINDS; kind++) {
    double *x = points_of(kind);
    tiles_t points = tiles_of(x, N, 64), landmarks = tiles_of(x, M, 8);
    kernel_t kernel = {.kind = LAVDM_KERNEL_GAUSSIAN, .epsilon = 80, .radius = 45};
    run_t run = {.threads = 1};
    kept_t kept;
    assert_int_equal(REAL(kept_new)(&run, &points, &landmarks, &kept), 0);
    graph_t graph = REAL(graph_by_distance)(&points, &landmarks, REAL(source_trivial)(), kernel);
    graph.kept = &kept;
    check_tiles(&graph, &kernel, 0);
    REAL(kept_free)(&kept);
    REAL(tiles_free)(&points), REAL(tiles_free)(&landmarks);
    free(x);
  }
}

/* Far points whose weights do not vanish are joined to their nearest landmarks, and stay so. */
static void test_far(void **state) {
  (void)state;
  double *x = points_of(CLOUD);
  tiles_t points = tiles_of(x, N, 64), landmarks = tiles_of(x, M, 8);
  kernel_t kernel = {.kind = LAVDM_KERNEL_GAUSSIAN, .epsilon = 80, .radius = 8.5};
  run_t run = {.threads = 2};
  for (int pass = 0; pass < 2; pass++) {
    kept_t kept = {0};
    scaling_t scaling[2];
    symmetric_t gram[2];
    for (int k = 0; k < 2; k++) {
      int64_t ill;
      graph_t graph = REAL(graph_by_distance)(&points, &landmarks, REAL(source_trivial)(), kernel);
      if (k) assert_int_equal(REAL(kept_new)(&run, &points, &landmarks, &kept), 0);
      if (k) graph.kept = &kept;
      assert_int_equal(REAL(scaling_compute)(&run, &graph, NULL, pass, 0.5, &scaling[k]), 0);
      assert_int_equal(REAL(gram_compute)(&run, &graph, &scaling[k], &gram[k], &ill), 0);
    }
    assert_true(scaling[0].far > 0);
    assert_int_equal(scaling[0].far, scaling[1].far);
    assert_int_equal(scaling[0].edges, scaling[1].edges);
    for (int64_t i = 0; i < N; i++)
      assert_true(fabs(scaling[0].degree[i] - scaling[1].degree[i]) <= 1e-11 * scaling[0].degree[i]);
    for (int64_t i = 0; i < M * M; i++) assert_true(fabs(gram[0].dense[i] - gram[1].dense[i]) < 1e-12);
    for (int k = 0; k < 2; k++) REAL(scaling_free)(&scaling[k]), symmetric_free(&gram[k]);
    REAL(kept_free)(&kept);
  }
  REAL(tiles_free)(&points), REAL(tiles_free)(&landmarks);
  free(x);
}

/* Only where a tile reaches many landmarks, and points have many coordinates. */
static void test_pays(void **state) {
  (void)state;
  double *x = points_of(CLOUD);
  tiles_t points = tiles_of(x, N, 64), landmarks = tiles_of(x, M, 8);
  assert_int_equal(REAL(kept_pays)(&points, &landmarks, 100), 1);
  assert_int_equal(REAL(kept_pays)(&points, &landmarks, 1e-3), 0);
  points.p = landmarks.p = 31;
  assert_int_equal(REAL(kept_pays)(&points, &landmarks, 100), 0);
  points.p = landmarks.p = P;
  REAL(tiles_free)(&points), REAL(tiles_free)(&landmarks);
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_weights), cmocka_unit_test(test_far),
                                     cmocka_unit_test(test_pays)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
