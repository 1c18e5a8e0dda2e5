/* The door: everything is checked here, and a run starts in its precision. */
#include "base/door.h"
#include "base/memory.h"
#include "check/check.h"
#include "coordinates/coordinates.h"
#include "fit/copies.h"
#include "fit/fit.h"
#include "reduce/reduce.h"
#include "reduce/sphere.h"
#include "sparse/sparse.h"
#include "trust/trust.h"

#include <inttypes.h>
#include <string.h>

static int start_run(run_t *run, const lavdm_options *options, lavdm_error *error) {
  run->options = *options;
  run->options.checkpoint = NULL; /* not part of what was chosen */
  engine_choose(&run->options);
  choose_density(&run->options);
  run->error = error;
  large_start(&run->large, false);
  return run_threads(run, options->threads);
}

/* The points, and landmarks that are not points, in principal coordinates, or on the sphere. */
typedef struct {
  double *points, *landmarks;
} principal_t;

static void principal_free(principal_t *own) {
  large_free(own->points);
  mem_free(own->landmarks);
}

/* The points become `own`, of k coordinates. */
static void take_points(lavdm_data *data, const double *own, int64_t k) {
  data->points = own;
  data->type = LAVDM_F64;
  data->p = data->row_stride = k;
  data->col_stride = 1;
}

static int take_coordinates(run_t *run, const reduce_t *reduce, lavdm_data *data, principal_t *own) {
  lavdm_data landmarks = {.points = data->landmark_points, .n = data->landmark_count, .p = data->p};
  own->points = LARGE(&run->large, double, data->n * reduce->k);
  if (!own->points) return fail_memory(run->error, "the principal coordinates");
  int status = data->sparse ? sparse_apply(run, reduce, data->sparse, own->points)
                            : reduce_apply(run, reduce, data, own->points);
  if (status < 0) return status;
  data->sparse = NULL;
  take_points(data, own->points, reduce->k);
  if (!data->landmark_points) return LAVDM_OK;
  own->landmarks = NEW(double, landmarks.n * reduce->k);
  if (!own->landmarks) return fail_memory(run->error, "the principal coordinates");
  data->landmark_points = own->landmarks;
  return reduce_apply(run, reduce, &landmarks, own->landmarks);
}

static int keep_basis(run_t *run, const reduce_t *reduce, lavdm_model *model) {
  int64_t p = reduce->p, k = reduce->k;
  double *basis = model_array(model, &run->large, "pca_basis", LAVDM_F64, 2, p, k, 0);
  double *mean = model_array(model, &run->large, "pca_mean", LAVDM_F64, 1, p, 0, 0);
  if (!basis || !mean) return fail_memory(run->error, "the principal axes");
  memcpy(basis, reduce->basis, (size_t)(p * k) * sizeof *basis);
  memcpy(mean, reduce->mean, (size_t)p * sizeof *mean);
  return LAVDM_OK;
}

static int reduce_points(run_t *run, lavdm_data *data, lavdm_model *model, principal_t *own) {
  int64_t k = run->options.pca;
  run_stage(run, "pca");
  double bytes = data->sparse ? sparse_bytes(data->sparse, k) : reduce_bytes(data->n, data->p);
  int status = run_room(run, bytes + 8 * (double)data->n * (double)k);
  if (status < 0) return status;
  reduce_t reduce;
  status =
      data->sparse ? sparse_fit(run, data->sparse, k, &reduce) : reduce_fit(run, data, data->n, k, &reduce);
  if (!status) status = keep_basis(run, &reduce, model);
  if (!status) status = take_coordinates(run, &reduce, data, own);
  reduce_free(&reduce);
  return status;
}

/* Sparse points become principal coordinates before anything else is asked of them. */
static int reduce_sparse(run_t *run, lavdm_data *data, lavdm_model *model, principal_t *own) {
  if (!data->sparse) return LAVDM_OK;
  run_stage(run, "pca");
  int status = choose_sparse_principal(run, data->sparse);
  if (!status)
    run_reason(run, "sparse",
               "%" PRId64 " points with %" PRId64 " coordinates, %.3g%% of them listed: %" PRId64
               " principal ones take their place",
               data->n, data->p,
               100 * (double)data->sparse->start[data->n] / ((double)data->n * (double)data->p),
               run->options.pca);
  if (!status) status = reduce_points(run, data, model, own);
  return status < 0 ? status : check_values(run, data);
}

