/*
 * The noise of a coordinate from what tangent planes leave over: of two points at the distance r
 * the part across the plane of one has the mean square
 *     2 sigma^2 (p - d) + b r^2 + c r^4,
 * b for planes that are turned a little and c for curvature. Weighted least squares over pairs
 * of a sample.
 */
#include "base/options.h"
#include "trust/parts.h"

#include <math.h>

/* Solves the symmetric 3 x 3 system; the first unknown, or NaN. */
static double first_unknown(double a[3][4]) {
  for (int k = 0; k < 3; k++) {
    if (!(fabs(a[k][k]) > 0)) return NAN;
    for (int i = 0; i < 3; i++) {
      if (i == k) continue;
      double share = a[i][k] / a[k][k];
      for (int j = k; j < 4; j++) a[i][j] -= share * a[k][j];
    }
  }
  return a[0][3] / a[0][0];
}

static double frame_at(const trust_t *t, const some_t *some, int64_t i, int64_t j, int64_t a) {
  int64_t at = (i * t->p + j) * t->d + a;
  return t->frames->type == LAVDM_F32 ? (double)((const float *)some->frames)[at]
                                      : ((const double *)some->frames)[at];
}

/* |x_j - x_i|^2 less its part along the frame at i. */
static double across(const trust_t *t, const some_t *some, int64_t i, int64_t j, double d2) {
  const double *x = some->x + i * t->p, *y = some->x + j * t->p;
  for (int64_t a = 0; a < t->d; a++) {
    double dot = 0;
    for (int64_t k = 0; k < t->p; k++) dot += frame_at(t, some, i, k, a) * (y[k] - x[k]);
    d2 -= dot * dot;
  }
  return fmax(d2, 0);
}

double noise_of(const trust_t *t, const some_t *some) {
  enum { CENTRES = 100 };
  int64_t centres = some->n < CENTRES ? some->n : CENTRES;
  double reach2 = t->run->options.epsilon, sums[3][4] = {{0}};
  if (t->p <= t->d) return NAN;
  for (int64_t i = 0; i < centres; i++)
    for (int64_t j = 0; j < some->n; j++) {
      double d2 = some_distance(t, some->x + i * t->p, some->x + j * t->p);
      if (j == i || !(d2 > 0) || d2 > reach2) continue;
      double r2 = d2 / reach2, rest = across(t, some, i, j, d2) / reach2;
      double term[4] = {1, r2, r2 * r2, rest}, weight = 1 / (r2 * r2);
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 4; b++) sums[a][b] += weight * term[a] * term[b];
    }
  double left = first_unknown(sums);
  return sqrt(fmax(left, 0) * reach2 / (2 * (double)(t->p - t->d)));
}
