/*
 * Steerable principal components on simulated images: the noise is estimated, few
 * components are left, and distances between noisy images tell more of those between
 * the clean ones.
 */
#include "oracle.h"
#include "lavdm/images.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { SIZE = 24, P = SIZE * SIZE, N = 900, CLASSES = 30, PAIRS = 4000 };

/* Images of some classes, each turned at random. */
static double *clean_images(int64_t n) {
  double *x = numbers(n * P), z[9], *turn = numbers(n);
  fill_normal(turn, n, 77);
  for (int64_t i = 0; i < n; i++) {
    fill_normal(z, 9, (uint64_t)(i % CLASSES + 1));
    double c = cos(10 * turn[i]), s = sin(10 * turn[i]);
    for (int p = 0; p < P; p++) {
      double a = p / SIZE - 0.5 * (SIZE - 1), b = p % SIZE - 0.5 * (SIZE - 1), sum = 0;
      for (int k = 0; k < 3; k++) {
        double bx = 5 * tanh(z[3 * k]), by = 5 * tanh(z[3 * k + 1]);
        double dx = b - (bx * c - by * s), dy = a - (bx * s + by * c);
        sum += (1.5 + tanh(z[3 * k + 2])) * exp(-(dx * dx + dy * dy) / 8);
      }
      x[i * P + p] = sum;
    }
  }
  free(turn);
  return x;
}

static double *with_noise(const double *x, int64_t count, double sigma) {
  double *y = numbers(count);
  fill_normal(y, count, 5);
  for (int64_t i = 0; i < count; i++) y[i] = x[i] + sigma * y[i];
  return y;
}

static lavdm_stack *make(const double *x, int64_t n, double noise, int64_t pca, lavdm_precision precision) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.bundle = LAVDM_BUNDLE_ROTATION, o.noise = noise, o.pca = pca, o.precision = precision, o.threads = 2;
  lavdm_data data = {.points = x, .n = n, .p = P};
  lavdm_stack *stack;
  lavdm_error error;
  if (lavdm_stack_new(&data, &o, &stack, &error) < 0) fail_msg("%s", error.message);
  return stack;
}

static void distances(const lavdm_stack *stack, double *d) {
  int64_t i[PAIRS], j[PAIRS];
  for (int e = 0; e < PAIRS; e++) i[e] = (e * 37) % N, j[e] = (e * 113 + e / 7) % N;
  assert_int_equal(lavdm_stack_pairs(stack, i, j, PAIRS, d, NULL, NULL, NULL), 0);
}

static double correlation(const double *a, const double *b) {
  double ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;
  for (int e = 0; e < PAIRS; e++) ma += a[e] / PAIRS, mb += b[e] / PAIRS;
  for (int e = 0; e < PAIRS; e++)
    aa += (a[e] - ma) * (a[e] - ma), bb += (b[e] - mb) * (b[e] - mb), ab += (a[e] - ma) * (b[e] - mb);
  return ab / sqrt(aa * bb);
}

static void test_noise(void **state) {
  (void)state;
  double *x = clean_images(N), *d = numbers(3 * PAIRS);
  lavdm_stack *clean = make(x, N, 0, 0, LAVDM_PRECISION_DOUBLE);
  assert_int_equal(lavdm_stack_info(clean)->compared, lavdm_stack_info(clean)->coefficients);
  assert_true(lavdm_stack_info(clean)->noise == 0);
  distances(clean, d);
  lavdm_stack_free(clean);
  const double sigmas[] = {0.02, 0.3, 1};
  for (int k = 0; k < 3; k++)
    for (lavdm_precision precision = LAVDM_PRECISION_DOUBLE; precision <= LAVDM_PRECISION_SINGLE;
         precision++) {
      double *y = with_noise(x, N * P, sigmas[k]);
      lavdm_stack *plain = make(y, N, 0, 0, precision);
      lavdm_stack *found = make(y, N, LAVDM_AUTO, 0, precision), *told = make(y, N, sigmas[k], 0, precision);
      distances(plain, d + PAIRS);
      distances(told, d + 2 * PAIRS);
      double before = correlation(d, d + PAIRS), after = correlation(d, d + 2 * PAIRS);
      printf("sigma %g: estimated %.4g; %d of %d components; correlation with clean distances %.4f, without "
             "components %.4f\n",
             sigmas[k], lavdm_stack_info(found)->noise, (int)lavdm_stack_info(told)->compared,
             (int)lavdm_stack_info(told)->coefficients, after, before);
      assert_true(fabs(lavdm_stack_info(found)->noise / sigmas[k] - 1) < 0.05);
      assert_true(lavdm_stack_info(told)->noise == sigmas[k]);
      assert_true(lavdm_stack_info(told)->compared < lavdm_stack_info(told)->coefficients / 2);
      assert_true(after > before - 1e-4);
      assert_true(k == 0 || 1 - after < 0.7 * (1 - before));
      distances(found, d + PAIRS);
      assert_true(fabs(correlation(d, d + PAIRS) - after) < 0.01);
      free(y);
      lavdm_stack_free(plain), lavdm_stack_free(found), lavdm_stack_free(told);
    }
  free(x), free(d);
}

