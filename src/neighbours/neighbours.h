/*
 * Exact nearest and radius neighbours of a batch of queries that lie close
 * together (a tile; several in a row if the points have hundreds of
 * coordinates), among points in tile order. Any batch gives the right answer,
 * one spread out slowly. Distances are Euclidean; d2 are squared distances, the
 * sum of squared differences from the first coordinate to the last, and do not
 * depend on the batch.
 *
 * Points of many coordinates are compared by matrix products: set
 * blas_threads(1) before calling from several threads.
 */
#ifndef LAVDM_NEIGHBOURS_NEIGHBOURS_H
#define LAVDM_NEIGHBOURS_NEIGHBOURS_H

#include "neighbours/tiles.h"

/* Scratch of one thread; grows as needed. NULL if there is no memory. It may
 * serve several trees in turn. */
typedef struct neighbour_work neighbour_work;
neighbour_work *REAL(neighbour_work_new)(void);
void REAL(neighbour_work_free)(neighbour_work *work); /* accepts NULL */

/*
 * The k nearest points of each of `count` queries (row-major, count x p):
 * index and d2 are count x k, ascending by d2, ties by stored index. A query
 * that is itself a point finds itself. Needs k <= tiles->n. Indices are those of
 * points whatever the numbers: one at no distance, being NaN, finds the first
 * stored ones at an infinite distance. Returns 0 or LAVDM_ERROR_MEMORY.
 */
int REAL(nearest)(const tiles_t *tiles, const real_t *query, int64_t count, int64_t k, neighbour_work *work,
                  int64_t *index, real_t *d2);

/* The same neighbours ascending by stored index, faster. */
int REAL(nearest_set)(const tiles_t *tiles, const real_t *query, int64_t count, int64_t k,
                      neighbour_work *work, int64_t *index, real_t *d2);

/*
 * Covariances of the neighbours of each query, for points of few coordinates:
 * entries (i,j), i <= j, row by row, of
 *     sum_n h_n (x_n - c)(x_n - c)' / sum_n h_n,   c = sum_n h_n x_n / sum_n h_n,
 * over the k nearest, h = 1 - d2 / (r2 (1 + 1/k)), r2 that of the k-th; or over
 * all within `radius`, h = 1 - d2 / radius^2. Even where queries are in no batch
 * of their own, the bits are the same.
 */
enum { MOMENT_COORDINATES = 12 };
int REAL(nearest_moments)(const tiles_t *tiles, const real_t *query, int64_t count, int64_t k,
                          neighbour_work *work, real_t *moments);
int REAL(radius_moments)(const tiles_t *tiles, const real_t *query, int64_t count, double radius,
                         neighbour_work *work, real_t *moments);

/*
 * nearest() for many queries, next to each other in space where next to each
 * other in storage, with all threads of the run.
 */
int REAL(nearest_all)(run_t *run, const tiles_t *tiles, const real_t *query, int64_t count, int64_t k,
                      int64_t *index, real_t *d2);

/*
 * All points within `radius` (d2 <= radius * radius) of each query. start
 * (count + 1) delimits each query's run in *index and *d2, which point into the
 * scratch and are valid until its next use. Ascending by stored index.
 */
int REAL(within)(const tiles_t *tiles, const real_t *query, int64_t count, double radius,
                 neighbour_work *work, int64_t *start, const int64_t **index, const real_t **d2);

/*
 * Points that may lie within `radius` of the box [lower, upper]: all that do,
 * and perhaps more. *index points into the scratch, ascending. Returns how
 * many, or a negative status.
 */
int64_t REAL(near_box)(const tiles_t *tiles, const real_t *lower, const real_t *upper, double radius,
                       neighbour_work *work, const int64_t **index);

/* Squared distances from q to some stored points: sums from the first coordinate
 * to the last, as everywhere. */
void REAL(distances2)(const tiles_t *tiles, const real_t *q, const int64_t *index, int64_t count,
                      real_t *out);

#endif
