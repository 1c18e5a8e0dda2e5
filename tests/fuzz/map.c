/*
 * Mapped files as plain memory, where the address sanitizer sees a byte too
 * far: the linker puts these in place of mmap, munmap and madvise.
 */
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *__real_mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t from);
void *__wrap_mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t from);
int __real_munmap(void *map, size_t bytes);
int __wrap_munmap(void *map, size_t bytes);
int __real_madvise(void *map, size_t bytes, int advice);
int __wrap_madvise(void *map, size_t bytes, int advice);

enum { PAGE = 4096 };

static void *copy; /* of the one file that is mapped */

void *__wrap_mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t from) {
  bool file = fd >= 0 && (flags & MAP_PRIVATE) && !where && !copy && from == 0;
  if (!file || posix_memalign(&copy, PAGE, bytes))
    return __real_mmap(where, bytes, protection, flags, fd, from);
  PROMISE(pread(fd, copy, bytes, 0) == (ssize_t)bytes, "a file is as long as it was");
  return copy;
}

int __wrap_munmap(void *map, size_t bytes) {
  if (!map || map != copy) return __real_munmap(map, bytes);
  free(copy);
  copy = NULL;
  return 0;
}

int __wrap_madvise(void *map, size_t bytes, int advice) {
  return map && map == copy ? 0 : __real_madvise(map, bytes, advice);
}
