/*
 * 1. Per tile, the neighbours of its points: columns and weights of each row.
 * 2. For k-NN, the union of this directed graph with its transpose.
 * 3. Blocks above the diagonal from the source, those below by transposition.
 */
#include "graph/square.h"

#include "base/memory.h"
#include "neighbours/neighbours.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Rows of a tile: row i has columns col[start[i] .. start[i+1]-1], ascending. */
typedef struct {
  int64_t rows, *start;
  int32_t *col;
  real_t *w;
} part;

static void parts_free(part *parts, int64_t count) {
  for (int64_t t = 0; parts && t < count; t++) {
    mem_free(parts[t].start);
    mem_free(parts[t].col);
    mem_free(parts[t].w);
  }
  mem_free(parts);
}

/* Weights of the rows from `first` on, whose bandwidths are their own. */
static int local_weights(const widths_t *local, int64_t first, int64_t rows, const int64_t *start,
                         const int64_t *index, const real_t *d2, const kernel_t *kernel, real_t *w) {
  real_t *scaled = NEW(real_t, start[rows]);
  if (!scaled) return LAVDM_ERROR_MEMORY;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t e = start[i]; e < start[i + 1]; e++)
      scaled[e] = (real_t)((double)d2[e] / (local->rho[first + i] * local->references[index[e]]));
  REAL(kernel_weights)(kernel, false, scaled, start[rows], w);
  mem_free(scaled);
  return 0;
}

/* Keeps the entries with a positive weight; `first`: the row 0 of the part, for local bandwidths. */
static int fill_part(part *out, int64_t first, int64_t rows, const int64_t *start, const int64_t *index,
                     const real_t *d2, const kernel_t *kernel, const widths_t *local) {
  int64_t total = start[rows];
  out->rows = rows;
  out->start = NEW(int64_t, rows + 1);
  out->col = NEW(int32_t, total);
  out->w = NEW(real_t, total);
  if (!out->start || !out->col || !out->w) return LAVDM_ERROR_MEMORY;
  if (!local)
    REAL(kernel_weights)(kernel, false, d2, total, out->w);
  else if (local_weights(local, first, rows, start, index, d2, kernel, out->w) < 0)
    return LAVDM_ERROR_MEMORY;
  int64_t kept = 0;
  for (int64_t i = 0; i < rows; i++) {
    for (int64_t e = start[i]; e < start[i + 1]; e++)
      if (out->w[e] > 0) {
        out->col[kept] = (int32_t)index[e];
        out->w[kept++] = out->w[e];
      }
    out->start[i + 1] = kept;
  }
  return 0;
}

typedef struct {
  int64_t index;
  real_t d2;
} found_t;

static int by_index(const void *a, const void *b) {
  const found_t *x = a, *y = b;
  return (x->index > y->index) - (x->index < y->index);
}

/* Scratch of one thread. */
typedef struct {
  neighbour_work *search;
  int64_t *start, *index;
  real_t *d2;
  found_t *sorted;
} scratch_t;

static void scratch_free(scratch_t *s, int threads) {
  for (int t = 0; s && t < threads; t++) {
    REAL(neighbour_work_free)(s[t].search);
    mem_free(s[t].start);
    mem_free(s[t].index);
    mem_free(s[t].d2);
    mem_free(s[t].sorted);
  }
  mem_free(s);
}

static scratch_t *scratch_new(int threads, int64_t batch, int64_t k) {
  scratch_t *s = NEW(scratch_t, threads);
  bool whole = s != NULL;
  for (int t = 0; whole && t < threads; t++) {
    s[t].search = REAL(neighbour_work_new)();
    s[t].start = NEW(int64_t, batch + 1);
    s[t].index = NEW(int64_t, batch * k);
    s[t].d2 = NEW(real_t, batch * k);
    s[t].sorted = NEW(found_t, k);
    whole = s[t].search && s[t].start && s[t].index && s[t].d2 && s[t].sorted;
  }
  if (whole) return s;
  scratch_free(s, threads);
  return NULL;
}

/* How far the rows of a part look: of two points the one with the larger bandwidth finds the other. */
static double local_radius(const widths_t *local, int64_t first, int64_t rows, double radius) {
  double most = 0;
  for (int64_t i = first; i < first + rows; i++) most = fmax(most, local->rho[i]);
  return radius * most * (1 + 16 * (double)REAL_EPSILON);
}

