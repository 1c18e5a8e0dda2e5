#include "common/door.h"

#include <stdio.h>
#include <string.h>

static size_t size_of(const void *given) {
  size_t size;
  memcpy(&size, given, sizeof size);
  return size;
}

static int refuse_size(const app_sizes *sizes, size_t size, lavdm_error *error) {
  if (!error) return LAVDM_ERROR_ARGUMENT;
  error->status = LAVDM_ERROR_ARGUMENT;
  if (!size)
    snprintf(error->message, sizeof error->message,
             "the options were never set: fill them with their defaults before anything else");
  else
    snprintf(
        error->message, sizeof error->message,
        "a struct has a size of %zu bytes, and lavdm %s knows %zu to %zu: the program was made for a newer "
        "lavdm, or never set that size",
        size, lavdm_version(), sizes->first, sizes->full);
  return LAVDM_ERROR_ARGUMENT;
}

int app_options(const app_sizes *sizes, const void *given, void *own, lavdm_error *error) {
  size_t size = size_of(given);
  if (size < sizes->first || size > sizes->full) return refuse_size(sizes, size, error);
  memcpy(own, given, size);
  memcpy(own, &sizes->full, sizeof sizes->full);
  return LAVDM_OK;
}

void app_fill(const app_sizes *sizes, const void *own, void *given, size_t size) {
  if (size < sizeof size) return;
  memset(given, 0, size);
  memcpy(given, own, size < sizes->full ? size : sizes->full);
  memcpy(given, &size, sizeof size);
}

int app_check(const app_sizes *sizes, const void *given, lavdm_error *error) {
  size_t size = size_of(given);
  return !size || (size >= sizes->first && size <= sizes->full) ? LAVDM_OK : refuse_size(sizes, size, error);
}

void app_give(const app_sizes *sizes, const void *own, void *given) {
  size_t size = size_of(given), known = size ? size : sizes->first;
  memcpy((char *)given + sizeof size, (const char *)own + sizeof size, known - sizeof size);
}
