#define _POSIX_C_SOURCE 200809L
#include "common/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void give_up(const char *format, ...) {
  va_list list;
  va_start(list, format);
  fputs("lavdm_paper: ", stderr);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
  exit(1);
}

void *room(int64_t count, size_t size) {
  void *memory = calloc(count > 0 ? (size_t)count : 1, size);
  if (!memory) give_up("out of memory");
  return memory;
}

void text_add(text_t *text, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int length = vsnprintf(NULL, 0, format, list);
  va_end(list);
  size_t need = text->size + (size_t)length + 1;
  if (need > text->room) {
    text->room = 2 * need;
    text->data = realloc(text->data, text->room);
    if (!text->data) give_up("out of memory");
  }
  va_start(list, format);
  vsnprintf(text->data + text->size, (size_t)length + 1, format, list);
  va_end(list);
  text->size += (size_t)length;
}

void text_free(text_t *text) {
  free(text->data);
  *text = (text_t){0};
}

void write_whole(const char *path, const char *data, size_t size) {
  char part[4096];
  if (snprintf(part, sizeof part, "%s.part", path) >= (int)sizeof part)
    give_up("%s: the name is too long", path);
  FILE *file = fopen(part, "wb");
  if (!file) give_up("%s: %s", part, strerror(errno));
  int bad = size && fwrite(data, 1, size, file) != size;
  bad |= fflush(file) || fsync(fileno(file));
  bad |= fclose(file) != 0;
  if (bad || rename(part, path)) give_up("%s: could not be written", path);
}