static int find_part(const tiles_t *points, const tiles_t *among, int64_t t, const kernel_t *kernel,
                     const widths_t *local, lavdm_edge_rule rule, int64_t k, scratch_t *s, part *out) {
  int64_t first = points->first[t], rows = points->first[t + 1] - first;
  const real_t *x = points->x + first * points->p, *d2 = s->d2;
  const int64_t *index = s->index;
  double radius = local ? local_radius(local, first, rows, kernel->radius) : kernel->radius;
  if (rule == LAVDM_EDGES_KNN) {
    if (REAL(nearest)(among, x, rows, k, s->search, s->index, s->d2) < 0) return LAVDM_ERROR_MEMORY;
    for (int64_t i = 0; i < rows; i++) {
      for (int64_t j = 0; j < k; j++) s->sorted[j] = (found_t){s->index[i * k + j], s->d2[i * k + j]};
      qsort(s->sorted, (size_t)k, sizeof *s->sorted, by_index);
      for (int64_t j = 0; j < k; j++)
        s->index[i * k + j] = s->sorted[j].index, s->d2[i * k + j] = s->sorted[j].d2;
      s->start[i + 1] = (i + 1) * k;
    }
  } else if (REAL(within)(among, x, rows, radius, s->search, s->start, &index, &d2) < 0) {
    return LAVDM_ERROR_MEMORY;
  }
  return fill_part(out, first, rows, s->start, index, d2, kernel, local);
}

static int find_parts(run_t *run, const tiles_t *points, const tiles_t *among, const kernel_t *kernel,
                      const widths_t *local, lavdm_edge_rule rule, int64_t k, part *parts) {
  int64_t batch = 1;
  for (int64_t t = 0; t < points->tiles; t++)
    if (points->first[t + 1] - points->first[t] > batch) batch = points->first[t + 1] - points->first[t];
  scratch_t *scratch = scratch_new(run->threads, batch, rule == LAVDM_EDGES_KNN ? k : 1);
  if (!scratch) return fail_memory(run->error, "the neighbours");
  int status = 0, before = blas_threads(1);
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 8) reduction(min : status)
  for (int64_t t = 0; t < points->tiles; t++) {
    if (run_stopped(run, t, points->tiles) || status < 0) continue;
    status = find_part(points, among, t, kernel, local, rule, k, &scratch[omp_get_thread_num()], &parts[t]);
  }
  blas_threads(before);
  scratch_free(scratch, run->threads);
  if (status < 0) return fail_memory(run->error, "the neighbours");
  return run_status(run);
}

/* The parts below each other: a directed graph with weights, no blocks. */
static int gather(run_t *run, const part *parts, const tiles_t *points, int64_t cols, bsr_t *out) {
  int64_t total = 0;
  for (int64_t t = 0; t < points->tiles; t++) total += parts[t].start[parts[t].rows];
  int status = bsr_new(run, points->n, cols, 0, total, true, out);
  if (status < 0) return status;
  for (int64_t t = 0, at = 0; t < points->tiles; t++) {
    const part *one = &parts[t];
    int64_t count = one->start[one->rows];
    memcpy(out->col + at, one->col, (size_t)count * sizeof *out->col);
    for (int64_t e = 0; e < count; e++) out->weight[at + e] = (double)one->w[e];
    for (int64_t i = 0; i < one->rows; i++) out->start[points->first[t] + i + 1] = at + one->start[i + 1];
    at += count;
  }
  return LAVDM_OK;
}

static int transpose(run_t *run, const bsr_t *in, bsr_t *out) {
  int64_t n = in->rows;
  int status = bsr_new(run, n, n, 0, in->start[n], true, out);
  if (status < 0) return status;
  for (int64_t e = 0; e < in->start[n]; e++) out->start[in->col[e] + 1]++;
  for (int64_t i = 0; i < n; i++) out->start[i + 1] += out->start[i];
  for (int64_t i = 0; i < n; i++)
    for (int64_t e = in->start[i]; e < in->start[i + 1]; e++) {
      int64_t at = out->start[in->col[e]]++;
      out->col[at] = (int32_t)i;
      out->weight[at] = in->weight[e];
    }
  memmove(out->start + 1, out->start,
          (size_t)n * sizeof *out->start); /* each was moved to the next row's start */
  out->start[0] = 0;
  return LAVDM_OK;
}

/* Row i of the union of a and b: written at col/w if they are not NULL. Returns its length. */
static int64_t merge_row(const bsr_t *a, const bsr_t *b, int64_t i, int32_t *col, double *w) {
  int64_t x = a->start[i], y = b->start[i], count = 0;
  while (x < a->start[i + 1] || y < b->start[i + 1]) {
    bool from_a = y == b->start[i + 1] || (x < a->start[i + 1] && a->col[x] <= b->col[y]);
    int32_t c = from_a ? a->col[x] : b->col[y];
    if (col) col[count] = c, w[count] = from_a ? a->weight[x] : b->weight[y];
    count++;
    if (x < a->start[i + 1] && a->col[x] == c) x++;
    if (y < b->start[i + 1] && b->col[y] == c) y++;
  }
  return count;
}

/* out = in or in', with room for blocks of size q. */
static int symmetrise(run_t *run, const bsr_t *in, int64_t q, bsr_t *out) {
  bsr_t turned;
  int status = transpose(run, in, &turned);
  if (status < 0) return status;
  int64_t n = in->rows, total = 0;
  for (int64_t i = 0; i < n; i++) total += merge_row(in, &turned, i, NULL, NULL);
  status = bsr_new(run, n, n, q, total, true, out);
  for (int64_t i = 0; !status && i < n; i++)
    out->start[i + 1] =
        out->start[i] + merge_row(in, &turned, i, out->col + out->start[i], out->weight + out->start[i]);
  bsr_free(&turned);
  return status;
}

