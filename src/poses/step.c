/* Rotations by exponentials of skew matrices. */
#include "poses/system.h"

#include "frames/polar.h"
#include "graph/given.h"

#include <math.h>

/* e = exp(x) of the plane and of space, exactly; else to second order. */
static void exponential(int64_t q, const double *x, double factor, double *e) {
  double skew[GIVEN_MOST_Q * GIVEN_MOST_Q], square = 0;
  int64_t d = q * (q - 1) / 2;
  for (int64_t l = 0; l < d; l++) square += x[l] * x[l] * factor * factor;
  double angle = sqrt(square), first = 1, second = 0.5;
  if (q <= 3 && angle > 1e-4)
    first = sin(angle) / angle, second = 2 * sin(angle / 2) * sin(angle / 2) / square;
  if (q <= 3 && angle <= 1e-4) first = 1 - square / 6, second = 0.5 - square / 24;
  for (int64_t a = 0; a < q; a++) {
    skew[a * q + a] = 0;
    for (int64_t b = a + 1; b < q; b++) skew[a * q + b] = factor * *x++, skew[b * q + a] = -skew[a * q + b];
  }
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = 0; b < q; b++) {
      double sum = 0;
      for (int64_t k = 0; k < q; k++) sum += skew[a * q + k] * skew[k * q + b];
      e[a * q + b] = (a == b) + first * skew[a * q + b] + second * sum;
    }
}

/* r = r (3 - r' r) / 2: what rounding took from being orthogonal. */
static void straighten(int64_t q, double *r) {
  double gram[9], old[9];
  for (int64_t a = 0; a < q * q; a++) old[a] = r[a];
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = 0; b < q; b++) {
      gram[a * q + b] = a == b ? 1.5 : 0;
      for (int64_t k = 0; k < q; k++) gram[a * q + b] -= old[k * q + a] * old[k * q + b] / 2;
    }
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = 0; b < q; b++) {
      r[a * q + b] = 0;
      for (int64_t k = 0; k < q; k++) r[a * q + b] += old[a * q + k] * gram[k * q + b];
    }
}

void rotation_step(int64_t q, const double *from, const double *x, double factor, double *to) {
  double e[GIVEN_MOST_Q * GIVEN_MOST_Q], moved[GIVEN_MOST_Q * GIVEN_MOST_Q];
  double scratch[POLAR_SCRATCH(GIVEN_MOST_Q)];
  exponential(q, x, factor, e);
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = 0; b < q; b++) {
      double sum = 0;
      for (int64_t k = 0; k < q; k++) sum += from[a * q + k] * e[k * q + b];
      moved[a * q + b] = sum;
    }
  if (q > 3) {
    REAL(polar_factor)(q, moved, to, scratch);
    return;
  }
  straighten(q, moved);
  for (int64_t a = 0; a < q * q; a++) to[a] = moved[a];
}
