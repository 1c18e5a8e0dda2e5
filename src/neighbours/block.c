/*
 * Squared distances from a query to a block of candidates. The block is stored
 * by coordinate, and d2 is summed for LANES candidates at a time, from the
 * first coordinate to the last. Tiles out of reach of the query are left out.
 */
#include "neighbours/compress.h"
#include "neighbours/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALWAYS_WIDE = 128 }; /* coordinates from which products always pay */

/* For GROUP points at a time, whose sums do not wait for one another. */
void REAL(block_exact)(const tiles_t *tiles, const real_t *q, const int64_t *index, int64_t count,
                       real_t *out) {
  enum { GROUP = 8 };
  int64_t p = tiles->p;
  for (int64_t i = 0; i < count; i += GROUP) {
    const real_t *x[GROUP];
    real_t sum[GROUP] = {0};
    for (int64_t g = 0; g < GROUP; g++) x[g] = tiles->x + index[i + g < count ? i + g : i] * p;
    for (int64_t j = 0; j < p; j++)
      for (int g = 0; g < GROUP; g++) {
        real_t gap = x[g][j] - q[j];
        sum[g] += gap * gap;
      }
    for (int64_t g = 0; g < GROUP && i + g < count; g++) out[i + g] = sum[g];
  }
}

void REAL(distances2)(const tiles_t *tiles, const real_t *q, const int64_t *index, int64_t count,
                      real_t *out) {
  if (metric_squares(&tiles->metric)) {
    REAL(block_exact)(tiles, q, index, count, out);
    REAL(metric_to_d2)(&tiles->metric, out, count);
    return;
  }
  for (int64_t i = 0; i < count; i++) {
    const real_t *x = tiles->x + index[i] * tiles->p;
    out[i] = REAL(metric_d2)(&tiles->metric, REAL(metric_r)(&tiles->metric, tiles->p, q, x));
  }
}

static int by_tile(const void *a, const void *b) {
  int64_t x = ((const visit_t *)a)->node, y = ((const visit_t *)b)->node;
  return (x > y) - (x < y);
}

static int64_t fill_up(int64_t count) {
  return (count + LANES - 1) / LANES * LANES;
}

/* Sorts the tiles, and finds where each begins in the block. */
static int lay_out(neighbour_work *work, const tiles_t *tiles) {
  visit_t *list = AS(visit_t, work->tiles);
  int64_t *begin = ROOM(int64_t, &work->begin, work->tile_count + 1);
  if (!begin) return LAVDM_ERROR_MEMORY;
  qsort(list, (size_t)work->tile_count, sizeof *list, by_tile);
  work->count = begin[0] = 0;
  for (int64_t t = 0; t < work->tile_count; t++) {
    int64_t count = tiles->first[list[t].node + 1] - tiles->first[list[t].node];
    work->count += count;
    begin[t + 1] = begin[t] + (work->wide ? count : fill_up(count));
  }
  work->padded = fill_up(begin[work->tile_count]);
  work->tile_padded = fill_up(work->tile_count);
  return LAVDM_OK;
}

static void gather_tile(neighbour_work *work, const tiles_t *tiles, int64_t t) {
  int64_t p = tiles->p, padded = work->padded, tile = AS(visit_t, work->tiles)[t].node;
  int64_t first = tiles->first[tile], count = tiles->first[tile + 1] - first;
  int64_t begin = AS(int64_t, work->begin)[t], end = AS(int64_t, work->begin)[t + 1];
  int64_t *restrict at = AS(int64_t, work->at) + begin;
  real_t *restrict x = AS(real_t, work->x) + begin;
  for (int64_t l = 0; l < count; l++)
    for (int64_t j = 0; j < p; j++) x[j * padded + l] = tiles->x[(first + l) * p + j];
  for (int64_t l = count; l < end - begin; l++)
    for (int64_t j = 0; j < p; j++) x[j * padded + l] = NAN;
  for (int64_t l = 0; l < end - begin; l++) at[l] = l < count ? first + l : -1;
  const real_t *lower = tiles->lower + (tiles->tiles - 1 + tile) * p;
  const real_t *upper = tiles->upper + (tiles->tiles - 1 + tile) * p;
  for (int64_t j = 0; j < p; j++) {
    AS(real_t, work->tile_lower)[j * work->tile_padded + t] = lower[j];
    AS(real_t, work->tile_upper)[j * work->tile_padded + t] = upper[j];
  }
}

