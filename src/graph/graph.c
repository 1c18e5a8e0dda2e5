/*
 * Tiles of the landmark graph. For each tile of points the landmarks near its
 * box are found once; distances are then
 *     small p   d2[i,c] = sum_j (x_ij - a_cj)^2, vectorised over c
 *     large p   d2[i,c] = |x_i|^2 + |a_c|^2 - 2 x_i'a_c, one matrix product, both
 *               sides relative to the centre of the tile; where the terms cancel
 *               (a tile that an outlier stretches) by differences as well.
 */
#include "graph/graph.h"

#include "base/memory.h"
#include "base/sort.h"
#include "neighbours/neighbours.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE_P = 16 };

/* A sum of squares below this share of its terms has lost too many digits. */
#define CANCELLED (1e-3 + 4e4 * REAL_EPSILON)

struct graph_work {
  neighbour_work *search;
  int64_t *cols, cols_size;
  real_t *weight; /* of the tile under way: w.data, or where it is kept */
  buffer_t centre, x, a, d2, w, s, scratch, alone, near, own, scaled;
};

graph_work **REAL(graph_work_new)(int threads) {
  graph_work **work = NEW(graph_work *, threads);
  for (int t = 0; work && t < threads; t++) {
    work[t] = NEW(graph_work, 1);
    if (work[t]) work[t]->search = REAL(neighbour_work_new)();
    if (!work[t] || !work[t]->search) {
      REAL(graph_work_free)(work, threads);
      return NULL;
    }
  }
  return work;
}

void REAL(graph_work_free)(graph_work **work, int threads) {
  for (int t = 0; work && t < threads; t++) {
    graph_work *g = work[t];
    if (!g) continue;
    REAL(neighbour_work_free)(g->search);
    mem_free(g->cols);
    mem_free(g->centre.data);
    mem_free(g->x.data);
    mem_free(g->a.data);
    mem_free(g->d2.data);
    mem_free(g->w.data);
    mem_free(g->s.data);
    mem_free(g->scratch.data);
    mem_free(g->alone.data);
    mem_free(g->near.data);
    mem_free(g->own.data);
    mem_free(g->scaled.data);
    mem_free(g);
  }
  mem_free(work);
}

static int reserve_cols(graph_work *work, int64_t size) {
  if (work->cols && size <= work->cols_size) return 0;
  int64_t *grown = RESIZE(int64_t, work->cols, 2 * size);
  if (!grown) return LAVDM_ERROR_MEMORY;
  work->cols = grown;
  work->cols_size = 2 * size;
  return 0;
}

static real_t by_differences(int64_t p, const real_t *x, const real_t *a) {
  real_t sum = 0;
  for (int64_t j = 0; j < p; j++) sum += (x[j] - a[j]) * (x[j] - a[j]);
  return sum;
}

/* d2 (rows x count) from a (p x count), vectorised over the landmarks; inlined
 * for each small p, so that the sum over coordinates stays in registers. */
static inline __attribute__((always_inline)) void by_columns(int64_t p, const real_t *x, int64_t rows,
                                                             const real_t *restrict a, int64_t count,
                                                             real_t *restrict d2) {
  for (int64_t i = 0; i < rows; i++)
    for (int64_t c = 0; c < count; c++) {
      real_t sum = 0;
      for (int64_t j = 0; j < p; j++)
        sum += (x[i * p + j] - a[j * count + c]) * (x[i * p + j] - a[j * count + c]);
      d2[i * count + c] = sum;
    }
}

static void small_distances(int64_t p, const real_t *x, int64_t rows, const real_t *a, int64_t count,
                            real_t *d2) {
  switch (p) {
  case 1:
    by_columns(1, x, rows, a, count, d2);
    break;
  case 2:
    by_columns(2, x, rows, a, count, d2);
    break;
  case 3:
    by_columns(3, x, rows, a, count, d2);
    break;
  case 4:
    by_columns(4, x, rows, a, count, d2);
    break;
  case 5:
    by_columns(5, x, rows, a, count, d2);
    break;
  case 6:
    by_columns(6, x, rows, a, count, d2);
    break;
  default:
    by_columns(p, x, rows, a, count, d2);
    break;
  }
}

