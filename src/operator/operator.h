/*
 * What the eigensolver sees of a matrix: its product with a block of vectors,
 * so that every engine can share the solver. Blocks of vectors are row-major,
 * one row per entry and one column per vector.
 *
 * With a team each rank has rows of the matrix, and of every block the same rows.
 */
#ifndef LAVDM_OPERATOR_OPERATOR_H
#define LAVDM_OPERATOR_OPERATOR_H

#include "base/run.h"

typedef struct {
  int64_t size; /* N; with a team the rows of this rank */
  /* y (N x count) = A x (N x count). May use run->threads threads. Returns 0
   * or a negative status; with a team the same on all ranks, and a rank that was
   * stopped takes the others along. */
  int (*apply)(run_t *run, const void *context, const double *x, double *y, int64_t count);
  const void *context;
  const team_t *team;    /* or NULL */
  int64_t before, after; /* rows of the ranks before this one, and after it */
} operator_t;

/* Rows of all ranks. */
static inline int64_t operator_total(const operator_t *op) {
  return op->before + op->size + op->after;
}

/* Whether to leave a loop of products; those of a team end together, in `apply`. */
static inline bool operator_stopped(run_t *run, const operator_t *op, int64_t done, int64_t total) {
  return run_stopped(run, done, total) && !op->team;
}

#endif
