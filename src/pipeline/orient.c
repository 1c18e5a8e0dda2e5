/*
 * Orientability. With the orientation bundle (O = sign of the determinant) the
 * top eigenvalue is 1, with an eigenvector of constant magnitude, if signs can
 * be given to the frames that agree along every edge: the manifold is
 * orientable. Otherwise it is lambda = exp(-c mu), mu > 0 the first eigenvalue
 * of the twisted Laplacian, to be compared with the first non-zero eigenvalue
 * of the ordinary one at the same c: ratio = log lambda / log lambda_trivial.
 * It is 0 if orientable; 1/3 on RP2, 1/4 on a Moebius band, 1 on the flat Klein
 * bottle. The magnitude |v| / rms |v| averages 1 if orientable, about .9 if not.
 */
#include "base/memory.h"
#include "base/status.h"
#include "model/model.h"
#include "pipeline/twin.h"

#include <math.h>
#include <string.h>

/* Log-odds for "orientable": the ratio against 0.1, the magnitude against 0.95. */
static double evidence(const lavdm_orientation *o) {
  return 2 * log(0.1 / fmax(o->ratio, 1e-6)) + (o->mean_magnitude - 0.95) / 0.008;
}

static void judge(lavdm_orientation *o) {
  double odds = evidence(o);
  o->orientable = odds > 0;
  o->confidence = 1 / (1 + exp(-fabs(odds)));
}

/* The statistics of one orientation-bundle model and its trivial twin. */
static void measure(const lavdm_model *model, double trivial, lavdm_orientation *out, double *signs) {
  const lavdm_array *u = lavdm_get(model, "eigenvectors");
  int64_t n = model->info.n, r = model->info.chosen.components, used = n - model->info.isolated;
  double sum = 0, square = 0;
  for (int64_t i = 0; i < n; i++) {
    double v =
        u->type == LAVDM_F32 ? (double)((const float *)u->data)[i * r] : ((const double *)u->data)[i * r];
    sum += fabs(v);
    square += v * v;
    signs[i] = v > 0 ? 1 : v < 0 ? -1 : 0;
  }
  out->eigenvalue = model->info.eigenvalues[0];
  out->trivial_eigenvalue = trivial;
  out->ratio =
      -log(fmin(fmax(out->eigenvalue, 1e-300), 1)) / fmax(-log(fmin(fmax(trivial, 1e-300), 1)), 1e-12);
  out->mean_magnitude = square > 0 ? sum / sqrt(square * (double)used) : 0;
  judge(out);
}

/* Both fits on one set of points. */
static int one_piece(const lavdm_data *data, const lavdm_options *options, lavdm_orientation *out,
                     double *signs, lavdm_model **model, lavdm_error *error) {
  lavdm_options o = *options;
  o.checkpoint = NULL; /* there are several fits */
  o.bundle = LAVDM_BUNDLE_ORIENTATION;
  /* the sign is sure only between nearby planes: short steps, and no tails */
  if (o.cutoff == LAVDM_AUTO && o.kernel == LAVDM_KERNEL_GAUSSIAN) o.cutoff = 1.5;
  bool given = data->landmark_points || data->landmark_index;
  if (o.landmarks == LAVDM_AUTO && !given && o.method == LAVDM_METHOD_LAVDM && data->n > 0)
    o.landmarks = (int64_t)fmin(6 * sqrt((double)data->n), (double)data->n);
  int status = lavdm_fit(data, &o, model, error);
  if (status < 0) return status;
  lavdm_model *trivial;
  int second = fit_twin(data, *model, options, 2, &trivial, error);
  if (second < 0) {
    lavdm_free(*model);
    *model = NULL;
    return second;
  }
  double value = lavdm_info(trivial)->chosen.components == 2 ? lavdm_info(trivial)->eigenvalues[1] : 0;
  lavdm_free(trivial);
  measure(*model, value, out, signs);
  return status;
}

