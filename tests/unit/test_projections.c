/* Projections of a volume, against line integrals by quadrature; rotations and noise by their moments. */
#include "lavdm/projections.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BLOBS = 12, SIZE = 20 };

static const double pi = 3.14159265358979323846;

static void close_to(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance)) {
    print_error("%.17g is not %.17g within %g\n", value, expected, tolerance);
    fail();
  }
}

/* The line integral of the blobs through (x,y), by the trapezoidal rule. */
static double integral(const lavdm_blob *blobs, const double *r, double x, double y) {
  const double step = 0.01;
  double sum = 0;
  for (int k = -200; k <= 200; k++) {
    double z = k * step;
    for (int b = 0; b < BLOBS; b++) {
      double square = 0;
      for (int d = 0; d < 3; d++) {
        double s = x * r[3 * d] + y * r[3 * d + 1] + z * r[3 * d + 2] - blobs[b].centre[d];
        square += s * s;
      }
      sum += blobs[b].height * exp(-square / (2 * blobs[b].width * blobs[b].width));
    }
  }
  return sum * step;
}

static double pixel(int k) {
  return (2.0 * k + 1) / SIZE - 1;
}

/* out = r, seen after the axes a and b have been turned by -theta: the image is turned by theta. */
static void turned(const double *r, double theta, double *out) {
  for (int d = 0; d < 3; d++) {
    const double *row = r + 3 * d;
    out[3 * d] = row[0] * cos(theta) - row[1] * sin(theta);
    out[3 * d + 1] = row[0] * sin(theta) + row[1] * cos(theta);
    out[3 * d + 2] = row[2];
  }
}

static void flipped(const double *r, double *out) {
  for (int k = 0; k < 9; k++) out[k] = k % 3 ? -r[k] : r[k];
}

static void project(const lavdm_blob *blobs, const double *rotations, int64_t n, double *images) {
  lavdm_volume volume = {.blobs = blobs, .blob_count = BLOBS};
  assert_int_equal(lavdm_project(&volume, rotations, n, SIZE, images, NULL), LAVDM_OK);
}

static void test_line_integrals(void **state) {
  (void)state;
  lavdm_blob blobs[BLOBS];
  double r[18], images[2 * SIZE * SIZE];
  assert_int_equal(lavdm_blobs(BLOBS, 3, blobs, NULL), LAVDM_OK);
  assert_int_equal(lavdm_rotations(2, 3, r, NULL), LAVDM_OK);
  project(blobs, r, 2, images);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < SIZE * SIZE; k++)
      close_to(images[i * SIZE * SIZE + k], integral(blobs, r + 9 * i, pixel(k % SIZE), pixel(k / SIZE)),
               1e-9);
}

/* Voxels: the relative error, in the norm of the image, falls with the square of their size. */
static void test_voxels(void **state) {
  (void)state;
  lavdm_blob blobs[BLOBS];
  double r[9], exact[SIZE * SIZE], image[SIZE * SIZE], error[2];
  lavdm_blobs(BLOBS, 4, blobs, NULL);
  lavdm_rotations(1, 4, r, NULL);
  project(blobs, r, 1, exact);
  for (int level = 0; level < 2; level++) {
    int64_t side = level ? 64 : 32;
    double *voxels = malloc((size_t)(side * side * side) * sizeof *voxels), wrong = 0, norm = 0;
    assert_non_null(voxels);
    assert_int_equal(lavdm_blob_voxels(blobs, BLOBS, side, voxels, NULL), LAVDM_OK);
    lavdm_volume volume = {.voxels = voxels, .side = side};
    assert_int_equal(lavdm_project(&volume, r, 1, SIZE, image, NULL), LAVDM_OK);
    for (int k = 0; k < SIZE * SIZE; k++) {
      wrong += (image[k] - exact[k]) * (image[k] - exact[k]);
      norm += exact[k] * exact[k];
    }
    error[level] = sqrt(wrong / norm);
    free(voxels);
  }
  assert_true(error[0] < 0.1);
  assert_true(error[1] < 0.3 * error[0]);
}

