#include "operator/square.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* One number for each row here, for each column: those of all ranks. NULL if there is no memory. */
static double *for_columns(const team_t *team, double *rows, int64_t n) {
  int64_t first, total;
  return team ? team_rows(team, rows, n, sizeof *rows, &first, &total) : rows;
}

/* density = D, scale = w D^-alpha. */
static void rows_first(const run_t *run, const bsr_t *graph, const components_t *components,
                       const double *weight, double alpha, double *density, double *scale) {
#pragma omp parallel for num_threads(run->threads) schedule(static, 256)
  for (int64_t i = 0; i < graph->rows; i++) {
    double sum = 0;
    for (int64_t e = graph->start[i]; e < graph->start[i + 1]; e++)
      sum += graph->weight[e] * (weight ? weight[graph->col[e]] : 1);
    density[i] = sum;
    scale[i] = components->label[i] >= 0 ? pow(sum, -alpha) * (weight ? weight[i] : 1) : 0;
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
                     const double *weight, double alpha, double *density, double *degree) {
  int64_t n = graph->rows;
  double *before = NEW(double, n), *after = NEW(double, n), *all[2] = {NULL, NULL};
  int status = before && after ? LAVDM_OK : fail_memory(run->error, "the degrees");
  status = team_agree(team, status);
  if (!status) {
    rows_first(run, graph, components, weight, alpha, density, before);
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

/* ---------------------------------------------------------------- balance */

void square_hollow(bsr_t *graph, int64_t first) {
  int64_t q2 = graph->q * graph->q, kept = 0, begin = 0;
  for (int64_t i = 0; i < graph->rows; i++) {
    int64_t end = graph->start[i + 1];
    for (int64_t e = begin; e < end; e++) {
      if (graph->col[e] == first + i) continue;
      graph->col[kept] = graph->col[e];
      graph->weight[kept] = graph->weight[e];
      if (kept != e)
        memcpy(graph->block + kept * q2, graph->block + e * q2, (size_t)q2 * sizeof *graph->block);
      kept++;
    }
    begin = end;
    graph->start[i + 1] = kept;
  }
}

/* flow = W d, all: d of every column; returns the largest |d flow - 1| of the rows that have a d. */
static double row_flows(const run_t *run, const bsr_t *graph, const double *d, const double *all,
                        double *flow) {
  double worst = 0;
#pragma omp parallel for num_threads(run->threads) schedule(static, 256) reduction(max : worst)
  for (int64_t i = 0; i < graph->rows; i++) {
    double sum = 0;
    for (int64_t e = graph->start[i]; e < graph->start[i + 1]; e++)
      sum += graph->weight[e] * all[graph->col[e]];
    double off = d[i] > 0 ? fabs(d[i] * sum - 1) : 0;
    flow[i] = sum;
    if (!(off <= worst)) worst = isnan(off) ? INFINITY : off;
  }
  return worst;
}

/* The steps; flow (n) is W d at the end. */
static int balance_steps(run_t *run, const team_t *team, const bsr_t *graph, double *d, double *flow,
                         double *worst) {
  int64_t n = graph->rows;
  int status = LAVDM_OK;
  for (int step = 0; !status; step++) {
    double *all = for_columns(team, d, n);
    status = team_agree(team, all ? LAVDM_OK : fail_memory(run->error, "the degrees of all ranks"));
    if (!status) *worst = row_flows(run, graph, d, all, flow);
    if (team) mem_free(all);
    if (!status) status = team_extreme(team, worst, 1, true);
    if (status < 0 || *worst <= BALANCED || step == BALANCE_STEPS || isinf(*worst)) return status;
    for (int64_t i = 0; i < n; i++)
      if (d[i] > 0) d[i] = sqrt(d[i] / flow[i]);
    run_stopped(run, step, BALANCE_STEPS);
    status = team_agree(team, run_status(run));
  }
  return status;
}

int square_balance(run_t *run, const team_t *team, bsr_t *graph, const components_t *components,
                   double *density, double *degree, balance_t *reached) {
  int64_t n = graph->rows;
  double *d = NEW(double, n), *flow = density, *all = NULL;
  int status = team_agree(team, d ? LAVDM_OK : fail_memory(run->error, "the degrees"));
  for (int64_t i = 0; i < n && !status; i++) d[i] = components->label[i] >= 0;
  *reached = (balance_t){.row = -1};
  if (!status) status = balance_steps(run, team, graph, d, flow, &reached->worst);
  if (!status) {
    all = for_columns(team, d, n);
    status = team_agree(team, all ? LAVDM_OK : fail_memory(run->error, "the degrees of all ranks"));
  }
  for (int64_t i = 0; i < n && !status; i++) {
    if (d[i] > 0 && !(fabs(d[i] * flow[i] - 1) < reached->worst)) reached->row = i;
    degree[i] = d[i] > 0;
  }
  if (!status) scale_blocks(run, graph, d, all);
  for (int64_t i = 0; i < n && !status; i++) density[i] = d[i] > 0 ? 1 / d[i] : 0;
  if (team) mem_free(all);
  mem_free(d);
  return team || status < 0 ? status : run_status(run);
}
