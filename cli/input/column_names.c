/* Columns by name and by number, and what is said of them. */
#include "input/columns.h"
#include "base/command.h"
#include "io/sentence.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------- notes */

void note(column_notes *notes, const char *format, ...) {
  char line[512];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line - 1, format, list);
  va_end(list);
  size_t length = strlen(line);
  char *text = realloc(notes->text, notes->used + length + 2);
  notes->failed |= !text;
  if (!text) return;
  memcpy(text + notes->used, line, length);
  memcpy(text + notes->used + length, "\n", 2);
  notes->text = text;
  notes->used += length + 1;
}

void notes_free(column_notes *notes) {
  free(notes->text);
  *notes = (column_notes){0};
}

const char *column_text(const io_table *t, int64_t column, char text[COLUMN_TEXT]) {
  const char *name = t->column[column].name;
  if (name && *name)
    snprintf(text, COLUMN_TEXT, "column %" PRId64 " '%.*s'", column + 1, text_cut(name, 60), name);
  else
    snprintf(text, COLUMN_TEXT, "column %" PRId64, column + 1);
  return text;
}

const char *column_word(const io_table *t, int64_t column, char text[COLUMN_TEXT]) {
  const char *name = t->column[column].name;
  if (name && *name && strlen(name) < 60 && !strpbrk(name, ", '\"$&;()<>|*"))
    snprintf(text, COLUMN_TEXT, "%s", name);
  else
    snprintf(text, COLUMN_TEXT, "%" PRId64, column + 1);
  return text;
}

/* ---------------------------------------------------------------- naming */

static int fail_name(const io_table *t, const char *option, const char *word, int length,
                     lavdm_error *error) {
  char plain[64];
  if (!t->columns || !t->column[0].name)
    return refuse(error, STATUS_USAGE,
                  "%s: '%.*s' is no column of %.200s, which has no header: its columns are 1 to %" PRId64,
                  option, length, word, t->path, t->columns);
  const char **names = calloc((size_t)t->columns + 1, sizeof *names);
  for (int64_t j = 0; j < t->columns && names; j++) names[j] = t->column[j].name;
  snprintf(plain, sizeof plain, "%.*s", length < 40 ? length : 40, word);
  const char *near = names ? nearest_name(plain, names) : NULL;
  char list[160] = "";
  for (int64_t j = 0; j < t->columns; j++) {
    size_t used = strlen(list);
    const char *name = t->column[j].name;
    if (used + strlen(name) + 8 > sizeof list) {
      memcpy(list + used, ", ...", 6);
      break;
    }
    snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", name);
  }
  free(names);
  return refuse(error, STATUS_USAGE, "%s: %.200s has no column '%.*s'%s%.60s%s; it has %s", option, t->path,
                length, word, near ? " (did you mean '" : "", near ? shown(near) : "", near ? "'?)" : "",
                shown(list));
}

int64_t column_named(const io_table *t, const char *word, int length) {
  int64_t found = -1;
  for (int64_t j = 0; j < t->columns; j++) {
    const char *name = t->column[j].name;
    if (name && (int)strlen(name) == length && !strncmp(name, word, (size_t)length))
      found = found == -1 ? j : -2;
  }
  return found;
}

int columns_of(const io_table *t, const char *option, const char *word, int length, int64_t *first,
               int64_t *last, lavdm_error *error) {
  int used = 0;
  long long from = 0, to = 0;
  *first = *last = column_named(t, word, length);
  if (*first >= 0) return LAVDM_OK;
  if (*first == -2)
    return refuse(error, STATUS_USAGE, "%s: two columns of %.200s are called '%.*s'; give its number", option,
                  t->path, length, word);
  char plain[48];
  snprintf(plain, sizeof plain, "%.*s", length < 40 ? length : 40, word);
  bool digits = length < 40 && plain[0] >= '0' && plain[0] <= '9';
  if (digits && sscanf(plain, "%18lld%n", &from, &used) == 1 && used == length)
    to = from;
  else if (!digits || sscanf(plain, "%18lld-%18lld%n", &from, &to, &used) != 2 || used != length)
    return fail_name(t, option, word, length, error);
  if (from < 1 || to < from || to > t->columns)
    return refuse(error, STATUS_USAGE, "%s is %s, but the columns of %.200s are numbered from 1 to %" PRId64,
                  option, plain, t->path, t->columns);
  *first = from - 1;
  *last = to - 1;
  return LAVDM_OK;
}
