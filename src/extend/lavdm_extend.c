/* The door of the extension: checks, and a run in the precision of the model. */
#include "base/door.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/sort.h"
#include "check/check.h"
#include "engine/engine.h"
#include "extend/extend.h"
#include "graph/given.h"
#include "sparse/sparse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Whether the number of neighbours was chosen, where it is needed: all else that a fit chooses no model is
 * opened without (model/load.c). */
static bool is_settled(const lavdm_options *o) {
  bool knn = o->edges == LAVDM_EDGES_KNN && (!has_landmarks(o) || has_turns(o));
  return o->knn > 0 || !(has_frames(o) || knn);
}

static int check_model(const lavdm_model *model, const lavdm_data *data, const lavdm_data *reference,
                       lavdm_error *error) {
  const lavdm_options *o = &model->chosen;
  bool given = o->bundle == LAVDM_BUNDLE_GIVEN;
  if (given && !data->edges)
    return fail(error, LAVDM_ERROR_ARGUMENT,
                "the model was made from edges: it has no points among which new ones could be placed; give "
                "the edges from new nodes to those of the model (lavdm extend MODEL --graph FILE)");
  if (data->edges && (!given || reference))
    return fail(error, LAVDM_ERROR_ARGUMENT, "%s",
                given ? "new nodes have edges alone: a reference has no use"
                      : "the model was made from points: new ones are given as points, not by edges");
  if (o->kernel == LAVDM_KERNEL_CALLBACK && !o->kernel_function)
    return fail(error, LAVDM_ERROR_ARGUMENT,
                "the kernel of the model was a function of the program that made it, which no file keeps");
  if (!has_landmarks(o) && !lavdm_get(model, "densities"))
    return fail(error, LAVDM_ERROR_ARGUMENT,
                "the model is itself an extension, and has no points of its own");
  if (!is_settled(o))
    return fail(error, LAVDM_ERROR_ARGUMENT, "the model lacks options that a fit would have chosen");
  if (has_landmarks(o) && !lavdm_get(model, "landmark_vectors"))
    return fail(error, LAVDM_ERROR_ARGUMENT, "the model is itself an extension, and has no landmarks");
  if (has_landmarks(o) && has_frames(o) && !reference && !lavdm_get(model, "points"))
    return fail(error, LAVDM_ERROR_ARGUMENT,
                "frames of new points are estimated from the data of the fit, which a compact model does not "
                "keep: give them as reference");
  return LAVDM_OK;
}

/* New points of a model of precomputed distances: the numbers of their rows. */
static int number_points(run_t *run, const lavdm_model *model, lavdm_data *data, double **numbers) {
  const lavdm_distances *given = data->distances;
  bool distances = model->chosen.metric == LAVDM_METRIC_PRECOMPUTED;
  if (!given && !distances) return LAVDM_OK;
  if (!distances)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "there are distances of new points, but the model was made from points: give such");
  if (!given || data->points || data->read)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "the model was made from distances: give those of new points to its %" PRId64
                " points, in place of coordinates",
                model->info.n);
  if (given->cols != model->info.n)
    return fail(run->error, LAVDM_ERROR_DATA,
                "new points have %" PRId64 " distances each, and the model has %" PRId64
                " points, to all of which they are needed",
                given->cols, model->info.n);
  int status = check_distances(run, given, false);
  if (status < 0) return status;
  *numbers = NEW(double, given->rows);
  if (!*numbers) return fail_memory(run->error, "the new points");
  for (int64_t i = 0; i < given->rows; i++) (*numbers)[i] = (double)i;
  data->points = *numbers, data->type = LAVDM_F64, data->n = given->rows, data->p = 1;
  run->distances = given;
  return LAVDM_OK;
}

/* What the second numbers of the edges are of the model: references, or nodes besides, or unknown. */
typedef struct {
  int64_t used, idle, unknown; /* unknown: the first such edge, or -1 */
} seen_t;

static bool has_number(const lavdm_array *list, int64_t number) {
  return list &&
         bsearch(&number, list->data, (size_t)list->shape[0], sizeof number, compare_integers) != NULL;
}

static seen_t look_at_edges(const lavdm_model *model, const lavdm_edges *edges) {
  const lavdm_array *nodes = lavdm_get(model, "nodes"), *marks = lavdm_get(model, "landmark_nodes");
  bool rectangular = marks && !lavdm_get(model, "landmark_index"), compact = !nodes;
  seen_t seen = {0, 0, -1};
  for (int64_t e = 0; e < edges->count && seen.unknown < 0; e++) {
    bool reference = has_number(marks ? marks : nodes, edges->col[e]);
    seen.used += reference, seen.idle += !reference;
    if (!reference && (!marks || rectangular || (!compact && !has_number(nodes, edges->col[e]))))
      seen.unknown = e;
  }
  return seen;
}

