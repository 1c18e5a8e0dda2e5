/*
 * references (landmarks, or the points of the fit) -> what the fit left of them
 *     -> new points, a batch at a time: coordinates, tiles, frames, graph, fields.
 */
#include "pipeline/extend.h"

#include "base/memory.h"
#include "operator/extension.h"
#include "pipeline/turn_extend.h"

#include <inttypes.h>
#include <omp.h>
#include <string.h>

/* New points that are worked on together: bytes that they take, and rows. The more, the
 * closer they lie, and the better a tile of them shares what it looks up. */
enum { BATCH_BYTES = 256 << 20, BATCH_ROWS = 1 << 20, FEWEST_ROWS = 1024 };

typedef struct {
  run_t *run;
  const lavdm_model *model;
  const reduce_t *reduce; /* or NULL */
  lavdm_model *out;
  bool with_landmarks, with_frames, with_turns;
  int64_t n, m, p, q, r, d;

  const double *centre; /* or NULL */
  tiles_t references, own;
  const tiles_t *around; /* what frames are estimated from: `own`, or the references */
  frames_t frames;       /* of the references, as stored */
  rule_t rule;
  turned_t turned; /* in place of the references, but for their order */
  extension_t extension;

  /* what becomes of the new points */
  real_t *u, *b;
  double *degree;
} extend_t;

static void release(extend_t *e) {
  tiles_free(&e->references);
  tiles_free(&e->own);
  frames_free(&e->frames);
  rule_free(&e->rule);
  turned_free(&e->turned);
  extension_free(&e->extension);
}

/* ------------------------------------------------------------- references */

/* The array `name` of reals, as this build's real_t. */
static const real_t *reals(const extend_t *e, const char *name) {
  const lavdm_array *array = lavdm_get(e->model, name);
  return array && array->type == REAL_TYPE ? array->data : NULL;
}

static int incomplete(const extend_t *e, const char *name) {
  return fail(e->run->error, LAVDM_ERROR_DATA,
              "the model lacks the array %s, without which it cannot be applied", name);
}

/* Images and signals are in the order of the model. */
static int open_objects(extend_t *e) {
  e->references.n = e->m;
  e->references.order = LARGE(&e->run->large, int64_t, e->m);
  if (!e->references.order) return fail_memory(e->run->error, "the references");
  for (int64_t k = 0; k < e->m; k++) e->references.order[k] = k;
  return turned_open(e->run, e->model, &e->turned);
}

static int open_references(extend_t *e) {
  run_t *run = e->run;
  if (e->with_turns) return open_objects(e);
  const real_t *points = reals(e, "points");
  const double *landmarks = model_data(e->model, "landmarks");
  if (e->with_landmarks && !landmarks) return incomplete(e, "landmarks");
  if (!e->with_landmarks && !points) return incomplete(e, "points");
  lavdm_data data = {.points = landmarks, .n = e->m, .p = e->p};
  if (e->with_landmarks) return tiles_build(run, &data, e->centre, LANDMARK_LEAF, &e->references);
  data = (lavdm_data){.points = points, .type = REAL_TYPE, .n = e->m, .p = e->p};
  int status = tiles_build(run, &data, NULL, TILE_POINTS, &e->references);
  int64_t k = e->run->options.knn + 1 < e->m ? e->run->options.knn + 1 : e->m;
  if (!status && run->options.edges == LAVDM_EDGES_KNN) status = rule_new(run, &e->references, k, &e->rule);
  return status;
}

/* Frames of the references, from (m,p,d) to d x p as stored. */
static int take_frames(extend_t *e) {
  const char *name = e->with_landmarks ? "landmark_frames" : "frames";
  const real_t *from = reals(e, name);
  int64_t p = e->p, d = e->d;
  if (!from) return incomplete(e, name);
  e->frames = (frames_t){.n = e->m, .p = p, .d = d, .b = LARGE(&e->run->large, real_t, e->m * d * p)};
  if (!e->frames.b) return fail_memory(e->run->error, "the frames");
  for (int64_t k = 0; k < e->m; k++)
    for (int64_t j = 0; j < p; j++)
      for (int64_t a = 0; a < d; a++)
        e->frames.b[(k * d + a) * p + j] = from[(e->references.order[k] * p + j) * d + a];
  return LAVDM_OK;
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
    int64_t from = e->references.order[k];
    e->extension.mass[k] = array[2][from];
    e->extension.inflow[k] = array[3][from];
    for (int64_t j = 0; j < width; j++) {
      double value = values[j % e->r];
      e->extension.field[k * width + j] =
          value > 0 ? (real_t)(array[0][from * width + j] * array[1][from] / sqrt(value)) : 0;
    }
  }
  return LAVDM_OK;
}

