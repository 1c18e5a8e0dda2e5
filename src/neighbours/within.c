/*
 * All points within a radius of each query of a batch. Tiles within reach of
 * the batch's box are taken in ascending order, a block of them at a time, so
 * what a query finds in one block precedes what it finds in the next; at the
 * end the finds of each query are joined.
 */
#include "neighbours/work.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 2048 }; /* candidates treated together */

/* Finds so far: a run for each query in turn, block after block. */
typedef struct {
  int64_t *index;
  real_t *d2;
  int64_t have;
} finds_t;

/* Adds what query i finds in the block; returns how many, or a status. */
static int64_t add_finds(neighbour_work *work, const tiles_t *tiles, const real_t *query, int64_t i,
                         real_t radius2, finds_t *finds) {
  int64_t p = tiles->p;
  if (work->wide)
    REAL(wide_row)(work, p, i, radius2);
  else
    REAL(block_row)(work, tiles, query + i * p, radius2);
  int64_t before = finds->have, most = before + work->padded + LANES;
  finds->index = GROW(int64_t, &work->out_index, most);
  finds->d2 = GROW(real_t, &work->out_d2, most);
  if (!finds->index || !finds->d2) return LAVDM_ERROR_MEMORY;
  int64_t picked = REAL(block_pick)(work, radius2, finds->d2 + before, finds->index + before);
  finds->have += picked;
  if (!work->wide) return picked;
  REAL(block_exact)(tiles, query + i * p, finds->index + before, picked, finds->d2 + before);
  finds->have = before;
  for (int64_t s = before; s < before + picked; s++) {
    finds->index[finds->have] = finds->index[s];
    finds->d2[finds->have] = finds->d2[s];
    finds->have += finds->d2[s] <= radius2;
  }
  return finds->have - before;
}

/* Joins the finds of each query; runs holds their numbers, blocks x count. */
static int join(neighbour_work *work, int64_t blocks, int64_t count, int64_t *start, finds_t *finds) {
  const int64_t *runs = AS(int64_t, work->runs);
  start[0] = 0;
  for (int64_t i = 0; i < count; i++) {
    start[i + 1] = start[i];
    for (int64_t b = 0; b < blocks; b++) start[i + 1] += runs[b * count + i];
  }
  if (blocks < 2) return LAVDM_OK;
  int64_t *index = ROOM(int64_t, &work->spare_index, finds->have), from = 0;
  real_t *d2 = ROOM(real_t, &work->spare_d2, finds->have);
  if (!index || !d2) return LAVDM_ERROR_MEMORY;
  for (int64_t b = 0; b < blocks; b++)
    for (int64_t i = 0; i < count; i++) {
      int64_t run = runs[b * count + i];
      memcpy(index + start[i], finds->index + from, (size_t)run * sizeof *index);
      memcpy(d2 + start[i], finds->d2 + from, (size_t)run * sizeof *d2);
      start[i] += run;
      from += run;
    }
  for (int64_t i = count; i > 0; i--) start[i] = start[i - 1];
  start[0] = 0;
  finds->index = index;
  finds->d2 = d2;
  return LAVDM_OK;
}

/* From r to d2; a bound of r may let in points that are a rounding error beyond the radius. */
static void keep_within(const metric_t *metric, double radius, int64_t count, int64_t *start,
                        const finds_t *finds) {
  real_t most = (real_t)(radius * radius);
  int64_t kept = 0, begin = 0;
  REAL(metric_to_d2)(metric, finds->d2, start[count]);
  for (int64_t i = 0; i < count; i++) {
    int64_t end = start[i + 1];
    for (int64_t s = begin; s < end; s++) {
      finds->index[kept] = finds->index[s];
      finds->d2[kept] = finds->d2[s];
      kept += finds->d2[s] <= most;
    }
    begin = end;
    start[i + 1] = kept;
  }
}

int REAL(within)(const tiles_t *tiles, const real_t *query, int64_t count, double radius,
                 neighbour_work *work, int64_t *start, const int64_t **index, const real_t **d2) {
  if (metric_listed(&tiles->metric))
    return REAL(listed_within)(tiles, query, count, radius, work, start, index, d2);
  real_t radius2 = (real_t)REAL(metric_reach)(&tiles->metric, radius);
  int64_t blocks = 0, p = tiles->p;
  finds_t finds = {.index = ROOM(int64_t, &work->out_index, 1), .d2 = ROOM(real_t, &work->out_d2, 1)};
  if (!finds.index || !finds.d2) return LAVDM_ERROR_MEMORY;
  *index = finds.index;
  *d2 = finds.d2;
  start[0] = 0;
  if (count == 0) return LAVDM_OK;
  if (REAL(batch_box)(work, p, query, count) < 0) return LAVDM_ERROR_MEMORY;
  if (may_be_wide(tiles) && REAL(wide_queries)(work, tiles, query, count) < 0) return LAVDM_ERROR_MEMORY;
  int64_t all = REAL(search_all)(work, tiles, AS(real_t, work->lower), AS(real_t, work->upper),
                                 REAL(beyond)(p, radius2));
  if (all < 0) return LAVDM_ERROR_MEMORY;
  for (int64_t done = 0; done < all; blocks++) {
    int64_t taken = REAL(block_next)(work, tiles, done, all, BLOCK, query + count / 2 * p, radius2, count);
    int64_t *runs = GROW(int64_t, &work->runs, (blocks + 1) * count);
    if (taken < 0 || !runs) return LAVDM_ERROR_MEMORY;
    done += taken;
    for (int64_t i = 0; i < count; i++) {
      runs[blocks * count + i] = add_finds(work, tiles, query, i, radius2, &finds);
      if (runs[blocks * count + i] < 0) return LAVDM_ERROR_MEMORY;
    }
  }
  if (join(work, blocks, count, start, &finds) < 0) return LAVDM_ERROR_MEMORY;
  if (tiles->metric.kind != LAVDM_METRIC_EUCLIDEAN) keep_within(&tiles->metric, radius, count, start, &finds);
  *index = finds.index;
  *d2 = finds.d2;
  return LAVDM_OK;
}
