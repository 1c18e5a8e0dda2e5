/*
 * 1. Per run of objects, blocks of references are compared with all of them; each
 *    object keeps the nearest seen so far (steer/near.h) and those within its radius.
 * 2. Weights and elements of what was kept, as rows of the stored graph.
 * 3. Between the objects themselves: the union with the transpose, where the element
 *    of a pair is that of the object with the lower number.
 */
#include "graph/turned.h"

#include "base/memory.h"
#include "graph/graph.h"
#include "steer/near.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Objects and references that are compared at a time. */
enum { ROWS = 16, COLS = 128 };

/* Share of the two squared norms that rounding may take from a squared distance. */
#define ROUNDING (8 * (double)REAL_EPSILON)

/* The nearest references of an object, and those within its radius. */
typedef struct {
  near_list near;
  near_t *within;
  int64_t inside, room;
} list_t;

/* Scratch of one thread. */
typedef struct {
  near_work work;
  real_t *w;
  near_t *all;
  int64_t room; /* of w and all */
  list_t list[ROWS];
} scratch_t;

/* Rows of the graph: row i has entries start[i] .. start[i+1]-1. */
typedef struct {
  int64_t rows, *start;
  int32_t *col;
  double *weight, *block;
} part_t;

typedef struct {
  const steer_stack *x, *y;
  const turned_rule *rule;
  bool square;
  steer_packed **block; /* COLS references each */
  double *reach2;
  char *alone;
} job_t;

static void scratch_free(scratch_t *s, int threads) {
  for (int t = 0; s && t < threads; t++) {
    REAL(near_work_free)(&s[t].work);
    mem_free(s[t].w);
    mem_free(s[t].all);
    for (int i = 0; i < ROWS; i++) {
      mem_free(s[t].list[i].near.near);
      mem_free(s[t].list[i].within);
    }
  }
  mem_free(s);
}

/* References by blocks of COLS: cols[0..count) of y, or the first if NULL. */
static void blocks_free(steer_packed **block, int64_t count) {
  for (int64_t b = 0; block && b < (count + COLS - 1) / COLS; b++) REAL(steer_packed_free)(block[b]);
  mem_free(block);
}

static steer_packed **blocks_new(const steer_stack *y, const int64_t *cols, int64_t count) {
  int64_t own[COLS];
  steer_packed **block = NEW(steer_packed *, (count + COLS - 1) / COLS);
  for (int64_t from = 0; block && from < count; from += COLS) {
    int64_t some = count - from < COLS ? count - from : COLS;
    for (int64_t c = 0; c < some; c++) own[c] = cols ? cols[from + c] : from + c;
    block[from / COLS] = REAL(steer_pack)(y, own, some);
    if (block[from / COLS]) continue;
    blocks_free(block, count);
    return NULL;
  }
  return block;
}

/* k: how many nearest each object keeps; 0: distances are all that is wanted. */
static scratch_t *scratch_new(int threads, const steer_bands *bands, bool reflections, int64_t k) {
  scratch_t *s = NEW(scratch_t, threads);
  bool whole = s != NULL;
  for (int t = 0; whole && t < threads; t++) {
    whole = REAL(near_work_new)(&s[t].work, bands, ROWS, COLS, reflections);
    for (int i = 0; i < ROWS && k > 0 && whole; i++) {
      s[t].list[i].near = (near_list){.near = NEW(near_t, k), .size = k};
      whole = s[t].list[i].near.near != NULL;
    }
  }
  if (whole) return s;
  scratch_free(s, threads);
  return NULL;
}

/* ------------------------------------------------------------------ keeping */

static int keep_within(list_t *list, const near_t *found) {
  if (list->inside == list->room) {
    int64_t room = 2 * list->room + 16;
    near_t *grown = RESIZE(near_t, list->within, room);
    if (!grown) return LAVDM_ERROR_MEMORY;
    list->within = grown;
    list->room = room;
  }
  list->within[list->inside++] = *found;
  return 0;
}

/* The squared radius around reference c, as far as object i is concerned. */
static double radius2(const job_t *job, int64_t i, int64_t c) {
  const turned_rule *rule = job->rule;
  if (rule->edges != LAVDM_EDGES_KNN) return rule->kernel.radius * rule->kernel.radius;
  return rule->reach2 ? rule->reach2[c] * (1 + ROUNDING) + ROUNDING * (job->x->norm2[i] + job->y->norm2[c])
                      : -1;
}

