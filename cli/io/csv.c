/*
 * Tables of numbers as text: lines of cells between commas, semicolons, tabs or
 * blanks. Blank lines and lines that start with # do not count; the first line
 * that does is a header if no cell of it is a number.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/formats.h"
#include "io/room.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef union {
  double real;
  int64_t integer;
} csv_value;

typedef struct {
  const char *path;
  char *text;
  const char *at, *end;     /* what is left to read */
  int64_t line;             /* of the file, from 1 */
  const char *start, *stop; /* the line under way */
  char separator;           /* ' ' stands for any run of blanks */
  int64_t columns, rows, room;
  csv_value *value;
  io_type type;
  lavdm_error *error;
} csv_table;

static bool blank(char c) {
  return c == ' ' || c == '\t';
}

/* The next line that counts; ends at \n, \r\n or \r. */
static bool next_line(csv_table *t) {
  while (t->at < t->end) {
    t->start = t->at;
    while (t->at < t->end && *t->at != '\n' && *t->at != '\r') t->at++;
    t->stop = t->at;
    if (t->at < t->end) t->at += t->at + 1 < t->end && t->at[0] == '\r' && t->at[1] == '\n' ? 2 : 1;
    t->line++;
    const char *s = t->start;
    while (s < t->stop && blank(*s)) s++;
    if (s < t->stop && *s != '#') return true;
  }
  return false;
}

/* The cell at *at, without blanks and quotes around it; moves *at past its
 * separator, or to NULL after the last cell of the line. */
static void next_cell(const char **at, const char *stop, char separator, const char **from, const char **to) {
  const char *s = *at, *e;
  while (s < stop && blank(*s) && (separator == ' ' || *s != separator)) s++;
  e = s;
  if (e < stop && *e == '"')
    for (e++; e < stop && *e != '"';) e++;
  while (e < stop && (separator == ' ' ? !blank(*e) : *e != separator)) e++;
  *from = s;
  *to = e;
  while (*to > s && blank((*to)[-1])) (*to)--;
  if (*to - s >= 2 && *s == '"' && (*to)[-1] == '"') {
    ++*from;
    --*to;
    while (*from < *to && blank(**from)) ++*from;
    while (*to > *from && blank((*to)[-1])) --*to;
  }
  if (separator == ' ')
    while (e < stop && blank(*e)) e++;
  *at = e == stop ? NULL : separator == ' ' ? e : e + 1;
}

static int64_t count_cells(const char *start, const char *stop, char separator) {
  const char *at = start, *from, *to;
  int64_t count = 0;
  while (at) {
    next_cell(&at, stop, separator, &from, &to);
    count++;
  }
  return count;
}

/* What stands between the cells of a line, as far as the line can tell. */
static char separator_of(const char *start, const char *stop) {
  bool comma = false, semicolon = false, tab = false, inner = false;
  while (start < stop && *start == ' ') start++;
  while (start < stop && stop[-1] == ' ') stop--;
  for (const char *s = start; s < stop; s++) {
    if (*s == '"')
      while (s + 1 < stop && *++s != '"') continue;
    comma |= *s == ',';
    semicolon |= *s == ';';
    tab |= *s == '\t';
    inner |= *s == ' ' && s[-1] != ' ' && s[-1] != '\t' && s[1] != '\t';
  }
  return semicolon ? ';' : comma ? ',' : tab && !inner ? '\t' : ' ';
}

/* From the second line, which cannot be a header, or else from the first. */
static void find_separator(csv_table *t) {
  csv_table probe = *t;
  t->separator = ' ';
  if (!next_line(&probe)) return;
  char first = separator_of(probe.start, probe.stop);
  char second = next_line(&probe) ? separator_of(probe.start, probe.stop) : ' ';
  t->separator = second == ' ' ? first : second;
}

static bool is_header(const csv_table *t) {
  const char *at = t->start, *from, *to;
  bool text = false;
  while (at) {
    int64_t integer;
    double real;
    next_cell(&at, t->stop, t->separator, &from, &to);
    cell_kind kind = decimal_parse(from, to, &integer, &real);
    if (kind == CELL_INTEGER || kind == CELL_REAL) return false;
    text |= kind == CELL_TEXT;
  }
  return text;
}

static int fail_cell(const csv_table *t, int64_t column, const char *from, const char *to) {
  char text[SHOWN_WORD];
  shown_word(from, to, text);
  bool comma = t->separator != ',' && strchr(text, ',');
  return io_fail(t->error, LAVDM_ERROR_DATA, t->path, "line %lld, column %lld: '%s' is not a number%s",
                 (long long)t->line, (long long)column, text,
                 comma ? " (decimals need a point, not a comma)" : "");
}

static int fail_ragged(const csv_table *t, int64_t found) {
  return io_fail(t->error, LAVDM_ERROR_DATA, t->path,
                 "line %lld, column %lld: the row has %lld cell%s where the lines before it have %lld",
                 (long long)t->line, (long long)(found < t->columns ? found + 1 : t->columns + 1),
                 (long long)found, found == 1 ? "" : "s", (long long)t->columns);
}

