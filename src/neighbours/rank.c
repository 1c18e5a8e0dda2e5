/*
 * Quickselect after Floyd and Rivest: the pivot is a sample quantile a little
 * to the side of the wanted rank, so that two partitions leave a small rest.
 */
#include "neighbours/rank.h"

#include "base/memory.h"
#include "neighbours/compress.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { SMALL = 24, SAMPLE = 512 };

items_t REAL(items_new)(int64_t count) {
  items_t items = {NEW(real_t, count), NEW(uint32_t, count)};
  if (items.key && items.at) return items;
  REAL(items_free)(items);
  return (items_t){0};
}

void REAL(items_free)(items_t items) {
  mem_free(items.key);
  mem_free(items.at);
}

/*
 * Moves keys < pivot, or <= pivot if `equal`, to the front, LANES at a time; returns how many. Those that
 * stay behind wait in `space`. What is written was read before: the front never
 * overtakes.
 */
static inline __attribute__((always_inline)) int64_t partition(items_t items, int64_t n, real_t pivot,
                                                               bool equal, items_t space) {
  int64_t upto = 0, above = 0, i = 0;
  for (; i + LANES <= n; i += LANES) {
    real_t key[LANES];
    uint32_t at[LANES];
    memcpy(key, items.key + i, sizeof key);
    memcpy(at, items.at + i, sizeof at);
    unsigned mask = equal ? mask_upto(key, pivot) : mask_below(key, pivot);
    compress_reals(~mask & mask_first(LANES), key, space.key + above);
    above += compress_numbers(~mask & mask_first(LANES), at, space.at + above);
    compress_reals(mask, key, items.key + upto);
    upto += compress_numbers(mask, at, items.at + upto);
  }
  for (; i < n; i++) {
    bool below = equal ? items.key[i] <= pivot : items.key[i] < pivot;
    items_t to = below ? items_from(items, upto++) : items_from(space, above++);
    *to.key = items.key[i];
    *to.at = items.at[i];
  }
  memcpy(items.key + upto, space.key, (size_t)above * sizeof *items.key);
  memcpy(items.at + upto, space.at, (size_t)above * sizeof *items.at);
  return upto;
}

static void sort_small(items_t items, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    real_t key = items.key[i];
    uint32_t at = items.at[i];
    int64_t j = i;
    for (; j > 0 && items.key[j - 1] > key; j--)
      items.key[j] = items.key[j - 1], items.at[j] = items.at[j - 1];
    items.key[j] = key, items.at[j] = at;
  }
}

/* A key near rank `cut`, on the side that leaves `cut` in the smaller part. */
static real_t pivot_near(const real_t *key, int64_t n, int64_t cut) {
  real_t sample[SAMPLE], space_key[SAMPLE + LANES];
  uint32_t at[SAMPLE] = {0}, space_at[SAMPLE + LANES];
  int64_t size = n >= 32 * SAMPLE ? SAMPLE : n >= 1024 ? SAMPLE / 8 : 15, begin, end;
  for (int64_t s = 0; s < size; s++) sample[s] = key[s * n / size];
  double share = (double)cut / (double)n, aim = share * (double)size, aside = 0.75 * sqrt((double)size);
  int64_t rank = (int64_t)(share < 0.5 ? aim + aside : aim - aside);
  rank = rank < 0 ? 0 : rank >= size ? size - 1 : rank;
  REAL(rank_select)((items_t){sample, at}, size, rank, (items_t){space_key, space_at}, &begin, &end);
  return sample[rank];
}

void REAL(rank_select)(items_t items, int64_t n, int64_t cut, items_t space, int64_t *begin, int64_t *end) {
  int64_t low = 0, high = n; /* the rank is in [low, high), and so are all keys equal to v */
  while (high - low > SMALL) {
    real_t pivot = pivot_near(items.key + low, high - low, cut - low);
    int64_t below = low + partition(items_from(items, low), high - low, pivot, false, space);
    if (cut < below) {
      high = below;
    } else if (below > low) {
      low = below;
    } else { /* the pivot is the smallest key */
      int64_t upto = low + partition(items_from(items, low), high - low, pivot, true, space);
      if (cut < upto || upto == low) { /* == low: the pivot is NaN, which has no order */
        *begin = low;
        *end = upto > low ? upto : high;
        return;
      }
      low = upto;
    }
  }
  sort_small(items_from(items, low), high - low);
  const real_t *key = items.key;
  for (*begin = cut; *begin > low && key[*begin - 1] == key[cut];) --*begin;
  for (*end = cut + 1; *end < high && key[*end] == key[cut];) ++*end;
}
