/* The operator itself as blocks, rows and columns in the order of the data. */
#ifndef LAVDM_OPERATOR_BLOCKS_H
#define LAVDM_OPERATOR_BLOCKS_H

#include "base/run.h"

/* Large arrays (base/large.h). */
typedef struct {
  int64_t count;
  int64_t *start; /* n + 1 */
  int32_t *col;   /* count */
  double *block;  /* count x q x q */
  double needed;  /* bytes of memory while they were made, if they are in memory */
} blocks_t;

/* Bytes of `count` blocks in n rows. */
static inline double blocks_bytes(int64_t count, int64_t q, int64_t n) {
  return (double)count * (4 + 8 * (double)(q * q)) + 8 * (double)(n + 1);
}

#endif
