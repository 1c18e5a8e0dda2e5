/*
 * Points into tile order: at each node the points are divided in two halves of
 * equal number at the median of the widest side of their box. The first levels,
 * where the points are many, are those of parts.h; below, each part is built on
 * its own, within the cache.
 *
 * The halves are sets defined by a total order of the points (the coordinate
 * split at, then all coordinates in turn), so the
 * result depends neither on the order of the data, but for equal points, nor
 * on the threads. With few coordinates halving goes on inside a tile until
 * CLUSTER points are left, which makes neighbours in storage neighbours in space.
 */
#include "neighbours/tiles.h"
#include "base/memory.h"
#include "neighbours/parts.h"
#include "neighbours/rank.h"

#include <math.h>

enum {
  CLUSTER = 8, /* points that are sorted rather than halved */
  TASK = 2048, /* points that are worth a task of their own */
  SHORT = 16,  /* coordinates that are few */
  MANY = 128,  /* coordinates from which boxes of nodes say little ... */
  SIDES = 16   /* ... and those of largest variance are taken in turn */
};

/* One part under way. base + items.at[i]: the stored row that comes base + i-th. */
typedef struct {
  run_t *run;
  tiles_t *tiles;
  const int64_t *sides; /* SIDES, for points of MANY coordinates; or NULL */
  items_t items, space; /* space for rank_select: a task has its own stretch */
  int64_t base;
} build_t;

/* A node, or a part of a tile (level > tiles->levels): rows [begin, end). */
typedef struct {
  int64_t node, begin, end;
  int level;
} part_t;

/* Items from row i on. */
static items_t items_at(const build_t *build, int64_t i) {
  return items_from(build->items, i - build->base);
}

static inline real_t larger(real_t a, real_t b) {
  return a > b ? a : b;
}

static inline real_t gap_between(real_t lower_a, real_t upper_a, real_t lower_b, real_t upper_b) {
  return larger(larger(lower_a - upper_b, lower_b - upper_a), 0);
}

real_t REAL(box_distance2)(int64_t p, const real_t *lower_a, const real_t *upper_a, const real_t *lower_b,
                           const real_t *upper_b) {
  real_t sum = 0;
  if (p <= SHORT) {
    for (int64_t j = 0; j < p; j++) {
      real_t gap = gap_between(lower_a[j], upper_a[j], lower_b[j], upper_b[j]);
      sum += gap * gap;
    }
    return sum;
  }
#pragma omp simd reduction(+ : sum)
  for (int64_t j = 0; j < p; j++) {
    real_t gap = gap_between(lower_a[j], upper_a[j], lower_b[j], upper_b[j]);
    sum += gap * gap;
  }
  return sum;
}

static inline void widen(real_t x, real_t *lower, real_t *upper) {
  *lower = x < *lower ? x : *lower;
  *upper = x > *upper ? x : *upper;
}

