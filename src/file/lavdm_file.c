/* The doors lavdm_file_* and lavdm_write: what is written appears whole or not at all. */
#include "base/memory.h"
#include "base/status.h"
#include "file/atomic.h"
#include "file/sentence.h"

struct lavdm_file {
  atomic_file file;
};

int lavdm_file_open(const char *path, lavdm_file **file, lavdm_error *error) {
  if (error) *error = (lavdm_error){0};
  if (!file) return fail(error, LAVDM_ERROR_ARGUMENT, "there is no place for the file (NULL)");
  *file = NULL;
  if (!path) return fail(error, LAVDM_ERROR_ARGUMENT, "the name of the file is missing (NULL)");
  lavdm_file *made = NEW(lavdm_file, 1);
  if (!made) return file_memory(error, path, 0);
  int status = atomic_begin(&made->file, path, error);
  if (status < 0)
    mem_free(made);
  else
    *file = made;
  return status;
}

int lavdm_file_write(lavdm_file *file, const void *data, size_t bytes) {
  return atomic_write(&file->file, data, bytes);
}

const char *lavdm_file_name(const lavdm_file *file) {
  return file->file.temp;
}

int lavdm_file_close(lavdm_file *file, int status) {
  if (!file) return status;
  status = atomic_end(&file->file, status);
  mem_free(file);
  return status;
}

int lavdm_write(const char *path, const lavdm_item *items, int count, lavdm_trim_function trim,
                const void *trim_user, lavdm_error *error) {
  if (error) *error = (lavdm_error){0};
  if (!path || !items || count < 1)
    return fail(error, LAVDM_ERROR_ARGUMENT, "there is nothing to write, or no name to write it to");
  const store_trim between = {trim, trim_user};
  return store_write(path, items, count, trim ? &between : NULL, error);
}
