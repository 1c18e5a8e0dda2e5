#include "check/check.h"

#include "base/memory.h"
#include "base/options.h"
#include "neighbours/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The first value of each stripe that cannot be used. */
typedef struct {
  double most;
  int64_t p, bad[STRIPES];
} worst_t;

static void look_at(void *context, int stripe, const strided_t *rows, int64_t first, int64_t count) {
  worst_t *worst = context;
  int64_t p = worst->p;
  for (int64_t i = 0; i < count && worst->bad[stripe] == INT64_MAX; i++) {
    bool usable = true;
    for (int64_t j = 0; j < p; j++) usable &= fabs(rows_value(rows, i, j)) <= worst->most;
    for (int64_t j = 0; j < p && !usable; j++)
      if (!(fabs(rows_value(rows, i, j)) <= worst->most) && worst->bad[stripe] == INT64_MAX)
        worst->bad[stripe] = (first + i) * p + j;
  }
}

/* `bad`: where the value is, counted along the rows. */
static int bad_value(run_t *run, const char *whose, int64_t bad, int64_t p, double x) {
  char bound[64] = "; remove or fill it first";
  bool single = run->options.precision == LAVDM_PRECISION_SINGLE;
  if (isfinite(x))
    snprintf(bound, sizeof bound, " up to %g%s", largest_value(&run->options),
             single ? " in single precision" : "");
  return fail(run->error, LAVDM_ERROR_DATA,
              "%srow %" PRId64 ", column %" PRId64 " is %g: every value must be a finite number%s", whose,
              bad / p + 1, bad % p + 1, x, bound);
}

int check_values(run_t *run, const lavdm_data *data) {
  double most = largest_value(&run->options);
  int64_t p = data->p, bad = INT64_MAX; /* the first, in row-major order */
  worst_t worst = {.most = most, .p = p};
  for (int s = 0; s < STRIPES; s++) worst.bad[s] = INT64_MAX;
  int status = REAL(rows_pass)(run, data, NULL, look_at, &worst);
  for (int s = 0; s < STRIPES; s++) bad = worst.bad[s] < bad ? worst.bad[s] : bad;
  if (status < 0 || bad == INT64_MAX) return status;
  double *row = NEW(double, p);
  status = row ? REAL(rows_one)(run, data, bad / p, row) : fail_memory(run->error, "a point");
  double x = status < 0 ? 0 : row[bad % p];
  mem_free(row);
  if (status < 0) return status;
  return bad_value(run, "", bad, p, x);
}

/* dm and vdm have no landmarks, or, as their results say, as many as points. */
static void warn_of_landmarks(run_t *run, bool given) {
  const lavdm_options *o = &run->options;
  bool number = o->landmarks != LAVDM_AUTO && o->landmarks != run->total, dm = o->method == LAVDM_METHOD_DM;
  if (run->sample || !(number || given || o->design != LAVDM_DESIGN_KMEANS)) return;
  run_warn(run, "%s has no landmarks, so that %s no use: %s has (--method %s)", dm ? "dm" : "vdm",
           number  ? "their number is of"
           : given ? "those that are given are of"
                   : "their design is of",
           dm ? "roseland" : "lavdm", dm ? "roseland" : "lavdm");
}

static int check_landmarks(run_t *run, const lavdm_data *data) {
  lavdm_options *o = &run->options;
  bool given = data->landmark_points || data->landmark_index;
  if (!has_landmarks(o)) warn_of_landmarks(run, given);
  if (given) o->design = LAVDM_DESIGN_GIVEN;
  if (o->design != LAVDM_DESIGN_GIVEN) return LAVDM_OK;
  if (!given || data->landmark_count < 1)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "design is given, but there are no landmarks");
  for (int64_t k = 0; data->landmark_index && k < data->landmark_count; k++)
    if (data->landmark_index[k] < 0 || data->landmark_index[k] >= run->total)
      return fail(run->error, LAVDM_ERROR_DATA,
                  "landmark %" PRId64 " is row %" PRId64 " of the data, which has %" PRId64
                  " (counted from 0)",
                  k + 1, data->landmark_index[k], run->total);
  for (int64_t k = 0; !data->landmark_index && k < data->landmark_count * data->p; k++)
    if (!(fabs(data->landmark_points[k]) <= largest_value(o)))
      return bad_value(run, "landmarks: ", k, data->p, data->landmark_points[k]);
  if (o->landmarks != LAVDM_AUTO && o->landmarks != data->landmark_count)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "landmarks is %" PRId64 ", but %" PRId64 " are given",
                o->landmarks, data->landmark_count);
  return LAVDM_OK;
}

