/*
 * The levels of a multigrid for weighted graphs. A group is a node with its heavy neighbours; the next level
 * has a node for each group, between two of them the sum of the weights of the edges that join them, and
 * the sum of masses: P' A P for vectors that are constant on groups.
 */
#include "sync/plain_level.h"

#include "base/memory.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { SMALL = 300, LEAST_CHUNK = 1024, MOST_CHUNK = 16384, CHUNKS = 16 };

static const double heavy = 0.25;      /* of the heaviest edge of a node */
static const double worthwhile = 0.6;  /* of the entries of the level before, at most */
static const double rounding = 1e-12;  /* of sums of weights */
static const double enough_mass = 0.3; /* of the diagonal */
static const double cheap = 0.45;      /* a level with fewer is visited twice */

static void level_free(plain_level *l) {
  void *all[] = {l->start, l->lower,  l->upper, l->col, l->weight, l->diagonal, l->inverse, l->group,
                 l->first, l->member, l->dense, l->r,   l->z,      l->y,        l->left,    l->more};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
}

void plain_free(plain_t *grid) {
  if (!grid) return;
  for (int l = 0; l < PLAIN_LEVELS; l++) level_free(&grid->level[l]);
  mem_free(grid);
}

/* Room for n rows; how rows are cut depends on n alone, so that no result depends on the threads. */
static int level_rows(run_t *run, int64_t n, plain_level *l) {
  l->n = n;
  l->chunk = n / CHUNKS + 1;
  if (l->chunk < LEAST_CHUNK) l->chunk = LEAST_CHUNK;
  if (l->chunk > MOST_CHUNK) l->chunk = MOST_CHUNK;
  l->start = NEW(int64_t, n + 1);
  l->lower = NEW(int64_t, n);
  l->upper = NEW(int64_t, n);
  l->diagonal = NEW(double, n);
  l->inverse = NEW(double, n);
  bool whole = l->start && l->lower && l->upper && l->diagonal && l->inverse;
  return whole ? LAVDM_OK : fail_memory(run->error, "the coarse graphs");
}

static int level_entries(run_t *run, plain_level *l) {
  for (int64_t i = 0; i < l->n; i++) l->start[i + 1] += l->start[i];
  l->col = NEW(int32_t, l->start[l->n]);
  l->weight = NEW(double, l->start[l->n]);
  return l->col && l->weight ? LAVDM_OK : fail_memory(run->error, "the coarse graphs");
}

/* 0, 1, 2: which of the three parts of row i the entry k is in. */
static inline int part_of_row(const plain_level *l, int64_t i, int64_t k) {
  int64_t begin = i - i % l->chunk;
  if (k < begin || k >= begin + l->chunk) return 1;
  return k < i ? 0 : 2;
}

/* Row i from `count` entries, in their order within each part. */
static void put_row(plain_level *l, int64_t i, int64_t count, const int32_t *col, const double *weight) {
  int64_t at[3] = {0};
  for (int64_t k = 0; k < count; k++) at[part_of_row(l, i, col[k])]++;
  l->lower[i] = l->start[i] + at[0];
  l->upper[i] = l->lower[i] + at[1];
  at[0] = l->start[i], at[1] = l->lower[i], at[2] = l->upper[i];
  for (int64_t k = 0; k < count; k++) {
    int64_t to = at[part_of_row(l, i, col[k])]++;
    l->col[to] = col[k];
    l->weight[to] = weight[k];
  }
}

