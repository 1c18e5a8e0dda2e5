/*
 * Data and options at the library's door: what is refused, with which status
 * and words, and that the layout of the same numbers in memory does not matter.
 */
#include "oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { N = 50, P = 3 };

static double sphere[N * P];

static int setup(void **state) {
  (void)state;
  return lavdm_sample("sphere", N, 0, NULL, 0, 3, sphere, NULL, NULL, NULL);
}

static lavdm_options defaults(lavdm_method method) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method;
  o.components = 4;
  o.threads = 1;
  return o;
}

static bool has_landmarks(lavdm_method method) {
  return method == LAVDM_METHOD_ROSELAND || method == LAVDM_METHOD_LAVDM;
}

/* Refused with `status` and a sentence that has `words` in it; no model. */
static void refuse(const lavdm_data *data, const lavdm_options *o, int status, const char *words) {
  lavdm_error error;
  lavdm_model *model = (lavdm_model *)&error;
  assert_int_equal(lavdm_fit(data, o, &model, &error), status);
  assert_null(model);
  assert_int_equal(error.status, status);
  if (!strstr(error.message, words)) fail_msg("'%s' lacks '%s'", error.message, words);
  model = (lavdm_model *)&error;
  assert_int_equal(lavdm_fit(data, o, &model, NULL), status);
  assert_null(model);
}

#define ALL_METHODS(m) for (lavdm_method m = LAVDM_METHOD_DM; m <= LAVDM_METHOD_LAVDM; m++)

static void test_null(void **state) {
  (void)state;
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  lavdm_data data = {.points = sphere, .n = N, .p = P}, empty = {.n = N, .p = P};
  lavdm_model *model;
  lavdm_orientation verdict = {0};
  double signs[N];
  refuse(NULL, &o, LAVDM_ERROR_ARGUMENT, "NULL");
  refuse(&data, NULL, LAVDM_ERROR_ARGUMENT, "NULL");
  refuse(&empty, &o, LAVDM_ERROR_DATA, "no points");
  assert_int_equal(lavdm_fit(&data, &o, NULL, NULL), LAVDM_ERROR_ARGUMENT);
  model = (lavdm_model *)&o;
  assert_int_equal(lavdm_orient(NULL, &o, &verdict, signs, &model, NULL), LAVDM_ERROR_ARGUMENT);
  assert_null(model);
  assert_int_equal(lavdm_orient(&data, NULL, &verdict, signs, NULL, NULL), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_orient(&data, &o, NULL, signs, NULL, NULL), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_orient(&data, &o, &verdict, NULL, NULL, NULL), LAVDM_ERROR_ARGUMENT);
  model = (lavdm_model *)&o;
  assert_int_equal(lavdm_orient(&empty, &o, &verdict, signs, &model, NULL), LAVDM_ERROR_DATA);
  assert_null(model);
}

static void test_sizes(void **state) {
  (void)state;
  ALL_METHODS(method) {
    lavdm_options o = defaults(method);
    const int64_t none[] = {0, -1, INT64_MIN};
    for (int k = 0; k < 3; k++) {
      lavdm_data rows = {.points = sphere, .n = none[k], .p = P},
                 columns = {.points = sphere, .n = N, .p = none[k]};
      refuse(&rows, &o, LAVDM_ERROR_DATA, "nothing to embed");
      refuse(&columns, &o, LAVDM_ERROR_DATA, "nothing to embed");
    }
    lavdm_data many = {.points = sphere, .n = INT64_C(1) << 61, .p = P};
    refuse(&many, &o, LAVDM_ERROR_DATA, "more than any machine can address");
    many.n = INT64_MAX, many.p = 1;
    refuse(&many, &o, LAVDM_ERROR_DATA, "more than any machine can address");
    lavdm_data one = {.points = sphere, .n = 1, .p = P}, data = {.points = sphere, .n = N, .p = P};
    refuse(&one, &o, LAVDM_ERROR_DATA, "one point");
    data.type = LAVDM_I64;
    refuse(&data, &o, LAVDM_ERROR_ARGUMENT, "type");
  }
}

/* The first value that is not finite, by row and column, in every layout. */
static void test_values(void **state) {
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e200};
  double turned[N * P];
  float small[N * P];
  ALL_METHODS(method)
  for (int k = 0; k < 4; k++) {
    lavdm_options o = defaults(method);
    o.threads = 2;
    memcpy(turned, sphere, sizeof sphere);
    turned[30 * P] = turned[7 * P + 2] = bad[k];
    lavdm_data data = {.points = turned, .n = N, .p = P};
    refuse(&data, &o, LAVDM_ERROR_DATA, "row 8, column 3");
    for (int64_t i = 0; i < N * P; i++) small[i] = (float)turned[i];
    lavdm_data floats = {.points = small, .n = N, .p = P, .type = LAVDM_F32};
    refuse(&floats, &o, LAVDM_ERROR_DATA, "row 8, column 3");
    for (int64_t i = 0; i < N * P; i++) turned[i % P * N + i / P] = sphere[i];
    turned[0 * N + 49] = bad[k];
    lavdm_data columns = {.points = turned, .n = N, .p = P, .row_stride = 1, .col_stride = N};
    refuse(&columns, &o, LAVDM_ERROR_DATA, "row 50, column 1");
    if (!has_landmarks(method)) continue;
    memcpy(turned, sphere, sizeof sphere);
    turned[4 * P + 1] = bad[k];
    lavdm_data given = {.points = sphere, .n = N, .p = P, .landmark_points = turned, .landmark_count = 9};
    refuse(&given, &o, LAVDM_ERROR_DATA, "row 5, column 2");
  }
}

