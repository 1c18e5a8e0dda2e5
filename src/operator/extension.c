#include "operator/extension.h"

#include "base/memory.h"
#include "operator/gram.h"
#include "operator/local.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------- points that are known */

/* Rows as strings of bytes. */
static int compare_rows(const real_t *a, const real_t *b, int64_t p) {
  return memcmp(a, b, (size_t)p * sizeof *a);
}

/* The known point that stands in row `at` sinks to its place in the heap of `count` rows. */
static void sink(real_t *x, int64_t p, int64_t at, int64_t count) {
  for (int64_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && compare_rows(x + child * p, x + (child + 1) * p, p) < 0) child++;
    if (compare_rows(x + at * p, x + child * p, p) >= 0) return;
    for (int64_t j = 0; j < p; j++) {
      real_t swap = x[at * p + j];
      x[at * p + j] = x[child * p + j];
      x[child * p + j] = swap;
    }
  }
}

void REAL(extension_sort)(extension_t *e, int64_t p) {
  for (int64_t i = e->known_count / 2; i-- > 0;) sink(e->known, p, i, e->known_count);
  for (int64_t last = e->known_count - 1; last > 0; last--) {
    for (int64_t j = 0; j < p; j++) {
      real_t swap = e->known[j];
      e->known[j] = e->known[last * p + j];
      e->known[last * p + j] = swap;
    }
    sink(e->known, p, 0, last);
  }
}

bool REAL(extension_knows)(const extension_t *e, const real_t *x, int64_t p) {
  int64_t low = 0, high = e->known_count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    int order = compare_rows(x, e->known + middle * p, p);
    if (order == 0) return true;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return false;
}

void REAL(extension_free)(extension_t *e) {
  mem_free(e->mass);
  mem_free(e->inflow);
  mem_free(e->field);
  mem_free(e->known);
  *e = (extension_t){0};
}

/* ----------------------------------------------------------------------- tiles */

/* D^-1 D_X^-alpha of one row, and its D; 0 if nothing reaches it. */
static double row_factor(const extension_t *e, const graph_tile *tile, const real_t *w, double *degree) {
  double x = 0, inflow = 0;
  for (int64_t c = 0; c < tile->count; c++) {
    x += w[c] * e->mass[tile->cols[c]];
    inflow += w[c] * e->inflow[tile->cols[c]];
  }
  double power = inverse_power(x, e->alpha), d = e->alpha > 0 ? power * inflow : x;
  bool reached = x > 0 && d > 0;
  *degree = reached ? d : 0;
  return reached ? power / d : 0;
}

/* The same with local bandwidths, rho that of the row. */
static double local_factor(const extension_t *e, const graph_tile *tile, const real_t *w, double rho,
                           double *degree) {
  double x = 0, inflow = 0, volume = pow(rho, -0.5 * (double)e->local->d);
  for (int64_t c = 0; c < tile->count; c++) {
    x += w[c] * e->mass[tile->cols[c]];
    inflow += w[c] * e->inflow[tile->cols[c]];
  }
  *degree = x > 0 && inflow > 0 ? volume * rho * inverse_power(volume * x, e->alpha) * inflow : 0;
  return *degree > 0 ? 1 / inflow : 0;
}

/* Rows of stored edges have been asked about before. */
static bool knows_row(const graph_t *graph, const extension_t *e, int64_t row) {
  return graph->points &&
         REAL(extension_knows)(e, graph->points->x + row * graph->points->p, graph->points->p);
}

static int tile_rows(const graph_t *graph, const graph_tile *tile, const extension_t *e, const int64_t *order,
                     buffer_t *space, real_t *u, double *degree, int64_t *taken) {
  int64_t q = graph->q, r = e->r;
  const real_t *product = REAL(tile_product)(tile, e->field, q, r, space);
  if (!product) return LAVDM_ERROR_MEMORY;
  for (int64_t i = 0; i < tile->rows; i++) {
    int64_t row = tile->first + i, to = order ? order[row] : row;
    const real_t *w = tile->w + i * tile->count;
    double rho = e->values ? e->local->rho[row] : 0;
    double factor =
        e->values ? local_factor(e, tile, w, rho, &degree[to]) : row_factor(e, tile, w, &degree[to]);
    bool alone = tile->alone && tile->alone[i];
    bool far = alone && !e->take_far && !knows_row(graph, e, row);
    *taken += alone && !far;
    if (far || !(factor > 0)) degree[to] = 0, factor = 0;
    for (int64_t j = 0; j < q * r; j++)
      u[to * q * r + j] = factor > 0 ? (real_t)factor * product[i * q * r + j] : (real_t)NAN;
    for (int64_t j = 0; e->values && j < q * r; j++)
      u[to * q * r + j] *= (real_t)local_gain(e->values[j % r], rho, e->local->step);
  }
  return 0;
}

int REAL(extension_fields)(run_t *run, const graph_t *graph, const extension_t *extension,
                           const int64_t *order, real_t *u, double *degree, extension_seen *seen) {
  buffer_t *space = NEW(buffer_t, run->threads);
  graph_work **work = REAL(graph_work_new)(run->threads);
  int status = space && work ? 0 : LAVDM_ERROR_MEMORY, before = blas_threads(1);
  int64_t edges = 0, ill = 0, far = 0;
  if (!status) {
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 8) reduction(min : status) reduction(+ : edges, ill, far)
    for (int64_t t = 0; t < graph->tiles; t++) {
      if (run_stopped(run, t, graph->tiles) || status < 0) continue;
      graph_tile tile;
      int me = omp_get_thread_num();
      status = graph->tile(graph, t, true, work[me], &tile);
      if (status < 0) continue;
      status = tile_rows(graph, &tile, extension, order, &space[me], u, degree, &far);
      ill += tile.ill;
      for (int64_t e = 0; seen && e < tile.rows * tile.count; e++) edges += tile.w[e] > 0;
    }
  }
  blas_threads(before);
  for (int t = 0; space && t < run->threads; t++) mem_free(space[t].data);
  mem_free(space);
  REAL(graph_work_free)(work, run->threads);
  if (seen) *seen = (extension_seen){edges, ill, far};
  if (status < 0) return fail_memory(run->error, "the eigenvectors");
  return run_status(run);
}
