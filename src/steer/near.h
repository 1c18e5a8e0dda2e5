/*
 * The nearest of an object by turn, as they are found: a heap, the farthest of them on
 * top, so that pairs which cannot be nearer are left out early; and the comparison of
 * some objects with some references that feeds it.
 */
#ifndef LAVDM_STEER_NEAR_H
#define LAVDM_STEER_NEAR_H

#include "steer/steer.h"

typedef struct {
  int64_t index;
  real_t d2, angle;
  signed char reflected;
} near_t;

/* The `size` nearest so far; equal distances go by their numbers. */
typedef struct {
  near_t *near;
  int64_t count, size;
} near_list;

void REAL(near_offer)(near_list *list, near_t found);
void REAL(near_drop)(near_list *list); /* the farthest */
void REAL(near_sort)(near_list *list); /* ascending; no heap any more */

/* Beyond this squared distance nothing is kept any more. */
double REAL(near_limit)(const near_list *list);

/* Scratch of one thread for up to `rows` x `cols` pairs, and what they are found to be. */
typedef struct {
  bool reflections;
  steer_work *work;
  real_t *d2, *angle;
  signed char *reflected;
} near_work;

bool REAL(near_work_new)(near_work *work, const steer_bands *bands, int64_t rows, int64_t cols,
                         bool reflections); /* false: no memory; to be freed all the same */
void REAL(near_work_free)(near_work *work);

/* Rows first .. first+rows-1 of x against references that were packed, each row within its limit (NULL:
 * none). Pair (i,c) of rows x count is then near_pair(work, i count + c, .); no distance is below 0. */
void REAL(near_match)(const steer_stack *x, int64_t first, int64_t rows, const steer_packed *references,
                      const double *limit2, near_work *work);
near_t REAL(near_pair)(const near_work *work, int64_t at, int64_t index);

#endif
