/*
 * Points so many that tile order is made by parts: the same bits from run to run,
 * the same numbers to rounding whatever the threads and however the points are
 * listed, and many copies.
 */
#include "oracle.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { N = 40000, P = 3 };

static double *sphere(void) {
  double *x = numbers(N * P);
  assert_int_equal(lavdm_sample("sphere", N, 2, NULL, 0, 5, x, NULL, NULL, NULL), 0);
  return x;
}

static lavdm_options defaults(int precision, int64_t threads) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.landmarks = 200, o.components = 12, o.dim = 2;
  o.precision = (lavdm_precision)precision, o.threads = threads;
  return o;
}

static lavdm_model *fit(const double *x, int precision, int64_t threads) {
  lavdm_options o = defaults(precision, threads);
  lavdm_data data = {.points = x, .n = N, .p = P};
  return fit_or_fail(&data, &o);
}

static void same_bits(const lavdm_model *a, const lavdm_model *b) {
  assert_int_equal(lavdm_array_count(a), lavdm_array_count(b));
  for (int i = 0; i < lavdm_array_count(a); i++) {
    const lavdm_array *x = lavdm_array_at(a, i), *y = lavdm_array_at(b, i);
    size_t size = x->type == LAVDM_F32 ? sizeof(float) : sizeof(double);
    assert_string_equal(x->name, y->name);
    assert_memory_equal(x->shape, y->shape, sizeof x->shape);
    assert_memory_equal(x->data, y->data, (size_t)(x->shape[0] * x->shape[1] * x->shape[2]) * size);
  }
}

static void same_values(const lavdm_model *a, const lavdm_model *b) {
  const lavdm_info_t *x = lavdm_info(a), *y = lavdm_info(b);
  double tolerance = x->chosen->precision == LAVDM_PRECISION_SINGLE ? 1e-5 : 1e-12;
  assert_int_equal(x->chosen->components, y->chosen->components);
  for (int64_t l = 0; l < x->chosen->components; l++)
    assert_true(fabs(x->eigenvalues[l] - y->eigenvalues[l]) <= tolerance * x->eigenvalues[l]);
}

static void test_runs_and_threads(void **state) {
  (void)state;
  double *x = sphere();
  for (int precision = LAVDM_PRECISION_DOUBLE; precision <= LAVDM_PRECISION_SINGLE; precision++) {
    lavdm_model *first = fit(x, precision, 2), *again = fit(x, precision, 2);
    same_bits(first, again);
    lavdm_free(again);
    again = fit(x, precision, 1);
    same_values(first, again);
    lavdm_free(again);
    lavdm_free(first);
  }
  free(x);
}

static void test_listing(void **state) {
  (void)state;
  double *x = sphere(), *y = numbers(N * P);
  random_t random = random_start(4, 4);
  memcpy(y, x, N * P * sizeof *x);
  for (int64_t i = N - 1; i > 0; i--)
    for (int64_t j = random_below(&random, i + 1), c = 0; c < P; c++) {
      double t = y[i * P + c];
      y[i * P + c] = y[j * P + c], y[j * P + c] = t;
    }
  lavdm_model *a = fit(x, LAVDM_PRECISION_DOUBLE, 2), *b = fit(y, LAVDM_PRECISION_DOUBLE, 2);
  same_values(a, b);
  lavdm_free(a);
  lavdm_free(b);
  /* in single precision as well, once landmarks and epsilon are chosen */
  lavdm_options o = defaults(LAVDM_PRECISION_SINGLE, 2);
  o.epsilon = 0.05;
  lavdm_data one = {.points = x, .n = N, .p = P, .landmark_points = x, .landmark_count = 200}, other = one;
  other.points = y;
  a = fit_or_fail(&one, &o), b = fit_or_fail(&other, &o);
  same_values(a, b);
  lavdm_free(a);
  lavdm_free(b);
  free(x), free(y);
}

/* Half of the points in one place, and all of them on 11^3 or fewer places: the parts
 * would be uneven. */
static void test_copies(void **state) {
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    double *x = sphere();
    for (int64_t i = 0; i < N * P; i++) {
      if (kind == 0 && i / P % 2) x[i] = x[P + i % P];
      if (kind == 1) x[i] = round(5 * x[i]) / 5;
    }
    for (int precision = LAVDM_PRECISION_DOUBLE; precision <= LAVDM_PRECISION_SINGLE; precision++) {
      lavdm_options o = defaults(precision, 1);
      if (kind == 0) o.method = LAVDM_METHOD_ROSELAND, o.knn = 50;
      lavdm_data data = {.points = x, .n = N, .p = P};
      lavdm_model *one = fit_or_fail(&data, &o);
      o.threads = 2;
      lavdm_model *two = fit_or_fail(&data, &o);
      const lavdm_info_t *info = lavdm_info(one);
      assert_true(info->eigenvalues[0] <= 1 + 1e-5 && info->eigenvalues[0] > 0);
      same_values(one, two);
      lavdm_free(one);
      lavdm_free(two);
    }
    free(x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_runs_and_threads),
      cmocka_unit_test(test_listing),
      cmocka_unit_test(test_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
