/* .npz files. */
#include "containers.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return zip_mutate(data, size, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  check_container(npz_read, fuzz_file(".npz", data, size));
  return 0;
}
