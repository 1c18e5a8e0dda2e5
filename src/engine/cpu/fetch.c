/* Rows as the pipeline sees them: in the order of the data. */
#include "base/arrange.h"
#include "base/sort.h"
#include "engine/cpu/cpu.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

int REAL(cpu_arrange)(run_t *run, const cpu_rows *rows, size_t width, const void *made, void *out) {
  return arrange_rows(run, rows->order, rows->base.n, width, made, out);
}

/* ----------------------------------------------------------- eigenvectors */

/* u[i] = D_i^-1/2 v[i], in the order of the data or, if `stored`, as they lie. */
static void square_fields(const cpu_rows *rows, bool stored, real_t *u) {
  int64_t width = rows->matrix.sparse.q * rows->r;
  for (int64_t i = 0; i < rows->base.n; i++) {
    double factor = rows->degree[i] > 0 ? 1 / sqrt(rows->degree[i]) : 0;
    real_t *to = u + (stored ? i : rows->order[i]) * width;
    for (int64_t j = 0; j < width; j++) to[j] = (real_t)(factor * rows->vectors[i * width + j]);
  }
}

static int64_t field_width(const cpu_rows *rows) {
  return (rows->v ? rows->graph.q : rows->matrix.sparse.q) * rows->r;
}

/* All of them in stored order, made once. */
static int make_fields(run_t *run, cpu_rows *rows) {
  if (rows->fields) return LAVDM_OK;
  rows->fields = LARGE(&run->large, real_t, rows->base.n * field_width(rows));
  if (!rows->fields) return fail_memory(run->error, "the eigenvectors");
  if (rows->v)
    return REAL(gram_fields)(run, &rows->graph, &rows->scaling, rows->v, rows->values, rows->r, NULL,
                             rows->fields);
  square_fields(rows, true, rows->fields);
  return LAVDM_OK;
}

/* All of them, straight to where they go; in a streamed run as they are stored, and then in order. */
static int all_fields(run_t *run, cpu_rows *rows, real_t *out) {
  if (!rows->v) return square_fields(rows, false, out), LAVDM_OK;
  if (!run->large.files)
    return REAL(gram_fields)(run, &rows->graph, &rows->scaling, rows->v, rows->values, rows->r, rows->order,
                             out);
  int status = make_fields(run, rows);
  if (!status)
    status = REAL(cpu_arrange)(run, rows, (size_t)field_width(rows) * sizeof *out, rows->fields, out);
  large_free(rows->fields);
  rows->fields = NULL;
  return status;
}

/* ----------------------------------------------------------------- frames */

/* Frames of d rows of p numbers (stored) to p rows of d, or back. */
static void transpose(const real_t *from, int64_t rows, int64_t cols, real_t *to) {
  for (int64_t j = 0; j < cols; j++)
    for (int64_t a = 0; a < rows; a++) to[j * rows + a] = from[a * cols + j];
}

/* Every frame in its place. */
static int transpose_all(run_t *run, frames_t *frames, int64_t rows, int64_t cols) {
  enum { TICK = 1 << 14 };
  int64_t size = rows * cols;
  real_t *space = NEW(real_t, run->threads * size);
  if (!space) return fail_memory(run->error, "the frames");
#pragma omp parallel for num_threads(run->threads) schedule(static)
  for (int64_t first = 0; first < frames->n; first += TICK) {
    if (run_stopped(run, first, 2 * frames->n)) continue;
    real_t *own = space + omp_get_thread_num() * size;
    for (int64_t i = first; i < first + TICK && i < frames->n; i++) {
      transpose(frames->b + i * size, rows, cols, own);
      memcpy(frames->b + i * size, own, (size_t)size * sizeof *own);
    }
  }
  mem_free(space);
  return run_status(run);
}

static int all_frames(run_t *run, cpu_rows *rows, real_t *out) {
  frames_t *frames = &rows->frames;
  int64_t p = frames->p, d = frames->d, size = p * d;
  if (!run->large.files) {
#pragma omp parallel for num_threads(run->threads) schedule(static)
    for (int64_t i = 0; i < frames->n; i++)
      transpose(frames->b + i * size, d, p, out + rows->order[i] * size);
    return run_status(run);
  }
  int status = transpose_all(run, frames, d, p);
  if (!status) status = REAL(cpu_arrange)(run, rows, (size_t)size * sizeof *out, frames->b, out);
  return status < 0 ? status : transpose_all(run, frames, p, d);
}

/* ------------------------------------------------------------- some rows */

