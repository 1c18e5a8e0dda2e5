#include "average/support.h"

#include <stdarg.h>
#include <stdio.h>

int(average_fail)(lavdm_error *error, int status, const char *format, ...) {
  if (!error) return status;
  error->status = status;
  va_list list;
  va_start(list, format);
  vsnprintf(error->message, sizeof error->message, format, list);
  va_end(list);
  return status;
}

int average_progress(const lavdm_options *how, const char *stage, double fraction, lavdm_error *error) {
  if (!how || !how->progress || !how->progress(stage, fraction, how->progress_user)) return LAVDM_OK;
  return average_fail(error, LAVDM_ERROR_INTERRUPTED, "stopped during %s, as asked", stage);
}
