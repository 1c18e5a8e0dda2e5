/* Selection by rank among keyed items, the step from which tiles are made. */
#ifndef LAVDM_NEIGHBOURS_RANK_H
#define LAVDM_NEIGHBOURS_RANK_H

#include "base/real.h"

typedef struct {
  real_t key;
  uint32_t at; /* which point */
} item_t;

/*
 * Rearranges n items around rank `cut` (0 <= cut < n): with v the key that has
 * this rank, keys of [0, begin) are < v, of [begin, end) = v, of [end, n) > v,
 * and begin <= cut < end. Expected time O(n), whatever the ties.
 */
void rank_select(item_t *items, int64_t n, int64_t cut, int64_t *begin, int64_t *end);

#endif
