/*
 * Whole runs by the reference engine: the numbers of the cpu engine from end to end, models that one engine
 * fits and another extends, a spectrum that is known, and what the engine refuses by name.
 */
#include "compare.h"

#include "base/memory.h"
#include "engine/engine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { N = 180, P = 4, M = 40, R = 9, FRESH = 30 };

static double flat_top(double t, void *user) {
  (void)user;
  return t < 1 ? 1 - t * t * t : 0;
}

static int64_t landmarks[M];

static void place_landmarks(void) {
  for (int64_t k = 0; k < M; k++) landmarks[k] = k * N / M;
}

static lavdm_options plain(lavdm_method method, lavdm_engine engine) {
  lavdm_options o = oracle_options(method);
  o.engine = engine;
  o.components = R;
  o.threads = 2;
  if (method != LAVDM_METHOD_DM && method != LAVDM_METHOD_VDM) o.design = LAVDM_DESIGN_GIVEN;
  return o;
}

static lavdm_data points_of(const double *x, const lavdm_options *o) {
  bool given = o->design == LAVDM_DESIGN_GIVEN;
  return (lavdm_data){.points = x,
                      .n = N,
                      .p = P,
                      .landmark_index = given ? landmarks : NULL,
                      .landmark_count = given ? M : 0};
}

static void near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) print_message("%.17g and %.17g\n", a, b);
  assert_true(fabs(a - b) <= tolerance);
}

/* Pairs up to the widest gap: no other basis of an eigenspace changes what is made of these. */
static int64_t whole_spaces(const double *values) {
  int64_t rank = 2;
  for (int64_t k = 3; k < R; k++)
    if (values[k - 1] - values[k] > values[rank - 1] - values[rank]) rank = k;
  assert_true(values[rank - 1] - values[rank] > 1e-4);
  return rank;
}

/* Distances between embedded points, which frames do not change. */
static void same_distances(const lavdm_model *a, const lavdm_model *b, int64_t n, int64_t rank) {
  double scale = 0;
  for (int64_t i = 1; i < n; i++) scale = fmax(scale, model_distance(a, 0, i, 1, rank));
  assert_true(scale > 0);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < i; j += 3) {
      double x = model_distance(a, i, j, 1, rank), y = model_distance(b, i, j, 1, rank);
      assert_true(isnan(x) == isnan(y));
      if (!isnan(x)) near(x, y, 1e-6 * scale);
    }
}

/* Everything that both engines found, and what was chosen from the data. */
static void same_models(const lavdm_model *a, const lavdm_model *b) {
  const lavdm_info_t *x = lavdm_info(a), *y = lavdm_info(b);
  assert_int_equal(x->chosen->engine, LAVDM_ENGINE_REFERENCE);
  assert_int_equal(y->chosen->engine, LAVDM_ENGINE_CPU);
  assert_int_equal(x->chosen->dim, y->chosen->dim);
  assert_int_equal(x->chosen->knn, y->chosen->knn);
  near(x->chosen->epsilon, y->chosen->epsilon, 1e-12 * fabs(y->chosen->epsilon));
  assert_true(x->chosen->alpha == y->chosen->alpha && x->chosen->beta == y->chosen->beta);
  assert_int_equal(x->n, y->n);
  assert_int_equal(x->m, y->m);
  assert_int_equal(x->q, y->q);
  assert_int_equal(x->edges, y->edges);
  assert_int_equal(x->isolated, y->isolated);
  assert_int_equal(x->graph_components, y->graph_components);
  assert_int_equal(x->far_points, y->far_points);
  assert_int_equal(x->degenerate_frames, 0); /* such frames are anyone's */
  assert_int_equal(y->degenerate_frames, 0);
  assert_int_equal(x->ill_aligned, y->ill_aligned);
  for (int64_t l = 0; l < R; l++) near(x->eigenvalues[l], y->eigenvalues[l], 1e-10);
  const double *d = lavdm_get(a, "degrees")->data, *e = lavdm_get(b, "degrees")->data;
  for (int64_t i = 0; i < x->n; i++) near(d[i], e[i], 1e-11 * e[i]);
  same_distances(a, b, x->n, whole_spaces(x->eigenvalues));
}

