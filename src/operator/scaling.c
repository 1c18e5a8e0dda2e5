/*
 * Three passes over the tiles. A tile holds its rows whole, so what a row needs
 * of this pass (its sum, its D_X) is known before its columns are added up.
 *
 *     1   r_i = sum_k w_ik;       s_k += w_ik;  z_k += w_ik r_i;  components
 *     2   x_i = sum_k w_ik z_k^-beta s_k;       y_k += w_ik x_i^-alpha
 *     3   D_i = x_i^-alpha sum_k w_ik z_k^-beta y_k          (alpha > 0 only)
 *
 * where a row that stands for several points is added that many times.
 *
 * Columns are added up in a fixed number of chunks of tiles, each with vectors
 * of its own, so that the sums do not depend on the number of threads. With a team
 * they, and the sets of landmarks that points join, are then those of all ranks.
 */
#include "operator/scaling.h"

#include "base/memory.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { CHUNKS = 32, TICK = 1 << 16 /* points between two looks at the memory */ };

typedef struct {
  const graph_t *graph;
  int chunks;
  const double *weight; /* n, or NULL */
  double alpha;
  double *a, *b;   /* chunks x m: column sums */
  int64_t *parent; /* chunks x m: sets of landmarks joined by a point */
  int64_t *reach;  /* n: a landmark of each point, -1 if none */
  double *x;       /* n: D_X */
  graph_work **work;
  buffer_t *local; /* one per thread */
  scaling_t *out;
} pass_t;

/* Points that a row stands for. */
static double weight_of(const pass_t *pass, int64_t row) {
  return pass->weight ? pass->weight[row] : 1;
}

/* One tile of a pass, with the column sums of its chunk; local: 2 count doubles. */
typedef void (*tile_step)(pass_t *pass, const graph_tile *tile, int chunk, const double *z, double *local);

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
      double *local = status < 0 ? NULL : BUFFER(double, &pass->local[omp_get_thread_num()], 2 * tile.count);
      if (!local) {
        status = LAVDM_ERROR_MEMORY;
        break;
      }
      step(pass, &tile, c, z, local);
      reached += tile.count;
      far += tile.far;
    }
  }
  pass->out->reached = reached;
  pass->out->far = far;
  if (status < 0) status = fail_memory(run->error, "a tile of the connection graph");
  return team_agree(run->team, status < 0 ? status : run_status(run));
}

/* total (m) = sum over the chunks of part, and over the ranks. */
static int add_chunks(const run_t *run, const pass_t *pass, const double *part, double *total) {
  int64_t m = pass->graph->m;
  memset(total, 0, (size_t)m * sizeof *total);
  for (int c = 0; c < pass->chunks; c++)
    for (int64_t k = 0; k < m; k++) total[k] += part[c * m + k];
  return team_sum(run->team, total, m);
}

/* Joins the landmarks that a point reaches; returns one of them, -1 if none. */
static int64_t join_row(const graph_tile *tile, const real_t *w, int64_t *parent) {
  int64_t first = -1;
  for (int64_t c = 0; c < tile->count; c++) {
    if (!(w[c] > 0)) continue;
    if (first < 0)
      first = tile->cols[c];
    else
      sets_join(parent, first, tile->cols[c]);
  }
  return first;
}

/* Are the landmarks of a tile one set already? Nearly always, once work is under way. */
static bool all_joined(const graph_tile *tile, int64_t *parent) {
  for (int64_t c = 1; c < tile->count; c++)
    if (sets_root(parent, tile->cols[c]) != sets_root(parent, tile->cols[0])) return false;
  return tile->count > 0;
}

static void count_edges(pass_t *pass, const graph_tile *tile, int chunk, const double *z, double *local) {
  (void)z;
  int64_t m = pass->graph->m, count = tile->count, *parent = pass->parent + chunk * m, edges = 0;
  double *restrict s = local, *restrict zz = local + count;
  bool joined = all_joined(tile, parent);
  memset(local, 0, (size_t)(2 * count) * sizeof *local);
  for (int64_t i = 0; i < tile->rows; i++) {
    const real_t *restrict w = tile->w + i * count;
    double r = 0;
#pragma omp simd reduction(+ : r, edges)
    for (int64_t c = 0; c < count; c++) {
      r += w[c];
      edges += w[c] > 0;
    }
    double times = weight_of(pass, tile->first + i);
    for (int64_t c = 0; c < count; c++) {
      s[c] += w[c] * times;
      zz[c] += w[c] * (r * times);
    }
    pass->reach[tile->first + i] = !joined ? join_row(tile, w, parent) : r > 0 ? tile->cols[0] : -1;
  }
  for (int64_t c = 0; c < count; c++) {
    pass->a[chunk * m + tile->cols[c]] += s[c];
    pass->b[chunk * m + tile->cols[c]] += zz[c];
  }
#pragma omp atomic
  pass->out->edges += edges;
}

/* sum_c w_c z_c */
static double row_sum(const real_t *restrict w, const double *restrict z, int64_t count) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t c = 0; c < count; c++) sum += w[c] * z[c];
  return sum;
}

/* x_i and the column sums of w_ik x_i^-alpha. */
static void density(pass_t *pass, const graph_tile *tile, int chunk, const double *z, double *local) {
  int64_t count = tile->count;
  double *restrict y = local, *restrict near = local + count;
  for (int64_t c = 0; c < count; c++) y[c] = 0, near[c] = z[tile->cols[c]];
  for (int64_t i = 0; i < tile->rows; i++) {
    int64_t row = tile->first + i;
    const real_t *restrict w = tile->w + i * count;
    double x = pass->out->components.label[row] >= 0 ? row_sum(w, near, count) : 0;
    double scale = inverse_power(x, pass->alpha) * weight_of(pass, row);
    pass->x[row] = x;
    for (int64_t c = 0; c < count; c++) y[c] += w[c] * scale;
  }
  for (int64_t c = 0; c < count; c++) pass->a[chunk * pass->graph->m + tile->cols[c]] += y[c];
}

