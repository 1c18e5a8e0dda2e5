/*
 * Tables in CSV files: lines that begin with '#' are remarks, the first other line
 * names the columns. A cell is a number or a word; no quotes, no commas inside.
 */
#ifndef LAVDM_EXPERIMENTS_TABLE_H
#define LAVDM_EXPERIMENTS_TABLE_H

#include "common/text.h"

enum { TABLE_COLUMNS = 64 };

typedef struct {
  char *data; /* the file, cut up in place */
  int columns, remarks;
  const char *name[TABLE_COLUMNS], *remark[8]; /* remarks without "# " */
  int64_t rows;
  const char **cell; /* rows x columns */
} table_t;

/* Reads a table; a line without its end or with too few cells is left out.
 * Returns 0, with an empty table, if there is no such file. */
int table_read(const char *path, table_t *table);
void table_free(table_t *table);

/* The number of a column; ends the program if there is none. */
int table_column(const table_t *table, const char *name);
const char *table_word(const table_t *table, int64_t row, int column);
double table_number(const table_t *table, int64_t row, int column);

/* Does the row fit "m=128 l=3 design=random"? Numbers are compared as numbers. */
int table_fits(const table_t *table, int64_t row, const char *where);

/* The cell of the first row that fits, and NaN if none does. */
double table_at(const table_t *table, const char *column, const char *where);

/* The cells of a column in all rows that fit; returns how many. values: room(rows). */
int64_t table_select(const table_t *table, const char *column, const char *where, double *values);

/*
 * Writes a CSV with a row for each combination of the key columns ("m,design,l"), in
 * order of appearance: the keys, `repetitions`, and for each other column X (but
 * repetition and seed) the median X and the median absolute deviation X_mad. NaN
 * does not count.
 */
void table_summarise(const table_t *raw, const char *keys, const char *path);

#endif
