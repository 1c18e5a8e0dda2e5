/*
 * Second moments of the neighbours of a query about their mean,
 *
 *     C = sum_j h_j (x_j - q)(x_j - q)' / h - m m',   h_j = 1 - d2_j / reach for d2_j <= bound,
 *     m = sum_j h_j (x_j - q) / h,   h = sum_j h_j,
 *
 * straight from the block of candidates: LANES of them at a time, those beyond
 * the bound with h = 0, and all sums in registers: h, m, and the p (p + 1) / 2 of C. A candidate
 * keeps its lane whatever other tiles the block holds, and zeros change no sum,
 * so C does not depend on how the block came about.
 */
#include "neighbours/work.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* Sums for p coordinates. */
#define SUMS(p) (1 + (p) + (p) * ((p) + 1) / 2)

/* What is left of equal numbers that are taken from each other. */
#define ROUNDING (64 * REAL_EPSILON)

enum { MOST_SUMS = SUMS(MOMENT_COORDINATES), BLOCK = 2048 };

/* Candidates: p rows of `padded`, and their squared distances. */
typedef struct {
  int64_t padded;
  const real_t *x, *row;
} candidates_t;

INLINE void add_lanes(int64_t p, candidates_t c, int64_t l, const real_t *query, real_t bound, real_t inverse,
                      lanes_t *restrict sum) {
  lanes_t z[MOMENT_COORDINATES], d2 = *(const lanes_t *)(c.row + l);
  lane_mask_t near = d2 <= bound;
  lanes_t h = (lanes_t)((lane_mask_t)(1 - d2 * inverse) & near);
  for (int64_t i = 0; i < p; i++) {
    lanes_t gap = *(const lanes_t *)(c.x + i * c.padded + l) - query[i];
    z[i] = (lanes_t)((lane_mask_t)gap & near);
  }
  sum[0] += h;
  for (int64_t i = 0, s = 1 + p; i < p; i++) {
    lanes_t weighted = h * z[i];
    sum[1 + i] += weighted;
    for (int64_t j = i; j < p; j++, s++) sum[s] += weighted * z[j];
  }
}

/* Vectors of candidates that begin at group[0 .. count). */
INLINE void add_groups(int64_t p, candidates_t c, const int64_t *group, int64_t count, const real_t *query,
                       real_t bound, real_t inverse, lanes_t *sum) {
  lanes_t own[MOST_SUMS];
  for (int64_t s = 0; s < SUMS(p); s++) own[s] = sum[s];
  for (int64_t g = 0; g < count; g++) add_lanes(p, c, group[g], query, bound, inverse, own);
  for (int64_t s = 0; s < SUMS(p); s++) sum[s] = own[s];
}

static void add(int64_t p, candidates_t c, const int64_t *group, int64_t count, const real_t *query,
                real_t bound, real_t inverse, lanes_t *sum) {
  switch (p) {
  case 2:
    add_groups(2, c, group, count, query, bound, inverse, sum);
    break;
  case 3:
    add_groups(3, c, group, count, query, bound, inverse, sum);
    break;
  case 4:
    add_groups(4, c, group, count, query, bound, inverse, sum);
    break;
  case 5:
    add_groups(5, c, group, count, query, bound, inverse, sum);
    break;
  default:
    add_groups(p, c, group, count, query, bound, inverse, sum);
    break;
  }
}

static real_t total(lanes_t sum) {
  real_t part[LANES], whole = 0;
  memcpy(part, &sum, sizeof part);
  for (int width = LANES / 2; width >= 4; width /= 2)
    for (int l = 0; l < width; l++) part[l] += part[l + width];
  for (int l = 0; l < 4; l++) whole += part[l];
  return whole;
}

/* out (p (p + 1) / 2) = C; zero if there are no neighbours. */
static void finish(int64_t p, const lanes_t *sum, real_t *out) {
  real_t mean[MOMENT_COORDINATES], h = total(sum[0]), share = h > 0 ? 1 / h : 0, about = 0, left = 0;
  for (int64_t i = 0; i < p; i++) mean[i] = share * total(sum[1 + i]);
  for (int64_t i = 0, s = 0; i < p; i++)
    for (int64_t j = i; j < p; j++, s++) {
      real_t moment = share * total(sum[1 + p + s]);
      out[s] = moment - mean[i] * mean[j];
      if (i == j) about += moment, left += out[s];
    }
  if (!(left > ROUNDING * about))
    memset(out, 0, (size_t)(p * (p + 1) / 2) * sizeof *out); /* all in one place */
}