static int finest(run_t *run, const part_t *part, const double *weight, const double *mass, plain_level *l) {
  int status = level_rows(run, part->n, l);
  if (status < 0) return status;
  int64_t most = 0;
  for (int64_t i = 0; i < l->n; i++) {
    l->start[i + 1] = part->start[i + 1] - part->start[i];
    if (l->start[i + 1] > most) most = l->start[i + 1];
  }
  status = level_entries(run, l);
  if (status < 0) return status;
#pragma omp parallel num_threads(l->n > 5000 ? run->threads : 1) reduction(min : status)
  {
    int32_t *col = NEW(int32_t, most);
    double *value = NEW(double, most);
    if (!col || !value) status = LAVDM_ERROR_MEMORY;
#pragma omp for schedule(static)
    for (int64_t i = 0; i < l->n; i++) {
      if (!col || !value) continue;
      double sum = mass ? mass[i] : 0;
      int64_t count = 0;
      for (int64_t at = part->start[i]; at < part->start[i + 1]; at++, count++) {
        col[count] = (int32_t)link_node(part, part->link[at]);
        value[count] = weight[part->link[at] / 2];
        sum += value[count];
      }
      put_row(l, i, count, col, value);
      l->diagonal[i] = sum;
      l->inverse[i] = sum > 0 ? 1 / sum : 0;
    }
    mem_free(col);
    mem_free(value);
  }
  return status < 0 ? fail_memory(run->error, "the coarse graphs") : LAVDM_OK;
}

/* Whether the edge at an entry of row i is heavy for both of its ends. */
static inline bool joins(const plain_level *l, const double *most, int64_t i, int64_t at) {
  return l->weight[at] >= heavy * fmax(most[i], most[l->col[at]]);
}

/* Node i and its free neighbours along edges heavy for both; with `whole` only if all of those are free. */
static void group_around(plain_level *l, const double *most, int64_t i, bool whole) {
  for (int64_t at = l->start[i]; at < l->start[i + 1] && whole; at++)
    if (joins(l, most, i, at) && l->group[l->col[at]] >= 0) return;
  l->group[i] = (int32_t)l->groups;
  for (int64_t at = l->start[i]; at < l->start[i + 1]; at++)
    if (joins(l, most, i, at) && l->group[l->col[at]] < 0) l->group[l->col[at]] = (int32_t)l->groups;
  l->groups++;
}

/* To the group of its heaviest neighbour that has one in `known`, if that edge is heavy for i: a node
 * that is bound to another must not go with a third. */
static void join_heaviest(plain_level *l, const double *most, const int32_t *known, int64_t i) {
  int64_t best = -1;
  for (int64_t at = l->start[i]; at < l->start[i + 1]; at++)
    if (known[l->col[at]] >= 0 && (best < 0 || l->weight[at] > l->weight[best])) best = at;
  if (best >= 0 && l->weight[best] >= heavy * most[i]) l->group[i] = known[l->col[best]];
}

static int list_members(run_t *run, plain_level *l) {
  l->first = NEW(int64_t, l->groups + 1);
  l->member = NEW(int32_t, l->n);
  if (!l->first || !l->member) return fail_memory(run->error, "the coarse graphs");
  for (int64_t i = 0; i < l->n; i++) l->first[l->group[i] + 1]++;
  for (int64_t g = 0; g < l->groups; g++) l->first[g + 1] += l->first[g];
  for (int64_t i = 0; i < l->n; i++) l->member[l->first[l->group[i]]++] = (int32_t)i;
  memmove(l->first + 1, l->first, (size_t)l->groups * sizeof *l->first);
  l->first[0] = 0;
  return LAVDM_OK;
}

static int make_groups(run_t *run, plain_level *l) {
  double *most = NEW(double, l->n);
  int32_t *known = NEW(int32_t, l->n);
  l->group = NEW(int32_t, l->n);
  int status = most && known && l->group ? LAVDM_OK : fail_memory(run->error, "the coarse graphs");
  for (int64_t i = 0; i < l->n && !status; i++) {
    l->group[i] = -1;
    for (int64_t at = l->start[i]; at < l->start[i + 1]; at++) most[i] = fmax(most[i], l->weight[at]);
  }
  for (int64_t i = 0; i < l->n && !status; i++)
    if (l->group[i] < 0) group_around(l, most, i, true);
  if (!status) memcpy(known, l->group, (size_t)l->n * sizeof *known);
  for (int64_t i = 0; i < l->n && !status; i++)
    if (l->group[i] < 0) join_heaviest(l, most, known, i);
  for (int64_t i = 0; i < l->n && !status; i++)
    if (l->group[i] < 0) group_around(l, most, i, false);
  if (!status) status = list_members(run, l);
  mem_free(most);
  mem_free(known);
  return status;
}

