/* .pcd: clouds of points as text, bytes, and compressed. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_check_shape(pcd_read, fuzz_file(".pcd", data, size), (int64_t)(88 * size / 3) + 1);
  return 0;
}
