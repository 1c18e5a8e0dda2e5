/*
 * Principal coordinates: the basis against dense eigenvectors of the
 * covariance, and fits that must not change where the points lie in a flat
 * subspace anyway.
 */
#include "oracle.h"

#include "reduce/reduce.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Normal points whose j-th coordinate has standard deviation 1 / (1 + j), turned and moved. */
static double *ellipsoid(int64_t n, int64_t p, uint64_t seed) {
  double *x = numbers(n * p), *u = numbers(p);
  fill_normal(x, n * p, seed);
  fill_normal(u, p, seed + 1);
  double square = 0;
  for (int64_t j = 0; j < p; j++) square += u[j] * u[j];
  for (int64_t i = 0; i < n; i++) {
    double dot = 0;
    for (int64_t j = 0; j < p; j++) dot += (x[i * p + j] /= 1 + (double)j) * u[j];
    for (int64_t j = 0; j < p; j++) x[i * p + j] += 10 - 2 * dot / square * u[j];
  }
  free(u);
  return x;
}

/* Eigenvectors (p x p) of the covariance as written, by decreasing variance. */
static double *slow_axes(const double *x, int64_t n, int64_t p) {
  double *mean = numbers(p), *c = numbers(p * p), *values = numbers(p);
  for (int64_t i = 0; i < n * p; i++) mean[i % p] += x[i] / (double)n;
  for (int64_t a = 0; a < p; a++)
    for (int64_t b = 0; b < p; b++)
      for (int64_t i = 0; i < n; i++) c[a * p + b] += (x[i * p + a] - mean[a]) * (x[i * p + b] - mean[b]);
  oracle_eigen(p, c, values);
  free(mean), free(values);
  return c;
}

static void test_basis(void **state) {
  (void)state;
  const int64_t n[] = {400, 700, 40, 2}, p[] = {12, 150, 90, 5}, k[] = {4, 3, 3, 1};
  for (int a = 0; a < 4; a++) {
    double *x = ellipsoid(n[a], p[a], 5), *axes = slow_axes(x, n[a], p[a]), *y = numbers(n[a] * k[a]);
    lavdm_data data = {.points = x, .n = n[a], .p = p[a]};
    for (int threads = 1; threads <= 2; threads++) {
      run_t run = {.threads = threads};
      reduce_t r;
      assert_int_equal(reduce_fit(&run, &data, n[a], k[a], &r), 0);
      assert_true(projector_distance(p[a], k[a], r.basis, k[a], axes, p[a]) < 1e-9);
      assert_int_equal(reduce_apply(&run, &r, &data, y), 0);
      for (int64_t i = 0; i < n[a]; i++)
        for (int64_t c = 0; c < k[a]; c++) {
          double sum = 0;
          for (int64_t j = 0; j < p[a]; j++) sum += (x[i * p[a] + j] - r.mean[j]) * r.basis[j * k[a] + c];
          assert_true(fabs(sum - y[i * k[a] + c]) < 1e-12);
        }
      reduce_free(&r);
    }
    free(x), free(axes), free(y);
  }
}

/* Columns by columns, in single precision: the same. */
static void test_layout(void **state) {
  (void)state;
  enum { ROWS = 60, P = 7, K = 2 };
  double *x = ellipsoid(ROWS, P, 8), y[ROWS * K], z[ROWS * K];
  float turned[ROWS * P];
  for (int64_t i = 0; i < ROWS * P; i++) x[i] = (float)x[i], turned[i % P * ROWS + i / P] = (float)x[i];
  lavdm_data plain = {.points = x, .n = ROWS, .p = P};
  lavdm_data other = {
      .points = turned, .n = ROWS, .p = P, .type = LAVDM_F32, .row_stride = 1, .col_stride = ROWS};
  run_t run = {.threads = 1};
  reduce_t r;
  assert_int_equal(reduce_fit(&run, &plain, ROWS, K, &r), 0);
  assert_int_equal(reduce_apply(&run, &r, &plain, y), 0);
  reduce_free(&r);
  assert_int_equal(reduce_fit(&run, &other, ROWS, K, &r), 0);
  assert_int_equal(reduce_apply(&run, &r, &other, z), 0);
  reduce_free(&r);
  assert_memory_equal(y, z, sizeof y);
  free(x);
}

