/*
 * k-means landmarks: the cells of m centres minimise sum_i min_c |x_i - z_c|^2
 * locally. On a sample of the points, seeds by k-means++, then Lloyd's steps
 * (assign each point to its nearest centre, move each centre to the mean of
 * its points) until the sum hardly falls; then each centre goes to the nearest
 * data point.
 *
 * Points of many coordinates are replaced by their leading principal coordinates
 * (as a sample shows them) from beginning to end: a design has to follow the
 * points, not to be a minimum to the last digit.
 */
#include "base/memory.h"
#include "base/random.h"
#include "landmarks/designs.h"
#include "neighbours/neighbours.h"
#include "neighbours/rank.h"
#include "reduce/reduce.h"

#include <math.h>
#include <string.h>

enum {
  PER_CENTRE = 50,  /* sample points for each centre ... */
  SAMPLE = 10000,   /* ... and at least */
  STEPS = 20,       /* of Lloyd at most */
  SAMPLE_TILE = 64, /* points of the sample assigned together */
  CENTRE_TILE = 8,
  MANY_COORDINATES = 64, /* from here on PRINCIPAL of them, ... */
  PRINCIPAL = 32,
  PRINCIPAL_SAMPLE = 512 /* ... found from so many points */
};
static const double SMALL_FALL = 1e-3; /* relative fall of the sum that ends Lloyd */
static const double SEED_WORK = 4e9;   /* differences of coordinates that seeding may take */

typedef struct {
  run_t *run;
  int64_t m, p;
  const tiles_t *sample; /* all points, or `own` */
  tiles_t own;
  real_t *centre;  /* m x p */
  int64_t *member; /* sample points by centre: those of c are start[c] .. start[c+1]-1 */
  int64_t *start;
  int64_t *nearest; /* centre of each sample point, and d2 to it */
  real_t *d2;
} lloyd_t;

/* One point from each of `count` equal stretches of the stored points: a random
 * sample that is spread as evenly as the points are. */
static int draw_sample(run_t *run, const tiles_t *tiles, int64_t count, tiles_t *out) {
  int64_t n = tiles->n, p = tiles->p, size = count * p;
  real_t *x = NEW(real_t, size);
  if (!x) return fail_memory(run->error, "a sample of the points");
  random_t random = random_start(run->options.seed, STREAM_SAMPLE);
  real_t width = (real_t)n / (real_t)count;
  for (int64_t s = 0; s < count; s++) {
    int64_t i = (int64_t)(((real_t)s + random_uniform(&random)) * width);
    memcpy(x + s * p, tiles->x + (i < n ? i : n - 1) * p, (size_t)p * sizeof *x);
  }
  lavdm_data data = {.points = x, .n = count, .p = p, .type = REAL_TYPE};
  int status = REAL(tiles_build)(run, &data, NULL, SAMPLE_TILE, out);
  mem_free(x);
  return status;
}

/* Which sample points belong to which centre, by counting. */
static void list_members(lloyd_t *lloyd) {
  int64_t *start = lloyd->start, n = lloyd->sample->n;
  memset(start, 0, (size_t)(lloyd->m + 1) * sizeof *start);
  for (int64_t i = 0; i < n; i++) start[lloyd->nearest[i] + 1]++;
  for (int64_t c = 0; c < lloyd->m; c++) start[c + 1] += start[c];
  for (int64_t i = 0; i < n; i++) lloyd->member[start[lloyd->nearest[i]]++] = i;
  for (int64_t c = lloyd->m; c > 0; c--) start[c] = start[c - 1];
  start[0] = 0;
}

/* Centres to the means of their members. Returns how many have none. */
static int64_t move_centres(lloyd_t *lloyd) {
  int64_t p = lloyd->p, empty = 0;
  bool many = lloyd->sample->n * p > 50000;
#pragma omp parallel for schedule(static) num_threads(lloyd->run->threads) reduction(+ : empty) if (many)
  for (int64_t c = 0; c < lloyd->m; c++) {
    int64_t begin = lloyd->start[c], end = lloyd->start[c + 1];
    real_t *restrict centre = lloyd->centre + c * p;
    empty += begin == end;
    if (begin == end) continue;
    memset(centre, 0, (size_t)p * sizeof *centre);
    for (int64_t i = begin; i < end; i++)
      for (int64_t j = 0; j < p; j++) centre[j] += lloyd->sample->x[lloyd->member[i] * p + j];
    for (int64_t j = 0; j < p; j++) centre[j] /= (real_t)(end - begin);
  }
  return empty;
}

/* Centres without members go to the sample points that are worst off. */
static int reseed(lloyd_t *lloyd, int64_t empty) {
  int64_t n = lloyd->sample->n, p = lloyd->p, begin, end, next = 0;
  items_t items = REAL(items_new)(n), space = REAL(items_new)(n + LANES);
  bool whole = items.key && space.key;
  for (int64_t i = 0; i < n && whole; i++) items.key[i] = -lloyd->d2[i], items.at[i] = (uint32_t)i;
  if (whole) REAL(rank_select)(items, n, empty, space, &begin, &end);
  REAL(items_free)(space);
  if (!whole) {
    REAL(items_free)(items);
    return LAVDM_ERROR_MEMORY;
  }
  for (int64_t c = 0; c < lloyd->m; c++)
    if (lloyd->start[c] == lloyd->start[c + 1])
      memcpy(lloyd->centre + c * p, lloyd->sample->x + items.at[next++] * p, (size_t)p * sizeof(real_t));
  REAL(items_free)(items);
  return LAVDM_OK;
}