static int check_sizes(run_t *run, const lavdm_data *data) {
  const lavdm_options *o = &run->options;
  int64_t n = run->total;
  if (data->n < 1 || data->p < 1)
    return fail(run->error, LAVDM_ERROR_DATA,
                "the data has %" PRId64 " rows and %" PRId64 " columns: nothing to embed", data->n, data->p);
  if (data->n > INT64_MAX / 16 / data->p) /* a double and its place */
    return fail(run->error, LAVDM_ERROR_DATA,
                "the data has %" PRId64 " rows and %" PRId64 " columns: more than any machine can address",
                data->n, data->p);
  if (n < 2)
    return fail(run->error, LAVDM_ERROR_DATA,
                "the data has one point: at least two are needed to diffuse between");
  if (data->type != LAVDM_F64 && data->type != LAVDM_F32)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "points must be of type LAVDM_F64 or LAVDM_F32");
  if (o->pca > 0 && !data->points && !data->sparse && !has_turns(o))
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "pca needs the points in memory: leave out stream");
  if (o->pca > data->p)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "pca is %" PRId64 ", but the points have only %" PRId64 " coordinates", o->pca, data->p);
  if (o->pca > 0 && o->dim != LAVDM_AUTO && o->dim > o->pca)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "dim is %" PRId64 ", but pca leaves only %" PRId64 " coordinates", o->dim, o->pca);
  if (o->dim != LAVDM_AUTO && o->dim > data->p && o->metric != LAVDM_METRIC_PRECOMPUTED)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "dim is %" PRId64 ", but the points have only %" PRId64 " coordinates", o->dim, data->p);
  if (method_has_landmarks(o->method) && o->landmarks != LAVDM_AUTO && o->landmarks > n &&
      !data->landmark_points)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "landmarks is %" PRId64 ", but there are only %" PRId64 " points", o->landmarks, n);
  if (o->knn != LAVDM_AUTO && o->knn > n - 1)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "knn is %" PRId64 ", but a point has only %" PRId64 " others around it", o->knn, n - 1);
  if (o->frame_knn != LAVDM_AUTO && o->frame_knn > n - 1)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "frame_knn is %" PRId64 ", but a point has only %" PRId64 " others around it", o->frame_knn,
                n - 1);
  return LAVDM_OK;
}

/* Height and width of the images, or 1 and the length of the signals. */
static int check_objects(run_t *run, lavdm_data *data) {
  enum { MOST = 4096 }; /* on a side: beyond, the functions that images are expanded in would not fit */
  int64_t p = data->p, h = data->height, w = data->width;
  if (run->options.bundle == LAVDM_BUNDLE_SHIFT) {
    data->height = 1, data->width = p;
    if (p >= 3) return LAVDM_OK;
    return fail(run->error, LAVDM_ERROR_DATA,
                "signals have %" PRId64 " samples: to be shifted they need 3 or more", p);
  }
  if (!h && !w) {
    h = w = (int64_t)lround(sqrt((double)p));
    if (h * w != p)
      return fail(run->error, LAVDM_ERROR_DATA,
                  "images have %" PRId64
                  " pixels, which is no square: give height and width, or the images as n x height x width",
                  p);
  }
  if (h > 0 && !w) w = p / h;
  if (w > 0 && !h) h = p / w;
  if (h < 1 || w < 1 || h > p || w > p || h > p / w || h * w != p)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "height %" PRId64 " times width %" PRId64 " is not the %" PRId64 " pixels that images have",
                h, w, p);
  if (h < 3 || w < 3 || h > MOST || w > MOST)
    return fail(run->error, LAVDM_ERROR_DATA,
                "images of %" PRId64 " x %" PRId64
                " pixels cannot be turned: from 3 to %d on each side are allowed",
                h, w, (int)MOST);
  data->height = h, data->width = w;
  return LAVDM_OK;
}

/* What a diffusion with row sums of 1 cannot be. */
static int check_balance(run_t *run) {
  const lavdm_options *o = &run->options;
  if (o->normalise != LAVDM_NORMALISE_SINKHORN) return LAVDM_OK;
  if (o->method == LAVDM_METHOD_LAVDM || o->method == LAVDM_METHOD_ROSELAND)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "normalise is sinkhorn, which is for dm, vdm and nystrom: the diffusion of %s, through "
                "landmarks, is normalised by degree",
                o->method == LAVDM_METHOD_LAVDM ? "lavdm" : "roseland");
  if (has_turns(o))
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "normalise is sinkhorn, which is for points and given edges, not for images and signals");
  if (o->alpha > 0)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "alpha is %g, but normalise is sinkhorn, which leaves it no use: every sum of weights is 1",
                o->alpha);
  return LAVDM_OK;
}

