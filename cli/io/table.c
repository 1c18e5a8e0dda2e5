#include "io/table.h"
#include "io/csv.h"
#include "io/room.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NUMBER_MOST = 64 }; /* bytes of a number with a decimal comma */

/* A table under way. */
typedef struct {
  io_table *out;
  csv_text *text;
  int64_t room;
  int64_t comma_line, comma_column; /* of the first decimal comma, or 0 */
  char comma_cell[SHOWN_WORD];
  bool points, clear; /* there are decimal points; a comma that stands before no thousands */
} table_reading;

/* ----------------------------------------------------------------- cells */

static bool is_missing(const char *from, const char *to) {
  static const char *const words[] = {"?", "na", "n/a", "#n/a", "<na>", "null", "none", "nan"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i]) == (size_t)(to - from) && !strncasecmp(from, words[i], (size_t)(to - from)))
      return true;
  return from == to;
}

/* A number with one comma in place of the point. */
static bool parse_comma(table_reading *r, const char *from, const char *to, double *real) {
  char copy[NUMBER_MOST + 1];
  int64_t integer;
  size_t length = (size_t)(to - from);
  const char *comma = length <= NUMBER_MOST ? memchr(from, ',', length) : NULL;
  if (!comma || r->text->separator == ',' || memchr(from, '.', length)) return false;
  memcpy(copy, from, length);
  copy[length] = 0;
  copy[comma - from] = '.';
  if (decimal_parse(copy, copy + length, &integer, real) != CELL_REAL || !isfinite(*real)) return false;
  size_t digits = strspn(comma + 1, "0123456789"), before = (size_t)(comma - from);
  r->clear |= digits != 3 || before > 4 || !before || *from == '0' || comma + 1 + digits != to;
  return true;
}

static void take_cell(table_reading *r, int64_t row, int64_t j, const char *from, const char *to) {
  io_column *c = &r->out->column[j];
  double *value = &r->out->value[row * r->out->columns + j];
  int64_t integer;
  cell_kind kind = decimal_parse(from, to, &integer, value);
  if (kind == CELL_REAL && r->text->separator != ',' && memchr(from, '.', (size_t)(to - from)))
    r->points = true;
  if (kind == CELL_TEXT && parse_comma(r, from, to, value)) {
    if (!r->comma_line) {
      r->comma_line = r->text->line;
      r->comma_column = j + 1;
      shown_word(from, to, r->comma_cell);
    }
    kind = CELL_REAL;
  }
  if (kind == CELL_EMPTY || (kind == CELL_REAL && isnan(*value)) ||
      (kind == CELL_TEXT && is_missing(from, to))) {
    c->missing++;
    *value = NAN;
  } else if (kind == CELL_TEXT) {
    if (!c->texts++) c->odd = row;
    *value = NAN;
  } else {
    c->numbers++;
    c->whole &= *value == floor(*value);
  }
}

/* A copy of a cell, in which "" is one quote if it was quoted and new lines are blanks. */
static int64_t copy_cell(char *out, const char *from, const char *to, bool quoted) {
  int64_t used = 0;
  for (; from < to; from++) {
    if (quoted && *from == '"' && from + 1 < to && from[1] == '"') from++;
    out[used++] = *from == '\n' || *from == '\r' || !*from ? ' ' : *from;
  }
  return used;
}

/* ---------------------------------------------------------------- header */

/* Whether the numbers of the first row go up by one, as names of pandas' own making and years do: 1 if it
 * is a header, since names stand beside them or the row below has decimals; -1 if it may be; 0 if not. */
static int counts_up(const csv_text *first, const csv_text *second) {
  const char *at = first->start, *below = second->start, *from, *to;
  int64_t integer, last = 0, numbers = 0;
  double real;
  bool named = false, fraction = false, from_zero = false;
  while (at && below) {
    csv_cell(first, &at, &from, &to);
    cell_kind kind = decimal_parse(from, to, &integer, &real);
    if (kind == CELL_REAL || (kind == CELL_INTEGER && numbers && integer != last + 1)) return 0;
    if (kind == CELL_INTEGER && !numbers) from_zero = integer == 0;
    if (kind == CELL_INTEGER) last = integer, numbers++;
    csv_cell(second, &below, &from, &to);
    cell_kind under = decimal_parse(from, to, &integer, &real);
    named |= kind == CELL_TEXT && (under == CELL_INTEGER || under == CELL_REAL);
    named |= kind == CELL_EMPTY && from != to && !numbers; /* an index has no name */
    fraction |= kind == CELL_INTEGER && under == CELL_REAL && real != floor(real);
  }
  if (numbers < 2) return numbers && named;
  return named || fraction ? 1 : from_zero || numbers > 2 ? -1 : 0;
}

