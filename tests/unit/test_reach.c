/*
 * Points that are equal, far apart, out of reach or alone; landmarks that the
 * user gives; bandwidths far from any sensible one.
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

#define ALL_METHODS(m) for (lavdm_method m = LAVDM_METHOD_DM; m <= LAVDM_METHOD_LAVDM; m++)

static bool has_landmarks(lavdm_method method) {
  return method == LAVDM_METHOD_ROSELAND || method == LAVDM_METHOD_LAVDM;
}

static bool has_frames(lavdm_method method) {
  return method == LAVDM_METHOD_VDM || method == LAVDM_METHOD_LAVDM;
}

static lavdm_options defaults(lavdm_method method) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method;
  o.components = 6;
  o.threads = 1;
  o.pca = 0;
  return o;
}

/* n points of a sphere in the first three of p coordinates, a little noise in the others. */
static double *sphere(int64_t n, int64_t p, uint64_t seed) {
  double *x = numbers(n * p), *s = numbers(n * 3);
  assert_int_equal(lavdm_sample("sphere", n, 0, NULL, 0, seed, s, NULL, NULL, NULL), 0);
  fill_normal(x, n * p, seed);
  for (int64_t i = 0; i < n * p; i++) x[i] = i % p < 3 ? s[i / p * 3 + i % p] : 0.01 * x[i];
  free(s);
  return x;
}

static bool warned(const lavdm_model *model, const char *words) {
  for (int i = 0; i < lavdm_info(model)->warnings; i++)
    if (strstr(lavdm_info(model)->warning[i], words)) return true;
  return false;
}

static void equal_values(const lavdm_model *a, const lavdm_model *b, double tolerance) {
  for (int64_t l = 0; l < lavdm_info(a)->chosen->components; l++)
    assert_true(fabs(lavdm_info(a)->eigenvalues[l] - lavdm_info(b)->eigenvalues[l]) < tolerance);
}

/* Distances of the first n points over r components, relative to the largest. On
 * an oriented surface eigenvalues come in pairs: r is even. */
static void equal_distances(const lavdm_model *a, const lavdm_model *b, int64_t n, int64_t r,
                            double tolerance) {
  double scale = 0, worst = 0;
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < i; j++) {
      double x = model_distance(a, i, j, 1, r), y = model_distance(b, i, j, 1, r);
      scale = fmax(scale, x), worst = fmax(worst, fabs(x - y));
    }
  assert_true(scale > 0 && worst < tolerance * scale);
}

static int refused(const lavdm_data *data, const lavdm_options *o, const char *words) {
  lavdm_model *model;
  lavdm_error error = {0};
  int status = lavdm_fit(data, o, &model, &error);
  assert_null(model);
  if (!strstr(error.message, words)) fail_msg("'%s' lacks '%s'", error.message, words);
  return status;
}

static void test_equal_points(void **state) {
  (void)state;
  double x[40 * 2];
  for (int i = 0; i < 80; i++) x[i] = 1.0 / 3;
  lavdm_data data = {.points = x, .n = 40, .p = 2};
  ALL_METHODS(method) {
    lavdm_options o = defaults(method);
    assert_int_equal(refused(&data, &o, "equal"), LAVDM_ERROR_DATA);
    o.epsilon = 1; /* all would be joined with weight 1, and no two told apart */
    assert_int_equal(refused(&data, &o, "equal"), LAVDM_ERROR_DATA);
  }
}

