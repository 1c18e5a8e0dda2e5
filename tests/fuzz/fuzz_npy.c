/* .npy files: whole, as floats, and row by row, which must agree. */
#include "fuzz.h"
#include "mutate.h"

#include <stdlib.h>
#include <string.h>

/* The rows are those of the array. */
static void check_rows(const char *path, const io_array *whole, int status) {
  io_rows rows;
  lavdm_error error = {0};
  int opened = io_rows_open(path, &rows, &error);
  fuzz_check_error(opened, &error);
  PROMISE(status < 0 || opened >= 0, "what can be read whole can be tried by rows");
  if (opened != 1) return;
  PROMISE(status >= 0, "what has rows can be read whole");
  PROMISE(rows.count == whole->shape[0] && rows.width >= 0, "rows have the array's shape");
  size_t bytes = (size_t)(io_array_count(whole) * type_size(whole->type));
  char *copy = malloc(bytes + 1);
  PROMISE(copy && rows.type == whole->type, "rows have the array's type");
  PROMISE(io_rows_read(&rows, 0, rows.count, copy, &error) >= 0, "rows can be read");
  PROMISE(memcmp(copy, whole->data, bytes) == 0, "rows are the array's");
  free(copy);
  io_rows_close(&rows);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return npy_mutate(data, size, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = fuzz_file(".npy", data, size);
  for (int single = 0; single < 2; single++) {
    io_array array = {0};
    lavdm_error error = {0};
    int status = npy_read(path, single, &array, &error);
    fuzz_check_error(status, &error);
    if (status >= 0) fuzz_check_array(&array);
    if (single) check_rows(path, &array, status);
    io_array_free(&array);
  }
  return 0;
}