static void test_numbers(void **state) {
  (void)state;
  lavdm_data data = {.points = sphere, .n = N, .p = P};
  ALL_METHODS(method) {
    lavdm_options o = defaults(method);
    int64_t most = (has_landmarks(method) ? 20 : N) *
                   (method == LAVDM_METHOD_VDM || method == LAVDM_METHOD_LAVDM ? 2 : 1);
    o.dim = 2;
    if (has_landmarks(method)) o.landmarks = 20;
    o.components = most + 1;
    refuse(&data, &o, LAVDM_ERROR_ARGUMENT, "components");
    o.components = most;
    lavdm_model *model = fit_or_fail(&data, &o);
    assert_int_equal(lavdm_get(model, "eigenvectors")->shape[2], most);
    lavdm_free(model);
    o = defaults(method), o.dim = P + 1;
    refuse(&data, &o, LAVDM_ERROR_ARGUMENT, "dim is 4");
    o = defaults(method), o.knn = N;
    refuse(&data, &o, LAVDM_ERROR_ARGUMENT, "knn is 50");
    o = defaults(method), o.landmarks = N + 1;
    if (has_landmarks(method)) refuse(&data, &o, LAVDM_ERROR_ARGUMENT, "landmarks is 51");
    o = defaults(method), o.epsilon = -3;
    refuse(&data, &o, LAVDM_ERROR_ARGUMENT, "epsilon");
    const int64_t threads[] = {0, -5, 4097, (1ll << 32) + 2, INT64_MIN};
    for (int k = 0; k < 5; k++) {
      o = defaults(method), o.threads = threads[k];
      refuse(&data, &o, LAVDM_ERROR_ARGUMENT, "threads");
    }
    o = defaults(method), o.kernel = LAVDM_KERNEL_CALLBACK;
    refuse(&data, &o, LAVDM_ERROR_ARGUMENT, "kernel_function");
    o = defaults(method), o.method = (lavdm_method)9;
    refuse(&data, &o, LAVDM_ERROR_ARGUMENT, "method");
  }
}

static void test_bundles(void **state) {
  (void)state;
  lavdm_data data = {.points = sphere, .n = N, .p = P};
  int64_t row[] = {0, 1}, col[] = {1, 2};
  lavdm_edges edges = {.count = 2,
                       .row = row,
                       .col = col,
                       .weight = NULL,
                       .element = NULL,
                       .kind = LAVDM_ELEMENT_NONE,
                       .q = 0};
  ALL_METHODS(method) {
    lavdm_options o = defaults(method);
    o.bundle = LAVDM_BUNDLE_GIVEN;
    refuse(&data, &o, LAVDM_ERROR_ARGUMENT, "no edges");
    lavdm_data graph = {.edges = &edges};
    o.bundle = LAVDM_BUNDLE_TRIVIAL;
    refuse(&graph, &o, LAVDM_ERROR_ARGUMENT, "bundle is not given");
    if (method == LAVDM_METHOD_VDM || method == LAVDM_METHOD_LAVDM) continue;
    o.bundle = LAVDM_BUNDLE_TANGENT;
    refuse(&data, &o, LAVDM_ERROR_ARGUMENT, method == LAVDM_METHOD_DM ? "use vdm" : "use lavdm");
    o.bundle = LAVDM_BUNDLE_ORIENTATION;
    refuse(&data, &o, LAVDM_ERROR_ARGUMENT, "trivial");
  }
}

static void test_memory_limit(void **state) {
  (void)state;
  lavdm_data data = {.points = sphere, .n = N, .p = P};
  int64_t row[N], col[N];
  for (int64_t i = 0; i < N; i++) row[i] = i, col[i] = i / 2;
  lavdm_edges edges = {.count = N,
                       .row = row,
                       .col = col,
                       .weight = NULL,
                       .element = NULL,
                       .kind = LAVDM_ELEMENT_NONE,
                       .q = 0};
  lavdm_data graph = {.edges = &edges};
  ALL_METHODS(method) {
    lavdm_options o = defaults(method);
    lavdm_model *model = fit_or_fail(&data, &o);
    int64_t needed = lavdm_info(model)->memory_needed;
    assert_true(needed > N * P * 8);
    assert_true(lavdm_info(model)->chosen->max_memory > needed);
    lavdm_free(model);
    o.stream = LAVDM_STREAM_NO;
    o.max_memory = needed - 1;
    refuse(&data, &o, LAVDM_ERROR_MEMORY, "max_memory");
    o.max_memory = needed;
    lavdm_free(fit_or_fail(&data, &o));
    o.max_memory = 1000;
    refuse(&graph, &o, LAVDM_ERROR_MEMORY, "max_memory");
  }
}

