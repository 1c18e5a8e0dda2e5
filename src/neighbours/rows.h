/*
 * Passes over the data as the user has it: points of any type and strides in
 * memory, or rows that are read on demand.
 */
#ifndef LAVDM_NEIGHBOURS_ROWS_H
#define LAVDM_NEIGHBOURS_ROWS_H

#include "base/real.h"
#include "base/run.h"

typedef struct {
  const void *points;
  lavdm_type type;
  int64_t row, col;     /* strides */
  const double *centre; /* taken away from every point; or NULL */
} strided_t;

static inline real_t rows_value(const strided_t *rows, int64_t i, int64_t j) {
  int64_t at = i * rows->row + j * rows->col;
  double x = rows->type == LAVDM_F32 ? (double)((const float *)rows->points)[at]
                                     : ((const double *)rows->points)[at];
  return (real_t)(rows->centre ? x - rows->centre[j] : x);
}

/* The data is passed over in this many stripes, one after the other or side by side. */
enum { STRIPES = 64 };

/* Rows first .. first+count-1 of the data, which are 0 .. count-1 of `rows`; blocks
 * of a stripe come in order. */
typedef void (*rows_step)(void *context, int stripe, const strided_t *rows, int64_t first, int64_t count);

/* Calls step for all rows, stripes side by side with all threads of the run. */
int REAL(rows_pass)(run_t *run, const lavdm_data *data, const double *centre, rows_step step, void *context);

/* One row (p doubles). */
int REAL(rows_one)(run_t *run, const lavdm_data *data, int64_t i, double *out);

#endif