/*
 * Whether products are faster than looking, as query q would, at the boxes of
 * all tiles and the points of those within reach. In units of one operation on
 * LANES numbers, a box takes 5 for each coordinate, a point 3, and a point by
 * products 1.15 (as measured).
 */
static bool products_pay(const neighbour_work *work, const tiles_t *tiles, const real_t *q, double reach) {
  int64_t p = tiles->p, seen = 0, count = 0;
  for (int64_t t = 0; t < work->tile_count; t++) {
    int64_t tile = AS(visit_t, work->tiles)[t].node, node = tile + tiles->tiles - 1;
    int64_t points = tiles->first[tile + 1] - tiles->first[tile];
    count += points;
    if (REAL(box_distance2)(p, q, q, tiles->lower + node * p, tiles->upper + node * p) <= reach)
      seen += points;
  }
  return 5 * (real_t)work->tile_count + 3 * (real_t)seen > 1.15 * (real_t)count;
}

int REAL(block_gather)(neighbour_work *work, const tiles_t *tiles, const real_t *q, double reach,
                       int64_t wide_count) {
  work->wide = may_be_wide(tiles) && (tiles->p >= ALWAYS_WIDE || products_pay(work, tiles, q, reach));
  if (lay_out(work, tiles) < 0) return LAVDM_ERROR_MEMORY;
  int64_t padded = work->padded, size = tiles->p * work->padded, boxes = tiles->p * work->tile_padded;
  if (!ROOM(int64_t, &work->at, padded) || !ROOM(real_t, &work->row, padded) ||
      !ROOM(span_t, &work->spans, work->tile_count) || !ROOM(int64_t, &work->groups, padded / LANES + 1))
    return LAVDM_ERROR_MEMORY;
  if (work->wide) return REAL(wide_gather)(work, tiles, wide_count);
  if (!ROOM(real_t, &work->x, size) || !ROOM(real_t, &work->tile_lower, boxes) ||
      !ROOM(real_t, &work->tile_upper, boxes))
    return LAVDM_ERROR_MEMORY;
  for (int64_t t = 0; t < work->tile_count; t++) gather_tile(work, tiles, t);
  return LAVDM_OK;
}

static void find_spans(neighbour_work *work, int64_t p, const real_t *query, double reach) {
  const int64_t *begin = AS(int64_t, work->begin);
  real_t gap[LANES] __attribute__((aligned(64)));
  span_t *spans = AS(span_t, work->spans);
  int64_t have = 0;
  for (int64_t t = 0; t < work->tile_padded; t += LANES) {
    lanes_t sum = {0};
    for (int64_t j = 0; j < p; j++) {
      lanes_t below = *(lanes_t *)(AS(real_t, work->tile_lower) + j * work->tile_padded + t) - query[j];
      lanes_t above = query[j] - *(lanes_t *)(AS(real_t, work->tile_upper) + j * work->tile_padded + t);
      lanes_t out = (lanes_t)((lane_mask_t)below & (below > 0)) + (lanes_t)((lane_mask_t)above & (above > 0));
      sum += out * out;
    }
    *(lanes_t *)gap = sum;
    /* a bound in the type of the gaps that is not below `reach` */
    real_t bound = (real_t)reach < reach ? (real_t)(reach * (1 + 2 * REAL_EPSILON)) : (real_t)reach;
    unsigned near = mask_upto(gap, bound) & mask_first(work->tile_count - t);
    for (; near; near &= near - 1) {
      int64_t tile = t + __builtin_ctz(near);
      spans[have++] = (span_t){begin[tile], begin[tile + 1]};
    }
  }
  work->span_count = have;
}

