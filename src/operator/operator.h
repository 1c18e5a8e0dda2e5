/*
 * What the eigensolver sees of a matrix: its product with a block of vectors,
 * so that every engine can share the solver. Blocks of vectors are row-major,
 * one row per entry and one column per vector.
 */
#ifndef LAVDM_OPERATOR_OPERATOR_H
#define LAVDM_OPERATOR_OPERATOR_H

#include "base/run.h"

typedef struct {
  int64_t size; /* N */
  /* y (N x count) = A x (N x count). May use run->threads threads. Returns 0
   * or a negative status. */
  int (*apply)(run_t *run, const void *context, const double *x, double *y, int64_t count);
  const void *context;
} operator_t;

#endif
