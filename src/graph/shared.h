/* The connection graph between the points of several ranks, stored: each rank has the rows of its points. */
#ifndef LAVDM_GRAPH_SHARED_H
#define LAVDM_GRAPH_SHARED_H

#include "graph/graph.h"

/*
 * The rows of square_build (graph/square.h) that belong to `points`, which are among `all`: the points of all
 * ranks, rank after rank, the same on every rank. Rows are in the stored order of `points`; columns are the
 * rows of all ranks below each other, in that order too. `source` joins points of `all`. Pairs, weights and
 * blocks are those of one run with all points, and block (k,i) is the exact transpose of block (i,k),
 * wherever they are. *ill: over all ranks.
 */
int REAL(shared_build)(run_t *run, const tiles_t *points, const tiles_t *all, const source_t *source,
                       const kernel_t *kernel, lavdm_edge_rule rule, int64_t k, bsr_t *out, int64_t *ill);

/* Bytes of a pair meanwhile: found, told and sorted; or with its block, half of which are told. */
static inline double shared_making_bytes(int64_t q) {
  double joined = 96 + 8 * (double)(q * q), told = 36 + 16 * (double)(q * q);
  return joined > told ? joined : told;
}

#endif
