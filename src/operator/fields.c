/* u = D^-1/2 A v sigma^-1, tile by tile. See gram.h. */
#include "operator/gram.h"

#include "base/memory.h"

#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <string.h>

real_t *REAL(tile_product)(const graph_tile *tile, const real_t *v, int64_t q, int64_t r, buffer_t *space) {
  int64_t width = tile->count * q, height = tile->rows * q;
  real_t *gathered = BUFFER(real_t, space, width * r + height * r);
  if (!gathered) return NULL;
  real_t *product = gathered + width * r;
  for (int64_t c = 0; c < tile->count; c++)
    memcpy(gathered + c * q * r, v + tile->cols[c] * q * r, (size_t)(q * r) * sizeof *gathered);
  if (width) BLAS(gemm)
  (CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)height, (int)r, (int)width, 1, tile->s, (int)width,
   gathered, (int)r, 0, product, (int)r);
  else memset(product, 0, (size_t)(height * r) * sizeof *product);
  return product;
}

static int tile_fields(const graph_tile *tile, const scaling_t *scaling, const real_t *v, int64_t q,
                       int64_t r, const int64_t *order, buffer_t *space, real_t *u) {
  const real_t *product = REAL(tile_product)(tile, v, q, r, space);
  if (!product) return LAVDM_ERROR_MEMORY;
  for (int64_t i = 0; i < tile->rows; i++) {
    int64_t row = tile->first + i;
    double degree = scaling->degree[row];
    real_t factor = degree > 0 ? (real_t)(scaling->row[row] / sqrt(degree)) : 0;
    real_t *to = u + (order ? order[row] : row) * q * r;
    for (int64_t j = 0; j < q * r; j++) to[j] = factor * product[i * q * r + j];
  }
  return 0;
}

int REAL(gram_fields)(run_t *run, const graph_t *graph, const scaling_t *scaling, const double *v,
                      const double *values, int64_t r, const int64_t *order, real_t *u) {
  int64_t q = graph->q, size = graph->m * q;
  /* v scaled once: columns of A on the left, 1/sigma on the right */
  real_t *scaled = NEW(real_t, size * r);
  buffer_t *space = NEW(buffer_t, run->threads);
  graph_work **work = REAL(graph_work_new)(run->threads);
  int status = 0, before = blas_threads(1);
  if (scaled && space && work) {
    for (int64_t k = 0; k < size; k++)
      for (int64_t l = 0; l < r; l++)
        scaled[k * r + l] =
            values[l] > 0 ? (real_t)(v[k * r + l] * scaling->column[k / q] / sqrt(values[l])) : 0;
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 8) reduction(min : status)
    for (int64_t t = 0; t < graph->tiles; t++) {
      if (run_stopped(run, t, graph->tiles) || status < 0) continue;
      graph_tile tile;
      int me = omp_get_thread_num();
      status = graph->tile(graph, t, true, work[me], &tile);
      if (status >= 0) status = tile_fields(&tile, scaling, scaled, q, r, order, &space[me], u);
    }
  } else {
    status = LAVDM_ERROR_MEMORY;
  }
  blas_threads(before);
  for (int t = 0; space && t < run->threads; t++) mem_free(space[t].data);
  mem_free(space);
  mem_free(scaled);
  REAL(graph_work_free)(work, run->threads);
  if (status < 0) return fail_memory(run->error, "the eigenvectors");
  return run_status(run);
}
