#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

const char *lavdm_version(void) {
  return TEXT(LAVDM_VERSION_MAJOR) "." TEXT(LAVDM_VERSION_MINOR) "." TEXT(LAVDM_VERSION_PATCH);
}

int(fail)(lavdm_error *error, int status, const char *format, ...) {
  if (!error) return status;
  error->status = status;
  va_list list;
  va_start(list, format);
  vsnprintf(error->message, sizeof error->message, format, list);
  va_end(list);
  return status;
}

int(fail_memory)(lavdm_error *error, const char *what) {
  return fail(error, LAVDM_ERROR_MEMORY, "out of memory for %s", what);
}
