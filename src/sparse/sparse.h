/*
 * Sparse points as principal coordinates: with X the rows less their mean m, which are never
 * written out, the leading eigenvectors of X'X, or of X X' if there are fewer rows.
 */
#ifndef LAVDM_SPARSE_SPARSE_H
#define LAVDM_SPARSE_SPARSE_H

#include "reduce/reduce.h"

/* Mean and basis of all rows, 1 <= k <= min(rows, cols); as reduce_fit has them for dense ones, to rounding.
 */
int sparse_fit(run_t *run, const lavdm_sparse *sparse, int64_t k, reduce_t *out);

/* out (rows x k): the principal coordinates of all rows. */
int sparse_apply(run_t *run, const reduce_t *reduce, const lavdm_sparse *sparse, double *out);

/* out (count x cols): rows evenly spaced, written out. */
void sparse_sample(const lavdm_sparse *sparse, int64_t count, double *out);

/* Bytes that sparse_fit needs besides its result. */
double sparse_bytes(const lavdm_sparse *sparse, int64_t k);

#endif