/* Beyond this object i, whose list it is, keeps no reference from .. from+count-1. */
static double limit2(const job_t *job, const list_t *list, int64_t i, int64_t from, int64_t count) {
  bool knn = job->rule->edges == LAVDM_EDGES_KNN;
  double limit = REAL(near_limit)(&list->near);
  if (!knn)
    return fmax(list->inside ? -1 : limit, radius2(job, i, from)); /* else the nearest may be needed */
  for (int64_t c = from; c < from + count && job->rule->reach2 && limit < INFINITY; c++)
    limit = fmax(limit, radius2(job, i, c));
  return limit;
}

static int compare_block(const job_t *job, int64_t first, int64_t rows, int64_t from, int64_t count,
                         scratch_t *s) {
  bool knn = job->rule->edges == LAVDM_EDGES_KNN;
  double limit[ROWS];
  for (int64_t i = 0; i < rows; i++) limit[i] = limit2(job, &s->list[i], first + i, from, count);
  REAL(near_match)(job->x, first, rows, job->block[from / COLS], limit, &s->work);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t c = 0; c < count; c++) {
      int64_t col = from + c;
      near_t found = REAL(near_pair)(&s->work, i * count + c, col);
      bool self = job->square && col == first + i;
      if (self) found = (near_t){.index = col}; /* the identity, at no distance */
      if (!((double)found.d2 <= limit[i]) && !self) continue;
      if (!self || !knn) REAL(near_offer)(&s->list[i].near, found);
      bool inside = self || (double)found.d2 <= radius2(job, first + i, col);
      if (inside && keep_within(&s->list[i], &found) < 0) return LAVDM_ERROR_MEMORY;
    }
  return 0;
}

/* ------------------------------------------------------------------ weights */

static int by_column(const void *a, const void *b) {
  const near_t *x = a, *y = b;
  return (x->index > y->index) - (x->index < y->index);
}

/* What object i keeps, in ascending columns, with weights; returns how many. */
static int64_t weigh(const job_t *job, int64_t i, const list_t *list, scratch_t *s) {
  const turned_rule *rule = job->rule;
  bool knn = rule->edges == LAVDM_EDGES_KNN, far = false;
  int64_t most = list->near.count + list->inside, count = 0, kept = 0, seen = 0;
  if (!s->all || most > s->room) {
    mem_free(s->all);
    mem_free(s->w);
    s->all = NEW(near_t, 2 * most);
    s->w = NEW(real_t, 4 * most);
    s->room = 2 * most;
    if (!s->all || !s->w) return LAVDM_ERROR_MEMORY;
  }
  real_t *w = s->w, *d2 = s->w + most;
  for (int64_t e = 0; e < list->inside; e++) s->all[count++] = list->within[e];
  for (int64_t e = 0; (knn || !list->inside) && e < list->near.count; e++)
    s->all[count++] = list->near.near[e];
  for (int pass = 0; pass < 2 && !kept; pass++, far = true) {
    qsort(s->all, (size_t)count, sizeof *s->all, by_column);
    seen = 0;
    for (int64_t e = 0; e < count; e++)
      if (!seen || s->all[e].index != s->all[seen - 1].index) s->all[seen++] = s->all[e];
    for (int64_t e = 0; e < seen; e++) d2[e] = s->all[e].d2;
    REAL(kernel_weights)(&rule->kernel, far, d2, seen, w);
    for (int64_t e = 0; e < seen; e++) {
      if (!(w[e] > 0)) continue;
      s->all[kept] = s->all[e];
      w[kept++] = w[e];
    }
    count = 0; /* nothing is within the radius: the nearest are next */
    for (int64_t e = 0; !kept && !pass && e < list->near.count; e++) s->all[count++] = list->near.near[e];
    near_list nearest = {s->all, count, count};
    while (!kept && !pass && nearest.count > FAR_LANDMARKS) REAL(near_drop)(&nearest);
    count = nearest.count;
    if (kept && far && job->alone) job->alone[i] = 1;
  }
  return kept;
}

static void element(const near_t *found, double w, int64_t q, double *block) {
  if (q == 1) {
    block[0] = w;
    return;
  }
  double c = w * cos((double)found->angle), s = w * sin((double)found->angle),
         sign = found->reflected ? -1 : 1;
  block[0] = c;
  block[1] = -sign * s;
  block[2] = s;
  block[3] = sign * c;
}