/* Blocks (i,k), k >= self, of one row, which is column `self`. */
static int64_t upper_blocks(const source_t *source, const bsr_t *g, int64_t i, int64_t self, int64_t *cols,
                            real_t *s, real_t *scratch) {
  int64_t q = g->q, e = g->start[i], end = g->start[i + 1];
  while (e < end && g->col[e] < self) e++;
  int64_t count = end - e;
  if (!count) return 0;
  for (int64_t c = 0; c < count; c++) cols[c] = g->col[e + c];
  real_t *w = scratch + source->scratch(source, 1, count);
  for (int64_t c = 0; c < count; c++) w[c] = (real_t)g->weight[e + c];
  int64_t ill = source->elements(source, self, 1, cols, count, w, s, scratch);
  for (int64_t c = 0; c < count; c++)
    for (int64_t a = 0; a < q; a++)
      for (int64_t b = 0; b < q; b++) g->block[((e + c) * q + a) * q + b] = s[(a * count + c) * q + b];
  if (cols[0] == self) /* a point is joined to itself by the identity */
    for (int64_t a = 0; a < q; a++)
      for (int64_t b = 0; b < q; b++) g->block[(e * q + a) * q + b] = a == b ? g->weight[e] : 0;
  return ill;
}

static void lower_blocks(const bsr_t *g, int64_t i) {
  int64_t q = g->q;
  for (int64_t e = g->start[i]; e < g->start[i + 1] && g->col[e] < i; e++) {
    const double *from = g->block + bsr_find(g, g->col[e], i) * q * q;
    for (int64_t a = 0; a < q; a++)
      for (int64_t b = 0; b < q; b++) g->block[(e * q + a) * q + b] = from[b * q + a];
  }
}

int REAL(square_blocks)(run_t *run, const source_t *source, const int64_t *place, bsr_t *g, int64_t *ill) {
  int64_t n = g->rows, q = g->q, widest = 1, found = 0;
  if (!source->elements) {
    memcpy(g->block, g->weight, (size_t)g->start[n] * sizeof *g->block);
    return LAVDM_OK;
  }
  for (int64_t i = 0; i < n; i++)
    if (g->start[i + 1] - g->start[i] > widest) widest = g->start[i + 1] - g->start[i];
  int64_t size = widest * q * q + source->scratch(source, 1, widest) + widest;
  int64_t *cols = NEW(int64_t, run->threads * widest);
  real_t *space = NEW(real_t, run->threads * size);
  if (!cols || !space) {
    mem_free(cols);
    mem_free(space);
    return fail_memory(run->error, "the connection graph");
  }
  int before = blas_threads(1);
#pragma omp parallel num_threads(run->threads)
  {
    int64_t *my_cols = cols + omp_get_thread_num() * widest;
    real_t *mine = space + omp_get_thread_num() * size;
#pragma omp for schedule(dynamic, 64) reduction(+ : found)
    for (int64_t i = 0; i < n; i++)
      if (!run_stopped(run, i, n))
        found += upper_blocks(source, g, i, place ? place[i] : i, my_cols, mine, mine + widest * q * q);
#pragma omp for schedule(dynamic, 64)
    for (int64_t i = 0; i < n; i++)
      if (!place && !run_stopped(run, n, n)) lower_blocks(g, i);
  }
  blas_threads(before);
  mem_free(cols);
  mem_free(space);
  *ill = found;
  return run_status(run);
}

int REAL(square_directed)(run_t *run, const tiles_t *points, const tiles_t *among, const kernel_t *kernel,
                          const widths_t *local, lavdm_edge_rule rule, int64_t k, bsr_t *out) {
  memset(out, 0, sizeof *out);
  part *parts = NEW(part, points->tiles);
  if (!parts) return fail_memory(run->error, "the neighbours");
  k = k + 1 < among->n ? k + 1 : among->n; /* the point itself is one of those found */
  int status = find_parts(run, points, among, kernel, local, rule, k, parts);
  if (!status) status = gather(run, parts, points, among->n, out);
  parts_free(parts, points->tiles);
  return status;
}

int REAL(square_build)(run_t *run, const tiles_t *points, const source_t *source, const kernel_t *kernel,
                       const widths_t *local, lavdm_edge_rule rule, int64_t k, bsr_t *out, int64_t *ill) {
  memset(out, 0, sizeof *out);
  *ill = 0;
  bsr_t directed;
  int status = REAL(square_directed)(run, points, points, kernel, local, rule, k, &directed);
  if (!status) status = symmetrise(run, &directed, source->q, out);
  bsr_free(&directed);
  if (!status) status = REAL(square_blocks)(run, source, NULL, out, ill);
  if (status < 0) bsr_free(out);
  return status;
}
