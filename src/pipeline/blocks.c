/*
 * The operator as blocks, rows and columns in the order of the data:
 *     dm, vdm           N = D^-1/2 S_a D^-1/2, which is stored (operator/square.h): rows and
 *                       columns only change places
 *     roseland, lavdm   A = D^-1/2 D_X^-alpha S D_Z^-beta/2 (operator/scaling.h), tile by tile:
 *                       a first pass counts the blocks of each row, a second one fills them in
 * Pairs that the normalisation takes to zero, those of isolated points, have no block.
 */
#include "base/memory.h"
#include "base/sort.h"
#include "pipeline/fit.h"
#include "pipeline/memory.h"

#include <inttypes.h>
#include <omp.h>
#include <string.h>

/* --------------------------------------------------------------- memory */

/* Whether `blocks` blocks can be held, before they are made. */
static int check_room(fit_t *f, int64_t blocks) {
  run_t *run = f->run;
  const lavdm_options *o = &run->options;
  bool turns = !f->data.edges && has_turns(o), points = !f->data.edges && !turns;
  sizes_t sizes = {.n = f->n,
                   .p = points  ? f->points.p
                        : turns ? 2 * f->objects.bands->size
                                : 0,
                   .pca = points && o->pca > 0 ? o->pca : 0,
                   .q = f->q,
                   .d = points && has_frames(o) ? o->dim : 0,
                   .square = !f->with_landmarks,
                   .stored = f->given.graph.start != NULL,
                   .real = sizeof(real_t),
                   .threads = run->threads};
  double kept = f->kept.w ? kept_bytes(f->n, f->points.p, f->m) : 0;
  double bytes = (double)blocks * (4 + 8 * (double)(f->q * f->q)) + 8 * (double)(f->n + 1), gb = 1e9;
  double needed = run->large.files ? bytes : (double)memory_blocks(&sizes, blocks) + kept;
  double room = run->large.files ? (double)large_free_space() : (double)o->max_memory;
  if (!run->large.files && needed > (double)f->model->info.memory_needed)
    f->model->info.memory_needed = needed < 9e18 ? (int64_t)needed : INT64_MAX;
  if (needed <= room) return LAVDM_OK;
  if (run->large.files)
    return fail(run->error, LAVDM_ERROR_MEMORY,
                "the operator has %" PRId64 " blocks of %" PRId64 " x %" PRId64
                " numbers: about %.3g GB of temporary files, and %s has room for %.3g GB: set TMPDIR to a "
                "folder with more",
                blocks, f->q, f->q, needed / gb, large_folder(), room / gb);
  return fail(run->error, LAVDM_ERROR_MEMORY,
              "the operator has %" PRId64 " blocks of %" PRId64 " x %" PRId64
              " numbers: about %.3g GB of memory are needed and %.3g GB may be used: %sraise max_memory",
              blocks, f->q, f->q, needed / gb, room / gb,
              f->data.edges       ? ""
              : f->with_landmarks ? "take fewer landmarks, a smaller cutoff or epsilon, use stream, or "
                                  : "take a smaller knn, cutoff or epsilon, or ");
}

/* From the lengths of the rows, in start[i + 1], to their places, and room for the blocks. */
static int place_rows(fit_t *f) {
  blocks_t *b = f->blocks;
  for (int64_t i = 0; i < f->n; i++) b->start[i + 1] += b->start[i];
  b->count = b->start[f->n];
  b->col = LARGE(&f->run->large, int32_t, b->count);
  b->block = LARGE(&f->run->large, double, b->count * f->q * f->q);
  return b->col && b->block ? LAVDM_OK : fail_memory(f->run->error, "the operator");
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
static int64_t square_keys(const fit_t *f, int64_t i, int64_t *keys) {
  const bsr_t *g = &f->matrix.sparse;
  int64_t kept = 0;
  for (int64_t e = g->start[i]; e < g->start[i + 1]; e++) {
    if (!(f->degree[i] > 0 && f->degree[g->col[e]] > 0)) continue;
    if (keys) keys[kept] = key_of(f->order[g->col[e]], e - g->start[i]);
    kept++;
  }
  return kept;
}

static void square_row(fit_t *f, int64_t i, int64_t *keys) {
  const bsr_t *g = &f->matrix.sparse;
  blocks_t *b = f->blocks;
  int64_t q2 = f->q * f->q, count = square_keys(f, i, keys), at = b->start[f->order[i]];
  sort_integers(keys, count);
  for (int64_t c = 0; c < count; c++, at++) {
    b->col[at] = (int32_t)column_of(keys[c]);
    memcpy(b->block + at * q2, g->block + (g->start[i] + place_of(keys[c])) * q2,
           (size_t)q2 * sizeof *b->block);
  }
}

static int square_blocks(fit_t *f) {
  run_t *run = f->run;
  int64_t n = f->n, widest = 0;
  mem_free(f->matrix.sparse.weight); /* makes room: the blocks have them */
  f->matrix.sparse.weight = NULL;
  int status = check_room(f, f->edges);
  if (status < 0) return status;
  for (int64_t i = 0; i < n; i++) {
    int64_t count = square_keys(f, i, NULL);
    f->blocks->start[f->order[i] + 1] = count;
    if (count > widest) widest = count;
  }
  status = place_rows(f);
  if (status < 0) return status;
  int64_t *keys = NEW(int64_t, run->threads * widest);
  if (!keys) return fail_memory(run->error, "the operator");
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 64)
  for (int64_t i = 0; i < n; i++)
    if (!run_stopped(run, i, n)) square_row(f, i, keys + omp_get_thread_num() * widest);
  mem_free(keys);
  return run_status(run);
}

