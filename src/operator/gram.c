/*
 * G = sum over tiles of (diag(row) S)' (diag(row) S), scaled by the columns at
 * the end. Two ways to add a tile up, chosen by how many landmarks it reaches:
 *
 *   few   The product is a small dense matrix over the tile's landmarks, added
 *         to a G of the thread's own; these are added up at the end. Tiles are
 *         dealt out in a fixed way, so that the same number of threads gives
 *         the same bits.
 *   many  Rows of several tiles make a panel of full width, which one large
 *         BLAS product adds to a dense G.
 */
#include "operator/gram.h"

#include "base/memory.h"

#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <string.h>

enum {
  SMALL = 600, /* G of this size is stored dense whatever it holds */
  DEAL = 16,   /* tiles that go to a thread at a time */
  PANEL_BYTES = 64 << 20,
};

/* Shares of the landmarks that a tile reaches, beyond which G is stored dense
 * (a row of G is about four times as full) and added up in panels. */
static const double DENSE_FILL = 0.06, PANEL_FILL = 0.2;

/* A row of block-sparse G while it grows: blocks in ascending columns. */
typedef struct {
  int64_t count, room;
  int32_t *col;
  double *block;
} growing;

/* What one thread makes of a tile: its scaled rows, and the lower triangle of
 * their product, (count q)^2. */
typedef struct {
  buffer_t rows, product;
} local_t;

typedef struct {
  int64_t m, q;
  double *dense;
  growing *sparse;
  int64_t *place; /* m: of the columns looked for */
} target_t;

static void scale_rows(const graph_tile *tile, const double *row, int64_t q, real_t *out) {
  int64_t width = tile->count * q;
  for (int64_t i = 0; i < tile->rows * q; i++) {
    real_t factor = (real_t)row[tile->first + i / q];
    for (int64_t c = 0; c < width; c++) out[i * width + c] = factor * tile->s[i * width + c];
  }
}

static const real_t *local_product(const graph_tile *tile, const scaling_t *scaling, int64_t q,
                                   local_t *local) {
  int64_t width = tile->count * q, height = tile->rows * q;
  real_t *product = BUFFER(real_t, &local->product, width * width),
         *rows = BUFFER(real_t, &local->rows, height * width);
  if (!product || !rows) return NULL;
  scale_rows(tile, scaling->row, q, rows);
  if (width) BLAS(syrk)
  (CblasRowMajor, CblasLower, CblasTrans, (int)width, (int)height, 1, rows, (int)width, 0, product,
   (int)width);
  return product;
}

/* Makes the columns of `row` include cols[0..count). */
static int grow_row(growing *row, const int64_t *cols, int64_t count, int64_t q) {
  int64_t missing = 0, at = 0, q2 = q * q;
  for (int64_t c = 0; c < count; c++) {
    while (at < row->count && row->col[at] < cols[c]) at++;
    missing += at == row->count || row->col[at] != cols[c];
  }
  if (!missing) return 0;
  if (row->count + missing > row->room) {
    int64_t room = row->count + missing + row->count / 2;
    int32_t *col = RESIZE(int32_t, row->col, room);
    if (!col) return LAVDM_ERROR_MEMORY;
    row->col = col;
    double *block = RESIZE(double, row->block, room *q2);
    if (!block) return LAVDM_ERROR_MEMORY;
    row->block = block;
    row->room = room;
  }
  /* merge from the back, in place */
  int64_t from = row->count - 1, to = row->count + missing - 1;
  for (int64_t c = count - 1; to > from; to--) {
    if (from >= 0 && (c < 0 || row->col[from] >= cols[c])) {
      if (c >= 0 && row->col[from] == cols[c]) c--;
      row->col[to] = row->col[from];
      memmove(row->block + to * q2, row->block + from * q2, (size_t)q2 * sizeof(double));
      from--;
    } else {
      row->col[to] = (int32_t)cols[c--];
      memset(row->block + to * q2, 0, (size_t)q2 * sizeof(double));
    }
  }
  row->count += missing;
  return 0;
}

