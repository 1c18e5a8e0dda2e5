#include "graph/walk.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

enum { STREAM_WALK = 151, C = WALK_COORDINATES };

static double degree_of(const bsr_t *g, int64_t i) {
  double sum = 0;
  for (int64_t e = g->start[i]; e < g->start[i + 1]; e++) sum += g->weight[e];
  return sum;
}

/* R */
static void start_walk(const run_t *run, const double *degree, int64_t n, double *x) {
  random_t random = random_start(run->options.seed, STREAM_WALK);
  double total = 0;
  for (int64_t i = 0; i < n; i++) total += degree[i];
  for (int64_t i = 0; i < n; i++) {
    double size = degree[i] > 0 ? sqrt(total / (degree[i] * C)) : 0;
    for (int c = 0; c < C; c++) x[i * C + c] = random_uniform(&random) < 0.5 ? -size : size;
  }
}

/* y = T x */
static void step(const run_t *run, const bsr_t *g, const double *degree, const double *x, double *y) {
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 1024)
  for (int64_t i = 0; i < g->rows; i++) {
    double sum[C] = {0};
    for (int64_t e = g->start[i]; e < g->start[i + 1]; e++)
      for (int c = 0; c < C; c++) sum[c] += g->weight[e] * x[(int64_t)g->col[e] * C + c];
    for (int c = 0; c < C; c++) y[i * C + c] = degree[i] > 0 ? (x[i * C + c] + sum[c] / degree[i]) / 2 : 0;
  }
}

int walk_coordinates(run_t *run, const bsr_t *g, double *x) {
  int64_t n = g->rows, first = 0;
  double *degree = NEW(double, n), *y = NEW(double, n *C), *from = x, *to = y;
  int status = degree && y ? LAVDM_OK : fail_memory(run->error, "choosing landmarks");
  if (!status) {
    for (int64_t i = 0; i < n; i++) degree[i] = degree_of(g, i);
    start_walk(run, degree, n, x);
    for (int t = 0; t < WALK_STEPS && !run_stopped(run, t, WALK_STEPS); t++) {
      step(run, g, degree, from, to);
      double *swap = from;
      from = to, to = swap;
    }
    if (from != x) memcpy(x, from, (size_t)(n * C) * sizeof *x);
    while (first < n - 1 && !(degree[first] > 0)) first++;
    for (int64_t i = 0; i < n; i++)
      if (!(degree[i] > 0)) memmove(x + i * C, x + first * C, C * sizeof *x);
    status = run_status(run);
  }
  mem_free(degree);
  mem_free(y);
  return status;
}
