/*
 * Spectra of the connection Laplacian with their multiplicities: VDM has
 * lambda ~ exp(-epsilon mu/4), LA-VDM exp(-epsilon mu/2), so ratios of -log
 * lambda are ratios of mu. Groups of equal mu must stand apart exactly where
 * theory says, and their means must have the right ratio within 5%.
 */
#include "oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { GROUPS = 3 };

typedef struct {
  const char *shape;
  int64_t dim, n;
  double vdm, lavdm; /* epsilon of each */
  double mu[GROUPS]; /* the leading eigenvalues ... */
  int count[GROUPS]; /* ... and how often each occurs */
} truth;

static const truth truths[] = {
    {"sphere", 2, 3000, 0.12, 0.06, {1, 5, 11}, {6, 10, 14}},
    {"sphere", 3, 4000, 0.2, 0.2, {1, 2, 6}, {4, 6, 9}},
    {"flat-torus", 2, 3000, 0.3, 0.15, {0, 1, 2}, {2, 8, 8}},
    {"flat-klein", 2, 3000, 0.08, 0.075, {0, 1, 2}, {1, 4, 4}},
    {"rp2", 2, 2500, 0.06, 0.06, {1, 5, 11}, {3, 5, 7}},
};

/* Means of -log lambda per group; fails unless the gaps between the groups are
 * wider than the groups themselves. */
static void group_means(const double *lambda, const truth *t, double *mean) {
  double last = 0, width[GROUPS], low[GROUPS], high[GROUPS];
  for (int g = 0, at = 0; g < GROUPS; g++) {
    mean[g] = 0;
    low[g] = -log(lambda[at]);
    for (int i = 0; i < t->count[g]; i++) {
      last = -log(lambda[at++]);
      mean[g] += last / t->count[g];
    }
    high[g] = last;
    width[g] = high[g] - low[g];
    print_message("  mu %2g: mean %.5f width %.5f\n", t->mu[g], mean[g], width[g]);
  }
  for (int g = 0; g + 1 < GROUPS; g++) {
    double gap = low[g + 1] - high[g];
    assert_true(gap > width[g]);
    assert_true(gap > 0.5 * width[g + 1]);
  }
}

static void check_shape(const truth *t, lavdm_method method, lavdm_precision precision) {
  int64_t p, d;
  lavdm_error error;
  assert_int_equal(lavdm_shape_size(t->shape, strcmp(t->shape, "sphere") ? 0 : t->dim, &p, &d, &error), 0);
  double *x = numbers(t->n * p);
  assert_int_equal(lavdm_sample(t->shape, t->n, strcmp(t->shape, "sphere") ? 0 : t->dim, NULL, 0, 5, x, NULL,
                                NULL, &error),
                   0);
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method;
  o.precision = precision;
  o.dim = t->dim;
  o.epsilon = method == LAVDM_METHOD_VDM ? t->vdm : t->lavdm;
  o.edges = LAVDM_EDGES_BALL;
  o.cutoff = 4;
  o.alpha = 1;
  o.landmarks = method == LAVDM_METHOD_LAVDM ? t->n / 4 : LAVDM_AUTO;
  o.components = t->count[0] + t->count[1] + t->count[2] + 1;
  lavdm_data data = {.points = x, .n = t->n, .p = p};
  lavdm_model *model = fit_or_fail(&data, &o);
  print_message("%s %s %s\n", t->shape, method == LAVDM_METHOD_VDM ? "vdm" : "lavdm",
                precision == LAVDM_PRECISION_SINGLE ? "single" : "double");
  double mean[GROUPS];
  const double *lambda = lavdm_info(model)->eigenvalues;
  group_means(lambda, t, mean);
  assert_true(-log(lambda[o.components - 1]) > -log(lambda[o.components - 2]));
  /* the first two groups with mu > 0 */
  int first = t->mu[0] > 0 ? 0 : 1;
  double ratio = mean[first + 1] / mean[first], expected = t->mu[first + 1] / t->mu[first];
  print_message("  ratio %.4f, theory %g\n", ratio, expected);
  assert_true(fabs(ratio / expected - 1) < 0.05);
  if (first) assert_true(mean[0] < 0.1 * mean[1]);
  lavdm_free(model);
  free(x);
}

static void check_all(lavdm_method method, lavdm_precision precision) {
  for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) check_shape(&truths[i], method, precision);
}

static void test_vdm(void **state) {
  (void)state;
  check_all(LAVDM_METHOD_VDM, LAVDM_PRECISION_DOUBLE);
}

static void test_vdm_single(void **state) {
  (void)state;
  check_all(LAVDM_METHOD_VDM, LAVDM_PRECISION_SINGLE);
}

static void test_lavdm(void **state) {
  (void)state;
  check_all(LAVDM_METHOD_LAVDM, LAVDM_PRECISION_DOUBLE);
}

static void test_lavdm_single(void **state) {
  (void)state;
  check_all(LAVDM_METHOD_LAVDM, LAVDM_PRECISION_SINGLE);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_vdm), cmocka_unit_test(test_vdm_single),
                                     cmocka_unit_test(test_lavdm), cmocka_unit_test(test_lavdm_single)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
