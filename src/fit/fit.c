/*
 * The pipeline, in order:
 *     data -> rows -> landmarks -> frames -> bandwidth -> graph -> operator
 *          -> spectrum -> eigenvectors -> model
 * (for images and signals: coefficients in place of points, and no frames). Each
 * step decides what the engine does, and takes what it found; everything is
 * released in one place.
 */
#include "fit/fit.h"

#include "base/memory.h"
#include "fit/stages.h"
#include "graph/given.h"
#include "spectrum/spectrum.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void release(fit_t *f) {
  if (f->engine) {
    if (f->around != f->rows) f->ops->unload(f->engine, f->around);
    f->ops->unload(f->engine, f->rows);
    f->ops->unload(f->engine, f->marks);
    engine_close(f->engine);
  }
  mem_free(f->centre);
  mem_free(f->rho);
  mem_free(f->landmark_index);
  mem_free(f->landmark_order);
  mem_free(f->scaling.column);
  mem_free(f->scaling.mass);
  mem_free(f->scaling.inflow);
  symmetric_free(&f->gram);
  mem_free(f->vectors);
}

void *fit_array(fit_t *f, const char *name, lavdm_type type, int rank, int64_t a, int64_t b, int64_t c) {
  return model_array(f->model, &f->run->large, name, type, rank, a, b, c);
}

int fit_fetch(fit_t *f, const rows_t *rows, rows_what what, const char *name, lavdm_type type, int rank,
              int64_t b, int64_t c) {
  void *out = fit_array(f, name, type, rank, rows->n, b, c);
  if (!out) return fail_memory(f->run->error, "the results");
  return f->ops->fetch(f->engine, rows, what, NULL, 0, rows->n, out);
}

/* --------------------------------------------------------------- operator */

static int new_scaling(fit_t *f) {
  f->scaling = (landmark_scaling){NEW(double, f->m), NEW(double, f->m), NEW(double, f->m)};
  bool whole = f->scaling.column && f->scaling.mass && f->scaling.inflow;
  return whole ? LAVDM_OK : fail_memory(f->run->error, "the degrees");
}

/* The graph, unless what is stored of it was saved. */
static int make_graph(fit_t *f) {
  bool square = !f->with_landmarks, turns = has_turns(&f->run->options);
  checkpoint_stage stage = square ? STAGE_OPERATOR : STAGE_GRAPH;
  f->spec.resumed = (square || turns) && stage_saved(f, stage);
  if ((square || turns) && !f->data.edges && !f->spec.resumed) run_stage(f->run, "graph");
  int status = f->ops->graph(f->engine, f->rows, references(f), &f->spec, &f->found);
  status = team_agree(f->run->team, status);
  if (status < 0 || square || !turns) return status;
  return f->spec.resumed ? stage_take(f, STAGE_GRAPH) : stage_save(f, STAGE_GRAPH);
}

static int landmark_degrees(fit_t *f) {
  const lavdm_options *o = &f->run->options;
  int status = team_agree(f->run->team, new_scaling(f));
  if (!status) status = make_graph(f);
  if (status < 0) return status;
  run_stage(f->run, "degrees");
  if (stage_saved(f, STAGE_DEGREES)) {
    status = stage_take(f, STAGE_DEGREES);
  } else {
    status = f->ops->scale(f->engine, f->rows, o->alpha, o->beta, &f->scaling, &f->found);
    if (!status) status = stage_save(f, STAGE_DEGREES);
  }
  if (!status) status = tell_components(f, NULL);
  if (!status) tell_far(f);
  return team_agree(f->run->team, status);
}

static int landmark_gram(fit_t *f) {
  if (stage_saved(f, STAGE_OPERATOR)) return stage_take(f, STAGE_OPERATOR);
  int status = f->ops->gram(f->engine, f->rows, &f->gram, &f->found);
  return status < 0 ? status : stage_save(f, STAGE_OPERATOR);
}

