/* --colour FILE[:COLUMN] of `lavdm report`: one label or one number for each point. */
#ifndef LAVDM_CLI_PAGE_COLOUR_H
#define LAVDM_CLI_PAGE_COLOUR_H

#include "io/table.h"

enum { PAGE_COLOUR_NAME = 128 };

typedef struct {
  io_texts texts; /* labels, or empty */
  double *values; /* rows, or NULL */
  int64_t rows;
  char name[PAGE_COLOUR_NAME]; /* of the column, or of the file */
} page_colour;

/* Nothing if `asked` is NULL. n: points of the result, -1 if it has none. */
int page_colour_read(const char *asked, int64_t n, page_colour *out, lavdm_error *error);
void page_colour_free(page_colour *c); /* accepts a zeroed one */

#endif