/* Elements as those of the model, and edges to nodes that it has. */
static int check_edges(run_t *run, const lavdm_model *model, const lavdm_data *data) {
  const lavdm_options *o = &run->options;
  lavdm_edges edges = *data->edges;
  bool plain = o->method == LAVDM_METHOD_DM || o->method == LAVDM_METHOD_ROSELAND;
  if (plain) edges.kind = LAVDM_ELEMENT_NONE;
  int status = given_check(run, &edges, data->n > 0 ? data->n : -1);
  if (status < 0) return status;
  if (given_fibre(&edges) != model->info.q)
    return fail(run->error, LAVDM_ERROR_DATA,
                "elements of the edges have size %" PRId64 ", and those of the model %" PRId64,
                given_fibre(&edges), model->info.q);
  seen_t seen = look_at_edges(model, &edges);
  if (seen.unknown >= 0)
    return fail(run->error, LAVDM_ERROR_DATA,
                "edge %" PRId64 " leads to node %" PRId64 ", which the model does not have", seen.unknown + 1,
                edges.col[seen.unknown]);
  if (seen.idle)
    run_reason(run, "graph", "%" PRId64 " edges to landmarks; %" PRId64 " to other nodes have no use",
               seen.used, seen.idle);
  return LAVDM_OK;
}

static int check_points(run_t *run, const lavdm_data *data, int64_t p, const char *what) {
  if (!data->points && !data->read) return fail(run->error, LAVDM_ERROR_DATA, "there are no %s", what);
  if (data->n < 1) return fail(run->error, LAVDM_ERROR_DATA, "there are no %s: 0 rows", what);
  if (data->p != p)
    return fail(run->error, LAVDM_ERROR_DATA,
                "%s have %" PRId64 " coordinates, and those of the model have %" PRId64, what, data->p, p);
  if (data->type != LAVDM_F64 && data->type != LAVDM_F32)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "%s must be of type LAVDM_F64 or LAVDM_F32", what);
  return check_values(run, data);
}

/* Whether images are as high and wide as those of the model. */
static int check_images(run_t *run, const lavdm_model *model, const lavdm_data *data) {
  const lavdm_array *shape = lavdm_get(model, "image_shape");
  if (run->options.bundle != LAVDM_BUNDLE_ROTATION || !shape || !data->height || !data->width)
    return LAVDM_OK;
  const int64_t *size = shape->data;
  if (data->height == size[0] && data->width == size[1]) return LAVDM_OK;
  return fail(run->error, LAVDM_ERROR_DATA,
              "new images are of %" PRId64 " x %" PRId64 " pixels, and those of the model of %" PRId64
              " x %" PRId64,
              data->height, data->width, size[0], size[1]);
}

static int check_reference(run_t *run, bool reduce, int64_t p, const lavdm_data *reference) {
  if (!reference) return LAVDM_OK;
  if (reference->n < 2) return fail(run->error, LAVDM_ERROR_DATA, "the reference needs two points or more");
  if (!reference->points && reduce)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "pca needs the reference in memory");
  return check_points(run, reference, p, "points of the reference");
}

/* Sparse rows in the principal coordinates of the model; *own is to be freed. */
static int take_sparse(run_t *run, const reduce_t *reduce, lavdm_data *data, const char *what, double **own) {
  const lavdm_sparse *s = data->sparse;
  if (!s) return LAVDM_OK;
  if (data->points || data->read)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "%s are given both sparse and dense", what);
  if (!reduce)
    return fail(
        run->error, LAVDM_ERROR_ARGUMENT,
        "%s are sparse, and the model has no principal coordinates (pca) that would replace them: make "
        "them dense",
        what);
  int status = check_sparse_lists(run, s);
  if (!status && s->cols != reduce->p)
    status = fail(run->error, LAVDM_ERROR_DATA,
                  "%s have %" PRId64 " coordinates, and those of the model have %" PRId64, what, s->cols,
                  reduce->p);
  if (!status) status = check_sparse_values(run, s);
  if (!status) status = run_room(run, 8 * (double)s->rows * (double)reduce->k);
  if (status < 0) return status;
  *own = NEW(double, s->rows * reduce->k);
  if (!*own) return fail_memory(run->error, "the principal coordinates");
  *data = (lavdm_data){.points = *own, .n = s->rows, .p = reduce->k};
  return sparse_apply(run, reduce, s, *own);
}

