/* .obj: meshes as text: vertices, comments, lines that go on. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  io_array array = {0};
  lavdm_error error = {0};
  int status = obj_read(fuzz_file(".obj", data, size), &array, &error);
  fuzz_check_error(status, &error);
  if (status >= 0) {
    fuzz_check_array(&array);
    PROMISE(array.type == IO_REAL && array.rank == 2 && array.shape[1] == 3,
            "a vertex has three coordinates");
    PROMISE(array.shape[0] <= (int64_t)size / 3, "a vertex takes three bytes at least");
  }
  io_array_free(&array);
  return 0;
}
