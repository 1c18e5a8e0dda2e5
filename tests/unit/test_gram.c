/*
 * G = A'A and the fields made from its eigenvectors, on graphs whose tiles are made up: every way to add
 * tiles up, against A written out densely.
 */
#include "oracle.h"

#include "base/random.h"
#include "live.h"
#include "operator/gram.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Tile t has its columns at cols + t * count, its blocks at s + its first row * q * count * q. */
typedef struct {
  graph_t graph; /* first: what a tile is asked of */
  int64_t count, *first, *cols;
  double *s;
} made_t;

static int tile_of(const graph_t *graph, int64_t t, bool elements, graph_work *work, graph_tile *out) {
  const made_t *made = (const made_t *)graph;
  int64_t first = made->first[t], width = graph->q * made->count * graph->q;
  const double *s = made->s + first * width;
  if (!elements || !work) return LAVDM_ERROR_ARGUMENT;
  *out = (graph_tile){.first = first,
                      .rows = made->first[t + 1] - first,
                      .count = made->count,
                      .cols = made->cols + t * made->count,
                      .w = s,
                      .s = s,
                      .ill = t % 3};
  return LAVDM_OK;
}

/* Tiles of 1 to 7 rows, that reach `count` of m landmarks each. */
static made_t make(int64_t tiles, int64_t m, int64_t q, int64_t count) {
  made_t made = {.count = count, .first = calloc((size_t)tiles + 1, sizeof(int64_t))};
  random_t random = random_start(5, 1);
  made.cols = calloc((size_t)(tiles * count), sizeof *made.cols);
  for (int64_t t = 0; t < tiles; t++) {
    made.first[t + 1] = made.first[t] + 1 + t % 7;
    int64_t have = 0;
    for (int64_t k = 0; k < m; k++)
      if (random_below(&random, m - k) < count - have) made.cols[t * count + have++] = k;
    assert_int_equal(have, count);
  }
  int64_t n = made.first[tiles];
  made.s = numbers(n * q * count * q);
  fill_normal(made.s, n * q * count * q, 2);
  made.graph = (graph_t){.n = n, .m = m, .q = q, .tiles = tiles, .first = made.first, .tile = tile_of};
  return made;
}

static scaling_t scaling_of(const graph_t *graph, int64_t count) {
  scaling_t scaling = {.row = numbers(graph->n),
                       .column = numbers(graph->m),
                       .degree = numbers(graph->n),
                       .reached = graph->tiles * count};
  for (int64_t i = 0; i < graph->n; i++) scaling.row[i] = 1 + sin((double)i);
  for (int64_t i = 0; i < graph->n; i++) scaling.degree[i] = i % 11 == 5 ? 0 : 2 + cos((double)i);
  for (int64_t i = 0; i < graph->n; i++) scaling.row[i] *= scaling.degree[i] > 0;
  for (int64_t k = 0; k < graph->m; k++) scaling.column[k] = k % 13 == 4 ? 0 : 1.5 + cos((double)k);
  return scaling;
}

/* A = diag(row) S diag(column), n q x m q. */
static double *written_out(const made_t *made, const scaling_t *scaling) {
  int64_t q = made->graph.q, n = made->graph.n, size = made->graph.m * q, width = made->count * q;
  double *a = numbers(n * q * size);
  for (int64_t t = 0; t < made->graph.tiles; t++)
    for (int64_t i = made->first[t] * q; i < made->first[t + 1] * q; i++)
      for (int64_t c = 0; c < width; c++) {
        int64_t k = made->cols[t * made->count + c / q];
        a[i * size + k * q + c % q] = scaling->row[i / q] * made->s[i * width + c] * scaling->column[k];
      }
  return a;
}

static void check_gram(const double *a, int64_t rows, int64_t size, const symmetric_t *gram) {
  double *dense = symmetric_dense(gram);
  assert_int_equal(gram->size, size);
  for (int64_t k = 0; k < size; k++) {
    double *g = numbers(size);
    for (int64_t i = 0; i < rows; i++)
      if (a[i * size + k] != 0)
        for (int64_t l = 0; l < size; l++) g[l] += a[i * size + k] * a[i * size + l];
    for (int64_t l = 0; l < size; l++) assert_true(fabs(dense[k * size + l] - g[l]) < 1e-10);
    free(g);
  }
  free(dense);
}