static int landmark_operator(fit_t *f) {
  int status = landmark_degrees(f);
  if (status < 0) return status;
  run_stage(f->run, "operator");
  status = landmark_gram(f);
  if (!status) tell_alignment(f);
  return status;
}

static int square_operator(fit_t *f) {
  const lavdm_options *o = &f->run->options;
  int status = make_graph(f);
  if (status < 0) return status;
  run_stage(f->run, "operator");
  if (stage_saved(f, STAGE_OPERATOR)) {
    status = stage_take(f, STAGE_OPERATOR);
  } else {
    status = f->ops->scale(f->engine, f->rows, o->alpha, o->beta, NULL, &f->found);
    if (!status) status = tell_balance(f);
    if (!status) status = stage_save(f, STAGE_OPERATOR);
  }
  if (!status) status = fit_fetch(f, f->rows, ROWS_DENSITIES, "densities", LAVDM_F64, 1, 0, 0);
  if (!status && has_turns(o) && o->edges == LAVDM_EDGES_KNN)
    status = fit_fetch(f, f->rows, ROWS_REACH, "knn_distances", LAVDM_F64, 1, 0, 0);
  if (!status) status = tell_components(f, NULL);
  if (!status) tell_alignment(f);
  return status;
}

/* --------------------------------------------------------------- spectrum */

/* The rows whose square graph has the eigenvectors: those of nystrom are the landmarks. */
static rows_t *operator_rows(const fit_t *f) {
  return f->run->options.method == LAVDM_METHOD_NYSTROM ? f->marks : f->rows;
}

/* The product of a square graph, wherever its rows are. */
static int apply_rows(run_t *run, const void *context, const double *x, double *y, int64_t count) {
  (void)run;
  const fit_t *f = context;
  return f->ops->apply(f->engine, operator_rows(f), x, y, count);
}

/* For engines without a solver: ours. */
static int own_spectrum(fit_t *f, int64_t r) {
  run_t *run = f->run;
  if (f->gram.size) return spectrum_top(run, &f->gram, r, f->values, f->vectors, f->residuals);
  rows_t *rows = operator_rows(f);
  bool shared = run->team && rows == f->rows; /* landmarks are the same on every rank */
  operator_t op = {.size = rows->n * f->q,
                   .apply = apply_rows,
                   .context = f,
                   .team = shared ? run->team : NULL,
                   .before = shared ? run->first * f->q : 0,
                   .after = shared ? (run->total - run->first - rows->n) * f->q : 0};
  double *found = NEW(double, op.size *r), *vectors = NEW(double, op.size *r);
  int64_t *order = NEW(int64_t, rows->n), width = f->q * r;
  int status = found && vectors && order ? f->ops->fetch(f->engine, rows, ROWS_ORDER, NULL, 0, rows->n, order)
                                         : fail_memory(run->error, "the eigenvectors");
  status = team_agree(op.team, status);
  if (!status) status = spectrum_of(run, &op, r, f->values, found, f->residuals);
  for (int64_t i = 0; i < rows->n && !status; i++)
    memcpy(vectors + order[i] * width, found + i * width, (size_t)width * sizeof *found);
  if (!status) status = f->ops->put(f->engine, rows, ROWS_VECTORS, vectors);
  mem_free(found);
  mem_free(vectors);
  mem_free(order);
  return status;
}

static int top_eigenpairs(fit_t *f) {
  if (stage_saved(f, STAGE_SPECTRUM)) return stage_take(f, STAGE_SPECTRUM);
  int64_t r = f->run->options.components;
  const symmetric_t *gram = f->gram.size ? &f->gram : NULL;
  int status = f->ops->spectrum ? f->ops->spectrum(f->engine, operator_rows(f), gram, r, f->values,
                                                   f->vectors, f->residuals)
                                : own_spectrum(f, r);
  bool again = f->run->options.method == LAVDM_METHOD_NYSTROM; /* made again in no time */
  return status < 0 || again ? status : stage_save(f, STAGE_SPECTRUM);
}

