#include "steer/objects.h"

#include "base/memory.h"
#include "neighbours/rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
  BATCH_BYTES = 64 << 20, /* of pixels that are expanded together */
  PCA_SAMPLE = 20000,     /* objects that principal components are taken from */
  MEAN_SAMPLE = 1000,
  INVARIANTS = 64 /* coordinates that landmarks are chosen in */
};

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* --------------------------------------------------------------------- stacks */

int REAL(stack_new)(run_t *run, const steer_bands *bands, int64_t n, steer_stack *out) {
  *out = (steer_stack){.n = n,
                       .bands = bands,
                       .value = LARGE(&run->large, real_t, 2 * n * bands->size),
                       .norm2 = LARGE(&run->large, double, n)};
  if (out->value && out->norm2) return LAVDM_OK;
  REAL(stack_free)(out);
  return fail_memory(run->error, "the coefficients");
}

void REAL(stack_free)(steer_stack *stack) {
  large_free(stack->value);
  large_free(stack->norm2);
  *stack = (steer_stack){0};
}

void REAL(stack_norms)(run_t *run, steer_stack *stack) {
  int64_t width = 2 * stack->bands->size;
#pragma omp parallel for num_threads(run->threads) schedule(static) if (stack->n * width > 100000)
  for (int64_t i = 0; i < stack->n; i++) {
    const real_t *a = stack->value + i * width;
    double sum = 0;
    for (int64_t c = 0; c < width; c++) sum += (double)a[c] * (double)a[c];
    stack->norm2[i] = sum;
  }
}

int REAL(stack_take)(run_t *run, const steer_stack *from, const int64_t *index, int64_t count,
                     steer_stack *out) {
  int status = REAL(stack_new)(run, from->bands, count, out);
  size_t width = (size_t)(2 * from->bands->size);
  for (int64_t i = 0; i < count && !status; i++) {
    memcpy(out->value + (size_t)i * width, from->value + (size_t)index[i] * width, width * sizeof(real_t));
    out->norm2[i] = from->norm2[index[i]];
  }
  return status;
}

/* The p coefficients of the largest mean square, ascending. */
static void largest(double *power, int64_t size, int64_t p, int64_t *index) {
  for (int64_t j = 0; j < p; j++) {
    int64_t best = 0;
    for (int64_t c = 1; c < size; c++)
      if (power[c] > power[best]) best = c;
    index[j] = best;
    power[best] = -1;
  }
}

int REAL(stack_invariants)(run_t *run, const steer_stack *stack, real_t **out, int64_t *p) {
  int64_t size = stack->bands->size, n = stack->n, *index = NEW(int64_t, INVARIANTS);
  double *power = NEW(double, size);
  *p = least(size, INVARIANTS);
  *out = LARGE(&run->large, real_t, n * *p);
  int status = index && power && *out ? LAVDM_OK : fail_memory(run->error, "the landmarks");
  if (!status) {
    for (int64_t i = 0; i < n && !run_stopped(run, i, 2 * n); i++)
      for (int64_t c = 0; c < size; c++) {
        const real_t *a = stack->value + 2 * (i * size + c);
        power[c] += (double)a[0] * (double)a[0] + (double)a[1] * (double)a[1];
      }
    largest(power, size, *p, index);
    for (int64_t i = 0; i < n && !run_stopped(run, n + i, 2 * n); i++)
      for (int64_t j = 0; j < *p; j++) {
        const real_t *a = stack->value + 2 * (i * size + index[j]);
        double square = (double)a[0] * (double)a[0] + (double)a[1] * (double)a[1];
        bool real = index[j] < stack->bands->first[1]; /* band 0: its sign is an invariant too */
        (*out)[i * *p + j] = real ? a[0] : (real_t)sqrt(square);
      }
  }
  mem_free(index);
  mem_free(power);
  return status < 0 ? status : run_status(run);
}

/* --------------------------------------------------------------------- pixels */

/* The functions of a disk and, while they are made, their moments. */
double REAL(objects_basis_bytes)(int64_t height, int64_t width) {
  double side = (double)(height < width ? height : width);
  return 2.5 * side * side * side * side;
}

double REAL(objects_batch_bytes)(int64_t n, int64_t p, bool sampled, int64_t limit) {
  double sample = fmin((double)least(n, PCA_SAMPLE) * (double)p * sizeof(real_t), (double)limit / 8);
  return 3.0 * BATCH_BYTES + (sampled ? sample : 0);
}

