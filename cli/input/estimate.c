#include "input/estimate.h"
#include "base/progress.h"

#include <stdio.h>
#include <stdlib.h>

double memory_allowed(const lavdm_options *options) {
  if (options->max_memory > 0) return (double)options->max_memory;
  return (double)lavdm_available();
}

lavdm_plan_t estimate(const lavdm_data *data, const lavdm_options *options) {
  lavdm_plan_t plan = {0};
  if (lavdm_plan(data, options, &plan, NULL) < 0) plan = (lavdm_plan_t){0};
  return plan;
}

/* "12 MB", "0.59 GB", "21 GB". */
static const char *size_text(double bytes, char text[32]) {
  if (bytes < 1e8)
    snprintf(text, 32, "%.0f MB", bytes < 1e6 ? 1 : bytes / 1e6);
  else
    snprintf(text, 32, "%.*f GB", bytes < 1e9 ? 2 : bytes < 1e10 ? 1 : 0, bytes / 1e9);
  return text;
}

void estimate_print(const arguments *a, const lavdm_data *data, const lavdm_options *options) {
  if (arguments_value(a, "quiet") || arguments_value(a, "json")) return;
  lavdm_plan_t plan = estimate(data, options);
  if (plan.memory <= 0) return;
  char memory[32], other[32];
  double allowed = memory_allowed(options);
  const char *folder = getenv("TMPDIR");
  progress_clear();
  fprintf(stderr, "  %-12s about %s", "memory", size_text((double)plan.memory, memory));
  if (plan.stream)
    fprintf(stderr, ", and %s of temporary files in %s", size_text((double)plan.disk, other),
            folder && *folder ? folder : "/tmp");
  else if (allowed > 0)
    fprintf(stderr, " (of %s %s)", size_text(allowed, other), options->max_memory > 0 ? "allowed" : "free");
  fputc('\n', stderr);
}
