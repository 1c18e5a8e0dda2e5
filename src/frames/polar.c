/*
 * M = U S V', O = U V'.
 *
 * q = 1: the sign.  q = 2: M is the sum of a scaled rotation (a+d, c-b)/2 and a
 * scaled reflection (a-d, b+c)/2; O is the larger of the two, normalised.
 * q > 2: one-sided Jacobi. Rotations from the right make the columns of M V
 * orthogonal; their lengths are S and their directions U.
 */
#include "frames/polar.h"

#include <tgmath.h>
#include <string.h>

static real_t polar_one(const real_t *m, real_t *o) {
  o[0] = m[0] < 0 ? -1 : 1;
  return fabs(m[0]);
}

static real_t polar_two(const real_t *m, real_t *o) {
  real_t rc = m[0] + m[3], rs = m[2] - m[1]; /* twice the rotation part */
  real_t fc = m[0] - m[3], fs = m[1] + m[2]; /* twice the reflection part */
  real_t rotation = sqrt(rc * rc + rs * rs), reflection = sqrt(fc * fc + fs * fs);
  if (rotation >= reflection) {
    real_t c = rotation > 0 ? rc / rotation : 1, s = rotation > 0 ? rs / rotation : 0;
    o[0] = c, o[1] = -s, o[2] = s, o[3] = c;
  } else {
    real_t c = fc / reflection, s = fs / reflection;
    o[0] = c, o[1] = s, o[2] = s, o[3] = -c;
  }
  return fabs(rotation - reflection) / 2; /* S = (rotation +- reflection) / 2 */
}

/* Rotates columns j and k of the q x q matrix x by (c, s). */
static void rotate_columns(int64_t q, real_t *x, int64_t j, int64_t k, real_t c, real_t s) {
  for (int64_t i = 0; i < q; i++) {
    real_t a = x[i * q + j], b = x[i * q + k];
    x[i * q + j] = c * a - s * b;
    x[i * q + k] = s * a + c * b;
  }
}

/* One sweep over all pairs of columns of a = M V; true if any was rotated. */
static int sweep(int64_t q, real_t *a, real_t *v) {
  int rotated = 0;
  for (int64_t j = 0; j + 1 < q; j++)
    for (int64_t k = j + 1; k < q; k++) {
      real_t x = 0, y = 0, z = 0;
      for (int64_t i = 0; i < q; i++) {
        real_t aj = a[i * q + j], ak = a[i * q + k];
        x += aj * aj, y += ak * ak, z += aj * ak;
      }
      if (fabs(z) <= 4 * REAL_EPSILON * sqrt(x * y) || z == 0) continue;
      rotated = 1;
      real_t tau = (y - x) / (2 * z);
      real_t t = (tau < 0 ? -1 : 1) / (fabs(tau) + sqrt(1 + tau * tau));
      real_t c = 1 / sqrt(1 + t * t);
      rotate_columns(q, a, j, k, c, c * t);
      rotate_columns(q, v, j, k, c, c * t);
    }
  return rotated;
}

/* Replaces column j of u by a unit vector orthogonal to the columns marked done. */
static void complete_column(int64_t q, real_t *u, int64_t j, const real_t *length) {
  for (int64_t axis = 0; axis < q; axis++) {
    for (int64_t i = 0; i < q; i++) u[i * q + j] = i == axis;
    for (int pass = 0; pass < 2; pass++)
      for (int64_t k = 0; k < q; k++) {
        if (k == j || length[k] < 0) continue;
        real_t dot = 0;
        for (int64_t i = 0; i < q; i++) dot += u[i * q + j] * u[i * q + k];
        for (int64_t i = 0; i < q; i++) u[i * q + j] -= dot * u[i * q + k];
      }
    real_t norm = 0;
    for (int64_t i = 0; i < q; i++) norm += u[i * q + j] * u[i * q + j];
    if (norm * (real_t)(2 * q) < 1) continue; /* some axis keeps at least this much */
    for (int64_t i = 0; i < q; i++) u[i * q + j] /= sqrt(norm);
    return;
  }
}

static real_t polar_many(int64_t q, const real_t *m, real_t *o, real_t *scratch) {
  real_t *a = scratch, *v = scratch + q * q;
  real_t *length = o; /* the first row of o serves as space until the product */
  memcpy(a, m, (size_t)(q * q) * sizeof *a);
  for (int64_t i = 0; i < q * q; i++) v[i] = i % (q + 1) == 0;
  for (int times = 0; times < 60 && sweep(q, a, v); times++) {
  }
  real_t least = INFINITY, largest = 0;
  for (int64_t j = 0; j < q; j++) {
    real_t sum = 0;
    for (int64_t i = 0; i < q; i++) sum += a[i * q + j] * a[i * q + j];
    length[j] = sqrt(sum);
    if (length[j] < least) least = length[j];
    if (length[j] > largest) largest = length[j];
  }
  for (int64_t j = 0; j < q; j++) {
    if (length[j] > 500 * REAL_EPSILON * largest) {
      for (int64_t i = 0; i < q; i++) a[i * q + j] /= length[j];
    } else {
      length[j] = -1;
    }
  }
  for (int64_t j = 0; j < q; j++)
    if (length[j] < 0) {
      complete_column(q, a, j, length);
      length[j] = 0;
    }
  for (int64_t i = 0; i < q; i++)
    for (int64_t k = 0; k < q; k++) {
      real_t sum = 0;
      for (int64_t j = 0; j < q; j++) sum += a[i * q + j] * v[k * q + j];
      o[i * q + k] = sum;
    }
  return least;
}

real_t REAL(polar_factor)(int64_t q, const real_t *m, real_t *o, real_t *scratch) {
  if (q == 1) return polar_one(m, o);
  if (q == 2) return polar_two(m, o);
  return polar_many(q, m, o, scratch);
}

real_t REAL(determinant)(int64_t q, const real_t *m, real_t *scratch) {
  if (q == 1) return m[0];
  if (q == 2) return m[0] * m[3] - m[1] * m[2];
  real_t *a = scratch, product = 1;
  memcpy(a, m, (size_t)(q * q) * sizeof *a);
  for (int64_t j = 0; j < q; j++) { /* elimination with row pivoting */
    int64_t pivot = j;
    for (int64_t i = j + 1; i < q; i++)
      if (fabs(a[i * q + j]) > fabs(a[pivot * q + j])) pivot = i;
    if (a[pivot * q + j] == 0) return 0;
    if (pivot != j) product = -product;
    for (int64_t k = 0; k < q; k++) {
      real_t t = a[j * q + k];
      a[j * q + k] = a[pivot * q + k];
      a[pivot * q + k] = t;
    }
    product *= a[j * q + j];
    for (int64_t i = j + 1; i < q; i++) {
      real_t factor = a[i * q + j] / a[j * q + j];
      for (int64_t k = j; k < q; k++) a[i * q + k] -= factor * a[j * q + k];
    }
  }
  return product;
}
