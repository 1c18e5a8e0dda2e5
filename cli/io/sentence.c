#include "io/sentence.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int(io_fail)(lavdm_error *error, int status, const char *label, const char *format, ...) {
  if (!error) return status;
  error->status = status;
  size_t length = strlen(label), cut = length > IO_LABEL ? length - IO_LABEL : 0;
  int used = snprintf(error->message, sizeof error->message, "%s%s: ", cut ? "..." : "", label + cut);
  va_list list;
  va_start(list, format);
  vsnprintf(error->message + used, sizeof error->message - (size_t)used, format, list);
  va_end(list);
  for (char *c = error->message; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
  return status;
}

int(io_memory)(lavdm_error *error, const char *label, int64_t bytes) {
  if (bytes < 1 << 20) return io_fail(error, LAVDM_ERROR_MEMORY, label, "out of memory");
  return io_fail(error, LAVDM_ERROR_MEMORY, label, "out of memory: it needs %.3g GiB",
                 (double)bytes / (1 << 30));
}

int io_unwritten(lavdm_error *error, const char *path, int reason) {
  if (reason == ENOMEM) return io_memory(error, path, 0);
  return io_fail(error, LAVDM_ERROR_FILE, path, "could not be written%s%s", reason ? ": " : "",
                 reason ? strerror(reason) : "");
}
