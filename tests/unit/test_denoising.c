/* Denoising: how much each method gains, the estimate of the noise, and pictures of every shape. */
#include "lavdm/denoise.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 72, PIXELS = SIDE * SIDE };

static double psnr_of(const double *a, const double *b, int64_t height, int64_t width, int64_t channels) {
  double psnr, ssim;
  lavdm_denoise_quality(a, b, height, width, channels, 255, &psnr, &ssim);
  return psnr;
}

static lavdm_denoise_options options_of(lavdm_denoise_method method, double sigma) {
  lavdm_denoise_options o;
  lavdm_denoise_default(&o);
  o.method = method;
  o.sigma = sigma;
  o.threads = 2;
  return o;
}

/* PSNR of the example after denoising with these options. */
static double result_of(const lavdm_denoise_options *o, double *out) {
  static double clean[PIXELS], noisy[PIXELS];
  lavdm_error error = {0};
  lavdm_denoise_example(SIDE, SIDE, 1, 0, clean);
  lavdm_denoise_example(SIDE, SIDE, 1, 25, noisy);
  assert_int_equal(lavdm_denoise(noisy, SIDE, SIDE, 1, o, out, NULL, &error), LAVDM_OK);
  return psnr_of(out, clean, SIDE, SIDE, 1);
}

/* Noise of 25 is 20.2 dB. Shapes that repeat turned gain by turned patches. */
static void test_gain(void **state) {
  (void)state;
  static double out[PIXELS];
  double found[4];
  for (int method = 0; method < 4; method++) {
    lavdm_denoise_options o = options_of((lavdm_denoise_method)method, 25);
    found[method] = result_of(&o, out);
  }
  assert_true(found[LAVDM_DENOISE_NLM] > 24);
  assert_true(found[LAVDM_DENOISE_NLEM] > 23.5);
  assert_true(found[LAVDM_DENOISE_RID] > found[LAVDM_DENOISE_NLM] + 1);
  assert_true(found[LAVDM_DENOISE_LAVDM] > found[LAVDM_DENOISE_NLM] + 1);
}

static void test_averages_and_passes(void **state) {
  (void)state;
  static double out[PIXELS];
  double found[3];
  for (int average = 0; average < 3; average++) {
    lavdm_denoise_options o = options_of(LAVDM_DENOISE_RID, 25);
    o.average = (lavdm_denoise_average)average;
    o.passes = 1;
    found[average] = result_of(&o, out);
    assert_true(found[average] > 24.5);
  }
  lavdm_denoise_options o = options_of(LAVDM_DENOISE_RID, 25);
  assert_true(result_of(&o, out) > found[LAVDM_DENOISE_SHRINK] + 0.2);
}

static void test_same_bits(void **state) {
  (void)state;
  static double one[PIXELS], two[PIXELS];
  for (int method = 0; method < 4; method++) {
    lavdm_denoise_options o = options_of((lavdm_denoise_method)method, 25);
    o.passes = method == LAVDM_DENOISE_RID ? 2 : 1;
    result_of(&o, one);
    result_of(&o, two);
    assert_memory_equal(one, two, sizeof one);
    if (method == LAVDM_DENOISE_LAVDM) continue;
    o.threads = 1;
    result_of(&o, two);
    assert_memory_equal(one, two, sizeof one);
  }
}

/* 16 bits, or any other unit, are the same picture on another scale. */
static void test_scale(void **state) {
  (void)state;
  static double noisy[PIXELS], large[PIXELS], one[PIXELS], two[PIXELS];
  lavdm_denoise_example(SIDE, SIDE, 3, 25, noisy);
  for (int method = LAVDM_DENOISE_RID; method < 4; method++) {
    static const double scale[] = {256, 0x1p60, 0x1p200, 0x1p-80};
    lavdm_denoise_options o = options_of((lavdm_denoise_method)method, 25);
    o.passes = 1;
    lavdm_denoise(noisy, SIDE, SIDE, 1, &o, one, NULL, NULL);
    for (int s = 0; s < 4; s++) {
      for (int k = 0; k < PIXELS; k++) large[k] = scale[s] * noisy[k];
      o.sigma = 25 * scale[s];
      assert_int_equal(lavdm_denoise(large, SIDE, SIDE, 1, &o, two, NULL, NULL), LAVDM_OK);
      for (int k = 0; k < PIXELS; k++) two[k] /= scale[s];
      assert_true(psnr_of(one, two, SIDE, SIDE, 1) > 45);
    }
  }
}

