/* Top eigenpairs of a stored symmetric matrix, by the solver that suits its size. */
#ifndef LAVDM_SPECTRUM_SPECTRUM_H
#define LAVDM_SPECTRUM_SPECTRUM_H

#include "operator/product.h"
#include "spectrum/solver.h"

/* values (r, descending), vectors (N x r), residuals (r) = |A v - lambda v|. */
int spectrum_top(run_t *run, const symmetric_t *matrix, int64_t r, double *values, double *vectors,
                 double *residuals);

/* The same of an operator that is known by its products alone. */
int spectrum_of(run_t *run, const operator_t *op, int64_t r, double *values, double *vectors,
                double *residuals);

/* Bytes that this takes besides the matrix and the result: `size` rows of `total`, which ranks share. */
double spectrum_bytes(int64_t size, int64_t total, int64_t r);

#endif
