/*
 * The double cover against the graph of its 2n points, built as it is defined
 * and decomposed as a whole: eigenvalues, projectors at gaps, parity; one graph
 * or several pieces, every eigenpair or some; and what is refused.
 */
#include "compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { N = 60, P = 4, D = 2 };

/* Frames (count,P,D), then the same with their first vector reversed. */
static double *both_sheets(const lavdm_model *model, const char *name, int64_t count) {
  double *frames = model_doubles(model, name), *out = numbers(2 * count * P * D);
  for (int64_t i = 0; i < count * P * D; i++) {
    out[i] = frames[i];
    out[count * P * D + i] = i % D ? frames[i] : -frames[i];
  }
  free(frames);
  return out;
}

static double *twice(const double *x, int64_t count) {
  double *out = numbers(2 * count);
  memcpy(out, x, (size_t)count * sizeof *x);
  memcpy(out + count, x, (size_t)count * sizeof *x);
  return out;
}

/* The diffusion map of the cover's own graph: a pair is joined if the frames of
 * its ends, on their sheets, are oriented alike. */
static oracle_result cover_oracle(const lavdm_model *model, const double *x) {
  const lavdm_info_t *info = lavdm_info(model);
  const lavdm_options *o = info->chosen;
  bool square = o->method == LAVDM_METHOD_VDM;
  int64_t n = info->n, m = info->m;
  double *b = both_sheets(model, "frames", n),
         *c = both_sheets(model, square ? "frames" : "landmark_frames", m);
  double *xx = twice(x, n * P), *zz = twice(square ? x : lavdm_get(model, "landmarks")->data, m * P);
  unsigned char *linked = calloc((size_t)(4 * n * m), 1);
  for (int64_t i = 0; i < 2 * n; i++)
    for (int64_t k = 0; k < 2 * m; k++) {
      double sign;
      oracle_element(LAVDM_BUNDLE_ORIENTATION, P, D, b + i * P * D, c + k * P * D, &sign);
      linked[i * 2 * m + k] = sign > 0;
    }
  oracle_problem problem = {.n = 2 * n,
                            .m = 2 * m,
                            .p = P,
                            .d = D,
                            .q = 1,
                            .x = xx,
                            .z = zz,
                            .bundle = LAVDM_BUNDLE_TRIVIAL,
                            .kernel = o->kernel,
                            .epsilon = o->epsilon,
                            .radius = o->cutoff * sqrt(o->epsilon),
                            .alpha = o->alpha,
                            .beta = o->beta,
                            .linked = linked};
  oracle_result truth = square ? oracle_square(&problem) : oracle_landmarks(&problem);
  free(b), free(c), free(xx), free(zz), free(linked);
  return truth;
}

static lavdm_options options_of(lavdm_method method, int64_t components) {
  lavdm_options o = oracle_options(method);
  o.bundle = LAVDM_BUNDLE_ORIENTATION;
  o.dim = D;
  o.edges = LAVDM_EDGES_BALL;
  o.components = components;
  o.threads = 2;
  if (method == LAVDM_METHOD_LAVDM) o.landmarks = 25;
  return o;
}

/* |P - Q| for a constant with the first k coordinates, all of length 1 in the
 * degrees, and the first k + 1 eigenvectors of the oracle. */
static double distance_at(const oracle_result *truth, const double *coordinates, int64_t rank, int64_t k) {
  int64_t size = truth->size;
  double *u = numbers(size * (k + 1)), total = 0;
  for (int64_t i = 0; i < size; i++) total += truth->degree[i];
  for (int64_t i = 0; i < size; i++) {
    u[i * (k + 1)] = sqrt(truth->degree[i] / total);
    for (int64_t l = 0; l < k; l++)
      u[i * (k + 1) + l + 1] = coordinates[i * rank + l] * sqrt(truth->degree[i]);
  }
  double distance = projector_distance(size, k + 1, u, k + 1, truth->vectors, size);
  free(u);
  return distance;
}

static void check_parity(const double *coordinates, const int *parity, int64_t n, int64_t rank) {
  int kinds[2] = {0};
  for (int64_t l = 0; l < rank; l++) {
    assert_true(parity[l] == 1 || parity[l] == -1);
    kinds[parity[l] > 0]++;
    for (int64_t i = 0; i < n; i++)
      assert_true(coordinates[(n + i) * rank + l] == parity[l] * coordinates[i * rank + l]);
  }
  assert_true(kinds[0] && kinds[1]);
}

typedef struct {
  double value, gap, projector;
} nearness_t;