/* The box of the rows that items name; inlined for small p, which then is a constant. */
static inline __attribute__((always_inline)) void short_box(const real_t *x, int64_t p, const uint32_t *at,
                                                            int64_t count, real_t *lower, real_t *upper) {
  real_t low[4] = {INFINITY, INFINITY, INFINITY, INFINITY},
         high[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
  for (int64_t i = 0; i < count; i++)
    for (int64_t j = 0; j < p; j++) widen(x[at[i] * p + j], &low[j], &high[j]);
  for (int64_t j = 0; j < p; j++) {
    lower[j] = low[j];
    upper[j] = high[j];
  }
}

static void widen_row(int64_t p, const real_t *restrict row, real_t *restrict lower, real_t *restrict upper) {
  for (int64_t j = 0; j < p; j++) widen(row[j], &lower[j], &upper[j]);
}

static int64_t widest(int64_t p, const real_t *lower, const real_t *upper) {
  int64_t side = 0;
  for (int64_t j = 1; j < p; j++)
    if (upper[j] - lower[j] > upper[side] - lower[side]) side = j;
  return side;
}

/* The box of a part; an empty one is (inf, -inf). Returns its widest side. */
static int64_t find_box(const build_t *build, const part_t *part, real_t *lower, real_t *upper) {
  const real_t *x = build->tiles->x + build->base * build->tiles->p; /* rows of the part */
  const uint32_t *at = items_at(build, part->begin).at;
  int64_t p = build->tiles->p, count = part->end - part->begin;
  if (p == 2) {
    short_box(x, 2, at, count, lower, upper);
  } else if (p == 3) {
    short_box(x, 3, at, count, lower, upper);
  } else if (p == 4) {
    short_box(x, 4, at, count, lower, upper);
  } else {
    for (int64_t j = 0; j < p; j++) {
      lower[j] = INFINITY;
      upper[j] = -INFINITY;
    }
    for (int64_t i = 0; i < count; i++) widen_row(p, x + at[i] * p, lower, upper);
  }
  return widest(p, lower, upper);
}

/* The widest side of a part of a tile, whose box is not kept. */
static int64_t widest_side(const build_t *build, const part_t *part) {
  real_t lower[SHORT], upper[SHORT];
  return find_box(build, part, lower, upper);
}

/* Keys of rows [begin, end): coordinate `side`. */
static void read_keys(const build_t *build, int64_t begin, int64_t end, int64_t side) {
  int64_t p = build->tiles->p;
  const real_t *x = build->tiles->x + build->base * p + side;
  items_t items = items_at(build, begin);
  for (int64_t i = 0; i < end - begin; i++) items.key[i] = x[items.at[i] * p];
}

/*
 * Brings the smallest of the part in the total order to [begin, cut). Ties in
 * one key narrow the search to the tied items and the next key; points that tie in
 * all of them are equal, and any will do.
 */
static void halve(const build_t *build, const part_t *part, int64_t cut, int64_t side) {
  int64_t begin = part->begin, end = part->end, low, high;
  items_t space = items_from(build->space, 2 * (begin - build->base));
  read_keys(build, begin, end, side);
  for (int64_t next = 0;; next++) {
    REAL(rank_select)(items_at(build, begin), end - begin, cut - begin, space, &low, &high);
    end = begin + high;
    begin += low;
    if (begin == cut || next == build->tiles->p) return;
    read_keys(build, begin, end, next);
  }
}

/* The total order of rows i and k of the part, whose keys are given. */
static bool comes_before(const build_t *build, real_t key_i, int64_t i, real_t key_k, int64_t k) {
  if (key_i != key_k) return key_i < key_k;
  const tiles_t *tiles = build->tiles;
  int64_t p = tiles->p;
  const real_t *a = tiles->x + (build->base + i) * p, *b = tiles->x + (build->base + k) * p;
  for (int64_t j = 0; j < p; j++)
    if (a[j] != b[j]) return a[j] < b[j];
  return tiles->order[build->base + i] < tiles->order[build->base + k];
}

static void sort_cluster(const build_t *build, const part_t *part, int64_t side) {
  items_t items = items_at(build, part->begin);
  read_keys(build, part->begin, part->end, side);
  for (int64_t i = 1; i < part->end - part->begin; i++) {
    real_t key = items.key[i];
    uint32_t at = items.at[i];
    int64_t j = i;
    for (; j > 0 && comes_before(build, key, at, items.key[j - 1], items.at[j - 1]); j--)
      items.key[j] = items.key[j - 1], items.at[j] = items.at[j - 1];
    items.key[j] = key, items.at[j] = at;
  }
}

/* Rows and order of the part as its items say, along the cycles of the permutation. */
static void permute(const build_t *build, int64_t begin, int64_t end) {
  tiles_t *tiles = build->tiles;
  uint32_t *at = build->items.at;
  for (int64_t i = begin; i < end; i++) {
    for (int64_t to = i, from = begin + at[i - begin]; from != to; from = begin + at[to - begin]) {
      at[to - begin] = (uint32_t)(to - begin);
      if (from == i) break;
      real_t *restrict a = tiles->x + to * tiles->p, *restrict b = tiles->x + from * tiles->p;
      for (int64_t j = 0; j < tiles->p; j++) {
        real_t x = a[j];
        a[j] = b[j];
        b[j] = x;
      }
      int64_t place = tiles->order[to];
      tiles->order[to] = tiles->order[from];
      tiles->order[from] = place;
      to = from;
    }
  }
}

static void build_node(const build_t *build, part_t part) {
  tiles_t *tiles = build->tiles;
  int64_t count = part.end - part.begin;
  real_t *lower = tiles->lower + part.node * tiles->p, *upper = tiles->upper + part.node * tiles->p;
  int64_t side = 0;
  if (part.level > tiles->levels)
    side = widest_side(build, &part);
  else if (part.level == tiles->levels || !build->sides)
    side = find_box(build, &part, lower, upper);
  if (build->sides) side = build->sides[part.level % SIDES];
  if (part.level < tiles->levels) tiles->side[part.node] = side;
  if (part.level == tiles->levels) tiles->first[part.node - (tiles->tiles - 1)] = part.begin;
  if (part.level >= tiles->levels && (count <= CLUSTER || tiles->p > SHORT)) {
    sort_cluster(build, &part, side);
    return;
  }
  if (count > TASK && run_stopped(build->run, part.begin, tiles->n)) return;
  int64_t cut = part.begin + count / 2;
  if (count > 1) halve(build, &part, cut, side);
  part_t left = {2 * part.node + 1, part.begin, cut, part.level + 1};
  part_t right = {2 * part.node + 2, cut, part.end, part.level + 1};
  if (count > TASK) {
#pragma omp task
    build_node(build, left);
    build_node(build, right);
#pragma omp taskwait
  } else {
    build_node(build, left);
    build_node(build, right);
  }
}

/* Tree and order of one part, which is node `node`; false if out of memory. */
static bool build_part(run_t *run, tiles_t *tiles, const int64_t *sides, int64_t node, int level,
                       int64_t begin, int64_t end) {
  build_t build = {
      run, tiles, sides, REAL(items_new)(end - begin), REAL(items_new)(2 * (end - begin) + LANES), begin};
  bool whole = build.items.key && build.space.key;
  for (int64_t i = 0; i < end - begin && whole; i++) build.items.at[i] = (uint32_t)i;
  if (whole) {
    build_node(&build, (part_t){node, begin, end, level});
    permute(&build, begin, end);
  }
  REAL(items_free)(build.items);
  REAL(items_free)(build.space);
  return whole;
}

/* The coordinates of largest variance, descending. Variances are rounded to floats, so
 * that the order of their sums, and so the listing of the points, decides nothing. */
static bool find_sides(run_t *run, const tiles_t *tiles, int64_t *sides) {
  enum { CHUNKS = 64 };
  int64_t n = tiles->n, p = tiles->p;
  double *sum = NEW(double, CHUNKS *p), *square = NEW(double, CHUNKS *p);
  bool whole = sum && square;
  if (whole) {
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 1)
    for (int c = 0; c < CHUNKS; c++)
      for (int64_t i = n * c / CHUNKS; i < n * (c + 1) / CHUNKS; i++)
        for (int64_t j = 0; j < p; j++) {
          double x = (double)tiles->x[i * p + j] - (double)tiles->x[j];
          sum[c * p + j] += x;
          square[c * p + j] += x * x;
        }
    for (int c = 1; c < CHUNKS; c++)
      for (int64_t j = 0; j < p; j++) sum[j] += sum[c * p + j], square[j] += square[c * p + j];
    for (int64_t j = 0; j < p; j++) square[j] = (double)(float)(square[j] - sum[j] * sum[j] / (double)n);
    for (int s = 0; s < SIDES; s++) {
      int64_t best = 0;
      for (int64_t j = 1; j < p; j++)
        if (square[j] > square[best]) best = j;
      sides[s] = best;
      square[best] = -1;
    }
  }
  mem_free(sum);
  mem_free(square);
  return whole;
}