/* Rows where their Euclidean distances tell those of the metric. */
static int to_sphere(run_t *run, lavdm_data *data, principal_t *own) {
  int64_t k = sphere_width(run->options.metric, data->p);
  lavdm_data landmarks = {.points = data->landmark_points, .n = data->landmark_count, .p = data->p};
  run_stage(run, "sphere");
  own->points = LARGE(&run->large, double, data->n *k);
  own->landmarks = data->landmark_points ? NEW(double, landmarks.n *k) : NULL;
  if (!own->points || (data->landmark_points && !own->landmarks))
    return fail_memory(run->error, "the points on the sphere");
  int status = sphere_apply(run, data, "", 0, own->points);
  if (!status && own->landmarks) status = sphere_apply(run, &landmarks, "landmarks: ", 0, own->landmarks);
  take_points(data, own->points, k);
  if (own->landmarks) data->landmark_points = own->landmarks;
  return status;
}

/* Points of precomputed distances: the numbers of their rows. */
static int number_points(run_t *run, lavdm_data *data, double **numbers) {
  if (!data->distances || run->sample) return LAVDM_OK;
  if (data->points || data->read || data->sparse)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "there are points and distances: give one of them");
  int64_t n = data->distances->rows > 0 ? data->distances->rows : 0;
  *numbers = NEW(double, n);
  if (!*numbers) return fail_memory(run->error, "the points");
  for (int64_t i = 0; i < n; i++) (*numbers)[i] = (double)i;
  take_points(data, *numbers, 1);
  data->n = n;
  return LAVDM_OK;
}

static int fit_sample(const lavdm_data *data, const lavdm_options *options, const void *frames,
                      const double *weights, lavdm_model **model, lavdm_error *error);

/* Whether eigenvectors are functions: every element of the connection is 1. */
static bool is_scalar(const run_t *run, const lavdm_data *data) {
  return run->options.bundle == LAVDM_BUNDLE_TRIVIAL ||
         (data->edges && data->edges->kind == LAVDM_ELEMENT_NONE);
}

/* `sample`: of a fit that is put to the test; `frames`, `weights`: NULL, or those of its points. */
static int fit_given(const lavdm_data *data, const lavdm_options *options, bool sample, const void *frames,
                     const double *weights, const team_t *team, blocks_t *blocks, lavdm_model **model,
                     lavdm_error *error) {
  run_t *run = NEW(run_t, 1);
  lavdm_model *made = NEW(lavdm_model, 1);
  if (team_agree(team, run && made ? LAVDM_OK : LAVDM_ERROR_MEMORY) < 0) {
    mem_free(run);
    mem_free(made);
    return fail_memory(error, "the model");
  }
  double began = run_clock();
  lavdm_data own = *data;
  int status = start_run(run, options, error);
  run->team = team;
  run->frames = frames;
  run->weights = weights;
  run->distances = own.distances;
  run->sample = run->uneven = sample;
  run_stage(run, "check");
  double *numbers = NULL;
  if (!status) status = number_points(run, &own, &numbers);
  if (!status) status = check_input(run, &own);
  principal_t principal = {0};
  if (!status) status = reduce_sparse(run, &own, made, &principal);
  bool reduced = principal.points != NULL;
  status = team_agree(team, status);
  if (!status) status = check_spread(run, &own);
  run->options.threads = run->threads;
  checkpoint_t checkpoint = {0};
  if (!status && options->checkpoint && !blocks)
    status = checkpoint_open(run, &own, options->checkpoint, &checkpoint);
  if (!status && team && run->options.pca > 0)
    status =
        fail(error, LAVDM_ERROR_ARGUMENT, "pca cannot be shared by several ranks: reduce the points first");
  principal_t sphere = {0};
  copies_t copies = {0};
  if (!status && !weights) status = copies_find(run, &own, blocks != NULL, &copies);
  if (!status) choose_local(run, &own);
  if (!status) status = choose_principal(run, &own);
  if (!status && run->options.pca > 0 && own.points && !reduced && !own.edges && !has_turns(&run->options))
    status = reduce_points(run, &own, made, &principal);
  if (!status) status = copies_gather(run, &own, &copies);
  if (!status && on_sphere(run->options.metric) && !sample) status = to_sphere(run, &own, &sphere);
  need_t need;
  if (!status) status = choose_stream(run, &own, &need);
  status = team_agree(team, status);
  if (!status) status = fit_run(run, &own, checkpoint.path ? &checkpoint : NULL, blocks, made);
  if (!status && !blocks && !sample) status = coordinates_choose(run, is_scalar(run, &own), made);
  if (!status && !blocks) status = trust_run(run, &own, made, fit_sample);
  if (!status) status = copies_spread(run, &copies, made);
  copies_free(&copies);
  principal_free(&principal);
  principal_free(&sphere);
  mem_free(numbers);
  checkpoint_close(&checkpoint);
  const char *stage = run->stage;
  run_stage(run, NULL);
  made->info.seconds = run_clock() - began;
  made->info.streamed = run->large.files;
  model_finish(made, run);
  if (!status) status = team_agree(team, model_check_results(made, error));
  if (status < 0 && team && error && !error->message[0])
    fail(error, status, "another rank stopped during %s", stage);
  if (!status && run->warnings) status = LAVDM_WARNING;
  if (status < 0)
    lavdm_free(made);
  else
    *model = made;
  large_end(&run->large);
  mem_free(run);
  return status;
}

