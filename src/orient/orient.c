/*
 * Orientability. With the orientation bundle (O = sign of the determinant) the
 * top eigenvalue is 1, with an eigenvector of constant magnitude, if signs can
 * be given to the frames that agree along every edge: the manifold is
 * orientable. Otherwise it is lambda = exp(-c mu), mu > 0 the first eigenvalue
 * of the twisted Laplacian, to be compared with the first non-zero eigenvalue
 * of the ordinary one at the same c: ratio = log lambda / log lambda_trivial.
 * It is 0 if orientable; 1/3 on RP2, 1/4 on a Moebius band, 1 on the flat Klein
 * bottle. The magnitude |v| / rms |v| averages 1 if orientable, about .9 if not.
 * A graph that falls apart is judged piece by piece, v being that of the piece.
 */
#include "base/door.h"
#include "base/memory.h"
#include "base/status.h"
#include "frames/polar.h"
#include "model/model.h"
#include "orient/twin.h"

#include <math.h>
#include <string.h>

enum {
  FEWEST = 20,  /* points of a piece that is judged, if there are several */
  PLENTY = 100, /* points on which the evidence counts in full */
  WIDEST = 5    /* no plane is that of more than this part of the points */
};

/* Doubt below the first is no reason to look again, and below the second none to mistrust signs that agree.
 */
static const double sure = 0.01, fair = 0.03;

/* Log-odds for "orientable": the ratio against 0.1, the magnitude against 0.95; less
 * from few points, and less against it if the planes are in doubt, as signs at random
 * agree nowhere. */
static double evidence(const lavdm_orientation *o, int64_t n) {
  double share = fmin((double)n / PLENTY, 1);
  double odds = 2 * log(0.1 / fmax(o->ratio, 1e-6)) + fmax((o->mean_magnitude - 0.95) / 0.008, -25);
  if (odds < 0) odds /= 1 + 50 * o->doubt;
  return share * share * odds;
}

static void judge(lavdm_orientation *o, int64_t n) {
  double odds = evidence(o, n);
  o->orientable = odds > 0;
  o->confidence = 1 / (1 + exp(-fabs(odds)));
}

/* The share of edges with |det(B_i' B_k)| < 0.1^d, over 0.1^d: about what planes at
 * random have. A few such edges mean nothing. */
static double doubt(const lavdm_info_t *info) {
  double ill = fmax((double)info->ill_aligned - 3, 0) / fmax((double)info->edges, 1);
  return fmin(ill / pow(0.1, (double)info->chosen->dim), 1);
}

/* The statistics of one orientation-bundle model and its trivial twin, and its
 * top eigenvector with mean square 1 over the points that are not isolated. */
static void measure(const lavdm_model *model, double trivial, lavdm_orientation *out, double *leading) {
  const lavdm_array *u = lavdm_get(model, "eigenvectors");
  int64_t n = model->info.n, r = model->chosen.components, used = n - model->info.isolated;
  double sum = 0, square = 0;
  for (int64_t i = 0; i < n; i++) {
    double v =
        u->type == LAVDM_F32 ? (double)((const float *)u->data)[i * r] : ((const double *)u->data)[i * r];
    leading[i] = isfinite(v) ? v : 0;
    sum += fabs(leading[i]);
    square += leading[i] * leading[i];
  }
  for (int64_t i = 0; i < n && square > 0; i++) leading[i] *= sqrt((double)used / square);
  out->eigenvalue = model->info.eigenvalues[0];
  out->trivial_eigenvalue = trivial;
  double bottom = fmin(log(fmin(fmax(trivial, 1e-300), 1)), -1e-12);
  out->ratio = fabs(log(fmin(fmax(out->eigenvalue, 1e-300), 1)) / bottom);
  out->mean_magnitude = square > 0 ? sum / sqrt(square * (double)used) : 0;
  out->doubt = doubt(&model->info);
  judge(out, used);
}

/* Both fits on one set of points. */
static int one_piece(const lavdm_data *data, const lavdm_options *options, lavdm_orientation *out,
                     double *leading, lavdm_model **model, lavdm_error *error) {
  lavdm_options o = *options;
  o.checkpoint = NULL; /* there are several fits */
  o.trust = LAVDM_TRUST_NO;
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
  double value = lavdm_info(trivial)->chosen->components == 2 ? lavdm_info(trivial)->eigenvalues[1] : 0;
  lavdm_free(trivial);
  measure(*model, value, out, leading);
  return status;
}

/*
 * Noise turns the planes of a few neighbours at random: while they are in doubt, and once if
 * their signs do not agree, those of twice as many are tried. Curvature does the same to
 * planes of too many, so that it ends when doubt rises. Kept is the fit of the least doubt, or
 * one of fair planes whose signs agree, which noise does not make; options->knn tells which.
 */
