/*
 * The k nearest points of a batch of queries.
 *
 * Tiles are taken in order of their distance from the batch's box, a block of
 * them at a time; each query keeps its k best so far, and its bound is the
 * k-th of these. When the next tile is beyond every bound, all is exact. How
 * far the first block must reach is guessed from the batch before.
 */
#include "neighbours/compress.h"
#include "neighbours/work.h"

#include <math.h>
#include <string.h>

enum {
  BATCH = 256, /* queries treated together */
  BLOCK = 1024 /* candidates treated together, if k is not larger */
};

typedef struct {
  const tiles_t *tiles;
  const real_t *query;
  int64_t count, k;
  bool ordered;    /* neighbours in order, not as a set */
  real_t *moments; /* wanted instead of neighbours, but for queries that one block does not settle */
  int64_t *index;
  real_t *d2;
} batch_t;

/* Tiles within the limit; at least k points if this is the first block. */
static int fill_block(neighbour_work *work, const batch_t *batch, double limit) {
  const tiles_t *tiles = batch->tiles;
  int64_t points = 0, block = 2 * batch->k > BLOCK ? 2 * batch->k : BLOCK;
  bool first = limit == INFINITY;
  double reach = first ? work->reach : limit;
  if (first && block > 2 * work->crowd) block = 2 * work->crowd;
  work->tile_count = 0;
  while (points < block || (first && points < batch->k)) {
    visit_t *list = GROW(visit_t, &work->tiles, work->tile_count + 1);
    if (!list) return LAVDM_ERROR_MEMORY;
    visit_t *next = list + work->tile_count;
    if (!REAL(search_next)(work, tiles, points < batch->k ? limit : reach, next)) break;
    points += tiles->first[next->node + 1] - tiles->first[next->node];
    work->tile_count++;
  }
  if (!work->tile_count) return LAVDM_OK;
  int64_t middle = AS(int64_t, work->active)[work->active_count / 2];
  double bound = AS(real_t, work->bound)[middle];
  if (bound == INFINITY && work->guess > 0) bound = work->guess;
  return REAL(block_gather)(work, tiles, batch->query + middle * tiles->p, bound, work->active_count);
}

/* Copies query i's best so far and the candidates picked; returns how many. */
static int64_t pool(neighbour_work *work, const batch_t *batch, int64_t i, real_t from, real_t upto) {
  int64_t p = batch->tiles->p, k = batch->k, have = AS(int64_t, work->found)[i];
  real_t *d2 = AS(real_t, work->d2);
  int64_t *index = AS(int64_t, work->index), picked = REAL(block_pick)(work, upto, d2 + have, index + have);
  memcpy(d2, batch->d2 + i * k, (size_t)have * sizeof *d2);
  memcpy(index, batch->index + i * k, (size_t)have * sizeof *index);
  if (!work->wide) return have + picked;
  int64_t more = have;
  for (int64_t s = have; s < have + picked; s++)
    if (d2[s] > from) index[more++] = index[s];
  REAL(block_exact)(batch->tiles, batch->query + i * p, index + have, more - have, d2 + have);
  int64_t kept = have;
  for (int64_t s = have; s < more; s++) {
    d2[kept] = d2[s], index[kept] = index[s];
    kept += d2[s] <= INFINITY; /* not NaN */
  }
  return kept;
}

/* Sets found in several blocks into the order that those of one have. */
static void by_index(real_t *d2, int64_t *index, int64_t count) {
  for (int64_t i = 1; i < count; i++) {
    real_t own_d2 = d2[i];
    int64_t own = index[i], j = i;
    for (; j > 0 && index[j - 1] > own; j--) d2[j] = d2[j - 1], index[j] = index[j - 1];
    d2[j] = own_d2, index[j] = own;
  }
}

/* Takes candidates whose row is in (from, upto] into the k best of query i. */
static void take(neighbour_work *work, const batch_t *batch, int64_t i, real_t from, real_t upto) {
  int64_t k = batch->k, *found = AS(int64_t, work->found) + i, have = pool(work, batch, i, from, upto);
  real_t *sorted = AS(real_t, work->sorted_d2);
  int64_t *sorted_index = AS(int64_t, work->sorted_index);
  if (have == *found) return;
  bool before = *found > 0;
  *found = have < k ? have : k;
  real_t furthest;
  if (batch->ordered) {
    REAL(smallest)(AS(real_t, work->d2), AS(int64_t, work->index), have, k, sorted, sorted_index);
    furthest = sorted[*found - 1];
  } else {
    furthest =
        REAL(smallest_set)(AS(real_t, work->d2), AS(int64_t, work->index), have, k, sorted, sorted_index);
    if (before) by_index(sorted, sorted_index, *found);
  }
  memcpy(batch->d2 + i * k, sorted, (size_t)*found * sizeof *sorted);
  memcpy(batch->index + i * k, sorted_index, (size_t)*found * sizeof *sorted_index);
  if (*found == k) AS(real_t, work->bound)[i] = furthest;
}

