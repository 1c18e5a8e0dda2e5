/*
 * libhdf5 opens files of fuzz_file from memory. What a reader leaves open, as the
 * child may in which it otherwise runs, hdf5_settle closes.
 */
#include "memory.h"
#include "fuzz.h"

#include <hdf5.h>

static hid_t opened = -1;

void hdf5_settle(void) {
  if (opened >= 0) H5Fclose(opened);
  opened = -1;
}

hid_t __real_H5Fopen(const char *path, unsigned flags, hid_t access);
hid_t __wrap_H5Fopen(const char *path, unsigned flags, hid_t access);
hid_t __wrap_H5Fopen(const char *path, unsigned flags, hid_t access) {
  static hid_t memory = -1;
  memory_bytes bytes;
  if (!memory_path(path, &bytes)) return __real_H5Fopen(path, flags, access);
  if (memory < 0) {
    memory = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(memory, 1 << 16, 0);
    H5Pset_fclose_degree(memory, H5F_CLOSE_STRONG);
  }
  if (!bytes.size || H5Pset_file_image(memory, (void *)(uintptr_t)bytes.data, bytes.size) < 0) return -1;
  opened = __real_H5Fopen(path, flags, memory);
  return opened;
}