/* place (count): where each of cols stands in the row; false if one does not. */
static bool find_cols(const growing *row, const int64_t *cols, int64_t count, int64_t *place) {
  enum { STRIDE = 8 };
  int64_t at = 0;
  for (int64_t l = 0; l < count; l++) {
    while (at + STRIDE < row->count && row->col[at + STRIDE] <= cols[l]) at += STRIDE;
    while (at < row->count && row->col[at] < cols[l]) at++;
    if (at == row->count || row->col[at] != cols[l]) return false;
    place[l] = at;
  }
  return true;
}

/* Adds blocks b (q rows, `stride` apart) at columns cols[0..count) to row k of G. */
static int add_row(target_t *g, int64_t k, const int64_t *cols, int64_t count, const real_t *b,
                   int64_t stride) {
  int64_t q = g->q;
  if (g->dense) {
    int64_t size = g->m * q;
    for (int64_t r = 0; r < q; r++)
      for (int64_t l = 0; l < count; l++)
        for (int64_t c = 0; c < q; c++)
          g->dense[(k * q + r) * size + cols[l] * q + c] += b[r * stride + l * q + c];
    return 0;
  }
  growing *row = &g->sparse[k];
  if (!find_cols(row, cols, count, g->place)) { /* then some are missing */
    if (grow_row(row, cols, count, q) < 0) return LAVDM_ERROR_MEMORY;
    find_cols(row, cols, count, g->place);
  }
  for (int64_t l = 0; l < count; l++) {
    double *block = row->block + g->place[l] * q * q;
    for (int64_t r = 0; r < q; r++)
      for (int64_t c = 0; c < q; c++) block[r * q + c] += b[r * stride + l * q + c];
  }
  return 0;
}

/* The lower triangle of a tile's product into that of G. */
static int add_tile(target_t *g, const graph_tile *tile, const real_t *product) {
  int64_t width = tile->count * g->q;
  int status = 0;
  for (int64_t c = 0; c < tile->count && !status; c++)
    status = add_row(g, tile->cols[c], tile->cols, c + 1, product + c * g->q * width, width);
  return status;
}

static int target_new(target_t *g, int64_t m, int64_t q, bool dense) {
  *g = (target_t){.m = m, .q = q};
  if (dense)
    g->dense = NEW(double, m *q *m *q);
  else
    g->sparse = NEW(growing, m);
  g->place = NEW(int64_t, m);
  return g->place && (g->dense || g->sparse) ? 0 : LAVDM_ERROR_MEMORY;
}

static void target_free(target_t *g) {
  mem_free(g->dense);
  for (int64_t k = 0; g->sparse && k < g->m; k++) {
    mem_free(g->sparse[k].col);
    mem_free(g->sparse[k].block);
  }
  mem_free(g->sparse);
  mem_free(g->place);
  *g = (target_t){0};
}

/* g += other, row by row. */
static int add_target(target_t *g, const target_t *other) {
  int64_t m = g->m, q = g->q;
  for (int64_t i = 0; g->dense && i < m * q * m * q; i++) g->dense[i] += other->dense[i];
  for (int64_t k = 0; !g->dense && k < m; k++) {
    const growing *row = &other->sparse[k];
    growing *to = &g->sparse[k];
    for (int64_t e = 0, at = 0; e < row->count; e++) {
      int64_t col = row->col[e];
      if (grow_row(to, &col, 1, q) < 0) return LAVDM_ERROR_MEMORY;
      while (to->col[at] < col) at++;
      for (int64_t c = 0; c < q * q; c++) to->block[at * q * q + c] += row->block[e * q * q + c];
    }
  }
  return 0;
}

/* The tiles of one thread into its own G. */
static int my_tiles(run_t *run, const graph_t *graph, const scaling_t *scaling, graph_work *work, target_t *g,
                    int64_t *ill) {
  int threads = omp_get_num_threads(), me = omp_get_thread_num(), status = 0;
  local_t local = {0};
  for (int64_t first = (int64_t)me * DEAL; first < graph->tiles && !status; first += (int64_t)threads * DEAL)
    for (int64_t t = first; t < first + DEAL && t < graph->tiles && !status; t++) {
      if (run_stopped(run, t, graph->tiles)) goto done;
      graph_tile tile;
      status = graph->tile(graph, t, true, work, &tile);
      const real_t *product = status ? NULL : local_product(&tile, scaling, graph->q, &local);
      if (!product) status = LAVDM_ERROR_MEMORY;
      if (!status) status = add_tile(g, &tile, product), *ill += tile.ill;
    }
done:
  mem_free(local.rows.data);
  mem_free(local.product.data);
  return status;
}

