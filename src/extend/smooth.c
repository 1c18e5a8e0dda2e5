#include "extend/smooth.h"

#include "base/memory.h"
#include "base/options.h"
#include "extend/load.h"

static int lacks(lavdm_error *error, const char *name) {
  return fail(error, LAVDM_ERROR_DATA, "the model lacks the array %s, without which it cannot be applied",
              name);
}

int smooth_field(const lavdm_model *model, lowpass_field *out, lavdm_error *error) {
  static const char *const names[] = {"smooth_landmarks", "smooth_values", "smooth_weights", "smooth_kernel"};
  const lavdm_array *array[4];
  for (int i = 0; i < 4; i++) {
    array[i] = lavdm_get(model, names[i]);
    if (!array[i]) return lacks(error, names[i]);
  }
  const double *kernel = array[3]->data;
  if (!(kernel[0] > 0)) return lacks(error, names[3]);
  *out = (lowpass_field){array[0]->shape[0], array[0]->shape[1], kernel[0],
                         array[0]->data,     array[1]->data,     array[2]->data};
  return LAVDM_OK;
}

/* x^ at the points, in the engine's coordinates; NULL: an error was written to *status. */
static void *smooth_points(engine_t *engine, const lowpass_field *field, const lavdm_data *data,
                           const double *centre, int *status) {
  size_t real = engine_real(engine->run) == LAVDM_F32 ? sizeof(float) : sizeof(double);
  void *points = mem_new(data->n * field->p, real);
  *status = points ? lowpass_apply(engine, data, centre, field, points)
                   : fail_memory(engine->run->error, "the points");
  if (*status >= 0) return points;
  mem_free(points);
  return NULL;
}

int smooth_around(engine_t *engine, const lavdm_model *model, const lowpass_field *field,
                  const lavdm_data *reference, const double *centre, rows_t **out) {
  const lavdm_array *kept = lavdm_get(model, "smooth_points");
  lavdm_type real = engine_real(engine->run);
  int status = LAVDM_OK;
  void *made = NULL;
  lavdm_data data = {.type = real, .p = field->p};
  if (kept && kept->type == real) {
    data.points = kept->data, data.n = kept->shape[0];
  } else if (reference) {
    made = smooth_points(engine, field, reference, centre, &status);
    data.points = made, data.n = reference->n;
  } else {
    return lacks(engine->run->error, "smooth_points");
  }
  places_t places = {0};
  if (!status) status = load_places(engine, &data, NULL, &places, out);
  places_free(&places);
  mem_free(made);
  return status;
}

int smooth_frames(engine_t *engine, const lowpass_field *field, const lavdm_data *data, const double *centre,
                  const rows_t *around, double radius, rows_t *rows, int64_t *degenerate) {
  run_t *run = engine->run;
  const lavdm_options *o = &run->options;
  size_t real = engine_real(run) == LAVDM_F32 ? sizeof(float) : sizeof(double);
  rows_t *places = NULL;
  int status;
  void *points = smooth_points(engine, field, data, centre, &status);
  void *frames = mem_new(data->n * field->p * o->dim, real);
  if (!status && !frames) status = fail_memory(run->error, "the frames");
  lavdm_data at = {.points = points, .type = engine_real(run), .n = data->n, .p = field->p};
  if (!status) status = engine->ops->load(engine, &at, NULL, ROLE_NEW, around->n, &places);
  if (!status)
    status = engine->ops->frames(engine, places, around, o->dim, frame_neighbours(o), radius, degenerate);
  if (!status) status = engine->ops->fetch(engine, places, ROWS_FRAMES, NULL, 0, data->n, frames);
  if (!status) status = engine->ops->put(engine, rows, ROWS_FRAMES, frames);
  engine->ops->unload(engine, places);
  mem_free(points);
  mem_free(frames);
  return status;
}
