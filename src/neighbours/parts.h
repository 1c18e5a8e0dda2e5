/*
 * The first division of the points: into 2^levels parts of nearly equal number
 * that are small enough for the cache, copied one after the other.
 */
#ifndef LAVDM_NEIGHBOURS_PARTS_H
#define LAVDM_NEIGHBOURS_PARTS_H

#include "base/real.h"
#include "base/run.h"

typedef struct {
  int levels;
  int64_t count;  /* 2^levels */
  int64_t *first; /* count + 1 */
  int64_t largest;
} parts_t;

/*
 * x (n x p) receives the rows, order (n) where each stands in the data. With
 * `whole` there is one part. Which part a point belongs to depends on the
 * points alone, not on how they are listed.
 */
int REAL(parts_copy)(run_t *run, const lavdm_data *data, const double *centre, bool whole, real_t *x,
                     int64_t *order, parts_t *out);
void REAL(parts_free)(parts_t *parts); /* accepts a zeroed one */

#endif
