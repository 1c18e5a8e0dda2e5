/* The door: everything is checked here, and a run starts in its precision. */
#include "base/memory.h"
#include "model/model.h"
#include "pipeline/check.h"
#include "pipeline/fit.h"
#include "pipeline/memory.h"

#include <omp.h>

/* The pipeline in single precision (base/real.h). */
int fit_run_single(run_t *run, const lavdm_data *data, lavdm_model *model);

static void start_run(run_t *run, const lavdm_options *options, lavdm_error *error) {
  run->options = *options;
  run->error = error;
  run->threads = options->threads > 0 ? (int)options->threads : omp_get_max_threads();
  large_start(&run->large, false);
}

int lavdm_fit(const lavdm_data *data, const lavdm_options *options, lavdm_model **model, lavdm_error *error) {
  if (error) *error = (lavdm_error){0};
  if (!model) return fail(error, LAVDM_ERROR_ARGUMENT, "there is no place for the model (NULL)");
  *model = NULL;
  if (!data || !options) return fail(error, LAVDM_ERROR_ARGUMENT, "data or options are missing (NULL)");
  run_t *run = NEW(run_t, 1);
  lavdm_model *made = NEW(lavdm_model, 1);
  if (!run || !made) {
    mem_free(run);
    mem_free(made);
    return fail_memory(error, "the model");
  }
  double began = run_clock();
  lavdm_data own = *data;
  start_run(run, options, error);
  run_stage(run, "check");
  int status = check_input(run, &own);
  run->options.threads = run->threads;
  need_t need;
  if (!status) status = memory_start(run, &own, &need);
  bool single = run->options.precision == LAVDM_PRECISION_SINGLE && !own.edges;
  if (!status) status = (single ? fit_run_single : fit_run)(run, &own, made);
  run_stage(run, NULL);
  made->info.seconds = run_clock() - began;
  made->info.streamed = run->large.files;
  model_finish(made, run);
  if (!status && run->warnings) status = LAVDM_WARNING;
  if (status < 0)
    lavdm_free(made);
  else
    *model = made;
  large_end(&run->large);
  mem_free(run);
  return status;
}

int lavdm_plan(const lavdm_data *data, const lavdm_options *options, lavdm_plan_t *plan, lavdm_error *error) {
  if (error) *error = (lavdm_error){0};
  if (!data || !options || !plan)
    return fail(error, LAVDM_ERROR_ARGUMENT, "data, options or plan are missing (NULL)");
  run_t *run = NEW(run_t, 1);
  if (!run) return fail_memory(error, "the plan");
  start_run(run, options, error);
  lavdm_data own = *data;
  need_t need = {0};
  int status = check_options(run, &own);
  if (!status) status = memory_start(run, &own, &need);
  *plan = (lavdm_plan_t){need.memory, need.disk, run->large.files};
  mem_free(run);
  return status;
}

void lavdm_trim(const lavdm_model *model) {
  for (int i = 0; i < model->arrays; i++) large_trim(model->owned[i]);
}