/* Rank 1 and rank 0: what is missing is zero. */
static void test_rank(void **state) {
  (void)state;
  enum { ROWS = 5, P = 9, K = 3 };
  double x[ROWS * P], y[ROWS * K];
  for (int flat = 0; flat < 2; flat++) {
    for (int64_t i = 0; i < ROWS * P; i++) x[i] = flat ? 1 : (double)(i / P * (i % P));
    lavdm_data data = {.points = x, .n = ROWS, .p = P};
    run_t run = {.threads = 1};
    reduce_t r;
    assert_int_equal(reduce_fit(&run, &data, ROWS, K, &r), 0);
    assert_int_equal(reduce_apply(&run, &r, &data, y), 0);
    for (int64_t i = 0; i < ROWS; i++)
      for (int64_t c = 0; c < K; c++)
        assert_true(fabs(fabs(y[i * K + c]) - (c || flat ? 0 : sqrt(204) * fabs((double)i - 2))) < 1e-12);
    reduce_free(&r);
  }
}

/* A torus in a flat subspace of R^p. */
static double *flat_torus(int64_t n, int64_t p) {
  double *x = numbers(n * p), *torus = numbers(n * 3), *a = numbers(3 * p);
  assert_int_equal(lavdm_sample("torus", n, 0, NULL, 0, 6, torus, NULL, NULL, NULL), 0);
  fill_normal(a, 3 * p, 7);
  for (int64_t i = 0; i < n * p; i++) {
    x[i] = (double)(i % p) - 3;
    for (int64_t c = 0; c < 3; c++) x[i] += torus[i / p * 3 + c] * a[c * p + i % p];
  }
  free(torus), free(a);
  return x;
}

static void test_fit(void **state) {
  (void)state;
  enum { N = 300, M = 40, K = 3 };
  const int64_t ps[] = {30, 400};
  for (int a = 0; a < 2; a++) {
    int64_t p = ps[a], index[M];
    double *x = flat_torus(N, p);
    for (int64_t c = 0; c < M; c++) index[c] = 7 * c;
    for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++)
      for (int given = 0; given < 2; given++) {
        bool landmarks = method == LAVDM_METHOD_ROSELAND || method == LAVDM_METHOD_LAVDM;
        lavdm_data data = {.points = x, .n = N, .p = p};
        if (landmarks) {
          data.landmark_count = given ? 50 : M;
          data.landmark_points = given ? x + 20 * p : NULL;
          data.landmark_index = given ? NULL : index;
        }
        lavdm_options o;
        lavdm_options_default(&o);
        o.method = method, o.components = 8, o.dim = 2, o.epsilon = 0.6 * (double)p, o.cutoff = 3.001,
        o.pca = 0;
        lavdm_model *whole = fit_or_fail(&data, &o);
        o.pca = K;
        lavdm_model *reduced = fit_or_fail(&data, &o);
        const lavdm_info_t *one = lavdm_info(whole), *two = lavdm_info(reduced);
        for (int l = 0; l < 8; l++) assert_true(fabs(one->eigenvalues[l] - two->eigenvalues[l]) < 1e-10);
        assert_int_equal(two->p, K);
        assert_int_equal(two->chosen->pca, K);
        assert_null(lavdm_get(whole, "pca_basis"));
        const lavdm_array *basis = lavdm_get(reduced, "pca_basis"), *mean = lavdm_get(reduced, "pca_mean");
        assert_true(basis->shape[0] == p && basis->shape[1] == K && mean->shape[0] == p);
        lavdm_free(whole), lavdm_free(reduced);
      }
    free(x);
  }
}

static void test_errors(void **state) {
  (void)state;
  double x[] = {0, 0, 1, 0, 1, 0, 0, 1};
  lavdm_data data = {.points = x, .n = 4, .p = 2};
  lavdm_options o;
  lavdm_options_default(&o);
  lavdm_model *model;
  lavdm_error error;
  o.pca = 3;
  assert_int_equal(lavdm_fit(&data, &o, &model, &error), LAVDM_ERROR_ARGUMENT);
  o.pca = 1, o.dim = 2;
  assert_int_equal(lavdm_fit(&data, &o, &model, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "pca"));
  o.pca = 2, o.max_memory = 10;
  assert_int_equal(lavdm_fit(&data, &o, &model, &error), LAVDM_ERROR_MEMORY);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_basis), cmocka_unit_test(test_layout), cmocka_unit_test(test_rank),
      cmocka_unit_test(test_fit),   cmocka_unit_test(test_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
