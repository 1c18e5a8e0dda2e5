/* Results: row-major arrays of the library, counted from 0, as MATLAB's, counted from 1. */
#include "bridge.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 256 }; /* at a time, so that they stay in the cache while they are turned */

mxArray *give_struct(void) {
  return mxCreateStructMatrix(1, 1, 0, NULL);
}

void give(mxArray *s, const char *name, mxArray *value) {
  mxSetFieldByNumber(s, 0, mxAddField(s, name), value);
}

void give_number(mxArray *s, const char *name, double value) {
  give(s, name, mxCreateDoubleScalar(value));
}

void give_text(mxArray *s, const char *name, const char *text) {
  give(s, name, mxCreateString(text));
}

void give_lines(mxArray *s, const char *name, const char *const *line, int count) {
  mxArray *cells = mxCreateCellMatrix((mwSize)count, count > 0);
  for (int i = 0; i < count; i++) mxSetCell(cells, (mwIndex)i, mxCreateString(line[i]));
  give(s, name, cells);
}

mxArray *give_empty(void) {
  return mxCreateDoubleMatrix(0, 0, mxREAL);
}

static mxArray *new_array(mxClassID class, int64_t n, int64_t a, int64_t b) {
  const mwSize size[] = {(mwSize)n, (mwSize)a, (mwSize)b};
  return mxCreateNumericArray(3, size, class, mxREAL);
}

/* Element (i, x, y) goes from (i*a + x)*b + y to i + n*(x + a*y). */
#define TURN(type)                                                                                           \
  for (int64_t first = 0; first < n; first += ROWS)                                                          \
    for (int64_t y = 0; y < b; y++)                                                                          \
      for (int64_t x = 0; x < a; x++)                                                                        \
        for (int64_t i = first; i < n && i < first + ROWS; i++)                                              \
  ((type *)to)[i + n * (x + a * y)] = ((const type *)from)[(i * a + x) * b + y]

static mxArray *turned(const void *from, bool single, int64_t n, int64_t a, int64_t b) {
  mxArray *out = new_array(single ? mxSINGLE_CLASS : mxDOUBLE_CLASS, n, a, b);
  void *to = mxGetData(out);
  if (single)
    TURN(float);
  else
    TURN(double);
  return out;
}

mxArray *give_reals(const double *data, int64_t n, int64_t a, int64_t b) {
  return data ? turned(data, false, n, a, b) : give_empty();
}

mxArray *give_matrices(const double *data, int64_t count, int64_t q) {
  mxArray *out = new_array(mxDOUBLE_CLASS, q, q, count);
  double *x = mxGetData(out);
  for (int64_t e = 0; e < count; e++)
    for (int64_t a = 0; a < q; a++)
      for (int64_t b = 0; b < q; b++) x[(e * q + b) * q + a] = data[(e * q + a) * q + b];
  return out;
}

mxArray *give_indices(const int64_t *data, int64_t count) {
  mxArray *out = new_array(mxDOUBLE_CLASS, count, 1, 1);
  double *x = mxGetData(out);
  for (int64_t i = 0; i < count; i++) x[i] = (double)(data[i] + 1);
  return out;
}

mxArray *give_array(const lavdm_array *array) {
  if (!array) return give_empty();
  int64_t a = array->rank > 1 ? array->shape[1] : 1, b = array->rank > 2 ? array->shape[2] : 1;
  if (array->type == LAVDM_I64) return give_indices(array->data, array->shape[0]);
  return turned(array->data, array->type == LAVDM_F32, array->shape[0], a, b);
}

/* -------------------------------------------------------------- a model */

/* Landmarks of images as images, h x w x m. */
static mxArray *give_landmarks(const lavdm_model *model) {
  const lavdm_array *landmarks = lavdm_get(model, "landmarks"), *shape = lavdm_get(model, "image_shape");
  const int64_t *size = shape ? shape->data : NULL;
  if (!landmarks || !size || size[0] < 2) return give_array(landmarks);
  int64_t h = size[0], w = size[1], m = landmarks->shape[0];
  bool single = landmarks->type == LAVDM_F32;
  mxArray *out = new_array(single ? mxSINGLE_CLASS : mxDOUBLE_CLASS, h, w, m);
  char *to = mxGetData(out);
  const char *from = landmarks->data;
  size_t bytes = single ? sizeof(float) : sizeof(double);
  for (int64_t k = 0; k < m; k++)
    for (int64_t c = 0; c < w; c++)
      for (int64_t r = 0; r < h; r++, to += bytes)
        memcpy(to, from + (size_t)((k * h + r) * w + c) * bytes, bytes);
  return out;
}

/* Every option as it was used: numbers as numbers, words and `auto` as text. */
static mxArray *give_chosen(const lavdm_options *chosen) {
  mxArray *s = give_struct();
  for (int i = 0; i < lavdm_option_count(); i++) {
    const lavdm_option *option = lavdm_option_at(i);
    char text[64], *end = text;
    lavdm_option_text(chosen, option->name, text, sizeof text);
    double number = option->type == LAVDM_TYPE_CHOICE ? 0 : strtod(text, &end);
    if (end != text && !*end)
      give_number(s, option->name, number);
    else
      give_text(s, option->name, text);
  }
  return s;
}

static void give_embedding(mxArray *s, const lavdm_model *model) {
  const lavdm_info_t *info = lavdm_info(model);
  int64_t n = info->n, rank = lavdm_embedding_rank(model, info->chosen->time, info->chosen->delta);
  int64_t columns = rank * (rank + 1) / 2;
  lavdm_error error;
  double *rows = SCRATCH(double, n *columns);
  check(lavdm_embedding(model, info->chosen->time, rank, rows, &error), &error);
  give(s, "embedding", give_reals(rows, n, columns, 1));
  if (info->q == 1) check(lavdm_coordinates(model, info->chosen->time, rank, rows, &error), &error);
  give(s, "coordinates", info->q == 1 ? give_reals(rows, n, rank, 1) : give_empty());
  scratch_drop();
}

static void give_ambient(mxArray *s, const lavdm_model *model) {
  const lavdm_info_t *info = lavdm_info(model);
  lavdm_error error;
  double *rows = SCRATCH(double, info->n * info->p * info->chosen->components);
  check(lavdm_ambient(model, rows, &error), &error);
  give(s, "ambient", give_reals(rows, info->n, info->p, info->chosen->components));
  scratch_drop();
}

mxArray *give_model(const lavdm_model *model, wanted_t wanted) {
  static const char *const arrays[] = {"eigenvalues",    "residuals",       "eigenvectors",    "degrees",
                                       "frames",         "landmark_index",  "landmark_frames", "nodes",
                                       "landmark_nodes", "graph_component", "pca_basis",       "pca_mean"};
  const lavdm_info_t *info = lavdm_info(model);
  mxArray *s = give_struct();
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    give(s, arrays[i], give_array(lavdm_get(model, arrays[i])));
  give(s, "landmarks", give_landmarks(model));
  give(s, "isolated", info->isolated ? give_indices(info->isolated_index, info->isolated) : give_empty());
  if (wanted.embedding) {
    give_embedding(s, model);
  } else {
    give(s, "embedding", give_empty());
    give(s, "coordinates", give_empty());
  }
  if (wanted.ambient)
    give_ambient(s, model);
  else
    give(s, "ambient", give_empty());
  give(s, "chosen", give_chosen(info->chosen));
  give_lines(s, "warnings", info->warning, info->warnings);
  give_number(s, "seconds", info->seconds);
  give(s, "model", wanted.model ? model_bytes(model, wanted.compact) : give_empty());
  return s;
}
