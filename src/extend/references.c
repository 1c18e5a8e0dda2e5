/*
 * The landmarks, or the points of the fit, as an engine has them, and what the fit left of them: mass, inflow
 * and fields, bandwidths, frames; and the points whose neighbours give the frames of new ones.
 */
#include "extend/references.h"

#include "base/memory.h"
#include "base/options.h"
#include "extend/load.h"
#include "extend/smooth.h"
#include "operator/scaling.h"
#include "reduce/sphere.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The array `name` of reals of the engine's precision. */
static const void *reals(const extend_t *e, const char *name) {
  const lavdm_array *array = lavdm_get(e->model, name);
  return array && array->type == e->real ? array->data : NULL;
}

int extend_incomplete(const extend_t *e, const char *name) {
  return fail(e->run->error, LAVDM_ERROR_DATA,
              "the model lacks the array %s, without which it cannot be applied", name);
}

/* How far the neighbours of the points of a model are whose distances nobody has any more. */
static int put_reach(extend_t *e) {
  const double *reach = model_data(e->model, "knn_distances");
  return reach ? e->ops->put(e->engine, e->references, ROWS_REACH, reach)
               : extend_incomplete(e, "knn_distances");
}

/* The points of a model of images or signals: their coefficients, and how far their own neighbours are. */
static int put_objects(extend_t *e) {
  const lavdm_array *values = lavdm_get(e->model, "coefficients");
  if (!values || values->type != e->real || 2 * values->shape[1] != e->references->p)
    return extend_incomplete(e, "coefficients");
  int status = e->ops->put(e->engine, e->references, ROWS_COEFFICIENTS, values->data);
  return status < 0 || e->run->options.edges != LAVDM_EDGES_KNN ? status : put_reach(e);
}

/* Without points the references are numbers of nodes, in order. */
static int open_numbers(extend_t *e) {
  e->order = NEW(int64_t, e->m);
  if (!e->order) return fail_memory(e->run->error, "the references");
  for (int64_t k = 0; k < e->m; k++) e->order[k] = k;
  return LAVDM_OK;
}

static int open_references(extend_t *e) {
  if (e->edges) return open_numbers(e);
  const void *points = reals(e, "points");
  const double *landmarks = model_data(e->model, "landmarks");
  if (e->with_landmarks && !landmarks) return extend_incomplete(e, "landmarks");
  if (!e->with_landmarks && !e->with_turns && !points) return extend_incomplete(e, "points");
  lavdm_data data = {.points = landmarks, .n = e->m, .p = e->p};
  if (!e->with_landmarks)
    data = (lavdm_data){.points = e->with_turns ? NULL : points, .type = e->real, .n = e->m, .p = e->p};
  int status = e->with_turns ? e->ops->take_basis(e->engine, e->model) : LAVDM_OK;
  if (!status && e->with_landmarks)
    status = e->ops->load(e->engine, &data, e->centre, ROLE_LANDMARKS, 0, &e->references);
  else if (!status && e->with_turns)
    status = e->ops->load(e->engine, &data, NULL, ROLE_POINTS, 0, &e->references);
  else if (!status)
    status = load_places(e->engine, &data, NULL, &e->places, &e->references);
  if (!status && e->with_turns && !e->with_landmarks) status = put_objects(e);
  if (!status && e->run->distances && !e->with_landmarks && e->run->options.edges == LAVDM_EDGES_KNN)
    status = put_reach(e);
  if (status < 0) return status;
  e->m = e->references->n;
  e->order = NEW(int64_t, e->m);
  if (!e->order) return fail_memory(e->run->error, "the references");
  status = e->ops->fetch(e->engine, e->references, ROWS_ORDER, NULL, 0, e->m, e->order);
  for (int64_t k = 0; k < e->m && !status && e->places.first; k++) e->order[k] = e->places.first[e->order[k]];
  return status;
}

/* Which place of the model's points the k-th reference is, and how many points are there. */
static int64_t place_of(const extend_t *e, int64_t k) {
  return e->places.weight ? e->places.place[e->order[k]] : e->order[k];
}

static double weight_of(const extend_t *e, int64_t k) {
  return e->places.weight ? e->places.weight[place_of(e, k)] : 1;
}

