/*
 * normalise=sinkhorn: N = d W d without diagonal, every row of which sums to 1; graphs that have no such d
 * are refused with a sentence, and so is what it cannot go with.
 */
#include "compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static lavdm_options balanced(lavdm_method method) {
  lavdm_options o = oracle_options(method);
  o.normalise = LAVDM_NORMALISE_SINKHORN, o.dim = 2, o.components = 4;
  return o;
}

static lavdm_operator_t *operator_or_fail(const lavdm_data *data, const lavdm_options *o) {
  lavdm_operator_t *op;
  lavdm_error error;
  if (lavdm_operator(data, o, &op, &error) < 0) fail_msg("%s", error.message);
  return op;
}

/* The length of a block, which is a weight times an orthogonal matrix. */
static double length_of(const lavdm_operator_t *op, int64_t e) {
  double square = 0;
  for (int64_t k = 0; k < op->q * op->q; k++) square += pow(op->block[e * op->q * op->q + k], 2);
  return sqrt(square / (double)op->q);
}

static void check_sums(const lavdm_operator_t *op, double tolerance) {
  for (int64_t i = 0; i < op->n; i++) {
    double sum = 0;
    for (int64_t e = op->start[i]; e < op->start[i + 1]; e++) {
      assert_true(op->col[e] != i);
      sum += length_of(op, e);
    }
    assert_true(op->degree[i] == 1);
    assert_true(fabs(sum - 1) < tolerance);
  }
}

/* N_ik is the weight of the pair over the densities of both. */
static void check_weights(const lavdm_model *model, const lavdm_operator_t *op, const double *x, int64_t p) {
  const double *density = lavdm_get(model, "densities")->data;
  for (int64_t i = 0; i < op->n; i++)
    for (int64_t e = op->start[i]; e < op->start[i + 1]; e++) {
      double d2 = 0;
      for (int64_t j = 0; j < p; j++) d2 += pow(x[i * p + j] - x[op->col[e] * p + j], 2);
      double w = exp(-d2 / op->chosen->epsilon) / (density[i] * density[op->col[e]]);
      assert_true(fabs(length_of(op, e) / w - 1) < 1e-10);
    }
}

static void test_sums(void **state) {
  (void)state;
  enum { N = 300 };
  double *x = sheet(N, 3, 2, 5);
  lavdm_data data = {.points = x, .n = N, .p = 3};
  for (int method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_VDM; method++)
    for (int edges = LAVDM_EDGES_BALL; edges <= LAVDM_EDGES_COMPLETE; edges++)
      for (int engine = LAVDM_ENGINE_CPU; engine <= LAVDM_ENGINE_REFERENCE; engine++) {
        lavdm_options o = balanced((lavdm_method)method);
        o.edges = (lavdm_edge_rule)edges, o.engine = (lavdm_engine)engine;
        lavdm_model *model = fit_or_fail(&data, &o);
        lavdm_operator_t *op = operator_or_fail(&data, &o);
        assert_true(lavdm_info(model)->chosen->alpha == 0);
        if (method == LAVDM_METHOD_DM) assert_true(fabs(lavdm_info(model)->eigenvalues[0] - 1) < 1e-11);
        check_sums(op, 1e-11);
        check_weights(model, op, x, 3);
        lavdm_operator_free(op);
        lavdm_free(model);
        if (engine == LAVDM_ENGINE_REFERENCE) continue;
        o.precision = LAVDM_PRECISION_SINGLE;
        op = operator_or_fail(&data, &o);
        check_sums(op, 1e-6);
        lavdm_operator_free(op);
      }
  free(x);
}

/* One that nothing reaches is isolated, as it always is. */
static void test_isolated(void **state) {
  (void)state;
  enum { N = 200 };
  double *x = sheet(N, 3, 2, 6);
  x[3 * 7] = 1e6;
  lavdm_data data = {.points = x, .n = N, .p = 3};
  lavdm_options o = balanced(LAVDM_METHOD_VDM);
  lavdm_model *model = fit_or_fail(&data, &o);
  const double *degree = lavdm_get(model, "degrees")->data, *u = lavdm_get(model, "eigenvectors")->data;
  assert_int_equal(lavdm_info(model)->isolated, 1);
  assert_int_equal(lavdm_info(model)->isolated_index[0], 7);
  assert_true(degree[7] == 0 && degree[8] == 1 && u[7 * 8] == 0);
  lavdm_free(model);
  free(x);
}

