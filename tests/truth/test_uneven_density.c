/*
 * Density that varies tenfold. The reach of a k-NN graph follows the density: its row sums are much the same
 * everywhere, and alpha = 1 finds no density to take away. What is left is the Laplacian of another metric,
 * in which the points are even. With bandwidths that follow the density as well, and are reckoned with, the
 * spectrum is that of the manifold: of functions on the flat torus 0 1 1 1 1 2 2 2 2 4 4 4 4, of fields twice
 * that; of functions on the sphere 0 2 (3) 6 (5), of fields 1 (6) 5 (10).
 */
#include "oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#define PI 3.14159265358979323846

enum { N = 6000, MOST = 26 };

static const double UNEVEN = 9. / 11; /* density 1 + UNEVEN cos: (1 + UNEVEN) / (1 - UNEVEN) = 10 */

/* Uniform in [0, 1). */
static double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 0x1p53;
}

/* Uneven along the first angle. */
static void torus(uint64_t seed, double *x) {
  for (int64_t i = 0; i < N;) {
    double u = 2 * PI * uniform(&seed), v = 2 * PI * uniform(&seed);
    if (uniform(&seed) * (1 + UNEVEN) > 1 + UNEVEN * cos(u)) continue;
    x[4 * i] = cos(u), x[4 * i + 1] = sin(u), x[4 * i + 2] = cos(v), x[4 * i + 3] = sin(v), i++;
  }
}

/* Uneven along the axis. */
static void sphere(uint64_t seed, double *x) {
  for (int64_t i = 0; i < N;) {
    double z = 2 * uniform(&seed) - 1, v = 2 * PI * uniform(&seed), r = sqrt(1 - z * z);
    if (uniform(&seed) * (1 + UNEVEN) > 1 + UNEVEN * z) continue;
    x[3 * i] = r * cos(v), x[3 * i + 1] = r * sin(v), x[3 * i + 2] = z, i++;
  }
}

typedef struct {
  int64_t zero, count[2]; /* multiplicities: of 0, and of the next two */
  double ratio;           /* of these two */
} spectrum_t;

/* How far the ratio of the first two groups is from the truth, and how far apart the first group is. */
static void errors(const double *x, int64_t p, lavdm_method method, lavdm_bandwidth bandwidth,
                   lavdm_precision precision, const spectrum_t *s, double *ratio, double *spread) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method, o.bandwidth = bandwidth, o.precision = precision;
  o.edges = LAVDM_EDGES_KNN, o.knn = 20, o.dim = 2;
  o.components = s->zero + s->count[0] + s->count[1];
  assert_in_range(o.components, 1, MOST);
  lavdm_data data = {.points = x, .n = N, .p = p};
  lavdm_model *model = fit_or_fail(&data, &o);
  const double *lambda = lavdm_info(model)->eigenvalues;
  double mean[2] = {0, 0};
  int64_t at = s->zero;
  *spread = log(lambda[at] / lambda[at + s->count[0] - 1]);
  for (int g = 0; g < 2; g++)
    for (int64_t l = 0; l < s->count[g]; l++) mean[g] -= log(lambda[at++]) / (double)s->count[g];
  *ratio = fabs(mean[1] / mean[0] / s->ratio - 1);
  *spread /= mean[0];
  print_message("method %d, bandwidth %d, precision %d: ratio off by %.3f, first group spread %.3f\n", method,
                bandwidth, precision, *ratio, *spread);
  lavdm_free(model);
}

static void compare(const double *x, int64_t p, lavdm_method method, const spectrum_t *s, bool both) {
  double ratio, spread, local;
  errors(x, p, method, LAVDM_BANDWIDTH_GLOBAL, LAVDM_PRECISION_DOUBLE, s, &ratio, &spread);
  if (both) assert_true(ratio > 0.08);
  assert_true(spread > 0.1);
  for (int precision = LAVDM_PRECISION_DOUBLE; precision <= LAVDM_PRECISION_SINGLE; precision++) {
    errors(x, p, method, LAVDM_BANDWIDTH_LOCAL, (lavdm_precision)precision, s, &ratio, &local);
    assert_true(ratio < 0.03);
    assert_true(local < 0.15 && local < spread / 2);
  }
}

static void test_torus(void **state) {
  (void)state;
  double *x = numbers(4 * N);
  torus(3, x);
  compare(x, 4, LAVDM_METHOD_DM, &(spectrum_t){1, {4, 4}, 2}, true);
  compare(x, 4, LAVDM_METHOD_VDM, &(spectrum_t){2, {8, 8}, 2}, true);
  free(x);
}

static void test_sphere(void **state) {
  (void)state;
  double *x = numbers(3 * N);
  sphere(4, x);
  compare(x, 3, LAVDM_METHOD_DM, &(spectrum_t){1, {3, 5}, 3}, false);
  compare(x, 3, LAVDM_METHOD_VDM, &(spectrum_t){0, {6, 10}, 5}, false);
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_torus), cmocka_unit_test(test_sphere)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
