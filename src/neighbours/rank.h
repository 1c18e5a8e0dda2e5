/* Selection by rank among keyed items, the step from which tiles are made. */
#ifndef LAVDM_NEIGHBOURS_RANK_H
#define LAVDM_NEIGHBOURS_RANK_H

#include "base/real.h"

/* Items are pairs of a key and a number, in two arrays. */
typedef struct {
  real_t *key;
  uint32_t *at;
} items_t;

/* Room for `count` items; items.key is NULL if out of memory. */
items_t REAL(items_new)(int64_t count);
void REAL(items_free)(items_t items); /* accepts a zeroed one */

/* The items from the i-th on. */
static inline items_t items_from(items_t items, int64_t i) {
  return (items_t){items.key + i, items.at + i};
}

/*
 * Rearranges n items around rank `cut` (0 <= cut < n): with v the key that has
 * this rank, keys of [0, begin) are < v, of [begin, end) = v, of [end, n) > v,
 * and begin <= cut < end. Expected time O(n), whatever the ties. `space` has
 * room for n items and LANES more.
 */
void REAL(rank_select)(items_t items, int64_t n, int64_t cut, items_t space, int64_t *begin, int64_t *end);

#endif