/* One side of the distances by products: rows relative to a centre, and their squared lengths. */
typedef struct {
  const real_t *centre, *a, *norm;
} side_t;

/* All landmarks relative to their mean serve a tile from where the mean is not
 * out of reach: what cancels there is next to nothing in units of epsilon. */
static bool kept_side(const graph_t *graph, int64_t count, const real_t *centre, side_t *side) {
  const kept_t *kept = graph->kept;
  if (!kept || count < kept->m) return false;
  double radius = graph->kernel.radius;
  if (by_differences(graph->points->p, centre, kept->centre) >
      REAL(metric_reach)(&graph->landmarks->metric, radius))
    return false;
  *side = (side_t){kept->centre, kept->a, kept->norm};
  return true;
}

/* The tile's landmarks relative to its centre. */
static int own_side(const graph_t *graph, int64_t count, const real_t *centre, graph_work *work,
                    side_t *side) {
  int64_t p = graph->points->p;
  real_t *a = BUFFER(real_t, &work->a, count * p + count);
  if (!a) return LAVDM_ERROR_MEMORY;
  real_t *norm = a + count * p;
  for (int64_t c = 0; c < count; c++) {
    const real_t *landmark = graph->landmarks->x + work->cols[c] * p;
    for (int64_t j = 0; j < p; j++) a[c * p + j] = landmark[j] - centre[j];
    norm[c] = BLAS(dot)((int)p, a + c * p, 1, a + c * p, 1);
  }
  *side = (side_t){centre, a, norm};
  return 0;
}

static int by_products(const graph_t *graph, const real_t *x, int64_t rows, int64_t count,
                       const real_t *centre, graph_work *work, real_t *d2) {
  int64_t p = graph->points->p;
  real_t *own = BUFFER(real_t, &work->x, rows * p);
  side_t side;
  if (!own || (!kept_side(graph, count, centre, &side) && own_side(graph, count, centre, work, &side) < 0))
    return LAVDM_ERROR_MEMORY;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < p; j++) own[i * p + j] = x[i * p + j] - side.centre[j];
  BLAS(gemm)
  (CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)count, (int)p, -2, own, (int)p, side.a, (int)p, 0,
   d2, (int)count);
  for (int64_t i = 0; i < rows; i++) {
    real_t square = BLAS(dot)((int)p, own + i * p, 1, own + i * p, 1);
    for (int64_t c = 0; c < count; c++) {
      real_t terms = square + side.norm[c], *to = d2 + i * count + c;
      *to += terms;
      if (*to < CANCELLED * terms)
        *to = by_differences(p, x + i * p, graph->landmarks->x + work->cols[c] * p);
    }
  }
  return 0;
}

/* Sums of squares (rows x count). */
static int squares(const graph_t *graph, const real_t *x, int64_t rows, int64_t count, const real_t *centre,
                   graph_work *work, real_t *d2) {
  int64_t p = graph->points->p;
  if (p >= LARGE_P) return by_products(graph, x, rows, count, centre, work, d2);
  real_t *a = BUFFER(real_t, &work->a, count * p); /* p x count */
  if (!a) return LAVDM_ERROR_MEMORY;
  for (int64_t c = 0; c < count; c++)
    for (int64_t j = 0; j < p; j++) a[j * count + c] = graph->landmarks->x[work->cols[c] * p + j];
  small_distances(p, x, rows, a, count, d2);
  return 0;
}

/* d2 (rows x count). */
static int distances(const graph_t *graph, const real_t *x, int64_t rows, int64_t count, const real_t *centre,
                     graph_work *work) {
  const metric_t *metric = &graph->landmarks->metric;
  real_t *d2 = BUFFER(real_t, &work->d2, rows * count);
  if (!d2) return LAVDM_ERROR_MEMORY;
  if (metric_squares(metric)) {
    int status = squares(graph, x, rows, count, centre, work, d2);
    REAL(metric_to_d2)(metric, d2, status < 0 ? 0 : rows * count);
    return status;
  }
  for (int64_t i = 0; i < rows; i++)
    REAL(distances2)(graph->landmarks, x + i * graph->points->p, work->cols, count, d2 + i * count);
  return 0;
}

static bool has_edge(const real_t *w, int64_t count) {
  for (int64_t c = 0; c < count; c++)
    if (w[c] > 0) return true;
  return false;
}

