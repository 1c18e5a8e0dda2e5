/*
 * Tables of numbers alone as text (csv.h): the first row is a header if no cell of it
 * is a number.
 */
#include "io/csv.h"
#include "io/room.h"

#include <stdlib.h>
#include <string.h>

typedef union {
  double real;
  int64_t integer;
} csv_value;

typedef struct {
  csv_text text;
  int64_t columns, rows, room;
  csv_value *value;
  io_type type;
} csv_table;

static int fail_cell(const csv_table *t, int64_t column, const char *from, const char *to) {
  char text[SHOWN_WORD];
  shown_word(from, to, text);
  bool comma = t->text.separator != ',' && strchr(text, ',');
  return io_fail(t->text.error, LAVDM_ERROR_DATA, t->text.path,
                 "line %lld, column %lld: '%s' is not a number%s", (long long)t->text.line, (long long)column,
                 text, comma ? " (decimals need a point, not a comma)" : "");
}

/* Room for one more row; the first guess comes from the length of the line. */
static int make_room(csv_table *t) {
  int64_t need = (t->rows + 1) * t->columns;
  if (need <= t->room) return LAVDM_OK;
  int64_t room = t->room + t->room / 2;
  if (!t->room) {
    const csv_text *x = &t->text;
    room = ((x->end - x->start) / (x->stop - x->start + 1) + 1) * t->columns;
  }
  if (room < need) room = need;
  int status = room_check(t->text.path, NULL, t->text.end - t->text.text, room * 8, t->text.error);
  if (status < 0) return status;
  csv_value *value = realloc(t->value, (size_t)room * sizeof *value);
  if (!value) return io_memory(t->text.error, t->text.path, room * 8);
  t->value = value;
  t->room = room;
  return LAVDM_OK;
}

static int read_row(csv_table *t) {
  const char *at = t->text.start, *from, *to;
  int status = make_room(t);
  if (status < 0) return status;
  csv_value *row = t->value + t->rows * t->columns;
  for (int64_t j = 0; j < t->columns; j++) {
    int64_t integer = 0;
    double real;
    if (!at) return csv_ragged(&t->text, j, t->columns);
    csv_cell(&t->text, &at, &from, &to);
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
  if (at) return csv_ragged(&t->text, csv_count(&t->text), t->columns);
  t->rows++;
  return LAVDM_OK;
}

static int read_table(csv_table *t) {
  bool more = csv_next(&t->text);
  if (more) t->columns = csv_count(&t->text);
  if (more && csv_is_header(&t->text)) more = csv_next(&t->text);
  if (!more) return io_fail(t->text.error, LAVDM_ERROR_DATA, t->text.path, "holds no numbers");
  int status = LAVDM_OK;
  for (; more && status >= 0; more = csv_next(&t->text)) status = read_row(t);
  return status;
}

int csv_read(const char *path, io_array *out, lavdm_error *error) {
  csv_table t = {.type = IO_INTEGER};
  int status = csv_open(path, &t.text, error);
  if (status >= 0) status = read_table(&t);
  csv_close(&t.text);
  if (status >= 0) {
    *out = (io_array){.type = t.type, .rank = 2, .shape = {t.rows, t.columns}, .data = t.value};
    csv_value *fit = realloc(t.value, (size_t)(t.rows * t.columns) * sizeof *fit);
    if (fit) out->data = fit;
  } else {
    free(t.value);
  }
  return status;
}
