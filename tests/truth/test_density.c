/*
 * Sampling density. On S2 with a density that varies ninefold, alpha = 1 with
 * beta = auto gives the spectrum of the sphere, 1 (6) and 5 (10), for every
 * landmark design; alpha = 0 does not.
 */
#include "oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

enum { N = 3500 };

/* How far the first two groups are from one mean each, and from the ratio 5. */
static void spectrum(lavdm_method method, lavdm_precision precision, lavdm_design design, double alpha,
                     double *ratio, double *width) {
  static double x[3 * N];
  lavdm_error error;
  assert_int_equal(lavdm_sample("sphere", N, 2, "bump", 0, 3, x, NULL, NULL, &error), 0);
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method;
  o.precision = precision;
  o.design = design;
  o.alpha = alpha;
  o.edges = LAVDM_EDGES_BALL;
  o.cutoff = 4;
  o.epsilon = method == LAVDM_METHOD_VDM ? 0.14 : 0.07;
  o.dim = 2;
  if (method == LAVDM_METHOD_LAVDM) o.landmarks = 800;
  o.components = 17;
  lavdm_data data = {.points = x, .n = N, .p = 3};
  lavdm_model *model = fit_or_fail(&data, &o);
  const double *lambda = lavdm_info(model)->eigenvalues;
  double first = 0, second = 0;
  for (int l = 0; l < 6; l++) first -= log(lambda[l]) / 6;
  for (int l = 6; l < 16; l++) second -= log(lambda[l]) / 10;
  *ratio = second / first;
  *width = (log(lambda[0]) - log(lambda[5])) / first;
  print_message(
      "method %d, precision %d, design %d, alpha %g, beta %.3f: ratio %.3f, first group spread %.3f\n",
      method, precision, design, alpha, lavdm_info(model)->chosen->beta, *ratio, *width);
  lavdm_free(model);
}

static void test_alpha_one_removes_the_density(void **state) {
  (void)state;
  double ratio, width;
  for (int precision = LAVDM_PRECISION_DOUBLE; precision <= LAVDM_PRECISION_SINGLE; precision++) {
    spectrum(LAVDM_METHOD_VDM, (lavdm_precision)precision, LAVDM_DESIGN_KMEANS, 1, &ratio, &width);
    assert_true(fabs(ratio / 5 - 1) < 0.08);
    for (int design = LAVDM_DESIGN_KMEANS; design <= LAVDM_DESIGN_RANDOM; design++) {
      spectrum(LAVDM_METHOD_LAVDM, (lavdm_precision)precision, (lavdm_design)design, 1, &ratio, &width);
      assert_true(fabs(ratio / 5 - 1) < 0.08);
      assert_true(width < 0.5);
    }
  }
}

static void test_alpha_zero_does_not(void **state) {
  (void)state;
  double ratio, width;
  for (int design = LAVDM_DESIGN_KMEANS; design <= LAVDM_DESIGN_RANDOM; design++) {
    spectrum(LAVDM_METHOD_LAVDM, LAVDM_PRECISION_DOUBLE, (lavdm_design)design, 0, &ratio, &width);
    assert_true(fabs(ratio / 5 - 1) > 0.08);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_alpha_one_removes_the_density),
                                     cmocka_unit_test(test_alpha_zero_does_not)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
