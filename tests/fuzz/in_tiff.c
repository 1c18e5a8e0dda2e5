/* libtiff reads files of fuzz_file from memory. */
#define _POSIX_C_SOURCE 200809L
#include "memory.h"

#include <stdio.h>
#include <tiffio.h>
#include <unistd.h>

static int number(thandle_t handle) {
  return (int)(intptr_t)handle;
}

static tmsize_t get(thandle_t handle, void *to, tmsize_t most) {
  return most < 0 ? -1 : __wrap_read(number(handle), to, (size_t)most);
}

static tmsize_t put(thandle_t handle, void *from, tmsize_t most) {
  (void)handle, (void)from, (void)most;
  return -1;
}

static toff_t seek(thandle_t handle, toff_t by, int from) {
  return (toff_t)__wrap_lseek(number(handle), (off_t)by, from);
}

static int shut(thandle_t handle) {
  return close(number(handle));
}

static toff_t length(thandle_t handle) {
  memory_bytes bytes = {0};
  memory_descriptor(number(handle), &bytes);
  return bytes.size;
}

TIFF *__real_TIFFFdOpen(int fd, const char *name, const char *mode);
TIFF *__wrap_TIFFFdOpen(int fd, const char *name, const char *mode);
TIFF *__wrap_TIFFFdOpen(int fd, const char *name, const char *mode) {
  memory_bytes bytes;
  if (!memory_descriptor(fd, &bytes)) return __real_TIFFFdOpen(fd, name, mode);
  return TIFFClientOpen(name, mode, (thandle_t)(intptr_t)fd, get, put, seek, shut, length, NULL, NULL);
}