/* A model that was saved is applied to new points as the one in memory. */
static void test_file(void **state) {
  (void)state;
  enum { N = 300, NEW = 50 };
  double *x = sheet(N, 3, 2, 5), *y = sheet(NEW, 3, 2, 7);
  lavdm_data data = {.points = x, .n = N, .p = 3}, fresh = {.points = y, .n = NEW, .p = 3};
  lavdm_options o = balanced(LAVDM_METHOD_VDM);
  lavdm_error error;
  char path[] = "/tmp/lavdm_balance_XXXXXX";
  close(mkstemp(path));
  lavdm_model *model = fit_or_fail(&data, &o), *loaded, *made[2];
  assert_int_equal(lavdm_save(model, path, 0, &error), 0);
  assert_int_equal(lavdm_load(path, &loaded, &error), 0);
  assert_int_equal(lavdm_info(loaded)->chosen->normalise, LAVDM_NORMALISE_SINKHORN);
  assert_true(lavdm_extend(model, &fresh, NULL, NULL, &made[0], &error) >= 0);
  assert_true(lavdm_extend(loaded, &fresh, NULL, NULL, &made[1], &error) >= 0);
  const lavdm_array *u = lavdm_get(made[0], "eigenvectors"), *v = lavdm_get(made[1], "eigenvectors");
  assert_memory_equal(u->data, v->data, (size_t)(NEW * 2 * o.components) * sizeof(double));
  const double *degree = lavdm_get(made[0], "degrees")->data;
  for (int64_t i = 0; i < NEW; i++) assert_true(degree[i] == 0 || fabs(degree[i] - 1) < 1e-12);
  lavdm_free(made[0]), lavdm_free(made[1]), lavdm_free(loaded), lavdm_free(model);
  unlink(path);
  free(x), free(y);
}

/* ------------------------------------------------------------- given edges */

static const int64_t ring_row[] = {0, 1, 2, 3, 4, 0, 2, 3}, ring_col[] = {1, 2, 3, 4, 0, 2, 2, 3};
static const double ring_weight[] = {1, 2, 1, 3, 1, 2, 5, 1e6};

/* Loops, which are the last two, change nothing. */
static void test_loops(void **state) {
  (void)state;
  for (int engine = LAVDM_ENGINE_CPU; engine <= LAVDM_ENGINE_REFERENCE; engine++) {
    double values[2][4];
    for (int loops = 0; loops <= 1; loops++) {
      lavdm_edges edges = {.row = ring_row, .col = ring_col, .weight = ring_weight, .count = 6 + 2 * loops};
      lavdm_data data = {.edges = &edges};
      lavdm_options o = balanced(LAVDM_METHOD_DM);
      o.dim = LAVDM_AUTO, o.engine = (lavdm_engine)engine;
      lavdm_model *model = fit_or_fail(&data, &o);
      lavdm_operator_t *op = operator_or_fail(&data, &o);
      assert_int_equal(op->blocks, 12);
      assert_int_equal(lavdm_info(model)->edges, 12);
      check_sums(op, 1e-11);
      memcpy(values[loops], lavdm_info(model)->eigenvalues, sizeof values[loops]);
      lavdm_operator_free(op);
      lavdm_free(model);
    }
    for (int l = 0; l < 4; l++) assert_true(fabs(values[0][l] - values[1][l]) < 1e-12);
    assert_true(fabs(values[0][0] - 1) < 1e-11);
  }
}

static void refused(const lavdm_data *data, const lavdm_options *o, int status, const char *why) {
  lavdm_model *model;
  lavdm_error error;
  assert_int_equal(lavdm_fit(data, o, &model, &error), status);
  assert_null(model);
  if (!strstr(error.message, why)) fail_msg("%s", error.message);
}

/* The end of a path has one neighbour, which cannot be its alone; a star is worse. */
static void test_hanging(void **state) {
  (void)state;
  const int64_t path_row[] = {0, 1, 2}, path_col[] = {1, 2, 3}, star_col[] = {5, 6, 7},
                star_row[] = {0, 0, 0};
  for (int engine = LAVDM_ENGINE_CPU; engine <= LAVDM_ENGINE_REFERENCE; engine++)
    for (int star = 0; star <= 1; star++) {
      lavdm_edges edges = {.row = star ? star_row : path_row, .col = star ? star_col : path_col, .count = 3};
      lavdm_data data = {.edges = &edges};
      lavdm_options o = oracle_options(LAVDM_METHOD_DM);
      o.components = 2, o.engine = (lavdm_engine)engine;
      lavdm_free(fit_or_fail(&data, &o));
      o.normalise = LAVDM_NORMALISE_SINKHORN;
      refused(&data, &o, LAVDM_ERROR_DATA, "cannot be balanced");
    }
}

static void test_refusals(void **state) {
  (void)state;
  double *x = sheet(100, 9, 2, 5);
  lavdm_data data = {.points = x, .n = 100, .p = 9};
  lavdm_options o = balanced(LAVDM_METHOD_LAVDM);
  refused(&data, &o, LAVDM_ERROR_ARGUMENT, "lavdm");
  o = balanced(LAVDM_METHOD_ROSELAND);
  refused(&data, &o, LAVDM_ERROR_ARGUMENT, "roseland");
  o = balanced(LAVDM_METHOD_DM);
  o.alpha = 0.5;
  refused(&data, &o, LAVDM_ERROR_ARGUMENT, "alpha is 0.5");
  o.alpha = LAVDM_AUTO, o.bundle = LAVDM_BUNDLE_ROTATION;
  refused(&data, &o, LAVDM_ERROR_ARGUMENT, "images");
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sums),  cmocka_unit_test(test_isolated), cmocka_unit_test(test_file),
      cmocka_unit_test(test_loops), cmocka_unit_test(test_hanging),  cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