/* What a thread needs to add up rows: where a group stands in the row, and the row. */
typedef struct {
  int32_t *place, *col;
  double *weight;
} adder_t;

/* Row g of the next level in the adder; returns its length. */
static int64_t add_up(const plain_level *l, int64_t g, adder_t *a, double *diagonal) {
  int64_t count = 0;
  *diagonal = 0;
  for (int64_t m = l->first[g]; m < l->first[g + 1]; m++) {
    int64_t i = l->member[m];
    *diagonal += l->diagonal[i];
    for (int64_t at = l->start[i]; at < l->start[i + 1]; at++) {
      int32_t h = l->group[l->col[at]];
      if (h == g) {
        *diagonal -= l->weight[at];
        continue;
      }
      if (a->place[h] < 0) a->place[h] = (int32_t)count, a->col[count] = h, a->weight[count++] = 0;
      a->weight[a->place[h]] += l->weight[at];
    }
  }
  for (int64_t k = 0; k < count; k++) a->place[a->col[k]] = -1;
  return count;
}

/* Rows of the next level: their lengths, or with its arrays there, all of them. */
static int add_rows(run_t *run, const plain_level *l, plain_level *next) {
  int status = LAVDM_OK;
  int64_t rows = next->n;
#pragma omp parallel num_threads(rows > 5000 ? run->threads : 1) reduction(min : status)
  {
    adder_t a = {NEW(int32_t, rows), NEW(int32_t, rows), NEW(double, rows)};
    bool whole = a.place && a.col && a.weight;
    if (!whole) status = LAVDM_ERROR_MEMORY;
    for (int64_t h = 0; h < rows && whole; h++) a.place[h] = -1;
#pragma omp for schedule(static)
    for (int64_t g = 0; g < rows; g++) {
      if (!whole) continue;
      double diagonal, sum = 0;
      int64_t count = add_up(l, g, &a, &diagonal);
      if (!next->col) {
        next->start[g + 1] = count;
        continue;
      }
      for (int64_t k = 0; k < count; k++) sum += a.weight[k];
      put_row(next, g, count, a.col, a.weight);
      next->diagonal[g] = fmax(diagonal, sum);
      next->inverse[g] = next->diagonal[g] > 0 ? 1 / next->diagonal[g] : 0;
    }
    mem_free(a.place);
    mem_free(a.col);
    mem_free(a.weight);
  }
  return status < 0 ? fail_memory(run->error, "the coarse graphs") : LAVDM_OK;
}

/* The level of the groups of l. */
static int make_next(run_t *run, const plain_level *l, plain_level *next) {
  int status = level_rows(run, l->groups, next);
  if (!status) status = add_rows(run, l, next);
  if (!status) status = level_entries(run, next);
  if (!status) status = add_rows(run, l, next);
  return status;
}

/* Groups of groups: those of `next` become those of l, and its own level takes its place. */
static int merge(run_t *run, plain_level *l, plain_level *next) {
  plain_level further = {0};
  int status = make_groups(run, next);
  if (status < 0 || next->groups == next->n) return status;
  for (int64_t i = 0; i < l->n; i++) l->group[i] = next->group[l->group[i]];
  l->groups = next->groups;
  mem_free(l->first);
  mem_free(l->member);
  l->first = NULL, l->member = NULL;
  status = list_members(run, l);
  if (!status) status = make_next(run, next, &further);
  level_free(next);
  *next = further;
  return status;
}

static double share_of(const plain_level *l, const plain_level *next) {
  return (double)(next->start[next->n] + next->n) / (double)(l->start[l->n] + l->n);
}

