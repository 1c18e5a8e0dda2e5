#define _POSIX_C_SOURCE 200809L
#include "io/formats.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

int lines_open(const char *path, text_lines *t, lavdm_error *error) {
  int64_t length;
  *t = (text_lines){.path = path, .error = error};
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!plain) return io_memory(error, path, 0);
  t->plain = plain;
  t->before = uselocale(plain);
  int status = file_load(path, &t->text, &length, error);
  if (status < 0) return status;
  t->at = t->text;
  t->end = t->text + length;
  if (length >= 3 && memcmp(t->at, "\xEF\xBB\xBF", 3) == 0) t->at += 3;
  if (t->end - t->at >= 2 && (memcmp(t->at, "\xFF\xFE", 2) == 0 || memcmp(t->at, "\xFE\xFF", 2) == 0))
    return io_fail(error, LAVDM_ERROR_DATA, path, "is UTF-16 text; save it as UTF-8 or plain ASCII");
  return LAVDM_OK;
}

void lines_close(text_lines *t) {
  if (t->plain) {
    uselocale(t->before);
    freelocale(t->plain);
  }
  free(t->text);
  *t = (text_lines){0};
}

/* The place of the byte from `at` on, or the end, unless it is known. */
static void find_next(const text_lines *t, char byte, const char **place) {
  if (*place && *place >= t->at) return;
  const char *found = memchr(t->at, byte, (size_t)(t->end - t->at));
  *place = found ? found : t->end;
}

bool lines_next(text_lines *t) {
  if (t->at == t->end) return false;
  t->start = t->at;
  find_next(t, '\n', &t->feed);
  find_next(t, '\r', &t->back);
  t->at = t->stop = t->feed < t->back ? t->feed : t->back;
  if (t->at < t->end) t->at += t->at + 1 < t->end && t->at[0] == '\r' && t->at[1] == '\n' ? 2 : 1;
  t->line++;
  return true;
}

void lines_rewind(text_lines *t, const char *at) {
  t->at = at;
  t->feed = t->back = NULL;
  t->line = 0;
}

static bool blank(char c) {
  return c == ' ' || c == '\t';
}

bool next_word(const char **at, const char *stop, const char **from, const char **to) {
  while (*at < stop && blank(**at)) ++*at;
  *from = *at;
  while (*at < stop && !blank(**at)) ++*at;
  *to = *at;
  return *from < *to;
}

bool lines_next_row(text_lines *t) {
  const char *from, *to;
  while (lines_next(t)) {
    const char *at = t->start;
    if (next_word(&at, t->stop, &from, &to)) return true;
  }
  return false;
}

bool word_is(const char *from, const char *to, const char *word) {
  return (size_t)(to - from) == strlen(word) && memcmp(from, word, strlen(word)) == 0;
}

void shown_word(const char *from, const char *to, char text[SHOWN_WORD]) {
  int64_t most = SHOWN_WORD - 4, length = to - from > most ? most : to - from;
  bool cut = length < to - from;
  while (cut && length > 0 && ((unsigned char)from[length] & 0xC0) == 0x80) length--; /* within UTF-8 */
  memcpy(text, from, (size_t)length);
  memcpy(text + length, cut ? "..." : "", cut ? 4 : 1);
}

int lines_number(const text_lines *t, const char *from, const char *to, double *number) {
  int64_t integer;
  char text[SHOWN_WORD];
  cell_kind kind = decimal_parse(from, to, &integer, number);
  if (kind == CELL_INTEGER || kind == CELL_REAL) return LAVDM_OK;
  shown_word(from, to, text);
  return io_fail(t->error, LAVDM_ERROR_DATA, t->path, "line %lld: '%s' is not a number%s", (long long)t->line,
                 text, memchr(from, ',', (size_t)(to - from)) ? " (decimals need a point, not a comma)" : "");
}
