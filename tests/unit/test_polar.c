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
      double least = REAL(polar_factor)(q, m, o, scratch);
      assert_true(orthogonality(q, o) < 1e-13);
      for (int64_t i = 0; i < q * q && least > 1e-3; i++) assert_true(fabs(o[i] - expected[i]) < 1e-11);
      double sign;
      oracle_element(LAVDM_BUNDLE_ORIENTATION, q, q, identity, m, &sign);
      assert_true(REAL(determinant)(q, m, scratch) * sign > 0);
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
      double least = REAL(polar_factor)(q, m, o, scratch);
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

/* The SIMD version against polar_factor: near and far from singular, and singular. */
static void test_lanes(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 2000; seed++) {
    double m[9][POLAR_LANES], o[9][POLAR_LANES], one[9], expected[9], scratch[POLAR_SCRATCH(3)];
    int ill[POLAR_LANES];
    fill_normal(&m[0][0], 9 * POLAR_LANES, seed);
    for (int l = 0; l < POLAR_LANES; l++) {
      for (int i = 0; i < 9; i++) m[i][l] /= 4;
      double shrink = pow(10, -2.0 * l); /* the last row gets small, and in one lane vanishes */
      for (int i = 6; i < 9; i++) m[i][l] *= l == 7 ? 0 : shrink;
    }
    REAL(polar_lanes)(m, o, ill);
    for (int l = 0; l < POLAR_LANES; l++) {
      double result[9];
      for (int i = 0; i < 9; i++) one[i] = m[i][l], result[i] = o[i][l];
      double least = REAL(polar_factor)(3, one, expected, scratch);
      assert_true(orthogonality(3, result) < 1e-12);
      if (fabs(least - ILL_COSINE) > 1e-9) assert_int_equal(ill[l], least < ILL_COSINE);
      for (int i = 0; i < 9 && least > 1e-4; i++) assert_true(fabs(result[i] - expected[i]) < 1e-10);
    }
  }
}

/* The same for larger matrices with singular values up to 1. */
static void test_schulz(void **state) {
  (void)state;
  for (int64_t q = 1; q <= POLAR_MANY; q++)
    for (uint64_t seed = 0; seed < 300; seed++) {
      lanes_t m[POLAR_MANY * POLAR_MANY], o[POLAR_MANY * POLAR_MANY];
      double one[100], expected[100], result[100], scratch[POLAR_SCRATCH(10)];
      int ill[LANES];
      for (int l = 0; l < LANES; l++) {
        fill_normal(one, q * q, 1000 * seed + (uint64_t)l);
        REAL(polar_factor)(q, one, expected, scratch);
        double size = 0;
        for (int64_t i = 0; i < q * q; i++) size += one[i] * one[i];
        for (int64_t i = 0; i < q * q; i++) { /* from orthogonal to far from it, and singular */
          double share = l / (double)LANES,
                 last = i / q == q - 1 && l >= LANES - 2 ? l == LANES - 1 ? 0 : 1e-3 : 1;
          m[i][l] = last * ((1 - share) * expected[i] + share * one[i] / sqrt(size));
        }
      }
      REAL(polar_schulz)(q, m, o, ill);
      for (int l = 0; l < LANES; l++) {
        for (int64_t i = 0; i < q * q; i++) one[i] = m[i][l], result[i] = o[i][l];
        double least = REAL(polar_factor)(q, one, expected, scratch);
        assert_true(orthogonality(q, result) < 1e-12);
        if (fabs(least - ILL_COSINE) > 1e-9) assert_int_equal(ill[l], least < ILL_COSINE);
        for (int64_t i = 0; i < q * q && least > 1e-4; i++)
          assert_true(fabs(result[i] - expected[i]) < 1e-10);
      }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_singular),
                                     cmocka_unit_test(test_lanes), cmocka_unit_test(test_schulz)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
