/*
 * Rows as points of the unit sphere, whose Euclidean distances c tell those of the metric:
 *
 *     cosine       x / |x|                                     1 - cos = c^2 / 2
 *     correlation  (x - m) / |x - m|, m the mean of the row    1 - corr = c^2 / 2
 *     haversine    (cos a cos b, cos a sin b, sin a) for the latitude a and the longitude b;
 *                                                              the angle is 2 asin(c / 2)
 */
#ifndef LAVDM_REDUCE_SPHERE_H
#define LAVDM_REDUCE_SPHERE_H

#include "base/run.h"

/* Coordinates of a row of p numbers there. */
int64_t sphere_width(lavdm_metric metric, int64_t p);

/* out (n x width). `what` the rows are, and how many are before them, for the sentence that refuses one: a
 * row of zeros has no direction, a constant one no correlation, and degrees are no radians. */
int sphere_apply(run_t *run, const lavdm_data *data, const char *what, int64_t before, double *out);

#endif
