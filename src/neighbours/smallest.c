/*
 * The k smallest of some numbers in order: quicksort that leaves aside what
 * cannot be among them, down to sets small enough to rank by comparing all
 * pairs, eight at a time and without branches.
 */
#include "neighbours/compress.h"
#include "neighbours/work.h"

#include <math.h>
#include <string.h>

/* Pairs ranked at once (a place fits 7 bits), and 32-bit numbers compared at once. */
enum { RANKED = 112, WIDTH = 16 };
typedef int32_t keys_t __attribute__((vector_size(4 * WIDTH)));

typedef struct {
  real_t *d2;
  int64_t *index;
} pairs_t;

static inline bool less(real_t d2, int64_t index, real_t than_d2, int64_t than_index) {
  return (d2 < than_d2) | ((d2 == than_d2) & (index < than_index));
}

static inline void swap(pairs_t pairs, int64_t a, int64_t b) {
  real_t d2 = pairs.d2[a];
  int64_t index = pairs.index[a];
  pairs.d2[a] = pairs.d2[b];
  pairs.index[a] = pairs.index[b];
  pairs.d2[b] = d2;
  pairs.index[b] = index;
}

/* By four running maxima, which do not wait for one another. */
real_t REAL(largest_of)(const real_t *d2, int64_t count) {
  real_t most[4] = {0};
  int64_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (int l = 0; l < 4; l++) most[l] = d2[i + l] > most[l] ? d2[i + l] : most[l];
  for (; i < count; i++) most[0] = d2[i] > most[0] ? d2[i] : most[0];
  for (int l = 1; l < 4; l++) most[0] = most[l] > most[0] ? most[l] : most[0];
  return most[0];
}

/*
 * Copies up to RANKED pairs to `to`, in order but for pairs whose d2 agree to
 * 24 bits of the largest. Keys hold these bits and, below them, the place of
 * the pair: all are different, and a pair's rank is the number of smaller ones.
 */
static void rank_all(pairs_t from, int64_t count, pairs_t to) {
  int32_t key[RANKED + WIDTH], rank[RANKED + WIDTH];
  real_t largest = REAL(largest_of)(from.d2, count);
  real_t top = 0xffffff, scale = top / largest;
  for (int64_t i = 0; i < count; i++) {
    real_t bits = from.d2[i] * scale;
    key[i] = (int32_t)(bits < top ? bits : top) << 7 | (int32_t)i;
  }
  int64_t even = count + (count & 1);
  key[count] = INT32_MAX;
  for (int64_t i = 0; i < count; i += WIDTH) {
    keys_t own, below = {0}, more = {0};
    memcpy(&own, key + i, sizeof own);
    for (int64_t j = 0; j < even; j += 2) {
      below -= key[j] < own;
      more -= key[j + 1] < own;
    }
    below += more;
    memcpy(rank + i, &below, sizeof below);
  }
  for (int64_t i = 0; i < count; i++) {
    to.d2[rank[i]] = from.d2[i];
    to.index[rank[i]] = from.index[i];
  }
}

/* Insertion sort of pairs that are nearly in order. */
static void finish(pairs_t pairs, int64_t count) {
  for (int64_t i = 1; i < count; i++) {
    if (pairs.d2[i - 1] < pairs.d2[i]) continue;
    for (int64_t j = i; j > 0 && less(pairs.d2[j], pairs.index[j], pairs.d2[j - 1], pairs.index[j - 1]); j--)
      swap(pairs, j, j - 1);
  }
}

/* Splits at a median of three; returns where that one stands. */
static int64_t split(pairs_t pairs, int64_t begin, int64_t end) {
  int64_t a = begin, b = begin + (end - begin) / 2, c = end - 1;
  if (less(pairs.d2[b], pairs.index[b], pairs.d2[a], pairs.index[a])) swap(pairs, a, b);
  if (less(pairs.d2[c], pairs.index[c], pairs.d2[b], pairs.index[b])) swap(pairs, b, c);
  if (less(pairs.d2[b], pairs.index[b], pairs.d2[a], pairs.index[a])) swap(pairs, a, b);
  swap(pairs, b, c);
  real_t d2 = pairs.d2[c];
  int64_t index = pairs.index[c], below = begin;
  for (int64_t i = begin; i < c; i++) {
    swap(pairs, i, below);
    below += less(pairs.d2[below], pairs.index[below], d2, index);
  }
  swap(pairs, below, c);
  return below;
}

static void sort_range(pairs_t pairs, int64_t begin, int64_t end, int64_t k, pairs_t to) {
  while (end - begin > RANKED) {
    int64_t middle = split(pairs, begin, end);
    if (middle < k) {
      to.d2[middle] = pairs.d2[middle];
      to.index[middle] = pairs.index[middle];
    }
    /* the smaller side by recursion, so that its depth stays logarithmic */
    if (middle - begin < end - middle) {
      sort_range(pairs, begin, middle, k, to);
      begin = middle + 1;
    } else {
      if (middle < k) sort_range(pairs, middle + 1, end, k, to);
      end = middle;
    }
    if (begin >= k) return;
  }
  pairs_t rest = {to.d2 + begin, to.index + begin};
  rank_all((pairs_t){pairs.d2 + begin, pairs.index + begin}, end - begin, rest);
  finish(rest, end - begin);
}

