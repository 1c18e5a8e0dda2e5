/* What was asked of a picture. */
#ifndef LAVDM_CLI_REQUEST_H
#define LAVDM_CLI_REQUEST_H

#include "base/arguments.h"
#include "io/io.h"
#include "picture/scatter.h"

enum { MOST_AXES = 3 };

typedef struct {
  const char *input, *output, *colour, *data; /* the latter NULL if they were not given */
  const char *title;                          /* NULL: none */
  bool headings;
  paper_t paper;
  int axes; /* 2 or 3 */
  int64_t axis[MOST_AXES];
  bool chosen;           /* axes were given */
  int64_t field;         /* -1: none */
  bool spectrum, points; /* what of these is drawn */
  view_t view;
  bool seen; /* a view was given */
  double time;
} request_t;

int request_read(const arguments *a, request_t *out, lavdm_error *error);

/* An array of a result by its name, kind and least rank; NULL if there is none. */
typedef struct {
  const io_array *all;
  int count;
} result_t;
const io_array *result_find(const result_t *result, const char *name, io_type type, int rank);
const char *result_text(const result_t *result, const char *name); /* NULL if there is none */

/* Options that a picture of this kind has no use for are refused: names, ended by NULL. */
int request_refuse(const arguments *a, const char *kind, const char *const *names, lavdm_error *error);

#endif
