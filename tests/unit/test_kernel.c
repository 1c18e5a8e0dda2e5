/* Kernels against libm, the cut-off, and the callback. */
#include "graph/kernel.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static void test_gaussian(void **state) {
  (void)state;
  kernel_t k = {.kind = LAVDM_KERNEL_GAUSSIAN, .epsilon = 1, .radius = INFINITY};
  for (int i = 0; i < 700000; i++) {
    double d2 = 0.001 * i, w;
    REAL(kernel_weights)(&k, false, &d2, 1, &w);
    if (d2 < 667)
      assert_true(fabs(w - exp(-d2)) <= 4 * DBL_EPSILON * exp(-d2));
    else
      assert_true(w == 0);
  }
  double zero = 0, w;
  REAL(kernel_weights)(&k, false, &zero, 1, &w);
  assert_true(w == 1);
}

static void test_cutoff(void **state) {
  (void)state;
  double d2[] = {0, 0.25, 1, 3.99, 4, 4.01}, w[6];
  kernel_t k = {.kind = LAVDM_KERNEL_GAUSSIAN, .epsilon = 1, .radius = 2};
  REAL(kernel_weights)(&k, false, d2, 6, w);
  assert_true(w[4] > 0 && w[5] == 0);
  REAL(kernel_weights)(&k, true, d2, 6, w); /* a far point keeps its landmark */
  assert_true(w[5] > 0);
  k.kind = LAVDM_KERNEL_EPANECHNIKOV;
  k.epsilon = 4;
  REAL(kernel_weights)(&k, false, d2, 6, w);
  assert_true(w[0] == 1 && fabs(w[2] - 0.75) < 1e-15 && w[4] == 0 && w[5] == 0);
  k.kind = LAVDM_KERNEL_BALL;
  REAL(kernel_weights)(&k, false, d2, 6, w);
  assert_true(w[0] == 1 && w[4] == 1 && w[5] == 0);
  k.radius = 1; /* a cut-off below the support */
  REAL(kernel_weights)(&k, false, d2, 6, w);
  assert_true(w[2] == 1 && w[3] == 0);
}

static double odd_kernel(double t, void *user) {
  int *calls = user;
  ++*calls;
  return t < 0.75 ? 1 + t : t < 1.5 ? -1 : NAN;
}

static void test_callback(void **state) {
  (void)state;
  int calls = 0;
  double d2[] = {0.25, 1, 4, 9}, w[4];
  kernel_t k = {LAVDM_KERNEL_CALLBACK, 1, 2, odd_kernel, &calls};
  REAL(kernel_weights)(&k, false, d2, 4, w);
  assert_true(w[0] == 1.5);
  assert_true(w[1] == 0 && w[2] == 0 && w[3] == 0); /* negative, NaN, beyond the cut-off */
  assert_int_equal(calls, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_gaussian), cmocka_unit_test(test_cutoff),
                                     cmocka_unit_test(test_callback)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