int fit_checked(const lavdm_data *data, const lavdm_options *options, const team_t *team, blocks_t *blocks,
                lavdm_model **model, lavdm_error *error) {
  return fit_given(data, options, false, NULL, NULL, team, blocks, model, error);
}

static int fit_sample(const lavdm_data *data, const lavdm_options *options, const void *frames,
                      const double *weights, lavdm_model **model, lavdm_error *error) {
  return fit_given(data, options, true, frames, weights, NULL, NULL, model, error);
}

int lavdm_fit(const lavdm_data *data, const lavdm_options *options, lavdm_model **model, lavdm_error *error) {
  if (error) *error = (lavdm_error){0};
  if (!model) return fail(error, LAVDM_ERROR_ARGUMENT, "there is no place for the model (NULL)");
  *model = NULL;
  if (!data || !options) return fail(error, LAVDM_ERROR_ARGUMENT, "data or options are missing (NULL)");
  door_t door;
  int status = door_open(&door, data, options, error);
  return status < 0 ? status : fit_checked(&door.data, &door.options, NULL, NULL, model, error);
}

int lavdm_plan(const lavdm_data *data, const lavdm_options *options, lavdm_plan_t *plan, lavdm_error *error) {
  if (error) *error = (lavdm_error){0};
  if (!data || !options || !plan)
    return fail(error, LAVDM_ERROR_ARGUMENT, "data, options or plan are missing (NULL)");
  door_t door;
  int status = door_open(&door, data, options, error);
  if (status >= 0) status = door_check(&door_plan, plan, error);
  if (status < 0) return status;
  run_t *run = NEW(run_t, 1);
  if (!run) return fail_memory(error, "the plan");
  need_t need = {0};
  if (door.data.distances) { /* their values are not looked at */
    take_points(&door.data, door.data.distances->value, 1);
    door.data.n = door.data.distances->rows;
  }
  status = start_run(run, &door.options, error);
  if (!status) status = check_options(run, &door.data);
  if (!status && door.data.sparse) { /* the rest of the run sees principal coordinates alone */
    door.data.p = run->options.pca > 0 ? run->options.pca : usual_principal(&door.sparse);
    run->options.pca = 0;
  }
  if (!status) status = choose_stream(run, &door.data, &need);
  const lavdm_plan_t own = {
      .memory = need.memory,
      .disk = need.disk,
      .stream = run->large.files,
      .address = need_bytes((double)need.memory + (double)need.disk + threads_bytes(run->threads))};
  door_give(&door_plan, &own, plan);
  mem_free(run);
  return status;
}

void lavdm_trim(const lavdm_model *model) {
  for (int i = 0; i < model->arrays; i++) large_trim(model->owned[i]);
}
