/*
 * Points that are copies of each other, to the bit, are one place that counts as often as they are. What is
 * a matter of shape (neighbours, dimension, frames, landmarks) looks at places; what is a matter of measure
 * (densities, degrees, the operator) counts points:
 *
 *     sum over points k of f(x_k) = sum over places k of w_k f(x_k).
 *
 * -0 is 0 here. Rows are compared by 128 bits made of each, which are the same for different rows with a
 * chance of n^2 2^-129.
 */
#ifndef LAVDM_REDUCE_PLACES_H
#define LAVDM_REDUCE_PLACES_H

#include "base/run.h"

typedef struct {
  int64_t n, count; /* points, places */
  int64_t *place;   /* n: where each point is */
  int64_t *first;   /* count: the first point there; ascending */
  double *weight;   /* count: how many are there */
} places_t;

/* Expected O(n p). Without copies the arrays are NULL, and count = n. */
int places_find(run_t *run, const lavdm_data *data, places_t *out);
void places_free(places_t *places); /* accepts a zeroed one */

/* Bytes that it takes for a while, and for as long as there are copies. */
enum { PLACES_ROW_BYTES = 64 };

/* out (count x p): a point of each place. */
int places_points(run_t *run, const places_t *places, const lavdm_data *data, double *out);

#endif
