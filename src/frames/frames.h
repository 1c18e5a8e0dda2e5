/*
 * Tangent frames by local PCA:
 *
 *     C_i = sum_j h(|x_j - x_i|) (x_j - c_i)(x_j - c_i)',   j over the K nearest,
 *     h(r) = 1 - r^2 / (r_K^2 (1 + 1/K)),                   r_K the K-th distance,
 *     c_i = sum_j h(|x_j - x_i|) x_j / sum_j h(|x_j - x_i|),
 *
 * whose d leading eigenvectors span the estimated tangent space at x_i. About x_i itself instead of
 * c_i, the noise of x_i would be in every term, and pass for a direction. Here
 * K = k + 1: a point finds itself among them.
 */
#ifndef LAVDM_FRAMES_FRAMES_H
#define LAVDM_FRAMES_FRAMES_H

#include "neighbours/tiles.h"

/* Which points around a place: the k nearest, the point itself not counted; or, if
 * radius > 0, all within it, with h(r) = 1 - r^2 / radius^2. */
typedef struct {
  int64_t k;
  double radius;
} hood_t;

typedef struct {
  int64_t n, p, d;
  real_t *b;          /* n x d x p: d orthonormal rows for each place */
  int64_t degenerate; /* places whose neighbours span fewer than d dimensions */
} frames_t;

/*
 * Frames at `count` places (row-major, count x p), or at the points themselves,
 * in stored order, when places is NULL.
 */
int REAL(frames_estimate)(run_t *run, const tiles_t *points, const real_t *places, int64_t count, int64_t d,
                          hood_t hood, frames_t *out);

/* Bytes of a frame. */
static inline double frames_row_bytes(int64_t p, int64_t d) {
  return (double)(p * d) * sizeof(real_t);
}

void REAL(frames_free)(frames_t *frames); /* accepts a zeroed or half-built one */

/* The variances of the k nearest along their principal axes, at `count` points evenly spread: values
 * (count x (most + 1)) receives for each the `most` largest, descending, zero where there are fewer, and
 * the sum of all. */
int REAL(frames_spectra)(run_t *run, const tiles_t *points, int64_t k, int64_t count, int64_t most,
                         double *values);

#endif