/* And what bandwidths of each point's own cannot go with. */
static int check_local(run_t *run, const lavdm_data *data) {
  const lavdm_options *o = &run->options;
  if (!has_local(o)) return LAVDM_OK;
  const char *what = method_has_landmarks(o->method)            ? "landmarks: it is for dm and vdm"
                     : data->edges                              ? "edges of your own, which have no distances"
                     : has_turns(o)                             ? "images and signals"
                     : o->normalise == LAVDM_NORMALISE_SINKHORN ? "normalise sinkhorn"
                                                                : NULL;
  return what ? fail(run->error, LAVDM_ERROR_ARGUMENT, "bandwidth is local, which does not go with %s", what)
              : LAVDM_OK;
}

int check_options(run_t *run, lavdm_data *data) {
  lavdm_options *o = &run->options;
  if (team_share(run->team, data->n, &run->first, &run->total) < 0)
    return fail_memory(run->error, "the rows of all ranks");
  int status = options_check(o, run->error);
  if (status < 0) return status;
  if (o->kernel == LAVDM_KERNEL_CALLBACK && !o->kernel_function)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "kernel is callback, but there is no kernel_function");
  bool plain = o->method == LAVDM_METHOD_DM || o->method == LAVDM_METHOD_ROSELAND;
  if (o->bundle == LAVDM_BUNDLE_AUTO)
    o->bundle = data->edges ? LAVDM_BUNDLE_GIVEN : plain ? LAVDM_BUNDLE_TRIVIAL : LAVDM_BUNDLE_TANGENT;
  if (plain && (o->bundle == LAVDM_BUNDLE_TANGENT || o->bundle == LAVDM_BUNDLE_ORIENTATION))
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "%s has the trivial bundle: for another use %s",
                o->method == LAVDM_METHOD_DM ? "dm" : "roseland",
                o->method == LAVDM_METHOD_DM ? "vdm" : "lavdm");
  if (o->bundle == LAVDM_BUNDLE_GIVEN && !data->edges)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "bundle is given, but there are no edges");
  if (o->bundle != LAVDM_BUNDLE_GIVEN && data->edges)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "there are edges, but bundle is not given");
  if (o->method == LAVDM_METHOD_NYSTROM && o->bundle == LAVDM_BUNDLE_GIVEN)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "nystrom needs points, whose distances to landmarks it asks for: edges alone have none");
  if (o->method == LAVDM_METHOD_NYSTROM && has_turns(o))
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "nystrom knows no images or signals: use lavdm or vdm");
  if ((status = check_balance(run)) < 0 || (status = check_local(run, data)) < 0) return status;
  if (data->edges && (status = check_given(run, data)) < 0) return status;
  if (data->sparse && (status = check_sparse(run, data)) < 0) return status;
  if ((status = check_metric(run, data)) < 0) return status;
  if (!data->points && !data->read && !data->sparse) {
    if (o->bundle != LAVDM_BUNDLE_GIVEN) return fail(run->error, LAVDM_ERROR_DATA, "there are no points");
    return LAVDM_OK;
  }
  bool square = !method_has_landmarks(o->method);
  if (square && (!(data->points || data->sparse) || o->stream == LAVDM_STREAM_YES))
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "only methods with landmarks (lavdm, roseland, nystrom) can be streamed: dm and vdm need all "
                "points in "
                "memory");
  if (!data->row_stride && !data->col_stride) data->row_stride = data->p, data->col_stride = 1;
  status = check_sizes(run, data);
  return status < 0 || !has_turns(o) ? status : check_objects(run, data);
}

int check_input(run_t *run, lavdm_data *data) {
  int status = check_options(run, data);
  if (status < 0 || (!data->points && !data->read && !data->sparse)) return status;
  status = data->edges ? LAVDM_OK : check_landmarks(run, data);
  if (status < 0) return status;
  if (data->sparse) return check_sparse_values(run, data->sparse);
  if (data->distances) return run->sample ? LAVDM_OK : check_distances(run, data->distances, true);
  status = check_values(run, data);
  if (!status) check_for_distances(run, data);
  return status;
}