int REAL(objects_open)(run_t *run, int64_t height, int64_t width, objects_t *out) {
  *out = (objects_t){.height = height, .width = width};
  int before = blas_threads(run->threads);
  out->basis = run->options.bundle == LAVDM_BUNDLE_SHIFT
                   ? REAL(steer_circle)(height * width, run->options.signals)
                   : REAL(steer_disk)(height, width);
  blas_threads(before);
  if (!out->basis) return fail_memory(run->error, "the functions that images are expanded in");
  out->bands = REAL(steer_basis_bands)(out->basis);
  return LAVDM_OK;
}

void REAL(objects_free)(objects_t *objects) {
  REAL(steer_pca_free)(objects->pca);
  REAL(steer_basis_free)(objects->basis);
  *objects = (objects_t){0};
}

int REAL(objects_pixels)(run_t *run, const objects_t *objects, const lavdm_data *data, int64_t first,
                         int64_t count, real_t *out) {
  int64_t p = data->p, row = data->row_stride ? data->row_stride : p,
          col = data->col_stride ? data->col_stride : 1;
  size_t size = data->type == LAVDM_F32 ? sizeof(float) : sizeof(double);
  char *space = data->points ? NULL : mem_new(count * p, size);
  strided_t rows = {.points = space, .type = data->type, .row = p, .col = 1};
  if (data->points)
    rows = (strided_t){(const char *)data->points + first * row * (int64_t)size, data->type, row, col, NULL};
  else if (!space)
    return fail_memory(run->error, "the images");
  int status = data->points ? LAVDM_OK : data->read(data->read_user, first, count, space);
  if (status < 0 && !(run->error && run->error->message[0]))
    fail(run->error, status, "the points could not be read");
  bool single = rows.type == LAVDM_F32;
#pragma omp parallel for num_threads(run->threads) schedule(static) if (count * p > 100000)
  for (int64_t i = 0; i < count; i++)
    for (int64_t j = 0; j < p && status >= 0; j++) {
      int64_t at = i * rows.row + j * rows.col;
      double x = single ? (double)((const float *)rows.points)[at] : ((const double *)rows.points)[at];
      out[i * p + j] = (real_t)(x - objects->offset);
    }
  mem_free(space);
  return status < 0 ? status : LAVDM_OK;
}

/* Rows of pixels in a batch. */
static int64_t batch_rows(const lavdm_data *data) {
  int64_t rows = BATCH_BYTES / ((int64_t)sizeof(real_t) * data->p);
  return least(rows < 16 ? 16 : rows, data->n);
}

/* out (count x bands complex) from pixels; raw: room for the basis' own, if there are principal components.
 */
static int expand(run_t *run, const objects_t *objects, const real_t *pixels, int64_t count, real_t *raw,
                  real_t *out) {
  int status = REAL(steer_expand)(objects->basis, pixels, count, run->threads, objects->pca ? raw : out);
  if (status < 0) return fail_memory(run->error, "the coefficients");
  if (!objects->pca) return LAVDM_OK;
  status = REAL(steer_pca_apply)(objects->pca, raw, count, run->threads, out);
  return status < 0 ? fail_memory(run->error, "the principal components") : LAVDM_OK;
}

/* Room for the raw coefficients of `count` objects, where they are not the result. */
static real_t *raw_room(const objects_t *objects, int64_t count) {
  return NEW(real_t, objects->pca ? 2 * count * REAL(steer_basis_bands)(objects->basis)->size : 0);
}

int REAL(objects_expand)(run_t *run, const objects_t *objects, const lavdm_data *data, steer_stack *out) {
  int64_t batch = batch_rows(data), n = data->n;
  int status = REAL(stack_new)(run, objects->bands, n, out);
  if (status < 0) return status;
  real_t *pixels = NEW(real_t, batch * data->p), *raw = raw_room(objects, batch);
  if (!pixels || !raw) status = fail_memory(run->error, "the images");
  for (int64_t first = 0; first < n && !status && !run_stopped(run, first, n); first += batch) {
    int64_t count = least(batch, n - first);
    status = REAL(objects_pixels)(run, objects, data, first, count, pixels);
    if (!status)
      status = expand(run, objects, pixels, count, raw, out->value + 2 * first * objects->bands->size);
  }
  mem_free(pixels);
  mem_free(raw);
  if (!status) REAL(stack_norms)(run, out);
  return status < 0 ? status : run_status(run);
}

/* ------------------------------------------------------- principal components */

/* Whether pixel j of an image is at the rim of the disk; of a signal, all samples are. */
static bool at_rim(const objects_t *objects, int64_t j) {
  double h = (double)objects->height, w = (double)objects->width, radius = fmin(h, w) / 2;
  if (objects->height == 1) return true;
  double from = hypot((double)(j / objects->width) - (h - 1) / 2, (double)(j % objects->width) - (w - 1) / 2);
  return from <= radius && from >= radius - 1.5;
}

