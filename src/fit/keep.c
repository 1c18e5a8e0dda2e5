/*
 * What a model keeps besides its spectrum, so that it can be applied to new
 * points: the points and their frames, and what the landmarks have become.
 */
#include "base/memory.h"
#include "fit/fit.h"

#include <string.h>

/* The origin of the coordinates, frames aside. */
static int keep_centre(fit_t *f) {
  double *out = fit_array(f, "centre", LAVDM_F64, 1, f->data.p, 0, 0);
  if (!out) return fail_memory(f->run->error, "the points");
  memcpy(out, f->centre, (size_t)f->data.p * sizeof *out);
  return LAVDM_OK;
}

/* Rows of `width` numbers of each landmark, in the order of the array `landmarks`, or of `landmark_nodes`. */
static int keep_for_landmarks(fit_t *f, const char *name, int rank, int64_t q, int64_t r,
                              const double *from) {
  double *out = fit_array(f, name, LAVDM_F64, rank, f->m, q, r);
  if (!out) return fail_memory(f->run->error, "the landmarks");
  size_t width = (size_t)(q * r);
  for (int64_t k = 0; k < f->m; k++)
    memcpy(out + (size_t)(f->landmark_order ? f->landmark_order[k] : k) * width, from + (size_t)k * width,
           width * sizeof *out);
  return LAVDM_OK;
}

/* Points beyond the cut-off of every landmark, which were joined to the nearest. */
static int keep_far(fit_t *f) {
  if (!f->found.far || f->data.distances) return LAVDM_OK; /* numbers of rows tell new points nothing */
  void *far = fit_array(f, "far_points", f->real, 2, f->found.far, f->data.p, 0);
  if (!far) return fail_memory(f->run->error, "the far points");
  return f->ops->fetch(f->engine, f->rows, ROWS_FAR, NULL, 0, f->found.far, far);
}

static int keep_landmarks(fit_t *f) {
  const landmark_scaling *s = &f->scaling;
  int status = keep_for_landmarks(f, "landmark_vectors", 3, f->q, f->run->options.components, f->vectors);
  if (!status) status = keep_for_landmarks(f, "landmark_scale", 1, 1, 1, s->column);
  if (!status) status = keep_for_landmarks(f, "landmark_mass", 1, 1, 1, s->mass);
  if (!status) status = keep_for_landmarks(f, "landmark_inflow", 1, 1, 1, s->inflow);
  return status;
}

int keep_every_frame(fit_t *f) {
  int64_t p = f->rows->p, d = f->run->options.dim;
  int status = fit_fetch(f, f->rows, ROWS_FRAMES, "frames", f->real, 3, p, d);
  if (!status && f->marks) status = fit_fetch(f, f->marks, ROWS_FRAMES, "landmark_frames", f->real, 3, p, d);
  return status;
}

/* Images and signals: what they are expanded in, and, where they are the references, their coefficients. */
static int keep_turned(fit_t *f) {
  int status = f->ops->keep_basis(f->engine, f->model);
  if (status < 0 || f->marks) return status;
  return fit_fetch(f, f->rows, ROWS_COEFFICIENTS, "coefficients", f->real, 3, f->rows->p / 2, 2);
}

int keep_all(fit_t *f) {
  if (f->data.edges) return f->with_landmarks ? keep_landmarks(f) : LAVDM_OK;
  bool frames = has_frames(&f->run->options), turns = has_turns(&f->run->options);
  int status = turns ? keep_turned(f) : LAVDM_OK;
  if (!status && f->marks) status = keep_landmarks(f);
  if (!status && f->marks) status = keep_far(f);
  if (turns) return status;
  f->ops->drop(f->engine, f->rows, ROWS_DEGREES);
  if (!status && f->centre) status = keep_centre(f);
  if (!status && (frames || !f->marks))
    status = fit_fetch(f, f->rows, ROWS_POINTS, "points", f->real, 2, f->rows->p, 0);
  f->ops->drop(f->engine, f->rows, ROWS_POINTS); /* makes room for the frames */
  return !status && frames ? keep_every_frame(f) : status;
}
