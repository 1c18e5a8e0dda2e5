/*
 * The noise of a picture, from its patches of 5 x 5 pixels.
 *
 * Patches of a natural picture lie near few directions: the least eigenvalue of their covariance
 * is the variance of the noise. It is found among all patches, then among those whose gradients are
 * no stronger than such noise makes them, until it stays.
 */
#include "denoise/plane.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 5, SIZE = SIDE * SIDE, ROUNDS = 6, MOST = 40000 };

/* Sum of squared differences of neighbouring pixels: 2 sigma^2 for each of the 40 pairs on average. */
static double strength(const double *v) {
  double sum = 0;
  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x + 1 < SIDE; x++) {
      const double a = v[y * SIDE + x + 1] - v[y * SIDE + x], b = v[(x + 1) * SIDE + y] - v[x * SIDE + y];
      sum += a * a + b * b;
    }
  return sum;
}

/* Least eigenvalue of the covariance of the patches with strength up to `limit`; their number. */
static int64_t least(const double *patches, int64_t count, double limit, double *value) {
  double mean[SIZE] = {0}, c[SIZE * SIZE] = {0}, w[SIZE], work[64 * SIZE];
  int64_t used = 0;
  for (int64_t k = 0; k < count; k++) {
    const double *v = patches + k * SIZE;
    if (strength(v) > limit) continue;
    used++;
    for (int t = 0; t < SIZE; t++) mean[t] += v[t];
  }
  for (int t = 0; t < SIZE; t++) mean[t] /= (double)used;
  for (int64_t k = 0; k < count; k++) {
    const double *v = patches + k * SIZE;
    if (strength(v) > limit) continue;
    for (int t = 0; t < SIZE; t++)
      for (int u = 0; u <= t; u++) c[t * SIZE + u] += (v[t] - mean[t]) * (v[u] - mean[u]);
  }
  for (int t = 0; t < SIZE * SIZE; t++) c[t] /= (double)(used > 1 ? used - 1 : 1);
  /* in column order and with work of its own: a failed allocation must not be noise 0 */
  if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'N', 'U', SIZE, c, SIZE, w, work, 64 * SIZE)) w[0] = 0;
  /* of a finite sample of white noise the least is less by this factor */
  const double edge = 1 - sqrt((double)SIZE / (double)(used > SIZE ? used : SIZE + 1));
  *value = fmax(w[0], 0) / (edge * edge);
  return used;
}

/* Patches of a channel on a grid, no more than MOST. */
static int64_t collect(const double *v, int64_t height, int64_t width, int64_t channels, double *patches) {
  const int64_t across = width - SIDE + 1, down = height - SIDE + 1;
  int64_t step = 1, count = 0;
  while ((across / step + 1) * (down / step + 1) > MOST) step++;
  for (int64_t y = 0; y < down; y += step)
    for (int64_t x = 0; x < across; x += step, count++)
      for (int t = 0; t < SIZE; t++)
        patches[count * SIZE + t] = v[((y + t / SIDE) * width + x + t % SIDE) * channels];
  return count;
}

static double channel_variance(const double *patches, int64_t count) {
  double sigma2, next;
  least(patches, count, INFINITY, &sigma2);
  for (int round = 0; round < ROUNDS; round++) {
    /* the mean and three standard deviations of the strength of noise alone */
    const double limit = sigma2 * (80 + 3 * 26.5);
    if (least(patches, count, limit, &next) < 20 * SIZE) break;
    if (fabs(next - sigma2) < 1e-3 * sigma2) break;
    sigma2 = next;
  }
  return sigma2;
}

/* Of a picture that no patch of 5 x 5 fits into: neighbouring pixels differ by noise alone, at most. */
static double small_variance(const double *v, int64_t height, int64_t width, int64_t channels) {
  double sum = 0;
  int64_t count = 0;
  for (int64_t y = 0; y < height; y++)
    for (int64_t x = 0; x < width; x++) {
      const double *at = v + (y * width + x) * channels;
      if (x + 1 < width) sum += (at[channels] - *at) * (at[channels] - *at) / 2, count++;
      if (y + 1 < height) sum += (at[width * channels] - *at) * (at[width * channels] - *at) / 2, count++;
    }
  return count ? sum / (double)count : 0;
}

int lavdm_denoise_sigma(const double *picture, int64_t height, int64_t width, int64_t channels, double *sigma,
                        lavdm_error *error) {
  const int64_t colours = channels > 2 ? 3 : 1;
  int status = denoise_check(picture, height, width, channels, error);
  if (status < 0) return status;
  const int room = lavdm_threads(1, error); /* for BLAS */
  if (room < 0) return room;
  double sum = 0, *patches = take((int64_t)MOST * SIZE, sizeof(double));
  if (!patches) return say_memory(error, "the patches of the noise estimate");
  for (int64_t c = 0; c < colours; c++) {
    if (height < SIDE || width < SIDE)
      sum += small_variance(picture + c, height, width, channels);
    else
      sum += channel_variance(patches, collect(picture + c, height, width, channels, patches));
  }
  *sigma = sqrt(fmax(sum, 0) / (double)colours); /* the least eigenvalue may be below 0 by rounding */
  free(patches);
  return LAVDM_OK;
}