/* The mean at the rim of some objects: the less is cut off there, the better they turn. */
static int choose_offset(run_t *run, const lavdm_data *data, objects_t *objects) {
  int64_t count = least(data->n, MEAN_SAMPLE), pixels = 0;
  double *row = NEW(double, data->p), sum = 0;
  int status = row ? LAVDM_OK : fail_memory(run->error, "the images");
  for (int64_t j = 0; j < data->p; j++) pixels += at_rim(objects, j);
  for (int64_t s = 0; s < count && !status; s++) {
    status = REAL(rows_one)(run, data, (int64_t)((double)s * (double)data->n / (double)count), row);
    for (int64_t j = 0; j < data->p && !status; j++)
      if (at_rim(objects, j)) sum += row[j] / (double)pixels;
  }
  mem_free(row);
  objects->offset = sum / (double)count;
  return status;
}

/* Objects that principal components are taken from: as many as a share of the memory holds. */
static int64_t sample_size(const run_t *run, const objects_t *objects, int64_t n) {
  int64_t row = 2 * (int64_t)sizeof(real_t) * objects->bands->size, most = run->options.max_memory / 8 / row;
  most = most < 100 ? 100 : least(most, PCA_SAMPLE);
  return least(n, most);
}

/* Coefficients in the basis of `count` objects of the data, evenly spread. */
static int expand_sample(run_t *run, const lavdm_data *data, const objects_t *objects, int64_t count,
                         steer_stack *out) {
  int64_t p = data->p, batch = least(batch_rows(data), count);
  int status = REAL(stack_new)(run, objects->bands, count, out);
  if (status < 0) return status;
  real_t *pixels = NEW(real_t, batch * p);
  if (!pixels) status = fail_memory(run->error, "the images");
  for (int64_t first = 0; first < count && !status && !run_stopped(run, first, count); first += batch) {
    int64_t rows = least(batch, count - first);
    for (int64_t i = 0; i < rows && !status; i++) {
      int64_t from = (int64_t)((double)(first + i) * (double)data->n / (double)count);
      status = REAL(objects_pixels)(run, objects, data, from, 1, pixels + i * p);
    }
    if (!status)
      status = expand(run, objects, pixels, rows, NULL, out->value + 2 * first * objects->bands->size);
  }
  mem_free(pixels);
  if (!status) REAL(stack_norms)(run, out);
  return status < 0 ? status : run_status(run);
}

int REAL(objects_reduce)(run_t *run, const lavdm_data *data, objects_t *objects) {
  lavdm_options *o = &run->options;
  int status = choose_offset(run, data, objects);
  if (status < 0 || (o->noise == 0 && o->pca == 0)) return status;
  steer_stack sample;
  status = expand_sample(run, data, objects, sample_size(run, objects, data->n), &sample);
  if (!status) {
    sample.white = REAL(steer_basis_white)(objects->basis);
    objects->pca = REAL(steer_pca_fit)(&sample, o->noise, o->pca, run);
    status = run_status(run);
    if (!status && !objects->pca) status = fail_memory(run->error, "the principal components");
  }
  REAL(stack_free)(&sample);
  if (status < 0) return status;
  o->noise = objects->pca->noise;
  if (o->noise > 0 || o->pca > 0) {
    objects->bands = &objects->pca->to;
  } else { /* none was found */
    REAL(steer_pca_free)(objects->pca);
    objects->pca = NULL;
  }
  return run_status(run);
}

/* ------------------------------------------------------------------ the model */

int REAL(objects_keep)(run_t *run, const objects_t *objects, lavdm_model *model) {
  int64_t bands = objects->bands->bands, entries = 0;
  int64_t *shape = model_array(model, &run->large, "image_shape", LAVDM_I64, 1, 2, 0, 0);
  int64_t *sizes = model_array(model, &run->large, "band_components", LAVDM_I64, 1, bands, 0, 0);
  if (!shape || !sizes) return fail_memory(run->error, "the model");
  shape[0] = objects->height, shape[1] = objects->width;
  for (int64_t k = 0; k < bands; k++) sizes[k] = objects->bands->first[k + 1] - objects->bands->first[k];
  int64_t pixels = objects->height * objects->width;
  double *centre = model_array(model, &run->large, "centre", LAVDM_F64, 1, pixels, 0, 0);
  if (!centre) return fail_memory(run->error, "the model");
  for (int64_t j = 0; j < pixels; j++) centre[j] = objects->offset;
  if (!objects->pca) return LAVDM_OK;
  const steer_bands *from = &objects->pca->from;
  for (int64_t k = 0; k < bands; k++) entries += sizes[k] * (from->first[k + 1] - from->first[k]);
  double *matrices = model_array(model, &run->large, "band_matrices", LAVDM_F64, 1, entries, 0, 0);
  if (!matrices) return fail_memory(run->error, "the model");
  for (int64_t k = 0; k < bands; k++) {
    int64_t count = sizes[k] * (from->first[k + 1] - from->first[k]);
    if (count) memcpy(matrices, objects->pca->matrix[k], (size_t)count * sizeof *matrices);
    matrices += count;
  }
  return LAVDM_OK;
}