/* One direction: a turn; the opposite one: a reflection, then a turn; and lavdm_rotation_pairs says so. */
static void test_turns(void **state) {
  (void)state;
  lavdm_blob blobs[BLOBS];
  double r[27], images[3 * SIZE * SIZE], theta = 0.7, viewing, turn;
  lavdm_blobs(BLOBS, 5, blobs, NULL);
  lavdm_rotations(1, 5, r, NULL);
  double mirror[9];
  flipped(r, mirror);
  turned(r, theta, r + 9);
  turned(mirror, theta, r + 18);
  project(blobs, r, 3, images);
  for (int k = 0; k < SIZE * SIZE; k++) {
    double x = pixel(k % SIZE), y = pixel(k / SIZE);
    double back_x = x * cos(theta) + y * sin(theta), back_y = y * cos(theta) - x * sin(theta);
    close_to(images[SIZE * SIZE + k], integral(blobs, r, back_x, back_y), 1e-9);
    close_to(images[2 * SIZE * SIZE + k], integral(blobs, r, back_x, -back_y), 1e-9);
  }
  for (int64_t i = 1; i < 3; i++) {
    int64_t j = 0;
    signed char reflected = i == 2;
    assert_int_equal(lavdm_rotation_pairs(r, 3, &i, &j, &reflected, 1, &viewing, &turn, NULL), LAVDM_OK);
    close_to(viewing, 0, 1e-7);
    close_to(turn, theta, 1e-12);
    reflected = !reflected;
    lavdm_rotation_pairs(r, 3, &i, &j, &reflected, 1, &viewing, NULL, NULL);
    close_to(viewing, pi, 1e-7);
  }
}

static void test_rotations(void **state) {
  (void)state;
  enum { N = 4000 };
  static double r[9 * N], few[9 * 10];
  assert_int_equal(lavdm_rotations(N, 6, r, NULL), LAVDM_OK);
  assert_int_equal(lavdm_rotations(10, 6, few, NULL), LAVDM_OK);
  assert_memory_equal(r, few, sizeof few);
  double mean[9] = {0}, square[9] = {0};
  for (int i = 0; i < N; i++) {
    const double *a = r + 9 * i;
    double det = a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
                 a[2] * (a[3] * a[7] - a[4] * a[6]);
    close_to(det, 1, 1e-12);
    for (int k = 0; k < 9; k++) mean[k] += a[k] / N, square[k] += a[k] * a[k] / N;
  }
  for (int k = 0; k < 9; k++) {
    close_to(mean[k], 0, 0.04);
    close_to(square[k], 1. / 3, 0.025);
  }
}

static void test_noise(void **state) {
  (void)state;
  enum { N = 300 };
  lavdm_blob blobs[BLOBS];
  double *r = malloc(9 * N * sizeof *r), *clean = malloc(N * SIZE * SIZE * sizeof *clean);
  double *noisy = malloc(N * SIZE * SIZE * sizeof *noisy), sigma, mean = 0, signal = 0, noise = 0;
  assert_true(r && clean && noisy);
  lavdm_blobs(BLOBS, 7, blobs, NULL);
  lavdm_rotations(N, 7, r, NULL);
  project(blobs, r, N, clean);
  memcpy(noisy, clean, N * SIZE * SIZE * sizeof *noisy);
  assert_int_equal(lavdm_add_noise(noisy, N, SIZE * SIZE, 0.05, 7, &sigma, NULL), LAVDM_OK);
  for (int k = 0; k < N * SIZE * SIZE; k++) mean += clean[k] / (N * SIZE * SIZE);
  for (int k = 0; k < N * SIZE * SIZE; k++) {
    signal += (clean[k] - mean) * (clean[k] - mean);
    noise += (noisy[k] - clean[k]) * (noisy[k] - clean[k]);
  }
  close_to(signal / noise, 0.05, 0.001);
  close_to(sqrt(noise / (N * SIZE * SIZE)), sigma, 0.01 * sigma);
  free(r), free(clean), free(noisy);
}

