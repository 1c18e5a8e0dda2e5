/* Matrix Market files: a matrix entry by entry (coordinate) or column by column (array). */
#ifndef LAVDM_CLI_MTX_H
#define LAVDM_CLI_MTX_H

#include "io/io.h"

/* Entry e is value[e] at (row[e], col[e]), counted from 0, in the order of the file. Of an array
 * the zeros are left out; of a symmetric matrix entries below the diagonal stand for both. */
typedef struct {
  int64_t rows, cols, count;
  int64_t *row, *col;
  double *value; /* 1 where the file has a pattern */
  bool symmetric;
} mtx_file;

int mtx_is(const char *path); /* by its extension */

/* Fields real, integer and pattern, general and symmetric; others are refused by name. Every error has the
 * line, from 1. */
int mtx_read(const char *path, mtx_file *out, lavdm_error *error);
void mtx_free(mtx_file *file); /* accepts a zeroed one */

#endif
