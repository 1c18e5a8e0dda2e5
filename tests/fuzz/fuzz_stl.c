/* .stl: triangles as text or bytes; corners that are equal. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_check_shape(stl_read, fuzz_file(".stl", data, size), (int64_t)(size / 6) + 1);
  return 0;
}