static int store_row(const job_t *job, int64_t i, int64_t row, const list_t *list, scratch_t *s,
                     part_t *out) {
  int64_t q = job->rule->q, count = weigh(job, i, list, s), at = out->start[row], total = at + count;
  if (count < 0) return LAVDM_ERROR_MEMORY;
  out->start[row + 1] = total;
  if (!count) return 0;
  int32_t *col = RESIZE(int32_t, out->col, total);
  if (col) out->col = col;
  double *weight = RESIZE(double, out->weight, total);
  if (weight) out->weight = weight;
  double *block = RESIZE(double, out->block, total *q *q);
  if (block) out->block = block;
  if (!col || !weight || !block) return LAVDM_ERROR_MEMORY;
  for (int64_t e = 0; e < count; e++) {
    col[at + e] = (int32_t)s->all[e].index;
    weight[at + e] = (double)s->w[e];
    element(&s->all[e], (double)s->w[e], q, block + (at + e) * q * q);
  }
  return 0;
}

static int make_part(const job_t *job, int64_t first, int64_t rows, scratch_t *s, part_t *out) {
  int64_t m = job->y->n;
  int status = 0;
  out->rows = rows;
  out->start = NEW(int64_t, rows + 1);
  if (!out->start) return LAVDM_ERROR_MEMORY;
  for (int64_t i = 0; i < rows; i++) s->list[i].near.count = s->list[i].inside = 0;
  for (int64_t from = 0; from < m && !status; from += COLS)
    status = compare_block(job, first, rows, from, m - from < COLS ? m - from : COLS, s);
  for (int64_t i = 0; i < rows && !status; i++) {
    list_t *list = &s->list[i];
    if (job->reach2) job->reach2[first + i] = list->near.count ? (double)list->near.near[0].d2 : 0;
    status = store_row(job, first + i, i, list, s, out);
  }
  return status;
}

/* --------------------------------------------------------------- all of them */

static void part_free(part_t *part) {
  mem_free(part->start);
  mem_free(part->col);
  mem_free(part->weight);
  mem_free(part->block);
  *part = (part_t){0};
}

/* The parts below each other; they are lost. */
static int gather(run_t *run, part_t *parts, int64_t count, const job_t *job, bsr_t *out) {
  int64_t total = 0, q = job->rule->q;
  for (int64_t t = 0; t < count; t++) total += parts[t].start[parts[t].rows];
  int status = bsr_new(run, job->x->n, job->y->n, q, total, true, out);
  if (status < 0) return status;
  for (int64_t t = 0, at = 0, row = 0; t < count; t++) {
    part_t *one = &parts[t];
    size_t entries = (size_t)one->start[one->rows];
    for (int64_t i = 0; i < one->rows; i++) out->start[row + i + 1] = at + one->start[i + 1];
    if (entries) {
      memcpy(out->col + at, one->col, entries * sizeof *out->col);
      memcpy(out->weight + at, one->weight, entries * sizeof *out->weight);
      memcpy(out->block + at * q * q, one->block, entries * (size_t)(q * q) * sizeof *out->block);
    }
    row += one->rows;
    at += (int64_t)entries;
    part_free(one);
  }
  return LAVDM_OK;
}

static int build(run_t *run, job_t *job, bsr_t *out) {
  const turned_rule *rule = job->rule;
  int64_t n = job->x->n, m = job->y->n, count = (n + ROWS - 1) / ROWS;
  int64_t k = rule->edges == LAVDM_EDGES_KNN ? rule->k : FAR_LANDMARKS;
  memset(out, 0, sizeof *out);
  k = k < 1 ? 1 : k < m ? k : m;
  part_t *parts = NEW(part_t, count);
  scratch_t *scratch = scratch_new(run->threads, job->x->bands, rule->reflections, k);
  job->block = blocks_new(job->y, NULL, m);
  int status = parts && scratch && job->block ? 0 : LAVDM_ERROR_MEMORY, before = blas_threads(1);
  if (!status) {
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 1) reduction(min : status)
    for (int64_t t = 0; t < count; t++) {
      if (run_stopped(run, t, count) || status < 0) continue;
      int64_t first = t * ROWS, rows = n - first < ROWS ? n - first : ROWS;
      status = make_part(job, first, rows, &scratch[omp_get_thread_num()], &parts[t]);
    }
  }
  blas_threads(before);
  scratch_free(scratch, run->threads);
  blocks_free(job->block, m);
  status = status < 0 ? fail_memory(run->error, "the connection graph") : run_status(run);
  if (!status) status = gather(run, parts, count, job, out);
  for (int64_t t = 0; parts && t < count; t++) part_free(&parts[t]);
  mem_free(parts);
  return status;
}

