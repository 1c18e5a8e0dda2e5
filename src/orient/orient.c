/*
 * Orientability: of the whole, or, where its graph falls apart, of each component on its own. See piece.h.
 */
#include "base/door.h"
#include "base/memory.h"
#include "base/status.h"
#include "frames/polar.h"
#include "model/model.h"
#include "orient/piece.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { FEWEST = 20 }; /* points of a component that is judged, if there are several */

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
                           const int64_t *label, int64_t which, int64_t count, piece_t *piece,
                           double *leading, lavdm_error *error) {
  int64_t p = data->p, rs = data->row_stride, cs = data->col_stride;
  if (!rs && !cs) rs = p, cs = 1;
  double *x = NEW(double, count *p);
  piece->leading = NEW(double, count);
  int status = x && piece->leading ? 0 : fail_memory(error, "a component");
  for (int64_t i = 0, at = 0; !status && i < data->n; i++) {
    if (label[i] != which) continue;
    for (int64_t j = 0; j < p; j++)
      x[at * p + j] = data->type == LAVDM_F32 ? (double)((const float *)data->points)[i * rs + j * cs]
                                              : ((const double *)data->points)[i * rs + j * cs];
    at++;
  }
  lavdm_data part = {.points = x, .n = count, .p = p};
  if (!status) status = piece_fit(&part, options, piece, error);
  if (status >= 0) status = piece_judge(&part, options, piece, error);
  if (status >= 0) status = to_whole(whole, piece->model, label, which, piece->leading, error);
  for (int64_t i = 0, at = 0; status >= 0 && i < data->n; i++)
    if (label[i] == which) leading[i] = piece->leading[at++];
  lavdm_free(piece->model);
  mem_free(x);
  mem_free(piece->leading);
  return status;
}

/* The verdicts on the pieces, in arrays of the model of the whole. */
typedef struct {
  int64_t *orientable; /* 1, 0, or -1: not judged, or cannot tell */
  double *confidence;  /* 0: not judged */
} pieces_t;

static void keep(const pieces_t *pieces, int64_t c, const lavdm_orientation *o) {
  pieces->orientable[c] = o->verdict;
  pieces->confidence[c] = o->confidence;
}

/* Each component judged on its own, with the bandwidth of the whole; the one
 * with the least evidence speaks for all. One of a few points is not judged. */
static int by_components(const lavdm_data *data, const lavdm_options *options, const pieces_t *pieces,
                         piece_t *whole, lavdm_error *error) {
  const lavdm_model *model = whole->model;
  const int64_t *label = lavdm_get(model, "graph_component")->data;
  lavdm_options o = *options;
  o.epsilon = model->chosen.epsilon;
  o.dim = model->chosen.dim;
  o.design = options->design == LAVDM_DESIGN_GIVEN ? LAVDM_DESIGN_KMEANS : options->design;
  o.landmarks = o.components = LAVDM_AUTO;
  whole->odds = INFINITY;
  for (int64_t c = 0; c < model->info.graph_components; c++) {
    int64_t count = 0;
    for (int64_t i = 0; i < data->n; i++) count += label[i] == c;
    if (count < FEWEST) {
      pieces->orientable[c] = -1;
      for (int64_t i = 0; i < data->n; i++)
        if (label[i] == c) whole->leading[i] = 0;
      continue;
    }
    o.knn = options->knn < count ? options->knn : count - 1;
    o.frame_knn = options->frame_knn < count ? options->frame_knn : count - 1;
    piece_t piece = {0};
    int status = component_piece(data, &o, model, label, c, count, &piece, whole->leading, error);
    if (status < 0) return status;
    keep(pieces, c, &piece.found);
    if (piece.odds >= whole->odds) continue;
    whole->odds = piece.odds;
    whole->found = piece.found;
  }
  if (isinf(whole->odds)) whole->found.confidence = 0.5, whole->found.verdict = -1; /* nothing was judged */
  return LAVDM_OK;
}

/* What lavdm_orient adds to the model of the whole; `leading` becomes signs. */
static int finish(const lavdm_data *data, const lavdm_options *options, piece_t *whole, lavdm_error *error) {
  int64_t n = data->n, c = whole->model->info.graph_components;
  int status = c == 1 ? piece_judge(data, options, whole, error) : LAVDM_OK;
  if (status < 0) return status;
  c = whole->model->info.graph_components;
  large_t large;
  large_start(&large, false);
  pieces_t pieces = {model_array(whole->model, &large, "component_orientable", LAVDM_I64, 1, c, 0, 0),
                     model_array(whole->model, &large, "component_confidence", LAVDM_F64, 1, c, 0, 0)};
  double *kept = model_array(whole->model, &large, "leading", LAVDM_F64, 1, n, 0, 0);
  large_end(&large);
  if (!pieces.orientable || !pieces.confidence || !kept) return fail_memory(error, "the verdict");
  if (c == 1) keep(&pieces, 0, &whole->found);
  if (c > 1) status = by_components(data, options, &pieces, whole, error);
  whole->found.graph_components = c;
  for (int64_t i = 0; i < n && status >= 0; i++) {
    kept[i] = whole->leading[i];
    whole->leading[i] = (kept[i] > 0) - (kept[i] < 0);
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
  if (status >= 0) status = door_dense(&door, "lavdm_orient", error);
  if (status >= 0) status = door_check(&door_orientation, verdict, error);
  if (status < 0) return status;
  data = &door.data;
  if (!data->points && data->read)
    return fail(error, LAVDM_ERROR_ARGUMENT, "orientation is judged from points in memory");
  if (data->edges)
    return fail(error, LAVDM_ERROR_ARGUMENT, "orientation is judged from points, not from edges");
  lavdm_options o = door.options;
  if (o.method == LAVDM_METHOD_DM) o.method = LAVDM_METHOD_VDM;
  if (o.method == LAVDM_METHOD_ROSELAND || o.method == LAVDM_METHOD_NYSTROM) o.method = LAVDM_METHOD_LAVDM;
  piece_t whole = {.leading = signs};
  status = piece_fit(data, &o, &whole, error);
  if (status < 0) return status;
  int second = finish(data, &o, &whole, error);
  if (second < 0) {
    lavdm_free(whole.model);
    return second;
  }
  door_give(&door_orientation, &whole.found, verdict);
  if (model)
    *model = whole.model;
  else
    lavdm_free(whole.model);
  return status > second ? status : second;
}
