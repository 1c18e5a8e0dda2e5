/* Class averaging: selection against a direct sum over eigenvectors; images against their true rotations. */
#include "lavdm/average.h"
#include "lavdm/projections.h"

#include "average/select.h"
#include "rewired.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double degree = 0.01745329251994329577;

/* ---------------------------------------------------------- the graph alone */

static lavdm_model *fit(const lavdm_edges *edges, lavdm_method method, int64_t components) {
  lavdm_options options;
  lavdm_model *model = NULL;
  lavdm_error error = {0};
  lavdm_options_default(&options);
  options.method = method;
  options.bundle = LAVDM_BUNDLE_GIVEN;
  options.alpha = 0;
  if (method == LAVDM_METHOD_LAVDM) options.beta = 0;
  options.components = components;
  options.tolerance = 1e-3;
  lavdm_data data = {.edges = edges};
  if (lavdm_fit(&data, &options, &model, &error) < 0) print_error("%s\n", error.message);
  assert_non_null(model);
  return model;
}

/* The share of the k re-selected neighbours within `degrees`. */
static double reselected(const rewired_graph *g, const lavdm_model *model, double t, int64_t first,
                         int64_t rank, int64_t k, double degrees) {
  select_space space = {0};
  size_t count = (size_t)(g->n * k);
  int64_t *index = malloc(count * sizeof *index);
  double *affinity = malloc(count * sizeof *affinity), *angle = malloc(count * sizeof *angle);
  assert_true(index && affinity && angle);
  assert_int_equal(select_space_new(model, t, first, rank, &space, NULL), LAVDM_OK);
  assert_int_equal(select_nearest(&space, NULL, g->n, k, NULL, index, affinity, angle, NULL, NULL), LAVDM_OK);
  double share = rewired_share(g, index, k, k, degrees);
  select_space_free(&space);
  free(index), free(affinity), free(angle);
  return share;
}

/* Six tenths of the edges are random: DM finds most neighbours again, VDM more, and landmarks as many. */
static void test_rewired(void **state) {
  (void)state;
  enum { N = 900, K = 60, R = 24, M = 200, NEAR = 20 };
  rewired_graph g;
  assert_true(rewired_new(N, K, 0.4, 1, &g));
  lavdm_edges plain = {.count = g.count,
                       .row = g.row,
                       .col = g.col,
                       .weight = NULL,
                       .element = NULL,
                       .kind = LAVDM_ELEMENT_NONE,
                       .q = 1};
  lavdm_edges turns = {.count = g.count,
                       .row = g.row,
                       .col = g.col,
                       .weight = NULL,
                       .element = g.angle,
                       .kind = LAVDM_ELEMENT_ANGLE,
                       .q = 2};
  lavdm_model *dm = fit(&plain, LAVDM_METHOD_DM, R + 1), *vdm = fit(&turns, LAVDM_METHOD_VDM, 2 * R);
  double by_dm = reselected(&g, dm, 2, 1, R, NEAR, 20), by_vdm = reselected(&g, vdm, 2, 0, 2 * R, NEAR, 20);

  size_t count = (size_t)(N * M);
  int64_t *row = malloc(count * sizeof *row), *col = malloc(count * sizeof *col), landmarks[M];
  double *weight = malloc(count * sizeof *weight), *angle = malloc(count * sizeof *angle);
  assert_true(row && col && weight && angle);
  assert_true(rewired_diffuse(&g, M, 20, 1, landmarks, row, col, weight, angle));
  lavdm_edges diffused = {.count = (int64_t)count,
                          .row = row,
                          .col = col,
                          .weight = weight,
                          .element = angle,
                          .kind = LAVDM_ELEMENT_ANGLE,
                          .q = 2};
  lavdm_model *lavdm = fit(&diffused, LAVDM_METHOD_LAVDM, 2 * R);
  double by_lavdm = reselected(&g, lavdm, 0, 0, 2 * R, NEAR, 20);
  print_message("dm %.3f vdm %.3f lavdm %.3f\n", by_dm, by_vdm, by_lavdm);
  assert_true(by_vdm > 0.78);
  assert_true(by_vdm > by_dm + 0.01);
  assert_true(by_lavdm > by_vdm - 0.03);
  lavdm_free(dm), lavdm_free(vdm), lavdm_free(lavdm);
  free(row), free(col), free(weight), free(angle);
  rewired_free(&g);
}

