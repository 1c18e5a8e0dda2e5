/* malloc, calloc and realloc as the linker wraps them (tests/CMakeLists.txt); whoever includes this says
 * before, by fails(), which of them have none. */
#ifndef LAVDM_TESTS_MEMORY_WRAPPED_H
#define LAVDM_TESTS_MEMORY_WRAPPED_H

#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size) {
  return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
  return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size) {
  return fails() ? NULL : __real_realloc(old, size);
}

#endif
