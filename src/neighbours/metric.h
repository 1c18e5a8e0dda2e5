/*
 * How far apart points are. A search compares a number r of each pair, which grows with the distance d:
 *
 *     euclidean                r = d^2 = sum_j (x_j - y_j)^2
 *     cosine, correlation      r the same, of points on a sphere (reduce/sphere.h);  d = r / 2
 *     haversine                                                                    d = 2 asin(sqrt(r) / 2)
 *     manhattan, chebyshev     r = d = sum_j |x_j - y_j|,  max_j |x_j - y_j|
 *     hamming                  r = d = the share of j with x_j != y_j
 *     jaccard                  r = d = the same of the j with x_j != 0 or y_j != 0; 0 if there are none
 *     precomputed              r = d as it is given: a point is the number of its row (p = 1)
 *
 * All functions of neighbours.h speak of d and of d2 = d^2.
 */
#ifndef LAVDM_NEIGHBOURS_METRIC_H
#define LAVDM_NEIGHBOURS_METRIC_H

#include "base/options.h"
#include "base/real.h"
#include "base/run.h"

#include <math.h>

typedef struct {
  lavdm_metric kind;
  const lavdm_distances *given; /* of PRECOMPUTED: rows are queries, cols the points searched among */
  bool uneven; /* a matrix that is symmetric, zero on its diagonal and not negative but for rounding: what is
                  above the diagonal counts */
} metric_t;

/* That of a run. */
static inline metric_t metric_of(const run_t *run) {
  return (metric_t){run->options.metric, run->distances, run->uneven};
}

/* Whether r is a sum of squares. */
static inline bool metric_squares(const metric_t *metric) {
  return metric->kind == LAVDM_METRIC_EUCLIDEAN || on_sphere(metric->kind);
}

static inline bool metric_listed(const metric_t *metric) {
  return metric->kind == LAVDM_METRIC_PRECOMPUTED && metric->given->index;
}

/* d2 of r, and of `count` of them in place. */
real_t REAL(metric_d2)(const metric_t *metric, real_t r);
void REAL(metric_to_d2)(const metric_t *metric, real_t *r, int64_t count);

/* A bound of r for points within `radius`: no less than theirs; and exactly that of Euclidean ones. */
double REAL(metric_reach)(const metric_t *metric, double radius);

/* r of two points, and a bound from below for points of two boxes. */
real_t REAL(metric_r)(const metric_t *metric, int64_t p, const real_t *x, const real_t *y);
real_t REAL(metric_box)(const metric_t *metric, int64_t p, const real_t *lower_a, const real_t *upper_a,
                        const real_t *lower_b, const real_t *upper_b);

static inline double metric_value(const lavdm_distances *given, int64_t at) {
  return given->type == LAVDM_F32 ? (double)((const float *)given->value)[at]
                                  : ((const double *)given->value)[at];
}

/* The distance that is given of row i and col j; INFINITY if it is in no list. */
static inline double metric_given(const metric_t *metric, int64_t i, int64_t j) {
  const lavdm_distances *given = metric->given;
  bool below = metric->uneven && i > j;
  int64_t at = below ? j * given->row_stride + i : i * given->row_stride + j;
  if (given->index) {
    for (at = given->start[i]; at < given->start[i + 1] && given->index[at] != j; at++) continue;
    if (at == given->start[i + 1]) return i == j ? 0 : (double)INFINITY;
  }
  double d = metric_value(given, at);
  return metric->uneven && (i == j || d < 0) ? 0 : d;
}

#endif
