/*
 * The operator as blocks, rows and columns in the order of the data:
 *     dm, vdm           N = D^-1/2 S_a D^-1/2, which is stored (operator/square.h): rows and
 *                       columns only change places
 *     roseland, lavdm   A = D^-1/2 D_X^-alpha S D_Z^-beta/2 (operator/scaling.h), tile by tile:
 *                       a first pass counts the blocks of each row, a second one fills them in
 * Pairs that the normalisation takes to zero, those of isolated points, have no block.
 */
#include "operator/blocks_make.h"

#include "base/memory.h"
#include "base/sort.h"

#include <omp.h>
#include <string.h>

/* What is made, and of what. */
typedef struct {
  run_t *run;
  int64_t n, q;
  const int64_t *order;
  blocks_t *out;
  /* square */
  const bsr_t *square;
  const double *degree;
  /* or to landmarks */
  const graph_t *graph;
  const scaling_t *scaling;
  const int64_t *columns;
} job_t;

static int new_rows(job_t *job) {
  job->out->start = LARGE(&job->run->large, int64_t, job->n + 1);
  return job->out->start ? LAVDM_OK : fail_memory(job->run->error, "the operator");
}

/* From the lengths of the rows, in start[i + 1], to their places, and room for the blocks. */
static int place_rows(job_t *job) {
  blocks_t *b = job->out;
  for (int64_t i = 0; i < job->n; i++) b->start[i + 1] += b->start[i];
  b->count = b->start[job->n];
  b->col = LARGE(&job->run->large, int32_t, b->count);
  b->block = LARGE(&job->run->large, double, b->count * job->q * job->q);
  return b->col && b->block ? LAVDM_OK : fail_memory(job->run->error, "the operator");
}

/* ---------------------------------------------------------- dm and vdm */

/* Column in the order of the data above, place in the stored row below: sorting keys sorts the columns. */
static int64_t key_of(int64_t column, int64_t place) {
  return (int64_t)((uint64_t)column << 32 | (uint64_t)place);
}

static int64_t place_of(int64_t key) {
  return key & UINT32_MAX;
}

static int64_t column_of(int64_t key) {
  return key >> 32;
}

/* Keys of the blocks that row i keeps; returns how many. `keys` may be NULL. */
static int64_t square_keys(const job_t *job, int64_t i, int64_t *keys) {
  const bsr_t *g = job->square;
  int64_t kept = 0;
  for (int64_t e = g->start[i]; e < g->start[i + 1]; e++) {
    if (!(job->degree[i] > 0 && job->degree[g->col[e]] > 0)) continue;
    if (keys) keys[kept] = key_of(job->order[g->col[e]], e - g->start[i]);
    kept++;
  }
  return kept;
}

static void square_row(job_t *job, int64_t i, int64_t *keys) {
  const bsr_t *g = job->square;
  blocks_t *b = job->out;
  int64_t q2 = job->q * job->q, count = square_keys(job, i, keys), at = b->start[job->order[i]];
  sort_integers(keys, count);
  for (int64_t c = 0; c < count; c++, at++) {
    b->col[at] = (int32_t)column_of(keys[c]);
    memcpy(b->block + at * q2, g->block + (g->start[i] + place_of(keys[c])) * q2,
           (size_t)q2 * sizeof *b->block);
  }
}

int REAL(blocks_of_square)(run_t *run, bsr_t *graph, const double *degree, const int64_t *order,
                           blocks_t *out) {
  int64_t n = graph->rows, widest = 0;
  job_t job = {
      .run = run, .n = n, .q = graph->q, .order = order, .out = out, .square = graph, .degree = degree};
  bsr_drop_weights(graph); /* makes room: the blocks have them */
  int status = new_rows(&job);
  if (status < 0) return status;
  for (int64_t i = 0; i < n; i++) {
    int64_t count = square_keys(&job, i, NULL);
    out->start[order[i] + 1] = count;
    if (count > widest) widest = count;
  }
  status = place_rows(&job);
  if (status < 0) return status;
  int64_t *keys = NEW(int64_t, run->threads * widest);
  if (!keys) return fail_memory(run->error, "the operator");
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 64)
  for (int64_t i = 0; i < n; i++)
    if (!run_stopped(run, i, n)) square_row(&job, i, keys + omp_get_thread_num() * widest);
  mem_free(keys);
  return run_status(run);
}

