/*
 * The pipeline, in order:
 *     points -> tiles -> landmarks -> frames -> bandwidth -> graph -> operator
 *            -> spectrum -> eigenvectors -> model
 * (for images and signals: coefficients in place of tiles, and no frames).
 * Each step is one function with what it needs in fit_t; each leaves the run's
 * status, and everything is released in one place.
 */
#include "base/arrange.h"
#include "base/memory.h"
#include "base/sort.h"
#include "pipeline/choose.h"
#include "pipeline/fit.h"
#include "pipeline/memory.h"
#include "pipeline/stages.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void release(fit_t *f) {
  tiles_free(&f->points);
  tiles_free(&f->landmarks);
  mem_free(f->landmark_place);
  mem_free(f->centre);
  frames_free(&f->frames);
  frames_free(&f->landmark_frames);
  given_free(&f->given);
  stack_free(&f->stack);
  stack_free(&f->around);
  objects_free(&f->objects);
  large_free(f->alone);
  kept_free(&f->kept);
  mem_free(f->rows);
  scaling_free(&f->scaling);
  components_free(&f->components);
  symmetric_free(&f->matrix);
  mem_free(f->degree);
  mem_free(f->vectors);
}

int tell_components(fit_t *f, const components_t *found, int64_t edges) {
  lavdm_info_t *info = &f->model->info;
  run_t *run = f->run;
  info->edges = edges;
  info->graph_components = found->count;
  info->isolated = found->isolated;
  if (!found->count)
    return fail(run->error, LAVDM_ERROR_DATA,
                f->data.edges ? "no two nodes of the graph are joined"
                              : "no point reaches another: epsilon (%g) is too small for these distances",
                run->options.epsilon);
  f->model->isolated = NEW(int64_t, found->isolated);
  if (!f->model->isolated) return fail_memory(run->error, "the isolated points");
  for (int64_t i = 0; i < found->isolated; i++) f->model->isolated[i] = f->order[found->isolated_index[i]];
  sort_integers(f->model->isolated, found->isolated);
  if (found->isolated)
    run_warn(run,
             "%" PRId64 " isolated point%s, the first of them in row %" PRId64
             ": nothing reaches %s, and the eigenvectors are zero there",
             found->isolated, found->isolated == 1 ? "" : "s", f->model->isolated[0] + 1,
             found->isolated == 1 ? "it" : "them");
  if (found->count > 1)
    run_warn(run, "the graph falls into %" PRId64 " components: leading eigenvectors tell them apart",
             found->count);
  if (!found->label || (found->count == 1 && !found->isolated)) return LAVDM_OK;
  int64_t *label = model_array(f->model, &f->run->large, "graph_component", LAVDM_I64, 1, f->n, 0, 0);
  if (!label) return fail_memory(run->error, "the components of the graph");
  for (int64_t i = 0; i < f->n; i++) label[f->order[i]] = found->label[i];
  return LAVDM_OK;
}

void tell_alignment(fit_t *f, int64_t edges) {
  f->model->info.ill_aligned = f->ill;
  if (f->ill * 100 > edges)
    run_warn(f->run,
             "%.3g%% of the edges join nearly perpendicular tangent planes: dim, knn or epsilon may be unfit",
             100 * (double)f->ill / (double)edges);
}

void tell_far(fit_t *f, int64_t far) {
  f->model->info.far_points = far;
  if (far)
    run_warn(f->run,
             "%" PRId64
             " points are beyond the cut-off of every landmark: they were joined to their %d nearest",
             far, FAR_LANDMARKS);
}