/* ----------------------------------------------------- roseland and lavdm */

/* What the blocks of a row and a column are multiplied by; 0 if they have none. */
static double factor_of(const fit_t *f, int64_t row, int64_t column, real_t w) {
  return w > 0 ? f->scaling.row[row] * f->scaling.column[column] : 0;
}

static void count_tile(fit_t *f, const graph_tile *tile) {
  for (int64_t i = 0; i < tile->rows; i++) {
    int64_t row = tile->first + i, count = 0;
    for (int64_t c = 0; c < tile->count; c++)
      count += factor_of(f, row, tile->cols[c], tile->w[i * tile->count + c]) > 0;
    f->blocks->start[f->order[row] + 1] = count;
  }
}

/* keys (count): the tile's columns in the order of the model's landmarks. */
static void fill_tile(fit_t *f, const graph_tile *tile, int64_t *keys) {
  const int64_t *order = f->landmarks.order; /* NULL for edges, whose columns are in order */
  blocks_t *b = f->blocks;
  int64_t q = f->q, width = tile->count * q;
  for (int64_t c = 0; c < tile->count; c++) keys[c] = key_of(order ? order[tile->cols[c]] : tile->cols[c], c);
  if (order) sort_integers(keys, tile->count);
  for (int64_t i = 0; i < tile->rows; i++) {
    int64_t row = tile->first + i, at = b->start[f->order[row]];
    for (int64_t l = 0; l < tile->count; l++) {
      int64_t c = place_of(keys[l]);
      double factor = factor_of(f, row, tile->cols[c], tile->w[i * tile->count + c]);
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
static int pass(fit_t *f, graph_work **work, buffer_t *keys, bool fill) {
  run_t *run = f->run;
  int64_t tiles = f->graph.tiles, ill = 0;
  int status = 0;
  run_part(run, fill ? 0.3 : 0, fill ? 0.7 : 0.3);
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 16) reduction(min : status) \
    reduction(+ : ill)
  for (int64_t t = 0; t < tiles; t++) {
    if (run_stopped(run, t, tiles) || status < 0) continue;
    int me = omp_get_thread_num();
    graph_tile tile;
    status = f->graph.tile(&f->graph, t, fill, work[me], &tile);
    int64_t *mine = status < 0 ? NULL : BUFFER(int64_t, &keys[me], tile.count);
    if (!mine) {
      status = LAVDM_ERROR_MEMORY;
    } else if (fill) {
      fill_tile(f, &tile, mine);
      ill += tile.ill;
    } else {
      count_tile(f, &tile);
    }
  }
  f->ill = ill;
  if (status < 0) return fail_memory(run->error, "a tile of the connection graph");
  return run_status(run);
}

static int landmark_blocks(fit_t *f) {
  run_t *run = f->run;
  if (f->m > INT32_MAX)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "more than %d references are not supported", INT32_MAX);
  int status = check_room(f, f->scaling.edges);
  if (status < 0) return status;
  graph_work **work = graph_work_new(run->threads);
  buffer_t *keys = NEW(buffer_t, run->threads);
  int before = blas_threads(1);
  status = work && keys ? pass(f, work, keys, false) : fail_memory(run->error, "the operator");
  if (!status) status = place_rows(f);
  if (!status) status = pass(f, work, keys, true);
  blas_threads(before);
  for (int t = 0; keys && t < run->threads; t++) mem_free(keys[t].data);
  mem_free(keys);
  graph_work_free(work, run->threads);
  if (!status) tell_alignment(f, f->scaling.edges);
  return status;
}

int make_blocks(fit_t *f) {
  run_stage(f->run, "operator");
  f->blocks->start = LARGE(&f->run->large, int64_t, f->n + 1);
  if (!f->blocks->start) return fail_memory(f->run->error, "the operator");
  return f->with_landmarks ? landmark_blocks(f) : square_blocks(f);
}
