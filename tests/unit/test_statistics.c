/* What the experiments count with: medians, the signed-rank test, principal angles, tables. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "common/fields.h"
#include "common/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.15g is not %.15g", a, b);
}

static void test_medians(void **state) {
  (void)state;
  double odd[] = {5, 1, 9}, even[] = {4, 1, 3, 100};
  near(median(odd, 3), 5, 0);
  near(deviation(odd, 3), 4, 0);
  near(median(even, 4), 3.5, 0);
  near(deviation(even, 4), 1.5, 0); /* of 0.5, 2.5, 0.5, 96.5 */
  assert_true(isnan(median(odd, 0)));
}

/* Exact: of n pairs the rank sum T has 2^n equally likely values. */
static void test_wilcoxon_exact(void **state) {
  (void)state;
  double x[] = {1, 2, 3, 4, 5}, zero[5] = {0}, mixed[] = {1, -2, 3, 4, 5};
  near(wilcoxon(x, zero, 5), 2. / 32, 1e-15);     /* T = 0: one of 32, on both sides */
  near(wilcoxon(mixed, zero, 5), 6. / 32, 1e-15); /* T <= 2: {}, {1}, {2} */
  near(wilcoxon(zero, zero, 5), 1, 0);
  /* 12 pairs, rank sum 25: scipy.stats.wilcoxon gives 0.30126953125. */
  double other[] = {0.3, -1.1, 2.2, 0.7, -0.4, 1.9, 2.5, -3.1, 0.05, 1.4, 2.8, -0.6}, none[12] = {0};
  near(wilcoxon(other, none, 12), 0.30126953125, 1e-12);
}

/* Beyond 50 pairs: z = (T - mean) / sqrt(variance); with ties the variance is that of the shared ranks. */
static void test_wilcoxon_normal(void **state) {
  (void)state;
  enum { N = 60 };
  double x[N], zero[N] = {0}, plus = 0;
  for (int i = 0; i < N; i++) {
    x[i] = (i % 3 ? 1 : -1) * (double)(i + 1);
    if (x[i] > 0) plus += i + 1;
  }
  double mean = N * (N + 1) / 4., variance = N * (N + 1) * (2 * N + 1) / 24.;
  near(wilcoxon(x, zero, N), erfc(fabs(plus - mean) / sqrt(2 * variance)), 1e-15);
  for (int i = 0; i < N; i++) x[i] = i < 20 ? -1 : 1; /* all ranks are 30.5 */
  double rank = (N + 1) / 2., z = 10 * rank / sqrt(N * rank * rank / 4);
  near(wilcoxon(x, zero, N), erfc(z / sqrt(2)), 1e-14);
}

/* Two planes in R^4 at angles 0.3 and 1.1, spanned by vectors that are not orthogonal. */
static void test_principal_angles(void **state) {
  (void)state;
  double c = cos(0.3), s = sin(0.3), C = cos(1.1), S = sin(1.1), h = sqrt(0.5);
  double x[8] = {1, 0, 0, 0, h, h, 0, 0};
  double y[8] = {c, 0, s, 0, 0.6 * c, 0.8 * C, 0.6 * s, 0.8 * S};
  double values[3] = {0.9, 0.89, 0.5};
  fields_t a = {.n = 2, .q = 2, .r = 2, .vectors = x, .values = values};
  fields_t b = {.n = 2, .q = 2, .r = 2, .vectors = y, .values = values};
  near(worst_cosine(&a, &b, 0, 2), C, 1e-14);
  near(worst_cosine(&a, &b, 0, 1), c, 1e-14);
  near(eigenspace_cosine(&a, &b, 1), C, 1e-14);
  near(fields_cosine(&a, &b, 0), c, 1e-14);
  near(fields_difference(&a, &b, 0), 2 * sin(0.15), 1e-14);
  double out[4], wanted[4] = {1, 0, 0, 0}; /* the projection of y_0 on the plane of x */
  eigenspace_nearest(&a, &b, 0, out);
  for (int j = 0; j < 4; j++) near(out[j], wanted[j], 1e-14);
  assert_int_equal(nearest_vector(&a, &b, 0), 0);
}

static void test_eigenspaces(void **state) {
  (void)state;
  double values[6] = {0.99, 0.98, 0.979, 0.9785, 0.95, 0.949};
  fields_t f = {.n = 1, .q = 1, .r = 6, .values = values};
  int64_t bounds[6][2] = {{0, 1}, {1, 4}, {1, 4}, {1, 4}, {4, 5}, {4, 6}}, first, last;
  for (int64_t l = 0; l < 6; l++) {
    eigenspace(&f, l, &first, &last);
    assert_int_equal(first, bounds[l][0]);
    assert_int_equal(last, bounds[l][1]);
  }
  double one[6] = {0.81, 0, 0, 0, 0, 0}, two[6] = {0.9, 0, 0, 0, 0, 0};
  fields_t a = {.values = one}, b = {.values = two};
  near(spectral_gap(&f, 2), log(0.979 / 0.9785) / -log(0.979), 1e-14);
  near(value_difference(&a, &b, 0, 1), 0.1, 1e-14);
  near(value_difference(&a, &b, 0, 2), 0, 1e-14);
}

/* The sign is chosen for the whole field, not point by point. */
static void test_pointwise(void **state) {
  (void)state;
  double w[4] = {-0.6, 0, 0, 0.2}, v[4] = {0.5, 0, 0, 0.2}, error[2], cosine[2], magnitude[2];
  pointwise(w, v, 2, 2, error, cosine, magnitude);
  near(error[0], 0.2, 1e-12);
  near(cosine[0], 1, 1e-12);
  near(magnitude[0], 0.2, 1e-12);
  near(error[1], 2, 1e-12);
  near(cosine[1], -1, 1e-12);
  near(magnitude[1], 0, 1e-12);
}

static void test_tables(void **state) {
  (void)state;
  char path[] = "/tmp/lavdm-table-XXXXXX", summary[64];
  int file = mkstemp(path);
  const char text[] = "# about\n# machine\nrepetition,seed,m,design,x\n0,1,8,random,1\n0,1,9,random,5\n"
                      "1,2,8,random,3\n1,2,9,random,nan\n2,3,8,random,8\n2,3,9,rand";
  assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
  close(file);
  table_t t, s;
  assert_int_equal(table_read(path, &t), 1);
  assert_int_equal(t.rows, 5);
  assert_string_equal(t.remark[1], "machine");
  near(table_at(&t, "x", "m=8.0 design=random repetition=1"), 3, 0);
  assert_true(isnan(table_at(&t, "x", "m=7")));
  snprintf(summary, sizeof summary, "%s_summary", path);
  table_summarise(&t, "m,design", summary);
  assert_int_equal(table_read(summary, &s), 1);
  assert_int_equal(s.rows, 2);
  near(table_at(&s, "x", "m=8"), 3, 0);
  near(table_at(&s, "x_mad", "m=8"), 2, 0);
  near(table_at(&s, "x", "m=9"), 5, 0);
  near(table_at(&s, "repetitions", "m=8"), 3, 0);
  table_free(&t), table_free(&s);
  unlink(path), unlink(summary);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_medians),         cmocka_unit_test(test_wilcoxon_exact),
      cmocka_unit_test(test_wilcoxon_normal), cmocka_unit_test(test_principal_angles),
      cmocka_unit_test(test_eigenspaces),     cmocka_unit_test(test_pointwise),
      cmocka_unit_test(test_tables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