/* Boxes of the nodes 0 .. count-1 from those of their children. */
static void join_boxes(tiles_t *tiles, int64_t count) {
  int64_t p = tiles->p;
  for (int64_t v = count - 1; v >= 0; v--)
    for (int64_t child = 2 * v + 1; child <= 2 * v + 2; child++)
      for (int64_t j = 0; j < p; j++) {
        real_t *lower = &tiles->lower[v * p + j], *upper = &tiles->upper[v * p + j];
        if (child % 2) *lower = INFINITY, *upper = -INFINITY;
        widen(tiles->lower[child * p + j], lower, upper);
        widen(tiles->upper[child * p + j], lower, upper);
      }
}

static int build_parts(run_t *run, tiles_t *tiles, const parts_t *parts) {
  int64_t sides[SIDES];
  bool many = tiles->p >= MANY;
  if (many && !find_sides(run, tiles, sides)) return fail_memory(run->error, "the points in tile order");
  int failed = 0;
#pragma omp parallel num_threads(run->threads) if (tiles->n > 2 * TASK)
#pragma omp single
  for (int64_t part = 0; part < parts->count; part++) {
#pragma omp task shared(failed)
    if (!run_stopped(run, part, parts->count) &&
        !build_part(run, tiles, many ? sides : NULL, parts->count - 1 + part, parts->levels,
                    parts->first[part], parts->first[part + 1])) {
#pragma omp atomic write
      failed = 1;
    }
  }
  join_boxes(tiles, (many ? tiles->tiles : parts->count) - 1);
  return failed ? fail_memory(run->error, "the points in tile order") : run_status(run);
}

