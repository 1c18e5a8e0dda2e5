/* libzip opens files of fuzz_file from memory. */
#include "memory.h"

#include <zip.h>

zip_t *__real_zip_open(const char *path, int flags, int *reason);
zip_t *__wrap_zip_open(const char *path, int flags, int *reason);
zip_t *__wrap_zip_open(const char *path, int flags, int *reason) {
  memory_bytes bytes;
  zip_error_t error;
  if (!memory_path(path, &bytes)) return __real_zip_open(path, flags, reason);
  zip_error_init(&error);
  zip_source_t *source = zip_source_buffer_create(bytes.data, bytes.size, 0, &error);
  zip_t *zip = source ? zip_open_from_source(source, flags, &error) : NULL;
  if (!zip && source) zip_source_free(source);
  *reason = zip_error_code_zip(&error);
  zip_error_fini(&error);
  return zip;
}
