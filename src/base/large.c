#define _GNU_SOURCE
#include "base/large.h"

#include "base/memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Stands before every array; the array begins on a page of its own in a file. */
typedef struct {
  large_link link; /* first: a link is its header */
  size_t bytes;    /* of the mapping; 0 for memory of mem_new */
  void *block;
} header_t;

enum {
  HEADER = 64,    /* keeps arrays in memory on a cache line */
  WORTH = 4 << 20 /* bytes from which an array goes to a file */
};
_Static_assert(sizeof(header_t) <= HEADER, "the header fits");

static header_t *header_of(void *array) {
  return (header_t *)(void *)((char *)array - HEADER);
}

void large_start(large_t *large, bool files) {
  large->files = files;
  large->ring.next = large->ring.before = &large->ring;
}

static void unlink_array(header_t *h) {
  h->link.next->before = h->link.before;
  h->link.before->next = h->link.next;
  h->link.next = h->link.before = &h->link;
}

void large_end(large_t *large) {
  while (large->ring.next && large->ring.next != &large->ring)
    unlink_array((header_t *)(void *)large->ring.next);
}

const char *large_folder(void) {
  const char *folder = getenv("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

int64_t large_free_space(void) {
  struct statvfs space;
  if (statvfs(large_folder(), &space)) return 0;
  return (int64_t)space.f_bavail * (int64_t)space.f_frsize;
}

/* A file that is gone as soon as it is closed, with room for `bytes`: a disk that
 * is full must be noticed here, not while a mapping is written. */
static int nameless_file(size_t bytes) {
  char name[4096];
  int fd = open(large_folder(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) { /* not every file system has files that never had a name */
    if (snprintf(name, sizeof name, "%s/lavdm-XXXXXX", large_folder()) >= (int)sizeof name) return -1;
    fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0) return -1;
    unlink(name);
  }
  if (!posix_fallocate(fd, 0, (off_t)bytes)) return fd;
  close(fd);
  return -1;
}

static void *file_array(large_t *large, size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), length = (bytes + 2 * page - 1) / page * page;
  int fd = nameless_file(length);
  if (fd < 0) return NULL;
  char *block = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (block == MAP_FAILED) return NULL;
  header_t *h = header_of(block + page);
  *h = (header_t){.bytes = length, .block = block};
  h->link.next = &large->ring;
  h->link.before = large->ring.before;
  h->link.before->next = h->link.next->before = &h->link;
  return block + page;
}

void *large_new(large_t *large, int64_t count, size_t size) {
  if (count < 0 || (size && (uint64_t)count > PTRDIFF_MAX / 2 / size)) return NULL;
  size_t bytes = (size_t)count * size;
  if (large->files && bytes >= WORTH) return file_array(large, bytes);
  char *block = mem_new((int64_t)bytes + 2 * HEADER, 1);
  if (!block) return NULL;
  char *array = (char *)(((uintptr_t)block + 2 * HEADER - 1) / HEADER * HEADER);
  header_t *h = header_of(array);
  *h = (header_t){.link = {&h->link, &h->link}, .block = block};
  return array;
}

void large_free(void *array) {
  if (!array) return;
  header_t *h = header_of(array);
  unlink_array(h);
  if (h->bytes)
    munmap(h->block, h->bytes);
  else
    mem_free(h->block);
}

/* All pages but the first, which holds the header. */
static void trim(header_t *h) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (h->bytes) madvise((char *)h->block + page, h->bytes - page, MADV_DONTNEED);
}

void large_trim(void *array) {
  if (array) trim(header_of(array));
}

void large_trim_all(large_t *large) {
  for (large_link *l = large->ring.next; l != &large->ring; l = l->next) trim((header_t *)(void *)l);
}

int64_t memory_resident(void) {
  FILE *file = fopen("/proc/self/statm", "r");
  long long size, resident = 0;
  if (!file) return 0;
  if (fscanf(file, "%lld %lld", &size, &resident) != 2) resident = 0;
  fclose(file);
  return (int64_t)resident * sysconf(_SC_PAGESIZE);
}