static void fit_both(const lavdm_data *data, const lavdm_options *options, lavdm_model **a, lavdm_model **b) {
  lavdm_options o = *options;
  o.engine = LAVDM_ENGINE_REFERENCE;
  *a = fit_or_fail(data, &o);
  o.engine = LAVDM_ENGINE_AUTO;
  *b = fit_or_fail(data, &o);
  same_models(*a, *b);
}

static void compare_fits(const double *x, lavdm_options o) {
  lavdm_data data = points_of(x, &o);
  lavdm_model *a, *b;
  fit_both(&data, &o, &a, &b);
  lavdm_free(a), lavdm_free(b);
}

/* ---------------------------------------------------------------------- fits */

static void test_methods(void **state) {
  (void)state;
  place_landmarks();
  for (int64_t d = 1; d <= 3; d++) {
    double *x = sheet(N, P, d, 5);
    for (int method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_NYSTROM; method++) {
      compare_fits(x, plain((lavdm_method)method, LAVDM_ENGINE_AUTO)); /* all is chosen from the data */
      lavdm_options o = plain((lavdm_method)method, LAVDM_ENGINE_AUTO);
      o.dim = d, o.epsilon = 0.5, o.kernel = LAVDM_KERNEL_EPANECHNIKOV,
      o.hood = d < 3 ? LAVDM_HOOD_RADIUS : LAVDM_HOOD_KNN;
      o.alpha = 0.5, o.knn = 60;
      compare_fits(x, o);
    }
    free(x);
  }
}

static void test_choices(void **state) {
  (void)state;
  place_landmarks();
  double *x = sheet(N, P, 2, 5);
  lavdm_options o = plain(LAVDM_METHOD_LAVDM, LAVDM_ENGINE_AUTO);
  o.bundle = LAVDM_BUNDLE_ORIENTATION;
  compare_fits(x, o);
  o.bundle = LAVDM_BUNDLE_TRIVIAL;
  compare_fits(x, o);
  o.kernel = LAVDM_KERNEL_CALLBACK, o.kernel_function = flat_top, o.cutoff = 1, o.epsilon = 0.3;
  compare_fits(x, o);
  o = plain(LAVDM_METHOD_LAVDM, LAVDM_ENGINE_AUTO);
  o.landmarks = N, o.design = LAVDM_DESIGN_RANDOM; /* every point */
  compare_fits(x, o);
  o = plain(LAVDM_METHOD_LAVDM, LAVDM_ENGINE_AUTO);
  o.landmarks = M, o.design = LAVDM_DESIGN_FARTHEST; /* which leaves no choice */
  compare_fits(x, o);
  o = plain(LAVDM_METHOD_LAVDM, LAVDM_ENGINE_AUTO);
  o.pca = 3;
  compare_fits(x, o);
  for (int edges = LAVDM_EDGES_BALL; edges <= LAVDM_EDGES_COMPLETE; edges++) {
    o = plain(LAVDM_METHOD_VDM, LAVDM_ENGINE_AUTO);
    o.edges = (lavdm_edge_rule)edges;
    compare_fits(x, o);
  }
  free(x);
}

/* Floats in columns, and rows that are read. */
static int read_rows(void *user, int64_t first, int64_t count, void *out) {
  memcpy(out, (const double *)user + first * P, (size_t)(count * P) * sizeof(double));
  return 0;
}

static void test_data(void **state) {
  (void)state;
  place_landmarks();
  double *x = sheet(N, P, 2, 5);
  float *columns = calloc(N * P, sizeof *columns);
  for (int64_t i = 0; i < N * P; i++) columns[i % P * N + i / P] = (float)x[i];
  lavdm_options o = plain(LAVDM_METHOD_LAVDM, LAVDM_ENGINE_AUTO);
  lavdm_data data = points_of(x, &o);
  lavdm_model *a, *b;
  data.points = columns, data.type = LAVDM_F32, data.row_stride = 1, data.col_stride = N;
  fit_both(&data, &o, &a, &b);
  lavdm_free(a), lavdm_free(b);
  data = points_of(NULL, &o);
  data.read = read_rows, data.read_user = x;
  fit_both(&data, &o, &a, &b);
  lavdm_free(a), lavdm_free(b);
  free(x), free(columns);
}