int64_t REAL(block_next)(neighbour_work *work, const tiles_t *tiles, int64_t done, int64_t all, int64_t size,
                         const real_t *q, double reach, int64_t wide_count) {
  const visit_t *found = AS(visit_t, work->within_reach) + done;
  int64_t taken = 0, points = 0;
  for (; taken < all - done && points < size; taken++)
    points += tiles->first[found[taken].node + 1] - tiles->first[found[taken].node];
  visit_t *list = ROOM(visit_t, &work->tiles, taken);
  if (!list) return LAVDM_ERROR_MEMORY;
  memcpy(list, found, (size_t)taken * sizeof *list);
  work->tile_count = taken;
  int status = REAL(block_gather)(work, tiles, q, reach, wide_count);
  return status < 0 ? status : taken;
}

/* Rows of the spans; p is known to the compiler. */
static inline __attribute__((always_inline)) int64_t fill_row(neighbour_work *work, int64_t p,
                                                              const real_t *query, real_t bound) {
  int64_t padded = work->padded, count = 0;
  const real_t *x = AS(real_t, work->x);
  real_t *row = AS(real_t, work->row);
  lane_mask_t within = {0};
  for (int64_t s = 0; s < work->span_count; s++) {
    span_t span = AS(span_t, work->spans)[s];
    for (int64_t l = span.begin; l < span.end; l += LANES) {
      lanes_t sum = {0};
      for (int64_t j = 0; j < p; j++) {
        lanes_t gap = *(const lanes_t *)(x + j * padded + l) - query[j];
        sum += gap * gap;
      }
      *(lanes_t *)(row + l) = sum;
      within -= sum <= bound;
    }
  }
  for (int l = 0; l < LANES; l++) count += within[l];
  return count;
}

int64_t REAL(block_row)(neighbour_work *work, const tiles_t *tiles, const real_t *query, real_t bound) {
  int64_t p = tiles->p;
  if (!metric_squares(&tiles->metric)) return REAL(metric_row)(work, tiles, query, bound);
  find_spans(work, p, query, REAL(beyond)(p, bound));
  switch (p) {
  case 1:
    return fill_row(work, 1, query, bound);
  case 2:
    return fill_row(work, 2, query, bound);
  case 3:
    return fill_row(work, 3, query, bound);
  case 4:
    return fill_row(work, 4, query, bound);
  case 5:
    return fill_row(work, 5, query, bound);
  case 6:
    return fill_row(work, 6, query, bound);
  default:
    return fill_row(work, p, query, bound);
  }
}

int64_t REAL(block_pick)(neighbour_work *work, real_t bound, real_t *d2, int64_t *index) {
  const real_t *row = AS(real_t, work->row);
  const int64_t *at = AS(int64_t, work->at);
  int64_t picked = 0;
  for (int64_t s = 0; s < work->span_count; s++) {
    span_t span = AS(span_t, work->spans)[s];
    for (int64_t l = span.begin; l < span.end; l += LANES) {
      unsigned mask = mask_upto(row + l, bound);
      if (!mask) continue;
      compress_reals(mask, row + l, d2 + picked);
      picked += compress_indices(mask, at + l, index + picked);
    }
  }
  return picked;
}

int64_t REAL(block_groups)(neighbour_work *work, real_t bound, real_t *d2) {
  const real_t *row = AS(real_t, work->row);
  int64_t *group = AS(int64_t, work->groups), have = 0, picked = 0;
  for (int64_t s = 0; s < work->span_count; s++) {
    span_t span = AS(span_t, work->spans)[s];
    for (int64_t l = span.begin; l < span.end; l += LANES) {
      unsigned mask = mask_upto(row + l, bound);
      group[have] = l;
      have += mask != 0;
      if (d2) picked += compress_reals(mask, row + l, d2 + picked);
    }
  }
  work->group_count = have;
  return picked;
}