/* ----------------------------------------------------- roseland and lavdm */

/* What the blocks of a row and a column are multiplied by; 0 if they have none. */
static double factor_of(const job_t *job, int64_t row, int64_t column, real_t w) {
  return w > 0 ? job->scaling->row[row] * job->scaling->column[column] : 0;
}

static void count_tile(job_t *job, const graph_tile *tile) {
  for (int64_t i = 0; i < tile->rows; i++) {
    int64_t row = tile->first + i, count = 0;
    for (int64_t c = 0; c < tile->count; c++)
      count += factor_of(job, row, tile->cols[c], tile->w[i * tile->count + c]) > 0;
    job->out->start[job->order[row] + 1] = count;
  }
}

/* keys (count): the tile's columns in the order of the model's landmarks. */
static void fill_tile(job_t *job, const graph_tile *tile, int64_t *keys) {
  const int64_t *order = job->columns; /* NULL for edges, whose columns are in order */
  blocks_t *b = job->out;
  int64_t q = job->q, width = tile->count * q;
  for (int64_t c = 0; c < tile->count; c++) keys[c] = key_of(order ? order[tile->cols[c]] : tile->cols[c], c);
  if (order) sort_integers(keys, tile->count);
  for (int64_t i = 0; i < tile->rows; i++) {
    int64_t row = tile->first + i, at = b->start[job->order[row]];
    for (int64_t l = 0; l < tile->count; l++) {
      int64_t c = place_of(keys[l]);
      double factor = factor_of(job, row, tile->cols[c], tile->w[i * tile->count + c]);
      if (!(factor > 0)) continue;
      b->col[at] = (int32_t)column_of(keys[l]);
      for (int64_t r = 0; r < q; r++)
        for (int64_t s = 0; s < q; s++)
          b->block[(at * q + r) * q + s] = factor * tile->s[(i * q + r) * width + c * q + s];
      at++;
    }
  }
}

/* One pass over the tiles: rows are counted, or filled in. */
static int pass(job_t *job, graph_work **work, buffer_t *keys, bool fill, int64_t *found) {
  run_t *run = job->run;
  int64_t tiles = job->graph->tiles, ill = 0;
  int status = 0;
  run_part(run, fill ? 0.3 : 0, fill ? 0.7 : 0.3);
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 16) reduction(min : status) \
    reduction(+ : ill)
  for (int64_t t = 0; t < tiles; t++) {
    if (run_stopped(run, t, tiles) || status < 0) continue;
    int me = omp_get_thread_num();
    graph_tile tile;
    status = job->graph->tile(job->graph, t, fill, work[me], &tile);
    int64_t *mine = status < 0 ? NULL : BUFFER(int64_t, &keys[me], tile.count);
    if (!mine) {
      status = LAVDM_ERROR_MEMORY;
    } else if (fill) {
      fill_tile(job, &tile, mine);
      ill += tile.ill;
    } else {
      count_tile(job, &tile);
    }
  }
  *found = ill;
  if (status < 0) return fail_memory(run->error, "a tile of the connection graph");
  return run_status(run);
}

int REAL(blocks_of_landmarks)(run_t *run, const graph_t *graph, const scaling_t *scaling,
                              const int64_t *order, const int64_t *columns, blocks_t *out, int64_t *ill) {
  job_t job = {.run = run,
               .n = graph->n,
               .q = graph->q,
               .order = order,
               .out = out,
               .graph = graph,
               .scaling = scaling,
               .columns = columns};
  if (graph->m > INT32_MAX)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "more than %d references are not supported", INT32_MAX);
  int status = new_rows(&job);
  if (status < 0) return status;
  graph_work **work = REAL(graph_work_new)(run->threads);
  buffer_t *keys = NEW(buffer_t, run->threads);
  int before = blas_threads(1);
  status = work && keys ? pass(&job, work, keys, false, ill) : fail_memory(run->error, "the operator");
  if (!status) status = place_rows(&job);
  if (!status) status = pass(&job, work, keys, true, ill);
  blas_threads(before);
  for (int t = 0; keys && t < run->threads; t++) mem_free(keys[t].data);
  mem_free(keys);
  REAL(graph_work_free)(work, run->threads);
  return status;
}