/* 1 / reach of the k nearest, the furthest at squared distance r2 (frames/frames.h). */
static real_t inverse_reach(real_t r2, int64_t k) {
  real_t reach = r2 * (1 + 1 / (real_t)k);
  return reach > 0 ? 1 / reach : 0;
}

void REAL(block_moments)(const neighbour_work *work, int64_t p, const real_t *query, int64_t k, real_t r2,
                         real_t *out) {
  candidates_t c = {work->padded, AS(real_t, work->x), AS(real_t, work->row)};
  lanes_t sum[MOST_SUMS];
  memset(sum, 0, sizeof sum);
  add(p, c, AS(int64_t, work->groups), work->group_count, query, r2, inverse_reach(r2, k), sum);
  finish(p, sum, out);
}

/* The tile of stored point i. */
static int64_t tile_of(const tiles_t *tiles, int64_t i) {
  int64_t low = 0, high = tiles->tiles;
  while (high - low > 1) {
    int64_t middle = (low + high) / 2;
    if (tiles->first[middle] <= i)
      low = middle;
    else
      high = middle;
  }
  return low;
}

int REAL(list_moments)(neighbour_work *work, const tiles_t *tiles, const real_t *query, int64_t k,
                       const int64_t *index, const real_t *d2, real_t *out) {
  int64_t p = tiles->p, padded = k * LANES, have = 0, before = -1;
  real_t *x = ROOM(real_t, &work->x, p * padded), *row = ROOM(real_t, &work->row, padded), r2 = 0;
  int64_t *group = ROOM(int64_t, &work->groups, k);
  if (!x || !row || !group) return LAVDM_ERROR_MEMORY;
  for (int64_t n = 0; n < k; n++) { /* ascending: points that share a vector come together */
    int64_t first = tiles->first[tile_of(tiles, index[n])], offset = index[n] - first;
    int64_t vector = first + offset / LANES * LANES;
    if (vector != before) {
      group[have] = have * LANES;
      for (int64_t l = group[have]; l < group[have] + LANES; l++) row[l] = INFINITY;
      for (int64_t i = 0; i < p; i++) memset(x + i * padded + group[have], 0, sizeof(lanes_t));
      before = vector;
      have++;
    }
    int64_t at = group[have - 1] + offset % LANES;
    for (int64_t i = 0; i < p; i++) x[i * padded + at] = tiles->x[index[n] * p + i];
    row[at] = d2[n];
    r2 = d2[n] > r2 ? d2[n] : r2;
  }
  lanes_t sum[MOST_SUMS];
  memset(sum, 0, sizeof sum);
  add(p, (candidates_t){padded, x, row}, group, have, query, r2, inverse_reach(r2, k), sum);
  finish(p, sum, out);
  return LAVDM_OK;
}

int REAL(radius_moments)(const tiles_t *tiles, const real_t *query, int64_t count, double radius,
                         neighbour_work *work, real_t *moments) {
  int64_t p = tiles->p, entries = p * (p + 1) / 2, sums = SUMS(p);
  real_t r2 = (real_t)(radius * radius), inverse = (real_t)(1 / (radius * radius));
  lanes_t *sum = ROOM(lanes_t, &work->sums, count * sums);
  if (!sum || REAL(batch_box)(work, p, query, count) < 0) return LAVDM_ERROR_MEMORY;
  memset(sum, 0, (size_t)(count * sums) * sizeof *sum);
  int64_t all =
      REAL(search_all)(work, tiles, AS(real_t, work->lower), AS(real_t, work->upper), REAL(beyond)(p, r2));
  if (all < 0) return LAVDM_ERROR_MEMORY;
  for (int64_t done = 0; done < all;) {
    int64_t taken = REAL(block_next)(work, tiles, done, all, BLOCK, query, r2, 0);
    if (taken < 0) return LAVDM_ERROR_MEMORY;
    done += taken;
    candidates_t c = {work->padded, AS(real_t, work->x), AS(real_t, work->row)};
    for (int64_t i = 0; i < count; i++) {
      REAL(block_row)(work, tiles, query + i * p, r2);
      REAL(block_groups)(work, r2, NULL);
      add(p, c, AS(int64_t, work->groups), work->group_count, query + i * p, r2, inverse, sum + i * sums);
    }
  }
  for (int64_t i = 0; i < count; i++) finish(p, sum + i * sums, moments + i * entries);
  return LAVDM_OK;
}
