#include "reduce/sphere.h"

#include "base/options.h"
#include "neighbours/rows.h"

#include <inttypes.h>
#include <math.h>

typedef struct {
  lavdm_metric metric;
  int64_t p, width;
  double *out;
  int64_t bad[STRIPES]; /* the first row of each stripe that has no place there */
} sphere_t;

int64_t sphere_width(lavdm_metric metric, int64_t p) {
  return metric == LAVDM_METRIC_HAVERSINE ? 3 : p;
}

/* y / |y|, whatever its size; false if it is 0. */
static bool to_unit(double *y, int64_t p) {
  double most = 0, sum = 0;
  for (int64_t j = 0; j < p; j++) most = fmax(most, fabs(y[j]));
  if (!(most > 0)) return false;
  for (int64_t j = 0; j < p; j++) y[j] /= most, sum += y[j] * y[j];
  sum = sqrt(sum);
  for (int64_t j = 0; j < p; j++) y[j] /= sum;
  return true;
}

/* Less the mean; from differences to the first, so that a constant row is exactly 0. */
static void centre_row(double *y, int64_t p) {
  double first = y[0], mean = 0;
  for (int64_t j = 0; j < p; j++) y[j] -= first, mean += y[j] / (double)p;
  for (int64_t j = 0; j < p; j++) y[j] -= mean;
}

/* Radians: a latitude within pi/2, a longitude within 2 pi. */
static bool to_globe(double latitude, double longitude, double *y) {
  const double quarter = 1.57079632679489662, slack = 1 + 1e-6;
  y[0] = cos(latitude) * cos(longitude);
  y[1] = cos(latitude) * sin(longitude);
  y[2] = sin(latitude);
  return fabs(latitude) <= quarter * slack && fabs(longitude) <= 4 * quarter * slack;
}

static void take_rows(void *context, int stripe, const strided_t *rows, int64_t first, int64_t count) {
  sphere_t *s = context;
  for (int64_t i = 0; i < count && s->bad[stripe] < 0; i++) {
    double *y = s->out + (first + i) * s->width;
    bool placed;
    if (s->metric == LAVDM_METRIC_HAVERSINE) {
      placed = to_globe(rows_value(rows, i, 0), rows_value(rows, i, 1), y);
    } else {
      for (int64_t j = 0; j < s->p; j++) y[j] = rows_value(rows, i, j);
      if (s->metric == LAVDM_METRIC_CORRELATION) centre_row(y, s->p);
      placed = to_unit(y, s->p);
    }
    if (!placed) s->bad[stripe] = first + i;
  }
}

static int refuse(run_t *run, const lavdm_data *data, const char *what, int64_t row, int64_t number) {
  double place[2] = {0};
  if (run->options.metric == LAVDM_METRIC_COSINE)
    return fail(run->error, LAVDM_ERROR_DATA,
                "%srow %" PRId64 " is all zeros, which have no angle to others (metric is cosine): remove it",
                what, number);
  if (run->options.metric == LAVDM_METRIC_CORRELATION)
    return fail(run->error, LAVDM_ERROR_DATA,
                "%srow %" PRId64 " is constant, and has no correlation with others (metric is correlation): "
                "remove it",
                what, number);
  int status = REAL(rows_one)(run, data, row, place);
  return status < 0 ? status
                    : fail(run->error, LAVDM_ERROR_DATA,
                           "%srow %" PRId64 " is latitude %g, longitude %g, where the metric haversine takes "
                           "radians, up to pi/2 and 2 pi: degrees? multiply them by pi/180",
                           what, number, place[0], place[1]);
}

int sphere_apply(run_t *run, const lavdm_data *data, const char *what, int64_t before, double *out) {
  sphere_t s = {run->options.metric, data->p, sphere_width(run->options.metric, data->p), out, {0}};
  int64_t bad = -1;
  for (int k = 0; k < STRIPES; k++) s.bad[k] = -1;
  int status = REAL(rows_pass)(run, data, NULL, take_rows, &s);
  for (int k = STRIPES; k-- > 0;) bad = s.bad[k] >= 0 ? s.bad[k] : bad;
  return status < 0 || bad < 0 ? status : refuse(run, data, what, bad, before + run_row(run, bad) + 1);
}