/* One step of Lloyd; *sum receives the sum before it. */
static int step(lloyd_t *lloyd, real_t *sum) {
  run_t *run = lloyd->run;
  const tiles_t *sample = lloyd->sample;
  tiles_t tree;
  lavdm_data data = {.points = lloyd->centre, .n = lloyd->m, .p = lloyd->p, .type = REAL_TYPE};
  int status = REAL(tiles_build)(run, &data, NULL, lloyd->p < 16 ? CENTRE_TILE : SAMPLE_TILE, &tree);
  if (status < 0) return status;
  status = REAL(nearest_all)(run, &tree, sample->x, sample->n, 1, lloyd->nearest, lloyd->d2);
  if (status == LAVDM_OK) {
    *sum = 0;
    for (int64_t i = 0; i < sample->n; i++) {
      lloyd->nearest[i] = tree.order[lloyd->nearest[i]];
      *sum += lloyd->d2[i];
    }
    list_members(lloyd);
    int64_t empty = move_centres(lloyd);
    if (empty > 0 && *sum > 0 && reseed(lloyd, empty) < 0) status = fail_memory(run->error, "k-means");
  }
  REAL(tiles_free)(&tree);
  return status;
}

/* Seeds come from a part of the sample if the work would be out of proportion. */
static int seed_centres(lloyd_t *lloyd) {
  run_t *run = lloyd->run;
  int64_t m = lloyd->m, p = lloyd->p, enough = (int64_t)(SEED_WORK / ((real_t)m * (real_t)p));
  if (enough < 4 * m) enough = 4 * m;
  bool part = p >= 16 && enough < lloyd->sample->n;
  tiles_t own = {0};
  const tiles_t *from = part ? &own : lloyd->sample;
  int status = part ? draw_sample(run, lloyd->sample, enough, &own) : LAVDM_OK;
  int64_t *seed = NEW(int64_t, m);
  if (status == LAVDM_OK && !seed) status = fail_memory(run->error, "k-means");
  if (status == LAVDM_OK) status = REAL(kmeans_seeds)(run, from, m, seed);
  for (int64_t c = 0; status == LAVDM_OK && c < m; c++)
    memcpy(lloyd->centre + c * p, from->x + seed[c] * p, (size_t)p * sizeof(real_t));
  mem_free(seed);
  REAL(tiles_free)(&own);
  return status;
}

static int start(lloyd_t *lloyd, const tiles_t *tiles) {
  int64_t count = PER_CENTRE * lloyd->m > SAMPLE ? PER_CENTRE * lloyd->m : SAMPLE;
  bool all = 2 * count > tiles->n;
  lloyd->sample = all ? tiles : &lloyd->own;
  int status = all ? LAVDM_OK : draw_sample(lloyd->run, tiles, count, &lloyd->own);
  if (status < 0) return status;
  count = lloyd->sample->n;
  lloyd->centre = NEW(real_t, lloyd->m * lloyd->p);
  lloyd->member = NEW(int64_t, count);
  lloyd->start = NEW(int64_t, lloyd->m + 1);
  lloyd->nearest = NEW(int64_t, count);
  lloyd->d2 = NEW(real_t, count);
  if (!lloyd->centre || !lloyd->member || !lloyd->start || !lloyd->nearest || !lloyd->d2)
    return fail_memory(lloyd->run->error, "k-means");
  return seed_centres(lloyd);
}

static int lloyd_points(run_t *run, const tiles_t *tiles, int64_t m, int64_t *out) {
  lloyd_t lloyd = {.run = run, .m = m, .p = tiles->p};
  real_t sum = INFINITY, before;
  int status = start(&lloyd, tiles);
  for (int s = 0; s < STEPS && status == LAVDM_OK; s++) {
    before = sum;
    status = step(&lloyd, &sum);
    if (run_stopped(run, STEPS + s, 2 * STEPS)) status = run_status(run);
    if (sum >= before * (1 - SMALL_FALL)) break;
  }
  if (status == LAVDM_OK) status = REAL(snap_centres)(run, tiles, m, lloyd.centre, out);
  REAL(tiles_free)(&lloyd.own);
  mem_free(lloyd.centre);
  mem_free(lloyd.member);
  mem_free(lloyd.start);
  mem_free(lloyd.nearest);
  mem_free(lloyd.d2);
  return status;
}

/* The same among the principal coordinates of the points. */
static int principal_points(run_t *run, const tiles_t *tiles, int64_t m, int64_t *out) {
  int64_t n = tiles->n, sample = n < PRINCIPAL_SAMPLE ? n : PRINCIPAL_SAMPLE;
  lavdm_data data = {.points = tiles->x, .n = n, .p = tiles->p, .type = REAL_TYPE};
  reduce_t reduce;
  int status = reduce_fit(run, &data, sample, PRINCIPAL, &reduce);
  if (status < 0) return status;
  tiles_t low = {0};
  double *y = NEW(double, n *PRINCIPAL);
  status = y ? reduce_apply(run, &reduce, &data, y) : fail_memory(run->error, "k-means");
  data = (lavdm_data){.points = y, .n = n, .p = PRINCIPAL};
  if (status == LAVDM_OK) status = REAL(tiles_build)(run, &data, NULL, TILE_POINTS, &low);
  mem_free(y);
  reduce_free(&reduce);
  if (status == LAVDM_OK) status = lloyd_points(run, &low, m, out);
  for (int64_t c = 0; status == LAVDM_OK && c < m; c++) out[c] = low.order[out[c]];
  REAL(tiles_free)(&low);
  return status;
}

int REAL(kmeans_points)(run_t *run, const tiles_t *tiles, int64_t m, int64_t *out) {
  return (tiles->p < MANY_COORDINATES ? lloyd_points : principal_points)(run, tiles, m, out);
}