static int few(run_t *run, const graph_t *graph, const scaling_t *scaling, graph_work **work, target_t *g,
               int64_t *ill) {
  int status = 0;
  int64_t found = 0;
  target_t *own = NEW(target_t, run->threads); /* the first is g itself */
  if (!own) return fail_memory(run->error, "the Gram matrix");
  own[0] = *g;
  for (int t = 1; t < run->threads && !status; t++)
    status = target_new(&own[t], g->m, g->q, g->dense != NULL);
  if (!status) {
#pragma omp parallel num_threads(run->threads) reduction(min : status) reduction(+ : found)
    {
      int me = omp_get_thread_num();
      int64_t mine = 0;
      status = my_tiles(run, graph, scaling, work[me], &own[me], &mine);
      found += mine;
    }
  }
  for (int t = 1; t < run->threads; t++) {
    if (!status) status = add_target(&own[0], &own[t]);
    target_free(&own[t]);
  }
  *g = own[0];
  mem_free(own);
  *ill = found;
  if (status < 0) return fail_memory(run->error, "the Gram matrix");
  return run_status(run);
}

/* dense += panel' panel, lower triangles; in single precision by way of `product`. */
static void add_panel(const run_t *run, const real_t *panel, int64_t height, int64_t width, real_t *product,
                      double *dense) {
#ifdef LAVDM_SINGLE
  BLAS(syrk)
  (CblasRowMajor, CblasLower, CblasTrans, (int)width, (int)height, 1, panel, (int)width, 0, product,
   (int)width);
#pragma omp parallel for num_threads(run->threads) schedule(static, 64)
  for (int64_t i = 0; i < width; i++)
    for (int64_t j = 0; j <= i; j++) dense[i * width + j] += product[i * width + j];
#else
  (void)run, (void)product;
  BLAS(syrk)
  (CblasRowMajor, CblasLower, CblasTrans, (int)width, (int)height, 1, panel, (int)width, 1, dense,
   (int)width);
#endif
}

static int many(run_t *run, const graph_t *graph, const scaling_t *scaling, graph_work **work, target_t *g,
                int64_t *ill) {
  int64_t q = graph->q, width = graph->m * q, room = PANEL_BYTES / (8 * width * q), found = 0, largest = 1;
  for (int64_t t = 0; t < graph->tiles; t++)
    if (graph->first[t + 1] - graph->first[t] > largest) largest = graph->first[t + 1] - graph->first[t];
  if (room < largest) room = largest;
  if (room > graph->n) room = graph->n;
  real_t *panel = NEW(real_t, room * q * width), *product = NULL;
  bool made = panel != NULL;
#ifdef LAVDM_SINGLE
  product = NEW(real_t, width * width);
  made = made && product;
#endif
  if (!made) {
    mem_free(panel);
    mem_free(product);
    return fail_memory(run->error, "the Gram matrix");
  }
  int status = 0;
  for (int64_t first = 0, last; first < graph->tiles && !status && !run_stopped(run, first, graph->tiles);
       first = last) {
    for (last = first + 1; last < graph->tiles && graph->first[last + 1] - graph->first[first] <= room;
         last++) {
    }
    int64_t height = (graph->first[last] - graph->first[first]) * q;
    blas_threads(1);
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 1) reduction(min : status) reduction(+ : found)
    for (int64_t t = first; t < last; t++) {
      graph_tile tile;
      int filled = graph->tile(graph, t, true, work[omp_get_thread_num()], &tile);
      if (filled < 0) {
        status = filled;
        continue;
      }
      found += tile.ill;
      real_t *to = panel + (tile.first - graph->first[first]) * q * width;
      memset(to, 0, (size_t)(tile.rows * q * width) * sizeof *to);
      for (int64_t i = 0; i < tile.rows * q; i++) {
        real_t factor = (real_t)scaling->row[tile.first + i / q];
        for (int64_t c = 0; c < tile.count; c++)
          for (int64_t b = 0; b < q; b++)
            to[i * width + tile.cols[c] * q + b] = factor * tile.s[(i * tile.count + c) * q + b];
      }
    }
    blas_threads(run->threads);
    add_panel(run, panel, height, width, product, g->dense);
  }
  mem_free(panel);
  mem_free(product);
  *ill = found;
  if (status < 0) return fail_memory(run->error, "the Gram matrix");
  return run_status(run);
}

