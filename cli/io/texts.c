/* Texts of rows: counted, compared, dropped. */
#include "io/table.h"
#include "io/formats.h"

#include <stdlib.h>
#include <string.h>

void io_texts_free(io_texts *t) {
  free(t->text);
  *t = (io_texts){0};
}

const char *io_texts_next(const char **at, int64_t *bytes) {
  const char *begin = *at, *end = strchr(begin, '\n');
  *bytes = end ? end - begin : (int64_t)strlen(begin);
  *at = end ? end + 1 : begin + *bytes;
  return begin;
}

typedef struct {
  const char *text;
  int64_t bytes;
} span;

static int by_text(const void *a, const void *b) {
  const span *x = a, *y = b;
  int order = memcmp(x->text, y->text, (size_t)(x->bytes < y->bytes ? x->bytes : y->bytes));
  return order ? order : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

int64_t io_texts_distinct(const io_texts *t) {
  span *all = calloc(t->count > 0 ? (size_t)t->count : 1, sizeof *all);
  if (!all) return -1;
  const char *at = t->text;
  for (int64_t i = 0; i < t->count; i++) all[i].text = io_texts_next(&at, &all[i].bytes);
  qsort(all, (size_t)t->count, sizeof *all, by_text);
  int64_t found = t->count > 0;
  for (int64_t i = 1; i < t->count; i++) found += by_text(&all[i - 1], &all[i]) != 0;
  free(all);
  return found;
}

void io_texts_keep(io_texts *t, const bool *keep) {
  const char *at = t->text;
  int64_t used = 0, kept = 0;
  for (int64_t i = 0; i < t->count && t->text; i++) {
    int64_t bytes;
    const char *text = io_texts_next(&at, &bytes);
    if (!keep[i]) continue;
    if (kept++) t->text[used++] = '\n';
    memmove(t->text + used, text, (size_t)bytes);
    used += bytes;
  }
  if (t->text) t->text[used] = 0;
  t->bytes = used;
  t->count = kept;
}

int io_read_texts(const char *path, const char *name, io_texts *out, lavdm_error *error) {
  io_list list = {0};
  *out = (io_texts){0};
  int status = h5_read(path, name, true, &list, error);
  if (status >= 0 && list.count == 1 && list.array[0].type == IO_TEXT) {
    *out = (io_texts){.count = 1, .bytes = list.array[0].shape[0], .text = list.array[0].data};
    list.array[0].data = NULL;
    for (const char *at = out->text; (at = strchr(at, '\n')); at++) out->count++;
  }
  list_free(&list);
  if (status == IO_NOT_FOUND) return LAVDM_OK;
  return io_settled(status, error);
}
