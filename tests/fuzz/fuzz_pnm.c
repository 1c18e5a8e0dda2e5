/* PGM and PPM files. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_check_picture(pnm_read, fuzz_file(".pnm", data, size));
  return 0;
}
