/* .obj: meshes as text: vertices, comments, lines that go on. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_check_shape(obj_read, fuzz_file(".obj", data, size), (int64_t)(size / 3) + 1);
  return 0;
}