/* The leading components of clean images: distances come near those of all, from below. */
static void test_keep(void **state) {
  (void)state;
  double *x = clean_images(N), *d = numbers(2 * PAIRS), last = INFINITY;
  lavdm_stack *all = make(x, N, 0, 0, LAVDM_PRECISION_DOUBLE);
  distances(all, d);
  for (int64_t keep = 5; keep <= 80; keep *= 4) {
    lavdm_stack *some = make(x, N, 0, keep, LAVDM_PRECISION_DOUBLE);
    assert_int_equal(lavdm_stack_info(some)->compared, keep);
    distances(some, d + PAIRS);
    double gap = 0;
    for (int e = 0; e < PAIRS; e++) {
      assert_true(d[PAIRS + e] <= d[e] + 1e-9);
      gap = fmax(gap, d[e] - d[PAIRS + e]);
    }
    assert_true(gap < last);
    last = gap;
    lavdm_stack_free(some);
  }
  assert_true(last < 0.05);
  free(x), free(d);
  lavdm_stack_free(all);
}

/* Too few images to tell what is noise; and images that are nothing but noise. */
static void test_extremes(void **state) {
  (void)state;
  double *x = clean_images(N), *y = with_noise(x, 5 * P, 1), *none = numbers(N * P);
  lavdm_stack *few = make(y, 5, LAVDM_AUTO, 0, LAVDM_PRECISION_DOUBLE);
  assert_true(lavdm_stack_info(few)->noise == 0);
  assert_int_equal(lavdm_stack_info(few)->compared, lavdm_stack_info(few)->coefficients);
  lavdm_stack_free(few);
  lavdm_stack *blank = make(none, N, LAVDM_AUTO, 0, LAVDM_PRECISION_DOUBLE);
  assert_true(lavdm_stack_info(blank)->noise == 0);
  lavdm_stack_free(blank);
  fill_normal(none, N * P, 8);
  lavdm_stack *noise = make(none, N, LAVDM_AUTO, 0, LAVDM_PRECISION_DOUBLE);
  assert_true(fabs(lavdm_stack_info(noise)->noise - 1) < 0.05);
  printf("nothing but noise: %d components\n", (int)lavdm_stack_info(noise)->compared);
  assert_true(lavdm_stack_info(noise)->compared >= 1 && lavdm_stack_info(noise)->compared < 20);
  lavdm_stack_free(noise);
  free(x), free(y), free(none);
}

/* BLAS calls this, in place of its own, when an argument is wrong. */
static int complaints;
int xerbla_(const char *name, const int *argument, int length);
int xerbla_(const char *name, const int *argument, int length) {
  printf("%.*s: argument %d\n", length, name, *argument);
  return complaints++;
}

/* Of so few pixels a band may have no functions at all. */
static void test_empty_bands(void **state) {
  (void)state;
  double *x = numbers(400 * 16 * 16);
  fill_normal(x, 400 * 16 * 16, 9);
  for (int height = 4; height < 16; height++) {
    for (int width = height; width <= height + 1; width++) {
      lavdm_options o;
      lavdm_options_default(&o);
      o.bundle = LAVDM_BUNDLE_ROTATION, o.threads = 2;
      lavdm_data data = {.points = x, .n = 400, .p = height * width, .height = height, .width = width};
      lavdm_stack *stack;
      lavdm_error error;
      if (lavdm_stack_new(&data, &o, &stack, &error) < 0) fail_msg("%s", error.message);
      assert_true(fabs(lavdm_stack_info(stack)->noise - 1) < 0.2);
      lavdm_stack_free(stack);
    }
  }
  assert_int_equal(complaints, 0);
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_noise),
      cmocka_unit_test(test_keep),
      cmocka_unit_test(test_extremes),
      cmocka_unit_test(test_empty_bands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
