/*
 * Quickselect after Floyd and Rivest: the pivot is a sample quantile a little
 * to the side of the wanted rank, so that two partitions leave a small rest.
 */
#include "neighbours/rank.h"

#include <math.h>

enum { SMALL = 24, SAMPLE = 512 };

/* Moves keys < pivot to the front without branches; returns how many. */
static int64_t partition_below(item_t *items, int64_t n, real_t pivot) {
  int64_t below = 0;
  for (int64_t i = 0; i < n; i++) {
    item_t item = items[i];
    items[i] = items[below];
    items[below] = item;
    below += item.key < pivot;
  }
  return below;
}

/* The same for keys <= pivot. */
static int64_t partition_upto(item_t *items, int64_t n, real_t pivot) {
  int64_t upto = 0;
  for (int64_t i = 0; i < n; i++) {
    item_t item = items[i];
    items[i] = items[upto];
    items[upto] = item;
    upto += item.key <= pivot;
  }
  return upto;
}

static void sort_small(item_t *items, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    item_t item = items[i];
    int64_t j = i;
    for (; j > 0 && items[j - 1].key > item.key; j--) items[j] = items[j - 1];
    items[j] = item;
  }
}

/* A key near rank `cut`, on the side that leaves `cut` in the smaller part. */
static real_t pivot_near(const item_t *items, int64_t n, int64_t cut) {
  item_t sample[SAMPLE];
  int64_t size = n >= 32 * SAMPLE ? SAMPLE : n >= 1024 ? SAMPLE / 8 : 15, begin, end;
  for (int64_t s = 0; s < size; s++) sample[s] = items[s * n / size];
  double share = (double)cut / (double)n, aim = share * (double)size, aside = 0.75 * sqrt((double)size);
  int64_t rank = (int64_t)(share < 0.5 ? aim + aside : aim - aside);
  rank = rank < 0 ? 0 : rank >= size ? size - 1 : rank;
  rank_select(sample, size, rank, &begin, &end);
  return sample[rank].key;
}

void rank_select(item_t *items, int64_t n, int64_t cut, int64_t *begin, int64_t *end) {
  int64_t low = 0, high = n; /* the rank is in [low, high), and so are all keys equal to v */
  while (high - low > SMALL) {
    real_t pivot = pivot_near(items + low, high - low, cut - low);
    int64_t below = low + partition_below(items + low, high - low, pivot);
    if (cut < below) {
      high = below;
    } else if (below > low) {
      low = below;
    } else { /* the pivot is the smallest key */
      int64_t upto = low + partition_upto(items + low, high - low, pivot);
      if (cut < upto) {
        *begin = low;
        *end = upto;
        return;
      }
      low = upto;
    }
  }
  sort_small(items + low, high - low);
  for (*begin = cut; *begin > low && items[*begin - 1].key == items[cut].key;) --*begin;
  for (*end = cut + 1; *end < high && items[*end].key == items[cut].key;) ++*end;
}