/* A model with `components`, and `rank` coordinates of the cover from it. */
static void check_cover(const double *x, lavdm_options o, int64_t rank, nearness_t near) {
  lavdm_data data = {.points = x, .n = N, .p = P};
  lavdm_model *model = fit_or_fail(&data, &o);
  assert_int_equal(lavdm_info(model)->isolated, 0);
  double *u = numbers(2 * N * rank), *later = numbers(2 * N * rank), *values = numbers(rank);
  int *parity = calloc((size_t)rank, sizeof *parity), compared = 0;
  lavdm_error error;
  assert_int_equal(lavdm_cover(&data, model, NULL, 0, rank, u, values, parity, &error), 0);
  oracle_result truth = cover_oracle(model, x);
  for (int64_t l = 0; l < rank; l++) assert_true(fabs(values[l] - truth.values[l + 1]) < near.value);
  for (int64_t k = 1; k <= rank; k++) {
    if (truth.values[k] < 1e-3 || truth.values[k] - truth.values[k + 1] < near.gap) continue;
    assert_true(distance_at(&truth, u, rank, k) < near.projector);
    compared++;
  }
  assert_true(compared > 1);
  check_parity(u, parity, N, rank);

  assert_int_equal(lavdm_cover(&data, model, &o, 2, rank, later, NULL, NULL, NULL), 0);
  for (int64_t i = 0; i < 2 * N * rank; i++) {
    double a = pow(fmax(values[i % rank], 0), 2);
    assert_true(fabs(later[i] - a * u[i]) < 1e-12);
  }
  oracle_free(&truth);
  lavdm_free(model);
  free(u), free(later), free(values), free(parity);
}

static const nearness_t fine = {1e-10, 1e-4, 1e-6}, coarse = {5e-6, 1e-2, 1e-4};

static void test_against_the_whole(void **state) {
  (void)state;
  double *x = sheet(N, P, D, 5);
  for (lavdm_method method = LAVDM_METHOD_VDM; method <= LAVDM_METHOD_LAVDM; method += 2) {
    check_cover(x, options_of(method, 8), 8, fine);
    lavdm_options o = options_of(method, 12);
    o.alpha = 0.5, o.beta = 0.3, o.kernel = LAVDM_KERNEL_EPANECHNIKOV, o.epsilon = 0.8;
    check_cover(x, o, 12, fine);
    o = options_of(method, 8);
    o.precision = LAVDM_PRECISION_SINGLE;
    check_cover(x, o, 8, coarse);
  }
  free(x);
}

/* All eigenpairs: neither kind ends before the other. */
static void test_every_pair(void **state) {
  (void)state;
  double *x = sheet(N, P, D, 6);
  check_cover(x, options_of(LAVDM_METHOD_VDM, N), 2 * N - 1, fine);
  check_cover(x, options_of(LAVDM_METHOD_LAVDM, 25), 49, fine);
  free(x);
}

/* Where the graph falls apart the constant is still what is left out. */
static void test_pieces(void **state) {
  (void)state;
  double *x = sheet(N, P, D, 7);
  for (int64_t i = 0; i < N; i++) x[i * P] += 30 * (double)(i % 3);
  for (lavdm_method method = LAVDM_METHOD_VDM; method <= LAVDM_METHOD_LAVDM; method += 2) {
    lavdm_options o = options_of(method, 10);
    o.epsilon = 1;
    check_cover(x, o, 10, fine);
  }
  free(x);
}

/* The same landmarks, wherever they came from. */
static void test_given_landmarks(void **state) {
  (void)state;
  double *x = sheet(N, P, D, 8), *z = sheet(20, P, D, 8), first[2 * N * 4], second[2 * N * 4], values[2][4];
  int64_t index[20];
  for (int64_t k = 0; k < 20; k++) index[k] = 3 * k;
  for (int k = 0; k < 20 * P; k++) z[k] = x[3 * (k / P) * P + k % P];
  lavdm_options o = options_of(LAVDM_METHOD_LAVDM, 4);
  o.landmarks = LAVDM_AUTO, o.beta = 0.5;
  lavdm_data rows = {.points = x, .n = N, .p = P, .landmark_index = index, .landmark_count = 20};
  lavdm_data points = {.points = x, .n = N, .p = P, .landmark_points = z, .landmark_count = 20};
  for (int pca = 0; pca <= P; pca += P) {
    o.pca = pca;
    lavdm_model *a = fit_or_fail(&rows, &o), *b = fit_or_fail(&points, &o);
    lavdm_data plain = {.points = x, .n = N, .p = P}; /* the model knows them */
    assert_int_equal(lavdm_cover(&plain, a, NULL, 1, 4, first, values[0], NULL, NULL), 0);
    assert_int_equal(lavdm_cover(pca ? &points : &plain, b, NULL, 1, 4, second, values[1], NULL, NULL), 0);
    for (int l = 0; l < 4; l++) assert_true(fabs(values[0][l] - values[1][l]) < 1e-10);
    lavdm_free(a), lavdm_free(b);
  }
  free(x), free(z);
}

static int no_more(const char *stage, double fraction, void *user) {
  (void)stage, (void)fraction;
  return ++*(int *)user > 0;
}

