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

static inline lanes_t at(const real_t *x) {
  return *(const lanes_t *)x;
}

/* x where the mask is set, y elsewhere. */
static inline lanes_t chosen(lane_mask_t mask, lanes_t x, lanes_t y) {
  return (lanes_t)(((lane_mask_t)x & mask) | ((lane_mask_t)y & ~mask));
}

static inline lanes_t lanes_abs(lanes_t x) {
  return chosen(x < 0, -x, x);
}

/* How many of `counts`, which go down from 0, as reals. */
static inline lanes_t counted(lane_mask_t counts) {
  return __builtin_convertvector(-counts, lanes_t);
}

static lanes_t sum_of_gaps(const row_t *row, const real_t *x) {
  lanes_t sum = {0};
  for (int64_t j = 0; j < row->p; j++) sum += lanes_abs(at(x + j * row->padded) - row->query[j]);
  return sum;
}

static lanes_t largest_gap(const row_t *row, const real_t *x) {
  lanes_t most = at(x) - at(x);
  for (int64_t j = 0; j < row->p; j++) {
    lanes_t gap = lanes_abs(at(x + j * row->padded) - row->query[j]);
    most = chosen(gap > most, gap, most);
  }
  return most;
}

static lanes_t share_apart(const row_t *row, const real_t *x) {
  lane_mask_t differ = {0};
  for (int64_t j = 0; j < row->p; j++) differ += at(x + j * row->padded) != row->query[j];
  return counted(differ) / (real_t)row->p + (at(x) - at(x));
}

static lanes_t share_of_used(const row_t *row, const real_t *x) {
  lane_mask_t differ = {0}, used = {0};
  for (int64_t j = 0; j < row->p; j++) {
    lanes_t own = at(x + j * row->padded);
    differ += own != row->query[j];
    used += (own != 0) | (row->query[j] != 0 ? -1 : 0);
  }
  lanes_t all = counted(used);
  return counted(differ) / chosen(all > 0, all, all + 1) + (at(x) - at(x));
}

static lanes_t looked_up(const row_t *row, const real_t *x) {
  lanes_t out = at(x) - at(x);
  for (int l = 0; l < LANES; l++)
    if (out[l] == 0) out[l] = (real_t)metric_given(row->metric, (int64_t)row->query[0], (int64_t)x[l]);
  return out;
}

/* Inlined for each metric. */
static inline __attribute__((always_inline)) int64_t
fill(neighbour_work *work, const row_t *row, lanes_t (*r)(const row_t *, const real_t *), real_t bound) {
  lane_mask_t within = {0};
  int64_t count = 0;
  for (int64_t s = 0; s < work->span_count; s++) {
    span_t span = AS(span_t, work->spans)[s];
    for (int64_t l = span.begin; l < span.end; l += LANES) {
      lanes_t found = r(row, AS(real_t, work->x) + l);
      *(lanes_t *)(AS(real_t, work->row) + l) = found;
      within -= found <= bound;
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