/* Dense G: columns scaled, upper triangle from the lower. */
static void finish_dense(run_t *run, target_t *g, const double *column) {
  int64_t q = g->q, size = g->m * q;
#pragma omp parallel for num_threads(run->threads) schedule(static, 64)
  for (int64_t i = 0; i < size; i++)
    for (int64_t j = 0; j <= i; j++) g->dense[i * size + j] *= column[i / q] * column[j / q];
#pragma omp parallel for num_threads(run->threads) schedule(static, 64)
  for (int64_t i = 0; i < size; i++)
    for (int64_t j = i + 1; j < size; j++) g->dense[i * size + j] = g->dense[j * size + i];
}

/* Block-sparse G: both triangles, columns scaled. */
static int finish_sparse(run_t *run, target_t *g, const double *column, bsr_t *out) {
  int64_t m = g->m, q = g->q, total = 0;
  for (int64_t k = 0; k < m; k++)
    for (int64_t e = 0; e < g->sparse[k].count; e++) total += g->sparse[k].col[e] == k ? 1 : 2;
  int status = bsr_new(run, m, m, q, total, false, out);
  if (status < 0) return status;
  for (int64_t k = 0; k < m; k++)
    for (int64_t e = 0; e < g->sparse[k].count; e++) {
      out->start[k + 1]++;
      if (g->sparse[k].col[e] != k) out->start[g->sparse[k].col[e] + 1]++;
    }
  for (int64_t k = 0; k < m; k++) out->start[k + 1] += out->start[k];
  /* row k first receives (k,l), l <= k, and then (l,k), l > k, as l goes on */
  for (int64_t k = 0; k < m; k++)
    for (int64_t e = 0; e < g->sparse[k].count; e++) {
      int64_t l = g->sparse[k].col[e], at = out->start[k]++, turned = l == k ? -1 : out->start[l]++;
      double factor = column[k] * column[l];
      out->col[at] = (int32_t)l;
      if (turned >= 0) out->col[turned] = (int32_t)k;
      for (int64_t a = 0; a < q; a++)
        for (int64_t b = 0; b < q; b++) {
          /* a diagonal block holds its lower triangle */
          double value = factor * g->sparse[k].block[e * q * q + (l == k && b > a ? b * q + a : a * q + b)];
          out->block[(at * q + a) * q + b] = value;
          if (turned >= 0) out->block[(turned * q + b) * q + a] = value;
        }
    }
  memmove(out->start + 1, out->start, (size_t)m * sizeof *out->start);
  out->start[0] = 0;
  return LAVDM_OK;
}

/* ------------------------------------------------------------------- ranks */

/* The rows of block-sparse G of a rank, one after the other. */
typedef struct {
  int64_t *count; /* m */
  int32_t *col;
  double *block;
  int64_t blocks;
} packed_t;

static void packed_free(packed_t *p) {
  mem_free(p->count);
  mem_free(p->col);
  mem_free(p->block);
}

static int pack(const target_t *g, packed_t *out) {
  int64_t m = g->m, q2 = g->q * g->q, at = 0;
  *out = (packed_t){.count = NEW(int64_t, m)};
  for (int64_t k = 0; out->count && k < m; k++) out->blocks += out->count[k] = g->sparse[k].count;
  out->col = NEW(int32_t, out->blocks);
  out->block = NEW(double, out->blocks *q2);
  if (!out->count || !out->col || !out->block) return LAVDM_ERROR_MEMORY;
  for (int64_t k = 0; k < m; at += out->count[k++]) {
    if (!out->count[k]) continue;
    memcpy(out->col + at, g->sparse[k].col, (size_t)out->count[k] * sizeof *out->col);
    memcpy(out->block + at * q2, g->sparse[k].block, (size_t)(out->count[k] * q2) * sizeof *out->block);
  }
  return 0;
}