/* The user's edges instead of points, landmarks, frames and kernel. */
static int take_edges(fit_t *f) {
  run_t *run = f->run;
  run_stage(run, "graph");
  lavdm_edges edges = *f->data.edges;
  bool plain = run->options.method == LAVDM_METHOD_DM || run->options.method == LAVDM_METHOD_ROSELAND;
  if (plain) edges.kind = LAVDM_ELEMENT_NONE;
  int status = given_build(run, &edges, !f->with_landmarks, f->data.points ? f->data.n : -1, &f->given);
  if (status < 0) return status;
  f->n = f->given.graph.rows;
  f->m = f->given.graph.cols;
  f->q = f->given.graph.q;
  f->rows = NEW(int64_t, f->n + 1);
  int64_t *nodes = model_array(f->model, &f->run->large, "nodes", LAVDM_I64, 1, f->n, 0, 0);
  if (!f->rows || !nodes) return fail_memory(run->error, "the graph");
  for (int64_t i = 0; i <= f->n; i++) f->rows[i] = i;
  memcpy(nodes, f->given.row_node, (size_t)f->n * sizeof *nodes);
  if (f->with_landmarks) {
    int64_t *landmarks = model_array(f->model, &f->run->large, "landmark_nodes", LAVDM_I64, 1, f->m, 0, 0);
    if (!landmarks) return fail_memory(run->error, "the graph");
    memcpy(landmarks, f->given.col_node, (size_t)f->m * sizeof *landmarks);
  }
  f->order = f->rows;
  run->options.landmarks = f->m;
  choose_normalisation(run, f->n);
  double pairs = (double)f->given.graph.start[f->n];
  sizes_t sizes = {.n = f->n,
                   .q = f->q,
                   .m = f->m,
                   .r = run->options.components > 0 ? run->options.components : 20,
                   .pairs = f->with_landmarks ? pairs / (double)f->n : pairs,
                   .square = !f->with_landmarks,
                   .real = sizeof(real_t),
                   .threads = run->threads};
  f->model->info.memory_needed = memory_need(&sizes).memory;
  return memory_check(run, f->model->info.memory_needed);
}

/* --------------------------------------------- operator and eigenvectors */

static int landmark_scaling(fit_t *f) {
  const lavdm_options *o = &f->run->options;
  if (stage_saved(f, STAGE_DEGREES)) return stage_take(f, STAGE_DEGREES);
  int status = f->engine->scaling(f->run, &f->graph, o->alpha, o->beta, &f->scaling);
  return status < 0 ? status : stage_save(f, STAGE_DEGREES);
}

static int landmark_gram(fit_t *f) {
  if (stage_saved(f, STAGE_OPERATOR)) return stage_take(f, STAGE_OPERATOR);
  int status = f->engine->gram(f->run, &f->graph, &f->scaling, &f->matrix, &f->ill);
  return status < 0 ? status : stage_save(f, STAGE_OPERATOR);
}

static int landmark_degrees(fit_t *f) {
  run_stage(f->run, "degrees");
  f->graph = f->given.graph.start ? graph_of_edges(&f->given.graph, f->rows)
                                  : graph_by_distance(&f->points, &f->landmarks, f->source, f->kernel);
  if (f->kept.w) f->graph.kept = &f->kept;
  f->graph.alone = f->alone;
  int status = landmark_scaling(f);
  if (!status) status = tell_components(f, &f->scaling.components, f->scaling.edges);
  if (!status) tell_far(f, f->scaling.far);
  return status;
}

static int landmark_operator(fit_t *f) {
  int status = landmark_degrees(f);
  if (status < 0) return status;
  run_stage(f->run, "operator");
  status = landmark_gram(f);
  if (!status) tell_alignment(f, f->scaling.edges);
  return status;
}

