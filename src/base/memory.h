/* The only place where the library allocates. Zeroed, overflow-checked. */
#ifndef LAVDM_BASE_MEMORY_H
#define LAVDM_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* count * size zeroed bytes, or NULL. A count of 0 gives a pointer to free. */
void *mem_new(int64_t count, size_t size);

/* Grows (or shrinks) to count * size bytes; new bytes are not zeroed. On
 * failure returns NULL and `old` stays valid. */
void *mem_resize(void *old, int64_t count, size_t size);

/* Accepts NULL. */
void mem_free(void *block);

/* Bytes that this process could still get: of the machine, of its control group, within its limits. */
int64_t mem_available(void);

/* A buffer that only grows: room for `count` of `size` bytes (count 0 included),
 * whose old content is lost when it grows; NULL if out of memory. Zero it before use. */
typedef struct {
  void *data;
  int64_t count;
} buffer_t;

void *buffer_room(buffer_t *buffer, int64_t count, size_t size);

#define NEW(type, count)            ((type *)mem_new((count), sizeof(type)))
#define BUFFER(type, buffer, count) ((type *)buffer_room((buffer), (count), sizeof(type)))
#define RESIZE(type, block, count)  ((type *)mem_resize((block), (count), sizeof(type)))

#endif