/* Of new points and of the reference (or NULL); there is nothing left to reduce then. */
static int take_both(run_t *run, const reduce_t **reduce, lavdm_data *data, lavdm_data *reference,
                     double *own[2]) {
  bool sparse = data->sparse != NULL;
  if (reference && sparse != (reference->sparse != NULL))
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "new points and those of the reference must be both sparse or both dense");
  int status = take_sparse(run, *reduce, data, "new points", &own[0]);
  if (!status && reference) status = take_sparse(run, *reduce, reference, "points of the reference", &own[1]);
  if (sparse) *reduce = NULL;
  return status;
}

/* Large results in files, if they are asked for or memory is short. */
static void choose_files(run_t *run, const lavdm_model *model, int64_t n) {
  const lavdm_options *o = &run->options;
  double real = o->precision == LAVDM_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
  double row = real * (double)(model->info.q * o->components) + 8 +
               (has_frames(o) ? real * (double)(model->info.p * o->dim) : 0);
  bool files = o->stream == LAVDM_STREAM_YES ||
               (o->stream == LAVDM_STREAM_AUTO && row * (double)n > 0.5 * (double)o->max_memory);
  large_start(&run->large, files);
}

static int start(run_t *run, const lavdm_model *model, const lavdm_options *how, lavdm_error *error) {
  run->options = model->chosen;
  if (how) run->options.time = how->time, run->options.delta = how->delta;
  run->options.threads = how ? how->threads : LAVDM_AUTO;
  run->options.max_memory = how ? how->max_memory : LAVDM_AUTO;
  run->options.stream = how ? how->stream : LAVDM_STREAM_AUTO;
  run->options.engine = how ? how->engine : LAVDM_ENGINE_AUTO; /* any engine goes on from any other's model */
  engine_choose(&run->options);
  run->options.progress = how ? how->progress : NULL;
  run->options.progress_user = how ? how->progress_user : NULL;
  run->error = error;
  int status = run_threads(run, run->options.threads);
  run->options.threads = run->threads;
  if (run->options.max_memory == LAVDM_AUTO) run->options.max_memory = mem_available();
  large_start(&run->large, false);
  return status;
}

int lavdm_extend(const lavdm_model *model, const lavdm_data *data, const lavdm_data *reference,
                 const lavdm_options *how, lavdm_model **extension, lavdm_error *error) {
  if (error) *error = (lavdm_error){0};
  if (!extension) return fail(error, LAVDM_ERROR_ARGUMENT, "there is no place for the extension (NULL)");
  *extension = NULL;
  if (!model || !data) return fail(error, LAVDM_ERROR_ARGUMENT, "model or data are missing (NULL)");
  door_t door, around;
  int status = door_open(&door, data, how, error);
  if (status >= 0 && reference) status = door_open(&around, reference, NULL, error);
  if (status < 0) return status;
  reference = reference ? &around.data : NULL;
  how = how ? &door.options : NULL;
  run_t *run = NEW(run_t, 1);
  lavdm_model *made = NEW(lavdm_model, 1);
  status = run && made ? LAVDM_OK : fail_memory(error, "the extension");
  double began = run_clock(), *own[2] = {NULL, NULL};
  const lavdm_array *basis = lavdm_get(model, "pca_basis"), *mean = lavdm_get(model, "pca_mean");
  reduce_t axes = {0};
  const reduce_t *reduce = basis ? &axes : NULL;
  if (basis) axes = (reduce_t){basis->shape[0], basis->shape[1], (double *)mean->data, (double *)basis->data};
  if (!status) {
    status = start(run, model, how, error);
    run_stage(run, "check");
    if (!status) status = check_model(model, data, reference, error);
  }
  if (!status && !has_frames(&run->options)) reference = NULL; /* of no use */
  if (!status) status = take_both(run, &reduce, &door.data, reference ? &around.data : NULL, own);
  if (!status) status = number_points(run, model, &door.data, &own[0]);
  data = &door.data;
  int64_t p = reduce ? reduce->p : model->info.p;
  if (!reduce && model->chosen.metric == LAVDM_METRIC_HAVERSINE) p = 2; /* and 3 on the sphere */
  if (!status)
    status = data->edges ? check_edges(run, model, data) : check_points(run, data, p, "new points");
  if (!status) status = check_images(run, model, data);
  if (!status) status = check_reference(run, reduce != NULL, p, reference);
  if (!status) {
    choose_files(run, model, data->n);
    status = extend_run(run, model, data, reference, reduce, made);
    run_stage(run, NULL);
    made->info.seconds = run_clock() - began;
    made->info.streamed = run->large.files;
    model_finish(made, run);
    if (!status) status = model_check_results(made, error);
    if (!status && run->warnings) status = LAVDM_WARNING;
    large_end(&run->large);
  }
  if (status < 0)
    lavdm_free(made);
  else
    *extension = made;
  mem_free(own[0]);
  mem_free(own[1]);
  mem_free(run);
  return status;
}
