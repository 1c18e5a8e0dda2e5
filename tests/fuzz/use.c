/* A model is asked everything that models can be asked. */
#include "use.h"
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 64, MANY = 1 << 14 }; /* points to compare, numbers to compute */

static volatile unsigned char sum;

static void touch(const void *data, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i++) sum = (unsigned char)(sum + ((const unsigned char *)data)[i]);
}

static void check_info(const lavdm_model *model) {
  const lavdm_info_t *info = lavdm_info(model);
  char text[64];
  touch(info->eigenvalues, 8 * info->chosen->components);
  touch(info->residuals, 8 * info->chosen->components);
  touch(info->isolated_index, 8 * info->isolated);
  for (int i = 0; i < info->warnings; i++) touch(info->warning[i], (int64_t)strlen(info->warning[i]));
  for (int i = 0; i < info->timings; i++)
    touch(info->timing[i].stage, (int64_t)strlen(info->timing[i].stage));
  for (int i = 0; i < lavdm_option_count(); i++)
    PROMISE(lavdm_option_text(info->chosen, lavdm_option_at(i)->name, text, sizeof text) >= 0,
            "an option has a text");
}

static void check_arrays(const lavdm_model *model) {
  for (int i = 0; i < lavdm_array_count(model); i++) {
    const lavdm_array *a = lavdm_array_at(model, i);
    PROMISE(a->rank >= 1 && a->rank <= 3, "an array has one to three dimensions");
    PROMISE(lavdm_get(model, a->name) == a, "an array is found by its name");
    touch(a->data, a->shape[0] * a->shape[1] * a->shape[2] * (a->type == LAVDM_F32 ? 4 : 8));
  }
  lavdm_trim(model);
}

/* Room for numbers, or NULL if they are more than a test has time for. */
static double *room(double a, double b, double c) {
  return a * b * c <= MANY ? calloc((size_t)(a * b * c) + 1, sizeof(double)) : NULL;
}

static void check_status(int status, const lavdm_error *error) {
  PROMISE(status >= 0 || (error->status == status && error->message[0]), "an error has a sentence");
}

static void check_coordinates(const lavdm_model *model) {
  const lavdm_info_t *info = lavdm_info(model);
  lavdm_error error = {0};
  double n = (double)info->n, p = (double)info->p, r = (double)info->chosen->components,
         t = info->chosen->time;
  int64_t rank = lavdm_embedding_rank(model, t, info->chosen->delta);
  PROMISE(rank >= 0 && (double)rank <= r, "an embedding keeps some of the components");
  double *out = room(n, (double)rank, (double)rank + 1);
  if (out) check_status(lavdm_embedding(model, t, rank, out, &error), &error);
  if (out) check_status(lavdm_coordinates(model, t, rank, out, &error), &error);
  free(out);
  out = room(n, p, r);
  if (out) check_status(lavdm_ambient(model, out, &error), &error);
  free(out);
}

static void check_neighbours(const lavdm_model *model) {
  const lavdm_info_t *info = lavdm_info(model);
  lavdm_error error = {0};
  int64_t n = info->n, q = info->q, r = info->chosen->components, index[FEW * 2], points[2] = {0, n - 1};
  double distance[FEW * 2];
  double *alignment = room(FEW * 2, (double)q, (double)q);
  double far = 0;
  PROMISE(lavdm_distance(model, 0, n, 1, r, &far, NULL) < 0 && isnan(far), "there is no point n");
  lavdm_distance(model, 0, n - 1, 1, r > 2 ? 2 : r, &far, NULL);
  PROMISE(!(far < 0), "a distance is not negative");
  if (n <= FEW && alignment)
    check_status(lavdm_neighbours(model, 1, r, NULL, n, n > 1 ? 1 : 0, index, distance, alignment, &error),
                 &error);
  if (n <= MANY && n > 2)
    check_status(lavdm_neighbours(model, 1, 1, points, 2, 2, index, distance, NULL, &error), &error);
  free(alignment);
}

/* The model is applied to two points of its own and one far off. */
static void check_extension(const lavdm_model *model, bool with_reference) {
  const lavdm_info_t *info = lavdm_info(model);
  const lavdm_array *basis = lavdm_get(model, "pca_basis"), *z = lavdm_get(model, "landmarks");
  int64_t p = basis ? basis->shape[0] : info->p;
  double *x = room(3, (double)p, 1);
  if (!x || p < 1 || info->n > MANY || info->m > MANY) {
    free(x);
    return;
  }
  for (int64_t j = 0; j < p; j++) {
    x[2 * p + j] = 1e6;
    if (z && !basis) x[j] = ((const double *)z->data)[j];
  }
  lavdm_data data = {.points = x, .n = 3, .p = p};
  double *far = room(3, (double)info->n, 1);
  lavdm_distances distances = {.rows = 3, .cols = info->n, .value = far};
  for (int64_t j = 0; far && j < 3 * info->n; j++) far[j] = j < info->n ? (double)(j % 7) : 1e6;
  if (far && info->chosen->metric == LAVDM_METRIC_PRECOMPUTED)
    data = (lavdm_data){.size = sizeof data, .distances = &distances};
  lavdm_model *extension = NULL;
  lavdm_error error = {0};
  int status = lavdm_extend(model, &data, with_reference ? &data : NULL, NULL, &extension, &error);
  check_status(status, &error);
  PROMISE((status >= 0) == (extension != NULL), "there is an extension or an error");
  if (extension) check_arrays(extension), check_coordinates(extension);
  lavdm_free(extension);
  free(far);
  free(x);
}

/* A model that was loaded can be kept, and is then the same. */
static void check_kept(const lavdm_model *model, int compact) {
  lavdm_model *again = NULL;
  lavdm_error error = {0};
  const char *path = fuzz_disk("y.h5", (const uint8_t *)"", 0);
  int status = lavdm_save(model, path, compact, &error);
  check_status(status, &error);
  if (status < 0) return;
  status = lavdm_load(path, &again, &error);
  PROMISE(status >= 0, "a model that is kept can be loaded");
  PROMISE(compact || lavdm_array_count(again) == lavdm_array_count(model), "a kept model has all its arrays");
  PROMISE(lavdm_info(again)->n == lavdm_info(model)->n, "a kept model is the same");
  lavdm_free(again);
}

void use_model(const lavdm_model *model, unsigned chance) {
  check_info(model);
  check_arrays(model);
  check_coordinates(model);
  check_neighbours(model);
  check_extension(model, chance & 8);
  if (chance % 16 == 0) check_kept(model, chance & 32);
}
