#include "operator/square.h"

#include "base/memory.h"

#include <math.h>

/* One number for each row here, for each column: those of all ranks. NULL if there is no memory. */
static double *for_columns(const team_t *team, double *rows, int64_t n) {
  int64_t first, total;
  return team ? team_rows(team, rows, n, sizeof *rows, &first, &total) : rows;
}

static void rows_first(const run_t *run, const bsr_t *graph, const components_t *components, double alpha,
                       double *scale) {
#pragma omp parallel for num_threads(run->threads) schedule(static, 256)
  for (int64_t i = 0; i < graph->rows; i++) {
    double sum = 0;
    for (int64_t e = graph->start[i]; e < graph->start[i + 1]; e++) sum += graph->weight[e];
    scale[i] = components->label[i] >= 0 ? pow(sum, -alpha) : 0;
  }
}

/* degree = D_a; what scale becomes goes to `after`. */
static void rows_second(const run_t *run, const bsr_t *graph, const double *scale, const double *all,
                        double *degree, double *after) {
#pragma omp parallel for num_threads(run->threads) schedule(static, 256)
  for (int64_t i = 0; i < graph->rows; i++) {
    double sum = 0;
    for (int64_t e = graph->start[i]; e < graph->start[i + 1]; e++)
      sum += graph->weight[e] * all[graph->col[e]];
    degree[i] = sum * scale[i];
    after[i] = degree[i] > 0 ? scale[i] / sqrt(degree[i]) : 0;
  }
}

static void scale_blocks(const run_t *run, bsr_t *graph, const double *scale, const double *all) {
  int64_t q2 = graph->q * graph->q;
#pragma omp parallel for num_threads(run->threads) schedule(static, 256)
  for (int64_t i = 0; i < graph->rows; i++)
    for (int64_t e = graph->start[i]; e < graph->start[i + 1]; e++) {
      double factor = scale[i] * all[graph->col[e]];
      for (int64_t b = 0; b < q2; b++) graph->block[e * q2 + b] *= factor;
    }
}

int square_normalise(run_t *run, const team_t *team, bsr_t *graph, const components_t *components,
                     double alpha, double *degree) {
  int64_t n = graph->rows;
  double *before = NEW(double, n), *after = NEW(double, n), *all[2] = {NULL, NULL};
  int status = before && after ? LAVDM_OK : fail_memory(run->error, "the degrees");
  status = team_agree(team, status);
  if (!status) {
    rows_first(run, graph, components, alpha, before);
    all[0] = for_columns(team, before, n);
    if (all[0]) rows_second(run, graph, before, all[0], degree, after);
    all[1] = all[0] ? for_columns(team, after, n) : NULL;
    if (all[1])
      scale_blocks(run, graph, after, all[1]);
    else
      status = fail_memory(run->error, "the degrees of all ranks");
  }
  if (team) mem_free(all[0]), mem_free(all[1]);
  mem_free(before);
  mem_free(after);
  return team || status < 0 ? status : run_status(run);
}
