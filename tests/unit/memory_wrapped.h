/* malloc, calloc, realloc and free as the linker wraps them (tests/CMakeLists.txt), which keep count of what
 * was not given back; whoever includes this says before, by fails(), which of them have none. */
#ifndef LAVDM_TESTS_MEMORY_WRAPPED_H
#define LAVDM_TESTS_MEMORY_WRAPPED_H

#include "live.h"

#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *block);

void *__wrap_malloc(size_t size) {
  void *block = fails() ? NULL : __real_malloc(size);
  live_add(block);
  return block;
}

void *__wrap_calloc(size_t count, size_t size) {
  void *block = fails() ? NULL : __real_calloc(count, size);
  live_add(block);
  return block;
}

/* The address of `old` may be another thread's as soon as it is given back: it is dropped before. */
void *__wrap_realloc(void *old, size_t size) {
  if (fails()) return NULL;
  bool known = live_drop(old);
  void *block = __real_realloc(old, size);
  if (block)
    live_add(block);
  else if (known)
    live_add(old);
  return block;
}

void __wrap_free(void *block) {
  live_drop(block);
  __real_free(block);
}

#endif
