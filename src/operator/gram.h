/* G = A'A, of size m q: its eigenvectors are the right singular vectors of A. */
#ifndef LAVDM_OPERATOR_GRAM_H
#define LAVDM_OPERATOR_GRAM_H

#include "base/memory.h"
#include "operator/product.h"
#include "operator/scaling.h"

/* *ill receives the number of ill alignments. */
int REAL(gram_compute)(run_t *run, const graph_t *graph, const scaling_t *scaling, symmetric_t *out,
                       int64_t *ill);

/* Bytes while G is made, and of G, if a tile reaches `reach` landmarks of m and the points are on a manifold
 * of dimension d: a block for every pair of landmarks that a point reaches together, some 2^d times as many
 * for each as a point reaches; each thread adds up a G of its own. */
typedef struct {
  double making, kept;
} gram_need;
gram_need REAL(gram_bytes)(int64_t n, int64_t m, int64_t q, double reach, int64_t d, int threads);

/*
 * Left singular vectors as eigenvectors of the diffusion, row by row:
 *     u[i] = D_i^-1/2 (A v sigma^-1)[i]
 * v (m q x r), values (r) = sigma^2; u (n x q x r) in the order that
 * order[i] gives, or as stored if it is NULL.
 */
int REAL(gram_fields)(run_t *run, const graph_t *graph, const scaling_t *scaling, const double *v,
                      const double *values, int64_t r, const int64_t *order, real_t *u);

/* The blocks of a tile (rows q x count q) times those rows of v (m q x r) that it
 * reaches: rows q x r, in the scratch. NULL without memory. */
real_t *REAL(tile_product)(const graph_tile *tile, const real_t *v, int64_t q, int64_t r, buffer_t *space);

#endif
