/*
 * TIFF files, here without the child process in which they are otherwise read:
 * what a page is said to be, and its values, page by page.
 */
#include "fuzz.h"
#include "mutate.h"
#include "io/tiff.h"

#include <stdlib.h>

enum { MOST = 4096, PAGES = 8, VALUES = 1 << 21 };

static int read_first(const char *path, picture_t *out, lavdm_error *error) {
  tiff_file t = {.path = path, .error = error};
  int status = tiff_begin(&t);
  if (status >= 0 && picture_count(&t.page) > VALUES) status = io_memory(error, path, 0);
  if (status >= 0) {
    *out = t.page;
    status = picture_allocate(out, path, error);
  }
  if (status >= 0) status = tiff_decode(&t, out->value);
  for (int i = 0; i < PAGES && status >= 0; i++) {
    int next = tiff_next(&t);
    if (next != 1) break;
    PROMISE(picture_count(&t.page) == picture_count(out), "pages are of one kind");
    status = tiff_decode(&t, out->value);
  }
  tiff_end(&t);
  return status;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return tiff_mutate(data, size, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size <= MOST) fuzz_check_picture(read_first, fuzz_file(".tif", data, size));
  return 0;
}
