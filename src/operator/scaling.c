/*
 * Three passes over the tiles. A tile holds its rows whole, so what a row needs
 * of this pass (its sum, its D_X) is known before its columns are added up.
 *
 *     1   r_i = sum_k w_ik;       s_k += w_ik;  z_k += w_ik r_i;  components
 *     2   x_i = sum_k w_ik z_k^-beta s_k;       y_k += w_ik x_i^-alpha
 *     3   D_i = x_i^-alpha sum_k w_ik z_k^-beta y_k          (alpha > 0 only)
 *
 * Columns are added up in a fixed number of chunks of tiles, each with vectors
 * of its own, so that the sums do not depend on the number of threads.
 */
#include "operator/scaling.h"

#include "base/memory.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { CHUNKS = 32 };

typedef struct {
  const graph_t *graph;
  int chunks;
  double alpha;
  double *a, *b;   /* chunks x m: column sums */
  int64_t *parent; /* chunks x m: sets of landmarks joined by a point */
  int64_t *reach;  /* n: a landmark of each point, -1 if none */
  double *x;       /* n: D_X */
  graph_work **work;
  scaling_t *out;
} pass_t;

/* One tile of a pass, with the column sums of its chunk. */
typedef void (*tile_step)(pass_t *pass, const graph_tile *tile, int chunk, const double *z);

static int for_tiles(run_t *run, pass_t *pass, tile_step step, const double *z) {
  const graph_t *graph = pass->graph;
  int status = 0;
  int64_t reached = 0, far = 0;
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 1) reduction(min : status) \
    reduction(+ : reached, far)
  for (int c = 0; c < pass->chunks; c++) {
    int64_t first = graph->tiles * c / pass->chunks, last = graph->tiles * (c + 1) / pass->chunks;
    for (int64_t t = first; t < last; t++) {
      if (run_stopped(run, (t - first) * pass->chunks, graph->tiles) || status < 0) break;
      graph_tile tile;
      status = graph->tile(graph, t, false, pass->work[omp_get_thread_num()], &tile);
      if (status < 0) break;
      step(pass, &tile, c, z);
      reached += tile.count;
      far += tile.far;
    }
  }
  pass->out->reached = reached;
  pass->out->far = far;
  if (status < 0) return fail_memory(run->error, "a tile of the connection graph");
  return run_status(run);
}

/* total (m) = sum over the chunks of part. */
static void add_chunks(const pass_t *pass, const double *part, double *total) {
  int64_t m = pass->graph->m;
  memset(total, 0, (size_t)m * sizeof *total);
  for (int c = 0; c < pass->chunks; c++)
    for (int64_t k = 0; k < m; k++) total[k] += part[c * m + k];
}

static void count_edges(pass_t *pass, const graph_tile *tile, int chunk, const double *z) {
  (void)z;
  int64_t m = pass->graph->m, *parent = pass->parent + chunk * m, edges = 0;
  double *s = pass->a + chunk * m, *zz = pass->b + chunk * m;
  for (int64_t i = 0; i < tile->rows; i++) {
    const double *w = tile->w + i * tile->count;
    double r = 0;
    for (int64_t c = 0; c < tile->count; c++) r += w[c];
    int64_t root = -1;
    for (int64_t c = 0; c < tile->count; c++) {
      if (!(w[c] > 0)) continue;
      int64_t k = tile->cols[c];
      s[k] += w[c];
      zz[k] += w[c] * r;
      edges++;
      if (root < 0)
        pass->reach[tile->first + i] = k, root = sets_root(parent, k);
      else if (parent[k] != root) {
        sets_join(parent, root, k);
        root = sets_root(parent, k);
      }
    }
    if (root < 0) pass->reach[tile->first + i] = -1;
  }
#pragma omp atomic
  pass->out->edges += edges;
}

/* r = sum_c w_c z[cols_c] for each row of a tile. */
static double row_sum(const graph_tile *tile, int64_t i, const double *z) {
  const double *w = tile->w + i * tile->count;
  double sum = 0;
  for (int64_t c = 0; c < tile->count; c++) sum += w[c] * z[tile->cols[c]];
  return sum;
}

static double alpha_of(const pass_t *pass, double x) {
  return x > 0 ? pow(x, -pass->alpha) : 0;
}

/* x_i and the column sums of w_ik x_i^-alpha. */
static void density(pass_t *pass, const graph_tile *tile, int chunk, const double *z) {
  double *y = pass->a + chunk * pass->graph->m;
  for (int64_t i = 0; i < tile->rows; i++) {
    int64_t row = tile->first + i;
    double x = pass->out->components.label[row] >= 0 ? row_sum(tile, i, z) : 0, scale = alpha_of(pass, x);
    const double *w = tile->w + i * tile->count;
    pass->x[row] = x;
    for (int64_t c = 0; c < tile->count; c++) y[tile->cols[c]] += w[c] * scale;
  }
}

