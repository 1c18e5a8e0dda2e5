/*
 * Tables that users bring: columns with names, of numbers, of text, or with cells
 * missing (empty, NA, N/A, NaN, null, None or ?). What a column is for is decided in
 * input/columns.h.
 */
#ifndef LAVDM_CLI_IO_TABLE_H
#define LAVDM_CLI_IO_TABLE_H

#include "io/io.h"
#include "io/scipy.h"

/* One text a row, '\n' between them; new lines inside became blanks. */
typedef struct {
  int64_t count, bytes;
  char *text; /* owned, malloc'ed, with a zero behind it; NULL: there are none */
} io_texts;

void io_texts_free(io_texts *t); /* accepts a zeroed one */

/* The text that begins at *at, and its bytes; moves *at to the next. */
const char *io_texts_next(const char **at, int64_t *bytes);

/* How many differ; -1 without memory. */
int64_t io_texts_distinct(const io_texts *t);

/* The text of that name in an .h5 file of lavdm's, a line each; none is no error. */
int io_read_texts(const char *path, const char *name, io_texts *out, lavdm_error *error);

/* Leaves out the rows that are not to be kept. */
void io_texts_keep(io_texts *t, const bool *keep);

typedef struct {
  char *name;                      /* owned; NULL: the table has no header */
  int64_t numbers, texts, missing; /* cells, which add up to the rows */
  bool whole;                      /* every number is an integer */
  int64_t odd;                     /* the first row with text, or -1 */
} io_column;

typedef struct {
  const char *path; /* borrowed */
  int64_t rows, columns;
  io_column *column;
  double *value;           /* rows x columns, NaN where there is no number */
  bool counted, perhaps;   /* the numbers of the header go up by one; those of the first row do */
  bool commas;             /* decimals have a comma */
  struct csv_text *source; /* what it was read from, or NULL */
} io_table;

/* True for .csv, .tsv and .txt, packed by gzip or not. */
bool io_is_table(const char *path);

int io_table_read(const char *path, io_table *out, lavdm_error *error);

/* A table without names of an array with two axes or one, which is taken over. */
int io_table_take(const char *path, io_array *array, io_table *out, lavdm_error *error);

void io_table_free(io_table *t); /* accepts a zeroed or half-built one */

/* The cells of a column as they stand in the file. */
int io_table_texts(io_table *t, int64_t column, io_texts *out, lavdm_error *error);

/* The line of the file in which a row begins, from 1; 0 if it has no lines. */
int64_t io_table_line(io_table *t, int64_t row);

/* Cells x genes of an .h5ad file (anndata), and what `obs` says of the cells. */
typedef struct {
  io_array points;  /* n x p, doubles or integers; or empty, and */
  io_sparse sparse; /* the same, sparse */
  io_texts ids;     /* the index of obs */
  io_texts labels;  /* of the column that was asked for */
  io_texts names;   /* of var, for X and layers; empty if unknown */
  char *part;       /* which array it was: "obsm/X_pca"; owned */
  char *columns;    /* of obs, in lines; owned, or NULL */
} io_cells;

bool io_is_cells(const char *spec);

/* "cells.h5ad": obsm/X_pca, or else X; "cells.h5ad:layers/counts": that. Columns of obs by
 * their names, or NULL. */
int io_cells_read(const char *spec, const char *labels, const char *ids, io_cells *out, lavdm_error *error);
int io_cells_dense(const char *path, io_cells *c, lavdm_error *error); /* in memory, if there is room */
void io_cells_free(io_cells *c);                                       /* accepts a zeroed one */

/* A diffusion map of the cells of such a file, for a copy of it. */
typedef struct {
  int64_t rows, rank;
  const double *vectors, *values; /* rows x rank, rank */
} io_diffmap;

int io_cells_write(const char *path, const char *spec, const io_diffmap *map, lavdm_error *error);

/* A table to write: an id for each row (its number from 0, without any), a label if there are
 * some, and numbers (n,k) under their names. */
typedef struct {
  const io_texts *ids, *labels; /* or NULL */
  const int64_t *numbers;       /* in place of ids; or NULL */
  io_texts names;               /* k */
  io_item values;
} io_rows_table;

/* To a .csv or .tsv file. */
int io_write_rows(const char *path, const io_rows_table *t, const io_trim *trim, lavdm_error *error);

#endif
