#define _POSIX_C_SOURCE 200809L
#include "base/memory.h"

#include "base/address.h"
#include "base/cgroup.h"
#include "lavdm.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *mem_new(int64_t count, size_t size) {
  if (count < 0 || (size && (uint64_t)count > PTRDIFF_MAX / size)) return NULL;
  return calloc(count ? (size_t)count : 1, size ? size : 1);
}

void *mem_resize(void *old, int64_t count, size_t size) {
  if (count < 0 || (size && (uint64_t)count > PTRDIFF_MAX / size)) return NULL;
  size_t bytes = (size_t)count * size;
  return realloc(old, bytes ? bytes : 1);
}

void mem_free(void *block) {
  free(block);
}

void *buffer_room(buffer_t *buffer, int64_t count, size_t size) {
  if (buffer->data && count <= buffer->count) return buffer->data;
  mem_free(buffer->data);
  buffer->data = mem_new(count, size);
  buffer->count = buffer->data ? count : 0;
  return buffer->data;
}

static int64_t machine_available(void) {
  FILE *file = fopen("/proc/meminfo", "r");
  if (file) {
    char line[128];
    long long kib;
    while (fgets(line, sizeof line, file))
      if (sscanf(line, "MemAvailable: %lld kB", &kib) == 1) {
        fclose(file);
        return (int64_t)kib * 1024;
      }
    fclose(file);
  }
  return (int64_t)sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE);
}

int64_t mem_available(void) {
  int64_t bytes = machine_available(), group = cgroup_free("/proc/self/cgroup", "/sys/fs/cgroup");
  if (group < bytes) bytes = group;
  if (address_limited() && address_left() < (double)bytes) bytes = (int64_t)address_left();
  return bytes;
}

int64_t lavdm_available(void) {
  return mem_available();
}
