/*
 * Copies of points: they are found, to the bit; a fit that sees each place once is the fit of all points, as
 * the oracle, which knows nothing of places, has it; copies of every point change nothing; and a model gives
 * its own points back.
 */
#include "compare.h"

#include "reduce/places.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { N = 120, P = 4 };

static uint64_t next(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return *seed >> 33;
}

/* x (n x p) with the last `copies` rows made copies of rows before, most of them of row 7. */
static double *with_copies(int64_t n, int64_t p, int64_t copies, uint64_t seed) {
  double *x = sheet(n, p, 2, seed);
  for (int64_t i = n - copies; i < n; i++) {
    int64_t from = next(&seed) % 3 ? 7 : (int64_t)(next(&seed) % (uint64_t)(n - copies));
    memcpy(x + i * p, x + from * p, (size_t)p * sizeof *x);
  }
  return x;
}

/* ---------------------------------------------------------------- places */

static double at(const lavdm_data *data, int64_t i, int64_t j) {
  int64_t row = data->row_stride ? data->row_stride : data->p, col = data->col_stride ? data->col_stride : 1;
  return data->type == LAVDM_F32 ? (double)((const float *)data->points)[i * row + j * col]
                                 : ((const double *)data->points)[i * row + j * col];
}

static bool same(const lavdm_data *data, int64_t i, int64_t k) {
  for (int64_t j = 0; j < data->p; j++)
    if (at(data, i, j) != at(data, k, j)) return false;
  return true;
}

/* Every pair is looked at. */
static void check_places(const lavdm_data *data) {
  run_t run = {.threads = 2};
  places_t places;
  assert_int_equal(places_find(&run, data, &places), 0);
  int64_t count = 0;
  for (int64_t i = 0; i < data->n; i++) {
    int64_t k = 0, times = 0;
    while (!same(data, i, k)) k++;
    for (int64_t l = 0; l < data->n; l++) times += same(data, i, l);
    count += k == i;
    if (!places.weight) continue;
    assert_int_equal(places.first[places.place[i]], k);
    assert_true(places.weight[places.place[i]] == (double)times);
    assert_true(places.place[i] == 0 || places.first[places.place[i] - 1] < k);
  }
  assert_int_equal(places.count, count);
  assert_int_equal(places.n, data->n);
  assert_int_equal(places.weight == NULL, count == data->n);
  if (places.weight) {
    double *out = numbers(count * data->p);
    assert_int_equal(places_points(&run, &places, data, out), 0);
    for (int64_t i = 0; i < data->n; i++)
      for (int64_t j = 0; j < data->p; j++) assert_true(out[places.place[i] * data->p + j] == at(data, i, j));
    free(out);
  }
  places_free(&places);
}

static void test_places(void **state) {
  (void)state;
  for (int64_t copies = 0; copies < 100; copies += 33)
    for (uint64_t seed = 1; seed < 4; seed++) {
      double *x = with_copies(N, P, copies, seed);
      float single[N * P];
      for (int i = 0; i < N * P; i++) single[i] = (float)x[i];
      check_places(&(lavdm_data){.points = x, .n = N, .p = P});
      check_places(&(lavdm_data){.points = single, .type = LAVDM_F32, .n = N, .p = P});
      check_places(&(lavdm_data){.points = x, .n = N, .p = 2, .row_stride = P, .col_stride = 2});
      check_places(&(lavdm_data){.points = x, .n = P, .p = N, .row_stride = 1, .col_stride = P});
      free(x);
    }
}

/* Few values, so that rows are near each other and many are equal; -0 is 0. */
static void test_places_of_grid(void **state) {
  (void)state;
  static const double value[] = {0, -0.0, 1, -1, 1e-320, 1e300};
  double x[400 * 2];
  uint64_t seed = 5;
  for (int i = 0; i < 800; i++) x[i] = value[next(&seed) % 6];
  check_places(&(lavdm_data){.points = x, .n = 400, .p = 2});
  check_places(&(lavdm_data){.points = x, .n = 800, .p = 1});
}

/* ---------------------------------------------------------------- oracle */

