/*
 * The dimension from distances alone: k points are within r_k of a point, and k grows as r_k^d. From k to 2k,
 * over the scales that there are points for,
 *
 *     d = log 2 / mean of log (r_2k / r_k),
 *
 * the mean being over a sample of points and their scales.
 */
#include "base/memory.h"
#include "base/options.h"
#include "choose/choose.h"
#include "neighbours/metric.h"

#include <inttypes.h>

enum {
  MOST_DIM = 10, /* as for points with coordinates */
  ROWS = 300,    /* points looked at */
  LEAST = 6,     /* neighbours of the first scale: fewer say little */
  SCALES = 5,
  PART = 10 /* neighbours are no more than this part of the points */
};

/* The most neighbours that can be asked for. */
static int64_t most_neighbours(const run_t *run, int64_t n) {
  metric_t metric = metric_of(run);
  int64_t most = n / PART > 2 * LEAST ? n / PART : n - 1;
  return metric_listed(&metric) && run->options.knn < most ? run->options.knn : most;
}

/* Adds log (r_2k / r_k), of squared distances d2, to the sum. */
static int add_scale(engine_t *engine, const rows_t *rows, int64_t count, int64_t k, double *near,
                     double *far, double *sum, int64_t *pairs) {
  int status = engine->ops->nearest(engine, rows, count, rows, k, near);
  if (!status) status = engine->ops->nearest(engine, rows, count, rows, 2 * k, far);
  for (int64_t i = 0; i < count && !status; i++)
    if (near[i] > 0) *sum += log(far[i] / near[i]) / 2, (*pairs)++;
  return status;
}

int choose_growth(engine_t *engine, const rows_t *rows) {
  run_t *run = engine->run;
  int64_t count = rows->n < ROWS ? rows->n : ROWS, most = most_neighbours(run, rows->n), pairs = 0;
  int64_t k = most / 2 < LEAST ? (most > 1 ? most / 2 : 1) : LEAST, first = k;
  double *near = NEW(double, count), *far = NEW(double, count), sum = 0;
  int status = near && far ? LAVDM_OK : fail_memory(run->error, "the neighbours");
  for (int s = 0; s < SCALES && 2 * k <= most && !status; s++, k *= 2)
    status = add_scale(engine, rows, count, k, near, far, &sum, &pairs);
  mem_free(near);
  mem_free(far);
  if (status < 0) return status;
  double d = sum > 0 ? log(2.0) * (double)pairs / sum
             : pairs ? (double)INFINITY
                     : 1; /* all equal: a simplex */
  run->options.dim = d < 1 ? 1 : d > MOST_DIM ? MOST_DIM : lround(d);
  run_reason(run, "dim",
             "%" PRId64 ": from %" PRId64 " to %" PRId64
             " neighbours, distances grow as their number to the power 1/%.2g",
             run->options.dim, first, k, d);
  return LAVDM_OK;
}
