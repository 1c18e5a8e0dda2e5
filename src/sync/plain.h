/*
 * Multigrid for a weighted graph: A = sum over edges of w (e_i - e_k)(e_i - e_k)' + diag(mass), without
 * connection. Blocks of vectors are row-major, n x columns.
 */
#ifndef LAVDM_SYNC_PLAIN_H
#define LAVDM_SYNC_PLAIN_H

#include "sync/sync.h"

enum { PLAIN_COLUMNS = 64 }; /* of a block of vectors, at most: positions have GIVEN_MOST_Q of them */

typedef struct plain plain_t;

/* For the edges of a part with weights above 0, and masses (n, not negative; NULL: none), for blocks of up to
 * `columns` vectors. */
int plain_new(run_t *run, const part_t *part, const double *weight, const double *mass, int64_t columns,
              plain_t **out);
void plain_free(plain_t *grid); /* accepts NULL */

/* z = B r for a symmetric positive B near the inverse of A; without masses the sums of the columns of r
 * are nearly zero, and those of z arbitrary. */
void plain_apply(const run_t *run, plain_t *grid, int64_t columns, const double *r, double *z);

/* The same twice, the second time for what the first left: r is destroyed. */
void plain_apply_twice(const run_t *run, plain_t *grid, int64_t columns, double *r, double *z);

/* 1 over the diagonal of A, n numbers; 0 where that is 0. */
const double *plain_inverse(const plain_t *grid);

/* y = A x. */
void plain_product(const run_t *run, const plain_t *grid, int64_t columns, const double *x, double *y);

/* group (n): which node of a level each node belongs to, 0 being the finest level; how many those are, or 0
 * if there is no such level. */
int64_t plain_groups(const plain_t *grid, int level, int32_t *group);

/* Solves A x = r column by column by conjugate gradients, to residuals of `tolerance` times the right side.
 * r is destroyed. *solved: whether it got there; *steps (or NULL): after how many. */
int plain_solve(run_t *run, plain_t *grid, int64_t columns, double *r, double *x, double tolerance,
                bool *solved, int64_t *steps);

#endif
