/* .off: meshes as text, with colours and normals. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_check_shape(off_read, fuzz_file(".off", data, size), (int64_t)(size / 5) + 1);
  return 0;
}