static void test_oracle(void **state) {
  (void)state;
  static const lavdm_method methods[] = {LAVDM_METHOD_DM, LAVDM_METHOD_VDM, LAVDM_METHOD_ROSELAND,
                                         LAVDM_METHOD_LAVDM};
  for (int k = 0; k < 4; k++)
    for (int64_t copies = 1; copies < 80; copies += 35) {
      double *x = with_copies(N, P, copies, 11);
      lavdm_options o = oracle_options(methods[k]);
      o.trust = LAVDM_TRUST_NO;
      check_oracle(&o, x, N, P, NULL, 0);
      o.alpha = 0.5, o.beta = 0.3, o.kernel = LAVDM_KERNEL_EPANECHNIKOV, o.epsilon = 1;
      if (methods[k] == LAVDM_METHOD_VDM) o.bundle = LAVDM_BUNDLE_ORIENTATION;
      check_oracle(&o, x, N, P, NULL, 0);
      free(x);
    }
}

/* -------------------------------------------------------------- the same */

static lavdm_model *fitted(const double *x, int64_t n, const lavdm_options *o) {
  lavdm_data data = {.points = x, .n = n, .p = P};
  lavdm_model *model = NULL;
  lavdm_error error;
  if (lavdm_fit(&data, o, &model, &error) < 0) fail_msg("%s", error.message);
  assert_int_equal(lavdm_info(model)->n, n);
  return model;
}

static void near_values(const lavdm_model *a, const lavdm_model *b, double tolerance) {
  int64_t r = lavdm_info(a)->chosen->components;
  assert_int_equal(r, lavdm_info(b)->chosen->components);
  for (int64_t l = 0; l < r; l++)
    assert_true(fabs(lavdm_info(a)->eigenvalues[l] - lavdm_info(b)->eigenvalues[l]) < tolerance);
}

/* Every point three times, everything automatic: the same eigenvalues, degrees three times as large to the
 * power that alpha leaves, and the same choices. */
static void test_thrice(void **state) {
  (void)state;
  static const lavdm_method methods[] = {LAVDM_METHOD_DM, LAVDM_METHOD_VDM, LAVDM_METHOD_ROSELAND,
                                         LAVDM_METHOD_LAVDM, LAVDM_METHOD_NYSTROM};
  enum { FEW = 300 };
  double *x = sheet(FEW, P, 2, 3), *three = numbers(3 * FEW * P);
  for (int64_t i = 0; i < 3 * FEW; i++) memcpy(three + i * P, x + i % FEW * P, P * sizeof *x);
  for (int k = 0; k < 5; k++)
    for (int local = 0; local < (k < 2 ? 2 : 1); local++) {
      lavdm_options o;
      lavdm_options_default(&o);
      o.method = methods[k], o.components = 6, o.trust = LAVDM_TRUST_NO;
      if (local) o.edges = LAVDM_EDGES_KNN, o.bandwidth = LAVDM_BANDWIDTH_LOCAL;
      lavdm_model *a = fitted(x, FEW, &o), *b = fitted(three, 3 * FEW, &o);
      near_values(a, b, 1e-12);
      assert_true(lavdm_info(a)->chosen->epsilon == lavdm_info(b)->chosen->epsilon);
      assert_int_equal(lavdm_info(a)->chosen->knn, lavdm_info(b)->chosen->knn);
      if (k > 1) assert_int_equal(lavdm_info(a)->m, lavdm_info(b)->m);
      const double *one = lavdm_get(a, "degrees")->data, *many = lavdm_get(b, "degrees")->data;
      double power = many[0] / one[0];
      for (int64_t i = 0; i < 3 * FEW; i++) assert_true(fabs(many[i] / one[i % FEW] / power - 1) < 1e-9);
      lavdm_free(a);
      lavdm_free(b);
    }
  free(x);
  free(three);
}

