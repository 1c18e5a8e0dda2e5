/*
 * Tangent planes of some points at several scales, and at each point the scale at which
 * they stand out best. The plane of scale s at x_i is spanned by the d leading directions
 * of the tapered covariance, about its own mean, of the k_s nearest points. With its
 * eigenvalues l_1 >= l_2 >= ...
 *     gap = log(l_d / (l_{d+1} + l_1 / 1000)):
 * noise makes it small where k is, curvature where k is large. It is averaged over
 * neighbours, and where it is largest is the scale of the point.
 */
#ifndef LAVDM_ORIENT_PLANES_H
#define LAVDM_ORIENT_PLANES_H

#include "neighbours/tiles.h"

enum { MOST_SCALES = 12 };

typedef struct {
  tiles_t points;
  int64_t n, p, d;
  int64_t reach; /* neighbours kept of each, itself first */
  int64_t *near; /* n x reach, ascending by distance */
  int scales;
  int64_t k[MOST_SCALES];
  double *frame[MOST_SCALES]; /* n x d x p: rows of a frame are its directions */
  double *gap;                /* scales x n */
  double *beside;             /* scales x n: the larger of the gaps for d - 1 and d + 1 */
  int *best;                  /* n: the scale of each point */
} planes_t;

/* Planes of dimension d < p of n >= 8 points; k > 0 asks for that scale alone. */
int planes_find(run_t *run, const lavdm_data *data, int64_t d, int64_t k, planes_t *out);
void planes_free(planes_t *planes); /* accepts a zeroed one */

/* The frame of point i, `shift` scales above its own (below: negative), as far as there are any. */
const double *planes_frame(const planes_t *planes, int64_t i, int shift);

/* Over the points: the mean gap of their scales, the mean of what it is more than the gap of
 * another dimension, and the median number of neighbours. */
double planes_gap(const planes_t *planes);
double planes_margin(const planes_t *planes);
int64_t planes_typical(const planes_t *planes);

/* The dimension by which numbers of neighbours grow with the radius: with r_j the distance to the j-th of K,
 * 1 / d is the mean over points and j < K of log(r_K / r_j) (Levina and Bickel). Planes have no part in it.
 */
double planes_growth(const planes_t *planes);

#endif
