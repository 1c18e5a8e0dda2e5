/* --colour FILE[:COLUMN]: one label or one number for each point. */
#ifndef LAVDM_CLI_ROW_VALUES_H
#define LAVDM_CLI_ROW_VALUES_H

#include "io/table.h"

enum { ROW_VALUES_NAME = 128 };

typedef struct {
  io_texts texts;             /* as they stand in the file; none of an array of numbers */
  double *values;             /* one a row; NULL if some are no numbers */
  char name[ROW_VALUES_NAME]; /* of the column, or of the file */
} row_values;

/* Of n rows: a column of a table (its labels, or its only one, if none is named), or an array of a file (its
 * only one, if none is named). */
int row_values_read(const char *asked, int64_t n, row_values *out, lavdm_error *error);

/* Of an array with n numbers, or n lines of text. */
int row_values_of(const io_array *array, const char *name, int64_t n, row_values *out, lavdm_error *error);

void row_values_free(row_values *v); /* accepts a zeroed one */

#endif
