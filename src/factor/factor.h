/*
 * Sparse symmetric positive matrices and their Cholesky factors, by CHOLMOD. The ordering is that of
 * whole blocks of rows, whose graph is much smaller than the matrix.
 */
#ifndef LAVDM_FACTOR_FACTOR_H
#define LAVDM_FACTOR_FACTOR_H

#include "base/run.h"

/* The lower triangle with its diagonal, by columns; rows ascend in each. */
typedef struct {
  int64_t n;
  int64_t *start; /* n + 1 */
  int64_t *row;   /* start[n] */
  double *value;  /* start[n] */
} triangle_t;

void triangle_free(triangle_t *matrix);

typedef struct factor factor_t;

/* The order of elimination and the pattern of the factor. Rows first[b] .. first[b+1]-1 are block b of
 * `blocks`, and their patterns are whole: an entry of a block is there if any is; NULL: every row is a
 * block. A factor of more than `most` bytes is not made: *out is NULL then, and the status 0. */
int factor_analyse(run_t *run, const triangle_t *matrix, const int64_t *first, int64_t blocks, double most,
                   factor_t **out);
void factor_free(factor_t *factor); /* accepts NULL */

/* Entries of the factor, with those that supernodes add, and operations to compute it. */
double factor_entries(const factor_t *factor);
double factor_operations(const factor_t *factor);

/* Numbers for a matrix of the pattern that was analysed. *positive: whether it is positive definite, as far
 * as rounding lets one see; if not, there is no factor. */
int factor_compute(run_t *run, factor_t *factor, const triangle_t *matrix, bool *positive);

/* After factor_compute: the least L_jj^2 by A_jj, what elimination left of the diagonal. */
int factor_least_left(run_t *run, const factor_t *factor, const triangle_t *matrix, double *least);

/* x (n x columns, by columns): the right sides, and then the solutions. */
int factor_solve(run_t *run, factor_t *factor, int64_t columns, double *x);

/* |L' x|^2 for the factor L of what was computed, with its rounding: x' A x but for that. */
double factor_form(const factor_t *factor, const double *x);

#endif
