/*
 * Sparse points: their axes against those of the same points written out, fits and extensions
 * against dense ones with the same pca, and lists that cannot be used.
 */
#include "oracle.h"

#include "lavdm/sample.h"
#include "sparse/sparse.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct {
  lavdm_sparse sparse;
  int64_t *start, *index;
  double *value, *dense; /* dense: or NULL */
} points_t;

static void drop(points_t *x) {
  free(x->start), free(x->index), free(x->value), free(x->dense);
}

/*
 * Rows near a closed curve in the space of `parts` sets of columns: each set is a bump along the
 * curve, times a fixed pattern of its columns, of which `noise` more are filled at random.
 */
static points_t make(int64_t n, int64_t p, int64_t parts, double noise, uint64_t seed, bool dense) {
  points_t x = {.start = calloc((size_t)n + 1, 8)};
  int64_t room = 0, count = 0, per = p / parts;
  lavdm_random random;
  lavdm_random_start(&random, seed, 3);
  for (int64_t i = 0; i < n; i++) {
    double at = lavdm_random_uniform(&random) * (double)parts;
    for (int64_t j = 0; j < p; j++) {
      double away = fabs(at - (double)(j / per));
      away = fmin(away, (double)parts - away);
      double value = away < 1.5 && j % 3 == 0 ? (1.5 - away) * (1 + (double)(j % 7)) : 0;
      if (noise > 0 && lavdm_random_uniform(&random) < 0.1) value += noise * lavdm_random_normal(&random);
      if (value == 0) continue;
      if (count == room) {
        room = 2 * room + 1000;
        x.index = realloc(x.index, (size_t)room * 8), x.value = realloc(x.value, (size_t)room * 8);
      }
      x.index[count] = j, x.value[count++] = value;
    }
    x.start[i + 1] = count;
  }
  x.sparse = (lavdm_sparse){.rows = n, .cols = p, .start = x.start, .index = x.index, .value = x.value};
  if (dense) x.dense = numbers(n * p);
  if (dense) sparse_sample(&x.sparse, n, x.dense);
  return x;
}

static void test_axes(void **state) {
  (void)state;
  /* written out and decomposed, written out and iterative, by products of rows */
  const int64_t n[] = {300, 900, 70}, p[] = {60, 1200, 4200}, k[] = {4, 6, 5};
  for (int a = 0; a < 3; a++) {
    points_t x = make(n[a], p[a], 12, 0.1, 7, true);
    lavdm_data data = {.points = x.dense, .n = n[a], .p = p[a]};
    for (int threads = 1; threads <= 2; threads++) {
      run_t run = {.threads = threads};
      reduce_t sparse, dense;
      assert_int_equal(sparse_fit(&run, &x.sparse, k[a], &sparse), 0);
      assert_int_equal(reduce_fit(&run, &data, n[a], k[a], &dense), 0);
      for (int64_t j = 0; j < p[a]; j++) assert_true(fabs(sparse.mean[j] - dense.mean[j]) < 1e-13);
      assert_true(projector_distance(p[a], k[a], sparse.basis, k[a], dense.basis, k[a]) < 1e-8);
      double *y = numbers(n[a] * k[a]), *z = numbers(n[a] * k[a]);
      assert_int_equal(sparse_apply(&run, &sparse, &x.sparse, y), 0);
      assert_int_equal(reduce_apply(&run, &sparse, &data, z), 0);
      for (int64_t i = 0; i < n[a] * k[a]; i++) assert_true(fabs(y[i] - z[i]) < 1e-11);
      free(y), free(z);
      reduce_free(&sparse), reduce_free(&dense);
    }
    drop(&x);
  }
}

/* More columns than are written out, and more rows: of rank `parts` at most, the axes leave nothing of them.
 */
static void test_products_of_columns(void **state) {
  (void)state;
  const int64_t n = 4300, p = 4100, k = 8;
  points_t x = make(n, p, 5, 0, 3, false);
  run_t run = {.threads = 2};
  reduce_t r;
  assert_int_equal(sparse_fit(&run, &x.sparse, k, &r), 0);
  double *y = numbers(n * k), inner[8][8] = {0}, left = 0, all = 0;
  assert_int_equal(sparse_apply(&run, &r, &x.sparse, y), 0);
  for (int64_t j = 0; j < p; j++)
    for (int64_t a = 0; a < k; a++)
      for (int64_t b = 0; b < k; b++) inner[a][b] += r.basis[j * k + a] * r.basis[j * k + b];
  for (int64_t a = 0; a < k; a++) /* as many as the rank, then nothing */
    for (int64_t b = 0; b < k; b++) assert_true(fabs(inner[a][b] - (a == b && a < 5)) < 1e-9);
  for (int64_t i = 0; i < n; i += 40) {
    double *row = numbers(p);
    for (int64_t e = x.start[i]; e < x.start[i + 1]; e++) row[x.index[e]] = x.value[e];
    for (int64_t j = 0; j < p; j++) {
      double rest = row[j] - r.mean[j];
      all += rest * rest;
      for (int64_t a = 0; a < k; a++) rest -= y[i * k + a] * r.basis[j * k + a];
      left += rest * rest;
    }
    free(row);
  }
  assert_true(left < 1e-18 * all);
  free(y);
  reduce_free(&r);
  drop(&x);
}