static void test_sigma(void **state) {
  (void)state;
  static double flat[PIXELS], noisy[PIXELS];
  double sigma;
  lavdm_denoise_example(SIDE, SIDE, 5, 0, flat);
  for (double s = 5; s < 60; s *= 2) {
    lavdm_denoise_example(SIDE, SIDE, 5, s, noisy);
    assert_int_equal(lavdm_denoise_sigma(noisy, SIDE, SIDE, 1, &sigma, NULL), LAVDM_OK);
    assert_true(fabs(sigma - s) < 0.1 * s);
    for (int k = 0; k < PIXELS; k++) noisy[k] -= flat[k];
    lavdm_denoise_sigma(noisy, SIDE, SIDE, 1, &sigma, NULL);
    assert_true(fabs(sigma - s) < 0.1 * s);
  }
  for (int k = 0; k < PIXELS; k++) noisy[k] = 7;
  lavdm_denoise_sigma(noisy, SIDE, SIDE, 1, &sigma, NULL);
  assert_true(sigma < 1e-6);
}

/* Colours gain as well, and alpha is let be. */
static void test_colour(void **state) {
  (void)state;
  static double clean[4 * PIXELS], noisy[4 * PIXELS], out[4 * PIXELS], plane[2][PIXELS];
  for (int c = 0; c < 4; c++) {
    const double share = 0.5 + 0.2 * c, noise = c < 3 ? 25 : 0;
    lavdm_denoise_example(SIDE, SIDE, 1, 0, plane[0]);
    lavdm_denoise_example(SIDE, SIDE, 10 + (uint64_t)c, 0, plane[1]);
    for (int k = 0; k < PIXELS; k++) clean[4 * k + c] = share * plane[0][k];
    for (int k = 0; k < PIXELS; k++) noisy[4 * k + c] = clean[4 * k + c] - noise / 25 * plane[1][k];
    lavdm_denoise_example(SIDE, SIDE, 10 + (uint64_t)c, 25, plane[1]);
    for (int k = 0; k < PIXELS; k++) noisy[4 * k + c] += noise / 25 * plane[1][k];
  }
  const double before = psnr_of(noisy, clean, SIDE, SIDE, 4);
  for (int method = LAVDM_DENOISE_RID; method < 4; method++) {
    lavdm_denoise_options o = options_of((lavdm_denoise_method)method, 25);
    o.passes = 1;
    assert_int_equal(lavdm_denoise(noisy, SIDE, SIDE, 4, &o, out, NULL, NULL), LAVDM_OK);
    assert_true(psnr_of(out, clean, SIDE, SIDE, 4) > before + 3);
    for (int k = 0; k < PIXELS; k++) assert_true(out[4 * k + 3] == noisy[4 * k + 3]);
  }
}

static void test_shapes(void **state) {
  (void)state;
  static const int64_t shapes[][3] = {{1, 1, 1},   {1, 40, 1}, {40, 1, 3}, {2, 2, 2},
                                      {3, 200, 1}, {5, 6, 4},  {31, 17, 1}};
  static double picture[4096], out[4096];
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    for (int method = 0; method < 4; method++) {
      const int64_t *s = shapes[k], count = s[0] * s[1] * s[2];
      lavdm_denoise_options o = options_of((lavdm_denoise_method)method, 10);
      lavdm_denoise_example(1, count, 2, 10, picture);
      assert_int_equal(lavdm_denoise(picture, s[0], s[1], s[2], &o, out, NULL, NULL), LAVDM_OK);
      for (int64_t e = 0; e < count; e++) assert_true(isfinite(out[e]));
      o.sigma = -1;
      assert_int_equal(lavdm_denoise(picture, s[0], s[1], s[2], &o, out, NULL, NULL), LAVDM_OK);
    }
}

/* Noise far below and far above a picture, and one value far above the others: all values stay finite. */
static void test_far_noise(void **state) {
  (void)state;
  static double picture[PIXELS], out[PIXELS];
  static const double sigma[] = {1e-40, 1e-12, 1e12, 1e120}, high[] = {200, 1e41};
  for (int i = 0; i < 4; i++)
    for (int h = 0; h < 2; h++)
      for (int method = 0; method < 4; method++) {
        lavdm_denoise_options o = options_of((lavdm_denoise_method)method, sigma[i]);
        lavdm_denoise_example(SIDE, SIDE, 3, 25, picture);
        picture[SIDE + 5] = high[h];
        o.passes = 1;
        assert_int_equal(lavdm_denoise(picture, SIDE, SIDE, 1, &o, out, NULL, NULL), LAVDM_OK);
        for (int k = 0; k < PIXELS; k++) assert_true(isfinite(out[k]));
      }
}

