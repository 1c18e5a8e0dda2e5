/*
 * Planes with a mirrored border, the cubic spline through their pixels, and patches of
 * them as they are or turned.
 *
 * Spline: v(x) = sum_i c_i B(x - i), B the cubic B-spline. The coefficients of a row are
 * 6 (z/(z^2 - 1)) times the pixels filtered forwards and backwards by 1/(1 - z E), z = sqrt 3 - 2.
 */
#include "denoise/plane.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *take(int64_t count, size_t size) {
  if (count < 0 || (uint64_t)count > SIZE_MAX / size) return NULL;
  return calloc(count ? (size_t)count : 1, size);
}

int(denoise_say)(lavdm_error *error, int status, const char *format, ...) {
  if (!error) return status;
  va_list list;
  va_start(list, format);
  vsnprintf(error->message, sizeof error->message, format, list);
  va_end(list);
  return error->status = status;
}

int(say_memory)(lavdm_error *error, const char *what) {
  return denoise_say(error, LAVDM_ERROR_MEMORY, "out of memory for %s", what);
}

/* i mirrored into 0 .. n-1, the outermost pixel not repeated. */
static int64_t mirrored(int64_t i, int64_t n) {
  if (n == 1) return 0;
  const int64_t period = 2 * n - 2;
  i %= period;
  if (i < 0) i += period;
  return i < n ? i : period - i;
}

/* Fills the border of rows that hold the pixels of the middle. */
static void mirror(const plane *p, float *value) {
  for (int64_t y = 0; y < p->height; y++) {
    float *row = value + plane_at(p, y, 0);
    for (int64_t x = 1; x <= p->border; x++) {
      row[-x] = row[mirrored(-x, p->width)];
      row[p->width - 1 + x] = row[mirrored(p->width - 1 + x, p->width)];
    }
  }
  for (int64_t y = 1; y <= p->border; y++)
    for (int side = 0; side < 2; side++) {
      const int64_t to = side ? p->height - 1 + y : -y;
      memcpy(value + plane_at(p, to, -p->border), value + plane_at(p, mirrored(to, p->height), -p->border),
             (size_t)p->stride * sizeof(float));
    }
}

/* Pixels to coefficients along one line of n numbers `step` apart, mirrored at both ends. */
static void filter_line(float *v, int64_t n, int64_t step) {
  const double z = sqrt(3) - 2;
  if (n == 1) return;
  double sum = 0, power = 1;
  for (int64_t k = 0; k < 30; k++, power *= z) sum += power * v[mirrored(k, n) * step];
  v[0] = (float)(6 * sum);
  for (int64_t k = 1; k < n; k++) v[k * step] = (float)(6 * v[k * step] + z * v[(k - 1) * step]);
  v[(n - 1) * step] = (float)(z / (z * z - 1) * (v[(n - 1) * step] + z * v[(n - 2) * step]));
  for (int64_t k = n - 2; k >= 0; k--) v[k * step] = (float)(z * (v[(k + 1) * step] - v[k * step]));
}

bool plane_make(plane *p, const float *pixels, int64_t height, int64_t width, int64_t border) {
  *p = (plane){.height = height, .width = width, .border = border, .stride = width + 2 * border};
  const int64_t count = (height + 2 * border) * p->stride;
  p->value = take(count, sizeof(float));
  p->spline = take(count, sizeof(float));
  if (!p->value || !p->spline) return false;
  for (int64_t y = 0; y < height; y++) {
    memcpy(p->value + plane_at(p, y, 0), pixels + y * width, (size_t)width * sizeof(float));
    memcpy(p->spline + plane_at(p, y, 0), pixels + y * width, (size_t)width * sizeof(float));
    filter_line(p->spline + plane_at(p, y, 0), width, 1);
  }
  for (int64_t x = 0; x < width; x++) filter_line(p->spline + plane_at(p, 0, x), height, p->stride);
  mirror(p, p->value);
  mirror(p, p->spline);
  return true;
}

void plane_free(plane *p) {
  free(p->value);
  free(p->spline);
  *p = (plane){0};
}

void patch_make(patch_shape *shape, int64_t radius, int64_t stride) {
  int t = 0;
  for (int64_t y = -radius; y <= radius; y++)
    for (int64_t x = -radius; x <= radius; x++, t++) {
      shape->dy[t] = (float)y;
      shape->dx[t] = (float)x;
      shape->offset[t] = y * stride + x;
    }
  shape->size = t;
}

/* B(t + 1), B(t), B(1 - t), B(2 - t) for 0 <= t < 1. */
static inline void spline_weights(float t, float w[4]) {
  const float u = 1 - t;
  w[0] = u * u * u / 6;
  w[1] = (4 - 6 * t * t + 3 * t * t * t) / 6;
  w[2] = (4 - 6 * u * u + 3 * u * u * u) / 6;
  w[3] = t * t * t / 6;
}

/* The value at offset d of the turned patch is that at R(-angle) d of the patch. */
void patch_turned(const plane *p, const patch_shape *shape, int64_t at, float angle, float *out) {
  const float c = cosf(angle), s = sinf(angle);
  for (int t = 0; t < shape->size; t++) {
    const float x = c * shape->dx[t] + s * shape->dy[t], y = c * shape->dy[t] - s * shape->dx[t];
    const float fx = floorf(x), fy = floorf(y);
    float wx[4], wy[4], sum = 0;
    spline_weights(x - fx, wx);
    spline_weights(y - fy, wy);
    const float *q = p->spline + at + ((int64_t)fy - 1) * p->stride + (int64_t)fx - 1;
    for (int i = 0; i < 4; i++, q += p->stride)
      sum += wy[i] * (wx[0] * q[0] + wx[1] * q[1] + wx[2] * q[2] + wx[3] * q[3]);
    out[t] = sum;
  }
}

void offers_free(offers *o) {
  free(o->first);
  free(o->count);
  free(o->y);
  free(o->x);
  free(o->angle);
  *o = (offers){0};
}

/* Patches at 0, step, 2 step, ... and at the last pixel. */
grid grid_of(int64_t height, int64_t width, int64_t step) {
  return (grid){.rows = (height - 2 + step) / step + 1,
                .columns = (width - 2 + step) / step + 1,
                .step = step,
                .height = height,
                .width = width};
}

int job_report(const job *j, const char *stage, double fraction) {
  if (!j->o.progress) return 0;
  return j->o.progress(stage, j->from + (j->to - j->from) * fraction, j->o.progress_user);
}
