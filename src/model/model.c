#include "model/model.h"

#include "base/memory.h"
#include "base/options.h"
#include "model/trust.h"

#include <string.h>

void *model_array(lavdm_model *model, large_t *large, const char *name, lavdm_type type, int rank, int64_t a,
                  int64_t b, int64_t c) {
  int64_t count = a * (rank > 1 ? b : 1) * (rank > 2 ? c : 1);
  size_t size = type == LAVDM_F32 ? sizeof(float) : sizeof(double);
  if (model->arrays == MAX_ARRAYS) return NULL;
  void *data = large_new(large, count, size);
  if (!data) return NULL;
  model->owned[model->arrays] = data;
  model->array[model->arrays++] =
      (lavdm_array){name, type, rank, {a, rank > 1 ? b : 1, rank > 2 ? c : 1}, data};
  return data;
}

int lavdm_array_count(const lavdm_model *model) {
  return model->arrays;
}

const lavdm_array *lavdm_array_at(const lavdm_model *model, int i) {
  return i >= 0 && i < model->arrays ? &model->array[i] : NULL;
}

const lavdm_array *lavdm_get(const lavdm_model *model, const char *name) {
  for (int i = 0; name && i < model->arrays; i++)
    if (!strcmp(model->array[i].name, name)) return &model->array[i];
  return NULL;
}

const double *model_row(const lavdm_array *array, int64_t i, int64_t width, double *space) {
  if (array->type == LAVDM_F64) return (const double *)array->data + i * width;
  const float *row = (const float *)array->data + i * width;
  for (int64_t j = 0; j < width; j++) space[j] = row[j];
  return space;
}

const double *model_data(const lavdm_model *model, const char *name) {
  const lavdm_array *array = lavdm_get(model, name);
  return array && array->type == LAVDM_F64 ? array->data : NULL;
}

const lavdm_array *model_need(const lavdm_model *model, const char *name, lavdm_error *error) {
  const lavdm_array *array = lavdm_get(model, name);
  if (!array)
    fail(
        error, LAVDM_ERROR_ARGUMENT,
        "the model has no %s: it was saved compact, without the results of its own points; save it whole, or "
        "extend it to points",
        name);
  return array;
}

bool model_has_landmarks(const lavdm_model *model) {
  lavdm_method method = model->chosen.method;
  return method_has_landmarks(method);
}

int64_t model_fibre(const lavdm_options *o) {
  bool turns = o->bundle == LAVDM_BUNDLE_ROTATION || o->bundle == LAVDM_BUNDLE_SHIFT;
  if (o->bundle == LAVDM_BUNDLE_GIVEN) return 0;
  if (turns) return o->method == LAVDM_METHOD_LAVDM || o->method == LAVDM_METHOD_VDM ? 2 : 1;
  return o->bundle == LAVDM_BUNDLE_TANGENT ? o->dim : 1;
}

const lavdm_info_t *lavdm_info(const lavdm_model *model) {
  return &model->info;
}

void model_finish(lavdm_model *model, const run_t *run) {
  lavdm_info_t *info = &model->info;
  memcpy(model->timing, run->timing, sizeof model->timing);
  memcpy(model->warning, run->warning, sizeof model->warning);
  for (int i = 0; i < run->warnings; i++) model->warning_text[i] = model->warning[i];
  memcpy(model->reason, run->reason, sizeof model->reason);
  for (int i = 0; i < run->reasons; i++) model->reason_text[i] = model->reason[i];
  info->reasons = run->reasons;
  info->reason = model->reason_text;
  info->timings = run->timings;
  info->timing = model->timing;
  info->warnings = run->warnings;
  info->warning = model->warning_text;
  model->chosen = run->options;
  info->chosen = &model->chosen;
  info->eigenvalues = model_data(model, "eigenvalues");
  info->residuals = model_data(model, "residuals");
  info->isolated_index = model->isolated;
  model_trust(model);
}

void lavdm_free(lavdm_model *model) {
  if (!model) return;
  for (int i = 0; i < model->arrays; i++) large_free(model->owned[i]);
  mem_free(model->isolated);
  store_close(model->store);
  mem_free(model);
}