/* Every edge true: the turns that eigenvectors tell are the true ones, but for the curvature
 * between them; affinity, order and agreement are those of a direct sum. */
static void test_selection(void **state) {
  (void)state;
  enum { N = 400, R = 30, K = 5 };
  rewired_graph g;
  assert_true(rewired_new(N, 30, 1, 2, &g));
  lavdm_edges turns = {.count = g.count,
                       .row = g.row,
                       .col = g.col,
                       .weight = NULL,
                       .element = g.angle,
                       .kind = LAVDM_ELEMENT_ANGLE,
                       .q = 2};
  lavdm_model *model = fit(&turns, LAVDM_METHOD_VDM, R);
  select_space space = {0};
  int64_t nodes[2] = {7, 300}, index[2 * K];
  double affinity[2 * K], angle[2 * K], truth, agreement;
  assert_int_equal(select_space_new(model, 1, 0, R, &space, NULL), LAVDM_OK);
  assert_int_equal(select_nearest(&space, nodes, 2, K, NULL, index, affinity, angle, NULL, NULL), LAVDM_OK);
  for (int g_at = 0; g_at < 2; g_at++) {
    double least = affinity[g_at * K + K - 1];
    int greater = 0;
    for (int64_t j = 0; j < N; j++) {
      double x = 0, y = 0;
      const float *a = space.value + 2 * nodes[g_at] * R, *b = space.value + 2 * j * R;
      for (int k = 0; k < R; k++) {
        x += (double)(a[k] * b[k] + a[R + k] * b[R + k]);
        y += (double)(a[R + k] * b[k] - a[k] * b[R + k]);
      }
      if (j != nodes[g_at]) greater += hypot(x, y) > least + 1e-5;
    }
    assert_true(greater < K);
    for (int k = g_at * K; k < (g_at + 1) * K; k++) {
      lavdm_rotation_pairs(g.rotations, N, &nodes[g_at], &index[k], NULL, 1, NULL, &truth, NULL);
      assert_true(fabs(remainder(truth - angle[k], 360 * degree)) < 3 * degree);
      assert_true(k == g_at * K || affinity[k] <= affinity[k - 1]);
      select_agreement(&space, &nodes[g_at], &index[k], &angle[k], NULL, 1, &agreement);
      assert_true(fabs(agreement - affinity[k]) < 1e-4);
    }
  }
  select_space_free(&space);
  lavdm_free(model);
  rewired_free(&g);
}

/* --------------------------------------------------------------- images */

enum { IMAGES = 600, SIZE = 24, BLOBS = 12, CLASSES = 60 };

typedef struct {
  double *rotations, *clean, *noisy;
} sample_t;

static sample_t draw(double snr) {
  lavdm_blob blobs[BLOBS];
  lavdm_volume volume = {.blobs = blobs, .blob_count = BLOBS};
  size_t count = IMAGES * SIZE * SIZE;
  sample_t s = {malloc(9 * IMAGES * sizeof(double)), malloc(count * sizeof(double)),
                malloc(count * sizeof(double))};
  assert_true(s.rotations && s.clean && s.noisy);
  lavdm_blobs(BLOBS, 1, blobs, NULL);
  lavdm_rotations(IMAGES, 1, s.rotations, NULL);
  assert_int_equal(lavdm_project(&volume, s.rotations, IMAGES, SIZE, s.clean, NULL), LAVDM_OK);
  memcpy(s.noisy, s.clean, count * sizeof(double));
  assert_int_equal(lavdm_add_noise(s.noisy, IMAGES, SIZE * SIZE, snr, 1, NULL, NULL), LAVDM_OK);
  return s;
}

static void release(sample_t *s) {
  free(s->rotations), free(s->clean), free(s->noisy);
}

static double distance2(const double *x, const double *y) {
  double sum = 0, middle = (SIZE - 1) / 2.;
  for (int k = 0; k < SIZE * SIZE; k++) {
    double dx = k % SIZE - middle, dy = k / SIZE - middle;
    if (dx * dx + dy * dy < 0.2 * SIZE * SIZE) sum += (x[k] - y[k]) * (x[k] - y[k]);
  }
  return sum;
}

typedef struct {
  double share, turn,
      gain; /* within 25 degrees; their turns within 10 degrees; squared error over that of raw images */
} score_t;

