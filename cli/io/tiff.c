#include "io/picture_formats.h"
int tiff_read(const char *path, picture_t *out, lavdm_error *error) {
  (void)out;
  return file_fail(error, LAVDM_ERROR_DATA, path, "is a TIFF file, which is not read yet");
}
int tiff_write(atomic_file *file, const picture_t *p) {
  (void)p;
  return file_fail(file->error, LAVDM_ERROR_FILE, file->path, "TIFF is not written yet");
}