static void test_nothing_to_do(void **state) {
  (void)state;
  static double picture[PIXELS], out[PIXELS];
  lavdm_denoise_example(SIDE, SIDE, 2, 10, picture);
  for (int method = 0; method < 4; method++) {
    lavdm_denoise_options o = options_of((lavdm_denoise_method)method, 0);
    assert_int_equal(lavdm_denoise(picture, SIDE, SIDE, 1, &o, out, NULL, NULL), LAVDM_OK);
    assert_memory_equal(picture, out, sizeof out);
  }
  for (int k = 0; k < PIXELS; k++) picture[k] = 40;
  for (int method = 0; method < 4; method++) {
    lavdm_denoise_options o = options_of((lavdm_denoise_method)method, 10);
    assert_int_equal(lavdm_denoise(picture, SIDE, SIDE, 1, &o, out, NULL, NULL), LAVDM_OK);
    for (int k = 0; k < PIXELS; k++) assert_true(fabs(out[k] - 40) < 0.01);
  }
}

static int stop_at_once(const char *stage, double fraction, void *user) {
  (void)stage, (void)fraction, (void)user;
  return 1;
}

static void test_refused(void **state) {
  (void)state;
  static double picture[PIXELS], out[PIXELS];
  lavdm_error error = {0};
  lavdm_denoise_example(SIDE, SIDE, 2, 10, picture);
  for (int method = 0; method < 4; method++) {
    lavdm_denoise_options o = options_of((lavdm_denoise_method)method, 10);
    o.progress = stop_at_once;
    assert_int_equal(lavdm_denoise(picture, SIDE, SIDE, 1, &o, out, NULL, &error), LAVDM_ERROR_INTERRUPTED);
  }
  lavdm_denoise_options o = options_of(LAVDM_DENOISE_NLM, 10);
  o.patch = 4;
  assert_int_equal(lavdm_denoise(picture, SIDE, SIDE, 1, &o, out, NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "patch is 4"));
  o = options_of(LAVDM_DENOISE_RID, 10);
  o.patch = 7, o.step = 6; /* the first pass has patches of 5 pixels: some would have no value */
  assert_int_equal(lavdm_denoise(picture, SIDE, SIDE, 1, &o, out, NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "step is 6"));
  o = options_of(LAVDM_DENOISE_NLM, 10);
  o.method = (lavdm_denoise_method)4;
  assert_int_equal(lavdm_denoise(picture, SIDE, SIDE, 1, &o, out, NULL, &error), LAVDM_ERROR_ARGUMENT);
  o = options_of(LAVDM_DENOISE_NLM, 10);
  o.bandwidth = NAN;
  assert_int_equal(lavdm_denoise(picture, SIDE, SIDE, 1, &o, out, NULL, &error), LAVDM_ERROR_ARGUMENT);
  double sigma;
  assert_int_equal(lavdm_denoise_sigma(picture, 0, SIDE, 1, &sigma, &error), LAVDM_ERROR_DATA);
  assert_int_equal(lavdm_denoise_sigma(picture, SIDE, -SIDE, 1, &sigma, &error), LAVDM_ERROR_DATA);
  o = options_of(LAVDM_DENOISE_NLM, 10);
  assert_int_equal(lavdm_denoise(picture, SIDE, SIDE, 5, &o, out, NULL, &error), LAVDM_ERROR_DATA);
  picture[SIDE * 2 + 3] = NAN;
  assert_int_equal(lavdm_denoise(picture, SIDE, SIDE, 1, &o, out, NULL, &error), LAVDM_ERROR_DATA);
  assert_non_null(strstr(error.message, "NaN at row 3, column 4"));
}

static void test_quality(void **state) {
  (void)state;
  static double a[PIXELS], b[PIXELS];
  double psnr, ssim;
  lavdm_denoise_example(SIDE, SIDE, 2, 0, a);
  lavdm_denoise_quality(a, a, SIDE, SIDE, 1, 255, &psnr, &ssim);
  assert_true(isinf(psnr) && psnr > 0);
  assert_true(fabs(ssim - 1) < 1e-12);
  for (int k = 0; k < PIXELS; k++) b[k] = a[k] + 25.5;
  lavdm_denoise_quality(a, b, SIDE, SIDE, 1, 255, &psnr, &ssim);
  assert_true(fabs(psnr - 20) < 1e-9);
  assert_true(ssim < 1 && ssim > 0.5);
  lavdm_denoise_quality(a, b, 6, 50, 1, 255, &psnr, &ssim);
  assert_true(isnan(ssim));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gain),          cmocka_unit_test(test_averages_and_passes),
      cmocka_unit_test(test_scale),         cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_far_noise),     cmocka_unit_test(test_sigma),
      cmocka_unit_test(test_colour),        cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_nothing_to_do), cmocka_unit_test(test_refused),
      cmocka_unit_test(test_quality),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