/* Rows of u against D^-1/2 A v sigma^-1. */
static void check_fields(const made_t *made, const scaling_t *scaling, const double *a, run_t *run) {
  enum { R = 3 };
  int64_t n = made->graph.n, q = made->graph.q, size = made->graph.m * q;
  double *v = numbers(size * R), *u = numbers(n * q * R), values[R] = {0.9, 0.25, 1e-3};
  int64_t *order = calloc((size_t)n, sizeof *order);
  fill_normal(v, size * R, 8);
  for (int64_t i = 0; i < n; i++) order[i] = n - 1 - i;
  for (int turned = 0; turned < 2; turned++) {
    assert_int_equal(REAL(gram_fields)(run, &made->graph, scaling, v, values, R, turned ? order : NULL, u),
                     0);
    for (int64_t i = 0; i < n * q; i++)
      for (int64_t l = 0; l < R; l++) {
        double sum = 0, d = scaling->degree[i / q];
        for (int64_t k = 0; k < size; k++) sum += a[i * size + k] * v[k * R + l];
        sum = d > 0 ? sum / sqrt(d * values[l]) : 0;
        int64_t at = turned ? order[i / q] * q + i % q : i;
        assert_true(fabs(u[at * R + l] - sum) < 1e-10 * (1 + fabs(sum)));
      }
  }
  free(v), free(u), free(order);
}

/* Bytes as foretold: those of a dense G but for a tenth, those of a sparse one within its size. */
static void check_bytes(const graph_t *graph, int64_t count, bool dense, int threads) {
  double peak = (double)live_peak();
  gram_need need = REAL(gram_bytes)(graph->n, graph->m, graph->q, (double)count, 2, threads);
  assert_true(peak <= 1.1 * need.making);
  assert_true(peak >= (dense ? 1 : 0.25) * need.making);
  double size = (double)(graph->m * graph->q);
  if (dense) assert_true(need.kept == 8 * size * size);
  if (!dense) assert_true(need.kept < need.making && need.kept > need.making / (threads + 2));
}

static void check(int64_t tiles, int64_t m, int64_t q, int64_t count, bool dense) {
  made_t made = make(tiles, m, q, count);
  scaling_t scaling = scaling_of(&made.graph, count);
  double *a = written_out(&made, &scaling);
  int64_t expected = 0;
  for (int64_t t = 0; t < tiles; t++) expected += t % 3;
  for (int threads = 1; threads <= 3; threads++) {
    run_t run = {.threads = threads};
    symmetric_t gram;
    int64_t ill = -1;
    live_begin();
    assert_int_equal(REAL(gram_compute)(&run, &made.graph, &scaling, &gram, &ill), 0);
    check_bytes(&made.graph, count, dense, threads);
    assert_int_equal(ill, expected);
    assert_int_equal(gram.dense != NULL, dense);
    check_gram(a, made.graph.n * q, m * q, &gram);
    symmetric_free(&gram);
    check_fields(&made, &scaling, a, &run);
  }
  free(a), free(scaling.row), free(scaling.column), free(scaling.degree);
  free(made.first), free(made.cols), free(made.s);
}

static void test_panels(void **state) {
  (void)state;
  check(70, 30, 2, 20, true);
  check(70, 40, 1, 40, true);
}

static void test_few(void **state) {
  (void)state;
  check(70, 60, 2, 7, true);
  check(120, 210, 1, 3, true);
}

/* Beyond 600 rows, where tiles reach few. */
static void test_sparse(void **state) {
  (void)state;
  check(100, 310, 2, 12, false);
  check(60, 210, 3, 9, false);
  check(140, 620, 1, 20, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_panels),
      cmocka_unit_test(test_few),
      cmocka_unit_test(test_sparse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
