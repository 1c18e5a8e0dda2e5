/* Stored symmetric matrices as operators: products with a block of vectors. */
#ifndef LAVDM_OPERATOR_PRODUCT_H
#define LAVDM_OPERATOR_PRODUCT_H

#include "graph/bsr.h"
#include "operator/operator.h"

/* A symmetric matrix of size N, dense (N x N) or block-sparse; with a team the block-sparse rows of this
 * rank, in the columns of all ranks. */
typedef struct {
  int64_t size;
  double *dense; /* or NULL */
  bsr_t sparse;
  const team_t *team;    /* or NULL */
  int64_t before, after; /* entries of the ranks before this one, and after it */
} symmetric_t;

void symmetric_free(symmetric_t *matrix); /* accepts a zeroed one */

/* The product of `matrix`, which must outlive the operator. */
operator_t symmetric_operator(const symmetric_t *matrix);

/* A dense copy, for the dense solver: N rows, with a team in the columns of all ranks. NULL if out of memory.
 */
double *symmetric_dense(const symmetric_t *matrix);

#endif
