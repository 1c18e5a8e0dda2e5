/* Products with the centred rows X = S - 1 m' of a sparse matrix S; blocks of vectors are row-major. */
#ifndef LAVDM_SPARSE_PRODUCTS_H
#define LAVDM_SPARSE_PRODUCTS_H

#include "base/run.h"

typedef struct {
  const lavdm_sparse *rows;
  lavdm_sparse columns; /* its transpose, owned; zeroed if none was made */
  const double *mean;   /* cols */
} centred_t;

/* The transpose; on failure it is still to be freed. */
int centred_transpose(run_t *run, centred_t *c);
void centred_free(centred_t *c);

/* z (rows x count) = X v, and y (cols x count) = X'z; `sums`: count numbers of work. */
void centred_forward(run_t *run, const centred_t *c, const double *v, int64_t count, double *sums, double *z);
void centred_back(run_t *run, const centred_t *c, const double *z, int64_t count, double *sums, double *y);

/* g (cols x cols, all of it) = X'X. */
void centred_gram(run_t *run, const centred_t *c, double *g);

#endif
