/*
 * Greedy farthest points. near[i] is r (neighbours/metric.h) of point i and the nearest of the
 * landmarks chosen so far, and a tile's bound is the largest of its near.
 *
 * Distances only shrink, so a bound that lacks the latest landmarks is still
 * an upper bound: the tile of the largest bound is brought up to date, and
 * when it stays the largest, its farthest point is the next landmark. A tile
 * learns of landmarks beyond its bound from its box alone.
 */
#include "base/memory.h"
#include "landmarks/designs.h"
#include "neighbours/neighbours.h"

#include <math.h>

typedef struct {
  const tiles_t *tiles;
  int64_t chosen, *out;
  real_t *near;      /* n; -1 for landmarks themselves */
  real_t *bound;     /* of each tile */
  int64_t *farthest; /* the point of each tile that its bound belongs to */
  int64_t *known;    /* how many landmarks each tile knows of */
  int64_t *heap;     /* tiles, largest bound on top */
  int64_t waiting;
} greedy_t;

/* Larger bound first; between equals the tile that is stored first. */
static bool above(const greedy_t *greedy, int64_t a, int64_t b) {
  real_t x = greedy->bound[a], y = greedy->bound[b];
  return x > y || (x == y && a < b);
}

static void push(greedy_t *greedy, int64_t tile) {
  int64_t *heap = greedy->heap, i = greedy->waiting++;
  for (; i > 0 && above(greedy, tile, heap[(i - 1) / 2]); i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
  heap[i] = tile;
}

static int64_t pop(greedy_t *greedy) {
  int64_t *heap = greedy->heap, top = heap[0], last = heap[--greedy->waiting], n = greedy->waiting, i = 0;
  for (int64_t child = 1; child < n; child = 2 * i + 1) {
    if (child + 1 < n && above(greedy, heap[child + 1], heap[child])) child++;
    if (!above(greedy, heap[child], last)) break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = last;
  return top;
}

static real_t between(const tiles_t *tiles, const real_t *centre, int64_t i) {
  const real_t *x = tiles->x + i * tiles->p;
  return metric_squares(&tiles->metric) ? REAL(distance2)(tiles->p, centre, x)
                                        : REAL(metric_r)(&tiles->metric, tiles->p, centre, x);
}

/* Brings near, bound and farthest of a tile up to date. */
static void update(greedy_t *greedy, int64_t tile) {
  const tiles_t *tiles = greedy->tiles;
  int64_t p = tiles->p, node = tile + tiles->tiles - 1;
  for (int64_t c = greedy->known[tile]; c < greedy->chosen; c++) {
    const real_t *centre = tiles->x + greedy->out[c] * p;
    real_t gap =
        REAL(metric_box)(&tiles->metric, p, centre, centre, tiles->lower + node * p, tiles->upper + node * p);
    if (gap > greedy->bound[tile] * (1 + 1e-9)) continue;
    real_t bound = -2;
    for (int64_t i = tiles->first[tile]; i < tiles->first[tile + 1]; i++) {
      real_t r = between(tiles, centre, i);
      if (r < greedy->near[i]) greedy->near[i] = r;
      if (greedy->near[i] > bound) {
        bound = greedy->near[i];
        greedy->farthest[tile] = i;
      }
    }
    greedy->bound[tile] = bound;
  }
  greedy->known[tile] = greedy->chosen;
}

/* The point nearest the mean. Sums over slices add up in a fixed order. */
static int64_t middle_point(const tiles_t *tiles, int threads) {
  enum { SLICES = 64 };
  int64_t n = tiles->n, p = tiles->p, size = SLICES * tiles->p, nearest_one = -1;
  real_t *sum = NEW(real_t, size);
  neighbour_work *work = REAL(neighbour_work_new)();
  if (sum && work) {
#pragma omp parallel for schedule(static) num_threads(threads) if (n * p > 50000)
    for (int64_t s = 0; s < SLICES; s++)
      for (int64_t i = n * s / SLICES; i < n * (s + 1) / SLICES; i++)
        for (int64_t j = 0; j < p; j++) sum[s * p + j] += tiles->x[i * p + j] / (real_t)n;
    for (int64_t s = 1; s < SLICES; s++)
      for (int64_t j = 0; j < p; j++) sum[j] += sum[s * p + j];
    real_t d2;
    if (REAL(nearest)(tiles, sum, 1, 1, work, &nearest_one, &d2) < 0) nearest_one = -1;
  }
  mem_free(sum);
  REAL(neighbour_work_free)(work);
  return nearest_one;
}

/* Where there is no mean: the point with the least sum of distances to some, evenly spread. */
static int64_t central_point(const tiles_t *tiles, int threads) {
  enum { SAMPLE = 1000 };
  int64_t n = tiles->n, count = n < SAMPLE ? n : SAMPLE, best = 0;
  double *sum = NEW(double, n);
  if (!sum) return -1;
#pragma omp parallel for schedule(static) num_threads(threads) if (n * count > 50000)
  for (int64_t i = 0; i < n; i++)
    for (int64_t s = 0; s < count; s++)
      sum[i] +=
          (double)between(tiles, tiles->x + i * tiles->p, (int64_t)((double)s * (double)n / (double)count));
  for (int64_t i = 1; i < n; i++)
    if (sum[i] < sum[best]) best = i;
  mem_free(sum);
  return best;
}

static void choose(greedy_t *greedy, int64_t point) {
  greedy->out[greedy->chosen++] = point;
  greedy->near[point] = -1;
}

/* Updates tiles from the top until the top is up to date; that gives the next landmark. */
static void next_landmark(greedy_t *greedy, int threads) {
  enum { WAVE = 32 };
  bool many = greedy->tiles->p >= 64; /* worth more than one thread */
  int64_t wave[WAVE], count;
  do {
    for (count = 0; count < (many ? WAVE : 1) && greedy->waiting > 0; count++) {
      if (greedy->known[greedy->heap[0]] == greedy->chosen) break;
      wave[count] = pop(greedy);
    }
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (many && count > 4)
    for (int64_t w = 0; w < count; w++) update(greedy, wave[w]);
    for (int64_t w = 0; w < count; w++) push(greedy, wave[w]);
  } while (count > 0);
  choose(greedy, greedy->farthest[greedy->heap[0]]);
}

static int start(greedy_t *greedy, int threads) {
  const tiles_t *tiles = greedy->tiles;
  greedy->near = NEW(real_t, tiles->n);
  greedy->bound = NEW(real_t, tiles->tiles);
  greedy->farthest = NEW(int64_t, tiles->tiles);
  greedy->known = NEW(int64_t, tiles->tiles);
  greedy->heap = NEW(int64_t, tiles->tiles);
  if (!greedy->near || !greedy->bound || !greedy->farthest || !greedy->known || !greedy->heap)
    return LAVDM_ERROR_MEMORY;
  int64_t middle =
      metric_squares(&tiles->metric) ? middle_point(tiles, threads) : central_point(tiles, threads);
  if (middle < 0) return LAVDM_ERROR_MEMORY;
  for (int64_t i = 0; i < tiles->n; i++) greedy->near[i] = INFINITY;
  choose(greedy, middle);
#pragma omp parallel for schedule(static) num_threads(threads) if (tiles->n * tiles->p > 50000)
  for (int64_t t = 0; t < tiles->tiles; t++) {
    greedy->bound[t] = tiles->first[t] < tiles->first[t + 1] ? INFINITY : -2;
    update(greedy, t);
  }
  for (int64_t t = 0; t < tiles->tiles; t++) push(greedy, t);
  return LAVDM_OK;
}

int REAL(farthest_points)(run_t *run, const tiles_t *tiles, int64_t m, int64_t *out) {
  greedy_t greedy = {.tiles = tiles, .out = out};
  int status = start(&greedy, run->threads);
  if (status < 0) fail_memory(run->error, "choosing landmarks");
  while (status == LAVDM_OK && greedy.chosen < m && !run_stopped(run, greedy.chosen, m))
    next_landmark(&greedy, run->threads);
  mem_free(greedy.near);
  mem_free(greedy.bound);
  mem_free(greedy.farthest);
  mem_free(greedy.known);
  mem_free(greedy.heap);
  return status < 0 ? status : run_status(run);
}
