#include "output/deliver.h"
#include "output/page.h"
#include "base/progress.h"

#include <stdio.h>

/* The file holds the times up to its writing. */
static int write_file(run_facts *facts, const result_extras *extras, json_builder *object,
                      lavdm_error *error) {
  double began = seconds_now();
  facts->total_seconds = began - facts->began;
  facts_put_times(object, facts);
  progress_enter(PHASE_WRITE, "writing", facts->output);
  int status = result_write(facts->output, facts->model, extras, object, error);
  facts->write_seconds = seconds_now() - began;
  progress_clear();
  return status;
}

int deliver(const arguments *a, run_facts *facts, const result_extras *extras, lavdm_error *error) {
  json_builder object = {0};
  int status = LAVDM_OK;
  json_start(&object);
  facts_put(&object, facts);
  json_put_text(&object, "command", a->line);
  if (facts->output) status = write_file(facts, extras, &object, error);
  facts->total_seconds = seconds_now() - facts->began;
  facts_put_times(&object, facts);
  if (status >= 0) status = page_of_run(a, facts, extras, &object, error);
  if (status >= 0 && arguments_value(a, "json")) {
    status = json_print(&object, error);
  } else if (status >= 0) {
    if (!arguments_value(a, "quiet")) {
      summary_print(facts);
      summary_print_cost(facts);
      page_tell(a);
      fflush(stdout);
    }
    summary_warn(facts);
  }
  json_free(&object);
  return status;
}
