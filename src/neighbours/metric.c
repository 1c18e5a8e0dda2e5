/* See metric.h. Counts of coordinates are whole numbers, exact in both precisions. */
#include "neighbours/metric.h"

#include "neighbours/tiles.h"

/* ------------------------------------------------------------- r and d */

real_t REAL(metric_d2)(const metric_t *metric, real_t r) {
  double d = (double)r;
  switch (metric->kind) {
  case LAVDM_METRIC_EUCLIDEAN:
    return r;
  case LAVDM_METRIC_COSINE:
  case LAVDM_METRIC_CORRELATION:
    d /= 2;
    break;
  case LAVDM_METRIC_HAVERSINE:
    d = 2 * asin(fmin(sqrt(d) / 2, 1));
    break;
  default:
    break;
  }
  return (real_t)(d * d);
}

void REAL(metric_to_d2)(const metric_t *metric, real_t *r, int64_t count) {
  if (metric->kind == LAVDM_METRIC_EUCLIDEAN) return;
  for (int64_t i = 0; i < count; i++) r[i] = REAL(metric_d2)(metric, r[i]);
}

double REAL(metric_reach)(const metric_t *metric, double radius) {
  const double slack = 1 + 16 * (double)REAL_EPSILON;
  switch (metric->kind) {
  case LAVDM_METRIC_EUCLIDEAN:
    return radius * radius;
  case LAVDM_METRIC_COSINE:
  case LAVDM_METRIC_CORRELATION:
    return 2 * radius * slack;
  case LAVDM_METRIC_HAVERSINE: {
    double half = sin(fmin(radius / 2, acos(0.0)));
    return 4 * half * half * slack;
  }
  default:
    return radius * slack;
  }
}

/* --------------------------------------------------------------- pairs */

static real_t squares(int64_t p, const real_t *x, const real_t *y) {
  real_t sum = 0;
  for (int64_t j = 0; j < p; j++) sum += (x[j] - y[j]) * (x[j] - y[j]);
  return sum;
}

real_t REAL(metric_r)(const metric_t *metric, int64_t p, const real_t *x, const real_t *y) {
  real_t sum = 0;
  int64_t differ = 0, used = 0;
  switch (metric->kind) {
  case LAVDM_METRIC_MANHATTAN:
    for (int64_t j = 0; j < p; j++) sum += x[j] > y[j] ? x[j] - y[j] : y[j] - x[j];
    return sum;
  case LAVDM_METRIC_CHEBYSHEV:
    for (int64_t j = 0; j < p; j++) {
      real_t gap = x[j] > y[j] ? x[j] - y[j] : y[j] - x[j];
      sum = gap > sum ? gap : sum;
    }
    return sum;
  case LAVDM_METRIC_HAMMING:
    for (int64_t j = 0; j < p; j++) differ += x[j] != y[j];
    return (real_t)differ / (real_t)p;
  case LAVDM_METRIC_JACCARD:
    for (int64_t j = 0; j < p; j++) differ += x[j] != y[j], used += x[j] != 0 || y[j] != 0;
    return used ? (real_t)differ / (real_t)used : 0;
  case LAVDM_METRIC_PRECOMPUTED:
    return (real_t)metric_given(metric, (int64_t)x[0], (int64_t)y[0]);
  default:
    return squares(p, x, y);
  }
}

/* --------------------------------------------------------------- boxes */

/* Between two intervals, of which one is so far left or right of the other; 0 if they meet. */
static inline real_t box_gap(real_t left, real_t right) {
  real_t gap = left > right ? left : right;
  return gap > 0 ? gap : 0;
}

real_t REAL(metric_box)(const metric_t *metric, int64_t p, const real_t *lower_a, const real_t *upper_a,
                        const real_t *lower_b, const real_t *upper_b) {
  if (metric_squares(metric)) return REAL(box_distance2)(p, lower_a, upper_a, lower_b, upper_b);
  if (metric->kind == LAVDM_METRIC_PRECOMPUTED) return 0;
  real_t sum = 0, most = 0, apart = 0;
  if (metric->kind == LAVDM_METRIC_CHEBYSHEV) {
    for (int64_t j = 0; j < p; j++) {
      real_t gap = box_gap(lower_a[j] - upper_b[j], lower_b[j] - upper_a[j]);
      most = gap > most ? gap : most;
    }
    return most;
  }
#pragma omp simd reduction(+ : sum, apart)
  for (int64_t j = 0; j < p; j++) {
    real_t gap = box_gap(lower_a[j] - upper_b[j], lower_b[j] - upper_a[j]);
    sum += gap;
    apart += gap > 0 ? (real_t)1 : (real_t)0;
  }
  if (metric->kind == LAVDM_METRIC_MANHATTAN) return sum;
  return apart / (real_t)p; /* jaccard has no more coordinates to divide by */
}
