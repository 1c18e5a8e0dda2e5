/*
 * references (landmarks, or the points of the fit) -> what the fit left of them
 *     -> new points, a batch at a time: coordinates, rows, frames, graph, fields.
 */
#include "extend/extend.h"

#include "base/memory.h"
#include "base/options.h"
#include "choose/choose.h"
#include "extend/references.h"
#include "extend/smooth.h"
#include "reduce/sphere.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* New points that are worked on together: bytes that they take, and rows. The more, the
 * closer they lie, and the better a tile of them shares what it looks up. */
enum { BATCH_BYTES = 256 << 20, BATCH_ROWS = 1 << 20, FEWEST_ROWS = 1024 };

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
  if (!numbers) return extend_incomplete(e, e->with_landmarks ? "landmark_nodes" : "nodes");
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
  int status = extend_prepare(&e, reference);
  if (!status && e.edges) status = load_nodes(&e, data->n);
  if (!status) status = new_arrays(&e);
  if (!status) status = all_batches(&e, data);
  if (!status) status = name_far(&e);
  out->info.n = e.n, out->info.m = info->m, out->info.p = e.p, out->info.q = e.q;
  release(&e);
  return status;
}
