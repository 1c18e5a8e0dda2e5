#include "io/output.h"
#include "io/pipe.h"

int output_begin(output_file *file, const char *path, lavdm_error *error) {
  *file = (output_file){.path = path, .error = error};
  if (io_is_pipe(path)) return LAVDM_OK;
  int status = lavdm_file_open(path, &file->file, error);
  if (status >= 0) file->temp = lavdm_file_name(file->file);
  return status;
}

int output_write(output_file *file, const void *data, size_t bytes) {
  if (!file->file) return pipe_write(data, bytes, file->error);
  return lavdm_file_write(file->file, data, bytes);
}

void output_trim(const output_file *file) {
  if (file->trim) file->trim->call(file->trim->user);
}

int output_write_slices(output_file *file, const void *data, int64_t bytes) {
  int status = LAVDM_OK;
  for (int64_t at = 0; at < bytes && status >= 0; at += OUTPUT_SLICE) {
    int64_t part = bytes - at < OUTPUT_SLICE ? bytes - at : OUTPUT_SLICE;
    status = output_write(file, (const char *)data + at, (size_t)part);
    output_trim(file);
  }
  return status;
}

int output_end(output_file *file, int status) {
  if (!file->file) return pipe_end(status, file->error);
  status = lavdm_file_close(file->file, status);
  file->file = NULL;
  return status;
}
