/*
 * Files that are only bytes: the linker puts these functions in place of those
 * of the system and of the libraries (CMakeLists.txt), and paths below /memory/
 * never reach them. No system call is made, and as the bytes are a block of the
 * heap, the address sanitizer sees a byte too far, in mapped files too.
 */
#define _POSIX_C_SOURCE 200809L
#include "memory.h"
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES = 8, OPEN = 16, FIRST = 1 << 20, NAME = 16 };

static struct {
  char path[sizeof "/memory/" + NAME];
  const uint8_t *data;
  size_t size;
} file[FILES];

static struct {
  int of; /* file number and 1, or 0 */
  size_t at;
} descriptor[OPEN];

static int find(const char *path) {
  for (int i = 0; i < FILES; i++)
    if (file[i].path[0] && !strcmp(file[i].path, path)) return i;
  return -1;
}

const char *fuzz_file(const char *ending, const uint8_t *data, size_t size) {
  char path[sizeof file->path];
  snprintf(path, sizeof path, "/memory/x%.*s", NAME - 2, ending);
  int i = find(path);
  for (int k = 0; i < 0 && k < FILES; k++)
    if (!file[k].path[0]) memcpy(file[i = k].path, path, sizeof path);
  PROMISE(i >= 0, "few kinds of file");
  isolate_inside = true; /* another process has no such files, and cannot be watched */
  file[i].data = data;
  file[i].size = size;
  for (int k = 0; k < OPEN; k++) PROMISE(!descriptor[k].of, "files are closed");
  return file[i].path;
}

bool memory_path(const char *path, memory_bytes *bytes) {
  int i = find(path);
  if (i >= 0) *bytes = (memory_bytes){file[i].data, file[i].size};
  return i >= 0;
}

bool memory_descriptor(int fd, memory_bytes *bytes) {
  int k = fd - FIRST, i = k >= 0 && k < OPEN ? descriptor[k].of - 1 : -1;
  if (i >= 0) *bytes = (memory_bytes){file[i].data, file[i].size};
  return i >= 0;
}

/* ----------------------------------------------- in place of the system */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int mode = flags & O_CREAT ? va_arg(rest, int) : 0, k = 0, i = find(path);
  va_end(rest);
  if (i < 0) return __real_open(path, flags, mode);
  while (k < OPEN && descriptor[k].of) k++;
  PROMISE(k < OPEN, "few files are open");
  descriptor[k].of = i + 1;
  descriptor[k].at = 0;
  return FIRST + k;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd) {
  memory_bytes bytes;
  if (!memory_descriptor(fd, &bytes)) return __real_close(fd);
  descriptor[fd - FIRST].of = 0;
  return 0;
}

int __real_fstat(int fd, struct stat *info);
int __wrap_fstat(int fd, struct stat *info);
int __wrap_fstat(int fd, struct stat *info) {
  memory_bytes bytes;
  if (!memory_descriptor(fd, &bytes)) return __real_fstat(fd, info);
  *info = (struct stat){.st_mode = S_IFREG | 0600, .st_size = (off_t)bytes.size, .st_nlink = 1};
  return 0;
}

int __real_stat(const char *path, struct stat *info);
int __wrap_stat(const char *path, struct stat *info);
int __wrap_stat(const char *path, struct stat *info) {
  memory_bytes bytes;
  if (!memory_path(path, &bytes)) return __real_stat(path, info);
  *info = (struct stat){.st_mode = S_IFREG | 0600, .st_size = (off_t)bytes.size, .st_nlink = 1};
  return 0;
}

ssize_t __real_pread(int fd, void *to, size_t most, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t most, off_t at) {
  memory_bytes bytes;
  if (!memory_descriptor(fd, &bytes)) return __real_pread(fd, to, most, at);
  if (at < 0) return errno = EINVAL, -1;
  size_t left = (size_t)at < bytes.size ? bytes.size - (size_t)at : 0, part = most < left ? most : left;
  if (part) memcpy(to, bytes.data + at, part);
  return (ssize_t)part;
}

ssize_t __wrap_pread64(int fd, void *to, size_t most, off_t at); /* what pread is for files of any length */
ssize_t __wrap_pread64(int fd, void *to, size_t most, off_t at) {
  return __wrap_pread(fd, to, most, at);
}

ssize_t __real_read(int fd, void *to, size_t most);
ssize_t __wrap_read(int fd, void *to, size_t most) {
  memory_bytes bytes;
  if (!memory_descriptor(fd, &bytes)) return __real_read(fd, to, most);
  ssize_t got = __wrap_pread(fd, to, most, (off_t)descriptor[fd - FIRST].at);
  descriptor[fd - FIRST].at += (size_t)got;
  return got;
}

off_t __real_lseek(int fd, off_t by, int from);
off_t __wrap_lseek(int fd, off_t by, int from) {
  memory_bytes bytes;
  if (!memory_descriptor(fd, &bytes)) return __real_lseek(fd, by, from);
  size_t *at = &descriptor[fd - FIRST].at;
  off_t base = from == SEEK_SET ? 0 : from == SEEK_CUR ? (off_t)*at : (off_t)bytes.size, to;
  if (__builtin_add_overflow(base, by, &to) || to < 0) return errno = EINVAL, (off_t)-1;
  *at = (size_t)to;
  return to;
}

/* --------------------------------------------------------------- mapping */

void *__real_mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t from);
void *__wrap_mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t from);
int __real_munmap(void *map, size_t bytes);
int __wrap_munmap(void *map, size_t bytes);
int __real_madvise(void *map, size_t bytes, int advice);
int __wrap_madvise(void *map, size_t bytes, int advice);

enum { PAGE = 4096, MAPS = 4 };

static struct {
  char *copy;
  size_t bytes;
} map_of[MAPS];

static int map_with(const void *address) {
  const char *at = address;
  for (int i = 0; i < MAPS; i++)
    if (map_of[i].copy && at >= map_of[i].copy && at < map_of[i].copy + map_of[i].bytes) return i;
  return -1;
}

void *__wrap_mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t from) {
  bool file_of_bytes = fd >= 0 && (flags & MAP_PRIVATE) && !where && from == 0 && bytes;
  void *copy;
  int i = 0;
  while (i < MAPS && map_of[i].copy) i++;
  if (!file_of_bytes || i == MAPS || posix_memalign(&copy, PAGE, bytes))
    return __real_mmap(where, bytes, protection, flags, fd, from);
  PROMISE(__wrap_pread(fd, copy, bytes, 0) == (ssize_t)bytes, "a file is as long as it was");
  map_of[i].copy = copy;
  map_of[i].bytes = bytes;
  return copy;
}

int __wrap_munmap(void *map, size_t bytes) {
  int i = map_with(map);
  if (i < 0) return __real_munmap(map, bytes);
  free(map_of[i].copy);
  map_of[i].copy = NULL;
  return 0;
}

int __wrap_madvise(void *map, size_t bytes, int advice) {
  return map_with(map) >= 0 ? 0 : __real_madvise(map, bytes, advice);
}
