/*
 * r of a query and the candidates of a block (metric.h), LANES at a time, where r is no sum of squares.
 * Places that fill up a tile are NaN, and so is their r.
 */
#include "neighbours/compress.h"
#include "neighbours/work.h"

typedef struct {
  const metric_t *metric;
  int64_t p, padded;
  const real_t *query;
} row_t;

/* r of `count` vectors of candidates, whose sums do not wait for one another. Inlined: count is a constant.
 */
enum { GROUP = 4 };
#define INLINE static inline __attribute__((always_inline))

INLINE lanes_t at(const real_t *x, int64_t g) {
  return *(const lanes_t *)(x + g * LANES);
}

/* x where the mask is set, y elsewhere. */
INLINE lanes_t chosen(lane_mask_t mask, lanes_t x, lanes_t y) {
  return (lanes_t)(((lane_mask_t)x & mask) | ((lane_mask_t)y & ~mask));
}

INLINE lanes_t gap(lanes_t x, real_t y) {
  lanes_t d = x - y;
  return chosen(d < 0, -d, d);
}

/* One more where the mask is set: counts are whole numbers, exact. */
INLINE lanes_t one_more(lane_mask_t mask, lanes_t count) {
  return chosen(mask, count + 1, count);
}

/* 0, and NaN at places that fill up a tile. */
INLINE void zero(const real_t *x, int64_t count, lanes_t *out) {
  for (int64_t g = 0; g < count; g++) out[g] = at(x, g) - at(x, g);
}

INLINE void sum_of_gaps(const row_t *row, const real_t *x, int64_t count, lanes_t *out) {
  zero(x, count, out);
  for (int64_t j = 0; j < row->p; j++)
    for (int64_t g = 0; g < count; g++) out[g] += gap(at(x + j * row->padded, g), row->query[j]);
}

INLINE void largest_gap(const row_t *row, const real_t *x, int64_t count, lanes_t *out) {
  zero(x, count, out);
  for (int64_t j = 0; j < row->p; j++)
    for (int64_t g = 0; g < count; g++) {
      lanes_t own = gap(at(x + j * row->padded, g), row->query[j]);
      out[g] = chosen(own > out[g], own, out[g]);
    }
}

INLINE void share_apart(const row_t *row, const real_t *x, int64_t count, lanes_t *out) {
  zero(x, count, out);
  for (int64_t j = 0; j < row->p; j++)
    for (int64_t g = 0; g < count; g++)
      out[g] = one_more(at(x + j * row->padded, g) != row->query[j], out[g]);
  for (int64_t g = 0; g < count; g++) out[g] /= (real_t)row->p;
}

INLINE void share_of_used(const row_t *row, const real_t *x, int64_t count, lanes_t *out) {
  lanes_t used[GROUP] = {{0}};
  zero(x, count, out);
  for (int64_t j = 0; j < row->p; j++) {
    lane_mask_t own = (lane_mask_t){0} - (row->query[j] != 0);
    for (int64_t g = 0; g < count; g++) {
      lanes_t other = at(x + j * row->padded, g);
      out[g] = one_more(other != row->query[j], out[g]);
      used[g] = one_more((other != 0) | own, used[g]);
    }
  }
  for (int64_t g = 0; g < count; g++) out[g] /= chosen(used[g] > 0, used[g], used[g] + 1);
}

INLINE void looked_up(const row_t *row, const real_t *x, int64_t count, lanes_t *out) {
  zero(x, count, out);
  for (int64_t g = 0; g < count; g++)
    for (int l = 0; l < LANES; l++)
      if (out[g][l] == 0)
        out[g][l] = (real_t)metric_given(row->metric, (int64_t)row->query[0], (int64_t)x[g * LANES + l]);
}

typedef void (*group_r)(const row_t *row, const real_t *x, int64_t count, lanes_t *out);

/* Rows of the spans. */
INLINE int64_t fill(neighbour_work *work, const row_t *row, group_r r, real_t bound) {
  lane_mask_t within = {0};
  int64_t count = 0;
  for (int64_t s = 0; s < work->span_count; s++) {
    span_t span = AS(span_t, work->spans)[s];
    for (int64_t l = span.begin; l < span.end;) {
      lanes_t found[GROUP];
      const real_t *x = AS(real_t, work->x) + l;
      int64_t size = span.end - l >= GROUP * LANES ? GROUP : 1;
      if (size == GROUP)
        r(row, x, GROUP, found);
      else
        r(row, x, 1, found);
      for (int64_t g = 0; g < size; g++, l += LANES) {
        *(lanes_t *)(AS(real_t, work->row) + l) = found[g];
        within -= found[g] <= bound;
      }
    }
  }
  for (int l = 0; l < LANES; l++) count += within[l];
  return count;
}

/* The tiles whose box is within `reach`. */
static void find_spans(neighbour_work *work, const row_t *row, const tiles_t *tiles, double reach) {
  const int64_t *begin = AS(int64_t, work->begin);
  span_t *spans = AS(span_t, work->spans);
  int64_t p = row->p, have = 0;
  for (int64_t t = 0; t < work->tile_count; t++) {
    int64_t node = AS(visit_t, work->tiles)[t].node + tiles->tiles - 1;
    if (REAL(metric_box)(row->metric, p, row->query, row->query, tiles->lower + node * p,
                         tiles->upper + node * p) <= reach)
      spans[have++] = (span_t){begin[t], begin[t + 1]};
  }
  work->span_count = have;
}

int64_t REAL(metric_row)(neighbour_work *work, const tiles_t *tiles, const real_t *query, real_t bound) {
  row_t row = {&tiles->metric, tiles->p, work->padded, query};
  find_spans(work, &row, tiles, REAL(beyond)(tiles->p, bound));
  switch (tiles->metric.kind) {
  case LAVDM_METRIC_MANHATTAN:
    return fill(work, &row, sum_of_gaps, bound);
  case LAVDM_METRIC_CHEBYSHEV:
    return fill(work, &row, largest_gap, bound);
  case LAVDM_METRIC_HAMMING:
    return fill(work, &row, share_apart, bound);
  case LAVDM_METRIC_JACCARD:
    return fill(work, &row, share_of_used, bound);
  default:
    return fill(work, &row, looked_up, bound);
  }
}
