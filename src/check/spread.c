/* How far apart the points of a fit are: squares of their differences must be numbers. */
#include "base/memory.h"
#include "base/options.h"
#include "check/check.h"
#include "neighbours/rows.h"

#include <inttypes.h>
#include <math.h>

/* How far, in one coordinate, rows are from the first; the furthest of each stripe. */
typedef struct {
  const double *first;
  int64_t p;
  struct {
    double gap;
    int64_t row;
  } most[STRIPES];
} spread_t;

static double gap_to(const spread_t *s, const strided_t *rows, int64_t i) {
  double gap = 0;
  for (int64_t j = 0; j < s->p; j++) gap = fmax(gap, fabs(rows_value(rows, i, j) - s->first[j]));
  return gap;
}

static void find_furthest(void *context, int stripe, const strided_t *rows, int64_t first, int64_t count) {
  spread_t *s = context;
  for (int64_t i = 0; i < count; i++) {
    double gap = gap_to(s, rows, i);
    if (gap > s->most[stripe].gap) s->most[stripe].gap = gap, s->most[stripe].row = first + i;
  }
}

/* The furthest of a few rows, which as a rule are far enough from each other. */
static int look_around(run_t *run, const lavdm_data *data, spread_t *s, double *row, double *gap) {
  enum { FEW = 16 };
  int status = LAVDM_OK;
  for (int64_t k = 1; k <= FEW && !status; k++) {
    status = REAL(rows_one)(run, data, (data->n - 1) * k / FEW, row);
    for (int64_t j = 0; j < s->p && !status; j++) *gap = fmax(*gap, fabs(row[j] - s->first[j]));
  }
  return status;
}

static int spread_of(run_t *run, const lavdm_data *data, spread_t *s, double *first, double *row) {
  double least = least_spread(&run->options), gap = 0;
  int64_t furthest = 0;
  s->first = first, s->p = data->p;
  int status = team_agree(run->team, REAL(rows_one)(run, data, 0, first));
  if (!status) status = team_share_first(run->team, first, data->p);
  if (!status) status = team_agree(run->team, look_around(run, data, s, row, &gap));
  if (!status) status = team_extreme(run->team, &gap, 1, true);
  if (status < 0 || gap >= least) return status;
  status = team_agree(run->team, REAL(rows_pass)(run, data, NULL, find_furthest, s));
  gap = 0;
  for (int k = 0; k < STRIPES; k++)
    if (s->most[k].gap > gap) gap = s->most[k].gap, furthest = s->most[k].row;
  if (!status) status = team_extreme(run->team, &gap, 1, true);
  if (status < 0 || gap == 0 || gap >= least) return status;
  bool single = run->options.precision == LAVDM_PRECISION_SINGLE;
  return fail(
      run->error, LAVDM_ERROR_DATA,
      "all points are as good as equal: row %" PRId64
      " is the furthest from the first, and by %g; squares of differences below %g cannot be told from "
      "0%s: multiply the points by a number first",
      run->first + furthest + 1, gap, least, single ? " in single precision" : "");
}

int check_spread(run_t *run, const lavdm_data *data) {
  lavdm_metric metric = run->options.metric;
  bool differences = metric == LAVDM_METRIC_EUCLIDEAN || metric == LAVDM_METRIC_MANHATTAN ||
                     metric == LAVDM_METRIC_CHEBYSHEV;
  if ((!data->points && !data->read) || !differences) return LAVDM_OK;
  spread_t *s = NEW(spread_t, 1);
  double *first = NEW(double, data->p), *row = NEW(double, data->p);
  int status = team_agree(run->team, s && first && row ? LAVDM_OK : LAVDM_ERROR_MEMORY);
  status = status < 0 ? fail_memory(run->error, "a point") : spread_of(run, data, s, first, row);
  mem_free(s);
  mem_free(first);
  mem_free(row);
  return status;
}