static int unfit(run_t *run, const char *name) {
  return fail(run->error, LAVDM_ERROR_DATA,
              "the array %s of the model does not go with its images: it cannot be applied", name);
}

/* The first bands, with sizes of their own unless NULL. */
static bool copy_bands(const steer_bands *from, int64_t bands, const int64_t *sizes, steer_bands *to) {
  to->bands = bands;
  to->first = NEW(int64_t, bands + 1);
  for (int64_t k = 0; to->first && k < bands; k++)
    to->first[k + 1] = to->first[k] + (sizes ? sizes[k] : from->first[k + 1] - from->first[k]);
  to->size = to->first ? to->first[bands] : 0;
  return to->first != NULL;
}

/* The matrices of each band, one after the other, as principal components. */
static int restore_pca(run_t *run, const int64_t *sizes, int64_t bands, const lavdm_array *matrices,
                       objects_t *out) {
  const steer_bands *from = REAL(steer_basis_bands)(out->basis);
  int64_t entries = 0;
  for (int64_t k = 0; k < bands; k++) entries += sizes[k] * (from->first[k + 1] - from->first[k]);
  if (matrices->shape[0] != entries) return unfit(run, "band_matrices");
  steer_pca *pca = out->pca = NEW(steer_pca, 1);
  if (!pca) return fail_memory(run->error, "the principal components");
  pca->noise = run->options.noise;
  pca->matrix = NEW(double *, from->bands);
  bool whole = pca->matrix && copy_bands(from, from->bands, NULL, &pca->from) &&
               copy_bands(from, bands, sizes, &pca->to);
  const double *at = matrices->data;
  for (int64_t k = 0; whole && k < bands; k++) {
    int64_t count = sizes[k] * (from->first[k + 1] - from->first[k]);
    pca->matrix[k] = NEW(double, count);
    whole = pca->matrix[k] != NULL;
    if (whole && count) memcpy(pca->matrix[k], at, (size_t)count * sizeof *at);
    at += count;
  }
  out->bands = &pca->to;
  return whole ? LAVDM_OK : fail_memory(run->error, "the principal components");
}

/* Types, ranks and the least of each number are checked with all other arrays (model/check.c); here, whether
 * they are there, and go with each other. */
int REAL(objects_restore)(run_t *run, const lavdm_model *model, objects_t *out) {
  const lavdm_array *shape = lavdm_get(model, "image_shape"), *sizes = lavdm_get(model, "band_components"),
                    *matrices = lavdm_get(model, "band_matrices");
  const double *centre = model_data(model, "centre");
  bool images = run->options.bundle == LAVDM_BUNDLE_ROTATION;
  if (!shape) return unfit(run, "image_shape");
  if (!sizes) return unfit(run, "band_components");
  const int64_t *size = shape->data, p = model->info.p;
  if (size[1] != p / size[0] || size[0] * size[1] != p ||
      (images ? size[0] < 3 || size[1] < 3 : size[0] != 1 || p < 3))
    return unfit(run, "image_shape");
  int status = run_room(run, REAL(objects_basis_bytes)(size[0], size[1]));
  if (!status) status = REAL(objects_open)(run, size[0], size[1], out);
  if (status < 0) return status;
  out->offset = centre ? centre[0] : 0;
  const steer_bands *from = REAL(steer_basis_bands)(out->basis);
  int64_t bands = sizes->shape[0], size_of_all = 0;
  bool fits = matrices ? bands <= from->bands : bands == from->bands;
  for (int64_t k = 0; fits && k < bands; k++) {
    int64_t count = ((const int64_t *)sizes->data)[k], most = from->first[k + 1] - from->first[k];
    fits = matrices ? count <= most : count == most;
    size_of_all += count;
  }
  if (!fits || !size_of_all) return unfit(run, "band_components");
  return matrices ? restore_pca(run, sizes->data, bands, matrices, out) : LAVDM_OK;
}