/* A model with copies, applied to its own points, gives back what they have. */
static void test_extension(void **state) {
  (void)state;
  static const lavdm_method methods[] = {LAVDM_METHOD_DM, LAVDM_METHOD_VDM, LAVDM_METHOD_LAVDM};
  double *x = with_copies(N, P, 50, 21);
  for (int k = 0; k < 3; k++)
    for (int rule = 0; rule < (k < 2 ? 3 : 1); rule++) {
      lavdm_options o = oracle_options(methods[k]);
      o.trust = LAVDM_TRUST_NO;
      o.edges = rule ? LAVDM_EDGES_KNN : LAVDM_EDGES_BALL;
      if (rule == 2) o.bandwidth = LAVDM_BANDWIDTH_LOCAL;
      lavdm_model *model = fitted(x, N, &o), *again = NULL;
      lavdm_error error;
      lavdm_data data = {.points = x, .n = N, .p = P};
      if (lavdm_extend(model, &data, NULL, NULL, &again, &error) < 0) fail_msg("%s", error.message);
      const double *a = lavdm_get(model, "degrees")->data, *b = lavdm_get(again, "degrees")->data;
      for (int64_t i = 0; i < N; i++) assert_true(fabs(a[i] / b[i] - 1) < 1e-9);
      const lavdm_array *u = lavdm_get(model, "eigenvectors"), *v = lavdm_get(again, "eigenvectors");
      const double *ua = u->data, *vb = v->data;
      for (int64_t i = 0; i < N * u->shape[1] * u->shape[2]; i++) assert_true(fabs(ua[i] - vb[i]) < 1e-7);
      lavdm_free(again);
      lavdm_free(model);
    }
  free(x);
}

/* -------------------------------------------------------------- the rest */

/* Copies far from all others are joined to each other: a component, not isolated points. */
static void test_components(void **state) {
  (void)state;
  double *x = sheet(N, P, 2, 5);
  for (int64_t i = N - 5; i < N; i++)
    for (int64_t j = 0; j < P; j++) x[i * P + j] = 100;
  x[0] = -100;
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = LAVDM_METHOD_DM, o.components = 3, o.epsilon = 1, o.trust = LAVDM_TRUST_NO;
  lavdm_model *model = fitted(x, N, &o);
  assert_int_equal(lavdm_info(model)->graph_components, 2);
  assert_int_equal(lavdm_info(model)->isolated, 1);
  assert_int_equal(lavdm_info(model)->isolated_index[0], 0);
  assert_true(fabs(lavdm_info(model)->eigenvalues[1] - 1) < 1e-12);
  const int64_t *component = lavdm_get(model, "graph_component")->data;
  for (int64_t i = 0; i < N; i++) assert_int_equal(component[i], i == 0 ? -1 : i >= N - 5);
  lavdm_free(model);
  free(x);
}

static void test_all_equal(void **state) {
  (void)state;
  double *x = numbers(N * P);
  lavdm_options o;
  lavdm_options_default(&o);
  lavdm_model *model = NULL;
  lavdm_error error;
  lavdm_data data = {.points = x, .n = N, .p = P};
  assert_int_equal(lavdm_fit(&data, &o, &model, &error), LAVDM_ERROR_DATA);
  assert_string_equal(error.message, "all 120 points are equal: there is nothing to embed");
  free(x);
}

/* More landmarks than places: as many as there are, with a warning; indices are rows of the data. */
static void test_landmarks(void **state) {
  (void)state;
  double *x = with_copies(N, P, 90, 2);
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = LAVDM_METHOD_ROSELAND, o.landmarks = 40, o.components = 4, o.trust = LAVDM_TRUST_NO;
  lavdm_model *model = fitted(x, N, &o);
  assert_int_equal(lavdm_info(model)->m, 30);
  assert_int_equal(lavdm_info(model)->warnings, 1);
  assert_non_null(strstr(lavdm_info(model)->warning[0], "landmarks is 30, not 40"));
  const int64_t *index = lavdm_get(model, "landmark_index")->data;
  const double *z = lavdm_get(model, "landmarks")->data;
  for (int64_t k = 0; k < 30; k++) assert_memory_equal(z + k * P, x + index[k] * P, P * sizeof *x);
  lavdm_free(model);
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_places),    cmocka_unit_test(test_places_of_grid),
      cmocka_unit_test(test_oracle),    cmocka_unit_test(test_thrice),
      cmocka_unit_test(test_extension), cmocka_unit_test(test_components),
      cmocka_unit_test(test_all_equal), cmocka_unit_test(test_landmarks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