/* Whether masses alone keep everything in place, so that sweeps do. */
static bool held(const plain_level *l) {
  double all = 0, edges = 0;
  for (int64_t i = 0; i < l->n; i++) all += l->diagonal[i];
  for (int64_t at = 0; at < l->start[l->n]; at++) edges += l->weight[at];
  return all - edges > enough_mass * all;
}

/* The next level, unless it is hardly smaller: groups are merged until it is cheap. */
static int add_level(run_t *run, plain_t *grid, bool *added) {
  plain_level *l = &grid->level[grid->levels - 1], *next = l + 1;
  *added = false;
  if (grid->levels == PLAIN_LEVELS || l->n <= SMALL || held(l)) return LAVDM_OK;
  int status = make_groups(run, l);
  if (!status) status = make_next(run, l, next);
  for (int64_t rows = l->n; !status && share_of(l, next) > cheap && next->n < rows;) {
    rows = next->n;
    status = merge(run, l, next);
  }
  if (status < 0 || share_of(l, next) > worthwhile) {
    level_free(next);
    memset(next, 0, sizeof *next);
    l->groups = 0;
    return status;
  }
  l->twice = share_of(l, next) < cheap;
  grid->levels++;
  *added = true;
  return status;
}

/* The inverse of the last level if it is small: of A + 11' without masses, whose solutions for right
 * sides of sum zero are those of A. */
static int invert_last(run_t *run, bool masses, const plain_level *finest_level, plain_level *l) {
  int64_t n = l->n;
  if (n > SMALL) return LAVDM_OK;
  double *a = NEW(double, n *n), trace = 0, total = 0;
  if (!a) return fail_memory(run->error, "the coarse graphs");
  for (int64_t i = 0; i < n; i++) trace += l->diagonal[i];
  for (int64_t i = 0; i < finest_level->n; i++) total += finest_level->diagonal[i];
  if (trace <= rounding * total) { /* one group of all, which nothing holds: zero is its inverse */
    l->dense = a;
    return LAVDM_OK;
  }
  for (int64_t i = 0; i < n * n && !masses; i++) a[i] = trace / (double)(n * n);
  for (int64_t i = 0; i < n; i++) {
    a[i * (n + 1)] += l->diagonal[i] * (1 + 1e-12) + 1e-300;
    for (int64_t at = l->start[i]; at < l->start[i + 1]; at++) a[i * n + l->col[at]] -= l->weight[at];
  }
  int bad = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (int)n, a, (int)n);
  if (!bad) bad = LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (int)n, a, (int)n);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = i + 1; j < n; j++) a[j * n + i] = a[i * n + j];
  if (bad)
    mem_free(a);
  else
    l->dense = a;
  return LAVDM_OK;
}

static int level_vectors(run_t *run, int64_t columns, bool first, bool twice, plain_level *l) {
  int64_t count = l->n * columns;
  l->y = NEW(double, count);
  if (!first) l->r = NEW(double, count), l->z = NEW(double, count);
  if (twice) l->left = NEW(double, count), l->more = NEW(double, count);
  bool whole = l->y && (first || (l->r && l->z)) && (!twice || (l->left && l->more));
  return whole ? LAVDM_OK : fail_memory(run->error, "vectors of the coarse graphs");
}

int plain_new(run_t *run, const part_t *part, const double *weight, const double *mass, int64_t columns,
              plain_t **out) {
  plain_t *grid = NEW(plain_t, 1);
  *out = NULL;
  if (!grid) return fail_memory(run->error, "the coarse graphs");
  grid->levels = 1;
  grid->columns = columns;
  int before = blas_threads(1), status = finest(run, part, weight, mass, &grid->level[0]);
  for (bool added = true; added && !status;) status = add_level(run, grid, &added);
  if (!status) status = invert_last(run, mass != NULL, &grid->level[0], &grid->level[grid->levels - 1]);
  for (int l = 0; l < grid->levels && !status; l++)
    status = level_vectors(run, columns, l == 0, l == 0 || grid->level[l - 1].twice, &grid->level[l]);
  blas_threads(before);
  if (status < 0)
    plain_free(grid);
  else
    *out = grid;
  return status;
}