static score_t run(const sample_t *s, lavdm_average_method method, lavdm_reflections reflections) {
  lavdm_average_options options;
  lavdm_options how;
  lavdm_average_t *r = NULL;
  lavdm_error error = {0};
  score_t score = {0};
  lavdm_average_default(&options);
  lavdm_options_default(&how);
  options.how = &how;
  options.method = method;
  options.neighbours = 8;
  options.edges = method == LAVDM_AVERAGE_LAVDM ? 8 : 15;
  options.members = 6;
  options.classes = CLASSES;
  how.landmarks = 120;
  how.components = reflections ? 24 : 48;
  how.reflections = reflections;
  if (method != LAVDM_AVERAGE_LAVDM) how.landmarks = LAVDM_AUTO;
  lavdm_data data = {.points = s->noisy, .n = IMAGES, .p = SIZE * SIZE, .height = SIZE, .width = SIZE};
  if (lavdm_average(&data, &options, &r, &error) < 0) print_error("%s\n", error.message);
  assert_int_equal(r->count, CLASSES);
  double found = 0, raw = 0, averaged = 0;
  for (int64_t k = 0; k < r->count * r->k; k++) {
    double viewing, turn;
    const signed char *reflected = r->reflected ? r->reflected + k : NULL;
    assert_int_equal(lavdm_rotation_pairs(s->rotations, IMAGES, &r->centre[k / r->k], &r->index[k], reflected,
                                          1, &viewing, &turn, NULL),
                     0);
    if (viewing > 25 * degree) continue;
    found++;
    score.turn += fabs(remainder(turn - r->angle[k], 360 * degree)) < 10 * degree;
  }
  for (int64_t g = 0; g < r->count; g++) {
    const double *clean = s->clean + r->centre[g] * SIZE * SIZE;
    raw += distance2(s->noisy + r->centre[g] * SIZE * SIZE, clean);
    averaged += distance2(r->average + g * SIZE * SIZE, clean);
  }
  score.share = found / (double)(r->count * r->k), score.turn /= found, score.gain = averaged / raw;
  lavdm_average_free(r);
  print_message("method %d: share %.3f, turns %.3f, error %.3f\n", method, score.share, score.turn,
                score.gain);
  return score;
}

static void test_images(void **state) {
  (void)state;
  sample_t s = draw(0.5);
  for (int method = LAVDM_AVERAGE_RID; method <= LAVDM_AVERAGE_LAVDM; method++) {
    score_t score = run(&s, (lavdm_average_method)method, LAVDM_REFLECTIONS_NO);
    assert_true(score.share > 0.75);
    assert_true(score.turn > 0.8);
    assert_true(score.gain < 0.35);
  }
  release(&s);
}

/* Mirror images count: neighbours from the opposite direction, and their turns are right too. */
static void test_mirrors(void **state) {
  (void)state;
  sample_t s = draw(0.5);
  score_t score = run(&s, LAVDM_AVERAGE_VDM, LAVDM_REFLECTIONS_YES);
  assert_true(score.share > 0.8);
  assert_true(score.turn > 0.8);
  assert_true(score.gain < 0.35);
  release(&s);
}

static int stop(const char *stage, double fraction, void *user) {
  (void)stage, (void)fraction, (void)user;
  return 1;
}

static void test_refusals(void **state) {
  (void)state;
  sample_t s = draw(1);
  lavdm_average_options options;
  lavdm_options how;
  lavdm_average_t *r;
  lavdm_error error = {0};
  lavdm_average_default(&options);
  lavdm_options_default(&how);
  options.how = &how;
  lavdm_data data = {.points = s.noisy, .n = 2, .p = SIZE * SIZE, .height = SIZE, .width = SIZE};
  assert_int_equal(lavdm_average(&data, &options, &r, &error), LAVDM_ERROR_DATA);
  assert_null(r);
  data.n = 100;
  options.neighbours = 0;
  assert_int_equal(lavdm_average(&data, &options, &r, &error), LAVDM_ERROR_ARGUMENT);
  options.neighbours = 5;
  options.rounds = (int64_t)1 << 32;
  assert_int_equal(lavdm_average(&data, &options, &r, &error), LAVDM_ERROR_ARGUMENT);
  options.rounds = LAVDM_AUTO;
  how.progress = stop;
  assert_int_equal(lavdm_average(&data, &options, &r, &error), LAVDM_ERROR_INTERRUPTED);
  assert_null(r);
  release(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rewired), cmocka_unit_test(test_selection),
                                     cmocka_unit_test(test_images), cmocka_unit_test(test_mirrors),
                                     cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
