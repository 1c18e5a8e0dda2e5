/*
 * Points times a power of 2, from where squares of distances vanish to where they overflow: the eigenvalues
 * are the same bits, or the fit is refused with the row and the reason; and whatever is handed out is finite.
 */
#include "oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { N = 150, P = 4, R = 5 };

static double klein[N * P];

static int setup(void **state) {
  (void)state;
  return lavdm_sample("klein", N, 0, NULL, 0, 7, klein, NULL, NULL, NULL);
}

static lavdm_options options_of(lavdm_method method, lavdm_precision precision) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method, o.precision = precision;
  o.dim = 2, o.components = R, o.threads = 1;
  return o;
}

static double number(const lavdm_array *a, int64_t i) {
  return a->type == LAVDM_F64 ? ((const double *)a->data)[i] : (double)((const float *)a->data)[i];
}

/* Every number of a result, but where a point has no neighbour. */
static void check_finite(const lavdm_model *model, const char *what) {
  const double *degree = lavdm_get(model, "degrees")->data;
  for (int k = 0; k < lavdm_array_count(model); k++) {
    const lavdm_array *a = lavdm_array_at(model, k);
    if (a->type == LAVDM_I64 || !strncmp(a->name, "trust", 5) || !strcmp(a->name, "coordinate_residuals"))
      continue;
    int64_t width = a->shape[1] * a->shape[2];
    bool may = !strcmp(a->name, "eigenvectors");
    for (int64_t i = 0; i < a->shape[0] * width; i++)
      if (!isfinite(number(a, i)) && !(may && degree[i / width] == 0))
        fail_msg("%s: %s has %g", what, a->name, number(a, i));
  }
}

/* NULL: refused, in words that name the row. */
static lavdm_model *fit_or_refuse(const double *x, lavdm_method method, lavdm_precision precision,
                                  const char *what) {
  lavdm_options o = options_of(method, precision);
  lavdm_data data = {.points = x, .n = N, .p = P};
  lavdm_model *model;
  lavdm_error error;
  int status = lavdm_fit(&data, &o, &model, &error);
  if (status >= 0) check_finite(model, what);
  if (status < 0 && status != LAVDM_ERROR_DATA && status != LAVDM_ERROR_NUMERICS)
    fail_msg("%s: %s", what, error.message);
  if (status < 0 && !strstr(error.message, "row ")) fail_msg("%s: '%s' names no row", what, error.message);
  return model;
}

static const lavdm_precision precisions[] = {LAVDM_PRECISION_DOUBLE, LAVDM_PRECISION_SINGLE};
static const int powers[2][20] = {
    {-540, -530, -515, -500, -480, -466, -440, -431, -420, -300,
     -100, 100,  300,  420,  430,  440,  466,  480,  500,  530},
    {-300, -150, -100, -90, -80, -70, -64, -60, -50, -39, -30, -10, 10, 30, 45, 48, 52, 60, 64, 120}};
/* Within these all are the same; outside of them all are refused. */
static const int inside[2][2] = {{-431, 430}, {-39, 48}};

static void test_powers(void **state) {
  (void)state;
  double *x = malloc(sizeof klein);
  char what[100];
  for (int s = 0; s < 2; s++)
    for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_NYSTROM; method++) {
      lavdm_model *one = fit_or_refuse(klein, method, precisions[s], "1");
      assert_non_null(one);
      for (int k = 0; k < 20; k++) {
        int power = powers[s][k];
        snprintf(what, sizeof what, "method %d, precision %d, 2^%d", (int)method, s, power);
        for (int i = 0; i < N * P; i++) x[i] = ldexp(klein[i], power);
        lavdm_model *model = fit_or_refuse(x, method, precisions[s], what);
        if (!model != (power < inside[s][0] || power > inside[s][1]))
          fail_msg("%s: %s", what, model ? "fitted" : "refused");
        for (int r = 0; r < R && model; r++)
          if (lavdm_info(model)->eigenvalues[r] != lavdm_info(one)->eigenvalues[r])
            fail_msg("%s: eigenvalue %d is %.17g", what, r, lavdm_info(model)->eigenvalues[r]);
        lavdm_free(model);
      }
      lavdm_free(one);
    }
  free(x);
}

