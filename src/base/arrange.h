/* Rows from stored order to the order of the data. */
#ifndef LAVDM_BASE_ARRANGE_H
#define LAVDM_BASE_ARRANGE_H

#include "base/run.h"

/*
 * to[order[i]] = from[i] for n rows of `width` bytes; order is a permutation. In
 * a streamed run (run->large) no array is gone through in random order.
 */
int arrange_rows(run_t *run, const int64_t *order, int64_t n, size_t width, const void *from, void *to);

#endif
