/*
 * bandwidth=local against the formulas as they read (operator/local.h), with dense matrices: weights,
 * densities, degrees and the operator; what it cannot go with is refused.
 */
#include "compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { N = 250 };

/* Points of a sheet that lie closer and closer together. */
static double *uneven(void) {
  double *x = sheet(N, 3, 2, 5);
  for (int64_t i = 0; i < N; i++) x[3 * i] *= fabs(x[3 * i]);
  return x;
}

static lavdm_options local(lavdm_method method, lavdm_edge_rule edges) {
  lavdm_options o = oracle_options(method);
  o.bandwidth = LAVDM_BANDWIDTH_LOCAL, o.edges = edges, o.dim = 2, o.knn = 9, o.components = 4;
  return o;
}

static double distance2(const double *x, int64_t i, int64_t k) {
  double sum = 0;
  for (int j = 0; j < 3; j++) sum += pow(x[3 * i + j] - x[3 * k + j], 2);
  return sum;
}

static int ascending(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* reach (N): distance to the k-th neighbour; rho (N); returns the least rho^2. */
static double widths(const double *x, int64_t k, double *reach, double *rho) {
  double d[N], logs = 0, least = INFINITY;
  for (int64_t i = 0; i < N; i++) {
    for (int64_t l = 0; l < N; l++) d[l] = sqrt(distance2(x, i, l));
    qsort(d, N, sizeof *d, ascending);
    reach[i] = d[k];
    logs += log(reach[i]) / N;
  }
  for (int64_t i = 0; i < N; i++) rho[i] = reach[i] / exp(logs), least = fmin(least, rho[i] * rho[i]);
  return least;
}

/* w (N x N): the weights. */
static void weigh(const double *x, const lavdm_options *o, const double *reach, const double *rho,
                  double *w) {
  for (int64_t i = 0; i < N; i++)
    for (int64_t k = 0; k < N; k++) {
      double d2 = distance2(x, i, k), scaled = d2 / (rho[i] * rho[k]);
      bool joined = o->edges == LAVDM_EDGES_KNN ? sqrt(d2) <= fmax(reach[i], reach[k])
                                                : scaled <= o->cutoff * o->cutoff * o->epsilon;
      w[i * N + k] = joined ? exp(-scaled / o->epsilon) : 0;
    }
}

static void check_near(double a, double b, double scale) {
  if (!(fabs(a - b) <= 1e-10 * scale)) fail_msg("%.17g and %.17g", a, b);
}

/* Scalars alone: blocks of vdm are those times elements. */
static void check_operator(const double *x, lavdm_options o) {
  lavdm_data data = {.points = x, .n = N, .p = 3};
  lavdm_operator_t *op;
  lavdm_error error;
  if (lavdm_operator(&data, &o, &op, &error) < 0) fail_msg("%s", error.message);
  lavdm_model *model = fit_or_fail(&data, &o);
  const double *densities = lavdm_get(model, "densities")->data;
  double *w = numbers(N * N), *t = numbers(N), *density = numbers(N), *degree = numbers(N), reach[N], rho[N];
  double c = widths(x, o.knn, reach, rho), alpha = op->chosen->alpha;
  weigh(x, op->chosen, reach, rho, w);
  for (int64_t i = 0; i < N; i++) t[i] = 1 / rho[i]; /* d = 2 */
  for (int64_t i = 0; i < N; i++)
    for (int64_t k = 0; k < N; k++) density[i] += t[i] * w[i * N + k] * t[k];
  for (int64_t i = 0; i < N; i++) t[i] *= pow(density[i], -alpha) / rho[i];
  for (int64_t i = 0; i < N; i++)
    for (int64_t k = 0; k < N; k++) degree[i] += t[i] * w[i * N + k] * t[k];
  int64_t found = 0;
  for (int64_t i = 0; i < N; i++) {
    check_near(densities[i], density[i], density[i]);
    check_near(op->degree[i], degree[i] * rho[i] * rho[i], op->degree[i]);
    for (int64_t e = op->start[i]; e < op->start[i + 1]; e++) {
      int64_t k = op->col[e];
      double value = c * t[i] * w[i * N + k] * t[k] / (sqrt(degree[i] * degree[k]) * rho[i] * rho[k]);
      check_near(op->block[e], value + (i == k ? 1 - c / (rho[i] * rho[i]) : 0), 1);
    }
    for (int64_t k = 0; k < N; k++) found += w[i * N + k] > 0;
  }
  assert_int_equal(op->blocks, found);
  check_near(lavdm_info(model)->eigenvalues[0], 1, 1); /* a diffusion: constants stay */
  const double *u = lavdm_get(model, "eigenvectors")->data;
  for (int64_t i = 1; i < N; i++) check_near(u[i * o.components], u[0], 1e3 * fabs(u[0]));
  free(w), free(t), free(density), free(degree);
  lavdm_operator_free(op);
  lavdm_free(model);
}

static void test_operator(void **state) {
  (void)state;
  double *x = uneven();
  for (int edges = LAVDM_EDGES_BALL; edges <= LAVDM_EDGES_COMPLETE; edges++)
    for (int engine = LAVDM_ENGINE_CPU; engine <= LAVDM_ENGINE_REFERENCE; engine++)
      for (int half = 0; half <= 2; half++) {
        lavdm_options o = local(LAVDM_METHOD_DM, (lavdm_edge_rule)edges);
        o.engine = (lavdm_engine)engine, o.alpha = 0.5 * half;
        check_operator(x, o);
      }
  free(x);
}

/* A model that was saved is applied to new points as the one in memory, by either engine. */
static void test_file(void **state) {
  (void)state;
  enum { NEW = 50 };
  double *x = uneven(), *y = sheet(NEW, 3, 2, 7);
  lavdm_data data = {.points = x, .n = N, .p = 3}, fresh = {.points = y, .n = NEW, .p = 3};
  lavdm_options o = local(LAVDM_METHOD_VDM, LAVDM_EDGES_BALL);
  lavdm_error error;
  char path[] = "/tmp/lavdm_local_XXXXXX";
  close(mkstemp(path));
  lavdm_model *model = fit_or_fail(&data, &o), *loaded, *made[3];
  assert_int_equal(lavdm_save(model, path, 0, &error), 0);
  assert_int_equal(lavdm_load(path, &loaded, &error), 0);
  assert_true(lavdm_extend(model, &fresh, NULL, NULL, &made[0], &error) >= 0);
  assert_true(lavdm_extend(loaded, &fresh, NULL, NULL, &made[1], &error) >= 0);
  o.engine = LAVDM_ENGINE_REFERENCE;
  assert_true(lavdm_extend(loaded, &fresh, NULL, &o, &made[2], &error) >= 0);
  const double *u = lavdm_get(made[0], "eigenvectors")->data, *v = lavdm_get(made[1], "eigenvectors")->data;
  const double *degree = lavdm_get(made[0], "degrees")->data, *other = lavdm_get(made[2], "degrees")->data;
  assert_memory_equal(u, v, (size_t)(NEW * 2 * o.components) * sizeof(double));
  for (int64_t i = 0; i < NEW; i++) check_near(degree[i], other[i], degree[0]);
  for (int i = 0; i < 3; i++) lavdm_free(made[i]);
  lavdm_free(loaded), lavdm_free(model);
  unlink(path);
  free(x), free(y);
}

/* Copies of a point are one place, whose bandwidth is that of the point alone. */
static void test_copies(void **state) {
  (void)state;
  double *x = uneven();
  lavdm_data data = {.points = x + 3 * 29, .n = N - 29, .p = 3};
  lavdm_options o = local(LAVDM_METHOD_DM, LAVDM_EDGES_BALL);
  lavdm_model *alone = fit_or_fail(&data, &o);
  const double *before = lavdm_get(alone, "knn_distances")->data;
  for (int64_t i = 0; i < 29; i++) memcpy(x + 3 * i, x + 3 * 29, 3 * sizeof *x);
  data.points = x, data.n = N;
  o.knn = lavdm_info(alone)->chosen->knn;
  lavdm_model *model = fit_or_fail(&data, &o);
  const double *reach = lavdm_get(model, "knn_distances")->data, *degree = lavdm_get(model, "degrees")->data;
  for (int64_t i = 0; i < N; i++) assert_true(reach[i] == before[i < 29 ? 0 : i - 29]);
  for (int64_t i = 0; i < N; i++) assert_true(isfinite(degree[i]) && degree[i] > 0);
  lavdm_free(model);
  lavdm_free(alone);
  for (int64_t i = 1; i < N; i++) memcpy(x + 3 * i, x, 3 * sizeof *x);
  lavdm_error error;
  o.epsilon = 1;
  assert_int_equal(lavdm_fit(&data, &o, &model, &error), LAVDM_ERROR_DATA);
  assert_non_null(strstr(error.message, "all"));
  free(x);
}

static double hollow(double t, void *user) {
  (void)user;
  return t > 0 && t < 1 ? t * (1 - t) : 0;
}

static void refused(const lavdm_data *data, const lavdm_options *o, const char *why) {
  lavdm_model *model;
  lavdm_error error;
  assert_int_equal(lavdm_fit(data, o, &model, &error), LAVDM_ERROR_ARGUMENT);
  assert_null(model);
  if (!strstr(error.message, why)) fail_msg("%s", error.message);
}

static void test_refusals(void **state) {
  (void)state;
  double *x = uneven();
  lavdm_data data = {.points = x, .n = N, .p = 3};
  lavdm_options o;
  for (int method = LAVDM_METHOD_ROSELAND; method <= LAVDM_METHOD_NYSTROM; method++) {
    o = local((lavdm_method)method, LAVDM_EDGES_AUTO);
    refused(&data, &o, "landmarks");
  }
  o = local(LAVDM_METHOD_DM, LAVDM_EDGES_BALL);
  o.normalise = LAVDM_NORMALISE_SINKHORN;
  refused(&data, &o, "sinkhorn");
  o = local(LAVDM_METHOD_VDM, LAVDM_EDGES_BALL);
  o.bundle = LAVDM_BUNDLE_SHIFT;
  refused(&data, &o, "signals");
  for (int engine = LAVDM_ENGINE_CPU; engine <= LAVDM_ENGINE_REFERENCE; engine++) {
    o = local(LAVDM_METHOD_DM, LAVDM_EDGES_BALL);
    o.kernel = LAVDM_KERNEL_CALLBACK, o.kernel_function = hollow, o.engine = (lavdm_engine)engine;
    refused(&data, &o, "distance 0");
  }
  const int64_t row[] = {0, 1, 2}, col[] = {1, 2, 0};
  lavdm_edges edges = {.row = row, .col = col, .count = 3};
  lavdm_data given = {.edges = &edges};
  o = local(LAVDM_METHOD_DM, LAVDM_EDGES_AUTO);
  o.components = 2;
  refused(&given, &o, "edges of your own");
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_operator),
      cmocka_unit_test(test_file),
      cmocka_unit_test(test_copies),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
