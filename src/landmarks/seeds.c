/*
 * k-means++ with a tree: near[i] is the squared distance of point i from the
 * seeds so far; each node holds the largest and the sum of near over its
 * points. A new seed is passed down to those tiles alone whose box is closer
 * to it than their largest near.
 */
#include "base/memory.h"
#include "base/random.h"
#include "landmarks/designs.h"

#include <math.h>

typedef struct {
  const tiles_t *tiles;
  real_t *near;
  double *most, *sum; /* of each node */
  int threads;
} cover_t;

static bool reaches(const cover_t *cover, const real_t *seed, int64_t node) {
  const tiles_t *tiles = cover->tiles;
  int64_t p = tiles->p;
  real_t gap = REAL(box_distance2)(p, seed, seed, tiles->lower + node * p, tiles->upper + node * p);
  return gap <= cover->most[node] * (1 + 1e-9);
}

static void update_tile(cover_t *cover, const real_t *seed, int64_t node) {
  const tiles_t *tiles = cover->tiles;
  int64_t p = tiles->p, tile = node - (tiles->tiles - 1);
  double most = 0, sum = 0;
  for (int64_t i = tiles->first[tile]; i < tiles->first[tile + 1]; i++) {
    real_t d2 = REAL(distance2)(p, seed, tiles->x + i * p);
    real_t near = d2 < cover->near[i] ? d2 : cover->near[i];
    cover->near[i] = near;
    most = near > most ? near : most;
    sum += near;
  }
  cover->most[node] = most;
  cover->sum[node] = sum;
}

static void join_children(cover_t *cover, int64_t node) {
  int64_t left = 2 * node + 1, right = left + 1;
  cover->most[node] = fmax(cover->most[left], cover->most[right]);
  cover->sum[node] = cover->sum[left] + cover->sum[right];
}

static void add_below(cover_t *cover, const real_t *seed, int64_t node) {
  if (!reaches(cover, seed, node)) return;
  if (node >= cover->tiles->tiles - 1) {
    update_tile(cover, seed, node);
    return;
  }
  add_below(cover, seed, 2 * node + 1);
  add_below(cover, seed, 2 * node + 2);
  join_children(cover, node);
}

/* Points of many coordinates: most tiles are reached, and worth a thread. */
static void add_everywhere(cover_t *cover, const real_t *seed) {
  int64_t inner = cover->tiles->tiles - 1;
  bool many = cover->tiles->n * cover->tiles->p > 2000000;
#pragma omp parallel for schedule(static) num_threads(cover->threads) if (many)
  for (int64_t t = 0; t <= inner; t++)
    if (reaches(cover, seed, inner + t)) update_tile(cover, seed, inner + t);
  for (int64_t node = inner - 1; node >= 0; node--) join_children(cover, node);
}

/* The point at which the running sum of near passes `share` of the total; the
 * total is positive. */
static int64_t draw(const cover_t *cover, double share) {
  const tiles_t *tiles = cover->tiles;
  double left = share * cover->sum[0];
  int64_t node = 0;
  while (node < tiles->tiles - 1) {
    node = 2 * node + 1;
    if (left >= cover->sum[node] && cover->sum[node + 1] > 0) left -= cover->sum[node++];
  }
  int64_t tile = node - (tiles->tiles - 1), last = -1;
  for (int64_t i = tiles->first[tile]; i < tiles->first[tile + 1]; i++) {
    if (cover->near[i] > 0) last = i;
    if (last == i && left < cover->near[i]) break;
    left -= cover->near[i];
  }
  return last;
}

static int start(cover_t *cover) {
  const tiles_t *tiles = cover->tiles;
  cover->near = NEW(real_t, tiles->n);
  cover->most = NEW(double, 2 * tiles->tiles - 1);
  cover->sum = NEW(double, 2 * tiles->tiles - 1);
  if (!cover->near || !cover->most || !cover->sum) return LAVDM_ERROR_MEMORY;
  for (int64_t i = 0; i < tiles->n; i++) cover->near[i] = INFINITY;
  for (int64_t v = 0; v < 2 * tiles->tiles - 1; v++) cover->most[v] = INFINITY;
  return LAVDM_OK;
}

int REAL(kmeans_seeds)(run_t *run, const tiles_t *tiles, int64_t m, int64_t *out) {
  cover_t cover = {.tiles = tiles, .threads = run->threads};
  char *taken = NEW(char, tiles->n);
  int status = LAVDM_OK;
  if (start(&cover) < 0 || !taken) {
    status = fail_memory(run->error, "seeding landmarks");
    goto done;
  }
  random_t random = random_start(run->options.seed, STREAM_SEEDS);
  int64_t free = 0; /* no point before is free */
  for (int64_t c = 0; c < m && !run_stopped(run, c, 2 * m); c++) {
    double share = random_uniform(&random);
    if (c == 0)
      out[c] = random_below(&random, tiles->n);
    else if (cover.sum[0] > 0 && cover.sum[0] < INFINITY)
      out[c] = draw(&cover, share);
    else /* every point coincides with a seed */
      for (out[c] = -1; out[c] < 0; free++)
        if (!taken[free]) out[c] = free;
    taken[out[c]] = 1;
    if (tiles->p < 16)
      add_below(&cover, tiles->x + out[c] * tiles->p, 0);
    else
      add_everywhere(&cover, tiles->x + out[c] * tiles->p);
  }
  status = run_status(run);
done:
  mem_free(taken);
  mem_free(cover.near);
  mem_free(cover.most);
  mem_free(cover.sum);
  return status;
}
