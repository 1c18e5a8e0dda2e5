#include "operator/square.h"

#include "base/memory.h"

#include <math.h>

int square_normalise(run_t *run, bsr_t *graph, const components_t *components, double alpha, double *degree) {
  int64_t n = graph->rows, q2 = graph->q * graph->q;
  double *scale = NEW(double, n);
  if (!scale) return fail_memory(run->error, "the degrees");
#pragma omp parallel num_threads(run->threads)
  {
#pragma omp for schedule(static, 256)
    for (int64_t i = 0; i < n; i++) {
      double sum = 0;
      for (int64_t e = graph->start[i]; e < graph->start[i + 1]; e++) sum += graph->weight[e];
      scale[i] = components->label[i] >= 0 ? pow(sum, -alpha) : 0;
    }
#pragma omp for schedule(static, 256)
    for (int64_t i = 0; i < n; i++) {
      double sum = 0;
      for (int64_t e = graph->start[i]; e < graph->start[i + 1]; e++)
        sum += graph->weight[e] * scale[graph->col[e]];
      degree[i] = sum * scale[i];
    }
#pragma omp for schedule(static, 256)
    for (int64_t i = 0; i < n; i++) scale[i] = degree[i] > 0 ? scale[i] / sqrt(degree[i]) : 0;
#pragma omp for schedule(static, 256)
    for (int64_t i = 0; i < n; i++)
      for (int64_t e = graph->start[i]; e < graph->start[i + 1]; e++) {
        double factor = scale[i] * scale[graph->col[e]];
        for (int64_t b = 0; b < q2; b++) graph->block[e * q2 + b] *= factor;
      }
  }
  mem_free(scale);
  return run_status(run);
}
