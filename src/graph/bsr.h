/* A stored block-sparse matrix: row i holds blocks start[i] .. start[i+1]-1. */
#ifndef LAVDM_GRAPH_BSR_H
#define LAVDM_GRAPH_BSR_H

#include "base/run.h"

typedef struct {
  int64_t rows, cols, q;
  int64_t *start; /* rows + 1 */
  int32_t *col;   /* ascending within a row */
  double *weight; /* one per block, or NULL; with q = 1 it may be `block` itself */
  double *block;  /* q x q per block, row-major */
} bsr_t;

/* Space for `count` blocks; start is left zero. */
int bsr_new(run_t *run, int64_t rows, int64_t cols, int64_t q, int64_t count, bool weights, bsr_t *out);
void bsr_drop_weights(bsr_t *matrix);
void bsr_free(bsr_t *matrix); /* accepts a zeroed or half-built one */

/* Bytes of a block with its weight. */
static inline double bsr_block_bytes(int64_t q) {
  return 12 + 8 * (double)(q * q);
}

/* Where block (i,k) stands, or -1. */
int64_t bsr_find(const bsr_t *matrix, int64_t i, int64_t k);

#endif
