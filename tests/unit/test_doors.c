/* The public functions called with what is missing or of the wrong kind, and with the same data in other
 * clothes: floats, strides, methods that stand for each other. */
#include "oracle.h"
#include "lavdm.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { N = 200, P = 3 };

static double x[N * P];

static int setup(void **state) {
  (void)state;
  return lavdm_sample("torus", N, 0, NULL, 0, P, x, NULL, NULL, NULL);
}

static lavdm_data points(void) {
  return (lavdm_data){.points = x, .n = N, .p = P};
}

static lavdm_options tangents(lavdm_method method) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method, o.threads = 1, o.dim = 2, o.components = 4, o.trust = LAVDM_TRUST_NO;
  return o;
}

static int read_rows(void *user, int64_t first, int64_t count, void *rows) {
  memcpy(rows, (const double *)user + first * P, (size_t)(count * P) * sizeof(double));
  return 0;
}

static void refused(int status, int expected, const lavdm_error *error, const char *words) {
  assert_int_equal(status, expected);
  if (!strstr(error->message, words)) fail_msg("'%s' does not say '%s'", error->message, words);
}

enum { BAD = LAVDM_ERROR_ARGUMENT, ODD = LAVDM_ERROR_DATA };

static void nothing_given(void **state) {
  (void)state;
  lavdm_data data = points();
  lavdm_options o = tangents(LAVDM_METHOD_LAVDM);
  lavdm_error e;
  lavdm_model *model;
  lavdm_plan_t plan = {0};
  lavdm_operator_t *op;
  lavdm_orientation verdict = {0};
  double signs[N];
  refused(lavdm_fit(&data, &o, NULL, &e), BAD, &e, "no place for the model");
  refused(lavdm_fit(NULL, &o, &model, &e), BAD, &e, "missing");
  refused(lavdm_fit(&data, NULL, &model, &e), BAD, &e, "missing");
  assert_int_equal(lavdm_fit(NULL, NULL, &model, NULL), BAD);
  assert_null(model);
  refused(lavdm_plan(NULL, &o, &plan, &e), BAD, &e, "missing");
  refused(lavdm_plan(&data, NULL, &plan, &e), BAD, &e, "missing");
  refused(lavdm_plan(&data, &o, NULL, &e), BAD, &e, "missing");
  refused(lavdm_operator(&data, &o, NULL, &e), BAD, &e, "no place for the operator");
  refused(lavdm_operator(NULL, &o, &op, &e), BAD, &e, "missing");
  refused(lavdm_operator(&data, NULL, &op, &e), BAD, &e, "missing");
  assert_int_equal(lavdm_operator(NULL, &o, &op, NULL), BAD);
  assert_null(op);
  lavdm_operator_free(NULL);
  refused(lavdm_orient(NULL, &o, &verdict, signs, NULL, &e), BAD, &e, "missing");
  refused(lavdm_orient(&data, NULL, &verdict, signs, NULL, &e), BAD, &e, "missing");
  refused(lavdm_orient(&data, &o, NULL, signs, NULL, &e), BAD, &e, "missing");
  refused(lavdm_orient(&data, &o, &verdict, NULL, &model, &e), BAD, &e, "missing");
  assert_null(model);
  data.points = NULL, data.read = read_rows, data.read_user = x;
  refused(lavdm_orient(&data, &o, &verdict, signs, NULL, &e), BAD, &e, "points in memory");
  int64_t ends[] = {0, 1};
  lavdm_edges edges = {.count = 1, .row = ends, .col = ends + 1};
  data = (lavdm_data){.edges = &edges};
  refused(lavdm_orient(&data, &o, &verdict, signs, NULL, &e), BAD, &e, "not from edges");
}

static void neighbours_of_none(void **state) {
  (void)state;
  lavdm_data data = points();
  lavdm_options o = tangents(LAVDM_METHOD_LAVDM);
  lavdm_model *model;
  lavdm_error e;
  o.frame_knn = N;
  refused(lavdm_fit(&data, &o, &model, &e), BAD, &e, "frame_knn is 200");
}

static void covers(void **state) {
  (void)state;
  lavdm_data data = points(), other = data;
  lavdm_options o = tangents(LAVDM_METHOD_LAVDM);
  lavdm_error e;
  static double out[2 * N * 3];
  lavdm_model *tangent = fit_or_fail(&data, &o);
  refused(lavdm_cover(&data, tangent, NULL, 1, 2, out, NULL, NULL, &e), BAD, &e, "orientation bundle");
  lavdm_free(tangent);
  o.bundle = LAVDM_BUNDLE_ORIENTATION;
  lavdm_model *model = fit_or_fail(&data, &o);
  refused(lavdm_cover(NULL, model, NULL, 1, 2, out, NULL, NULL, &e), BAD, &e, "missing");
  refused(lavdm_cover(&data, NULL, NULL, 1, 2, out, NULL, NULL, &e), BAD, &e, "missing");
  refused(lavdm_cover(&data, model, NULL, 1, 2, NULL, NULL, NULL, &e), BAD, &e, "missing");
  other.n = N - 1,
  refused(lavdm_cover(&other, model, NULL, 1, 2, out, NULL, NULL, &e), BAD, &e, "200 points");
  other = data, other.p = 2;
  refused(lavdm_cover(&other, model, NULL, 1, 2, out, NULL, NULL, &e), BAD, &e, "3 coordinates");
  const double times[] = {-1, NAN, INFINITY};
  for (int k = 0; k < 3; k++)
    refused(lavdm_cover(&data, model, NULL, times[k], 2, out, NULL, NULL, &e), BAD, &e, "time is");
  refused(lavdm_cover(&data, model, NULL, 1, 0, out, NULL, NULL, &e), BAD, &e, "rank is 0");
  refused(lavdm_cover(&data, model, NULL, 1, 1 << 20, out, NULL, NULL, &e), BAD, &e, "rank is 1048576");
  lavdm_free(model);
}

/* A torus of floats by columns is as orientable as one of doubles by rows, with the same signs. */
static void clothes(void **state) {
  (void)state;
  static float columns[P * N];
  static double rounded[N * P];
  for (int i = 0; i < N * P; i++) columns[i % P * N + i / P] = (float)x[i], rounded[i] = (float)x[i];
  lavdm_data rows = {.points = rounded, .n = N, .p = P},
             turned = {
                 .points = columns, .type = LAVDM_F32, .n = N, .p = P, .row_stride = 1, .col_stride = N};
  const lavdm_method asked[] = {LAVDM_METHOD_VDM, LAVDM_METHOD_DM, LAVDM_METHOD_LAVDM, LAVDM_METHOD_ROSELAND,
                                LAVDM_METHOD_NYSTROM};
  lavdm_orientation verdict[5] = {{0}};
  static double signs[5][N];
  lavdm_error e;
  for (int k = 0; k < 5; k++) {
    lavdm_options o = tangents(asked[k]);
    if (lavdm_orient(k % 2 ? &turned : &rows, &o, &verdict[k], signs[k], NULL, &e) < 0)
      fail_msg("%s", e.message);
    assert_int_equal(verdict[k].orientable, 1);
    int like = k < 2 ? 0 : 2; /* dm is asked as vdm, the others as lavdm */
    assert_memory_equal(signs[k], signs[like], sizeof signs[k]);
    assert_true(verdict[k].confidence == verdict[like].confidence);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_given),
      cmocka_unit_test(neighbours_of_none),
      cmocka_unit_test(covers),
      cmocka_unit_test(clothes),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
