/* Whole numbers: lists and tables of them, from files or the command line. */
#ifndef LAVDM_CLI_WHOLE_H
#define LAVDM_CLI_WHOLE_H

#include "lavdm.h"

typedef struct {
  int64_t rows, columns;
  int64_t *values; /* owned; free */
} whole_table;

/* One number of at least 1, the value of --name. */
int whole_parse(const char *name, const char *text, int64_t *out, lavdm_error *error);

/* A table of this many columns from any file that can be read. One column is
 * asked for where a list is: a single row is one too. */
int whole_read(const char *spec, int64_t columns, whole_table *out, lavdm_error *error);

/* The same list from "0,5,17", or from the file of that name. */
int whole_list(const char *text, whole_table *out, lavdm_error *error);

#endif