static int square_matrix(fit_t *f) {
  run_t *run = f->run;
  const lavdm_options *o = &run->options;
  bsr_t *graph = &f->matrix.sparse;
  int status = LAVDM_OK;
  if (f->given.graph.start) {
    *graph = f->given.graph;
    f->given.graph = (bsr_t){0};
  } else {
    run_stage(run, "graph");
    status = f->engine->square(run, &f->points, &f->source, &f->kernel, o->edges, o->knn, graph, &f->ill);
  }
  f->matrix.size = f->n * f->q;
  if (!status) status = components_of_graph(run, graph, &f->components);
  if (status < 0) return status;
  f->edges = graph->start[f->n];
  run_stage(run, "operator");
  f->degree = NEW(double, f->n);
  if (!f->degree) return fail_memory(run->error, "the degrees");
  for (int64_t i = 0; i < f->n; i++)
    for (int64_t e = graph->start[i]; e < graph->start[i + 1]; e++)
      f->densities[f->order[i]] += graph->weight[e];
  status = f->engine->normalise(run, graph, &f->components, o->alpha, f->degree);
  return status < 0 ? status : stage_save(f, STAGE_OPERATOR);
}

static int square_operator(fit_t *f) {
  f->densities = model_array(f->model, &f->run->large, "densities", LAVDM_F64, 1, f->n, 0, 0);
  if (!f->densities) return fail_memory(f->run->error, "the degrees");
  int status = stage_saved(f, STAGE_OPERATOR) ? stage_take(f, STAGE_OPERATOR) : square_matrix(f);
  if (!status) status = tell_components(f, &f->components, f->edges);
  if (!status) tell_alignment(f, f->edges);
  return status;
}

static int top_eigenpairs(fit_t *f) {
  if (stage_saved(f, STAGE_SPECTRUM)) return stage_take(f, STAGE_SPECTRUM);
  int64_t r = f->run->options.components;
  int status = f->engine->spectrum(f->run, &f->matrix, r, f->values, f->vectors, f->residuals);
  bool saved = status < 0 || f->run->options.method == LAVDM_METHOD_NYSTROM; /* made again in no time */
  return saved ? status : stage_save(f, STAGE_SPECTRUM);
}

static int find_spectrum(fit_t *f) {
  run_t *run = f->run;
  int64_t most = f->n < f->m ? f->n : f->m;
  int status = choose_components(run, most * f->q);
  if (status < 0) return status;
  run_stage(run, "spectrum");
  int64_t r = run->options.components;
  double *values = model_array(f->model, &f->run->large, "eigenvalues", LAVDM_F64, 1, r, 0, 0);
  double *residuals = model_array(f->model, &f->run->large, "residuals", LAVDM_F64, 1, r, 0, 0);
  f->vectors = NEW(double, f->matrix.size *r);
  f->values = values, f->residuals = residuals;
  if (!values || !residuals || !f->vectors) return fail_memory(run->error, "the eigenvectors");
  status = top_eigenpairs(f);
  if (status < 0) return status;
  int64_t unsure = 0, vanished = 0;
  double worst = 0;
  for (int64_t l = 0; l < r; l++) {
    unsure += !(residuals[l] <= run->options.tolerance);
    worst = fmax(worst, residuals[l]);
    /* sigma^2 below rounding: no direction is left to divide by it */
    if (f->with_landmarks && values[l] < 1e-14 * values[0]) values[l] = 0, vanished++;
  }
  if (unsure)
    run_warn(run, "%" PRId64 " of %" PRId64 " eigenpairs have a residual above %g (the largest is %.2g)",
             unsure, r, run->options.tolerance, worst);
  if (vanished)
    run_warn(run,
             "%" PRId64 " of %" PRId64 " eigenvalues are zero to rounding; their eigenvectors are left zero",
             vanished, r);
  return LAVDM_OK;
}

/* Eigenvectors and degrees of the stored graph. */
static void square_eigenvectors(fit_t *f, real_t *u) {
  int64_t width = f->q * f->run->options.components;
  for (int64_t i = 0; i < f->n; i++) {
    double factor = f->degree[i] > 0 ? 1 / sqrt(f->degree[i]) : 0;
    for (int64_t j = 0; j < width; j++)
      u[f->order[i] * width + j] = (real_t)(factor * f->vectors[i * width + j]);
  }
}