/* One basis of each eigenspace for all ranks. */
static int share_spectrum(fit_t *f, int status) {
  const team_t *team = f->run->team;
  int64_t r = f->run->options.components;
  status = team_agree(team, status);
  if (!status) status = team_share_first(team, f->values, r);
  if (!status) status = team_share_first(team, f->residuals, r);
  return status || !f->vectors ? status : team_share_first(team, f->vectors, f->m * f->q * r);
}

/* Residuals above what was asked for, and values that are zero to rounding. */
static void tell_spectrum(fit_t *f) {
  run_t *run = f->run;
  int64_t r = run->options.components, unsure = 0, vanished = 0;
  double worst = 0;
  for (int64_t l = 0; l < r; l++) {
    unsure += !(f->residuals[l] <= run->options.tolerance);
    worst = fmax(worst, f->residuals[l]);
    /* sigma^2 below rounding: no direction is left to divide by it */
    if (f->with_landmarks && f->values[l] < 1e-14 * f->values[0]) f->values[l] = 0, vanished++;
  }
  if (unsure)
    run_warn(run, "%" PRId64 " of %" PRId64 " eigenpairs have a residual above %g (the largest is %.2g)",
             unsure, r, run->options.tolerance, worst);
  if (vanished)
    run_warn(run,
             "%" PRId64 " of %" PRId64 " eigenvalues are zero to rounding; their eigenvectors are left zero",
             vanished, r);
}

static int find_spectrum(fit_t *f) {
  run_t *run = f->run;
  int64_t most = f->run->total < f->m ? f->run->total : f->m;
  int status = choose_components(run, most * f->q);
  if (status < 0) return status;
  run_stage(run, "spectrum");
  int64_t r = run->options.components;
  bool gram = f->with_landmarks && run->options.method != LAVDM_METHOD_NYSTROM;
  f->values = fit_array(f, "eigenvalues", LAVDM_F64, 1, r, 0, 0);
  f->residuals = fit_array(f, "residuals", LAVDM_F64, 1, r, 0, 0);
  f->vectors = gram ? NEW(double, f->m * f->q * r) : NULL;
  if (!f->values || !f->residuals || (gram && !f->vectors))
    status = fail_memory(run->error, "the eigenvectors");
  if ((status = team_agree(run->team, status)) < 0) return status;
  status = share_spectrum(f, top_eigenpairs(f));
  if (!status) tell_spectrum(f);
  return status;
}

/* ----------------------------------------------------------- eigenvectors */

static int make_eigenvectors(fit_t *f) {
  run_t *run = f->run;
  run_stage(run, "eigenvectors");
  int64_t r = run->options.components;
  f->fields = fit_array(f, "eigenvectors", f->real, 3, f->n, f->q, r);
  if (!f->fields) return fail_memory(run->error, "the eigenvectors");
  int status = fit_fetch(f, f->rows, ROWS_DEGREES, "degrees", LAVDM_F64, 1, 0, 0);
  if (status < 0) return status;
  if (stage_saved(f, STAGE_EIGENVECTORS)) return stage_take(f, STAGE_EIGENVECTORS);
  status = f->ops->fields(f->engine, f->rows, f->vectors, f->values, r);
  if (!status) status = f->ops->fetch(f->engine, f->rows, ROWS_FIELDS, NULL, 0, f->n, f->fields);
  return status < 0 || !f->with_landmarks ? status : stage_save(f, STAGE_EIGENVECTORS);
}