static void degree(pass_t *pass, const graph_tile *tile, int chunk, const double *z) {
  (void)chunk;
  for (int64_t i = 0; i < tile->rows; i++) pass->out->degree[tile->first + i] = row_sum(tile, i, z);
}

/* Sets of all chunks joined, and from them the components of the points. */
static int find_components(run_t *run, pass_t *pass) {
  int64_t m = pass->graph->m, n = pass->graph->n, *parent = pass->parent;
  for (int c = 1; c < pass->chunks; c++)
    for (int64_t k = 0; k < m; k++) sets_join(parent, k, pass->parent[c * m + k]);
  for (int64_t i = 0; i < n; i++)
    if (pass->reach[i] >= 0) pass->reach[i] = sets_root(parent, pass->reach[i]);
  return components_label(run, pass->reach, n, m, &pass->out->components);
}

static int passes(run_t *run, pass_t *pass, double beta, double *s, double *z) {
  scaling_t *out = pass->out;
  int64_t n = pass->graph->n, m = pass->graph->m;
  double alpha = pass->alpha;
  for (int c = 0; c < pass->chunks; c++) sets_start(pass->parent + c * m, m);
  int status = for_tiles(run, pass, count_edges, NULL);
  if (status < 0) return status;
  add_chunks(pass, pass->a, s);
  add_chunks(pass, pass->b, z); /* D_Z */
  status = find_components(run, pass);
  if (status < 0) return status;
  for (int64_t k = 0; k < m; k++) {
    out->column[k] = z[k] > 0 ? pow(z[k], -beta / 2) : 0;
    z[k] = out->column[k] * out->column[k] * s[k];
  }
  memset(pass->a, 0, (size_t)(pass->chunks * m) * sizeof(double));
  status = for_tiles(run, pass, density, z);
  if (status < 0) return status;
  if (alpha > 0) {
    add_chunks(pass, pass->a, z);
    for (int64_t k = 0; k < m; k++) z[k] *= out->column[k] * out->column[k];
    status = for_tiles(run, pass, degree, z);
    if (status < 0) return status;
  }
  for (int64_t i = 0; i < n; i++) {
    double x = pass->x[i], d = alpha > 0 ? out->degree[i] * (x > 0 ? pow(x, -alpha) : 0) : x;
    bool reached = x > 0 && d > 0;
    out->degree[i] = reached ? d : 0;
    out->row[i] = reached ? pow(x, -alpha) / sqrt(d) : 0;
  }
  return LAVDM_OK;
}

int scaling_compute(run_t *run, const graph_t *graph, double alpha, double beta, scaling_t *out) {
  memset(out, 0, sizeof *out);
  int64_t n = graph->n, m = graph->m;
  pass_t pass = {.graph = graph, .out = out, .alpha = alpha};
  pass.chunks = graph->tiles < CHUNKS ? (int)graph->tiles : CHUNKS;
  out->row = NEW(double, n);
  out->degree = NEW(double, n);
  out->column = NEW(double, m);
  pass.a = NEW(double, pass.chunks *m);
  pass.b = NEW(double, pass.chunks *m);
  pass.parent = NEW(int64_t, pass.chunks * m);
  pass.reach = NEW(int64_t, n);
  pass.x = NEW(double, n);
  pass.work = graph_work_new(run->threads);
  double *s = NEW(double, m), *z = NEW(double, m);
  int status = LAVDM_OK;
  if (!out->row || !out->degree || !out->column || !pass.a || !pass.b || !pass.parent || !pass.reach ||
      !pass.x || !pass.work || !s || !z) {
    status = fail_memory(run->error, "the degrees");
  } else {
    int before = blas_threads(1);
    status = passes(run, &pass, beta, s, z);
    blas_threads(before);
  }
  mem_free(pass.a);
  mem_free(pass.b);
  mem_free(pass.parent);
  mem_free(pass.reach);
  mem_free(pass.x);
  graph_work_free(pass.work, run->threads);
  mem_free(s);
  mem_free(z);
  if (status < 0) scaling_free(out);
  return status;
}

void scaling_free(scaling_t *scaling) {
  mem_free(scaling->row);
  mem_free(scaling->column);
  mem_free(scaling->degree);
  components_free(&scaling->components);
  memset(scaling, 0, sizeof *scaling);
}
