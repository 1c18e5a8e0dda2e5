#include "file/sentence.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int file_fail(lavdm_error *error, int status, const char *label, const char *format, ...) {
  if (!error) return status;
  error->status = status;
  size_t length = strlen(label), cut = length > FILE_LABEL ? length - FILE_LABEL : 0;
  int used = snprintf(error->message, sizeof error->message, "%s%s: ", cut ? "..." : "", label + cut);
  va_list list;
  va_start(list, format);
  vsnprintf(error->message + used, sizeof error->message - (size_t)used, format, list);
  va_end(list);
  for (char *c = error->message; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
  return status;
}

int file_memory(lavdm_error *error, const char *label, int64_t bytes) {
  if (bytes < 1 << 20) return file_fail(error, LAVDM_ERROR_MEMORY, label, "out of memory");
  return file_fail(error, LAVDM_ERROR_MEMORY, label, "out of memory: it needs %.3g GiB",
                   (double)bytes / (1 << 30));
}
