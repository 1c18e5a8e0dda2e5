/*
 * The whole pipeline against dense matrices: eigenvalues, degrees and the
 * projectors on leading eigenspaces, over dimensions, bundles, kernels, designs
 * and edge rules. Frames are arbitrary, so the oracle takes the library's.
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

/* n points around a curved d-dimensional sheet in R^p, smooth and generic. */
static double *sheet(int64_t n, int64_t p, int64_t d, uint64_t seed) {
  double *t = numbers(n * d), *a = numbers(d * p), *x = numbers(n * p);
  fill_normal(t, n * d, seed);
  fill_normal(a, d * p, seed + 1);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < p; j++) {
      for (int64_t k = 0; k < d; k++) x[i * p + j] += a[k * p + j] * sin(t[i * d + k] + 0.3 * (double)j);
      x[i * p + j] /= sqrt((double)p);
    }
  free(t), free(a);
  return x;
}

static const double *data_of(const lavdm_model *model, const char *name) {
  const lavdm_array *array = lavdm_get(model, name);
  return array ? array->data : NULL;
}

/* Which pairs the k-NN rule joins, by brute force; ties do not occur. */
static unsigned char *knn_pairs(const double *x, int64_t n, int64_t p, int64_t k) {
  unsigned char *linked = calloc((size_t)(n * n), 1);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) {
      int64_t closer = 0;
      double dij = 0;
      for (int64_t c = 0; c < p; c++) dij += pow(x[i * p + c] - x[j * p + c], 2);
      for (int64_t l = 0; l < n; l++) {
        double dil = 0;
        for (int64_t c = 0; c < p; c++) dil += pow(x[i * p + c] - x[l * p + c], 2);
        closer += l != i && dil < dij;
      }
      if (i == j || closer < k) linked[i * n + j] = linked[j * n + i] = 1;
    }
  return linked;
}

static void compare(const lavdm_model *model, const oracle_result *truth) {
  const lavdm_info_t *info = lavdm_info(model);
  const double *degrees = data_of(model, "degrees");
  int64_t r = info->chosen.components, size = info->n * info->q;
  for (int64_t i = 0; i < info->n; i++)
    assert_true(fabs(degrees[i] - truth->degree[i]) <= 1e-11 * fabs(truth->degree[i]));
  for (int64_t l = 0; l < r; l++) {
    assert_true(fabs(info->eigenvalues[l] - truth->values[l]) < 1e-11);
    assert_true(info->residuals[l] < 1e-8);
  }
  double *u = model_orthonormal(model);
  int compared = 0;
  for (int64_t k = 1; k <= r; k++) {
    if (truth->values[k - 1] - truth->values[k] < 1e-4) continue;
    assert_true(projector_distance(size, k, u, r, truth->vectors, size) < 1e-6);
    compared++;
  }
  assert_true(compared > 0);
  free(u);
}

static void check(const lavdm_options *options, const double *x, int64_t n, int64_t p,
                  const double *landmarks, int64_t count) {
  lavdm_data data = {.points = x, .n = n, .p = p, .landmark_points = landmarks, .landmark_count = count};
  lavdm_model *model = fit_or_fail(&data, options);
  const lavdm_info_t *info = lavdm_info(model);
  const lavdm_options *o = &info->chosen;
  bool square = o->method == LAVDM_METHOD_DM || o->method == LAVDM_METHOD_VDM;
  oracle_problem problem = {.n = n,
                            .m = square ? n : info->m,
                            .p = p,
                            .d = o->dim > 0 ? o->dim : 1,
                            .q = info->q,
                            .x = x,
                            .z = square ? x : data_of(model, "landmarks"),
                            .frames = data_of(model, "frames"),
                            .zframes = data_of(model, square ? "frames" : "landmark_frames"),
                            .bundle = o->bundle,
                            .kernel = o->kernel,
                            .epsilon = o->epsilon,
                            .radius = o->cutoff * sqrt(o->epsilon),
                            .alpha = o->alpha,
                            .beta = o->beta};
  unsigned char *linked = square && o->edges == LAVDM_EDGES_KNN ? knn_pairs(x, n, p, o->knn) : NULL;
  problem.linked = linked;
  assert_int_equal(info->isolated, 0);
  assert_int_equal(info->far_points, 0);
  oracle_result truth = square ? oracle_square(&problem) : oracle_landmarks(&problem);
  compare(model, &truth);
  oracle_free(&truth);
  free(linked);
  lavdm_free(model);
}

static lavdm_options defaults(lavdm_method method) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method;
  o.components = 6;
  o.threads = 2;
  return o;
}

