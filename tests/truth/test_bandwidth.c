/*
 * S2 at finite bandwidth, where the eigenvalues are known exactly. With the
 * indicator of a cap of height h (chord distance <= sqrt(2 h), so epsilon = 2 h)
 * the vector diffusion operator has
 *     1 - h/4 (6),  1 - 5h/4 + h^2/3 (10),  1 - 11h/4 + 25h^2/12 - 15h^3/32 (14)
 * and LA-VDM with evenly spread landmarks has their squares.
 */
#include "oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

enum { N = 3000 };

static void exact(double h, double *value) {
  value[0] = 1 - h / 4;
  value[1] = 1 - 5 * h / 4 + h * h / 3;
  value[2] = 1 - 11 * h / 4 + 25 * h * h / 12 - 15 * h * h * h / 32;
}

/* A Fibonacci lattice: as even as a sample of the sphere gets. */
static void lattice(int64_t n, double *x) {
  for (int64_t i = 0; i < n; i++) {
    double z = 1 - (2 * (double)i + 1) / (double)n, r = sqrt(1 - z * z), a = (double)i * 2.39996322972865332;
    x[3 * i] = r * cos(a), x[3 * i + 1] = r * sin(a), x[3 * i + 2] = z;
  }
}

static void check(lavdm_method method, lavdm_precision precision, double h, double tolerance) {
  static double x[3 * N], z[3 * 1000];
  lattice(N, x);
  lattice(1000, z);
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method;
  o.precision = precision;
  o.kernel = LAVDM_KERNEL_BALL;
  o.edges = LAVDM_EDGES_BALL;
  o.epsilon = 2 * h;
  o.dim = 2;
  o.knn = 30;
  o.alpha = 0;
  o.components = 30;
  lavdm_data data = {.points = x, .n = N, .p = 3};
  if (method == LAVDM_METHOD_LAVDM) data.landmark_points = z, data.landmark_count = 1000;
  lavdm_model *model = fit_or_fail(&data, &o);
  const double *lambda = lavdm_info(model)->eigenvalues;
  const int count[] = {6, 10, 14};
  double value[3];
  exact(h, value);
  for (int g = 0, at = 0; g < 3; g++) {
    double expected = method == LAVDM_METHOD_LAVDM ? value[g] * value[g] : value[g], worst = 0;
    for (int i = 0; i < count[g]; i++) worst = fmax(worst, fabs(lambda[at++] - expected));
    print_message("precision %d, h = %.2f, group %d: %.6f, worst difference %.2g\n", precision, h, g,
                  expected, worst);
    assert_true(worst < tolerance);
  }
  lavdm_free(model);
}

static void test_vdm(void **state) {
  (void)state;
  for (double h = 0.1; h < 0.35; h += 0.1) {
    check(LAVDM_METHOD_VDM, LAVDM_PRECISION_DOUBLE, h, 0.005);
    check(LAVDM_METHOD_VDM, LAVDM_PRECISION_SINGLE, h, 0.005);
  }
}

static void test_lavdm(void **state) {
  (void)state;
  for (double h = 0.1; h < 0.35; h += 0.1) {
    check(LAVDM_METHOD_LAVDM, LAVDM_PRECISION_DOUBLE, h, 0.005);
    check(LAVDM_METHOD_LAVDM, LAVDM_PRECISION_SINGLE, h, 0.005);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_vdm), cmocka_unit_test(test_lavdm)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