static int between_points(extend_t *e) {
  const real_t *u = reals(e, "eigenvectors");
  const double *density = model_data(e->model, "densities"), *degree = model_data(e->model, "degrees"),
               *values = e->model->info.eigenvalues;
  if (!u) return incomplete(e, "eigenvectors");
  if (!density || !degree) return incomplete(e, density ? "degrees" : "densities");
  int64_t width = e->q * e->r;
  for (int64_t k = 0; k < e->m; k++) {
    int64_t from = e->references.order[k];
    double power = degree[from] > 0 ? inverse_power(density[from], e->extension.alpha) : 0;
    e->extension.mass[k] = degree[from] > 0;
    e->extension.inflow[k] = power;
    for (int64_t j = 0; j < width; j++) {
      double value = values[j % e->r];
      e->extension.field[k * width + j] =
          fabs(value) > 1e-14 * fabs(values[0]) ? (real_t)(power * (double)u[from * width + j] / value) : 0;
    }
  }
  return LAVDM_OK;
}

/* What the fit left of the references, in their stored order. */
static int take_fields(extend_t *e) {
  const lavdm_array *far = lavdm_get(e->model, "far_points");
  int64_t known = far && far->type == REAL_TYPE ? far->shape[0] : 0;
  e->extension = (extension_t){.r = e->r,
                               .alpha = e->run->options.alpha,
                               .mass = NEW(double, e->m),
                               .inflow = NEW(double, e->m),
                               .field = NEW(real_t, e->m * e->q * e->r),
                               .known = NEW(real_t, known * e->p),
                               .known_count = known};
  extension_t *x = &e->extension;
  if (!x->mass || !x->inflow || !x->field || !x->known)
    return fail_memory(e->run->error, "the eigenvectors of the model");
  if (known) memcpy(x->known, far->data, (size_t)(known * e->p) * sizeof(real_t));
  extension_sort(x, e->p);
  return e->with_landmarks ? through_landmarks(e) : between_points(e);
}

/* The points whose neighbours give the frames of new points. */
static int open_around(extend_t *e, const lavdm_data *reference) {
  run_t *run = e->run;
  lavdm_data data = {0};
  double *reduced = NULL;
  int status = LAVDM_OK;
  e->around = &e->own;
  if (reference && e->reduce) {
    reduced = LARGE(&run->large, double, reference->n * e->p);
    if (!reduced) return fail_memory(run->error, "the principal coordinates");
    status = reduce_apply(run, e->reduce, reference, reduced);
    data = (lavdm_data){.points = reduced, .n = reference->n, .p = e->p};
  } else if (reference) {
    data = *reference;
  } else if (!e->with_landmarks) {
    e->around = &e->references;
    return LAVDM_OK;
  } else {
    data = (lavdm_data){.points = reals(e, "points"), .type = REAL_TYPE, .n = e->model->info.n, .p = e->p};
    if (!data.points) return incomplete(e, "points");
  }
  if (!status) status = tiles_build(run, &data, reference ? e->centre : NULL, TILE_POINTS, &e->own);
  large_free(reduced);
  return status;
}

static int prepare(extend_t *e, const lavdm_data *reference) {
  int status;
  run_stage(e->run, "references");
  if ((status = open_references(e)) < 0) return status;
  if ((status = take_fields(e)) < 0) return status;
  if (!e->with_frames) return status;
  if ((status = take_frames(e)) < 0) return status;
  return open_around(e, reference);
}

/* ----------------------------------------------------------------- batches */

typedef struct {
  int64_t first, rows;
  lavdm_data data;
  char *read;      /* rows of the user's type */
  double *reduced; /* rows in principal coordinates */
  tiles_t points;
  frames_t frames;
} batch_t;

static void batch_free(batch_t *batch) {
  mem_free(batch->read);
  mem_free(batch->reduced);
  tiles_free(&batch->points);
  frames_free(&batch->frames);
}

/* The coordinates of rows first .. first+rows-1, as the model has them. */
static int batch_read(extend_t *e, const lavdm_data *data, batch_t *batch) {
  run_t *run = e->run;
  size_t size = data->type == LAVDM_F32 ? sizeof(float) : sizeof(double);
  int64_t row = data->row_stride ? data->row_stride : data->p, col = data->col_stride ? data->col_stride : 1;
  batch->data = (lavdm_data){.n = batch->rows, .p = data->p, .type = data->type};
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
  if (!e->reduce) return LAVDM_OK;
  batch->reduced = NEW(double, batch->rows * e->p);
  if (!batch->reduced) return fail_memory(run->error, "the principal coordinates");
  int status = reduce_apply(run, e->reduce, &batch->data, batch->reduced);
  batch->data = (lavdm_data){.points = batch->reduced, .n = batch->rows, .p = e->p};
  return status;
}

/* Points per tile, such that a tile of new points is about as wide as one of the old. */
static int64_t batch_leaf(const extend_t *e, int64_t rows) {
  double leaf = TILE_POINTS * (double)rows / (double)e->model->info.n;
  return leaf < 1 ? 1 : leaf > TILE_POINTS ? TILE_POINTS : (int64_t)leaf;
}

/* Frames of the batch, d x p as stored, to (rows,p,d) of the result. */
static void batch_keep_frames(const extend_t *e, const batch_t *batch) {
  int64_t p = e->p, d = e->d;
  for (int64_t i = 0; i < batch->rows; i++) {
    real_t *to = e->b + (batch->first + batch->points.order[i]) * p * d;
    const real_t *from = batch->frames.b + i * d * p;
    for (int64_t j = 0; j < p; j++)
      for (int64_t a = 0; a < d; a++) to[j * d + a] = from[a * p + j];
  }
}