/* The k-th smallest of the row. */
static real_t row_bound(neighbour_work *work, int64_t k) {
  real_t *d2 = AS(real_t, work->d2), *sorted = AS(real_t, work->sorted_d2);
  int64_t *index = AS(int64_t, work->index);
  memcpy(d2, AS(real_t, work->row), (size_t)work->count * sizeof *d2);
  memset(index, 0, (size_t)work->count * sizeof *index);
  REAL(smallest)(d2, index, work->count, k, sorted, AS(int64_t, work->sorted_index));
  return sorted[k - 1];
}

/*
 * Row of a query that has no points yet, and a bound that k candidates or
 * some more are within. The guess is the k-th distance of the query before
 * and some slack, which follows how well it does.
 */
static real_t first_row(neighbour_work *work, const batch_t *batch, int64_t slot, int64_t i) {
  int64_t k = batch->k, p = batch->tiles->p;
  real_t bound = INFINITY;
  if (work->count > k && work->guess > 0) bound = (real_t)(work->guess * (1 + work->slack));
  if (work->wide) {
    int64_t within = REAL(wide_row)(work, p, slot, bound);
    return work->count > k && (within < k || within > k + k / 2 + 8) ? row_bound(work, k) : bound;
  }
  for (int attempt = 0;; attempt++) {
    int64_t within = REAL(block_row)(work, batch->tiles, batch->query + i * p, bound);
    if (within < k && attempt == 0) work->slack = fmin(work->slack * 1.25, 0.5);
    if (within > k + k / 5) work->slack *= 0.95;
    if (within >= k || bound == INFINITY) return bound;
    real_t factor = within < k / 4 ? 4 : (real_t)(11 * k) / (real_t)(10 * within);
    bound = attempt == 3 ? INFINITY : bound * factor;
  }
}

/* If the block settles query i, whose row is made up to `upto`: its moments, and true. */
static bool settle(neighbour_work *work, const batch_t *batch, int64_t i, real_t upto) {
  int64_t k = batch->k, p = batch->tiles->p, entries = p * (p + 1) / 2;
  real_t *d2 = AS(real_t, work->d2);
  int64_t have = REAL(block_groups)(work, upto, d2);
  if (have < k) return false;
  real_t r2 = REAL(kth_smallest)(d2, have, k, REAL(largest_of)(d2, have));
  if (REAL(search_distance)(work) <= REAL(beyond)(p, r2) || REAL(count_upto)(d2, have, r2) > k) return false;
  REAL(block_moments)(work, p, batch->query + i * p, k, r2, batch->moments + i * entries);
  AS(real_t, work->bound)[i] = r2;
  AS(int64_t, work->found)[i] = -1;
  return true;
}

/*
 * Query i against the block. Where rows are lower bounds, the k-th distance
 * among those first taken may leave others open.
 */
static void visit_block(neighbour_work *work, const batch_t *batch, int64_t slot, int64_t i) {
  int64_t p = batch->tiles->p;
  real_t *bound = AS(real_t, work->bound) + i, upto = *bound;
  bool first = AS(int64_t, work->found)[i] == 0;
  if (first)
    upto = first_row(work, batch, slot, i);
  else if (work->wide)
    REAL(wide_row)(work, p, slot, upto);
  else
    REAL(block_row)(work, batch->tiles, batch->query + i * p, upto);
  if (first && batch->moments && settle(work, batch, i, upto)) {
    work->guess = *bound;
    return;
  }
  take(work, batch, i, -INFINITY, upto);
  if (work->wide && *bound > upto) take(work, batch, i, upto, *bound);
  if (first) work->guess = *bound;
}

static int start_batch(neighbour_work *work, const batch_t *batch) {
  const tiles_t *tiles = batch->tiles;
  int64_t *found = ROOM(int64_t, &work->found, batch->count),
          *active = ROOM(int64_t, &work->active, batch->count);
  real_t *bound = ROOM(real_t, &work->bound, batch->count);
  if (!found || !active || !bound || REAL(batch_box)(work, tiles->p, batch->query, batch->count) < 0 ||
      (may_be_wide(tiles) && REAL(wide_queries)(work, tiles, batch->query, batch->count) < 0) ||
      REAL(search_start)(work, tiles) < 0)
    return LAVDM_ERROR_MEMORY;
  for (int64_t i = 0; i < batch->count; i++) {
    active[i] = i;
    found[i] = 0;
    bound[i] = INFINITY;
  }
  if (work->slack == 0) work->slack = 0.15;
  work->active_count = batch->count;
  return LAVDM_OK;
}

/* Drops the queries that no tile left can change; returns the largest bound of the others. */
static double drop_finished(neighbour_work *work, const batch_t *batch) {
  int64_t *active = AS(int64_t, work->active), kept = 0, p = batch->tiles->p;
  const real_t *bound = AS(real_t, work->bound);
  double next = REAL(search_distance)(work), furthest = 0;
  for (int64_t slot = 0; slot < work->active_count; slot++) {
    int64_t i = active[slot];
    if (next > REAL(beyond)(p, bound[i])) continue;
    active[kept] = i;
    if (may_be_wide(batch->tiles)) REAL(wide_move)(work, p, slot, kept);
    furthest = fmax(furthest, bound[i]);
    kept++;
  }
  work->active_count = kept;
  return furthest;
}

