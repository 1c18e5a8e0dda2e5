#include "common/table.h"
#include "common/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *slurp(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  text_t text = {0};
  char piece[1 << 14];
  size_t got;
  text_add(&text, "%s", "");
  while ((got = fread(piece, 1, sizeof piece - 1, file)) > 0) {
    piece[got] = 0;
    text_add(&text, "%s", piece);
  }
  fclose(file);
  return text.data;
}

/* Cuts a line at its commas; returns the number of cells, TABLE_COLUMNS at most. */
static int cut(char *line, const char **cells) {
  int count = 0;
  for (char *at = line; at && count < TABLE_COLUMNS; count++) {
    cells[count] = at;
    at = strchr(at, ',');
    if (at) *at++ = 0;
  }
  return count;
}

int table_read(const char *path, table_t *table) {
  *table = (table_t){.data = slurp(path)};
  if (!table->data) return 0;
  int64_t lines = 0;
  for (const char *at = table->data; *at; at++) lines += *at == '\n';
  table->cell = room(lines * TABLE_COLUMNS, sizeof *table->cell);
  for (char *line = table->data, *end; (end = strchr(line, '\n')); line = end + 1) {
    const char *cells[TABLE_COLUMNS];
    *end = 0;
    if (*line == '#') {
      if (table->remarks < 8) table->remark[table->remarks++] = line + 1 + (line[1] == ' ');
    } else if (!table->columns) {
      table->columns = cut(line, table->name);
    } else if (cut(line, cells) == table->columns) {
      memcpy(table->cell + table->rows++ * table->columns, cells, (size_t)table->columns * sizeof *cells);
    }
  }
  return 1;
}

void table_free(table_t *table) {
  free(table->data);
  free(table->cell);
  *table = (table_t){0};
}

int table_column(const table_t *table, const char *name) {
  for (int c = 0; c < table->columns; c++)
    if (!strcmp(table->name[c], name)) return c;
  give_up("a table has no column '%s'", name);
}

const char *table_word(const table_t *table, int64_t row, int column) {
  return table->cell[row * table->columns + column];
}

double table_number(const table_t *table, int64_t row, int column) {
  const char *text = table_word(table, row, column);
  char *end;
  double value = strtod(text, &end);
  return end == text ? NAN : value;
}

int table_fits(const table_t *table, int64_t row, const char *where) {
  char copy[256], *rest = copy, *term;
  snprintf(copy, sizeof copy, "%s", where);
  while ((term = strtok_r(rest, " ", &rest))) {
    char *value = strchr(term, '=');
    if (!value) give_up("'%s' is no condition", where);
    *value++ = 0;
    const char *word = table_word(table, row, table_column(table, term));
    char *end, *word_end;
    double wanted = strtod(value, &end), here = strtod(word, &word_end);
    int numbers = end != value && !*end && word_end != word && !*word_end;
    if (numbers ? fabs(wanted - here) > 1e-9 : strcmp(value, word) != 0) return 0;
  }
  return 1;
}

double table_at(const table_t *table, const char *column, const char *where) {
  for (int64_t i = 0; i < table->rows; i++)
    if (table_fits(table, i, where)) return table_number(table, i, table_column(table, column));
  return NAN;
}

int64_t table_select(const table_t *table, const char *column, const char *where, double *values) {
  int64_t count = 0;
  for (int64_t i = 0; i < table->rows; i++)
    if (table_fits(table, i, where)) values[count++] = table_number(table, i, table_column(table, column));
  return count;
}

/* What becomes of a column in a summary. */
typedef enum { KEY, VALUE, NEITHER } part_t;

static part_t part_of(const char *name, const char *keys) {
  size_t length = strlen(name);
  if (!strcmp(name, "repetition") || !strcmp(name, "seed")) return NEITHER;
  for (const char *at = keys; at; at = strchr(at, ',')) {
    at += *at == ',';
    if (strcspn(at, ",") == length && !strncmp(at, name, length)) return KEY;
  }
  return VALUE;
}

static int same_keys(const table_t *raw, const part_t *part, int64_t a, int64_t b) {
  for (int c = 0; c < raw->columns; c++)
    if (part[c] == KEY && strcmp(table_word(raw, a, c), table_word(raw, b, c))) return 0;
  return 1;
}

/* The row of the summary for the rows with the keys of row `first`. */
static void summary_row(const table_t *raw, const part_t *part, int64_t first, double *values, text_t *out) {
  int64_t count = 0;
  for (int64_t i = first; i < raw->rows; i++) count += same_keys(raw, part, first, i);
  for (int c = 0; c < raw->columns; c++)
    if (part[c] == KEY) text_add(out, "%s,", table_word(raw, first, c));
  text_add(out, "%lld", (long long)count);
  for (int c = 0; c < raw->columns; c++) {
    if (part[c] != VALUE) continue;
    int64_t used = 0;
    for (int64_t i = first; i < raw->rows; i++)
      if (same_keys(raw, part, first, i) && !isnan(table_number(raw, i, c)))
        values[used++] = table_number(raw, i, c);
    text_add(out, ",%.6g,%.6g", median(values, used), deviation(values, used));
  }
  text_add(out, "\n");
}

void table_summarise(const table_t *raw, const char *keys, const char *path) {
  part_t part[TABLE_COLUMNS];
  text_t out = {0};
  for (int c = 0; c < raw->columns; c++) {
    part[c] = part_of(raw->name[c], keys);
    if (part[c] == KEY) text_add(&out, "%s,", raw->name[c]);
  }
  text_add(&out, "repetitions");
  for (int c = 0; c < raw->columns; c++)
    if (part[c] == VALUE) text_add(&out, ",%s,%s_mad", raw->name[c], raw->name[c]);
  text_add(&out, "\n");
  double *values = room(raw->rows, sizeof *values);
  for (int64_t i = 0; i < raw->rows; i++) {
    int seen = 0;
    for (int64_t k = 0; k < i && !seen; k++) seen = same_keys(raw, part, k, i);
    if (!seen) summary_row(raw, part, i, values, &out);
  }
  free(values);
  write_whole(path, out.data, out.size);
  text_free(&out);
}
