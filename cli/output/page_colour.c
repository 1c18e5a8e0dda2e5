#define _XOPEN_SOURCE 700
#include "output/page_colour.h"
#include "base/command.h"
#include "input/columns.h"
#include "output/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void page_colour_free(page_colour *c) {
  io_texts_free(&c->texts);
  free(c->values);
  *c = (page_colour){0};
}

static int check_rows(const char *path, int64_t rows, int64_t n, lavdm_error *error) {
  if (rows == n) return LAVDM_OK;
  return refuse(error, LAVDM_ERROR_DATA,
                "--colour: %.200s has %" PRId64 " rows, but the result has %" PRId64 " points", path, rows,
                n);
}

/* The column that is named, or the only one. */
static int choose(io_table *t, const char *column, int64_t *out, lavdm_error *error) {
  int64_t last;
  if (column) {
    int status = columns_of(t, "--colour", column, (int)strlen(column), out, &last, error);
    return status >= 0 && last != *out ? refuse(error, STATUS_USAGE, "--colour takes one column") : status;
  }
  *out = 0;
  if (t->columns == 1) return LAVDM_OK;
  return refuse(error, STATUS_USAGE, "--colour %.100s: by which column? Write %.100s:NAME, or :NUMBER from 1",
                t->path, t->path);
}

/* A column of numbers alone is one of numbers; any other one of labels. */
static int from_table(const char *path, const char *column, int64_t n, page_colour *out, lavdm_error *error) {
  io_table t = {0};
  int64_t j = 0;
  int status = io_table_read(path, &t, error);
  if (status >= 0) status = check_rows(path, t.rows, n, error);
  if (status >= 0) status = choose(&t, column, &j, error);
  if (status >= 0 && t.column[j].texts > 0) status = io_table_texts(&t, j, &out->texts, error);
  if (status >= 0 && !t.column[j].texts) {
    out->values = malloc((size_t)n * sizeof *out->values + 1);
    if (!out->values) status = refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the colours");
    for (int64_t i = 0; i < n && out->values; i++) out->values[i] = t.value[i * t.columns + j];
  }
  if (status >= 0)
    snprintf(out->name, sizeof out->name, "%s", t.column[j].name ? t.column[j].name : page_title(path));
  io_table_free(&t);
  return status;
}

static int from_array(const char *spec, int64_t n, page_colour *out, lavdm_error *error) {
  io_array a = {0};
  int status = io_read(spec, &a, error);
  if (status >= 0) status = check_rows(spec, io_array_count(&a), n, error);
  if (status >= 0) {
    out->values = malloc((size_t)n * sizeof *out->values + 1);
    if (!out->values) status = refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the colours");
    for (int64_t i = 0; i < n && out->values; i++)
      out->values[i] =
          a.type == IO_INTEGER ? (double)((const int64_t *)a.data)[i] : ((const double *)a.data)[i];
    snprintf(out->name, sizeof out->name, "%s", page_title(spec));
  }
  io_array_free(&a);
  return status;
}

int page_colour_read(const char *asked, int64_t n, page_colour *out, lavdm_error *error) {
  if (!asked) return LAVDM_OK;
  if (n < 0) return refuse(error, STATUS_USAGE, "--colour is for results with points, and this has none");
  out->rows = n;
  if (io_is_table(asked)) return from_table(asked, NULL, n, out, error);
  const char *colon = strrchr(asked, ':');
  char *path = colon ? strndup(asked, (size_t)(colon - asked)) : NULL;
  if (colon && !path) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the colours");
  int status = path && io_is_table(path) ? from_table(path, colon + 1, n, out, error)
                                         : from_array(asked, n, out, error);
  free(path);
  return status;
}
