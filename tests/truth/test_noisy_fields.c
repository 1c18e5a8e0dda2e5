/*
 * S2 in R^20 with noise of .05 in every coordinate, everything automatic: the six slowest fields are the
 * gradients of the three coordinates and the rotations about the three axes.
 */
#include "oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { N = 3000, P = 20, FIELDS = 6 };

/* Columns (size x count) become orthonormal. */
static void orthonormalise(double *v, int64_t size, int64_t count) {
  for (int64_t a = 0; a < count; a++)
    for (int64_t b = 0; b <= a; b++) {
      double dot = 0;
      for (int64_t i = 0; i < size; i++) dot += v[i * count + a] * v[i * count + b];
      for (int64_t i = 0; i < size; i++)
        v[i * count + a] = b < a ? v[i * count + a] - dot * v[i * count + b] : v[i * count + a] / sqrt(dot);
    }
}

/* true (N P x 6): at y on the sphere, e_j - y y_j and y x e_j, in the first three coordinates. */
static void true_fields(const double *y, double *out) {
  for (int64_t i = 0; i < N; i++)
    for (int j = 0; j < 3; j++)
      for (int c = 0; c < 3; c++) {
        double *to = out + (i * P + c) * FIELDS;
        int other = 3 - j - c;
        to[j] = (c == j) - y[3 * i + c] * y[3 * i + j];
        to[3 + j] = c == j ? 0 : ((j + 1) % 3 == c ? -1 : 1) * -y[3 * i + other];
      }
}

/* The model's fields as vectors of R^P, N P x 6. */
static double *found_fields(const lavdm_model *model) {
  const lavdm_info_t *info = lavdm_info(model);
  const lavdm_array *basis = lavdm_get(model, "pca_basis"); /* P x p, or none */
  const double *b = lavdm_get(model, "frames")->data, *u = lavdm_get(model, "eigenvectors")->data;
  int64_t p = info->p, d = info->chosen->dim, r = info->chosen->components;
  double *out = numbers(N * P * FIELDS);
  for (int64_t i = 0; i < N; i++)
    for (int64_t j = 0; j < p; j++)
      for (int64_t l = 0; l < FIELDS; l++) {
        double x = 0;
        for (int64_t e = 0; e < d; e++) x += b[(i * p + j) * d + e] * u[(i * d + e) * r + l];
        for (int64_t c = 0; c < P; c++)
          out[(i * P + c) * FIELDS + l] += x * (basis ? ((const double *)basis->data)[c * p + j] : c == j);
      }
  return out;
}

/* sqrt of 1 less the mean squared cosine between both spaces of fields. */
static double field_error(double noise, uint64_t seed, lavdm_frame_rule frames, int64_t pca, double epsilon) {
  double *y = numbers(N * 3), *x = numbers(N * P), *truth = numbers(N * P * FIELDS), sum = 0;
  assert_int_equal(lavdm_sample("sphere", N, 0, NULL, 0, seed, y, NULL, NULL, NULL), 0);
  fill_normal(x, N * P, seed + 50);
  for (int64_t i = 0; i < N * P; i++) x[i] = noise * x[i] + (i % P < 3 ? y[i / P * 3 + i % P] : 0);
  true_fields(y, truth);
  lavdm_data data = {.points = x, .n = N, .p = P};
  lavdm_options o;
  lavdm_options_default(&o);
  o.frames = frames;
  o.pca = pca;
  o.epsilon = epsilon;
  lavdm_model *model = fit_or_fail(&data, &o);
  assert_int_equal(lavdm_info(model)->chosen->dim, 2);
  double *found = found_fields(model);
  orthonormalise(truth, N * P, FIELDS);
  orthonormalise(found, N * P, FIELDS);
  for (int a = 0; a < FIELDS; a++)
    for (int b = 0; b < FIELDS; b++) {
      double dot = 0;
      for (int64_t i = 0; i < N * P; i++) dot += truth[i * FIELDS + a] * found[i * FIELDS + b];
      sum += dot * dot;
    }
  lavdm_free(model);
  free(y), free(x), free(truth), free(found);
  return sqrt(fmax(0, 1 - sum / FIELDS));
}

static void test_fields(void **state) {
  (void)state;
  const lavdm_frame_rule rules[] = {LAVDM_FRAMES_AUTO, LAVDM_FRAMES_LOCAL, LAVDM_FRAMES_LOWPASS};
  const char *const names[] = {"auto", "local", "lowpass"};
  for (int f = 0; f < 3; f++) {
    double clean = field_error(0, 1, rules[f], LAVDM_AUTO, LAVDM_AUTO),
           noisy = field_error(0.05, 2, rules[f], LAVDM_AUTO, LAVDM_AUTO);
    print_message("frames %s: error of six fields %.3f, with noise of .05 %.3f\n", names[f], clean, noisy);
    assert_true(noisy < 0.1);
    assert_true(clean < (rules[f] == LAVDM_FRAMES_LOWPASS ? 0.1 : 0.05));
  }
}

/* Without principal coordinates frames have more to do; the bandwidth, which noise of all twenty moves, is
 * given. */
static void test_all_coordinates(void **state) {
  (void)state;
  double error = field_error(0.05, 3, LAVDM_FRAMES_AUTO, 0, 0.17);
  print_message("all coordinates, noise of .05: error of six fields %.3f\n", error);
  assert_true(error < 0.12);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_fields), cmocka_unit_test(test_all_coordinates)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
