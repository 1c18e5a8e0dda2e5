/* Frames from low frequencies: local PCA of x^ (lowpass/lowpass.h), as frames of the points. */
#include "lowpass/lowpass.h"

#include "base/memory.h"
#include "fit/fit.h"

#include <string.h>

/* What the model keeps: the function x^, for new points, and x^ itself. */
typedef struct {
  double *landmarks, *values, *weights, *kernel;
  void *points; /* n x p reals */
} kept_t;

static int keep_field(fit_t *f, int64_t r, kept_t *kept, lowpass_field *field) {
  lowpass_t lowpass = {0};
  int64_t p = f->data.p;
  int status = lowpass_open(f->engine, &f->data, f->centre, r, &lowpass);
  if (!status) {
    kept->landmarks = fit_array(f, "smooth_landmarks", LAVDM_F64, 2, lowpass.m, p, 0);
    kept->values = fit_array(f, "smooth_values", LAVDM_F64, 2, lowpass.m, p, 0);
    kept->weights = fit_array(f, "smooth_weights", LAVDM_F64, 2, lowpass.m, 2, 0);
    kept->kernel = fit_array(f, "smooth_kernel", LAVDM_F64, 1, 2, 0, 0);
    kept->points = fit_array(f, "smooth_points", f->real, 2, f->n, p, 0);
    bool whole = kept->landmarks && kept->values && kept->weights && kept->kernel && kept->points;
    if (!whole) status = fail_memory(f->run->error, "the points");
  }
  if (!status) {
    memcpy(kept->landmarks, lowpass.landmarks, (size_t)(lowpass.m * p) * sizeof *kept->landmarks);
    lowpass_describe(&lowpass, r < lowpass.r ? r : lowpass.r, kept->values, kept->weights);
    kept->kernel[0] = lowpass.epsilon;
    kept->kernel[1] = (double)r;
    *field = (lowpass_field){lowpass.m, p, lowpass.epsilon, kept->landmarks, kept->values, kept->weights};
  }
  lowpass_close(f->engine, &lowpass);
  return status;
}

/* Frames at the places from `around`, as frames of `rows`. */
static int give_frames(fit_t *f, const lavdm_data *places, const rows_t *around, rows_t *rows,
                       int64_t *degenerate) {
  const lavdm_options *o = &f->run->options;
  size_t real = f->real == LAVDM_F32 ? sizeof(float) : sizeof(double);
  rows_t *own = NULL;
  void *frames = mem_new(rows->n * rows->p * o->dim, real);
  int status = frames ? f->ops->load(f->engine, places, NULL, ROLE_POINTS, 0, &own)
                      : fail_memory(f->run->error, "the frames");
  if (!status)
    status = f->ops->frames(f->engine, own, around ? around : own, o->dim, frame_neighbours(o), f->radius,
                            degenerate);
  if (!status) status = f->ops->fetch(f->engine, own, ROWS_FRAMES, NULL, 0, rows->n, frames);
  if (!status) status = f->ops->put(f->engine, rows, ROWS_FRAMES, frames);
  f->ops->unload(f->engine, own);
  mem_free(frames);
  return status;
}

/* Landmarks that are no points. */
static int place_landmarks(fit_t *f, const lowpass_field *field, const lavdm_data *smooth) {
  size_t real = f->real == LAVDM_F32 ? sizeof(float) : sizeof(double);
  lavdm_data marks = {.points = model_data(f->model, "landmarks"), .n = f->m, .p = f->data.p};
  rows_t *around = NULL;
  int64_t other;
  void *places = mem_new(f->m * f->data.p, real);
  int status = places ? lowpass_apply(f->engine, &marks, f->centre, field, places)
                      : fail_memory(f->run->error, "the landmarks");
  marks = (lavdm_data){.points = places, .type = f->real, .n = f->m, .p = f->data.p};
  if (!status) status = f->ops->load(f->engine, smooth, NULL, ROLE_POINTS, 0, &around);
  if (!status) status = give_frames(f, &marks, around, f->marks, &other);
  f->ops->unload(f->engine, around);
  mem_free(places);
  return status;
}

int lowpass_frames(fit_t *f, int64_t r) {
  kept_t kept = {0};
  lowpass_field field;
  int status = keep_field(f, r, &kept, &field);
  if (!status) status = lowpass_apply(f->engine, &f->data, f->centre, &field, kept.points);
  lavdm_data smooth = {.points = kept.points, .type = f->real, .n = f->n, .p = f->data.p};
  if (!status) status = give_frames(f, &smooth, NULL, f->rows, &f->degenerate);
  if (status < 0 || !f->marks) return status;
  return f->landmark_index ? copy_frames(f) : place_landmarks(f, &field, &smooth);
}

/* ------------------------------------------------------------ checkpoints */

static const char *const names[] = {"smooth_landmarks", "smooth_values", "smooth_weights", "smooth_kernel",
                                    "smooth_points"};
enum { NAMES = sizeof names / sizeof *names };

void lowpass_save(const fit_t *f, checkpoint_list *list) {
  const lavdm_array *first = lavdm_get(f->model, names[0]);
  checkpoint_integer(list, "smooth", first ? first->shape[0] : 0);
  for (int i = 0; first && i < NAMES; i++) {
    const lavdm_array *a = lavdm_get(f->model, names[i]);
    int64_t count = a->shape[0] * (a->rank > 1 ? a->shape[1] : 1);
    checkpoint_add(list, names[i], a->type == LAVDM_F32 ? STORE_SINGLE : STORE_REAL, count, a->data);
  }
}

int lowpass_take(fit_t *f) {
  int64_t p = f->rows->p, m = checkpoint_whole(f->checkpoint, "smooth", -1);
  int64_t rows[NAMES] = {m, m, m, 2, f->n}, columns[NAMES] = {p, p, 2, 0, p};
  int status = LAVDM_OK;
  if (m < 0 || m > f->n) return checkpoint_unfit(f->run, f->checkpoint);
  for (int i = 0; m && i < NAMES && !status; i++) {
    lavdm_type type = i == NAMES - 1 ? f->real : LAVDM_F64;
    void *to = fit_array(f, names[i], type, columns[i] ? 2 : 1, rows[i], columns[i], 0);
    status =
        to ? checkpoint_copy(f->run, f->checkpoint, names[i], type == LAVDM_F32 ? STORE_SINGLE : STORE_REAL,
                             rows[i] * (columns[i] ? columns[i] : 1), to)
           : fail_memory(f->run->error, "the points");
  }
  return status;
}
