/* .las: records of points behind a header. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_check_shape(las_read, fuzz_file(".las", data, size), (int64_t)(size / 20) + 1);
  return 0;
}
