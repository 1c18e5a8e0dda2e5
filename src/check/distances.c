/*
 * Metrics and what they go with; distances that are given: of a fit all of them are numbers and not negative,
 * a matrix is square, symmetric and zero on its diagonal, and lists name points.
 */
#include "base/memory.h"
#include "base/options.h"
#include "check/check.h"
#include "neighbours/metric.h"
#include "neighbours/rows.h"

#include <inttypes.h>

/* What rounding may do, of the larger of two distances, or to a zero of the largest: the root of |x|^2 +
 * |y|^2
 * - 2 x'y, as many programs compute it, loses half of the digits. */
static const double SYMMETRIC = 1e-6;

enum { FLOATS = 1 << 24 }; /* whole numbers that a float holds: a point is the number of its row */

/* What a metric cannot go with, and what to do; or NULL. */
static const char *unfit(const run_t *run, const lavdm_data *data) {
  const lavdm_options *o = &run->options;
  bool given = o->metric == LAVDM_METRIC_PRECOMPUTED, counts = o->metric == LAVDM_METRIC_HAMMING ||
                                                               o->metric == LAVDM_METRIC_JACCARD ||
                                                               o->metric == LAVDM_METRIC_HAVERSINE;
  if (data->edges) return "edges of your own, which have weights in place of distances: leave it out";
  if (has_turns(o)) return "images and signals, whose distances are those after the best turn: leave it out";
  if (has_frames(o))
    return o->method == LAVDM_METHOD_VDM || o->method == LAVDM_METHOD_LAVDM
               ? "frames, which are planes of Euclidean space: use the method dm or roseland (--method dm)"
               : "frames, which are planes of Euclidean space: use the bundle trivial";
  if (run->team) return "rows that several ranks share";
  if (o->pca > 0 && (given || counts)) return "pca, which keeps Euclidean distances alone: leave that out";
  if (!given && on_sphere(o->metric) && !data->points)
    return "points that are not in memory: leave out stream";
  if (given && data->landmark_points) return "landmarks that are no points: name the rows that they are";
  if (given && o->stream == LAVDM_STREAM_YES) return "stream, since distances are in memory: leave that out";
  return NULL;
}

int check_metric(run_t *run, const lavdm_data *data) {
  lavdm_options *o = &run->options;
  char name[32];
  option_choice("metric", (int)o->metric, name, sizeof name);
  if (data->distances && o->metric != LAVDM_METRIC_PRECOMPUTED)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "there are distances in place of points, but metric is %s: it must be precomputed", name);
  if (o->metric == LAVDM_METRIC_EUCLIDEAN) return LAVDM_OK;
  const char *why = unfit(run, data);
  if (why)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "metric is %s, which does not go with %s", name, why);
  if (o->metric == LAVDM_METRIC_PRECOMPUTED && !data->distances)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "metric is precomputed, but there are no distances");
  if (o->metric == LAVDM_METRIC_PRECOMPUTED && has_landmarks(o) && o->design == LAVDM_DESIGN_KMEANS) {
    o->design = LAVDM_DESIGN_FARTHEST;
    run_reason(run, "design", "farthest: k-means needs coordinates, and precomputed distances have none");
  }
  if (o->metric == LAVDM_METRIC_HAVERSINE && data->p != 2 && !run->sample)
    return fail(run->error, LAVDM_ERROR_DATA,
                "rows have %" PRId64 " columns, where the metric haversine takes two: latitude and longitude",
                data->p);
  return LAVDM_OK;
}

/* ------------------------------------------------------------ all of them */

/* A number, no less than `least`, which is 0 but for rounding. */
static bool usable(const run_t *run, double d, double least) {
  return d >= least && d <= largest_value(&run->options);
}

static int bad_distance(run_t *run, int64_t i, int64_t j, double d) {
  return fail(run->error, LAVDM_ERROR_DATA,
              "the distance of row %" PRId64 " and column %" PRId64
              " is %g: it must be a number from 0 to %g",
              i + 1, j + 1, d, largest_value(&run->options));
}

