#include "fit/copies.h"

#include "base/memory.h"
#include "base/options.h"

#include <inttypes.h>
#include <string.h>

static bool stay(const run_t *run, const lavdm_data *data, bool blocks) {
  const lavdm_options *o = &run->options;
  const double share = 0.25; /* of the memory that is left */
  return data->edges || data->distances || has_turns(o) || run->team || run->frames || blocks ||
         o->stream == LAVDM_STREAM_YES || o->normalise == LAVDM_NORMALISE_SINKHORN ||
         PLACES_ROW_BYTES * (double)data->n >
             share * (double)(o->max_memory > 0 ? o->max_memory : mem_available());
}

int copies_find(run_t *run, const lavdm_data *data, bool blocks, copies_t *out) {
  *out = (copies_t){0};
  if (stay(run, data, blocks)) return LAVDM_OK;
  int status = places_find(run, data, &out->places);
  if (!status && out->places.count == 1 && data->n > 1)
    status = fail(run->error, LAVDM_ERROR_DATA, "all %" PRId64 " points are equal: there is nothing to embed",
                  data->n);
  run->total = out->places.count;
  return status < 0 ? status : run_status(run);
}

/* What the user asked for of points, there cannot be more of than places. */
static void bound_options(run_t *run, int64_t count) {
  lavdm_options *o = &run->options;
  if (o->landmarks > count) {
    run_warn(run, "landmarks is %" PRId64 ", not %" PRId64 ": the points are at no more places than that",
             count, o->landmarks);
    o->landmarks = count;
  }
  int64_t *knn[] = {&o->knn, &o->frame_knn};
  for (int k = 0; k < 2; k++)
    if (*knn[k] > count - 1) *knn[k] = count - 1;
}

int copies_gather(run_t *run, lavdm_data *data, copies_t *copies) {
  const places_t *places = &copies->places;
  if (!places->weight) return LAVDM_OK;
  int64_t count = places->count, given = data->landmark_index ? data->landmark_count : 0;
  copies->points = LARGE(&run->large, double, count * data->p);
  copies->landmark_index = given ? NEW(int64_t, given) : NULL;
  if (!copies->points || (given && !copies->landmark_index)) return fail_memory(run->error, "the points");
  int status = places_points(run, places, data, copies->points);
  if (status < 0) return status;
  for (int64_t k = 0; k < given; k++) copies->landmark_index[k] = places->place[data->landmark_index[k]];
  if (given) data->landmark_index = copies->landmark_index;
  data->points = copies->points;
  data->read = NULL;
  data->type = LAVDM_F64;
  data->n = count;
  data->row_stride = data->p;
  data->col_stride = 1;
  run->weights = places->weight;
  run->rows = places->first;
  run_reason(run, "points",
             "%" PRId64 " places for %" PRId64 " points: copies are one place, with their number", count,
             places->n);
  bound_options(run, count);
  return LAVDM_OK;
}

/* ------------------------------------------------------------------ spread */

/* Every row of an array once for each of its points. */
static int spread_array(run_t *run, const places_t *places, lavdm_model *model, int i) {
  lavdm_array *array = &model->array[i];
  size_t width = array->type == LAVDM_F32 ? sizeof(float) : sizeof(double);
  for (int k = 1; k < array->rank; k++) width *= (size_t)array->shape[k];
  char *wide = large_new(&run->large, places->n, width);
  if (!wide) return fail_memory(run->error, "the results");
  const char *from = array->data;
  for (int64_t k = 0; k < places->n; k++)
    memcpy(wide + (size_t)k * width, from + (size_t)places->place[k] * width, width);
  large_free(model->owned[i]);
  model->owned[i] = wide;
  array->data = wide;
  array->shape[0] = places->n;
  return LAVDM_OK;
}

/* Degrees are those of all points at a place, but for nystrom, where rows are new points. */
static void share_degrees(const places_t *places, const lavdm_array *degrees) {
  double *degree = degrees ? (double *)degrees->data : NULL;
  for (int64_t k = 0; degree && k < places->count; k++) degree[k] /= places->weight[k];
}

static int spread_isolated(run_t *run, const places_t *places, lavdm_model *model) {
  int64_t found = model->info.isolated, count = 0, at = 0;
  if (!found) return LAVDM_OK;
  char *mark = NEW(char, places->count);
  for (int64_t k = 0; mark && k < found; k++) {
    mark[model->isolated[k]] = 1;
    count += (int64_t)places->weight[model->isolated[k]];
  }
  int64_t *isolated = NEW(int64_t, count);
  for (int64_t i = 0; mark && isolated && i < places->n; i++)
    if (mark[places->place[i]]) isolated[at++] = i;
  if (mark && isolated) {
    mem_free(model->isolated);
    model->isolated = isolated;
    model->info.isolated = count;
  } else {
    mem_free(isolated);
  }
  bool whole = mark && isolated;
  mem_free(mark);
  return whole ? LAVDM_OK : fail_memory(run->error, "the isolated points");
}

int copies_spread(run_t *run, const copies_t *copies, lavdm_model *model) {
  const places_t *places = &copies->places;
  if (!places->weight) return LAVDM_OK;
  if (run->options.method != LAVDM_METHOD_NYSTROM) share_degrees(places, lavdm_get(model, "degrees"));
  const lavdm_array *landmarks = lavdm_get(model, "landmark_index");
  int64_t *index = landmarks ? (int64_t *)landmarks->data : NULL;
  for (int64_t k = 0; index && k < landmarks->shape[0]; k++) index[k] = places->first[index[k]];
  int status = LAVDM_OK;
  for (int i = 0; i < model->arrays && !status; i++)
    if (model_is_pointwise(model->array[i].name)) status = spread_array(run, places, model, i);
  if (!status) status = spread_isolated(run, places, model);
  model->info.n = places->n;
  if (!has_landmarks(&run->options)) model->info.m = run->options.landmarks = places->n;
  return status < 0 ? status : run_status(run);
}

void copies_free(copies_t *copies) {
  places_free(&copies->places);
  large_free(copies->points);
  mem_free(copies->landmark_index);
  *copies = (copies_t){0};
}