/* Copies of a point are at distance 0, and constant columns change nothing. */
static void test_duplicates_and_constants(void **state) {
  (void)state;
  enum { N = 60 };
  double *s = sphere(N, 3, 5), x[2 * N * 3], wide[N * 5], z[15 * 3], wide_z[15 * 5];
  for (int i = 0; i < 2 * N * 3; i++) x[i] = s[i % (N * 3)];
  for (int i = 0; i < N * 5; i++) wide[i] = i % 5 == 1 ? 0 : i % 5 == 3 ? -77.7 : s[i / 5 * 3 + (i % 5) / 2];
  for (int k = 0; k < 15; k++) memcpy(z + 3 * k, s + 12 * k, 24), memcpy(wide_z + 5 * k, wide + 20 * k, 40);
  ALL_METHODS(method) {
    lavdm_options o = defaults(method);
    lavdm_data twice = {.points = x, .n = 2 * N, .p = 3};
    lavdm_model *model = fit_or_fail(&twice, &o);
    for (int64_t i = 0; i < N && !has_frames(method); i++)
      assert_true(model_distance(model, i, i + N, 1, 6) < 1e-10 * model_distance(model, 0, 1, 1, 6));
    lavdm_free(model);
    lavdm_data narrow = {.points = s, .n = N, .p = 3}, constant = {.points = wide, .n = N, .p = 5};
    if (has_landmarks(method)) {
      narrow.landmark_points = z, constant.landmark_points = wide_z;
      narrow.landmark_count = constant.landmark_count = 15;
    }
    lavdm_model *a = fit_or_fail(&narrow, &o), *b = fit_or_fail(&constant, &o);
    assert_int_equal(lavdm_info(a)->chosen->dim, lavdm_info(b)->chosen->dim);
    equal_values(a, b, 1e-10);
    lavdm_free(a), lavdm_free(b);
  }
  free(s);
}

/* Too small to reach anything is an error that says so; too large joins everything alike. */
static void test_absurd_bandwidth(void **state) {
  (void)state;
  const double tiny[] = {1e-280, 1e-100, 1e-12}, huge[] = {1e8, 1e100, 1e280};
  for (int64_t p = 3; p <= 20; p += 17) {
    double *x = sphere(60, p, 6);
    lavdm_data data = {.points = x, .n = 60, .p = p};
    ALL_METHODS(method) for (int k = 0; k < 3; k++) {
      lavdm_options o = defaults(method);
      o.dim = has_frames(method) ? 2 : LAVDM_AUTO;
      o.epsilon = tiny[k];
      assert_int_equal(refused(&data, &o, "epsilon"), LAVDM_ERROR_DATA);
      o.epsilon = huge[k];
      lavdm_model *model = fit_or_fail(&data, &o);
      const double *lambda = lavdm_info(model)->eigenvalues;
      assert_true(lambda[0] <= 1 + 1e-12);
      if (!has_frames(method)) assert_true(fabs(lambda[0] - 1) < 1e-12 && fabs(lambda[1]) < 1e-6);
      lavdm_free(model);
    }
    free(x);
  }
}

static void test_two_clusters(void **state) {
  (void)state;
  double *x = sphere(90, 3, 7);
  for (int64_t i = 0; i < 90; i++) x[i * 3] += i % 3 ? 1000 : 0; /* 60 of them over there */
  lavdm_data data = {.points = x, .n = 90, .p = 3};
  ALL_METHODS(method) {
    lavdm_options o = defaults(method);
    o.epsilon = 0.6, o.dim = has_frames(method) ? 2 : LAVDM_AUTO;
    lavdm_model *model;
    assert_int_equal(lavdm_fit(&data, &o, &model, NULL), LAVDM_WARNING);
    assert_true(warned(model, "2 components"));
    assert_int_equal(lavdm_info(model)->graph_components, 2);
    assert_int_equal(lavdm_info(model)->isolated, 0);
    const int64_t *label = lavdm_get(model, "graph_component")->data;
    for (int64_t i = 0; i < 90; i++) assert_int_equal(label[i], i % 3 ? 0 : 1);
    const double *lambda = lavdm_info(model)->eigenvalues;
    if (!has_frames(method)) assert_true(fabs(lambda[1] - 1) < 1e-12 && lambda[2] < 0.99);
    lavdm_free(model);
  }
  free(x);
}

