/* Sparse points: what they go with, their lists, their values. */
#include "base/options.h"
#include "check/check.h"

#include <inttypes.h>
#include <math.h>

int check_sparse_lists(run_t *run, const lavdm_sparse *s) {
  if (s->rows < 1 || s->cols < 1)
    return fail(run->error, LAVDM_ERROR_DATA,
                "the sparse points have %" PRId64 " rows and %" PRId64 " columns: nothing to embed", s->rows,
                s->cols);
  if (!s->start || s->start[0] != 0)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "the list start of sparse points does not begin with 0");
  for (int64_t i = 0; i < s->rows; i++)
    if (s->start[i + 1] < s->start[i])
      return fail(run->error, LAVDM_ERROR_ARGUMENT,
                  "row %" PRId64 " of the sparse points ends before it begins", i + 1);
  if (s->start[s->rows] > 0 && (!s->index || !s->value))
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "the sparse points have no index or no value (NULL)");
  for (int64_t i = 0; i < s->rows; i++)
    for (int64_t e = s->start[i]; e < s->start[i + 1]; e++)
      if (s->index[e] < 0 || s->index[e] >= s->cols || (e > s->start[i] && s->index[e] <= s->index[e - 1]))
        return fail(run->error, LAVDM_ERROR_DATA,
                    "row %" PRId64 " of the sparse points has column %" PRId64
                    ": columns must ascend, from 0 to %" PRId64,
                    i + 1, s->index[e], s->cols - 1);
  return LAVDM_OK;
}

int check_sparse(run_t *run, const lavdm_data *data) {
  const lavdm_options *o = &run->options;
  const lavdm_sparse *s = data->sparse;
  const char *what = data->points || data->read ? "points"
                     : data->edges              ? "edges"
                     : has_turns(o)             ? "images and signals"
                     : run->team                ? "several ranks"
                                                : NULL;
  if (what) return fail(run->error, LAVDM_ERROR_ARGUMENT, "sparse points do not go with %s", what);
  if (o->pca == 0)
    return fail(
        run->error, LAVDM_ERROR_ARGUMENT,
        "pca is 0, and sparse points become principal coordinates: give pca 50, or auto, or make them "
        "dense (n x p numbers, %.3g GB)",
        8e-9 * (double)s->rows * (double)s->cols);
  int status = check_sparse_lists(run, s);
  if (status < 0) return status;
  if (o->pca > s->rows)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "pca is %" PRId64 ", but %" PRId64 " sparse points span no more dimensions than that", o->pca,
                s->rows);
  return LAVDM_OK;
}

int check_sparse_values(run_t *run, const lavdm_sparse *s) {
  double most = largest_value(&run->options);
  for (int64_t i = 0; i < s->rows; i++)
    for (int64_t e = s->start[i]; e < s->start[i + 1]; e++)
      if (!(fabs(s->value[e]) <= most))
        return fail(run->error, LAVDM_ERROR_DATA,
                    "row %" PRId64 ", column %" PRId64 " is %g: every value must be a finite number up to %g",
                    i + 1, s->index[e] + 1, s->value[e], most);
  return LAVDM_OK;
}