/* A ring whose edges turn, and landmarks that are nodes of their own. */
static void test_edges(void **state) {
  (void)state;
  enum { NODES = 40, EDGES = 3 * NODES };
  int64_t row[EDGES], col[EDGES];
  double weight[EDGES], angle[EDGES];
  for (int64_t e = 0; e < EDGES; e++) {
    row[e] = 10 + e / 3, col[e] = 10 + (e / 3 + 1 + e % 3 * 2) % NODES;
    weight[e] = 1 + 0.3 * sin((double)e), angle[e] = 0.7 * cos(2.0 * (double)e);
  }
  lavdm_edges edges = {.count = EDGES,
                       .row = row,
                       .col = col,
                       .weight = weight,
                       .element = angle,
                       .kind = LAVDM_ELEMENT_ANGLE};
  lavdm_data data = {.edges = &edges};
  for (int method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++) {
    lavdm_options o = plain((lavdm_method)method, LAVDM_ENGINE_AUTO);
    o.design = LAVDM_DESIGN_KMEANS,
    o.precision = LAVDM_PRECISION_SINGLE; /* edges are in double all the same */
    lavdm_model *a, *b;
    fit_both(&data, &o, &a, &b);
    assert_int_equal(lavdm_info(a)->n, NODES);
    lavdm_free(a), lavdm_free(b);
  }
}

static void test_operator(void **state) {
  (void)state;
  place_landmarks();
  double *x = sheet(N, P, 2, 5);
  for (int method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_ROSELAND; method++) {
    lavdm_options o = plain((lavdm_method)method, LAVDM_ENGINE_AUTO);
    lavdm_data data = points_of(x, &o);
    lavdm_operator_t *op[2];
    lavdm_error error;
    for (int i = 0; i < 2; i++) {
      o.engine = i ? LAVDM_ENGINE_CPU : LAVDM_ENGINE_REFERENCE;
      assert_true(lavdm_operator(&data, &o, &op[i], &error) >= 0);
    }
    assert_int_equal(op[0]->blocks, op[1]->blocks);
    assert_memory_equal(op[0]->col, op[1]->col, (size_t)op[0]->blocks * sizeof *op[0]->col);
    for (int64_t e = 0; op[0]->q == 1 && e < op[0]->blocks; e++)
      near(op[0]->block[e], op[1]->block[e], 1e-12);
    lavdm_operator_free(op[0]), lavdm_operator_free(op[1]);
  }
  free(x);
}

/* ----------------------------------------------------------------- extension */

static void test_extension(void **state) {
  (void)state;
  place_landmarks();
  double *x = sheet(N, P, 2, 5), *fresh = sheet(N, P, 2, 5);
  for (int64_t i = 0; i < FRESH * P; i++) fresh[i] += 0.02 * sin((double)i);
  fresh[P] += 1e3; /* one that nothing reaches */
  lavdm_data more = {.points = fresh, .n = FRESH, .p = P};
  char path[] = "reference_model_XXXXXX";
  close(mkstemp(path));
  for (int method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_NYSTROM; method++) {
    lavdm_options o = plain((lavdm_method)method, LAVDM_ENGINE_AUTO);
    o.dim = 2, o.epsilon = 1;
    if (method == LAVDM_METHOD_VDM) o.edges = LAVDM_EDGES_KNN, o.cutoff = 5;
    lavdm_data data = points_of(x, &o);
    lavdm_model *model[3], *out[6];
    fit_both(&data, &o, &model[0], &model[1]);
    assert_int_equal(lavdm_save(model[0], path, 0, NULL), 0);
    assert_int_equal(lavdm_load(path, &model[2], NULL), 0);
    int64_t rank = whole_spaces(lavdm_info(model[0])->eigenvalues);
    for (int i = 0; i < 6; i++) { /* models of reference, cpu and a file, by reference and cpu */
      lavdm_error error = {0};
      o.engine = i % 2 ? LAVDM_ENGINE_AUTO : LAVDM_ENGINE_REFERENCE;
      int status = lavdm_extend(model[i / 2], &more, NULL, &o, &out[i], &error);
      if (status < 0) print_message("%s\n", error.message);
      assert_int_equal(status, LAVDM_WARNING);
      const lavdm_info_t *info = lavdm_info(out[i]);
      assert_int_equal(info->chosen->engine, i % 2 ? LAVDM_ENGINE_CPU : LAVDM_ENGINE_REFERENCE);
      assert_int_equal(info->isolated, 1);
      assert_int_equal(info->isolated_index[0], 1);
      if (i) same_distances(out[0], out[i], FRESH, rank);
    }
    for (int i = 0; i < 6; i++) lavdm_free(out[i]);
    for (int i = 0; i < 3; i++) lavdm_free(model[i]);
  }
  unlink(path);
  free(x), free(fresh);
}