static lavdm_model *fit(const lavdm_data *data, lavdm_method method, int64_t pca, const char *words) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method, o.pca = pca, o.components = 8, o.trust = LAVDM_TRUST_NO, o.threads = 2;
  lavdm_model *model;
  lavdm_error error;
  int status = lavdm_fit(data, &o, &model, &error);
  if (words) {
    assert_true(status < 0);
    if (!strstr(error.message, words)) print_error("%s\n", error.message);
    assert_non_null(strstr(error.message, words));
  } else if (status < 0) {
    fail_msg("%s", error.message);
  }
  return model;
}

/* The same as of dense points with the same pca; and new points, sparse and dense. */
static void test_fits(void **state) {
  (void)state;
  const lavdm_method method[] = {LAVDM_METHOD_DM, LAVDM_METHOD_LAVDM};
  points_t x = make(500, 300, 20, 0.05, 1, true), z = make(40, 300, 20, 0.05, 2, true);
  lavdm_data sparse = {.size = sizeof sparse, .sparse = &x.sparse},
             dense = {.points = x.dense, .n = 500, .p = 300},
             new_sparse = {.size = sizeof new_sparse, .sparse = &z.sparse},
             new_dense = {.points = z.dense, .n = 40, .p = 300};
  for (int m = 0; m < 2; m++) {
    lavdm_model *a = fit(&sparse, method[m], 6, NULL), *b = fit(&dense, method[m], 6, NULL), *c, *d;
    assert_int_equal(lavdm_info(a)->p, 6);
    assert_int_equal(lavdm_info(a)->n, 500);
    assert_int_equal(lavdm_get(a, "pca_basis")->shape[0], 300);
    for (int l = 0; l < 8; l++)
      assert_true(fabs(lavdm_info(a)->eigenvalues[l] - lavdm_info(b)->eigenvalues[l]) < 1e-8);
    lavdm_error error;
    assert_true(lavdm_extend(a, &new_sparse, NULL, NULL, &c, &error) >= 0);
    assert_true(lavdm_extend(a, &new_dense, NULL, NULL, &d, &error) >= 0);
    const double *u = lavdm_get(c, "eigenvectors")->data, *v = lavdm_get(d, "eigenvectors")->data;
    for (int64_t i = 0; i < 40 * lavdm_info(a)->q * 8; i++) assert_true(fabs(u[i] - v[i]) < 1e-9);
    if (m == 1) {
      lavdm_free(c);
      assert_true(lavdm_extend(a, &new_sparse, &sparse, NULL, &c, &error) >= 0);
      lavdm_free(c);
      assert_true(lavdm_extend(a, &new_sparse, &dense, NULL, &c, &error) < 0);
      assert_non_null(strstr(error.message, "both sparse or both dense"));
    }
    lavdm_free(a), lavdm_free(b), lavdm_free(c), lavdm_free(d);
  }
  lavdm_model *a = fit(&sparse, LAVDM_METHOD_DM, LAVDM_AUTO, NULL);
  assert_true(lavdm_info(a)->chosen->pca > 0 && lavdm_info(a)->chosen->pca == lavdm_info(a)->p);
  lavdm_free(a);
  drop(&x), drop(&z);
}

static void test_refusals(void **state) {
  (void)state;
  points_t x = make(100, 30, 6, 0.05, 1, true);
  lavdm_sparse s = x.sparse;
  lavdm_data data = {.size = sizeof data, .sparse = &s};
  fit(&data, LAVDM_METHOD_DM, 0, "give pca 50, or auto");
  fit(&data, LAVDM_METHOD_DM, 31, "only 30 coordinates");
  data.points = x.dense;
  fit(&data, LAVDM_METHOD_DM, 3, "do not go with points");
  data.points = NULL;
  double before = x.value[5];
  x.value[5] = NAN;
  fit(&data, LAVDM_METHOD_DM, 3, "every value must be a finite number");
  x.value[5] = before;
  int64_t index = x.index[1];
  x.index[1] = 30;
  fit(&data, LAVDM_METHOD_DM, 3, "columns must ascend, from 0 to 29");
  x.index[1] = x.index[0];
  fit(&data, LAVDM_METHOD_DM, 3, "columns must ascend");
  x.index[1] = index;
  x.start[3] = 0;
  fit(&data, LAVDM_METHOD_DM, 3, "ends before it begins");
  s.rows = 0;
  fit(&data, LAVDM_METHOD_DM, 3, "nothing to embed");
  s = (lavdm_sparse){.rows = 3, .cols = 2, .start = (const int64_t[]){0, 0, 0, 0}};
  fit(&data, LAVDM_METHOD_DM, 1, "all sparse points are equal");

  lavdm_data dense = {.points = x.dense, .n = 100, .p = 30};
  lavdm_model *model = fit(&dense, LAVDM_METHOD_DM, 0, NULL), *extension;
  lavdm_error error;
  assert_true(lavdm_extend(model, &data, NULL, NULL, &extension, &error) < 0);
  assert_non_null(strstr(error.message, "has no principal coordinates"));
  lavdm_free(model);
  model = fit(&dense, LAVDM_METHOD_DM, 3, NULL);
  assert_true(lavdm_extend(model, &data, NULL, NULL, &extension, &error) < 0);
  assert_non_null(strstr(error.message, "those of the model have 30"));
  lavdm_free(model);
  lavdm_orientation verdict = {0};
  lavdm_options o;
  lavdm_options_default(&o);
  double signs[3];
  assert_true(lavdm_orient(&data, &o, &verdict, signs, NULL, &error) < 0);
  assert_non_null(strstr(error.message, "takes no sparse points"));
  drop(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_axes),
      cmocka_unit_test(test_products_of_columns),
      cmocka_unit_test(test_fits),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
