/*
 * What a model keeps besides its spectrum, so that it can be applied to new
 * points: the points and their frames, and what the landmarks have become.
 */
#include "base/arrange.h"
#include "base/memory.h"
#include "pipeline/fit.h"

#include <omp.h>
#include <string.h>

/* (n,p,d) in the order of the data from n x d x p in stored order, which is lost. */
static int keep_frames(fit_t *f, const char *name, frames_t *frames, const int64_t *order) {
  enum { TICK = 1 << 14 };
  int64_t p = frames->p, d = frames->d, size = p * d;
  real_t *out = model_array(f->model, &f->run->large, name, REAL_TYPE, 3, frames->n, p, d);
  real_t *turned = NEW(real_t, f->run->threads * size);
  int status = out && turned ? LAVDM_OK : fail_memory(f->run->error, "the frames");
  if (!status) {
#pragma omp parallel for num_threads(f->run->threads) schedule(static)
    for (int64_t first = 0; first < frames->n; first += TICK) {
      if (run_stopped(f->run, first, 2 * frames->n)) continue;
      real_t *own = turned + omp_get_thread_num() * size;
      for (int64_t i = first; i < first + TICK && i < frames->n; i++) {
        real_t *b = frames->b + i * size;
        for (int64_t j = 0; j < p; j++)
          for (int64_t a = 0; a < d; a++) own[j * d + a] = b[a * p + j];
        memcpy(b, own, (size_t)size * sizeof *b);
      }
    }
    status = arrange_rows(f->run, order, frames->n, (size_t)size * sizeof *out, frames->b, out);
  }
  mem_free(turned);
  return status;
}

/* The points in the order of the data, as the run saw them; those in tile order are lost. */
static int keep_points(fit_t *f) {
  int64_t p = f->points.p;
  real_t *out = model_array(f->model, &f->run->large, "points", REAL_TYPE, 2, f->n, p, 0);
  int status = out ? arrange_rows(f->run, f->order, f->n, (size_t)p * sizeof *out, f->points.x, out)
                   : fail_memory(f->run->error, "the points");
  large_free(f->points.x);
  f->points.x = NULL;
  return status;
}

/* The origin that single precision took away from points, frames aside. */
static int keep_centre(fit_t *f) {
  double *out = model_array(f->model, &f->run->large, "centre", LAVDM_F64, 1, f->points.p, 0, 0);
  if (!out) return fail_memory(f->run->error, "the points");
  memcpy(out, f->centre, (size_t)f->points.p * sizeof *out);
  return LAVDM_OK;
}

/* Rows of `width` numbers of each landmark, in the order of the array `landmarks`. */
static int keep_for_landmarks(fit_t *f, const char *name, int rank, int64_t q, int64_t r,
                              const double *from) {
  double *out = model_array(f->model, &f->run->large, name, LAVDM_F64, rank, f->m, q, r);
  if (!out) return fail_memory(f->run->error, "the landmarks");
  size_t width = (size_t)(q * r);
  for (int64_t k = 0; k < f->m; k++)
    memcpy(out + (size_t)f->landmarks.order[k] * width, from + (size_t)k * width, width * sizeof *out);
  return LAVDM_OK;
}

/* Points beyond the cut-off of every landmark, which were joined to the nearest, into
 * the rows of far (f->scaling.far x p); returns how many were found. */
static int64_t find_far(fit_t *f, graph_work *work, real_t *far) {
  graph_t graph = f->graph;
  graph.kept = NULL; /* tiles that were kept do not say which rows are alone */
  int64_t p = f->points.p, found = 0;
  for (int64_t t = 0; t < graph.tiles && found < f->scaling.far; t++) {
    graph_tile tile;
    if (run_stopped(f->run, t, graph.tiles)) break;
    if (graph.tile(&graph, t, false, work, &tile) < 0) return LAVDM_ERROR_MEMORY;
    for (int64_t i = 0; tile.alone && i < tile.rows && found < f->scaling.far; i++) {
      bool joined = false;
      for (int64_t c = 0; c < tile.count; c++) joined |= tile.w[i * tile.count + c] > 0;
      if (!tile.alone[i] || !joined) continue;
      memcpy(far + found++ * p, f->points.x + (tile.first + i) * p, (size_t)p * sizeof *far);
    }
  }
  return found;
}

static int keep_far(fit_t *f) {
  if (!f->scaling.far) return LAVDM_OK;
  real_t *far =
      model_array(f->model, &f->run->large, "far_points", REAL_TYPE, 2, f->scaling.far, f->points.p, 0);
  graph_work **work = graph_work_new(1);
  int before = blas_threads(1);
  int64_t found = far && work ? find_far(f, work[0], far) : LAVDM_ERROR_MEMORY;
  blas_threads(before);
  graph_work_free(work, 1);
  return found < 0 ? fail_memory(f->run->error, "the far points") : run_status(f->run);
}

int keep_landmarks(fit_t *f) {
  const scaling_t *s = &f->scaling;
  int status = keep_for_landmarks(f, "landmark_vectors", 3, f->q, f->run->options.components, f->vectors);
  if (!status) status = keep_for_landmarks(f, "landmark_scale", 1, 1, 1, s->column);
  if (!status) status = keep_for_landmarks(f, "landmark_mass", 1, 1, 1, s->mass);
  if (!status) status = keep_for_landmarks(f, "landmark_inflow", 1, 1, 1, s->inflow);
  return status;
}

int keep_every_frame(fit_t *f) {
  int status = keep_frames(f, "frames", &f->frames, f->order);
  if (!status && f->with_landmarks)
    status = keep_frames(f, "landmark_frames", &f->landmark_frames, f->landmarks.order);
  return status;
}

int keep_all(fit_t *f) {
  bool frames = has_frames(&f->run->options);
  int status = f->with_landmarks ? keep_landmarks(f) : LAVDM_OK;
  if (!status && f->with_landmarks) status = keep_far(f);
  scaling_free(&f->scaling);
  if (!status && f->centre) status = keep_centre(f);
  if (!status && (frames || !f->with_landmarks)) status = keep_points(f);
  large_free(f->points.x); /* makes room for the frames */
  f->points.x = NULL;
  return !status && frames ? keep_every_frame(f) : status;
}