/* Where rows lie: in stored order, `width` bytes each; false if there are none. */
static bool stored(const cpu_rows *rows, rows_what what, const void **from, size_t *width) {
  int64_t p = rows->base.p;
  const void *square = rows->components.label;
  switch (what) {
  case ROWS_POINTS:
    *from = rows->tiles.x, *width = (size_t)p * sizeof(real_t);
    break;
  case ROWS_FRAMES:
    *from = rows->frames.b, *width = (size_t)(p * rows->frames.d) * sizeof(real_t);
    break;
  case ROWS_DENSITIES:
    *from = rows->densities, *width = sizeof(double);
    break;
  case ROWS_DEGREES:
    *from = rows->degree ? rows->degree : rows->scaling.degree, *width = sizeof(double);
    break;
  case ROWS_COMPONENTS:
    *from = square ? square : rows->scaling.components.label, *width = sizeof(int64_t);
    break;
  case ROWS_VECTORS:
    *from = rows->vectors, *width = (size_t)(rows->matrix.sparse.q * rows->r) * sizeof(double);
    break;
  case ROWS_FIELDS:
    *from = rows->fields, *width = (size_t)field_width(rows) * sizeof(real_t);
    break;
  case ROWS_NODES:
    *from = rows->given.row_node, *width = sizeof(int64_t);
    break;
  case ROWS_COEFFICIENTS:
    *from = rows->stack.value, *width = (size_t)p * sizeof(real_t);
    break;
  default:
    return false;
  }
  return *from != NULL;
}

/* One row to where it goes. */
static void copy_row(const cpu_rows *rows, rows_what what, const void *from, size_t width, void *to) {
  if (what == ROWS_FRAMES)
    transpose(from, rows->frames.d, rows->frames.p, to);
  else
    memcpy(to, from, width);
}

typedef struct {
  int64_t row, k;
} wanted_t;

static int by_row(const void *a, const void *b) {
  const wanted_t *x = a, *y = b;
  return x->row != y->row ? (x->row > y->row) - (x->row < y->row) : (x->k > y->k) - (x->k < y->k);
}

