/*
 * Points into tile order: at each node the points are divided in two halves of
 * equal number at the median of the widest side of their box.
 *
 * The halves are sets defined by a total order of the points (the coordinate
 * split at, then all coordinates in turn, then the place in the data), so the
 * result depends neither on the order of the data, but for equal points, nor
 * on the threads. Halving goes on inside a tile until CLUSTER points are left,
 * which makes neighbours in storage neighbours in space.
 */
#include "neighbours/tiles.h"
#include "base/memory.h"
#include "neighbours/rank.h"

#include <math.h>

enum {
  CLUSTER = 8,  /* points that are sorted rather than halved */
  LOCAL = 8192, /* points that are copied together before going on */
  TASK = 2048,  /* points that are worth a task of their own */
  SHORT = 16    /* coordinates whose box fits the stack */
};

/* Where coordinates are read: the data, or the rows copied so far. */
typedef struct {
  const void *points;
  lavdm_type type;
  int64_t row, col;     /* strides */
  const double *centre; /* taken away from every point; or NULL */
} source_t;

typedef struct {
  run_t *run;
  tiles_t *tiles;
  item_t *items; /* items[i].at: row of the source that comes i-th */
} build_t;

/* A node, or a part of a tile (level > tiles->levels): items [begin, end). */
typedef struct {
  int64_t node, begin, end;
  int level;
  source_t source;
  bool copied; /* source is tiles->x, items are its rows begin .. end-1 */
} part_t;

static inline real_t coordinate(const source_t *source, int64_t i, int64_t j) {
  int64_t at = i * source->row + j * source->col;
  double x = source->type == LAVDM_F32 ? (double)((const float *)source->points)[at]
                                       : ((const double *)source->points)[at];
  return (real_t)(source->centre ? x - source->centre[j] : x);
}

static void copy_row(const source_t *source, int64_t i, int64_t p, real_t *restrict out) {
  for (int64_t j = 0; j < p; j++) out[j] = coordinate(source, i, j);
}

/* Place in the data of row `at`, which decides between equal points. */
static int64_t place(const build_t *build, const part_t *part, int64_t at) {
  return part->copied ? build->tiles->order[at] : at;
}

static inline real_t larger(real_t a, real_t b) {
  return a > b ? a : b;
}

real_t box_distance2(int64_t p, const real_t *lower_a, const real_t *upper_a, const real_t *lower_b,
                     const real_t *upper_b) {
  real_t sum = 0;
  for (int64_t j = 0; j < p; j++) {
    real_t gap = larger(larger(lower_a[j] - upper_b[j], lower_b[j] - upper_a[j]), 0);
    sum += gap * gap;
  }
  return sum;
}

static inline void widen(real_t x, real_t *lower, real_t *upper) {
  *lower = x < *lower ? x : *lower;
  *upper = x > *upper ? x : *upper;
}