/* What counts as zero. */
static double rounding_of(const lavdm_distances *given) {
  double most = 0;
  for (int64_t i = 0; i < given->rows; i++)
    for (int64_t j = 0; j < given->cols; j++) {
      double d = metric_value(given, i * given->row_stride + j);
      if (isfinite(d)) most = fmax(most, d);
    }
  return SYMMETRIC * most;
}

/* Entry (i,j), and of a square matrix its place on the other side of the diagonal. */
static int check_entry(run_t *run, const metric_t *metric, bool square, double rounding, int64_t i,
                       int64_t j) {
  double d = metric_given(metric, i, j);
  if (!usable(run, d, -rounding)) return bad_distance(run, i, j, d);
  run->uneven |= square && d < 0;
  if (!square || j > i) return LAVDM_OK;
  double other = i == j ? 0 : metric_given(metric, j, i), gap = fabs(d - other);
  run->uneven |= gap != 0;
  if (i == j && gap > rounding)
    return fail(run->error, LAVDM_ERROR_DATA,
                "the distance of row %" PRId64 " to itself is %g: a matrix of distances is 0 on its diagonal "
                "(one of similarities is a graph)",
                i + 1, d);
  if (gap <= SYMMETRIC * fmax(d, other) + rounding || !usable(run, other, -rounding)) return LAVDM_OK;
  return fail(run->error, LAVDM_ERROR_DATA,
              "the distance of row %" PRId64 " and column %" PRId64 " is %g, and that of row %" PRId64
              " and column %" PRId64 " is %g: a matrix of distances is symmetric",
              i + 1, j + 1, d, j + 1, i + 1, other);
}

/* By squares, so that both sides of the diagonal are in the cache. */
static int check_matrix(run_t *run, const lavdm_distances *given, bool square) {
  enum { SIDE = 64 };
  metric_t metric = {LAVDM_METRIC_PRECOMPUTED, given, false};
  double rounding = rounding_of(given);
  int status = LAVDM_OK;
  for (int64_t top = 0; top < given->rows && !run_stopped(run, top, given->rows); top += SIDE)
    for (int64_t left = 0; left < given->cols; left += SIDE)
      for (int64_t i = top; i < top + SIDE && i < given->rows; i++)
        for (int64_t j = left; j < left + SIDE && j < given->cols; j++)
          if ((status = check_entry(run, &metric, square, rounding, i, j)) < 0) return status;
  return run_status(run);
}

/* ------------------------------------------------------------------ lists */

/* One list; *others: how many it names besides the row itself, whose distance is 0 but for rounding. */
static int check_list(run_t *run, const lavdm_distances *given, int64_t i, int64_t *seen, int64_t *others) {
  double own = 0, most = 0;
  *others = 0;
  for (int64_t e = given->start[i]; e < given->start[i + 1]; e++) {
    int64_t j = given->index[e];
    double d = metric_value(given, e);
    if (j < 0 || j >= given->cols)
      return fail(run->error, LAVDM_ERROR_DATA,
                  "the list of row %" PRId64 " names the point %" PRId64 ", and there are %" PRId64
                  " (counted from 0)",
                  i + 1, j, given->cols);
    if (!usable(run, d, 0)) return bad_distance(run, i, j, d);
    if (seen[j] == i + 1)
      return fail(run->error, LAVDM_ERROR_DATA,
                  "the list of row %" PRId64 " names the point %" PRId64 " (counted from 0) twice", i + 1, j);
    seen[j] = i + 1;
    most = fmax(most, d);
    if (i == j) own = d;
    *others += i != j;
  }
  if (own <= SYMMETRIC * most) return LAVDM_OK;
  return fail(run->error, LAVDM_ERROR_DATA, "the distance of row %" PRId64 " to itself is %g: it must be 0",
              i + 1, own);
}

