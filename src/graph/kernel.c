#include "graph/kernel.h"

#include <math.h>
#include <string.h>

/*
 * exp(-x), x >= 0, to within 2 units in the last place, in a form that every
 * compiler turns into SIMD: exp(-x) = 2^k exp(r), |r| <= ln(2)/2, Taylor to
 * degree 13 (truncation 4e-18). 0 beyond x = 667 (1e-290).
 */
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

void kernel_weights(const kernel_t *kernel, bool far, const double *restrict d2, int64_t count,
                    double *restrict w) {
  double inverse = 1 / kernel->epsilon, limit = far ? INFINITY : kernel->radius * kernel->radius;
  switch (kernel->kind) {
  case LAVDM_KERNEL_GAUSSIAN:
    for (int64_t i = 0; i < count; i++) w[i] = d2[i] <= limit ? exp_minus(d2[i] * inverse) : 0;
    break;
  case LAVDM_KERNEL_EPANECHNIKOV:
    for (int64_t i = 0; i < count; i++) w[i] = d2[i] <= limit ? fmax(1 - d2[i] * inverse, 0) : 0;
    break;
  case LAVDM_KERNEL_BALL:
    for (int64_t i = 0; i < count; i++) w[i] = d2[i] <= limit && d2[i] * inverse <= 1 ? 1 : 0;
    break;
  case LAVDM_KERNEL_CALLBACK:
    for (int64_t i = 0; i < count; i++) {
      w[i] = d2[i] <= limit ? kernel->function(sqrt(d2[i] * inverse), kernel->user) : 0;
      if (!(w[i] > 1e-290 && w[i] < INFINITY)) w[i] = 0;
    }
    break;
  }
}