static int build_tiles(run_t *run, const lavdm_data *data, const double *centre, int64_t leaf, bool whole,
                       tiles_t *out) {
  *out = (tiles_t){.n = data->n, .p = data->p};
  parts_t parts = {0};
  out->x = LARGE(&run->large, real_t, out->n * out->p);
  out->order = LARGE(&run->large, int64_t, out->n);
  int status = out->x && out->order ? LAVDM_OK : fail_memory(run->error, "the points in tile order");
  if (out->n > UINT32_MAX)
    status = fail(run->error, LAVDM_ERROR_DATA, "more than %u points are not supported", UINT32_MAX);
  if (!status) status = REAL(parts_copy)(run, data, centre, whole, out->x, out->order, &parts);
  if (status < 0) goto done;
  out->levels = parts.levels;
  out->tiles = parts.count;
  int64_t most = (leaf < 1 ? 1 : leaf) + (parts.count > 1 ? leaf / 8 : 0), of_part = 1;
  for (; (parts.largest + of_part - 1) / of_part > most; of_part *= 2) out->levels++, out->tiles *= 2;
  out->first = NEW(int64_t, out->tiles + 1);
  out->side = NEW(int64_t, out->tiles);
  out->lower = NEW(real_t, (2 * out->tiles - 1) * out->p);
  out->upper = NEW(real_t, (2 * out->tiles - 1) * out->p);
  if (!out->first || !out->side || !out->lower || !out->upper) {
    status = fail_memory(run->error, "the points in tile order");
    goto done;
  }
  out->first[out->tiles] = out->n;
  status = build_parts(run, out, &parts);
done:
  REAL(parts_free)(&parts);
  if (status < 0) REAL(tiles_free)(out);
  return status;
}

int REAL(tiles_build)(run_t *run, const lavdm_data *data, const double *centre, int64_t leaf, tiles_t *out) {
  return build_tiles(run, data, centre, leaf, false, out);
}

int REAL(tiles_whole)(run_t *run, const lavdm_data *data, int64_t leaf, tiles_t *out) {
  return build_tiles(run, data, NULL, leaf, true, out);
}

void REAL(tiles_free)(tiles_t *tiles) {
  large_free(tiles->x);
  large_free(tiles->order);
  mem_free(tiles->first);
  mem_free(tiles->side);
  mem_free(tiles->lower);
  mem_free(tiles->upper);
  *tiles = (tiles_t){0};
}
