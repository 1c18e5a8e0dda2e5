/*
 * references (landmarks, or the points of the fit) -> what the fit left of them
 *     -> new points, a batch at a time: coordinates, rows, frames, graph, fields.
 */
#include "extend/extend.h"

#include "base/memory.h"
#include "base/options.h"
#include "choose/choose.h"
#include "extend/load.h"
#include "extend/smooth.h"
#include "operator/scaling.h"
#include "reduce/sphere.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* New points that are worked on together: bytes that they take, and rows. The more, the
 * closer they lie, and the better a tile of them shares what it looks up. */
enum { BATCH_BYTES = 256 << 20, BATCH_ROWS = 1 << 20, FEWEST_ROWS = 1024 };

typedef struct {
  run_t *run;
  engine_t *engine;
  const engine_ops *ops;
  lavdm_type real;
  const lavdm_model *model;
  const reduce_t *reduce; /* or NULL */
  lavdm_model *out;
  bool with_landmarks, with_frames, with_turns;
  const lavdm_edges *edges;      /* from new nodes to those of the model; or NULL */
  rows_t *nodes;                 /* the new nodes */
  bool smooth;                   /* frames are those of low-passed points: */
  lowpass_field field_of_points; /* x^ as a function of the place */
  int64_t n, m, p, q, r, d;

  const double *centre; /* or NULL */
  rows_t *references, *own;
  places_t places; /* of references that are points */
  rows_t *around;  /* what frames are estimated from: `own`, or the references */
  int64_t *order;  /* m: which reference, or point of the model, is the k-th in the engine's order */
  graph_spec spec;
  bandwidths_t bandwidths;
  double *rho;                   /* m: bandwidths of the references, in the engine's order; or NULL */
  double *mass, *inflow, *field; /* of the references, in the engine's order */
  const lavdm_array *far;        /* points beyond every cut-off that the fit took in, or NULL */

  /* what becomes of the new points */
  char *u, *b;
  double *degree;
} extend_t;

static void release(extend_t *e) {
  if (e->engine) {
    e->ops->unload(e->engine, e->references);
    e->ops->unload(e->engine, e->own);
    e->ops->unload(e->engine, e->nodes);
    engine_close(e->engine);
  }
  places_free(&e->places);
  mem_free(e->order);
  mem_free(e->rho);
  mem_free(e->mass);
  mem_free(e->inflow);
  mem_free(e->field);
}

static size_t real_size(const extend_t *e) {
  return e->real == LAVDM_F32 ? sizeof(float) : sizeof(double);
}

/* ------------------------------------------------------------- references */

/* The array `name` of reals of the engine's precision. */
static const void *reals(const extend_t *e, const char *name) {
  const lavdm_array *array = lavdm_get(e->model, name);
  return array && array->type == e->real ? array->data : NULL;
}

static int incomplete(const extend_t *e, const char *name) {
  return fail(e->run->error, LAVDM_ERROR_DATA,
              "the model lacks the array %s, without which it cannot be applied", name);
}

/* How far the neighbours of the points of a model are whose distances nobody has any more. */
static int put_reach(extend_t *e) {
  const double *reach = model_data(e->model, "knn_distances");
  return reach ? e->ops->put(e->engine, e->references, ROWS_REACH, reach) : incomplete(e, "knn_distances");
}