/* Rows of `width` bytes of the model's points, one for each place; `from` itself if these are the points.
 * NULL: no memory. */
static const void *at_places(const extend_t *e, const void *from, size_t width, void **own) {
  *own = NULL;
  if (!e->places.weight) return from;
  *own = mem_new(e->places.count, width);
  for (int64_t k = 0; *own && k < e->places.count; k++)
    memcpy((char *)*own + (size_t)k * width, (const char *)from + (size_t)e->places.first[k] * width, width);
  return *own;
}

static int take_frames(extend_t *e) {
  const char *name = e->with_landmarks ? "landmark_frames" : "frames";
  const void *from = reals(e, name);
  if (!from) return extend_incomplete(e, name);
  void *own;
  const void *frames = at_places(e, from, (size_t)(e->p * e->d) * real_size(e), &own);
  int status = frames ? e->ops->put(e->engine, e->references, ROWS_FRAMES, frames)
                      : fail_memory(e->run->error, "the frames");
  mem_free(own);
  return status;
}

static int through_landmarks(extend_t *e) {
  static const char *const names[] = {"landmark_vectors", "landmark_scale", "landmark_mass",
                                      "landmark_inflow"};
  const double *array[4], *values = e->model->info.eigenvalues;
  for (int i = 0; i < 4; i++) {
    array[i] = model_data(e->model, names[i]);
    if (!array[i]) return extend_incomplete(e, names[i]);
  }
  int64_t width = e->q * e->r;
  for (int64_t k = 0; k < e->m; k++) {
    int64_t from = e->order[k];
    e->mass[k] = array[2][from];
    e->inflow[k] = array[3][from];
    for (int64_t j = 0; j < width; j++) {
      double value = values[j % e->r];
      e->field[k * width + j] = value > 0 ? array[0][from * width + j] * array[1][from] / sqrt(value) : 0;
    }
  }
  return LAVDM_OK;
}

static int between_points(extend_t *e) {
  const lavdm_array *u = lavdm_get(e->model, "eigenvectors");
  const double *density = model_data(e->model, "densities"), *degree = model_data(e->model, "degrees"),
               *values = e->model->info.eigenvalues;
  if (!u || u->type != e->real) return extend_incomplete(e, "eigenvectors");
  if (!density || !degree) return extend_incomplete(e, density ? "degrees" : "densities");
  int64_t width = e->q * e->r;
  double *space = NEW(double, width);
  if (!space) return fail_memory(e->run->error, "the eigenvectors of the model");
  for (int64_t k = 0; k < e->m; k++) {
    int64_t from = e->order[k];
    const double *row = model_row(u, from, width, space);
    double power = degree[from] > 0 ? inverse_power(density[from], extension_power(&e->run->options)) : 0;
    power *= weight_of(e, k);
    e->mass[k] = e->spec.balanced ? power : degree[from] > 0 ? weight_of(e, k) : 0;
    e->inflow[k] = power;
    for (int64_t j = 0; j < width; j++) {
      double value = values[j % e->r];
      e->field[k * width + j] = fabs(value) > 1e-14 * fabs(values[0]) ? power * row[j] / value : 0;
    }
  }
  mem_free(space);
  return LAVDM_OK;
}

