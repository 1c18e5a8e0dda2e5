/* The connection graph between the points themselves, stored (for dm and vdm). */
#ifndef LAVDM_GRAPH_SQUARE_H
#define LAVDM_GRAPH_SQUARE_H

#include "graph/graph.h"

/*
 * Pairs by `rule` (BALL: within kernel.radius; KNN: one among the k nearest of
 * the other; COMPLETE), every point joined to itself; weight K, block w O with
 * block (k,i) the exact transpose of block (i,k). *ill counts ill alignments.
 * With local bandwidths (or NULL) distances are in units of sqrt(rho_i rho_k), for the radius too.
 */
int REAL(square_build)(run_t *run, const tiles_t *points, const source_t *source, const kernel_t *kernel,
                       const widths_t *local, lavdm_edge_rule rule, int64_t k, bsr_t *out, int64_t *ill);

/*
 * Its steps. The neighbours of `points` among others in the stored order of those, and their weights; what a
 * point has found need not have found it. Then blocks (i,k) of a graph with both directions: with `place`
 * (one for each row: which column it is itself) those of columns from there on alone.
 */
int REAL(square_directed)(run_t *run, const tiles_t *points, const tiles_t *among, const kernel_t *kernel,
                          const widths_t *local, lavdm_edge_rule rule, int64_t k, bsr_t *out);
int REAL(square_blocks)(run_t *run, const source_t *source, const int64_t *place, bsr_t *g, int64_t *ill);

/* Bytes of a pair while the graph is made symmetric, when columns and weights are there three times, and
 * blocks not yet. */
static inline double square_making_bytes(int64_t q) {
  double blocks = 16 + 8 * (double)(q * q);
  return blocks > 36 ? blocks : 36;
}

#endif