/* One column, one row or all rows but one at another scale: whatever comes out is finite, or a refusal. */
static void test_mixed(void **state) {
  (void)state;
  double *x = malloc(sizeof klein);
  char what[100];
  for (int s = 0; s < 2; s++)
    for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_NYSTROM; method++)
      for (int k = 0; k < 20; k++)
        for (int kind = 0; kind < 3; kind++) {
          snprintf(what, sizeof what, "mixed %d: method %d, precision %d, 2^%d", kind, (int)method, s,
                   powers[s][k]);
          for (int i = 0; i < N * P; i++) {
            bool scaled = kind == 0 ? i % P == 1 : kind == 1 ? i / P == 9 : i / P != 9;
            x[i] = scaled ? ldexp(klein[i], powers[s][k]) : klein[i];
          }
          lavdm_free(fit_or_refuse(x, method, precisions[s], what));
        }
  free(x);
}

/* New points at all scales, given to a model of ordinary ones. */
static void test_new_points(void **state) {
  (void)state;
  double *x = malloc(sizeof klein);
  for (int s = 0; s < 2; s++)
    for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_NYSTROM; method++) {
      lavdm_model *one = fit_or_refuse(klein, method, precisions[s], "1"), *extension;
      lavdm_error error;
      for (int k = 0; k < 20; k++) {
        for (int i = 0; i < N * P; i++) x[i] = ldexp(klein[i], powers[s][k]);
        lavdm_data data = {.points = x, .n = N, .p = P};
        int status = lavdm_extend(one, &data, NULL, NULL, &extension, &error);
        if (status < 0) assert_non_null(strstr(error.message, "row "));
        if (status >= 0) check_finite(extension, "extension");
        if (powers[s][k] < 0 && powers[s][k] > -1000) assert_true(status >= 0);
        lavdm_free(extension);
      }
      lavdm_free(one);
    }
  free(x);
}

/* Values that fit into a double and not into a float, wherever they are given. */
static void test_single(void **state) {
  (void)state;
  lavdm_options o = options_of(LAVDM_METHOD_LAVDM, LAVDM_PRECISION_SINGLE);
  double x[N * P], landmarks[10 * P];
  lavdm_data data = {.points = x, .n = N, .p = P};
  lavdm_model *model;
  lavdm_error error;
  memcpy(x, klein, sizeof x);
  memcpy(landmarks, klein, sizeof landmarks);
  x[3 * P + 2] = 1e40;
  assert_int_equal(lavdm_fit(&data, &o, &model, &error), LAVDM_ERROR_DATA);
  assert_non_null(strstr(error.message, "row 4, column 3 is 1e+40"));
  assert_non_null(strstr(error.message, "single precision"));
  data.points = klein, data.landmark_points = landmarks, data.landmark_count = 10;
  landmarks[5 * P + 1] = -1e40;
  assert_int_equal(lavdm_fit(&data, &o, &model, &error), LAVDM_ERROR_DATA);
  assert_non_null(strstr(error.message, "landmarks: row 6, column 2 is -1e+40"));
}

/* What cannot be told from copies is not called equal, and copies are no matter of scale. */
static void test_copies(void **state) {
  (void)state;
  lavdm_options o = options_of(LAVDM_METHOD_DM, LAVDM_PRECISION_DOUBLE);
  double x[N * P] = {0};
  lavdm_data data = {.points = x, .n = N, .p = P};
  lavdm_model *model;
  lavdm_error error;
  for (int i = 0; i < N * P; i++) x[i] = 1;
  assert_true(lavdm_fit(&data, &o, &model, &error) < 0);
  assert_non_null(strstr(error.message, "equal"));
  for (int i = 0; i < N * P; i++) x[i] = 0;
  x[77 * P + 1] = 1e-200;
  assert_true(lavdm_fit(&data, &o, &model, &error) == LAVDM_ERROR_DATA);
  assert_non_null(strstr(error.message, "row 78"));
  assert_non_null(strstr(error.message, "1e-200"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_powers), cmocka_unit_test(test_mixed),
                                     cmocka_unit_test(test_new_points), cmocka_unit_test(test_single),
                                     cmocka_unit_test(test_copies)};
  return cmocka_run_group_tests(tests, setup, NULL);
}