/* Queries that are at a distance from fewer than k points, as NaN is from none: whatever the numbers, what is
 * left is set, to the points stored first, at an infinite distance; and moments to 0. */
static void fill_missing(const neighbour_work *work, const batch_t *batch) {
  int64_t k = batch->k, entries = batch->tiles->p * (batch->tiles->p + 1) / 2;
  for (int64_t i = 0; i < batch->count; i++) {
    int64_t found = AS(int64_t, work->found)[i];
    if (found < 0 || found == k) continue;
    for (int64_t s = found; s < k; s++) batch->index[i * k + s] = s, batch->d2[i * k + s] = INFINITY;
    if (batch->moments) memset(batch->moments + i * entries, 0, (size_t)entries * sizeof *batch->moments);
  }
}

static int nearest_batch(neighbour_work *work, const batch_t *batch) {
  int64_t crowd = 0;
  int status = start_batch(work, batch);
  double limit = INFINITY;
  while (status == LAVDM_OK && work->active_count > 0) {
    status = fill_block(work, batch, limit);
    if (status < 0 || !work->tile_count) break;
    int64_t most = batch->k + work->padded + 2 * LANES;
    if (!ROOM(real_t, &work->d2, most) || !ROOM(int64_t, &work->index, most) ||
        !ROOM(real_t, &work->sorted_d2, most) || !ROOM(int64_t, &work->sorted_index, most))
      return LAVDM_ERROR_MEMORY;
    for (int64_t slot = 0; slot < work->active_count; slot++) {
      int64_t i = AS(int64_t, work->active)[slot];
      visit_block(work, batch, slot, i);
    }
    limit = REAL(beyond)(batch->tiles->p, drop_finished(work, batch));
    crowd += work->count;
  }
  work->reach = 0;
  for (int64_t i = 0; status == LAVDM_OK && i < batch->count; i++)
    work->reach = fmax(work->reach, 1.5 * AS(real_t, work->bound)[i]); /* the next may need more */
  work->crowd = crowd;
  if (status == LAVDM_OK) fill_missing(work, batch);
  for (int64_t i = 0; status == LAVDM_OK && batch->moments && i < batch->count; i++) {
    int64_t p = batch->tiles->p, k = batch->k;
    if (AS(int64_t, work->found)[i] == k)
      status = REAL(list_moments)(work, batch->tiles, batch->query + i * p, k, batch->index + i * k,
                                  batch->d2 + i * k, batch->moments + i * p * (p + 1) / 2);
  }
  return status;
}

static int in_batches(const tiles_t *tiles, const real_t *query, int64_t count, int64_t k, bool ordered,
                      neighbour_work *work, int64_t *index, real_t *d2, real_t *moments) {
  int64_t entries = tiles->p * (tiles->p + 1) / 2, step = moments ? 0 : k;
  int status = LAVDM_OK;
  for (int64_t i = 0; i < count && status == LAVDM_OK; i += BATCH) {
    batch_t batch = {.tiles = tiles,
                     .query = query + i * tiles->p,
                     .count = count - i < BATCH ? count - i : BATCH,
                     .k = k,
                     .ordered = ordered,
                     .moments = moments ? moments + i * entries : NULL,
                     .index = index + i * step,
                     .d2 = d2 + i * step};
    status = nearest_batch(work, &batch);
  }
  return status;
}

/* The search compares r; what is found gets d2. */
static int by_metric(const tiles_t *tiles, const real_t *query, int64_t count, int64_t k, bool ordered,
                     neighbour_work *work, int64_t *index, real_t *d2) {
  if (metric_listed(&tiles->metric))
    return REAL(listed_nearest)(tiles, query, count, k, ordered, work, index, d2);
  int status = in_batches(tiles, query, count, k, ordered, work, index, d2, NULL);
  if (status == LAVDM_OK) REAL(metric_to_d2)(&tiles->metric, d2, count * k);
  return status;
}

int REAL(nearest)(const tiles_t *tiles, const real_t *query, int64_t count, int64_t k, neighbour_work *work,
                  int64_t *index, real_t *d2) {
  return by_metric(tiles, query, count, k, true, work, index, d2);
}

int REAL(nearest_set)(const tiles_t *tiles, const real_t *query, int64_t count, int64_t k,
                      neighbour_work *work, int64_t *index, real_t *d2) {
  return by_metric(tiles, query, count, k, false, work, index, d2);
}

int REAL(nearest_moments)(const tiles_t *tiles, const real_t *query, int64_t count, int64_t k,
                          neighbour_work *work, real_t *moments) {
  int64_t *index = ROOM(int64_t, &work->list_index, BATCH * k);
  real_t *d2 = ROOM(real_t, &work->list_d2, BATCH * k);
  if (!index || !d2) return LAVDM_ERROR_MEMORY;
  return in_batches(tiles, query, count, k, false, work, index, d2, moments);
}