static void test_refusals(void **state) {
  (void)state;
  lavdm_blob blob = {.width = 0.1, .height = 1};
  lavdm_volume volume = {.blobs = &blob, .blob_count = 1};
  double r[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, image[4] = {0, 1, 2, 3};
  int64_t one = 1, zero = 0;
  lavdm_error error;
  assert_int_equal(lavdm_blobs(0, 1, &blob, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_rotations(0, 1, r, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_project(&volume, r, 1, 0, image, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_project(NULL, r, 1, 2, image, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_add_noise(image, 1, 4, 0, 1, NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_rotation_pairs(r, 1, &zero, &one, NULL, 1, NULL, NULL, &error),
                   LAVDM_ERROR_ARGUMENT);
  r[0] = 2;
  assert_int_equal(lavdm_project(&volume, r, 1, 2, image, &error), LAVDM_ERROR_DATA);
  assert_non_null(strstr(error.message, "rotation 0"));
  r[0] = 1, blob.width = 0;
  assert_int_equal(lavdm_project(&volume, r, 1, 2, image, &error), LAVDM_ERROR_DATA);
  double voxel = NAN;
  volume = (lavdm_volume){.voxels = &voxel, .side = 1};
  assert_int_equal(lavdm_project(&volume, r, 1, 2, image, &error), LAVDM_ERROR_DATA);
}

static void refused(int status, int expected, const lavdm_error *error, const char *words) {
  assert_int_equal(status, expected);
  if (!strstr(error->message, words)) fail_msg("'%s' does not say '%s'", error->message, words);
}

/* What is missing, too small, too large or no number. */
static void test_more_refusals(void **state) {
  (void)state;
  enum { BAD = LAVDM_ERROR_ARGUMENT, ODD = LAVDM_ERROR_DATA };
  const lavdm_blob good = {.width = 0.1, .height = 1};
  lavdm_blob blob = good;
  double r[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, x[8] = {0, 1, 2, 3};
  int64_t zero = 0, outside[] = {-1, 1};
  lavdm_error e;
  refused(lavdm_blobs(3, 1, NULL, &e), BAD, &e, "an array for them");
  refused(lavdm_blob_voxels(NULL, 1, 2, x, &e), BAD, &e, "no Gaussians");
  refused(lavdm_blob_voxels(&blob, 0, 2, x, &e), BAD, &e, "no Gaussians");
  refused(lavdm_blob_voxels(&blob, 1, 0, x, &e), BAD, &e, "not 0");
  refused(lavdm_blob_voxels(&blob, 1, 1 << 20, x, &e), BAD, &e, "not 1048576");
  refused(lavdm_blob_voxels(&blob, 1, 2, NULL, &e), BAD, &e, "voxels a side");
  blob.height = INFINITY, refused(lavdm_blob_voxels(&blob, 1, 2, x, &e), ODD, &e, "");
  blob = good, blob.width = -1, refused(lavdm_blob_voxels(&blob, 1, 2, x, &e), ODD, &e, "");
  blob = good;
  refused(lavdm_rotations(1, 1, NULL, &e), BAD, &e, "rotations");
  lavdm_volume volume = {.blobs = &blob, .blob_count = 1};
  refused(lavdm_project(&volume, NULL, 1, 2, x, &e), BAD, &e, "no rotations");
  refused(lavdm_project(&volume, r, 0, 2, x, &e), BAD, &e, "no rotations");
  refused(lavdm_project(&volume, r, 1, 1 << 20, x, &e), BAD, &e, "not 1048576");
  refused(lavdm_project(&volume, r, 1, 2, NULL, &e), BAD, &e, "pixels a side");
  volume = (lavdm_volume){.voxels = x, .side = 0};
  refused(lavdm_project(&volume, r, 1, 2, x + 4, &e), BAD, &e, "not 0");
  volume.side = 1 << 20, refused(lavdm_project(&volume, r, 1, 2, x + 4, &e), BAD, &e, "not 1048576");
  refused(lavdm_add_noise(NULL, 1, 4, 1, 1, NULL, &e), BAD, &e, "no images");
  refused(lavdm_add_noise(x, 0, 4, 1, 1, NULL, &e), BAD, &e, "no images");
  refused(lavdm_add_noise(x, 1, 0, 1, 1, NULL, &e), BAD, &e, "no images");
  refused(lavdm_add_noise(x, 1, 4, NAN, 1, NULL, &e), BAD, &e, "not nan");
  for (int k = 0; k < 2; k++) {
    refused(lavdm_rotation_pairs(r, 1, &outside[k], &zero, NULL, 1, x, NULL, &e), BAD, &e, "pair 0");
    refused(lavdm_rotation_pairs(r, 1, &zero, &outside[k], NULL, 1, x, NULL, &e), BAD, &e, "pair 0");
  }
  x[1] = 1e200, refused(lavdm_add_noise(x, 1, 4, 1, 1, NULL, &e), ODD, &e, "not finite, or too large");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_line_integrals), cmocka_unit_test(test_voxels),
                                     cmocka_unit_test(test_turns),          cmocka_unit_test(test_rotations),
                                     cmocka_unit_test(test_noise),          cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_more_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