/* A point away from all others is named, carries zeros, and changes nothing for them. */
static void test_isolated_point(void **state) {
  (void)state;
  enum { N = 100 };
  const double away[] = {50, 1e4, 1e8};
  for (int64_t p = 3; p <= 20; p += 17)
    for (int k = 0; k < 3; k++) {
      double *x = sphere(N + 1, p, 8), z[25 * 20];
      for (int64_t j = 0; j < p; j++) x[N * p + j] = z[24 * p + j] = away[k];
      for (int64_t i = 0; i < 24; i++) memcpy(z + i * p, x + 4 * i * p, (size_t)p * sizeof *z);
      ALL_METHODS(method) {
        lavdm_options o = defaults(method);
        o.epsilon = 0.5, o.knn = 12, o.dim = has_frames(method) ? 2 : LAVDM_AUTO;
        o.beta = 0.5, o.components = 10;
        lavdm_data data = {.points = x, .n = N + 1, .p = p}, without = {.points = x, .n = N, .p = p};
        if (has_landmarks(method)) {
          data.landmark_points = without.landmark_points = z;
          data.landmark_count = 24 + (k == 1),
          without.landmark_count = 24; /* a landmark of its own is no company */
        }
        lavdm_model *model, *reference = fit_or_fail(&without, &o);
        assert_int_equal(lavdm_fit(&data, &o, &model, NULL), LAVDM_WARNING);
        const lavdm_info_t *info = lavdm_info(model);
        assert_true(warned(model, "row 101"));
        assert_int_equal(info->isolated, 1);
        assert_int_equal(info->isolated_index[0], N);
        assert_int_equal(info->graph_components, 1);
        assert_int_equal(info->far_points, 0); /* it was joined to nothing */
        const double *u = lavdm_get(model, "eigenvectors")->data, *degree = lavdm_get(model, "degrees")->data;
        assert_true(degree[N] == 0);
        for (int64_t i = 0; i < info->q * 10; i++) assert_true(u[N * info->q * 10 + i] == 0);
        equal_values(model, reference, 1e-10);
        equal_distances(model, reference, N, 8, 1e-8);
        lavdm_free(model), lavdm_free(reference);
      }
      free(x);
    }
}

/* Points beyond the cut-off keep their four nearest landmarks, with the kernel's weights. */
static void test_far_points(void **state) {
  (void)state;
  enum { N = 60, M = 14 };
  for (int64_t p = 3; p <= 20; p += 17) {
    double *x = sphere(N, p, 9), z[M * 20];
    unsigned char linked[N * M] = {0};
    int64_t far = 0;
    for (int64_t i = 0; i < 3; i++) x[i * p] += 3 + (double)i;
    for (int64_t k = 0; k < M; k++) memcpy(z + k * p, x + (4 * k + 3) * p, (size_t)p * sizeof *z);
    for (int64_t i = 0; i < N; i++) {
      double d2[M];
      int64_t reached = 0;
      for (int64_t k = 0; k < M; k++) {
        d2[k] = 0;
        for (int64_t j = 0; j < p; j++) d2[k] += pow(x[i * p + j] - z[k * p + j], 2);
        reached += linked[i * M + k] = d2[k] <= 1.2 * 1.2 * 0.5;
      }
      far += !reached;
      for (int64_t k = 0; k < M && !reached; k++) {
        int64_t closer = 0;
        for (int64_t l = 0; l < M; l++) closer += d2[l] < d2[k];
        linked[i * M + k] = closer < 4;
      }
    }
    assert_true(far >= 3);
    lavdm_data data = {.points = x, .n = N, .p = p, .landmark_points = z, .landmark_count = M};
    lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
    o.bundle = LAVDM_BUNDLE_TRIVIAL;
    o.epsilon = 0.5, o.cutoff = 1.2, o.alpha = 0.5, o.beta = 0;
    lavdm_model *model;
    assert_int_equal(lavdm_fit(&data, &o, &model, NULL), LAVDM_WARNING);
    assert_int_equal(lavdm_info(model)->far_points, far);
    assert_true(warned(model, "nearest"));
    oracle_problem problem = {.n = N, .m = M, .p = p, .d = 1, .q = 1, .x = x, .z = z, .linked = linked};
    problem.bundle = LAVDM_BUNDLE_TRIVIAL, problem.epsilon = 0.5, problem.radius = INFINITY,
    problem.alpha = 0.5;
    oracle_result truth = oracle_landmarks(&problem);
    const double *degree = lavdm_get(model, "degrees")->data;
    for (int64_t l = 0; l < 6; l++)
      assert_true(fabs(lavdm_info(model)->eigenvalues[l] - truth.values[l]) < 1e-11);
    for (int64_t i = 0; i < N; i++) assert_true(fabs(degree[i] / truth.degree[i] - 1) < 1e-11);
    oracle_free(&truth);
    lavdm_free(model);
    free(x);
  }
}

