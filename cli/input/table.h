/*
 * Tables as points: the columns that are coordinates, missing values, scales; and what
 * is known of the rows besides, their ids and labels.
 */
#ifndef LAVDM_CLI_TABLE_H
#define LAVDM_CLI_TABLE_H

#include "base/arguments.h"
#include "input/columns.h"

/* The flags of a command that reads points; they go into its list. */
#define TABLE_FLAGS                                                                                          \
  {"columns", 0, "LIST",                                                                                     \
   "columns of a table that are coordinates: names, numbers from 1, ranges 2-5 [all of numbers]"},           \
      {"drop", 0, "LIST", "columns to leave out"},                                                           \
      {"labels", 0, "COLUMN", "the column of labels, for the result and its picture [the first of text]"},   \
      {"ids", 0, "COLUMN", "the column that names the rows [an index, if it is recognised]"}, {              \
    "missing", 0, "HOW",                                                                                     \
        "cells that are empty, NA, NaN, null or ?: error|drop|median; drop leaves their rows out [error]"    \
  }

#define STANDARDISE_FLAG                                                                                     \
  { "standardise", 0, NULL, "bring each coordinate to mean 0 and standard deviation 1" }

typedef enum { MISSING_ERROR, MISSING_DROP, MISSING_MEDIAN } missing_rule;

typedef struct {
  column_terms columns;
  missing_rule missing;
  bool standardise;
  bool given; /* one of them was */
  bool dense; /* every coordinate is needed: a sparse matrix cannot stay one */
} table_terms;

int table_terms_read(const arguments *a, table_terms *out, lavdm_error *error);

/* An error if there are some, where there is no table. */
int table_terms_none(const arguments *a, lavdm_error *error);

/* What a model keeps of the table that it was fitted to; all may be missing. */
typedef struct {
  io_texts names;                      /* of the coordinates */
  const double *mean, *scale, *median; /* of each, borrowed */
  int64_t width;
} table_model;

/* What is known of points besides. */
typedef struct {
  io_texts ids, labels; /* of the rows; empty if unknown */
  char *label_name;     /* of the column of labels; owned, or NULL */
  io_texts names;       /* of the coordinates, if all have one */
  double *mean, *scale; /* p, owned; NULL: points are as they were read */
  double *median;       /* p, owned; what missing values became */
  int64_t width;        /* p */
  int64_t dropped;      /* rows */
  column_notes told, doubts;
} table_facts;

void table_facts_free(table_facts *f); /* accepts a zeroed one */

/* The points of a table, n x p doubles, of which `t` is emptied. `model` or NULL. */
int table_points(io_table *t, const table_terms *terms, const table_model *model, io_array *points,
                 table_facts *facts, lavdm_error *error);

/* The matrix of an .h5ad file: 1 if it is sparse and may stay so, 0 if it became a table. Ids and
 * labels go to the facts. */
int cells_table(const char *spec, const table_terms *terms, const table_model *model, io_table *t,
                io_sparse *sparse, table_facts *facts, lavdm_error *error);

/* On stderr, at once: what was recognised, and with `quiet` doubts alone. */
void table_tell(const table_facts *facts, bool quiet);

/* Points of another file as those of the facts: minus the mean, over the scale. */
void table_scale(double *points, int64_t rows, int64_t width, const double *mean, const double *scale);

#endif
