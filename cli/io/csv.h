/*
 * Tables as text: rows of cells between commas, semicolons, tabs or blanks. A cell
 * may stand in quotes, in which separators and new lines are text and "" is one
 * quote. Blank lines and lines that start with # do not count.
 */
#ifndef LAVDM_CLI_IO_CSV_H
#define LAVDM_CLI_IO_CSV_H

#include "io/formats.h"

typedef struct csv_text {
  const char *path;
  char *text, *first;       /* all of it, and where it begins behind a byte order mark */
  const char *at, *end;     /* what is left to read; a zero stands at the end */
  int64_t line, next;       /* where the row under way begins, from 1, and the one after it */
  const char *start, *stop; /* the row under way, without the end of its line */
  char separator;           /* ' ' stands for any run of blanks */
  bool quotes;              /* a quote may hide the end of a line */
  void *plain, *before;     /* locales: it is C while the text is open */
  lavdm_error *error;
} csv_text;

/* Reads the file, which may be packed by gzip (.gz), and finds its separator; the
 * rows are then read from the first one. To be closed in any case. */
int csv_open(const char *path, csv_text *t, lavdm_error *error);
void csv_close(csv_text *t);
void csv_rewind(csv_text *t);

/* The next row that counts; false at the end. */
bool csv_next(csv_text *t);

/* The cell at *at, without blanks and quotes around it; moves *at past its
 * separator, or to NULL after the last cell of the row. True if it was quoted. */
bool csv_cell(const csv_text *t, const char **at, const char **from, const char **to);
int64_t csv_count(const csv_text *t); /* cells of the row */

/* Whether no cell of the row is a number, and some are text. */
bool csv_is_header(const csv_text *t);

/* The row has so many cells, not `wanted`. */
int csv_ragged(const csv_text *t, int64_t found, int64_t wanted);

/* All bytes of a gzip file, with a zero behind them; owned by the caller. */
int gz_load(const char *path, char **text, int64_t *length, lavdm_error *error);

#endif