/* Room for one more row; the first guess comes from the length of the line. */
static int make_room(csv_table *t) {
  int64_t need = (t->rows + 1) * t->columns;
  if (need <= t->room) return LAVDM_OK;
  int64_t room = t->room + t->room / 2;
  if (!t->room) room = ((t->end - t->start) / (t->stop - t->start + 1) + 1) * t->columns;
  if (room < need) room = need;
  int status = room_check(t->path, NULL, t->end - t->text, room * 8, t->error);
  if (status < 0) return status;
  csv_value *value = realloc(t->value, (size_t)room * sizeof *value);
  if (!value) return io_memory(t->error, t->path, room * 8);
  t->value = value;
  t->room = room;
  return LAVDM_OK;
}

static int read_row(csv_table *t) {
  const char *at = t->start, *from, *to;
  int status = make_room(t);
  if (status < 0) return status;
  csv_value *row = t->value + t->rows * t->columns;
  for (int64_t j = 0; j < t->columns; j++) {
    int64_t integer = 0;
    double real;
    if (!at) return fail_ragged(t, j);
    next_cell(&at, t->stop, t->separator, &from, &to);
    cell_kind kind = decimal_parse(from, to, &integer, &real);
    if (kind == CELL_TEXT) return fail_cell(t, j + 1, from, to);
    if (t->type == IO_INTEGER && kind != CELL_INTEGER) {
      t->type = IO_REAL;
      for (csv_value *v = t->value; v < row + j; v++) {
        int64_t whole = v->integer;
        v->real = (double)whole;
      }
    }
    if (t->type == IO_INTEGER)
      row[j].integer = integer;
    else
      row[j].real = real;
  }
  if (at) return fail_ragged(t, count_cells(t->start, t->stop, t->separator));
  t->rows++;
  return LAVDM_OK;
}

static int read_table(csv_table *t) {
  find_separator(t);
  bool more = next_line(t);
  if (more) t->columns = count_cells(t->start, t->stop, t->separator);
  if (more && is_header(t)) more = next_line(t);
  if (!more) return io_fail(t->error, LAVDM_ERROR_DATA, t->path, "holds no numbers");
  int status = LAVDM_OK;
  for (; more && status >= 0; more = next_line(t)) status = read_row(t);
  return status;
}

static int load(csv_table *t) {
  int64_t length;
  int status = file_load(t->path, &t->text, &length, t->error);
  if (status < 0) return status;
  t->at = t->text;
  t->end = t->text + length;
  if (length >= 3 && memcmp(t->at, "\xEF\xBB\xBF", 3) == 0) t->at += 3;
  if (t->end - t->at >= 2 && (memcmp(t->at, "\xFF\xFE", 2) == 0 || memcmp(t->at, "\xFE\xFF", 2) == 0))
    return io_fail(t->error, LAVDM_ERROR_DATA, t->path, "is UTF-16 text; save it as UTF-8 or plain ASCII");
  return LAVDM_OK;
}

int csv_read(const char *path, io_array *out, lavdm_error *error) {
  csv_table t = {.path = path, .type = IO_INTEGER, .error = error};
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!plain) return io_memory(error, path, 0);
  locale_t before = uselocale(plain);
  int status = load(&t);
  if (status >= 0) status = read_table(&t);
  uselocale(before);
  freelocale(plain);
  free(t.text);
  if (status >= 0) {
    *out = (io_array){.type = t.type, .rank = 2, .shape = {t.rows, t.columns}, .data = t.value};
    csv_value *fit = realloc(t.value, (size_t)(t.rows * t.columns) * sizeof *fit);
    if (fit) out->data = fit;
  } else {
    free(t.value);
  }
  return status;
}

static int print_cell(const io_item *item, int64_t i, char text[DECIMAL_SIZE]) {
  if (item->type == IO_REAL) return decimal_print(((const double *)item->data)[i], text);
  if (item->type == IO_SINGLE) return decimal_print_single(((const float *)item->data)[i], text);
  return snprintf(text, DECIMAL_SIZE, "%lld", (long long)((const int64_t *)item->data)[i]);
}

static int write_cells(output_file *file, const io_item *item, char separator) {
  int64_t count = item_count(item), columns = item->rank == 2 ? item->shape[1] : 1;
  const int64_t slice = OUTPUT_SLICE / type_size(item->type);
  int status = LAVDM_OK;
  for (int64_t i = 0; i < count && status >= 0; i++) {
    char text[DECIMAL_SIZE + 1];
    int length = print_cell(item, i, text);
    text[length++] = (i + 1) % columns == 0 ? '\n' : separator;
    status = output_write(file, text, (size_t)length);
    if ((i + 1) % slice == 0) output_trim(file);
  }
  return status;
}

int csv_write(output_file *file, const io_item *item, char separator) {
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!plain) return io_memory(file->error, file->path, 0);
  locale_t before = uselocale(plain);
  int status = write_cells(file, item, separator);
  uselocale(before);
  freelocale(plain);
  return status;
}