/* The first of the sorted `wanted` whose row is not below `row`. */
static int64_t find(const wanted_t *wanted, int64_t count, int64_t row) {
  int64_t low = 0, high = count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (wanted[middle].row < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Rows of the data that a list names, or that follow each other. One pass over the order finds them. */
static int some_rows(run_t *run, const cpu_rows *rows, rows_what what, const int64_t *index, int64_t first,
                     int64_t count, char *out) {
  enum { TICK = 1 << 16 };
  const void *data;
  size_t width;
  if (!stored(rows, what, &data, &width))
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "rows lack what was asked for");
  int64_t n = rows->base.n;
  const char *from = data;
  wanted_t *wanted = NEW(wanted_t, index ? count : 0);
  uint64_t *asked = NEW(uint64_t, index ? n / 64 + 1 : 0);
  if (!wanted || !asked) {
    mem_free(wanted);
    mem_free(asked);
    return fail_memory(run->error, "some of the rows");
  }
  for (int64_t k = 0; index && k < count; k++) {
    wanted[k] = (wanted_t){index[k], k};
    asked[index[k] / 64] |= (uint64_t)1 << index[k] % 64;
  }
  if (index) qsort(wanted, (size_t)count, sizeof *wanted, by_row);
  for (int64_t i = 0; i < n; i++) {
    int64_t row = rows->order[i];
    if (i % TICK == 0 && run_stopped(run, i, n)) break;
    if (index ? !(asked[row / 64] >> row % 64 & 1) : row < first || row >= first + count) continue;
    if (!index) copy_row(rows, what, from + (size_t)i * width, width, out + (size_t)(row - first) * width);
    for (int64_t l = index ? find(wanted, count, row) : count; l < count && wanted[l].row == row; l++)
      copy_row(rows, what, from + (size_t)i * width, width, out + (size_t)wanted[l].k * width);
  }
  mem_free(wanted);
  mem_free(asked);
  return run_status(run);
}

/* Points beyond the cut-off of every landmark, which were joined to the nearest. */
static int far_points(cpu_t *cpu, const cpu_rows *rows, int64_t first, int64_t count, real_t *out) {
  if (cpu_is_stack(rows)) return REAL(cpu_stack_far)(cpu, rows, first, count, out);
  run_t *run = cpu->base.run;
  graph_t graph = rows->graph;
  graph.kept = NULL; /* tiles that were kept do not say which rows are alone */
  graph_work **work = REAL(graph_work_new)(1);
  int64_t p = rows->base.p, found = 0;
  int before = blas_threads(1), status = work ? LAVDM_OK : LAVDM_ERROR_MEMORY;
  for (int64_t t = 0; t < graph.tiles && found < first + count && !status; t++) {
    graph_tile tile;
    if (run_stopped(run, t, graph.tiles)) break;
    status = graph.tile(&graph, t, false, work[0], &tile);
    for (int64_t i = 0; !status && tile.alone && i < tile.rows && found < first + count; i++) {
      bool joined = false;
      for (int64_t c = 0; c < tile.count; c++) joined |= tile.w[i * tile.count + c] > 0;
      if (!tile.alone[i] || !joined || found++ < first) continue;
      memcpy(out + (found - 1 - first) * p, rows->tiles.x + (tile.first + i) * p, (size_t)p * sizeof *out);
    }
  }
  blas_threads(before);
  REAL(graph_work_free)(work, 1);
  return status < 0 ? fail_memory(run->error, "the far points") : run_status(run);
}

static int reach(run_t *run, const cpu_rows *rows, int64_t first, int64_t count, double *out) {
  if (!rows->reach2) return fail(run->error, LAVDM_ERROR_ARGUMENT, "rows lack what was asked for");
  for (int64_t i = 0; i < count; i++) out[i] = sqrt(rows->reach2[first + i]);
  return LAVDM_OK;
}

int REAL(cpu_fetch)(engine_t *engine, const rows_t *given, rows_what what, const int64_t *index,
                    int64_t first, int64_t count, void *out) {
  run_t *run = engine->run;
  cpu_rows *rows = (cpu_rows *)given; /* what is made on demand stays with them */
  bool all = !index && first == 0 && count == given->n;
  switch (what) {
  case ROWS_ORDER:
    memcpy(out, rows->order + first, (size_t)count * sizeof(int64_t));
    return LAVDM_OK;
  case ROWS_REFERENCES:
    memcpy(out, rows->given.col_node + first, (size_t)count * sizeof(int64_t));
    return LAVDM_OK;
  case ROWS_FAR:
    return far_points((cpu_t *)engine, rows, first, count, out);
  case ROWS_REACH:
    return reach(run, rows, first, count, out);
  case ROWS_FIELDS:
    if (all) return all_fields(run, rows, out);
    if (make_fields(run, rows) < 0) return LAVDM_ERROR_MEMORY;
    return some_rows(run, rows, what, index, first, count, out);
  case ROWS_FRAMES:
    if (all) return all_frames(run, rows, out);
    return some_rows(run, rows, what, index, first, count, out);
  default: {
    const void *from;
    size_t width;
    if (all && stored(rows, what, &from, &width)) return REAL(cpu_arrange)(run, rows, width, from, out);
    return some_rows(run, rows, what, index, first, count, out);
  }
  }
}

/* ------------------------------------------------------------------- back */

static int put_frames(run_t *run, cpu_rows *rows, const real_t *from) {
  int64_t n = rows->base.n, p = rows->base.p, d = run->options.dim, size = p * d;
  REAL(frames_free)(&rows->frames);
  rows->frames = (frames_t){.n = n, .p = p, .d = d, .b = LARGE(&run->large, real_t, n * size)};
  if (!rows->frames.b) return fail_memory(run->error, "the frames");
  for (int64_t k = 0; k < n; k++) transpose(from + rows->order[k] * size, p, d, rows->frames.b + k * size);
  return LAVDM_OK;
}

static int put_reach(run_t *run, cpu_rows *rows, const double *from) {
  rows->reach2 = NEW(double, rows->base.n);
  if (!rows->reach2) return fail_memory(run->error, "the neighbours");
  for (int64_t i = 0; i < rows->base.n; i++) rows->reach2[i] = from[rows->order[i]] * from[rows->order[i]];
  return LAVDM_OK;
}

static int put_vectors(run_t *run, cpu_rows *rows, const double *from) {
  int64_t width = rows->matrix.sparse.q * run->options.components;
  rows->r = run->options.components;
  mem_free(rows->vectors);
  rows->vectors = NEW(double, rows->base.n *width);
  if (!rows->vectors) return fail_memory(run->error, "the eigenvectors");
  for (int64_t i = 0; i < rows->base.n; i++)
    memcpy(rows->vectors + i * width, from + rows->order[i] * width, (size_t)width * sizeof *from);
  return LAVDM_OK;
}

static int put_weights(run_t *run, cpu_rows *rows, const double *from) {
  rows->weights = NEW(double, rows->base.n);
  if (!rows->weights) return fail_memory(run->error, "the points");
  for (int64_t i = 0; i < rows->base.n; i++) rows->weights[i] = from[rows->order[i]];
  return LAVDM_OK;
}

static int put_references(run_t *run, cpu_rows *rows, const int64_t *index) {
  int status = given_through(run, &rows->given, index, run->options.landmarks);
  rows->base.m = rows->given.graph.cols;
  return status;
}

int REAL(cpu_put)(engine_t *engine, rows_t *given, rows_what what, const void *from) {
  cpu_rows *rows = (cpu_rows *)given;
  if (what == ROWS_FRAMES) return put_frames(engine->run, rows, from);
  if (what == ROWS_REACH) return put_reach(engine->run, rows, from);
  if (what == ROWS_VECTORS) return put_vectors(engine->run, rows, from);
  if (what == ROWS_WEIGHTS) return put_weights(engine->run, rows, from);
  if (what == ROWS_REFERENCES) return put_references(engine->run, rows, from);
  if (what != ROWS_COEFFICIENTS)
    return fail(engine->run->error, LAVDM_ERROR_ARGUMENT, "rows do not take what was given");
  memcpy(rows->stack.value, from, (size_t)(given->n * given->p) * sizeof(real_t));
  REAL(stack_norms)(engine->run, &rows->stack);
  return LAVDM_OK;
}