/* In a streamed run rows are made as they are stored, and then brought into order. */
static int landmark_eigenvectors(fit_t *f, real_t *u) {
  run_t *run = f->run;
  f->fields = u;
  if (stage_saved(f, STAGE_EIGENVECTORS)) return stage_take(f, STAGE_EIGENVECTORS);
  bool files = run->large.files;
  int64_t r = run->options.components;
  const double *values = model_data(f->model, "eigenvalues");
  real_t *made = files ? LARGE(&run->large, real_t, f->n * f->q * r) : u;
  if (!made) return fail_memory(run->error, "the eigenvectors");
  int status =
      f->engine->fields(run, &f->graph, &f->scaling, f->vectors, values, r, files ? NULL : f->order, made);
  if (files && !status) status = arrange_rows(run, f->order, f->n, (size_t)(f->q * r) * sizeof *u, made, u);
  if (files) large_free(made);
  return status < 0 ? status : stage_save(f, STAGE_EIGENVECTORS);
}

static int keep_degrees(fit_t *f) {
  double *degrees = model_array(f->model, &f->run->large, "degrees", LAVDM_F64, 1, f->n, 0, 0);
  if (!degrees) return fail_memory(f->run->error, "the degrees");
  const double *degree = f->with_landmarks ? f->scaling.degree : f->degree;
  return arrange_rows(f->run, f->order, f->n, sizeof *degree, degree, degrees);
}

static int make_eigenvectors(fit_t *f) {
  run_t *run = f->run;
  run_stage(run, "eigenvectors");
  int64_t r = run->options.components, q = f->q;
  real_t *u = model_array(f->model, &f->run->large, "eigenvectors", REAL_TYPE, 3, f->n, q, r);
  if (!u) return fail_memory(run->error, "the eigenvectors");
  int status = keep_degrees(f);
  if (status < 0) return status;
  if (f->with_landmarks) return landmark_eigenvectors(f, u);
  square_eigenvectors(f, u);
  return LAVDM_OK;
}

/* The operator itself, for lavdm_operator, and the frames that its blocks join. */
static int hand_out_operator(fit_t *f) {
  int status = f->with_landmarks ? landmark_degrees(f) : square_operator(f);
  if (!status) status = keep_degrees(f);
  if (!status) status = make_blocks(f);
  if (!status && !f->data.edges && has_frames(&f->run->options)) status = keep_every_frame(f);
  return status < 0 ? status : run_status(f->run);
}

static int run_pipeline(fit_t *f) {
  int status = stages_start(f);
  if (status < 0) return status;
  bool turns = has_turns(&f->run->options), nystrom = f->run->options.method == LAVDM_METHOD_NYSTROM;
  status = f->data.edges ? take_edges(f) : turns ? prepare_objects(f) : prepare_points(f);
  if (status < 0) return status;
  if (f->blocks) return hand_out_operator(f);
  status = nystrom ? nystrom_operator(f) : f->with_landmarks ? landmark_operator(f) : square_operator(f);
  if (status < 0) return status;
  if ((status = find_spectrum(f)) < 0) return status;
  if ((status = nystrom ? nystrom_eigenvectors(f) : make_eigenvectors(f)) < 0) return status;
  if (!f->data.edges && (status = turns ? keep_objects(f) : keep_all(f)) < 0) return status;
  return run_status(f->run);
}

int fit_run(run_t *run, const lavdm_data *data, checkpoint_t *checkpoint, blocks_t *blocks,
            lavdm_model *model) {
  fit_t *f = NEW(fit_t, 1);
  if (!f) return fail_memory(run->error, "the model");
  f->run = run;
  f->data = *data;
  f->checkpoint = checkpoint;
  f->blocks = blocks;
  f->model = model;
  f->engine = &engine_cpu;
  f->with_landmarks = has_landmarks(&run->options);
  int status = run_pipeline(f);
  model->info.n = f->n, model->info.m = f->m, model->info.q = f->q;
  model->info.p = data->edges && !data->points ? 0 : data->p;
  release(f);
  mem_free(f);
  return status;
}
