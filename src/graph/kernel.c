#include "graph/kernel.h"

#include <math.h>
#include <string.h>

/*
 * exp(-x), x >= 0, to within 2 units in the last place, in a form that every
 * compiler turns into SIMD: exp(-x) = 2^k exp(r), |r| <= ln(2)/2, Taylor to
 * degree 13 (truncation 4e-18). 0 beyond x = 667 (1e-290).
 */
#ifndef LAVDM_SINGLE
#define LEAST_WEIGHT 1e-290
static inline double exp_minus(double x) {
  const double shift = 0x1.8p52; /* adding it rounds to a whole number, kept in the low bits */
  double y = x < 667 ? -x : -667, t = y * 1.4426950408889634074 + shift;
  uint64_t bits;
  memcpy(&bits, &t, sizeof bits);
  double k = t - shift, r = y - k * 0x1.62e42fefa38p-1 - k * 0x1.ef35793c7673p-45;
  double e = 1.0 / 6227020800;
  e = e * r + 1.0 / 479001600;
  e = e * r + 1.0 / 39916800;
  e = e * r + 1.0 / 3628800;
  e = e * r + 1.0 / 362880;
  e = e * r + 1.0 / 40320;
  e = e * r + 1.0 / 5040;
  e = e * r + 1.0 / 720;
  e = e * r + 1.0 / 120;
  e = e * r + 1.0 / 24;
  e = e * r + 1.0 / 6;
  e = e * r + 0.5;
  e = e * r + 1;
  e = e * r + 1;
  bits = (bits + 1023) << 52;
  double scale;
  memcpy(&scale, &bits, sizeof scale);
  return x < 667 ? e * scale : 0;
}
#else
#define LEAST_WEIGHT 1e-35f
/* The same in single precision: Taylor to degree 7, 0 beyond x = 80 (2e-35). */
static inline float exp_minus(float x) {
  const float shift = 0x1.8p23f;
  float y = x < 80 ? -x : -80, t = y * 1.44269504f + shift;
  uint32_t bits;
  memcpy(&bits, &t, sizeof bits);
  float k = t - shift, r = y - k * 0x1.62e4p-1f - k * 0x1.7f7d1cp-20f;
  float e = 1.0f / 5040;
  e = e * r + 1.0f / 720;
  e = e * r + 1.0f / 120;
  e = e * r + 1.0f / 24;
  e = e * r + 1.0f / 6;
  e = e * r + 0.5f;
  e = e * r + 1;
  e = e * r + 1;
  bits = (bits + 127) << 23;
  float scale;
  memcpy(&scale, &bits, sizeof scale);
  return x < 80 ? e * scale : 0;
}
#endif

void REAL(kernel_weights)(const kernel_t *kernel, bool far, const real_t *restrict d2, int64_t count,
                          real_t *restrict w) {
  real_t inverse = (real_t)(1 / kernel->epsilon);
  real_t limit = far ? INFINITY : (real_t)(kernel->radius * kernel->radius);
  switch (kernel->kind) {
  case LAVDM_KERNEL_GAUSSIAN:
    for (int64_t i = 0; i < count; i++) w[i] = d2[i] <= limit ? exp_minus(d2[i] * inverse) : 0;
    break;
  case LAVDM_KERNEL_EPANECHNIKOV:
    for (int64_t i = 0; i < count; i++)
      w[i] = d2[i] <= limit && d2[i] * inverse < 1 ? 1 - d2[i] * inverse : 0;
    break;
  case LAVDM_KERNEL_BALL:
    for (int64_t i = 0; i < count; i++) w[i] = d2[i] <= limit && d2[i] * inverse <= 1 ? 1 : 0;
    break;
  case LAVDM_KERNEL_CALLBACK:
    for (int64_t i = 0; i < count; i++) {
      w[i] = d2[i] <= limit ? (real_t)kernel->function(sqrt((double)d2[i] * inverse), kernel->user) : 0;
      if (!(w[i] > LEAST_WEIGHT && w[i] < INFINITY)) w[i] = 0;
    }
    break;
  }
}
