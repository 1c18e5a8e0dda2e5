#include "input/estimate.h"
#include "base/progress.h"
#include "io/room.h"
#include "io/sentence.h"

#include <stdio.h>
#include <stdlib.h>

double memory_allowed(const lavdm_options *options) {
  return (double)(options->max_memory > 0 ? options->max_memory : lavdm_available());
}

lavdm_plan_t estimate(const lavdm_data *data, const lavdm_options *options) {
  lavdm_plan_t plan = {0};
  if (lavdm_plan(data, options, &plan, NULL) < 0) plan = (lavdm_plan_t){0};
  return plan;
}

void estimate_print(const arguments *a, const lavdm_data *data, const lavdm_options *options) {
  if (arguments_value(a, "quiet") || arguments_value(a, "json")) return;
  lavdm_plan_t plan = estimate(data, options);
  if (plan.memory <= 0) return;
  char memory[SIZE_TEXT], other[SIZE_TEXT];
  double allowed = memory_allowed(options);
  const char *folder = getenv("TMPDIR");
  progress_clear();
  fprintf(stderr, "  %-12s about %s", "memory", size_text((double)plan.memory, memory));
  if (plan.stream)
    fprintf(stderr, ", and %s of temporary files in %s", size_text((double)plan.disk, other),
            folder && *folder ? shown(folder) : "/tmp");
  else if (allowed > 0)
    fprintf(stderr, " (of %s %s)", size_text(allowed, other), options->max_memory > 0 ? "allowed" : "free");
  fputc('\n', stderr);
}
