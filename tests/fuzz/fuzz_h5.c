/*
 * HDF5 files by way of libhdf5, here without the child process in which they are
 * otherwise read. A crash inside libhdf5 is the library's; all that
 * the command's own reader does there is checked.
 */
#include "containers.h"

const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return FUZZ_ASAN HDF5_ASAN;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return hdf5_mutate(data, size, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  check_container(h5_read, fuzz_file(".h5", data, size));
  return 0;
}