static void degree(pass_t *pass, const graph_tile *tile, int chunk, const double *z, double *local) {
  (void)chunk;
  for (int64_t c = 0; c < tile->count; c++) local[c] = z[tile->cols[c]];
  for (int64_t i = 0; i < tile->rows; i++)
    pass->out->degree[tile->first + i] = row_sum(tile->w + i * tile->count, local, tile->count);
}

/* Sets of all chunks joined, and from them the components of the points. */
static int find_components(run_t *run, pass_t *pass) {
  int64_t m = pass->graph->m, n = pass->graph->n, *parent = pass->parent;
  for (int c = 1; c < pass->chunks; c++)
    for (int64_t k = 0; k < m; k++) sets_join(parent, k, pass->parent[c * m + k]);
  int status = sets_share(run, run->team, parent, m);
  if (status < 0) return status;
  for (int64_t i = 0; i < n; i++) {
    if (i % TICK == 0) run_stopped(run, i, n);
    if (pass->reach[i] >= 0) pass->reach[i] = sets_root(parent, pass->reach[i]);
  }
  return components_label(run, run->team, pass->reach, pass->weight, n, m, &pass->out->components);
}

static int passes(run_t *run, pass_t *pass, double beta, double *z) {
  scaling_t *out = pass->out;
  double *mass = out->mass, *inflow = out->inflow;
  int64_t n = pass->graph->n, m = pass->graph->m;
  double alpha = pass->alpha;
  for (int c = 0; c < pass->chunks; c++) sets_start(pass->parent + c * m, m);
  int status = for_tiles(run, pass, count_edges, NULL);
  if (status < 0) return status;
  status = add_chunks(run, pass, pass->a, mass);           /* W' 1 so far */
  if (!status) status = add_chunks(run, pass, pass->b, z); /* D_Z */
  if (!status) status = team_count(run->team, &out->edges, 1);
  if (!status) status = team_agree(run->team, find_components(run, pass));
  if (status < 0) return status;
  for (int64_t k = 0; k < m; k++) {
    out->column[k] = z[k] > 0 ? pow(z[k], -beta / 2) : 0;
    mass[k] *= out->column[k] * out->column[k];
  }
  memset(pass->a, 0, (size_t)(pass->chunks * m) * sizeof(double));
  status = for_tiles(run, pass, density, mass);
  if (status < 0) return status;
  status = add_chunks(run, pass, pass->a, inflow);
  if (status < 0) return status;
  for (int64_t k = 0; k < m; k++) inflow[k] *= out->column[k] * out->column[k];
  if (alpha > 0) status = for_tiles(run, pass, degree, inflow);
  if (status < 0) return status;
  for (int64_t i = 0; i < n; i++) {
    if (i % TICK == 0 && run_stopped(run, i, n)) break;
    double x = pass->x[i], power = inverse_power(x, alpha) * weight_of(pass, i),
           d = alpha > 0 ? out->degree[i] * power : x * weight_of(pass, i);
    bool reached = x > 0 && d > 0;
    out->degree[i] = reached ? d : 0;
    out->row[i] = reached ? power / sqrt(d) : 0;
  }
  return run_status(run);
}

int REAL(scaling_compute)(run_t *run, const graph_t *graph, const double *weight, double alpha, double beta,
                          scaling_t *out) {
  memset(out, 0, sizeof *out);
  int64_t n = graph->n, m = graph->m;
  pass_t pass = {.graph = graph, .out = out, .weight = weight, .alpha = alpha};
  pass.chunks = graph->tiles < CHUNKS ? (int)graph->tiles : CHUNKS;
  out->row = LARGE(&run->large, double, n);
  out->degree = LARGE(&run->large, double, n);
  out->column = NEW(double, m);
  pass.a = NEW(double, pass.chunks *m);
  pass.b = NEW(double, pass.chunks *m);
  pass.parent = NEW(int64_t, pass.chunks * m);
  pass.reach = LARGE(&run->large, int64_t, n);
  pass.x = LARGE(&run->large, double, n);
  pass.work = REAL(graph_work_new)(run->threads);
  pass.local = NEW(buffer_t, run->threads);
  out->mass = NEW(double, m);
  out->inflow = NEW(double, m);
  double *z = NEW(double, m);
  int status = LAVDM_OK;
  if (!out->row || !out->degree || !out->column || !pass.a || !pass.b || !pass.parent || !pass.reach ||
      !pass.x || !pass.work || !pass.local || !out->mass || !out->inflow || !z)
    status = fail_memory(run->error, "the degrees");
  status = team_agree(run->team, status);
  if (!status) {
    int before = blas_threads(1);
    status = passes(run, &pass, beta, z);
    blas_threads(before);
  }
  mem_free(pass.a);
  mem_free(pass.b);
  mem_free(pass.parent);
  large_free(pass.reach);
  large_free(pass.x);
  REAL(graph_work_free)(pass.work, run->threads);
  for (int t = 0; pass.local && t < run->threads; t++) mem_free(pass.local[t].data);
  mem_free(pass.local);
  mem_free(z);
  if (status < 0) REAL(scaling_free)(out);
  return status;
}

void REAL(scaling_free)(scaling_t *scaling) {
  large_free(scaling->row);
  mem_free(scaling->column);
  mem_free(scaling->mass);
  mem_free(scaling->inflow);
  large_free(scaling->degree);
  components_free(&scaling->components);
  memset(scaling, 0, sizeof *scaling);
}