int REAL(turned_build)(run_t *run, const steer_stack *x, const steer_stack *y, const turned_rule *rule,
                       bsr_t *out, char *alone) {
  job_t job = {.x = x, .y = y, .rule = rule, .alone = alone};
  return build(run, &job, out);
}

/* ------------------------------------------------------------------ symmetry */

/* Row i of the union of g with its transpose, whose edges of row i are from[start[i]] ..; written to
 * `out` if it has room. Returns how many there are. */
static int64_t merge_row(const bsr_t *g, const int64_t *start, const int64_t *from, const int32_t *row,
                         int64_t i, bsr_t *out) {
  int64_t x = g->start[i], y = start[i], q = g->q, count = 0;
  while (x < g->start[i + 1] || y < start[i + 1]) {
    int32_t a = x < g->start[i + 1] ? g->col[x] : INT32_MAX, b = y < start[i + 1] ? row[y] : INT32_MAX;
    int32_t c = a < b ? a : b;
    bool own = a < b || (a == b && i <= c);
    int64_t e = own ? x : from[y];
    if (out) {
      int64_t at = out->start[i] + count;
      out->col[at] = c;
      out->weight[at] = g->weight[e];
      for (int64_t k = 0; k < q; k++)
        for (int64_t l = 0; l < q; l++)
          out->block[(at * q + k) * q + l] = g->block[(e * q + (own ? k : l)) * q + (own ? l : k)];
    }
    count++;
    x += a == c;
    y += b == c;
  }
  return count;
}

static int symmetrise(run_t *run, const bsr_t *g, bsr_t *out) {
  int64_t n = g->rows, edges = g->start[n], total = 0;
  int64_t *start = NEW(int64_t, n + 2), *from = NEW(int64_t, edges);
  int32_t *row = NEW(int32_t, edges);
  int status = start && from && row ? LAVDM_OK : fail_memory(run->error, "the connection graph");
  if (!status) {
    for (int64_t e = 0; e < edges; e++) start[g->col[e] + 2]++;
    for (int64_t i = 0; i < n; i++) start[i + 2] += start[i + 1];
    for (int64_t i = 0; i < n; i++)
      for (int64_t e = g->start[i]; e < g->start[i + 1]; e++) {
        int64_t at = start[g->col[e] + 1]++;
        from[at] = e;
        row[at] = (int32_t)i;
      }
    for (int64_t i = 0; i < n; i++) total += merge_row(g, start, from, row, i, NULL);
    status = bsr_new(run, n, n, g->q, total, true, out);
  }
  for (int64_t i = 0; i < n && !status; i++)
    out->start[i + 1] = out->start[i] + merge_row(g, start, from, row, i, out);
  mem_free(start);
  mem_free(from);
  mem_free(row);
  return status;
}

int REAL(turned_square)(run_t *run, const steer_stack *x, const turned_rule *rule, double *reach2,
                        bsr_t *out) {
  job_t job = {.x = x, .y = x, .rule = rule, .square = true, .reach2 = reach2};
  bsr_t directed;
  memset(out, 0, sizeof *out);
  int status = build(run, &job, &directed);
  if (!status) status = symmetrise(run, &directed, out);
  bsr_free(&directed);
  return status;
}

int REAL(turned_distances)(run_t *run, const steer_stack *x, const steer_stack *y, const int64_t *cols,
                           int64_t count, bool reflections, real_t *d2) {
  scratch_t *scratch = scratch_new(run->threads, x->bands, reflections, 0);
  steer_packed **block = blocks_new(y, cols, count);
  int status = scratch && block ? LAVDM_OK : fail_memory(run->error, "the distances"),
      before = blas_threads(1);
  if (!status) {
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 1)
    for (int64_t first = 0; first < x->n; first += ROWS) {
      scratch_t *s = &scratch[omp_get_thread_num()];
      int64_t rows = x->n - first < ROWS ? x->n - first : ROWS;
      for (int64_t from = 0; from < count && !run_stopped(run, first, x->n); from += COLS) {
        int64_t width = count - from < COLS ? count - from : COLS;
        REAL(near_match)(x, first, rows, block[from / COLS], NULL, &s->work);
        for (int64_t i = 0; i < rows; i++)
          for (int64_t c = 0; c < width; c++)
            d2[(first + i) * count + from + c] = REAL(near_pair)(&s->work, i * width + c, c).d2;
      }
    }
  }
  blas_threads(before);
  scratch_free(scratch, run->threads);
  blocks_free(block, count);
  return status < 0 ? status : run_status(run);
}