/* cols becomes the sorted union of itself and `more`; returns its length. */
static int64_t merge_cols(graph_work *work, int64_t count, const int64_t *more, int64_t extra) {
  if (reserve_cols(work, count + extra) < 0) return LAVDM_ERROR_MEMORY;
  memcpy(work->cols + count, more, (size_t)extra * sizeof *more);
  sort_integers(work->cols, count + extra);
  int64_t kept = 0;
  for (int64_t c = 0; c < count + extra; c++)
    if (!kept || work->cols[c] != work->cols[kept - 1]) work->cols[kept++] = work->cols[c];
  return kept;
}

/* Takes away the weights of pairs that the rule does not join. */
static void apply_rule(const graph_t *graph, const real_t *x, int64_t rows, int64_t count, graph_work *work) {
  const rule_t *rule = graph->rule;
  const real_t *d2 = work->d2.data, *own = work->own.data;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t c = 0; c < count; c++)
      if (!REAL(rule_joins)(rule, x + i * graph->points->p, work->cols[c], d2[i * count + c],
                            own[(i + 1) * rule->k - 1]))
        work->weight[i * count + c] = 0;
}

/* A point that is a landmark is not joined to itself; copies of it are alike. */
static void take_itself(int64_t rows, int64_t count, graph_work *work) {
  const real_t *d2 = work->d2.data;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t c = 0; c < count; c++)
      if (d2[i * count + c] == 0) {
        work->weight[i * count + c] = 0;
        break;
      }
}

/* Weights of rows whose bandwidths are their own; `first` is row 0. */
static int local_weights(const graph_t *graph, int64_t first, int64_t rows, int64_t count, graph_work *work,
                         real_t *w) {
  const real_t *d2 = work->d2.data;
  real_t *scaled = BUFFER(real_t, &work->scaled, rows * count);
  if (!scaled) return LAVDM_ERROR_MEMORY;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t c = 0; c < count; c++)
      scaled[i * count + c] = (real_t)((double)d2[i * count + c] / (graph->local->rho[first + i] *
                                                                    graph->local->references[work->cols[c]]));
  REAL(kernel_weights)(&graph->kernel, false, scaled, rows * count, w);
  return 0;
}

/* Weights of the tile over work->cols; returns how many rows are without an edge. */
static int64_t weights(const graph_t *graph, const real_t *x, int64_t rows, int64_t count,
                       const real_t *centre, graph_work *work) {
  if (distances(graph, x, rows, count, centre, work) < 0) return LAVDM_ERROR_MEMORY;
  int64_t first = (x - graph->points->x) / graph->points->p;
  real_t *w = graph->kept ? graph->kept->w + first * graph->m : BUFFER(real_t, &work->w, rows * count);
  if (!w) return LAVDM_ERROR_MEMORY;
  work->weight = w;
  if (!graph->local)
    REAL(kernel_weights)(&graph->kernel, false, (const real_t *)work->d2.data, rows * count, w);
  else if (local_weights(graph, first, rows, count, work, w) < 0)
    return LAVDM_ERROR_MEMORY;
  if (graph->rule) apply_rule(graph, x, rows, count, work);
  if (graph->hollow) take_itself(rows, count, work);
  int64_t lonely = 0;
  for (int64_t i = 0; i < rows; i++) lonely += !has_edge(w + i * count, count);
  return lonely;
}