static void test_refusals(void **state) {
  (void)state;
  double *x = sheet(N, P, D, 9), *u = numbers(2 * N * 2 * N);
  lavdm_data data = {.points = x, .n = N, .p = P};
  lavdm_options o = options_of(LAVDM_METHOD_LAVDM, 3);
  lavdm_model *model = fit_or_fail(&data, &o);
  lavdm_error error;
  const int argument = LAVDM_ERROR_ARGUMENT;
  assert_int_equal(lavdm_cover(NULL, model, NULL, 1, 3, u, NULL, NULL, &error), argument);
  assert_int_equal(lavdm_cover(&data, NULL, NULL, 1, 3, u, NULL, NULL, &error), argument);
  assert_int_equal(lavdm_cover(&data, model, NULL, 1, 3, NULL, NULL, NULL, NULL), argument);
  assert_int_equal(lavdm_cover(&data, model, NULL, -1, 3, u, NULL, NULL, &error), argument);
  assert_int_equal(lavdm_cover(&data, model, NULL, NAN, 3, u, NULL, NULL, &error), argument);
  assert_int_equal(lavdm_cover(&data, model, NULL, 1, 0, u, NULL, NULL, &error), argument);
  assert_int_equal(lavdm_cover(&data, model, NULL, 1, 50, u, NULL, NULL, &error), argument);
  assert_non_null(strstr(error.message, "from 1 to 49"));
  assert_int_equal(lavdm_cover(&data, model, NULL, 1, 40, u, NULL, NULL, &error), argument);
  assert_non_null(strstr(error.message, "more components"));
  lavdm_data other = {.points = x, .n = N - 1, .p = P};
  assert_int_equal(lavdm_cover(&other, model, NULL, 1, 3, u, NULL, NULL, &error), argument);
  assert_non_null(strstr(error.message, "60 points with 4 coordinates"));
  int calls = 0;
  lavdm_options how = o;
  how.progress = no_more, how.progress_user = &calls;
  assert_int_equal(lavdm_cover(&data, model, &how, 1, 3, u, NULL, NULL, &error), LAVDM_ERROR_INTERRUPTED);
  assert_true(calls > 0);
  lavdm_free(model);

  o.bundle = LAVDM_BUNDLE_TRIVIAL;
  model = fit_or_fail(&data, &o);
  assert_int_equal(lavdm_cover(&data, model, NULL, 1, 3, u, NULL, NULL, &error), argument);
  assert_non_null(strstr(error.message, "orientation bundle"));
  lavdm_free(model);
  free(x), free(u);
}

/* Beyond the components of the model: as far as its last odd eigenvalue. */
static void test_how_far(void **state) {
  (void)state;
  double *x = sheet(N, P, D, 10), u[2 * N * 40], some[40], all[40], noise[N * P];
  int parity[40];
  fill_normal(noise, N * P, 12);
  for (int64_t i = 0; i < N * P; i++) x[i] += 0.5 * noise[i]; /* planes that leave no two eigenvalues alike */
  lavdm_data data = {.points = x, .n = N, .p = P};
  lavdm_options o = options_of(LAVDM_METHOD_VDM, 5);
  o.epsilon = 1;
  lavdm_model *model = fit_or_fail(&data, &o);
  o.components = 40;
  lavdm_model *more = fit_or_fail(&data, &o);
  assert_int_equal(lavdm_cover(&data, more, NULL, 1, 40, u, all, parity, NULL), 0);
  int64_t reach = 0;
  for (int odd = 0; odd < 5; reach++) odd += parity[reach] < 0;
  assert_true(reach > 5 && reach < 39 && all[reach - 1] - all[reach] > 1e-6);
  assert_int_equal(lavdm_cover(&data, model, NULL, 1, reach, u, some, NULL, NULL), 0);
  for (int64_t l = 0; l < reach; l++) assert_true(fabs(some[l] - all[l]) < 1e-9);
  assert_int_equal(lavdm_cover(&data, model, NULL, 1, reach + 1, u, some, NULL, NULL), LAVDM_ERROR_ARGUMENT);
  lavdm_free(model), lavdm_free(more);
  free(x);
}

/* Signs at random along a thick line leave less to the odd functions: the first
 * coordinate is even, and one eigenpair of the model is enough for it. */
static void test_even_first(void **state) {
  (void)state;
  double x[N * P], u[2 * N];
  int parity;
  fill_normal(x, N * P, 11);
  for (int64_t i = 0; i < N; i++) x[i * P] = 0.3 * (double)i;
  lavdm_data data = {.points = x, .n = N, .p = P};
  lavdm_options o = options_of(LAVDM_METHOD_VDM, 1);
  o.epsilon = 8;
  lavdm_model *model = fit_or_fail(&data, &o);
  assert_int_equal(lavdm_cover(&data, model, NULL, 1, 1, u, NULL, &parity, NULL), 0);
  assert_int_equal(parity, 1);
  lavdm_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_the_whole),
                                     cmocka_unit_test(test_every_pair),
                                     cmocka_unit_test(test_pieces),
                                     cmocka_unit_test(test_given_landmarks),
                                     cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_how_far),
                                     cmocka_unit_test(test_even_first)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