static int take_names(table_reading *r, const csv_text *row) {
  const char *at = row->start, *from, *to;
  for (int64_t j = r->out->columns - csv_count(row); j < r->out->columns && at; j++) {
    bool quoted = csv_cell(row, &at, &from, &to);
    char *name = calloc((size_t)(to - from) + 1, 1);
    if (!name) return io_memory(r->text->error, r->out->path, 0);
    copy_cell(name, from, to, quoted);
    r->out->column[j].name = name;
  }
  if (!r->out->column[0].name && !(r->out->column[0].name = calloc(1, 1)))
    return io_memory(r->text->error, r->out->path, 0);
  return LAVDM_OK;
}

/* The columns, and their names if the first row has them; the first row of numbers is then under
 * way. R leaves out the name of the first column, which names the rows. */
static int begin(table_reading *r) {
  csv_text *t = r->text, first;
  io_table *out = r->out;
  if (!csv_next(t)) return io_fail(t->error, LAVDM_ERROR_DATA, t->path, "holds no numbers");
  first = *t;
  bool more = csv_next(t), header = csv_is_header(&first);
  int64_t cells = csv_count(&first), second = more ? csv_count(t) : cells;
  int counts = more && !header && cells == second ? counts_up(&first, t) : 0;
  out->counted = counts == 1;
  out->perhaps = counts == -1;
  out->columns = header && second == cells + 1 ? second : cells;
  out->column = calloc((size_t)out->columns, sizeof *out->column);
  if (!out->column) return io_memory(t->error, t->path, out->columns * (int64_t)sizeof *out->column);
  for (int64_t j = 0; j < out->columns; j++) out->column[j].whole = true, out->column[j].odd = -1;
  if (header || out->counted) {
    if (!more) return io_fail(t->error, LAVDM_ERROR_DATA, t->path, "holds no numbers");
    return take_names(r, &first);
  }
  csv_rewind(t);
  csv_next(t);
  return LAVDM_OK;
}

/* ------------------------------------------------------------------ rows */

/* Room for one more row; the first guess comes from the length of the line. */
static int make_room(table_reading *r) {
  const csv_text *t = r->text;
  int64_t columns = r->out->columns, need = (r->out->rows + 1) * columns;
  if (need <= r->room) return LAVDM_OK;
  int64_t room = r->room + r->room / 2;
  if (!r->room) room = ((t->end - t->start) / (t->stop - t->start + 1) + 1) * columns;
  if (room < need) room = need;
  int status = room_check(t->path, NULL, t->end - t->text, room * 8, t->error);
  if (status < 0) return status;
  double *value = realloc(r->out->value, (size_t)room * sizeof *value);
  if (!value) return io_memory(t->error, t->path, room * 8);
  r->out->value = value;
  r->room = room;
  return LAVDM_OK;
}

static int read_row(table_reading *r) {
  const char *at = r->text->start, *from, *to;
  int64_t columns = r->out->columns;
  int status = make_room(r);
  if (status < 0) return status;
  for (int64_t j = 0; j < columns; j++) {
    if (!at) return csv_ragged(r->text, j, columns);
    csv_cell(r->text, &at, &from, &to);
    take_cell(r, r->out->rows, j, from, to);
  }
  if (at) return csv_ragged(r->text, csv_count(r->text), columns);
  r->out->rows++;
  return LAVDM_OK;
}

/* Commas are decimal ones if nothing speaks against it, and something for it. */
static int settle_commas(table_reading *r) {
  if (!r->comma_line) return LAVDM_OK;
  r->out->commas = true;
  if (r->clear && !r->points) return LAVDM_OK;
  return io_fail(r->text->error, LAVDM_ERROR_DATA, r->out->path,
                 "line %lld, column %lld: in '%s' the comma may be a decimal one or one of thousands; "
                 "write decimals with a point (tr , . <OLD >NEW), and no commas in thousands (tr -d ,)",
                 (long long)r->comma_line, (long long)r->comma_column, r->comma_cell);
}