/* The k-NN graph has no more neighbours than the shortest list. */
static int settle_neighbours(run_t *run, int64_t shortest, int64_t row) {
  lavdm_options *o = &run->options;
  if (shortest < 1 || o->knn > shortest)
    return fail(run->error, LAVDM_ERROR_DATA,
                "%s %" PRId64 " neighbours of row %" PRId64 " are given: give more, or a smaller knn",
                shortest < 1 ? "only" : "knn is more than the", shortest, row + 1);
  if (o->knn == LAVDM_AUTO) {
    o->knn = shortest;
    run_reason(run, "knn", "%" PRId64 ": as many neighbours as are given of every row", shortest);
  }
  o->edges = LAVDM_EDGES_KNN;
  return LAVDM_OK;
}

static int check_lists(run_t *run, const lavdm_distances *given) {
  const lavdm_options *o = &run->options;
  if (has_landmarks(o) || (o->edges != LAVDM_EDGES_AUTO && o->edges != LAVDM_EDGES_KNN))
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "lists of neighbours are for the method dm with edges knn: %s needs all distances",
                has_landmarks(o) ? "a method with landmarks" : "another rule of edges");
  int64_t *seen = NEW(int64_t, given->cols), shortest = INT64_MAX, row = 0, others = 0;
  int status = seen ? LAVDM_OK : fail_memory(run->error, "the distances");
  for (int64_t i = 0; i < given->rows && !status && !run_stopped(run, i, given->rows); i++) {
    if (given->start[i] < 0 || given->start[i + 1] < given->start[i])
      status =
          fail(run->error, LAVDM_ERROR_ARGUMENT, "the list of row %" PRId64 " ends before it begins", i + 1);
    else
      status = check_list(run, given, i, seen, &others);
    if (others < shortest) shortest = others, row = i;
  }
  mem_free(seen);
  if (!status) status = run_status(run);
  return status < 0 ? status : settle_neighbours(run, shortest, row);
}

int check_distances(run_t *run, const lavdm_distances *given, bool square) {
  if (!given->value || given->rows < 1 || given->cols < 1 || (given->index && !given->start))
    return fail(run->error, LAVDM_ERROR_DATA, "there are no distances");
  if (given->type != LAVDM_F64 && given->type != LAVDM_F32)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "distances must be of type LAVDM_F64 or LAVDM_F32");
  if (run->options.precision == LAVDM_PRECISION_SINGLE && given->rows > FLOATS)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "the distances have %" PRId64
                " rows, whose numbers single precision tells apart up to %d: use double",
                given->rows, FLOATS);
  if (square && given->rows != given->cols)
    return fail(run->error, LAVDM_ERROR_DATA,
                "the distances are %" PRId64 " x %" PRId64
                ", where a fit takes those between all points, a square matrix",
                given->rows, given->cols);
  if (given->index && !square)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "new points are given by their distances to all points of the fit, not by lists");
  return given->index ? check_lists(run, given) : check_matrix(run, given, square);
}

/* ------------------------------------------------ distances taken for points */

void check_for_distances(run_t *run, const lavdm_data *data) {
  int64_t n = data->n, p = data->p;
  if (run->sample || run->options.metric != LAVDM_METRIC_EUCLIDEAN || !data->points || data->edges ||
      n != p || n < 3 || has_turns(&run->options))
    return;
  strided_t rows = {
      .points = data->points, .type = data->type, .row = data->row_stride, .col = data->col_stride};
  double most = 0;
  for (int64_t j = 0; j < n; j++) most = fmax(most, rows_value(&rows, 0, j));
  for (int64_t i = 0; i < n; i++)
    if (fabs(rows_value(&rows, i, i)) > SYMMETRIC * most) return;
  for (int64_t i = 1; i < n && !run_stopped(run, i, n); i++)
    for (int64_t j = 0; j < i; j++) {
      double x = rows_value(&rows, i, j), y = rows_value(&rows, j, i);
      if (!(x >= 0) || fabs(x - y) > SYMMETRIC * fmax(x, y)) return;
    }
  run_warn(run,
           "the %" PRId64 " points look like a matrix of distances (square, symmetric, 0 on the diagonal), "
           "and were taken for coordinates: for distances give --metric precomputed "
           "(metric=\"precomputed\" in Python)",
           n);
}