static source_t batch_source(const extend_t *e, const batch_t *batch) {
  if (!e->with_frames) return source_trivial();
  return e->run->options.bundle == LAVDM_BUNDLE_TANGENT ? source_tangent(&batch->frames, &e->frames)
                                                        : source_orientation(&batch->frames, &e->frames);
}

static int batch_work(extend_t *e, const lavdm_data *data, batch_t *batch) {
  run_t *run = e->run;
  int status = batch_read(e, data, batch);
  if (!status && e->with_turns)
    return turned_fields(run, &e->turned, &batch->data, &e->extension, e->u + batch->first * e->q * e->r,
                         e->degree + batch->first);
  if (!status) status = tiles_build(run, &batch->data, e->centre, batch_leaf(e, batch->rows), &batch->points);
  hood_t hood = {run->options.knn, e->model->info.radius};
  if (!status && e->with_frames)
    status = frames_estimate(run, e->around, batch->points.x, batch->rows, e->d, hood, &batch->frames);
  if (status < 0) return status;
  e->out->info.degenerate_frames += batch->frames.degenerate;
  kernel_t kernel = chosen_kernel(&run->options, e->with_landmarks);
  graph_t graph = graph_by_distance(&batch->points, &e->references, batch_source(e, batch), kernel);
  if (e->rule.k) graph.rule = &e->rule;
  status = extension_fields(run, &graph, &e->extension, batch->points.order,
                            e->u + batch->first * e->q * e->r, e->degree + batch->first, NULL);
  if (!status && e->with_frames) batch_keep_frames(e, batch);
  return status;
}

/* Rows of a batch: coordinates as they come and as they are stored, order, frames. */
static int64_t batch_rows(const extend_t *e, const lavdm_data *data) {
  int64_t numbers = e->p + (e->with_frames ? e->d * e->p : 0), most = e->run->options.max_memory / 4;
  int64_t row = 8 * data->p + 8 * e->p + (int64_t)sizeof(real_t) * numbers + 8;
  if (e->with_turns) row += 2 * (int64_t)sizeof(real_t) * e->p + 64 * e->run->options.knn;
  int64_t size = (most < BATCH_BYTES ? most : BATCH_BYTES) / row;
  return size < FEWEST_ROWS ? FEWEST_ROWS : size > BATCH_ROWS ? BATCH_ROWS : size;
}

static int all_batches(extend_t *e, const lavdm_data *data) {
  int64_t size = batch_rows(e, data);
  int status = LAVDM_OK;
  run_stage(e->run, "extension");
  for (int64_t first = 0; first < e->n && !status; first += size) {
    int64_t rows = e->n - first < size ? e->n - first : size;
    batch_t batch = {.first = first, .rows = rows};
    run_part(e->run, (double)first / (double)e->n, (double)rows / (double)e->n);
    status = batch_work(e, data, &batch);
    batch_free(&batch);
  }
  return status;
}

/* ------------------------------------------------------------------ result */

static int new_arrays(extend_t *e) {
  lavdm_model *out = e->out;
  large_t *large = &e->run->large;
  double *values = model_array(out, large, "eigenvalues", LAVDM_F64, 1, e->r, 0, 0);
  double *residuals = model_array(out, large, "residuals", LAVDM_F64, 1, e->r, 0, 0);
  e->u = model_array(out, large, "eigenvectors", REAL_TYPE, 3, e->n, e->q, e->r);
  e->degree = model_array(out, large, "degrees", LAVDM_F64, 1, e->n, 0, 0);
  if (e->with_frames) e->b = model_array(out, large, "frames", REAL_TYPE, 3, e->n, e->p, e->d);
  if (!values || !residuals || !e->u || !e->degree || (e->with_frames && !e->b))
    return fail_memory(e->run->error, "the eigenvectors");
  memcpy(values, e->model->info.eigenvalues, (size_t)e->r * sizeof *values);
  memcpy(residuals, e->model->info.residuals, (size_t)e->r * sizeof *residuals);
  return LAVDM_OK;
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
             "%" PRId64 " new point%s too far from every %s, the first of them in row %" PRId64
             ": the eigenvectors are NaN there",
             far, far == 1 ? " is" : "s are", e->with_landmarks ? "landmark" : "point of the model",
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
                .with_landmarks = has_landmarks(o),
                .with_frames = has_frames(o),
                .with_turns = has_turns(o),
                .n = data->n,
                .m = info->m,
                .p = info->p,
                .q = info->q,
                .r = o->components,
                .d = o->dim,
                .centre = model_data(model, "centre")};
  int status = prepare(&e, reference);
  if (!status) status = new_arrays(&e);
  if (!status) status = all_batches(&e, data);
  if (!status) status = name_far(&e);
  out->info.n = e.n, out->info.m = e.m, out->info.p = e.p, out->info.q = e.q;
  release(&e);
  return status;
}