static void test_given_landmarks(void **state) {
  (void)state;
  enum { N = 60, M = 16 };
  double *x = sphere(N, 3, 10), z[(M + 1) * 3], *more = sphere(3 * N, 3, 11);
  int64_t index[M];
  for (int64_t k = 0; k < M; k++) index[k] = (7 * k) % N, memcpy(z + 3 * k, x + 3 * index[k], 24);
  for (int j = 0; j < 3; j++) z[3 * M + j] = 1e6; /* a landmark that nothing reaches */
  for (int64_t i = 0; i < 9 * N; i++) more[i] *= 1.01;
  for (lavdm_method method = LAVDM_METHOD_ROSELAND; method <= LAVDM_METHOD_LAVDM; method++) {
    lavdm_options o = defaults(method);
    o.epsilon = 0.5, o.dim = has_frames(method) ? 2 : LAVDM_AUTO;
    lavdm_data rows = {.points = x, .n = N, .p = 3, .landmark_index = index, .landmark_count = M};
    lavdm_data places = {.points = x, .n = N, .p = 3, .landmark_points = z, .landmark_count = M};
    lavdm_model *a = fit_or_fail(&rows, &o), *b = fit_or_fail(&places, &o);
    assert_int_equal(lavdm_info(a)->m, M);
    assert_int_equal(lavdm_info(a)->chosen->design, LAVDM_DESIGN_GIVEN);
    assert_memory_equal(lavdm_get(a, "landmark_index")->data, index, sizeof index);
    assert_memory_equal(lavdm_get(a, "landmarks")->data, z, sizeof index * 3);
    assert_null(lavdm_get(b, "landmark_index"));
    equal_values(a, b, 1e-11);
    equal_distances(a, b, N, 6, 1e-7);
    places.landmark_count = M + 1;
    lavdm_model *c = fit_or_fail(&places, &o);
    equal_values(b, c, 1e-12);
    lavdm_free(a), lavdm_free(b), lavdm_free(c);
    places.landmark_points = more, places.landmark_count = 3 * N; /* more landmarks than points */
    a = fit_or_fail(&places, &o);
    assert_int_equal(lavdm_info(a)->m, 3 * N);
    assert_true(lavdm_info(a)->eigenvalues[0] <= 1 + 1e-12);
    lavdm_free(a);
    o.landmarks = M - 1;
    assert_int_equal(refused(&rows, &o, "landmarks"), LAVDM_ERROR_ARGUMENT);
    o.landmarks = LAVDM_AUTO, index[4] = N;
    assert_int_equal(refused(&rows, &o, "landmark 5"), LAVDM_ERROR_DATA);
    index[4] = -1;
    assert_int_equal(refused(&rows, &o, "landmark 5"), LAVDM_ERROR_DATA);
    index[4] = 28, rows.landmark_count = 0;
    assert_int_equal(refused(&rows, &o, "no landmarks"), LAVDM_ERROR_ARGUMENT);
    rows.landmark_index = NULL, o.design = LAVDM_DESIGN_GIVEN;
    assert_int_equal(refused(&rows, &o, "no landmarks"), LAVDM_ERROR_ARGUMENT);
  }
  free(x), free(more);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equal_points),     cmocka_unit_test(test_duplicates_and_constants),
      cmocka_unit_test(test_absurd_bandwidth), cmocka_unit_test(test_two_clusters),
      cmocka_unit_test(test_isolated_point),   cmocka_unit_test(test_far_points),
      cmocka_unit_test(test_given_landmarks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
