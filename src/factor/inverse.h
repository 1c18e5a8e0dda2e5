/* Entries of the inverse of a sparse matrix, where its Cholesky factor has any. */
#ifndef LAVDM_FACTOR_INVERSE_H
#define LAVDM_FACTOR_INVERSE_H

#include "factor/factor.h"

typedef struct inverse inverse_t;

/* Of the matrix that factor_compute took last. It has as many numbers as the factor, which stays as it is. */
int inverse_new(run_t *run, const factor_t *factor, inverse_t **out);
void inverse_free(inverse_t *inverse); /* accepts NULL */

/* The entry of row i and column j. The matrix has one there itself, or the factor: elsewhere it is NaN. */
double inverse_entry(const inverse_t *inverse, int64_t i, int64_t j);

#endif
