/* .xyz: points as text, and molecules. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_check_shape(xyz_read, fuzz_file(".xyz", data, size), (int64_t)(size / 5) + 1);
  return 0;
}