static void identical(const lavdm_data *a, const lavdm_data *b, const lavdm_options *o) {
  lavdm_model *x = fit_or_fail(a, o), *y = fit_or_fail(b, o);
  assert_int_equal(lavdm_array_count(x), lavdm_array_count(y));
  for (int i = 0; i < lavdm_array_count(x); i++) {
    const lavdm_array *s = lavdm_array_at(x, i), *t = lavdm_array_at(y, i);
    assert_string_equal(s->name, t->name);
    assert_memory_equal(s->shape, t->shape, sizeof s->shape);
    int64_t count = s->shape[0] * (s->rank > 1 ? s->shape[1] : 1) * (s->rank > 2 ? s->shape[2] : 1);
    assert_memory_equal(s->data, t->data, (size_t)count * 8);
  }
  lavdm_free(x), lavdm_free(y);
}

/* The same numbers as plain doubles, floats, columns, every second row, backwards. */
static void test_layouts(void **state) {
  (void)state;
  float floats[N * P], float_columns[N * P];
  double plain[N * P], columns[N * P], wide[2 * N * (P + 2)], backwards[N * P];
  for (int64_t i = 0; i < N; i++)
    for (int64_t j = 0; j < P; j++) {
      floats[i * P + j] = float_columns[j * N + i] = (float)sphere[i * P + j];
      double x = plain[i * P + j] = (double)floats[i * P + j];
      columns[j * N + i] = wide[2 * i * (P + 2) + j] = backwards[(N - 1 - i) * P + P - 1 - j] = x;
    }
  for (int64_t i = 0; i < N * (P + 2); i++) /* what lies between is never read */
    if (i % (P + 2) >= P) wide[i / (P + 2) * 2 * (P + 2) + i % (P + 2)] = NAN;
  lavdm_data reference = {.points = plain, .n = N, .p = P};
  lavdm_data others[] = {
      {.points = plain, .n = N, .p = P, .row_stride = P, .col_stride = 1},
      {.points = columns, .n = N, .p = P, .row_stride = 1, .col_stride = N},
      {.points = wide, .n = N, .p = P, .row_stride = 2 * (P + 2), .col_stride = 1},
      {.points = backwards + N * P - 1, .n = N, .p = P, .row_stride = -P, .col_stride = -1},
      {.points = floats, .n = N, .p = P, .type = LAVDM_F32},
      {.points = float_columns, .n = N, .p = P, .type = LAVDM_F32, .row_stride = 1, .col_stride = N}};
  ALL_METHODS(method) {
    lavdm_options o = defaults(method);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) identical(&reference, &others[k], &o);
  }
}

/* Orientation judged from columns of floats is that of plain doubles. */
static void test_orient_layouts(void **state) {
  (void)state;
  float columns[N * P];
  double plain[N * P], a[N], b[N];
  for (int64_t i = 0; i < N * P; i++) plain[i] = (double)(columns[i % P * N + i / P] = (float)sphere[i]);
  lavdm_data x = {.points = plain, .n = N, .p = P},
             y = {.points = columns, .n = N, .p = P, .type = LAVDM_F32, .row_stride = 1, .col_stride = N};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  lavdm_orientation v = {0}, w = {0};
  assert_true(lavdm_orient(&x, &o, &v, a, NULL, NULL) >= 0);
  assert_true(lavdm_orient(&y, &o, &w, b, NULL, NULL) >= 0);
  assert_memory_equal(a, b, sizeof a);
  assert_true(v.orientable && v.eigenvalue == w.eigenvalue && v.confidence == w.confidence);
}

/* Each component is judged on its own, also one with fewer points than knn. */
static void test_orient_pieces(void **state) {
  (void)state;
  double x[2 * N * P], signs[2 * N];
  assert_int_equal(lavdm_sample("sphere", 2 * N, 0, NULL, 0, 3, x, NULL, NULL, NULL), 0);
  for (int64_t i = 70; i < 2 * N; i++) x[i * P] += 100;
  lavdm_data data = {.points = x, .n = 2 * N, .p = P};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  o.dim = 2, o.epsilon = 1, o.knn = 40;
  lavdm_orientation verdict = {0};
  lavdm_model *model;
  lavdm_error error;
  assert_int_equal(lavdm_orient(&data, &o, &verdict, signs, &model, &error), LAVDM_WARNING);
  assert_int_equal(verdict.graph_components, 2);
  assert_int_equal(lavdm_info(model)->n, 2 * N);
  for (int64_t i = 0; i < 2 * N; i++) assert_true(fabs(signs[i]) == 1);
  lavdm_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_null),          cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_values),        cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_bundles),       cmocka_unit_test(test_memory_limit),
      cmocka_unit_test(test_layouts),       cmocka_unit_test(test_orient_layouts),
      cmocka_unit_test(test_orient_pieces),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
