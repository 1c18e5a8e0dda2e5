/*
 * The noise of a coordinate from what tangent planes leave over: of two points at the distance r
 * the part across the plane of one has the mean square
 *     2 sigma^2 (p - d) + c r^4,
 * c for curvature. Least squares over the pairs of a sample within sqrt(epsilon), or the next ones, each r
 * counted as much as another.
 */
#include "base/memory.h"
#include "base/options.h"
#include "base/sort.h"
#include "trust/parts.h"

#include <math.h>

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

enum { CENTRES = 100 };

/* Within what pairs are looked at, squared: epsilon, or what holds some neighbours of a typical point. */
static double reach_of(const trust_t *t, const some_t *some) {
  enum { NEIGHBOUR = 10 };
  int64_t n = some->n, centres = n < CENTRES ? n : CENTRES;
  double *d2 = NEW(double, n), *found = NEW(double, centres), reach2 = NAN;
  if (d2 && found && n > NEIGHBOUR) {
    for (int64_t i = 0; i < centres; i++) {
      for (int64_t j = 0; j < n; j++) d2[j] = some_distance(t, some->x + i * t->p, some->x + j * t->p);
      found[i] = smallest_real(d2, n, NEIGHBOUR);
    }
    reach2 = fmax(t->run->options.epsilon, smallest_real(found, centres, centres / 2));
  }
  mem_free(d2);
  mem_free(found);
  return reach2;
}

double noise_of(const trust_t *t, const some_t *some) {
  int64_t centres = some->n < CENTRES ? some->n : CENTRES;
  double reach2 = t->p > t->d ? reach_of(t, some) : NAN, s0 = 0, s1 = 0, s2 = 0, y0 = 0, y1 = 0;
  if (!(reach2 > 0)) return NAN;
  for (int64_t i = 0; i < centres; i++)
    for (int64_t j = 0; j < some->n; j++) {
      double d2 = some_distance(t, some->x + i * t->p, some->x + j * t->p);
      if (j == i || !(d2 > 0) || d2 > reach2) continue;
      double r2 = d2 / reach2, r4 = r2 * r2, rest = across(t, some, i, j, d2) / reach2, weight = 1 / r2;
      s0 += weight, s1 += weight * r4, s2 += weight * r4 * r4;
      y0 += weight * rest, y1 += weight * r4 * rest;
    }
  double left = (y0 * s2 - y1 * s1) / (s0 * s2 - s1 * s1);
  return isfinite(left) ? sqrt(fmax(left, 0) * reach2 / (2 * (double)(t->p - t->d))) : NAN;
}