/* The same with local bandwidths (operator/local.h). */
static int between_local(extend_t *e) {
  const lavdm_array *u = lavdm_get(e->model, "eigenvectors");
  const double *density = model_data(e->model, "densities"), *degree = model_data(e->model, "degrees"),
               *reach = model_data(e->model, "knn_distances");
  const lavdm_options *o = &e->run->options;
  int64_t width = e->q * e->r;
  if (!u || u->type != e->real) return extend_incomplete(e, "eigenvectors");
  if (!density || !degree || !reach)
    return extend_incomplete(e, !reach ? "knn_distances" : density ? "degrees" : "densities");
  void *own;
  double *rho = NEW(double, e->m), *space = NEW(double, width);
  reach = at_places(e, reach, sizeof *reach, &own);
  e->rho = NEW(double, e->m);
  int status = rho && space && e->rho && reach ? choose_bandwidths(e->run, reach, e->m, rho, &e->bandwidths)
                                               : fail_memory(e->run->error, "the bandwidths of the model");
  for (int64_t k = 0; k < e->m && !status; k++) {
    int64_t from = e->order[k];
    const double *row = model_row(u, from, width, space);
    e->rho[k] = rho[place_of(e, k)];
    e->mass[k] = degree[from] > 0 ? weight_of(e, k) * pow(e->rho[k], -0.5 * (double)o->dim) : 0;
    e->inflow[k] = e->mass[k] / e->rho[k] * inverse_power(density[from], o->alpha);
    for (int64_t j = 0; j < width; j++) e->field[k * width + j] = e->inflow[k] * row[j];
  }
  e->spec.local =
      (widths_t){.references = e->rho, .d = o->dim, .step = e->bandwidths.step, .most = e->bandwidths.most};
  mem_free(own);
  mem_free(rho);
  mem_free(space);
  return status;
}

/* What the fit left of the references. */
static int take_fields(extend_t *e) {
  const lavdm_array *far = lavdm_get(e->model, "far_points");
  e->far = far && far->type == e->real ? far : NULL;
  e->mass = NEW(double, e->m);
  e->inflow = NEW(double, e->m);
  e->field = NEW(double, e->m * e->q * e->r);
  if (!e->mass || !e->inflow || !e->field) return fail_memory(e->run->error, "the eigenvectors of the model");
  if (has_local(&e->run->options)) return between_local(e);
  return e->with_landmarks ? through_landmarks(e) : between_points(e);
}

/* The points whose neighbours give the frames of new points. */
static int open_around(extend_t *e, const lavdm_data *reference) {
  run_t *run = e->run;
  lavdm_data data = {0};
  places_t around = {0};
  double *reduced = NULL;
  int status = LAVDM_OK;
  e->around = e->references;
  if (!reference && !e->with_landmarks && !e->smooth) return LAVDM_OK;
  if (reference && e->reduce) {
    reduced = LARGE(&run->large, double, reference->n * e->p);
    if (!reduced) return fail_memory(run->error, "the principal coordinates");
    status = reduce_apply(run, e->reduce, reference, reduced);
    data = (lavdm_data){.points = reduced, .n = reference->n, .p = e->p};
  } else if (reference) {
    data = *reference;
  } else if (!e->smooth) {
    data = (lavdm_data){.points = reals(e, "points"), .type = e->real, .n = e->model->info.n, .p = e->p};
    if (!data.points) return extend_incomplete(e, "points");
  }
  if (!status && e->smooth)
    status =
        smooth_around(e->engine, e->model, &e->field_of_points, reference ? &data : NULL, e->centre, &e->own);
  else if (!status)
    status = load_places(e->engine, &data, reference ? e->centre : NULL, &around, &e->own);
  places_free(&around);
  e->around = e->own;
  large_free(reduced);
  return status;
}

int extend_prepare(extend_t *e, const lavdm_data *reference) {
  const lavdm_options *o = &e->run->options;
  int status;
  run_stage(e->run, "references");
  if ((status = engine_open(e->run, &e->engine)) < 0) return status;
  e->ops = e->engine->ops;
  e->spec = (graph_spec){.bundle = o->bundle,
                         .q = e->q,
                         .d = e->with_frames ? o->dim : 0,
                         .kernel = chosen_kernel(o),
                         .edges = o->edges,
                         .knn = o->knn,
                         .square = !e->with_landmarks,
                         .balanced = o->normalise == LAVDM_NORMALISE_SINKHORN,
                         .reflections = o->reflections == LAVDM_REFLECTIONS_YES,
                         .spare = -1,
                         .kept = 0};
  if ((status = open_references(e)) < 0) return status;
  if ((status = take_fields(e)) < 0) return status;
  if (!e->with_frames) return status;
  if ((status = take_frames(e)) < 0) return status;
  e->smooth = o->frames == LAVDM_FRAMES_LOWPASS;
  if (e->smooth) status = smooth_field(e->model, &e->field_of_points, e->run->error);
  if (status < 0) return status;
  return open_around(e, reference);
}
