/* libhdf5 opens files of fuzz_file from memory. */
#include "memory.h"

#include <hdf5.h>

hid_t __real_H5Fopen(const char *path, unsigned flags, hid_t access);
hid_t __wrap_H5Fopen(const char *path, unsigned flags, hid_t access);
hid_t __wrap_H5Fopen(const char *path, unsigned flags, hid_t access) {
  memory_bytes bytes;
  if (!memory_path(path, &bytes)) return __real_H5Fopen(path, flags, access);
  hid_t memory = H5Pcreate(H5P_FILE_ACCESS), file = -1;
  bool ready = bytes.size && H5Pset_fapl_core(memory, 1 << 16, 0) >= 0 &&
               H5Pset_file_image(memory, (void *)(uintptr_t)bytes.data, bytes.size) >= 0;
  if (ready) file = __real_H5Fopen(path, flags, memory);
  H5Pclose(memory);
  return file;
}
