#include "operator/local.h"

#include "base/memory.h"

#include <math.h>

/* y = x W x w */
static void row_sums(const run_t *run, const bsr_t *graph, const double *weight, const double *x, double *y) {
#pragma omp parallel for num_threads(run->threads) schedule(static, 256)
  for (int64_t i = 0; i < graph->rows; i++) {
    double sum = 0;
    for (int64_t e = graph->start[i]; e < graph->start[i + 1]; e++)
      sum += graph->weight[e] * (x[graph->col[e]] * (weight ? weight[graph->col[e]] : 1));
    y[i] = x[i] * sum;
  }
}

/* Blocks times scale_i scale_k, and what stays: 1 - c / rho^2 on the diagonal. */
static void scale_blocks(const run_t *run, bsr_t *graph, const widths_t *local, const double *scale) {
  int64_t q = graph->q, q2 = q * q;
#pragma omp parallel for num_threads(run->threads) schedule(static, 256)
  for (int64_t i = 0; i < graph->rows; i++)
    for (int64_t e = graph->start[i]; e < graph->start[i + 1]; e++) {
      int64_t k = graph->col[e];
      double factor = scale[i] * scale[k], *block = graph->block + e * q2;
      for (int64_t b = 0; b < q2; b++) block[b] *= factor;
      if (k != i || !(scale[i] > 0)) continue;
      for (int64_t b = 0; b < q; b++) block[b * q + b] += 1 - local->step / (local->rho[i] * local->rho[i]);
    }
}

/* A row that is not joined to itself has no place for what stays. */
static int check_diagonal(const run_t *run, const bsr_t *graph, const components_t *components) {
  for (int64_t i = 0; i < graph->rows; i++)
    if (components->label[i] >= 0 && bsr_find(graph, i, i) < 0)
      return fail(run->error, LAVDM_ERROR_ARGUMENT,
                  "bandwidth is local, but the kernel is not positive at distance 0");
  return LAVDM_OK;
}

int square_localise(run_t *run, bsr_t *graph, const components_t *components, double alpha,
                    const widths_t *local, const double *weight, double *density, double *degree) {
  int64_t n = graph->rows;
  double *s = NEW(double, n);
  int status = s ? check_diagonal(run, graph, components) : fail_memory(run->error, "the degrees");
  if (!status) {
    for (int64_t i = 0; i < n; i++)
      s[i] = components->label[i] >= 0 ? pow(local->rho[i], -0.5 * (double)local->d) : 0;
    row_sums(run, graph, weight, s, density);
    for (int64_t i = 0; i < n; i++)
      s[i] = density[i] > 0 ? s[i] / local->rho[i] * pow(density[i], -alpha) * (weight ? weight[i] : 1) : 0;
    row_sums(run, graph, NULL, s, degree);
    for (int64_t i = 0; i < n; i++) {
      s[i] = degree[i] > 0 ? s[i] * sqrt(local->step / degree[i]) / local->rho[i] : 0;
      degree[i] *= local->rho[i] * local->rho[i];
    }
    scale_blocks(run, graph, local, s);
  }
  mem_free(s);
  return status < 0 ? status : run_status(run);
}
