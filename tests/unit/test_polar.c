/* Orthogonal polar factors and determinants against LAPACK, singular ones included. */
#include "oracle.h"

#include "frames/polar.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static double orthogonality(int64_t q, const double *o) {
  double worst = 0;
  for (int64_t i = 0; i < q; i++)
    for (int64_t j = 0; j < q; j++) {
      double dot = 0;
      for (int64_t k = 0; k < q; k++) dot += o[i * q + k] * o[j * q + k];
      worst = fmax(worst, fabs(dot - (i == j)));
    }
  return worst;
}

/* oracle_element of the frames I and M is the polar factor of M; (p,d) = (q,q). */
static void test_random(void **state) {
  (void)state;
  double m[100], identity[100], o[100], expected[100], scratch[POLAR_SCRATCH(10)];
  for (int64_t q = 1; q <= 10; q++)
    for (uint64_t seed = 0; seed < 200; seed++) {
      fill_normal(m, q * q, seed);
      for (int64_t i = 0; i < q * q; i++) identity[i] = i % (q + 1) == 0;
      oracle_element(LAVDM_BUNDLE_TANGENT, q, q, identity, m, expected);
      double least = polar_factor(q, m, o, scratch);
      assert_true(orthogonality(q, o) < 1e-13);
      for (int64_t i = 0; i < q * q && least > 1e-3; i++) assert_true(fabs(o[i] - expected[i]) < 1e-11);
      double sign;
      oracle_element(LAVDM_BUNDLE_ORIENTATION, q, q, identity, m, &sign);
      assert_true(determinant(q, m, scratch) * sign > 0);
    }
}

/* O' M is symmetric and positive semi-definite also where M has no inverse. */
static void test_singular(void **state) {
  (void)state;
  double m[64], o[64], a[64], values[8], scratch[POLAR_SCRATCH(8)];
  for (int64_t q = 1; q <= 8; q++)
    for (int64_t rank = 0; rank < q; rank++) {
      double u[64], v[64];
      fill_normal(u, q * q, (uint64_t)(q + 100));
      fill_normal(v, q * q, (uint64_t)(q + 200));
      memset(m, 0, sizeof m);
      for (int64_t i = 0; i < q; i++)
        for (int64_t j = 0; j < q; j++)
          for (int64_t k = 0; k < rank; k++) m[i * q + j] += u[i * q + k] * v[j * q + k];
      double least = polar_factor(q, m, o, scratch);
      assert_true(least < 1e-12);
      assert_true(orthogonality(q, o) < 1e-12);
      memset(a, 0, sizeof a);
      for (int64_t i = 0; i < q; i++)
        for (int64_t j = 0; j < q; j++)
          for (int64_t k = 0; k < q; k++) a[i * q + j] += o[k * q + i] * m[k * q + j];
      for (int64_t i = 0; i < q; i++)
        for (int64_t j = 0; j < q; j++) assert_true(fabs(a[i * q + j] - a[j * q + i]) < 1e-10);
      oracle_eigen(q, a, values);
      assert_true(values[q - 1] > -1e-10);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_singular)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
