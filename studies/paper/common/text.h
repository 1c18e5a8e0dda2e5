/* Text that grows, and memory that is there or ends the program. */
#ifndef LAVDM_EXPERIMENTS_TEXT_H
#define LAVDM_EXPERIMENTS_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  char *data; /* zero-terminated, or NULL when empty */
  size_t size, room;
} text_t;

/* Appends as printf does. */
void text_add(text_t *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(text_t *text);

/* Zeroed memory for `count` things of `size` bytes. */
void *room(int64_t count, size_t size);

/* Says why and ends the program. */
void give_up(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Writes text to a file that appears whole or not at all. */
void write_whole(const char *path, const char *data, size_t size);

#endif