/* The points of a model of images or signals: their coefficients, and how far their own neighbours are. */
static int put_objects(extend_t *e) {
  const lavdm_array *values = lavdm_get(e->model, "coefficients");
  if (!values || values->type != e->real || 2 * values->shape[1] != e->references->p)
    return incomplete(e, "coefficients");
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
  if (e->with_landmarks && !landmarks) return incomplete(e, "landmarks");
  if (!e->with_landmarks && !e->with_turns && !points) return incomplete(e, "points");
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
  if (!from) return incomplete(e, name);
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
    if (!array[i]) return incomplete(e, names[i]);
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
  if (!u || u->type != e->real) return incomplete(e, "eigenvectors");
  if (!density || !degree) return incomplete(e, density ? "degrees" : "densities");
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
  if (!u || u->type != e->real) return incomplete(e, "eigenvectors");
  if (!density || !degree || !reach)
    return incomplete(e, !reach ? "knn_distances" : density ? "degrees" : "densities");
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
    if (!data.points) return incomplete(e, "points");
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

static int prepare(extend_t *e, const lavdm_data *reference) {
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

/* ----------------------------------------------------------------- batches */

typedef struct {
  int64_t first, rows;
  lavdm_data data;
  char *read;      /* rows of the user's type */
  double *reduced; /* rows in principal coordinates */
  double *sphere;  /* and on the sphere, for metrics that are looked for there */
  double *rho;     /* their bandwidths, in the engine's order; or NULL */
  rows_t *points;
} batch_t;

static void batch_free(extend_t *e, batch_t *batch) {
  mem_free(batch->read);
  mem_free(batch->reduced);
  mem_free(batch->sphere);
  mem_free(batch->rho);
  e->ops->unload(e->engine, batch->points);
}

/* The coordinates of rows first .. first+rows-1, as the model has them. */
static int batch_read(extend_t *e, const lavdm_data *data, batch_t *batch) {
  run_t *run = e->run;
  size_t size = data->type == LAVDM_F32 ? sizeof(float) : sizeof(double);
  int64_t row = data->row_stride ? data->row_stride : data->p, col = data->col_stride ? data->col_stride : 1;
  batch->data = (lavdm_data){
      .n = batch->rows, .p = data->p, .type = data->type, .height = data->height, .width = data->width};
  if (data->points) {
    batch->data.points = (const char *)data->points + batch->first * row * (int64_t)size;
    batch->data.row_stride = row, batch->data.col_stride = col;
  } else {
    batch->read = mem_new(batch->rows * data->p, size);
    if (!batch->read) return fail_memory(run->error, "the new points");
    int status = data->read(data->read_user, batch->first, batch->rows, batch->read);
    if (status < 0)
      return run->error && run->error->message[0] ? status
                                                  : fail(run->error, status, "the points could not be read");
    batch->data.points = batch->read;
  }
  if (e->reduce) {
    batch->reduced = NEW(double, batch->rows * e->p);
    if (!batch->reduced) return fail_memory(run->error, "the principal coordinates");
    int status = reduce_apply(run, e->reduce, &batch->data, batch->reduced);
    batch->data = (lavdm_data){.points = batch->reduced, .n = batch->rows, .p = e->p};
    if (status < 0) return status;
  }
  if (!on_sphere(run->options.metric)) return LAVDM_OK;
  batch->sphere = NEW(double, batch->rows * e->p);
  if (!batch->sphere) return fail_memory(run->error, "the points on the sphere");
  int status = sphere_apply(run, &batch->data, "new points: ", batch->first, batch->sphere);
  batch->data = (lavdm_data){.points = batch->sphere, .n = batch->rows, .p = e->p};
  return status;
}

/* Bandwidths of new points as those of the model have them: a point of the model finds itself. */
static int batch_bandwidths(extend_t *e, batch_t *batch) {
  if (!e->rho) return LAVDM_OK;
  batch->rho = NEW(double, batch->rows);
  if (!batch->rho) return fail_memory(e->run->error, "the bandwidths");
  int status = e->ops->nearest(e->engine, batch->points, batch->rows, e->references, e->run->options.knn + 1,
                               batch->rho);
  for (int64_t i = 0; i < batch->rows && !status; i++)
    batch->rho[i] = bandwidth_of(&e->bandwidths, sqrt(batch->rho[i]));
  e->spec.local.rho = batch->rho;
  return status;
}

/* The new nodes and their edges, all at once. */
static int load_nodes(extend_t *e, int64_t n) {
  const lavdm_array *numbers = lavdm_get(e->model, e->with_landmarks ? "landmark_nodes" : "nodes");
  if (!numbers) return incomplete(e, e->with_landmarks ? "landmark_nodes" : "nodes");
  lavdm_data data = {.edges = e->edges, .n = n, .landmark_index = numbers->data, .landmark_count = e->m};
  int status = e->ops->load(e->engine, &data, NULL, ROLE_NEW, 0, &e->nodes);
  if (status < 0) return status;
  e->n = e->nodes->n;
  int64_t *own = model_array(e->out, &e->run->large, "nodes", LAVDM_I64, 1, e->n, 0, 0);
  return own ? e->ops->fetch(e->engine, e->nodes, ROWS_NODES, NULL, 0, e->n, own)
             : fail_memory(e->run->error, "the eigenvectors");
}

/* Frames, graph and fields of the batch, and then the result's part of them. */
static int batch_work(extend_t *e, const lavdm_data *data, batch_t *batch) {
  run_t *run = e->run;
  const lavdm_options *o = &run->options;
  size_t real = real_size(e);
  graph_info found = {0};
  int64_t degenerate = 0;
  int status = e->edges ? LAVDM_OK : batch_read(e, data, batch);
  if (e->edges)
    batch->points = e->nodes, e->nodes = NULL;
  else if (!status)
    status = e->ops->load(e->engine, &batch->data, e->centre, ROLE_NEW, e->model->info.n, &batch->points);
  if (!status && e->smooth)
    status = smooth_frames(e->engine, &e->field_of_points, &batch->data, e->centre, e->around,
                           e->model->info.radius, batch->points, &degenerate);
  else if (!status && e->with_frames)
    status = e->ops->frames(e->engine, batch->points, e->around, e->d, frame_neighbours(o),
                            e->model->info.radius, &degenerate);
  if (!status) status = batch_bandwidths(e, batch);
  if (!status) status = e->ops->graph(e->engine, batch->points, e->references, &e->spec, &found);
  fields_spec spec = {.r = e->r,
                      .alpha = extension_power(o),
                      .mass = e->mass,
                      .inflow = e->inflow,
                      .field = e->field,
                      .values = e->model->info.eigenvalues,
                      .known = e->far ? e->far->data : NULL,
                      .known_count = e->far ? e->far->shape[0] : 0};
  if (!status)
    status =
        e->ops->extend(e->engine, batch->points, &spec, e->u + (size_t)(batch->first * e->q * e->r) * real,
                       e->degree + batch->first, NULL);
  if (!status && e->with_frames)
    status = e->ops->fetch(e->engine, batch->points, ROWS_FRAMES, NULL, 0, batch->rows,
                           e->b + (size_t)(batch->first * e->p * e->d) * real);
  e->out->info.degenerate_frames += degenerate;
  return status;
}

/* Rows of a batch: coordinates as they come and as they are stored, order, frames. */
static int64_t batch_rows(const extend_t *e, const lavdm_data *data) {
  int64_t numbers = e->p + (e->with_frames ? e->d * e->p : 0), most = e->run->options.max_memory / 4;
  int64_t real = (int64_t)real_size(e), row = 8 * data->p + 8 * e->p + real * numbers + 8;
  if (e->with_turns) row += 2 * real * e->p + 64 * e->run->options.knn;
  int64_t size = (most < BATCH_BYTES ? most : BATCH_BYTES) / row;
  return size < FEWEST_ROWS ? FEWEST_ROWS : size > BATCH_ROWS ? BATCH_ROWS : size;
}

static int all_batches(extend_t *e, const lavdm_data *data) {
  int64_t size = e->edges ? e->n : batch_rows(e, data);
  int status = LAVDM_OK;
  run_stage(e->run, "extension");
  for (int64_t first = 0; first < e->n && !status; first += size) {
    int64_t rows = e->n - first < size ? e->n - first : size;
    batch_t batch = {.first = first, .rows = rows};
    run_part(e->run, (double)first / (double)e->n, (double)rows / (double)e->n);
    status = batch_work(e, data, &batch);
    batch_free(e, &batch);
  }
  return status;
}

/* ------------------------------------------------------------------ result */

/* Which eigenvectors are coordinates is a matter of the model. */
static int carry_coordinates(extend_t *e) {
  static const char *const names[] = {"coordinate_index", "coordinate_lead", "coordinate_residuals"};
  for (int i = 0; i < 3; i++) {
    const lavdm_array *from = lavdm_get(e->model, names[i]);
    if (!from) continue;
    void *to = model_array(e->out, &e->run->large, names[i], from->type, 1, from->shape[0], 0, 0);
    if (!to) return fail_memory(e->run->error, "the coordinates");
    memcpy(to, from->data, (size_t)from->shape[0] * 8);
  }
  return LAVDM_OK;
}

static int new_arrays(extend_t *e) {
  lavdm_model *out = e->out;
  large_t *large = &e->run->large;
  double *values = model_array(out, large, "eigenvalues", LAVDM_F64, 1, e->r, 0, 0);
  double *residuals = model_array(out, large, "residuals", LAVDM_F64, 1, e->r, 0, 0);
  e->u = model_array(out, large, "eigenvectors", e->real, 3, e->n, e->q, e->r);
  e->degree = model_array(out, large, "degrees", LAVDM_F64, 1, e->n, 0, 0);
  if (e->with_frames) e->b = model_array(out, large, "frames", e->real, 3, e->n, e->p, e->d);
  if (!values || !residuals || !e->u || !e->degree || (e->with_frames && !e->b))
    return fail_memory(e->run->error, "the eigenvectors");
  memcpy(values, e->model->info.eigenvalues, (size_t)e->r * sizeof *values);
  memcpy(residuals, e->model->info.residuals, (size_t)e->r * sizeof *residuals);
  return carry_coordinates(e);
}

/* Points beyond every cut-off are named. */
static int name_far(extend_t *e) {
  enum { TICK = 1 << 16 };
  int64_t far = 0;
  for (int64_t i = 0; i < e->n; i++) {
    if (i % TICK == 0) run_stopped(e->run, i, e->n);
    far += !(e->degree[i] > 0);
  }
  e->out->isolated = NEW(int64_t, far);
  if (!e->out->isolated) return fail_memory(e->run->error, "the far points");
  for (int64_t i = 0; i < e->n; i++)
    if (!(e->degree[i] > 0)) e->out->isolated[e->out->info.isolated++] = i;
  if (far)
    run_warn(e->run,
             "%" PRId64 " new %s%s %s every %s, the first of them in row %" PRId64
             ": the eigenvectors are NaN there",
             far, e->edges ? "node" : "point", far == 1 ? " is" : "s are",
             e->edges ? "without an edge to" : "too far from",
             e->with_landmarks ? "landmark"
             : e->edges        ? "node of the model"
                               : "point of the model",
             e->out->isolated[0] + 1);
  if (e->out->info.degenerate_frames)
    run_warn(e->run,
             "the neighbours of %" PRId64 " new points span fewer than %" PRId64
             " dimensions; their frames are partly arbitrary",
             e->out->info.degenerate_frames, e->d);
  return LAVDM_OK;
}

int extend_run(run_t *run, const lavdm_model *model, const lavdm_data *data, const lavdm_data *reference,
               const reduce_t *reduce, lavdm_model *out) {
  const lavdm_info_t *info = &model->info;
  const lavdm_options *o = &run->options;
  extend_t e = {.run = run,
                .model = model,
                .reduce = reduce,
                .out = out,
                .real = engine_real(run),
                .with_landmarks = has_landmarks(o),
                .with_frames = has_frames(o),
                .with_turns = has_turns(o),
                .edges = data->edges,
                .n = data->n,
                .m = info->m,
                .p = info->p,
                .q = info->q,
                .r = o->components,
                .d = o->dim,
                .centre = model_data(model, "centre")};
  int status = prepare(&e, reference);
  if (!status && e.edges) status = load_nodes(&e, data->n);
  if (!status) status = new_arrays(&e);
  if (!status) status = all_batches(&e, data);
  if (!status) status = name_far(&e);
  out->info.n = e.n, out->info.m = info->m, out->info.p = e.p, out->info.q = e.q;
  release(&e);
  return status;
}