/* The operator itself, for lavdm_operator, and the frames that its blocks join. */
static int hand_out_operator(fit_t *f) {
  if (!f->ops->blocks)
    return fail(f->run->error, LAVDM_ERROR_ARGUMENT, "the engine %s does not hand out its operator",
                f->ops->name);
  int status = f->with_landmarks ? landmark_degrees(f) : square_operator(f);
  if (!status) status = fit_fetch(f, f->rows, ROWS_DEGREES, "degrees", LAVDM_F64, 1, 0, 0);
  if (status < 0) return status;
  run_stage(f->run, "operator");
  status = f->ops->blocks(f->engine, f->rows, f->blocks, &f->found);
  if (!status && f->with_landmarks) tell_alignment(f);
  int64_t needed = need_bytes(f->blocks->needed);
  if (needed > f->model->info.memory_needed) f->model->info.memory_needed = needed;
  if (!status && has_frames(&f->run->options)) status = keep_every_frame(f);
  return status < 0 ? status : run_status(f->run);
}

/* What ranks cannot share yet. */
static int check_team(const fit_t *f) {
  const lavdm_options *o = &f->run->options;
  if (!f->run->team) return LAVDM_OK;
  const char *what = f->data.edges                ? "edges of one's own"
                     : has_turns(o)               ? "images and signals"
                     : has_local(o)               ? "bandwidths of each point's own (bandwidth is local)"
                     : f->checkpoint || f->blocks ? "checkpoints and operators"
                                                  : NULL;
  return what ? fail(f->run->error, LAVDM_ERROR_ARGUMENT, "%s cannot be shared by several ranks", what)
              : LAVDM_OK;
}

static int run_pipeline(fit_t *f) {
  int status = check_team(f);
  if (!status) status = engine_open(f->run, &f->engine);
  if (!status) f->ops = f->engine->ops;
  if ((status = team_agree(f->run->team, status)) < 0) return status;
  if ((status = stages_start(f)) < 0) return status;
  const team_t *team = f->run->team; /* a rank that fails, or is stopped, takes the others along */
  bool nystrom = f->run->options.method == LAVDM_METHOD_NYSTROM;
  if ((status = prepare(f)) < 0) return status;
  if (f->blocks) return hand_out_operator(f);
  status = nystrom ? nystrom_operator(f) : f->with_landmarks ? landmark_operator(f) : square_operator(f);
  if ((status = team_agree(team, status)) < 0) return status;
  if ((status = team_agree(team, find_spectrum(f))) < 0) return status;
  status = nystrom ? nystrom_eigenvectors(f) : make_eigenvectors(f);
  if (!status) status = keep_all(f);
  return team_agree(team, status < 0 ? status : run_status(f->run));
}

/* What the second numbers of edges name, before a checkpoint brings the number of landmarks. */
static void settle_ends(fit_t *f) {
  const lavdm_options *o = &f->run->options;
  f->among = f->with_landmarks && given_is_square(&f->data, o);
  f->asked = f->data.edges->ends == LAVDM_ENDS_AUTO ? o->landmarks : LAVDM_AUTO;
  f->edges = *f->data.edges;
  f->edges.ends = f->with_landmarks && !f->among ? LAVDM_ENDS_LANDMARKS : LAVDM_ENDS_NODES;
  f->data.edges = &f->edges;
}

int fit_run(run_t *run, const lavdm_data *data, checkpoint_t *checkpoint, blocks_t *blocks,
            lavdm_model *model) {
  fit_t *f = NEW(fit_t, 1);
  if (team_agree(run->team, f ? LAVDM_OK : LAVDM_ERROR_MEMORY) < 0) {
    mem_free(f);
    return fail_memory(run->error, "the model");
  }
  f->run = run;
  f->data = *data;
  f->checkpoint = checkpoint;
  f->blocks = blocks;
  f->model = model;
  f->with_landmarks = has_landmarks(&run->options);
  if (data->edges) settle_ends(f);
  f->real = engine_real(run);
  int status = run_pipeline(f);
  model->info.n = f->n, model->info.m = f->m, model->info.q = f->q;
  model->info.p = data->edges && !data->points ? 0 : data->p;
  release(f);
  mem_free(f);
  return status;
}