/* p = 1..50, d = q = 1..5 */
static void test_dimensions(void **state) {
  (void)state;
  const int64_t ps[] = {1, 2, 3, 5, 8, 12, 13, 16, 31, 50};
  for (size_t a = 0; a < sizeof ps / sizeof *ps; a++)
    for (int64_t d = 1; d <= 5 && d <= ps[a]; d++) {
      double *x = sheet(45, ps[a], d, (uint64_t)(10 * a) + (uint64_t)d);
      for (int method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++) {
        lavdm_options o = defaults((lavdm_method)method);
        bool plain = method == LAVDM_METHOD_DM || method == LAVDM_METHOD_ROSELAND;
        if (!plain) o.dim = d;
        if (method == LAVDM_METHOD_ROSELAND || method == LAVDM_METHOD_LAVDM) o.landmarks = 15;
        o.epsilon = 1.5;
        check(&o, x, 45, ps[a], NULL, 0);
      }
      free(x);
    }
}

static void test_kernels_and_designs(void **state) {
  (void)state;
  double *x = sheet(70, 4, 2, 3), *z = sheet(12, 4, 2, 4);
  for (int kernel = LAVDM_KERNEL_GAUSSIAN; kernel <= LAVDM_KERNEL_BALL; kernel++)
    for (int design = LAVDM_DESIGN_KMEANS; design <= LAVDM_DESIGN_GIVEN; design++)
      for (int bundle = LAVDM_BUNDLE_TRIVIAL; bundle <= LAVDM_BUNDLE_ORIENTATION; bundle++) {
        lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
        o.kernel = (lavdm_kernel)kernel;
        o.design = (lavdm_design)design;
        o.bundle = (lavdm_bundle)bundle;
        o.dim = 2;
        o.epsilon = kernel == LAVDM_KERNEL_GAUSSIAN ? 0.8 : 4;
        o.alpha = 0.3 * design;
        bool given = design == LAVDM_DESIGN_GIVEN;
        if (!given) o.landmarks = 20;
        check(&o, x, 70, 4, given ? z : NULL, given ? 12 : 0);
      }
  free(x), free(z);
}

static void test_normalisations(void **state) {
  (void)state;
  double *x = sheet(60, 3, 2, 8);
  for (double alpha = 0; alpha <= 1; alpha += 0.5)
    for (double beta = 0; beta <= 1; beta += 0.25) {
      lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
      o.alpha = alpha, o.beta = beta;
      o.dim = 2, o.landmarks = 18, o.epsilon = 0.7;
      check(&o, x, 60, 3, NULL, 0);
      o = defaults(LAVDM_METHOD_ROSELAND);
      o.alpha = alpha, o.beta = beta, o.landmarks = 60, o.epsilon = 0.7;
      check(&o, x, 60, 3, NULL, 0);
    }
  free(x);
}

static void test_edge_rules(void **state) {
  (void)state;
  double *x = sheet(90, 3, 2, 12);
  for (int rule = LAVDM_EDGES_BALL; rule <= LAVDM_EDGES_COMPLETE; rule++)
    for (int bundle = LAVDM_BUNDLE_TRIVIAL; bundle <= LAVDM_BUNDLE_ORIENTATION; bundle++)
      for (double alpha = 0; alpha <= 1; alpha += 0.5) {
        lavdm_options o = defaults(LAVDM_METHOD_VDM);
        o.bundle = (lavdm_bundle)bundle;
        o.edges = (lavdm_edge_rule)rule;
        o.alpha = alpha;
        o.dim = 2, o.knn = 14, o.epsilon = 1.2;
        check(&o, x, 90, 3, NULL, 0);
      }
  free(x);
}

/* Enough points and landmarks for the iterative solver and the sparse Gram matrix. */
static void test_larger(void **state) {
  (void)state;
  int64_t n = 330;
  double *x = sheet(n, 3, 2, 21);
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  o.dim = 2, o.landmarks = 320, o.epsilon = 0.07, o.components = 10;
  check(&o, x, n, 3, NULL, 0);
  o = defaults(LAVDM_METHOD_VDM);
  o.dim = 2, o.epsilon = 0.2, o.edges = LAVDM_EDGES_BALL, o.components = 10;
  check(&o, x, n, 3, NULL, 0);
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dimensions),     cmocka_unit_test(test_kernels_and_designs),
      cmocka_unit_test(test_normalisations), cmocka_unit_test(test_edge_rules),
      cmocka_unit_test(test_larger),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