/* g = the sum of the rows of all ranks, from rank 0 on. */
static int add_packed(target_t *g, const packed_t *all, int ranks) {
  int64_t m = g->m, q2 = g->q * g->q, at = 0;
  for (int64_t k = 0; k < m; k++) g->sparse[k].count = 0;
  for (int64_t e = 0; e < ranks * m; e++) {
    growing *row = &g->sparse[e % m];
    for (int64_t end = at + all->count[e], to = 0; at < end; at++) {
      int64_t col = all->col[at];
      if (grow_row(row, &col, 1, g->q) < 0) return LAVDM_ERROR_MEMORY;
      while (row->col[to] < col) to++;
      for (int64_t c = 0; c < q2; c++) row->block[to * q2 + c] += all->block[at * q2 + c];
    }
  }
  return 0;
}

static int share_sparse(run_t *run, target_t *g) {
  const team_t *team = run->team;
  packed_t mine, all = {0};
  int64_t first, total, q2 = g->q * g->q;
  int status = team_agree(team, pack(g, &mine));
  if (!status) {
    all.count = team_rows(team, mine.count, g->m, sizeof *mine.count, &first, &total);
    all.col = team_rows(team, mine.col, mine.blocks, sizeof *mine.col, &first, &total);
    all.block = team_rows(team, mine.block, mine.blocks, (size_t)q2 * sizeof *mine.block, &first, &total);
    status = all.count && all.col && all.block ? add_packed(g, &all, team->ranks) : LAVDM_ERROR_MEMORY;
  }
  packed_free(&mine);
  packed_free(&all);
  return team_agree(team, status) < 0 ? fail_memory(run->error, "the Gram matrix") : LAVDM_OK;
}

/* G of the rows of all ranks. */
static int share(run_t *run, target_t *g, int64_t *ill) {
  if (!run->team) return LAVDM_OK;
  int status = team_count(run->team, ill, 1);
  if (status < 0) return status;
  return g->dense ? team_sum(run->team, g->dense, g->m * g->q * g->m * g->q) : share_sparse(run, g);
}

int REAL(gram_compute)(run_t *run, const graph_t *graph, const scaling_t *scaling, symmetric_t *out,
                       int64_t *ill) {
  memset(out, 0, sizeof *out);
  *ill = 0;
  target_t g = {0};
  int64_t reached[2] = {scaling->reached, graph->tiles};
  if (team_count(run->team, reached, 2) < 0) return fail_memory(run->error, "the Gram matrix");
  double fill = (double)reached[0] / ((double)reached[1] * (double)graph->m);
  bool dense = graph->m * graph->q <= SMALL || fill > DENSE_FILL;
  out->size = graph->m * graph->q;
  graph_work **work = REAL(graph_work_new)(run->threads);
  int status = LAVDM_OK, before = blas_threads(1);
  if (!work || target_new(&g, graph->m, graph->q, dense) < 0)
    status = fail_memory(run->error, "the Gram matrix");
  else
    status = (fill > PANEL_FILL ? many : few)(run, graph, scaling, work, &g, ill);
  blas_threads(before);
  status = team_agree(run->team, status);
  if (!status) status = share(run, &g, ill);
  if (!status && dense) finish_dense(run, &g, scaling->column);
  if (!status && !dense) status = finish_sparse(run, &g, scaling->column, &out->sparse);
  REAL(graph_work_free)(work, run->threads);
  if (!status) out->dense = g.dense, g.dense = NULL;
  target_free(&g);
  if (status < 0) symmetric_free(out);
  return status;
}

gram_need REAL(gram_bytes)(int64_t n, int64_t m, int64_t q, double reach, int64_t d, int threads) {
  double size = (double)(m * q), dense = 8 * size * size, fill = reach / (double)m;
  double row = fmin(reach * pow(2, d > 0 ? (double)d : 2), (double)m);
  double sparse = (8 * (double)(q * q) + 4) * (double)m * row;
  double panel = fmin(PANEL_BYTES, (double)n * (double)q * size * sizeof(real_t));
  if (fill > PANEL_FILL) return (gram_need){dense + panel, dense};
  if (size <= SMALL || fill > DENSE_FILL) return (gram_need){dense * threads, dense};
  return (gram_need){sparse * (1 + 0.7 * threads), sparse};
}