/* --------------------------------------------------------------------- truth */

/* Vector fields on the sphere: eigenvalues of the connection Laplacian are 1 (six times) and 5 (ten times),
 * and -log lambda is in proportion to them. */
static void test_sphere(void **state) {
  (void)state;
  enum { POINTS = 900 };
  double *x = numbers(3 * POINTS), mean[2] = {0, 0};
  assert_int_equal(lavdm_sample("sphere", POINTS, 2, NULL, 0, 5, x, NULL, NULL, NULL), 0);
  lavdm_options o = oracle_options(LAVDM_METHOD_LAVDM);
  o.engine = LAVDM_ENGINE_REFERENCE, o.dim = 2, o.epsilon = 0.12, o.cutoff = 4, o.landmarks = 200;
  o.components = 17;
  lavdm_data data = {.points = x, .n = POINTS, .p = 3};
  lavdm_model *model = fit_or_fail(&data, &o);
  const double *lambda = lavdm_info(model)->eigenvalues;
  for (int l = 0; l < 16; l++) mean[l > 5] -= log(lambda[l]) / (l > 5 ? 10 : 6);
  print_message("-log lambda: %.4f and %.4f\n", mean[0], mean[1]);
  assert_true(lambda[5] - lambda[6] > lambda[0] - lambda[5]);
  assert_true(lambda[5] - lambda[6] > lambda[6] - lambda[15]);
  assert_true(fabs(mean[1] / mean[0] / 5 - 1) < 0.1);
  lavdm_free(model);
  free(x);
}

/* ------------------------------------------------------------------- refusals */

static void refused(const lavdm_data *data, const lavdm_options *o, const char *why) {
  lavdm_model *model = NULL;
  lavdm_error error = {0};
  assert_int_equal(lavdm_fit(data, o, &model, &error), LAVDM_ERROR_ARGUMENT);
  assert_null(model);
  if (!strstr(error.message, "the engine reference") || !strstr(error.message, why))
    print_message("%s\n", error.message);
  assert_non_null(strstr(error.message, "the engine reference"));
  assert_non_null(strstr(error.message, why));
}

static void test_refusals(void **state) {
  (void)state;
  enum { MANY = 5001 };
  double *x = sheet(MANY, P, 2, 5);
  lavdm_data data = {.points = x, .n = 200, .p = P}, many = {.points = x, .n = MANY, .p = P};
  const lavdm_options initial = plain(LAVDM_METHOD_VDM, LAVDM_ENGINE_REFERENCE);
  lavdm_options o = initial;
  o.bundle = LAVDM_BUNDLE_SHIFT;
  refused(&data, &o, "images and signals");
  o.bundle = LAVDM_BUNDLE_ROTATION;
  lavdm_data images = {.points = x, .n = 100, .p = 16, .height = 4, .width = 4};
  refused(&images, &o, "images and signals");
  o = initial;
  o.precision = LAVDM_PRECISION_SINGLE;
  refused(&data, &o, "double precision");
  o = initial;
  o.checkpoint = "reference_checkpoint";
  refused(&data, &o, "keeps no checkpoints");
  o = initial;
  refused(&many, &o, "5000 rows");
  o.method = LAVDM_METHOD_LAVDM;
  refused(&many, &o, "5000 rows");
  o.stream = LAVDM_STREAM_YES;
  refused(&data, &o, "in memory");
  team_t team = {.ranks = 2};
  lavdm_error error = {0};
  run_t *run = calloc(1, sizeof *run);
  engine_t *engine = NULL;
  run->options = initial, run->error = &error, run->team = &team;
  assert_int_equal(engine_open(run, &engine), LAVDM_ERROR_ARGUMENT);
  assert_null(engine);
  assert_non_null(strstr(error.message, "the engine reference has one rank"));
  free(run), free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_methods),  cmocka_unit_test(test_choices),
                                     cmocka_unit_test(test_data),     cmocka_unit_test(test_edges),
                                     cmocka_unit_test(test_operator), cmocka_unit_test(test_extension),
                                     cmocka_unit_test(test_sphere),   cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
