/* Multiple eigenvalues: no copy of any that is wanted may be missing. */
#include "spectrum_support.h"

static double zero(int64_t i, int64_t n) {
  (void)i, (void)n;
  return 0;
}

static double one(int64_t i, int64_t n) {
  (void)i, (void)n;
  return 1;
}

static void test_trivial_operators(void **state) {
  (void)state;
  check_levels(300, 1, zero, 1e-12);
  check_levels(300, 25, zero, 1e-12);
  check_levels(300, 1, one, 1e-12);
  check_levels(300, 25, one, 1e-12);
}

static double one_of_200(int64_t i, int64_t n) {
  return i < 200 ? 1 : 0.98 * cos(3.0 * (double)i / (double)n);
}

static double tens(int64_t i, int64_t n) {
  (void)n;
  return fmax(1 - 0.02 * (double)(i / 10), -0.5);
}

static double thirties(int64_t i, int64_t n) {
  (void)n;
  return fmax(1 - 0.01 * (double)(i / 30), -0.2);
}

static double fours_and_eights(int64_t i, int64_t n) {
  (void)n;
  int64_t group = i / 12, rest = i % 12;
  return fmax(1 - 0.01 * (double)(2 * group + (rest >= 4)), -0.9);
}

/* Five copies above a larger set, within which the wanted ones end. */
static double five_then_many(int64_t i, int64_t n) {
  return i < 5 ? 0.9 : i < 60 ? 0.85 : 0.8 * (1 - (double)i / (double)n);
}

static void test_multiple_eigenvalues(void **state) {
  (void)state;
  check_levels(1000, 20, one_of_200, 1e-10);
  check_levels(1000, 20, one_of_200, 1e-13);
  check_levels(600, 40, tens, 1e-10);
  check_levels(600, 25, tens, 1e-12);
  check_levels(900, 60, thirties, 1e-10);
  check_levels(900, 33, thirties, 1e-10);
  check_levels(700, 28, fours_and_eights, 1e-10);
  check_levels(700, 16, fours_and_eights, 1e-12);
  check_levels(700, 5, fours_and_eights, 1e-10);
  check_levels(800, 30, five_then_many, 1e-11);
  check_levels(800, 6, five_then_many, 1e-11);
}

/* Copies that differ by less than the tolerance are copies all the same. */
static void test_nearly_multiple(void **state) {
  (void)state;
  mirror_t m = mirror_new(800, 21);
  for (int64_t i = 0; i < m.n; i++)
    m.values[i] = fmax(0.999 - 0.02 * (double)(i / 17), -0.3) - 1e-13 * (double)(i % 17);
  operator_t op = mirror_operator(&m);
  solve_t *s = iterate(&op, 40, 1e-10, 1);
  check_result(&op, s, 1e-10);
  for (int64_t l = 0; l < 40; l++)
    assert_true(fabs(s->values[l] - (0.999 - 0.02 * (double)(l / 17))) < 1e-11);
  solve_free(s);
  mirror_free(&m);
}

/* 1, then multiplicities 4, 4, 4, 8: few products where the spectrum is easy. */
static void test_torus(void **state) {
  (void)state;
  int64_t side = 40, n = side * side;
  operator_t op = {.size = n, .apply = torus_apply, .context = &side};
  double *truth = calloc((size_t)n, sizeof *truth);
  for (int64_t a = 0; a < side; a++)
    for (int64_t b = 0; b < side; b++)
      truth[a * side + b] =
          (cos(2 * acos(-1) * (double)a / (double)side) + cos(2 * acos(-1) * (double)b / (double)side)) / 2;
  qsort(truth, (size_t)n, sizeof *truth, descending);
  int64_t wanted[] = {3, 13, 21, 45};
  for (int k = 0; k < 4; k++) {
    solve_t *s = iterate(&op, wanted[k], 1e-11, 1);
    check_result(&op, s, 1e-11);
    for (int64_t l = 0; l < s->r; l++) assert_true(fabs(s->values[l] - truth[l]) < 1e-12);
    solve_free(s);
  }
  free(truth);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_trivial_operators),
      cmocka_unit_test(test_multiple_eigenvalues),
      cmocka_unit_test(test_nearly_multiple),
      cmocka_unit_test(test_torus),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