/* The points of one component, on their own. */
static int component_piece(const lavdm_data *data, const lavdm_options *options, const int64_t *label,
                           int64_t which, int64_t count, lavdm_orientation *out, double *signs,
                           lavdm_error *error) {
  int64_t p = data->p, rs = data->row_stride, cs = data->col_stride;
  if (!rs && !cs) rs = p, cs = 1;
  double *x = NEW(double, count *p), *sign = NEW(double, count);
  int status = x && sign ? 0 : fail_memory(error, "a component");
  for (int64_t i = 0, at = 0; !status && i < data->n; i++) {
    if (label[i] != which) continue;
    for (int64_t j = 0; j < p; j++)
      x[at * p + j] = data->type == LAVDM_F32 ? (double)((const float *)data->points)[i * rs + j * cs]
                                              : ((const double *)data->points)[i * rs + j * cs];
    at++;
  }
  lavdm_data part = {.points = x, .n = count, .p = p};
  lavdm_model *model = NULL;
  if (!status) status = one_piece(&part, options, out, sign, &model, error);
  for (int64_t i = 0, at = 0; status >= 0 && i < data->n; i++)
    if (label[i] == which) signs[i] = sign[at++];
  lavdm_free(model);
  mem_free(x);
  mem_free(sign);
  return status;
}

/* Each component judged on its own, with the bandwidth of the whole; the one
 * with the least evidence speaks for all. */
static int by_components(const lavdm_data *data, const lavdm_options *options, const lavdm_model *whole,
                         lavdm_orientation *verdict, double *signs, lavdm_error *error) {
  enum { FEWEST = 20 }; /* points that can be judged at all */
  const int64_t *label = lavdm_get(whole, "graph_component")->data;
  lavdm_options o = *options;
  o.epsilon = whole->info.chosen.epsilon;
  o.dim = whole->info.chosen.dim;
  o.design = options->design == LAVDM_DESIGN_GIVEN ? LAVDM_DESIGN_KMEANS : options->design;
  o.landmarks = o.components = LAVDM_AUTO;
  double least = INFINITY;
  for (int64_t c = 0; c < whole->info.graph_components; c++) {
    int64_t count = 0;
    for (int64_t i = 0; i < data->n; i++) count += label[i] == c;
    if (count < FEWEST) continue;
    o.knn = options->knn < count ? options->knn : count - 1;
    lavdm_orientation piece = {0};
    int status = component_piece(data, &o, label, c, count, &piece, signs, error);
    if (status < 0) return status;
    if (evidence(&piece) >= least) continue;
    least = evidence(&piece);
    *verdict = piece;
  }
  return LAVDM_OK;
}

int lavdm_orient(const lavdm_data *data, const lavdm_options *options, lavdm_orientation *verdict,
                 double *signs, lavdm_model **model, lavdm_error *error) {
  if (model) *model = NULL;
  if (!data || !options || !verdict || !signs)
    return fail(error, LAVDM_ERROR_ARGUMENT, "data, options, verdict or signs are missing (NULL)");
  if (!data->points && data->read)
    return fail(error, LAVDM_ERROR_ARGUMENT, "orientation is judged from points in memory");
  if (data->edges)
    return fail(error, LAVDM_ERROR_ARGUMENT, "orientation is judged from points, not from edges");
  *verdict = (lavdm_orientation){0};
  lavdm_options o = *options;
  if (o.method == LAVDM_METHOD_DM) o.method = LAVDM_METHOD_VDM;
  if (o.method == LAVDM_METHOD_ROSELAND || o.method == LAVDM_METHOD_NYSTROM) o.method = LAVDM_METHOD_LAVDM;
  lavdm_model *whole;
  int status = one_piece(data, &o, verdict, signs, &whole, error);
  if (status < 0) return status;
  if (whole->info.graph_components > 1) {
    int pieces = by_components(data, &o, whole, verdict, signs, error);
    if (pieces < 0) {
      lavdm_free(whole);
      return pieces;
    }
  }
  verdict->graph_components = whole->info.graph_components;
  if (model)
    *model = whole;
  else
    lavdm_free(whole);
  return status;
}
