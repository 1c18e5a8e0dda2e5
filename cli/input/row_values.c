#define _XOPEN_SOURCE 700
#include "input/row_values.h"
#include "base/command.h"
#include "input/columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void row_values_free(row_values *v) {
  io_texts_free(&v->texts);
  free(v->values);
  *v = (row_values){0};
}

static int no_memory(lavdm_error *error) {
  return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the colours");
}

static int check_rows(const char *what, int64_t found, int64_t n, lavdm_error *error) {
  if (found == n) return LAVDM_OK;
  return refuse(error, LAVDM_ERROR_DATA,
                "--colour: %.200s has %" PRId64 " rows, but the result has %" PRId64 " points", what, found,
                n);
}

static void set_name(row_values *v, const char *path) {
  const char *slash = strrchr(path, '/');
  snprintf(v->name, sizeof v->name, "%s", slash && slash[1] ? slash + 1 : path);
}

/* ------------------------------------------------------------------ arrays */

static int take_texts(const io_array *a, const char *what, int64_t n, row_values *out, lavdm_error *error) {
  int64_t lines = 1;
  for (const char *at = a->data; (at = strchr(at, '\n')); at++) lines++;
  int status = check_rows(what, lines, n, error);
  if (status < 0) return status;
  out->texts = (io_texts){.count = lines, .bytes = (int64_t)strlen(a->data), .text = strdup(a->data)};
  return out->texts.text ? LAVDM_OK : no_memory(error);
}

int row_values_of(const io_array *a, const char *name, int64_t n, row_values *out, lavdm_error *error) {
  *out = (row_values){0};
  set_name(out, name);
  if (a->type == IO_TEXT) return take_texts(a, name, n, out, error);
  int status = check_rows(name, io_array_count(a), n, error);
  if (status < 0) return status;
  out->values = malloc((size_t)n * sizeof *out->values + 1);
  if (!out->values) return no_memory(error);
  for (int64_t i = 0; i < n; i++)
    out->values[i] = a->type == IO_INTEGER  ? (double)((const int64_t *)a->data)[i]
                     : a->type == IO_SINGLE ? (double)((const float *)a->data)[i]
                                            : ((const double *)a->data)[i];
  return LAVDM_OK;
}

/* The array of a file that is named, or its only one. */
static int from_array(const char *asked, int64_t n, row_values *out, lavdm_error *error) {
  const char *name;
  io_array *all = NULL;
  int count = 0, found = -1;
  char *path = io_split(asked, &name);
  if (!path) return no_memory(error);
  int status = io_read_all(path, &all, &count, error);
  for (int i = 0; i < count && name; i++)
    if (all[i].name && !strcmp(all[i].name, name)) found = i;
  if (!name && count == 1) found = 0;
  if (status >= 0 && found >= 0) {
    status = row_values_of(&all[found], asked, n, out, error);
  } else if (status >= 0 && name) { /* within a group; or refused */
    io_array one = {0};
    status = io_read(asked, &one, error);
    if (status >= 0) status = row_values_of(&one, asked, n, out, error);
    io_array_free(&one);
  } else if (status >= 0) {
    status = refuse(error, STATUS_USAGE, "--colour %.100s: by which of its %d arrays? Write %.100s:NAME",
                    path, count, path);
  }
  for (int i = 0; i < count; i++) io_array_free(&all[i]);
  free(all);
  free(path);
  return status;
}

/* ------------------------------------------------------------------ tables */

static int choose_column(io_table *t, const char *column, int64_t *out, lavdm_error *error) {
  int64_t last;
  if (column) {
    int status = columns_of(t, "--colour", column, (int)strlen(column), out, &last, error);
    return status >= 0 && last != *out ? refuse(error, STATUS_USAGE, "--colour takes one column") : status;
  }
  column_choice choice = {.labels = -1};
  column_notes told = {0}, doubts = {0};
  lavdm_error ignored;
  if (t->columns > 1) columns_choose(t, &(column_terms){0}, NULL, &choice, &told, &doubts, &ignored);
  *out = t->columns == 1 ? 0 : choice.labels;
  free(choice.coordinate);
  notes_free(&told);
  notes_free(&doubts);
  if (*out >= 0) return LAVDM_OK;
  return refuse(error, STATUS_USAGE, "--colour %.100s: by which column? Write %.100s:NAME, or :NUMBER from 1",
                t->path, t->path);
}

static int from_table(const char *path, const char *column, int64_t n, row_values *out, lavdm_error *error) {
  io_table t = {0};
  int64_t j = 0;
  int status = io_table_read(path, &t, error);
  if (status >= 0) status = check_rows(path, t.rows, n, error);
  if (status >= 0) status = choose_column(&t, column, &j, error);
  if (status >= 0) status = io_table_texts(&t, j, &out->texts, error);
  if (status >= 0 && !t.column[j].texts) {
    out->values = malloc((size_t)n * sizeof *out->values + 1);
    if (!out->values) status = no_memory(error);
    for (int64_t i = 0; i < n && out->values; i++) out->values[i] = t.value[i * t.columns + j];
  }
  if (status >= 0 && t.column[j].name)
    snprintf(out->name, sizeof out->name, "%s", t.column[j].name);
  else
    set_name(out, path);
  io_table_free(&t);
  return status;
}

int row_values_read(const char *asked, int64_t n, row_values *out, lavdm_error *error) {
  *out = (row_values){0};
  if (io_is_table(asked)) return from_table(asked, NULL, n, out, error);
  const char *colon = strrchr(asked, ':');
  char *path = colon ? strndup(asked, (size_t)(colon - asked)) : NULL;
  if (colon && !path) return no_memory(error);
  int status = path && io_is_table(path) ? from_table(path, colon + 1, n, out, error)
                                         : from_array(asked, n, out, error);
  free(path);
  return status;
}