static void least(pairs_t pairs, int64_t count, pairs_t to) {
  int64_t best = 0;
  for (int64_t i = 1; i < count; i++)
    if (less(pairs.d2[i], pairs.index[i], pairs.d2[best], pairs.index[best])) best = i;
  *to.d2 = pairs.d2[best];
  *to.index = pairs.index[best];
}

void REAL(smallest)(real_t *d2, int64_t *index, int64_t count, int64_t k, real_t *out_d2,
                    int64_t *out_index) {
  pairs_t pairs = {d2, index}, to = {out_d2, out_index};
  if (k == 1)
    least(pairs, count, to);
  else
    sort_range(pairs, 0, count, k, to);
}

/* Numbers that are ranked by comparing all pairs. */
enum { BAND = 2 * LANES, MANY_STEPS = 8 };

int64_t REAL(count_upto)(const real_t *x, int64_t count, real_t bound) {
  int64_t found = 0;
  for (int64_t i = 0; i < count; i += LANES)
    found += __builtin_popcount(mask_upto(x + i, bound) & mask_first(count - i));
  return found;
}

/* The number of rank `rank` in the band: the largest that no more than this many
 * are below. What fills the band up is infinite. */
static real_t ranked(const real_t band[BAND], int64_t count, int64_t rank) {
  lanes_t own[2];
  lane_mask_t below[2] = {{0}, {0}};
  memcpy(own, band, sizeof own);
  for (int64_t j = 0; j < count; j++) {
    below[0] -= band[j] < own[0];
    below[1] -= band[j] < own[1];
  }
  real_t found = 0;
  for (int half = 0; half < 2; half++)
    own[half] = (lanes_t)((lane_mask_t)own[half] & (below[half] <= (real_bits_t)rank));
  for (int l = 0; l < LANES; l++) {
    real_t larger = own[0][l] > own[1][l] ? own[0][l] : own[1][l];
    found = larger > found ? larger : found;
  }
  return found;
}

/*
 * The k-th smallest of count > k, none above `high`. As many numbers as `below`
 * are <= low, `upto` are <= high, and below < k <= upto; the first guess of low
 * is right where numbers are spread evenly. If nothing fits between, it is high.
 */
real_t REAL(kth_smallest)(const real_t *d2, int64_t count, int64_t k, real_t high) {
  real_t low = -1, band[BAND + LANES], middle = high * ((real_t)(k - 4) / (real_t)count);
  int64_t below = 0, upto = count, inside = 0;
  for (int steps = 0; upto - below > BAND; steps++) {
    if (steps == MANY_STEPS && REAL(count_upto)(d2, count, 0) >= k)
      return 0; /* which halving never reaches */
    if (!(middle > low && middle < high)) middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) return high;
    int64_t within = REAL(count_upto)(d2, count, middle);
    if (within < k)
      low = middle, below = within;
    else
      high = middle, upto = within;
    middle = low;
  }
  for (int64_t i = 0; i < count; i += LANES)
    inside += compress_reals(mask_upto(d2 + i, high) & ~mask_upto(d2 + i, low) & mask_first(count - i),
                             d2 + i, band + inside);
  for (int64_t i = inside; i < BAND; i++) band[i] = INFINITY;
  return ranked(band, inside, k - 1 - below);
}

/* Of the numbers as far as the last, those stored first: up to an index that bisection
 * finds, as there may be as many as there are copies of a point. */
static void with_ties(const real_t *d2, const int64_t *index, int64_t count, int64_t k, real_t furthest,
                      real_t *out_d2, int64_t *out_index) {
  int64_t nearer = 0, low = INT64_MAX, high = 0, have = 0;
  for (int64_t i = 0; i < count; i++) {
    nearer += d2[i] < furthest;
    if (d2[i] == furthest && index[i] < low) low = index[i];
    if (d2[i] == furthest && index[i] > high) high = index[i];
  }
  while (low < high) {
    int64_t middle = low + (high - low) / 2, upto = nearer;
    for (int64_t i = 0; i < count; i++) upto += (d2[i] == furthest) & (index[i] <= middle);
    if (upto < k)
      low = middle + 1;
    else
      high = middle;
  }
  for (int64_t i = 0; i < count; i++)
    if (d2[i] < furthest || (d2[i] == furthest && index[i] <= low)) {
      out_d2[have] = d2[i];
      out_index[have++] = index[i];
    }
}

real_t REAL(smallest_set)(const real_t *d2, const int64_t *index, int64_t count, int64_t k, real_t *out_d2,
                          int64_t *out_index) {
  real_t furthest = REAL(largest_of)(d2, count);
  if (count > k) furthest = REAL(kth_smallest)(d2, count, k, furthest);
  if (REAL(count_upto)(d2, count, furthest) > k) {
    with_ties(d2, index, count, k, furthest, out_d2, out_index);
    return furthest;
  }
  for (int64_t i = 0, have = 0; i < count; i += LANES) {
    unsigned mask = mask_upto(d2 + i, furthest) & mask_first(count - i);
    compress_reals(mask, d2 + i, out_d2 + have);
    have += compress_indices(mask, index + i, out_index + have);
  }
  return furthest;
}