/* Joins every row without an edge to its nearest landmarks; returns the new count. */
static int64_t reach_out(const graph_t *graph, const real_t *x, int64_t rows, int64_t count,
                         const real_t *centre, graph_work *work) {
  const tiles_t *landmarks = graph->landmarks;
  int64_t p = graph->points->p, k = landmarks->n < FAR_LANDMARKS ? landmarks->n : FAR_LANDMARKS;
  int64_t near_index[FAR_LANDMARKS], before = count;
  real_t near_d2[FAR_LANDMARKS];
  for (int64_t i = 0; i < rows; i++) {
    if (has_edge(work->weight + i * before, before)) continue;
    if (REAL(nearest)(landmarks, x + i * p, 1, k, work->search, near_index, near_d2) < 0)
      return LAVDM_ERROR_MEMORY;
    count = merge_cols(work, count, near_index, k);
    if (count < 0) return count;
  }
  if (weights(graph, x, rows, count, centre, work) < 0) return LAVDM_ERROR_MEMORY;
  for (int64_t i = 0; i < rows; i++) {
    real_t *w = work->weight + i * count;
    if (has_edge(w, count)) continue;
    if (REAL(nearest)(landmarks, x + i * p, 1, k, work->search, near_index, near_d2) < 0)
      return LAVDM_ERROR_MEMORY;
    real_t far[FAR_LANDMARKS];
    const widths_t *local = graph->local;
    int64_t row = (x - graph->points->x) / p + i;
    for (int64_t j = 0; local && j < k; j++)
      near_d2[j] = (real_t)((double)near_d2[j] / (local->rho[row] * local->references[near_index[j]]));
    REAL(kernel_weights)(&graph->kernel, true, near_d2, k, far);
    for (int64_t j = 0; j < k; j++)
      for (int64_t c = 0; c < count; c++)
        if (work->cols[c] == near_index[j]) w[c] = far[j];
  }
  return count;
}

/* How far the rule looks from the points of a tile; -1 without memory. Leaves the
 * distances of their own nearest in work->own. */
static double rule_radius(const graph_t *graph, const real_t *x, int64_t rows, graph_work *work) {
  const rule_t *rule = graph->rule;
  int64_t *near = BUFFER(int64_t, &work->near, rows * rule->k);
  real_t *own = BUFFER(real_t, &work->own, rows * rule->k), most = 0;
  if (!near || !own || REAL(nearest)(graph->landmarks, x, rows, rule->k, work->search, near, own) < 0)
    return -1;
  for (int64_t i = 1; i <= rows; i++)
    if (own[i * rule->k - 1] > most) most = own[i * rule->k - 1];
  return fmax(rule->usual, sqrt((double)most) * (1 + 16 * (double)REAL_EPSILON));
}

/* How far the points of a tile reach, and are reached. */
static double local_radius(const graph_t *graph, const real_t *x, int64_t rows) {
  const widths_t *local = graph->local;
  int64_t first = (x - graph->points->x) / graph->points->p;
  double most = 0;
  for (int64_t i = first; i < first + rows; i++) most = fmax(most, local->rho[i]);
  return graph->kernel.radius * sqrt(most * local->most) * (1 + 16 * (double)REAL_EPSILON);
}

/* The landmarks that the tile may reach, into work->cols; returns how many. */
static int64_t find_cols(const graph_t *graph, const real_t *x, int64_t rows, const real_t *lower,
                         const real_t *upper, graph_work *work) {
  const int64_t *found;
  int64_t count = graph->m;
  double radius = graph->rule    ? rule_radius(graph, x, rows, work)
                  : graph->local ? local_radius(graph, x, rows)
                                 : graph->kernel.radius;
  if (radius < 0) return LAVDM_ERROR_MEMORY;
  if (graph->kept)
    found = graph->kept->cols;
  else
    count = REAL(near_box)(graph->landmarks, lower, upper, radius, work->search, &found);
  if (count < 0 || reserve_cols(work, count) < 0) return LAVDM_ERROR_MEMORY;
  memcpy(work->cols, found, (size_t)count * sizeof *found);
  return graph->rule ? merge_cols(work, count, graph->rule->wide, graph->rule->wides) : count;
}