static int look_wider(const lavdm_data *data, lavdm_options *options, lavdm_orientation *verdict,
                      double *leading, lavdm_model **model, lavdm_error *error) {
  lavdm_options o = *options;
  o.dim = lavdm_info(*model)->chosen->dim;
  o.knn = 2 * lavdm_info(*model)->chosen->knn;
  double last = verdict->doubt, *other = NEW(double, data->n);
  int status = other ? LAVDM_OK : fail_memory(error, "another look at the planes");
  bool again = last > sure || !verdict->orientable;
  while (status >= 0 && again && o.knn <= data->n / WIDEST) {
    lavdm_orientation wider = {0};
    lavdm_model *found;
    status = one_piece(data, &o, &wider, other, &found, error);
    if (status < 0) break;
    bool agree = wider.orientable && !verdict->orientable && wider.doubt <= fair;
    if (agree || verdict->doubt > wider.doubt) {
      lavdm_model *before = *model;
      *model = found, found = before;
      *verdict = wider;
      memcpy(leading, other, (size_t)data->n * sizeof *leading);
      options->knn = o.knn;
    }
    lavdm_free(found);
    again = wider.doubt > sure && wider.doubt <= fmax(last, fair);
    last = wider.doubt;
    o.knn *= 2;
  }
  mem_free(other);
  return status;
}

/* The product of the bases of --pca, from the coordinates of b to those of a (k x k); false without --pca. */
static bool basis_product(const lavdm_model *a, const lavdm_model *b, double *out) {
  const lavdm_array *to = lavdm_get(a, "pca_basis"), *from = lavdm_get(b, "pca_basis");
  if (!to || !from) return false;
  int64_t wide = to->shape[0], k = to->shape[1];
  const double *x = to->data, *y = from->data;
  memset(out, 0, (size_t)(k * k) * sizeof *out);
  for (int64_t w = 0; w < wide; w++)
    for (int64_t i = 0; i < k; i++)
      for (int64_t j = 0; j < k; j++) out[i * k + j] += x[w * k + i] * y[w * k + j];
  return true;
}

/* out (d x e) = a' b for a (p x d), b (p x e). */
static void cross(int64_t p, int64_t d, int64_t e, const double *a, const double *b, double *out) {
  memset(out, 0, (size_t)(d * e) * sizeof *out);
  for (int64_t k = 0; k < p; k++)
    for (int64_t i = 0; i < d; i++)
      for (int64_t j = 0; j < e; j++) out[i * e + j] += a[k * d + i] * b[k * e + j];
}

/* From the frames of the piece to those of the whole: times sign det(B_whole' B_piece). */
static int to_whole(const lavdm_model *whole, const lavdm_model *piece, const int64_t *label, int64_t which,
                    double *own, lavdm_error *error) {
  int64_t p = whole->info.p, d = whole->chosen.dim, width = p * d;
  double *room = NEW(double, 3 * width + 2 * d * d + p * p);
  if (!room) return fail_memory(error, "a component");
  double *a = room, *b = a + width, *moved = b + width, *m = moved + width, *rest = m + d * d,
         *product = rest + d * d;
  bool turned = basis_product(piece, whole, product);
  for (int64_t i = 0, at = 0; i < whole->info.n; i++) {
    if (label[i] != which) continue;
    const double *x = model_row(lavdm_get(whole, "frames"), i, width, a);
    const double *y = model_row(lavdm_get(piece, "frames"), at, width, b);
    if (turned) {
      cross(p, p, d, product, y, moved);
      y = moved;
    }
    cross(p, d, d, x, y, m);
    if (REAL(determinant)(d, m, rest) < 0) own[at] = -own[at];
    at++;
  }
  mem_free(room);
  return LAVDM_OK;
}

/* The points of one component, on their own. */
static int component_piece(const lavdm_data *data, const lavdm_options *options, const lavdm_model *whole,
                           const int64_t *label, int64_t which, int64_t count, lavdm_orientation *out,
                           double *leading, lavdm_error *error) {
  int64_t p = data->p, rs = data->row_stride, cs = data->col_stride;
  if (!rs && !cs) rs = p, cs = 1;
  double *x = NEW(double, count *p), *own = NEW(double, count);
  int status = x && own ? 0 : fail_memory(error, "a component");
  for (int64_t i = 0, at = 0; !status && i < data->n; i++) {
    if (label[i] != which) continue;
    for (int64_t j = 0; j < p; j++)
      x[at * p + j] = data->type == LAVDM_F32 ? (double)((const float *)data->points)[i * rs + j * cs]
                                              : ((const double *)data->points)[i * rs + j * cs];
    at++;
  }
  lavdm_data part = {.points = x, .n = count, .p = p};
  lavdm_model *model = NULL;
  if (!status) status = one_piece(&part, options, out, own, &model, error);
  if (status >= 0) status = to_whole(whole, model, label, which, own, error);
  for (int64_t i = 0, at = 0; status >= 0 && i < data->n; i++)
    if (label[i] == which) leading[i] = own[at++];
  lavdm_free(model);
  mem_free(x);
  mem_free(own);
  return status;
}

