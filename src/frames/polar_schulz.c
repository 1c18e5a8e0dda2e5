/*
 * Polar factors of LANES matrices of any small size at once, by the iteration
 *     X <- X (3 I - X'X) / 2,
 * which squares the error once it is small, and needs nothing but products. It
 * converges from singular values in (0, sqrt 3); those of a product of two frames
 * are at most 1. Lanes with a very small one go through polar_factor.
 */
#include "frames/polar.h"

#include <stdbool.h>
#include <string.h>

enum { STEPS = 18 }; /* enough from singular values of 0.01 on */

#define INLINE static inline __attribute__((always_inline))

/* t = X'X, and the lanes in which it is I but for rounding. */
INLINE lane_mask_t gram(int64_t q, const lanes_t *x, lanes_t *t) {
  lanes_t off = {0};
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = a; b < q; b++) {
      lanes_t sum = {0};
      for (int64_t k = 0; k < q; k++) sum += x[k * q + a] * x[k * q + b];
      t[a * q + b] = t[b * q + a] = sum;
      lanes_t gap = sum - (real_t)(a == b);
      off += gap * gap;
    }
  real_t rounding = 4 * (real_t)q * REAL_EPSILON;
  return off <= rounding * rounding;
}

/* X <- X (3 I - t) / 2 */
INLINE void step(int64_t q, lanes_t *x, const lanes_t *t) {
  for (int64_t a = 0; a < q; a++) {
    lanes_t row[POLAR_MANY];
    for (int64_t b = 0; b < q; b++) {
      lanes_t sum = 3 * x[a * q + b];
      for (int64_t k = 0; k < q; k++) sum -= x[a * q + k] * t[k * q + b];
      row[b] = sum / 2;
    }
    for (int64_t b = 0; b < q; b++) x[a * q + b] = row[b];
  }
}

/* Lanes in which O'M - ILL_COSINE I is positive definite: every singular value is larger. */
INLINE lane_mask_t well(int64_t q, const lanes_t *m, const lanes_t *o) {
  lanes_t h[POLAR_MANY * POLAR_MANY];
  lane_mask_t good = (lanes_t){0} == 0;
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = 0; b <= a; b++) {
      lanes_t sum = {0};
      for (int64_t k = 0; k < q; k++) sum += o[k * q + a] * m[k * q + b];
      h[a * q + b] = sum - ILL_COSINE * (real_t)(a == b);
    }
  for (int64_t a = 0; a < q; a++) {
    good &= h[a * q + a] > 0;
    for (int64_t b = a + 1; b < q; b++) {
      lanes_t factor = h[b * q + a] / h[a * q + a];
      for (int64_t c = b; c < q; c++) h[c * q + b] -= factor * h[c * q + a];
    }
  }
  return good;
}

static bool all(lane_mask_t mask) {
  for (int l = 0; l < LANES; l++)
    if (!mask[l]) return false;
  return true;
}

INLINE void solve(int64_t q, const lanes_t *m, lanes_t *o, int ill[LANES]) {
  lanes_t t[POLAR_MANY * POLAR_MANY];
  memcpy(o, m, (size_t)(q * q) * sizeof *o);
  lane_mask_t done = gram(q, o, t);
  for (int times = 0; times < STEPS && !all(done); times++) {
    step(q, o, t);
    done = gram(q, o, t);
  }
  lane_mask_t good = well(q, m, o);
  for (int l = 0; l < LANES; l++) {
    ill[l] = !good[l];
    if (done[l]) continue;
    real_t one[POLAR_MANY * POLAR_MANY], factor[POLAR_MANY * POLAR_MANY], scratch[POLAR_SCRATCH(POLAR_MANY)];
    for (int64_t i = 0; i < q * q; i++) one[i] = m[i][l];
    ill[l] = REAL(polar_factor)(q, one, factor, scratch) < ILL_COSINE;
    for (int64_t i = 0; i < q * q; i++) o[i][l] = factor[i];
  }
}

void REAL(polar_schulz)(int64_t q, const lanes_t *m, lanes_t *o, int ill[LANES]) {
  switch (q) {
  case 4:
    solve(4, m, o, ill);
    break;
  case 5:
    solve(5, m, o, ill);
    break;
  default:
    solve(q, m, o, ill);
    break;
  }
}