/* The box of rows items[i].at of plain row-major points, p <= 4 known to the compiler. */
static inline __attribute__((always_inline)) void short_box(const real_t *x, int64_t p, const item_t *items,
                                                            int64_t count, real_t *lower, real_t *upper) {
  real_t low[4] = {INFINITY, INFINITY, INFINITY, INFINITY},
         high[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
  for (int64_t i = 0; i < count; i++)
    for (int64_t j = 0; j < p; j++) widen(x[items[i].at * p + j], &low[j], &high[j]);
  for (int64_t j = 0; j < p; j++) {
    lower[j] = low[j];
    upper[j] = high[j];
  }
}

static void widen_row(int64_t p, const real_t *restrict row, real_t *restrict lower, real_t *restrict upper) {
  for (int64_t j = 0; j < p; j++) widen(row[j], &lower[j], &upper[j]);
}

/* The box of a part; an empty one is (inf, -inf). Returns its widest side. */
static int64_t find_box(const build_t *build, const part_t *part, real_t *lower, real_t *upper) {
  const source_t *source = &part->source;
  const item_t *items = build->items + part->begin;
  int64_t p = build->tiles->p, count = part->end - part->begin, widest = 0;
  bool plain = source->type == REAL_TYPE && source->col == 1 && source->row == p && !source->centre;
  if (plain && p == 2) {
    short_box(source->points, 2, items, count, lower, upper);
  } else if (plain && p == 3) {
    short_box(source->points, 3, items, count, lower, upper);
  } else if (plain && p == 4) {
    short_box(source->points, 4, items, count, lower, upper);
  } else {
    for (int64_t j = 0; j < p; j++) {
      lower[j] = INFINITY;
      upper[j] = -INFINITY;
    }
    for (int64_t i = 0; i < count; i++) {
      if (plain)
        widen_row(p, (const real_t *)source->points + items[i].at * p, lower, upper);
      else
        for (int64_t j = 0; j < p; j++) widen(coordinate(source, items[i].at, j), &lower[j], &upper[j]);
    }
  }
  for (int64_t j = 1; j < p; j++)
    if (upper[j] - lower[j] > upper[widest] - lower[widest]) widest = j;
  return widest;
}

/* The widest side of a part of a tile, whose box is not kept. */
static int64_t widest_side(const build_t *build, const part_t *part) {
  int64_t p = build->tiles->p, widest = 0;
  real_t width = 0, small_lower[SHORT], small_upper[SHORT];
  if (p <= SHORT) return find_box(build, part, small_lower, small_upper);
  for (int64_t j = 0; j < p; j++) {
    real_t lower = INFINITY, upper = -INFINITY;
    for (int64_t i = part->begin; i < part->end; i++)
      widen(build->tiles->x[build->items[i].at * p + j], &lower, &upper);
    if (upper - lower > width) {
      width = upper - lower;
      widest = j;
    }
  }
  return widest;
}

static void read_keys(const build_t *build, const part_t *part, int64_t begin, int64_t end, int64_t side) {
  item_t *items = build->items;
  for (int64_t i = begin; i < end; i++)
    items[i].key = side < build->tiles->p ? coordinate(&part->source, items[i].at, side)
                                          : (real_t)place(build, part, items[i].at);
}

/*
 * Brings the smallest of the part in the total order to [begin, cut). Ties in
 * one key narrow the search to the tied items and the next key; the last key,
 * the place in the data, has none.
 */
static void halve(const build_t *build, const part_t *part, int64_t cut, int64_t side) {
  int64_t begin = part->begin, end = part->end, low, high;
  read_keys(build, part, begin, end, side);
  for (int64_t next = 0;; next++) {
    rank_select(build->items + begin, end - begin, cut - begin, &low, &high);
    end = begin + high;
    begin += low;
    if (begin == cut) return;
    read_keys(build, part, begin, end, next);
  }
}

/* The total order of items a and b, given the keys of the side. */
static bool comes_before(const build_t *build, const part_t *part, const item_t *a, const item_t *b) {
  if (a->key != b->key) return a->key < b->key;
  for (int64_t j = 0; j < build->tiles->p; j++) {
    real_t x = coordinate(&part->source, a->at, j), y = coordinate(&part->source, b->at, j);
    if (x != y) return x < y;
  }
  return place(build, part, a->at) < place(build, part, b->at);
}

static void sort_cluster(const build_t *build, const part_t *part, int64_t side) {
  item_t *items = build->items;
  read_keys(build, part, part->begin, part->end, side);
  for (int64_t i = part->begin + 1; i < part->end; i++) {
    item_t item = items[i];
    int64_t j = i;
    for (; j > part->begin && comes_before(build, part, &item, &items[j - 1]); j--) items[j] = items[j - 1];
    items[j] = item;
  }
}

/* Copies the rows of the part to where they are stored, in no order yet. */
static void copy_part(const build_t *build, part_t *part) {
  tiles_t *tiles = build->tiles;
  for (int64_t i = part->begin; i < part->end; i++) {
    int64_t at = build->items[i].at;
    copy_row(&part->source, at, tiles->p, tiles->x + i * tiles->p);
    tiles->order[i] = at;
    build->items[i].at = i;
  }
  part->source = (source_t){.points = tiles->x, .type = REAL_TYPE, .row = tiles->p, .col = 1};
  part->copied = true;
}

/* Rows and order of the part as its items say, along the cycles of the permutation. */
static void permute_part(const build_t *build, const part_t *part) {
  tiles_t *tiles = build->tiles;
  item_t *items = build->items;
  for (int64_t i = part->begin; i < part->end; i++) {
    for (int64_t to = i, from = items[i].at; from != to; from = items[to].at) {
      items[to].at = to;
      if (from == i) break;
      real_t *restrict a = tiles->x + to * tiles->p, *restrict b = tiles->x + from * tiles->p;
      for (int64_t j = 0; j < tiles->p; j++) {
        real_t x = a[j];
        a[j] = b[j];
        b[j] = x;
      }
      int64_t place_to = tiles->order[to];
      tiles->order[to] = tiles->order[from];
      tiles->order[from] = place_to;
      to = from;
    }
  }
}

static void build_part(const build_t *build, part_t part) {
  tiles_t *tiles = build->tiles;
  int64_t count = part.end - part.begin;
  bool copy_here = !part.copied && (count <= LOCAL || part.level == tiles->levels);
  if (copy_here) copy_part(build, &part);
  real_t *lower = tiles->lower + part.node * tiles->p, *upper = tiles->upper + part.node * tiles->p;
  int64_t side =
      part.level > tiles->levels ? widest_side(build, &part) : find_box(build, &part, lower, upper);
  if (part.level >= tiles->levels && count <= CLUSTER) {
    sort_cluster(build, &part, side);
  } else if (count <= TASK || !run_stopped(build->run, part.begin, tiles->n)) {
    int64_t cut = part.begin + count / 2;
    if (count > 1) halve(build, &part, cut, side);
    part_t left = part, right = part;
    left.level = right.level = part.level + 1;
    left.node = 2 * part.node + 1;
    right.node = 2 * part.node + 2;
    left.end = right.begin = cut;
    if (count > TASK) {
#pragma omp task
      build_part(build, left);
      build_part(build, right);
#pragma omp taskwait
    } else {
      build_part(build, left);
      build_part(build, right);
    }
  }
  if (part.level == tiles->levels) tiles->first[part.node - (tiles->tiles - 1)] = part.begin;
  if (copy_here) permute_part(build, &part);
}

int tiles_build(run_t *run, const lavdm_data *data, const double *centre, int64_t leaf, tiles_t *out) {
  *out = (tiles_t){.n = data->n, .p = data->p, .tiles = 1};
  for (; (out->n + out->tiles - 1) / out->tiles > (leaf < 1 ? 1 : leaf); out->tiles *= 2) out->levels++;
  out->x = NEW(real_t, out->n * out->p);
  out->order = NEW(int64_t, out->n);
  out->first = NEW(int64_t, out->tiles + 1);
  out->lower = NEW(real_t, (2 * out->tiles - 1) * out->p);
  out->upper = NEW(real_t, (2 * out->tiles - 1) * out->p);
  item_t *items = NEW(item_t, out->n);
  int status = LAVDM_OK;
  if (!out->x || !out->order || !out->first || !out->lower || !out->upper || !items) {
    status = fail_memory(run->error, "the points in tile order");
    goto done;
  }
  out->first[out->tiles] = out->n;
  build_t build = {.run = run, .tiles = out, .items = items};
  source_t source = {.points = data->points,
                     .type = data->type,
                     .row = data->row_stride ? data->row_stride : data->p,
                     .col = data->col_stride ? data->col_stride : 1,
                     .centre = centre};
  part_t root = {.end = data->n, .source = source};
#pragma omp parallel num_threads(run->threads) if (data->n > 2 * TASK)
  {
#pragma omp for schedule(static)
    for (int64_t i = 0; i < data->n; i++) items[i].at = i;
#pragma omp master
    build_part(&build, root);
  }
  status = run_status(run);
done:
  mem_free(items);
  if (status < 0) tiles_free(out);
  return status;
}

void tiles_free(tiles_t *tiles) {
  mem_free(tiles->x);
  mem_free(tiles->order);
  mem_free(tiles->first);
  mem_free(tiles->lower);
  mem_free(tiles->upper);
  *tiles = (tiles_t){0};
}