static int make_weights(const graph_t *graph, int64_t t, graph_work *work, graph_tile *out) {
  const tiles_t *points = graph->points;
  int64_t p = points->p, first = points->first[t], rows = points->first[t + 1] - first;
  const real_t *x = points->x + first * p, *lower = points->lower + (points->tiles - 1 + t) * p,
               *upper = points->upper + (points->tiles - 1 + t) * p;
  real_t *centre = BUFFER(real_t, &work->centre, p);
  if (!centre) return LAVDM_ERROR_MEMORY;
  for (int64_t j = 0; j < p; j++) centre[j] = lower[j] / 2 + upper[j] / 2;

  int64_t count = find_cols(graph, x, rows, lower, upper, work);
  if (count < 0) return LAVDM_ERROR_MEMORY;
  int64_t far = weights(graph, x, rows, count, centre, work);
  char *alone = far > 0 ? BUFFER(char, &work->alone, rows) : NULL;
  if (far > 0 && !alone) return LAVDM_ERROR_MEMORY;
  for (int64_t i = 0; alone && i < rows; i++) alone[i] = !has_edge(work->weight + i * count, count);
  if (far > 0) count = reach_out(graph, x, rows, count, centre, work);
  if (far < 0 || count < 0) return LAVDM_ERROR_MEMORY;
  for (int64_t i = 0; far > 0 && i < rows; i++) /* a weight that vanishes joins nothing */
    far -= !has_edge(work->weight + i * count, count);
  *out = (graph_tile){.first = first,
                      .rows = rows,
                      .count = count,
                      .cols = work->cols,
                      .w = work->weight,
                      .far = far,
                      .alone = alone};
  return 0;
}

static int tile_by_distance(const graph_t *graph, int64_t t, bool elements, graph_work *work,
                            graph_tile *out) {
  kept_t *kept = graph->kept;
  if (kept && kept->far[t] >= 0) {
    int64_t first = graph->first[t];
    *out = (graph_tile){.first = first,
                        .rows = graph->first[t + 1] - first,
                        .count = kept->m,
                        .cols = kept->cols,
                        .w = kept->w + first * kept->m,
                        .far = kept->far[t]};
  } else {
    if (make_weights(graph, t, work, out) < 0) return LAVDM_ERROR_MEMORY;
    if (kept) kept->far[t] = out->far;
  }
  if (!elements) return 0;

  const source_t *source = &graph->source;
  if (!source->elements) {
    out->s = out->w;
    return 0;
  }
  int64_t size = out->rows * out->count * source->q * source->q;
  real_t *s = BUFFER(real_t, &work->s, size);
  real_t *scratch = BUFFER(real_t, &work->scratch, source->scratch(source, out->rows, out->count));
  if (!s || !scratch) return LAVDM_ERROR_MEMORY;
  out->ill = source->elements(source, out->first, out->rows, out->cols, out->count, out->w, s, scratch);
  out->s = s;
  return 0;
}

graph_t REAL(graph_by_distance)(const tiles_t *points, const tiles_t *landmarks, source_t source,
                                kernel_t kernel) {
  return (graph_t){.n = points->n,
                   .m = landmarks->n,
                   .q = source.q,
                   .tiles = points->tiles,
                   .first = points->first,
                   .tile = tile_by_distance,
                   .points = points,
                   .landmarks = landmarks,
                   .source = source,
                   .kernel = kernel};
}

static int tile_of_edges(const graph_t *graph, int64_t t, bool elements, graph_work *work, graph_tile *out) {
  const bsr_t *edges = graph->given;
  int64_t begin = edges->start[t], count = edges->start[t + 1] - begin, q = graph->q;
  if (reserve_cols(work, count) < 0) return LAVDM_ERROR_MEMORY;
  for (int64_t c = 0; c < count; c++) work->cols[c] = edges->col[begin + c];
  real_t *w = BUFFER(real_t, &work->w, count);
  if (!w) return LAVDM_ERROR_MEMORY;
  for (int64_t c = 0; c < count; c++) w[c] = (real_t)edges->weight[begin + c];
  *out = (graph_tile){.first = t, .rows = 1, .count = count, .cols = work->cols, .w = w};
  if (graph->alone && graph->alone[t]) out->far = 1, out->alone = graph->alone + t;
  if (!elements) return 0;
  real_t *s = BUFFER(real_t, &work->s, count * q * q);
  if (!s) return LAVDM_ERROR_MEMORY;
  for (int64_t c = 0; c < count; c++)
    for (int64_t a = 0; a < q; a++)
      for (int64_t b = 0; b < q; b++)
        s[(a * count + c) * q + b] = (real_t)edges->block[((begin + c) * q + a) * q + b];
  out->s = s;
  return 0;
}

graph_t REAL(graph_of_edges)(const bsr_t *edges, const int64_t *first) {
  return (graph_t){.n = edges->rows,
                   .m = edges->cols,
                   .q = edges->q,
                   .tiles = edges->rows,
                   .first = first,
                   .tile = tile_of_edges,
                   .given = edges};
}