int io_table_read(const char *path, io_table *out, lavdm_error *error) {
  *out = (io_table){.path = path, .source = calloc(1, sizeof *out->source)};
  if (!out->source) return io_memory(error, path, 0);
  table_reading r = {.out = out, .text = out->source};
  io_stamp stamp = io_stamp_of(path);
  int status = csv_open(path, r.text, error);
  if (status >= 0) status = begin(&r);
  for (bool more = true; more && status >= 0; more = csv_next(r.text)) status = read_row(&r);
  if (status >= 0) status = settle_commas(&r);
  if (status >= 0) status = io_stamp_check(path, &stamp, error);
  return io_settled(status, error);
}

int io_table_take(const char *path, io_array *array, io_table *out, lavdm_error *error) {
  *out = (io_table){.path = path, .rows = array->shape[0], .columns = array->rank > 1 ? array->shape[1] : 1};
  out->column = calloc(out->columns > 0 ? (size_t)out->columns : 1, sizeof *out->column);
  if (!out->column) return io_memory(error, path, 0);
  out->value = array->data;
  array->data = NULL;
  for (int64_t j = 0; j < out->columns; j++) {
    io_column *c = &out->column[j];
    *c = (io_column){.whole = true, .odd = -1};
    for (int64_t i = 0; i < out->rows; i++) {
      double x = out->value[i * out->columns + j];
      c->missing += isnan(x);
      c->whole &= isnan(x) || x == floor(x);
    }
    c->numbers = out->rows - c->missing;
  }
  return LAVDM_OK;
}

void io_table_free(io_table *t) {
  for (int64_t j = 0; j < t->columns && t->column; j++) free(t->column[j].name);
  free(t->column);
  free(t->value);
  if (t->source) csv_close(t->source);
  free(t->source);
  *t = (io_table){0};
}

/* ----------------------------------------------------------------- again */

/* To the first row of the table once more. */
static bool again(io_table *t) {
  csv_rewind(t->source);
  bool more = csv_next(t->source);
  return more && t->column[0].name ? csv_next(t->source) : more;
}

int64_t io_table_line(io_table *t, int64_t row) {
  if (!t->source) return 0;
  bool more = again(t);
  for (int64_t i = 0; i < row && more; i++) more = csv_next(t->source);
  return t->source->line;
}

/* Numbers of an array as text. */
static int print_texts(const io_table *t, int64_t column, io_texts *out, lavdm_error *error) {
  out->text = malloc((size_t)t->rows * DECIMAL_SIZE + 1);
  if (!out->text) return io_memory(error, t->path, t->rows * DECIMAL_SIZE);
  for (int64_t i = 0; i < t->rows; i++) {
    char number[DECIMAL_SIZE];
    int length = decimal_print(t->value[i * t->columns + column], number);
    memcpy(out->text + out->bytes, number, (size_t)length);
    out->bytes += length;
    out->text[out->bytes++] = '\n';
  }
  return LAVDM_OK;
}

int io_table_texts(io_table *t, int64_t column, io_texts *out, lavdm_error *error) {
  *out = (io_texts){.count = t->rows};
  int status = LAVDM_OK;
  if (!t->source) {
    status = print_texts(t, column, out, error);
  } else {
    /* no longer than the text itself, and a new line for each row */
    int64_t room = t->source->end - t->source->text + t->rows + 1;
    status = room_check(t->path, NULL, t->rows * t->columns * 8 + room, room, error);
    if (status >= 0 && !(out->text = malloc((size_t)room))) status = io_memory(error, t->path, room);
    for (bool more = again(t); more && status >= 0; more = csv_next(t->source)) {
      const char *at = t->source->start, *from = at, *to = at;
      bool quoted = false;
      for (int64_t j = 0; j <= column && at; j++) quoted = csv_cell(t->source, &at, &from, &to);
      out->bytes += copy_cell(out->text + out->bytes, from, to, quoted);
      out->text[out->bytes++] = '\n';
    }
  }
  if (status < 0) return status;
  if (out->bytes > 0) out->bytes--; /* none behind the last */
  out->text[out->bytes] = 0;
  char *fit = realloc(out->text, (size_t)out->bytes + 1);
  if (fit) out->text = fit;
  return LAVDM_OK;
}
