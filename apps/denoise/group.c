/*
 * What a group of aligned patches says about one of them.
 *
 * mean:    m = sum w_k y_k / sum w_k
 * median:  argmin over x of sum w_k |x - y_k|, by iteratively reweighted means:
 *          x <- sum (w_k/|x - y_k|) y_k / sum (w_k/|x - y_k|)
 * shrink:  y - sigma^2 (C + sigma^2)^-1 (y - m), the best linear estimate where patches
 *          have the mean m and the covariance C; C is that of the pilot's patches, or, without
 *          a pilot, C + sigma^2 that of the noisy ones.
 */
#include "denoise/plane.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEDIAN_STEPS = 12 };

bool group_make(group *s, int64_t members, int64_t size) {
  *s = (group){.noisy = take(members * size, sizeof(float)),
               .clean = take(members * size, sizeof(float)),
               .weight = take(members, sizeof(float)),
               .mean = take(size, sizeof(float)),
               .centre = take(size, sizeof(float)),
               .matrix = take(size * size, sizeof(float)),
               .spread = take(size, sizeof(float))};
  return s->noisy && s->clean && s->weight && s->mean && s->centre && s->matrix && s->spread;
}

void group_free(group *s) {
  free(s->noisy);
  free(s->clean);
  free(s->weight);
  free(s->mean);
  free(s->centre);
  free(s->matrix);
  free(s->spread);
}

/* out = sum weight_k rows_k / sum weight_k */
static void weighted_mean(const float *rows, const float *weight, int count, int size, float *out) {
  float sum = 0;
  memset(out, 0, (size_t)size * sizeof *out);
  for (int k = 0; k < count; k++) {
    sum += weight[k];
    for (int t = 0; t < size; t++) out[t] += weight[k] * rows[k * size + t];
  }
  for (int t = 0; t < size; t++) out[t] /= sum;
}

void group_mean(group *s, int count, int size) {
  weighted_mean(s->noisy, s->weight, count, size, s->mean);
}

void group_median(group *s, int count, int size) {
  float *x = s->mean, *next = s->centre;
  group_mean(s, count, size);
  for (int step = 0; step < MEDIAN_STEPS; step++) {
    float sum = 0;
    memset(next, 0, (size_t)size * sizeof *next);
    for (int k = 0; k < count; k++) {
      const float *y = s->noisy + (int64_t)k * size;
      float d2 = 0;
      for (int t = 0; t < size; t++) d2 += (x[t] - y[t]) * (x[t] - y[t]);
      const float w = s->weight[k] / sqrtf(d2 + 1e-6f);
      sum += w;
      for (int t = 0; t < size; t++) next[t] += w * y[t];
    }
    for (int t = 0; t < size; t++) x[t] = next[t] / sum;
  }
}

/* Lower Cholesky factor in place. */
static bool cholesky(float *a, int n) {
  for (int j = 0; j < n; j++) {
    float d = a[j * n + j];
    for (int k = 0; k < j; k++) d -= a[j * n + k] * a[j * n + k];
    if (!(d > 0)) return false;
    a[j * n + j] = d = sqrtf(d);
    for (int i = j + 1; i < n; i++) {
      float v = a[i * n + j];
#pragma omp simd reduction(- : v)
      for (int k = 0; k < j; k++) v -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = v / d;
    }
  }
  return true;
}

bool group_covariance(group *s, int count, int size, double sigma2, bool pilot) {
  float *c = s->matrix, total = 0;
  weighted_mean(s->clean, s->weight, count, size, s->centre);
  memset(c, 0, (size_t)size * (size_t)size * sizeof *c);
  for (int k = 0; k < count; k++) {
    float *x = s->clean + (int64_t)k * size;
    const float w = s->weight[k];
    total += w;
    for (int t = 0; t < size; t++) x[t] -= s->centre[t];
    for (int t = 0; t < size; t++) {
      const float wx = w * x[t];
#pragma omp simd
      for (int u = 0; u <= t; u++) c[t * size + u] += wx * x[u];
    }
  }
  const float add = (float)(pilot ? sigma2 : sigma2 / 20);
  for (int t = 0; t < size; t++) {
    for (int u = 0; u <= t; u++) c[t * size + u] /= total;
    c[t * size + t] += add;
  }
  return cholesky(c, size);
}

void group_shrink(const group *s, const float *y, int size, double sigma2, float *out) {
  const float *l = s->matrix, s2 = (float)sigma2;
  float v[MAX_PATCH];
  for (int t = 0; t < size; t++) {
    float sum = y[t] - s->mean[t];
#pragma omp simd reduction(- : sum)
    for (int u = 0; u < t; u++) sum -= l[t * size + u] * v[u];
    v[t] = sum / l[t * size + t];
  }
  for (int t = size - 1; t >= 0; t--) {
    const float e = v[t] /= l[t * size + t];
#pragma omp simd
    for (int u = 0; u < t; u++) v[u] -= l[t * size + u] * e;
  }
  for (int t = 0; t < size; t++) out[t] = y[t] - s2 * v[t];
}
