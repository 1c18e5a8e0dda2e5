/*
 * The whole pipeline against dense matrices: eigenvalues, degrees and the
 * projectors on leading eigenspaces, over dimensions, bundles, kernels, designs
 * and edge rules, in both precisions (support/compare.h).
 */
#include "compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* p = 1..50, d = q = 1..5 */
static void test_dimensions(void **state) {
  (void)state;
  const int64_t ps[] = {1, 2, 3, 5, 8, 12, 13, 16, 31, 50};
  for (size_t a = 0; a < sizeof ps / sizeof *ps; a++)
    for (int64_t d = 1; d <= 5 && d <= ps[a]; d++) {
      double *x = sheet(45, ps[a], d, (uint64_t)(10 * a) + (uint64_t)d);
      for (int method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++) {
        lavdm_options o = oracle_options((lavdm_method)method);
        bool plain = method == LAVDM_METHOD_DM || method == LAVDM_METHOD_ROSELAND;
        if (!plain) o.dim = d;
        if (method == LAVDM_METHOD_ROSELAND || method == LAVDM_METHOD_LAVDM) o.landmarks = 15;
        o.epsilon = 1.5;
        check_oracle(&o, x, 45, ps[a], NULL, 0);
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
        lavdm_options o = oracle_options(LAVDM_METHOD_LAVDM);
        o.kernel = (lavdm_kernel)kernel;
        o.design = (lavdm_design)design;
        o.bundle = (lavdm_bundle)bundle;
        o.dim = 2;
        o.epsilon = kernel == LAVDM_KERNEL_GAUSSIAN ? 0.8 : 4;
        o.alpha = 0.3 * design;
        bool given = design == LAVDM_DESIGN_GIVEN;
        if (!given) o.landmarks = 20;
        check_oracle(&o, x, 70, 4, given ? z : NULL, given ? 12 : 0);
      }
  free(x), free(z);
}

static void test_normalisations(void **state) {
  (void)state;
  double *x = sheet(60, 3, 2, 8);
  for (double alpha = 0; alpha <= 1; alpha += 0.5)
    for (double beta = 0; beta <= 1; beta += 0.25) {
      lavdm_options o = oracle_options(LAVDM_METHOD_LAVDM);
      o.alpha = alpha, o.beta = beta;
      o.dim = 2, o.landmarks = 18, o.epsilon = 0.7;
      check_oracle(&o, x, 60, 3, NULL, 0);
      o = oracle_options(LAVDM_METHOD_ROSELAND);
      o.alpha = alpha, o.beta = beta, o.landmarks = 60, o.epsilon = 0.7;
      check_oracle(&o, x, 60, 3, NULL, 0);
    }
  free(x);
}

static void test_edge_rules(void **state) {
  (void)state;
  double *x = sheet(90, 3, 2, 12);
  for (int rule = LAVDM_EDGES_BALL; rule <= LAVDM_EDGES_COMPLETE; rule++)
    for (int bundle = LAVDM_BUNDLE_TRIVIAL; bundle <= LAVDM_BUNDLE_ORIENTATION; bundle++)
      for (double alpha = 0; alpha <= 1; alpha += 0.5) {
        lavdm_options o = oracle_options(LAVDM_METHOD_VDM);
        o.bundle = (lavdm_bundle)bundle;
        o.edges = (lavdm_edge_rule)rule;
        o.alpha = alpha;
        o.dim = 2, o.knn = 14, o.epsilon = 1.2;
        check_oracle(&o, x, 90, 3, NULL, 0);
      }
  free(x);
}

/* Enough points and landmarks for the iterative solver and the sparse Gram matrix. */
static void test_larger(void **state) {
  (void)state;
  int64_t n = 330;
  double *x = sheet(n, 3, 2, 21);
  lavdm_options o = oracle_options(LAVDM_METHOD_LAVDM);
  o.dim = 2, o.landmarks = 320, o.epsilon = 0.07, o.components = 10;
  check_oracle(&o, x, n, 3, NULL, 0);
  o = oracle_options(LAVDM_METHOD_VDM);
  o.dim = 2, o.epsilon = 0.2, o.edges = LAVDM_EDGES_BALL, o.components = 10;
  check_oracle(&o, x, n, 3, NULL, 0);
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
