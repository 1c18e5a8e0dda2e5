#define _POSIX_C_SOURCE 200809L
#include "io/csv.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool blank(char c) {
  return c == ' ' || c == '\t';
}

static bool line_end(char c) {
  return c == '\n' || c == '\r';
}

/* ------------------------------------------------------------------ rows */

/* Past the end of a line: \n, \r\n or \r. */
static const char *pass_end(const char *s, const char *end) {
  if (s == end) return s;
  return s + (end - s > 1 && s[0] == '\r' && s[1] == '\n' ? 2 : 1);
}

/* The quote that closes the one at s, or NULL. */
static const char *closing(const char *s, const char *end) {
  for (s++; s < end; s++) {
    if (*s != '"') continue;
    if (s + 1 == end || s[1] != '"') return s;
    s++;
  }
  return NULL;
}

/* Whether a cell may begin behind this character; without a separator, behind any. */
static bool separates(const csv_text *t, char c) {
  if (!t->separator) return c == ',' || c == ';' || blank(c);
  return t->separator == ' ' ? blank(c) : c == t->separator;
}

/* The end of the row that begins at s, beyond new lines in quotes. A quote that is
 * never closed is a character like others, and so are all behind it. */
static const char *row_end(csv_text *t, const char *s) {
  bool begins = true;
  for (; s < t->end && !line_end(*s); s++) {
    const char *close = begins && *s == '"' && t->quotes ? closing(s, t->end) : NULL;
    if (begins && *s == '"' && !close) t->quotes = false;
    if (close) {
      for (const char *c = s; c < close; c = line_end(*c) ? pass_end(c, close) : c + 1)
        t->next += line_end(*c);
      s = close;
    }
    begins = separates(t, *s) || (begins && blank(*s));
  }
  return s;
}

bool csv_next(csv_text *t) {
  while (t->at < t->end) {
    const char *s = t->start = t->at;
    t->line = t->next;
    while (s < t->end && blank(*s)) s++;
    bool counts = s < t->end && !line_end(*s) && *s != '#';
    if (counts && t->quotes)
      s = row_end(t, t->start);
    else
      while (s < t->end && !line_end(*s)) s++;
    t->stop = s;
    t->at = pass_end(s, t->end);
    t->next++;
    if (counts) return true;
  }
  return false;
}

/* ----------------------------------------------------------------- cells */

bool csv_cell(const csv_text *t, const char **at, const char **from, const char **to) {
  const char *s = *at, *e, *stop = t->stop;
  const char separator = t->separator;
  while (s < stop && blank(*s) && (separator == ' ' || *s != separator)) s++;
  const char *close = s < stop && *s == '"' ? closing(s, stop) : NULL;
  e = close ? close : s;
  while (e < stop && (separator == ' ' ? !blank(*e) : *e != separator)) e++;
  *from = s;
  *to = e;
  while (*to > s && blank((*to)[-1])) (*to)--;
  bool quoted = close && *to == close + 1;
  if (quoted) {
    ++*from;
    --*to;
    while (*from < *to && blank(**from)) ++*from;
    while (*to > *from && blank((*to)[-1])) --*to;
  }
  if (separator == ' ')
    while (e < stop && blank(*e)) e++;
  *at = e == stop ? NULL : separator == ' ' ? e : e + 1;
  return quoted;
}

int64_t csv_count(const csv_text *t) {
  const char *at = t->start, *from, *to;
  int64_t count = 0;
  while (at) {
    csv_cell(t, &at, &from, &to);
    count++;
  }
  return count;
}

bool csv_is_header(const csv_text *t) {
  const char *at = t->start, *from, *to;
  bool text = false;
  while (at) {
    int64_t integer;
    double real;
    csv_cell(t, &at, &from, &to);
    cell_kind kind = decimal_parse(from, to, &integer, &real);
    if (kind == CELL_INTEGER || kind == CELL_REAL) return false;
    text |= kind == CELL_TEXT;
  }
  return text;
}

int csv_ragged(const csv_text *t, int64_t found, int64_t wanted) {
  return io_fail(t->error, LAVDM_ERROR_DATA, t->path,
                 "line %lld, column %lld: the row has %lld cell%s where the lines before it have %lld",
                 (long long)t->line, (long long)(found < wanted ? found + 1 : wanted + 1), (long long)found,
                 found == 1 ? "" : "s", (long long)wanted);
}

/* ------------------------------------------------------------- separator */

/* What a row has between its cells, as far as it can tell. */
typedef struct {
  int64_t commas, semicolons, tabs;
  bool inner; /* blanks, not beside tabs */
} marks;

static marks marks_of(const char *start, const char *stop) {
  marks m = {0};
  while (start < stop && *start == ' ') start++;
  while (start < stop && stop[-1] == ' ') stop--;
  for (const char *s = start; s < stop; s++) {
    const char *close = *s == '"' ? closing(s, stop) : NULL;
    if (close) s = close;
    m.commas += *s == ',';
    m.semicolons += *s == ';';
    m.tabs += *s == '\t';
    m.inner |= *s == ' ' && s[-1] != ' ' && s[-1] != '\t' && s[1] != '\t';
  }
  return m;
}

static char separator_of(marks m) {
  return m.semicolons ? ';' : m.commas ? ',' : m.tabs && !m.inner ? '\t' : ' ';
}

/* From the second row, which cannot be a header, or else from the first. As many tabs in
 * both, or semicolons, count before commas, which may be decimal ones or part of names. */
static char find_separator(csv_text *t) {
  if (!csv_next(t)) return ' ';
  marks one = marks_of(t->start, t->stop);
  if (!csv_next(t)) return separator_of(one);
  marks two = marks_of(t->start, t->stop);
  if (two.tabs && one.tabs == two.tabs && two.commas && !two.semicolons && two.commas != one.commas)
    return '\t';
  char found = separator_of(two);
  return found == ' ' ? separator_of(one) : found;
}

/* ------------------------------------------------------------------ text */

void csv_rewind(csv_text *t) {
  t->at = t->first;
  t->line = t->next = 1;
  t->quotes = memchr(t->first, '"', (size_t)(t->end - t->first)) != NULL;
}

static bool is_packed(const char *path) {
  size_t length = strlen(path);
  return length > 3 && !strcasecmp(path + length - 3, ".gz");
}

int csv_open(const char *path, csv_text *t, lavdm_error *error) {
  int64_t length;
  *t = (csv_text){.path = path, .error = error};
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!plain) return io_memory(error, path, 0);
  t->plain = plain;
  t->before = uselocale(plain);
  int status =
      is_packed(path) ? gz_load(path, &t->text, &length, error) : file_load(path, &t->text, &length, error);
  if (status < 0) return status;
  t->first = t->text;
  t->end = t->text + length;
  if (length >= 3 && memcmp(t->first, "\xEF\xBB\xBF", 3) == 0) t->first += 3;
  if (t->end - t->first >= 2 &&
      (memcmp(t->first, "\xFF\xFE", 2) == 0 || memcmp(t->first, "\xFE\xFF", 2) == 0))
    return io_fail(error, LAVDM_ERROR_DATA, path, "is UTF-16 text; save it as UTF-8 or plain ASCII");
  csv_rewind(t);
  t->separator = find_separator(t);
  csv_rewind(t);
  return LAVDM_OK;
}

void csv_close(csv_text *t) {
  if (t->plain) {
    uselocale(t->before);
    freelocale(t->plain);
  }
  free(t->text);
  *t = (csv_text){0};
}
