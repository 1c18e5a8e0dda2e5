/* What the stand-ins of memory.c and libraries.c share. */
#ifndef LAVDM_FUZZ_MEMORY_H
#define LAVDM_FUZZ_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>

typedef struct {
  const uint8_t *data;
  size_t size;
} memory_bytes;

/* Whether it is a file of fuzz_file, and then its bytes. */
bool memory_path(const char *path, memory_bytes *bytes);
bool memory_descriptor(int fd, memory_bytes *bytes);

ssize_t __wrap_pread(int fd, void *to, size_t most, off_t at);
ssize_t __wrap_read(int fd, void *to, size_t most);
off_t __wrap_lseek(int fd, off_t by, int from);

#endif