/* The verdicts on the pieces, in arrays of the model of the whole. */
typedef struct {
  int64_t *orientable; /* 1, 0, or -1: not judged */
  double *confidence;
} pieces_t;

static void keep(const pieces_t *pieces, int64_t c, const lavdm_orientation *o) {
  pieces->orientable[c] = o->orientable;
  pieces->confidence[c] = o->confidence;
}

/* Each component judged on its own, with the bandwidth of the whole; the one
 * with the least evidence speaks for all. One of a few points is not judged. */
static int by_components(const lavdm_data *data, const lavdm_options *options, const lavdm_model *whole,
                         const pieces_t *pieces, lavdm_orientation *verdict, double *leading,
                         lavdm_error *error) {
  const int64_t *label = lavdm_get(whole, "graph_component")->data;
  lavdm_options o = *options;
  o.epsilon = whole->chosen.epsilon;
  o.dim = whole->chosen.dim;
  o.design = options->design == LAVDM_DESIGN_GIVEN ? LAVDM_DESIGN_KMEANS : options->design;
  o.landmarks = o.components = LAVDM_AUTO;
  double least = INFINITY;
  for (int64_t c = 0; c < whole->info.graph_components; c++) {
    int64_t count = 0;
    for (int64_t i = 0; i < data->n; i++) count += label[i] == c;
    if (count < FEWEST) {
      pieces->orientable[c] = -1;
      for (int64_t i = 0; i < data->n; i++)
        if (label[i] == c) leading[i] = 0;
      continue;
    }
    o.knn = options->knn < count ? options->knn : count - 1;
    lavdm_orientation piece = {0};
    int status = component_piece(data, &o, whole, label, c, count, &piece, leading, error);
    if (status < 0) return status;
    keep(pieces, c, &piece);
    if (evidence(&piece, count) >= least) continue;
    least = evidence(&piece, count);
    *verdict = piece;
  }
  if (isinf(least)) verdict->confidence = 0.5; /* nothing was judged */
  return LAVDM_OK;
}

/* What lavdm_orient adds to the model of the whole; `leading` becomes signs. */
static int finish(const lavdm_data *data, const lavdm_options *options, lavdm_model *whole,
                  lavdm_orientation *verdict, double *leading, lavdm_error *error) {
  int64_t n = data->n, c = whole->info.graph_components;
  large_t large;
  large_start(&large, false);
  pieces_t pieces = {model_array(whole, &large, "component_orientable", LAVDM_I64, 1, c, 0, 0),
                     model_array(whole, &large, "component_confidence", LAVDM_F64, 1, c, 0, 0)};
  double *kept = model_array(whole, &large, "leading", LAVDM_F64, 1, n, 0, 0);
  large_end(&large);
  if (!pieces.orientable || !pieces.confidence || !kept) return fail_memory(error, "the verdict");
  if (c == 1) keep(&pieces, 0, verdict);
  int status = c > 1 ? by_components(data, options, whole, &pieces, verdict, leading, error) : LAVDM_OK;
  verdict->graph_components = c;
  for (int64_t i = 0; i < n && status >= 0; i++) {
    kept[i] = leading[i];
    leading[i] = (leading[i] > 0) - (leading[i] < 0);
  }
  return status;
}

int lavdm_orient(const lavdm_data *data, const lavdm_options *options, lavdm_orientation *verdict,
                 double *signs, lavdm_model **model, lavdm_error *error) {
  if (model) *model = NULL;
  if (!data || !options || !verdict || !signs)
    return fail(error, LAVDM_ERROR_ARGUMENT, "data, options, verdict or signs are missing (NULL)");
  door_t door;
  int status = door_open(&door, data, options, error);
  if (status >= 0) status = door_check(&door_orientation, verdict, error);
  if (status < 0) return status;
  data = &door.data;
  if (!data->points && data->read)
    return fail(error, LAVDM_ERROR_ARGUMENT, "orientation is judged from points in memory");
  if (data->edges)
    return fail(error, LAVDM_ERROR_ARGUMENT, "orientation is judged from points, not from edges");
  lavdm_orientation found = {0};
  lavdm_options o = door.options;
  if (o.method == LAVDM_METHOD_DM) o.method = LAVDM_METHOD_VDM;
  if (o.method == LAVDM_METHOD_ROSELAND || o.method == LAVDM_METHOD_NYSTROM) o.method = LAVDM_METHOD_LAVDM;
  lavdm_model *whole;
  status = one_piece(data, &o, &found, signs, &whole, error);
  if (status < 0) return status;
  int second = o.knn == LAVDM_AUTO ? look_wider(data, &o, &found, signs, &whole, error) : status;
  if (second >= 0) {
    status = second;
    second = finish(data, &o, whole, &found, signs, error);
  }
  if (second < 0) {
    lavdm_free(whole);
    return second;
  }
  door_give(&door_orientation, &found, verdict);
  if (model)
    *model = whole;
  else
    lavdm_free(whole);
  return status;
}
