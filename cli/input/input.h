/* What `embed` and `orient` work on: points, edges, landmarks, from files. */
#ifndef LAVDM_CLI_INPUT_H
#define LAVDM_CLI_INPUT_H

#include "base/arguments.h"
#include "input/distance_file.h"
#include "input/graph_file.h"
#include "input/table.h"
#include "io/io.h"
#include "io/scipy.h"

typedef struct {
  lavdm_data data;         /* points into the rest */
  const char *name;        /* the file that the data came from, for messages */
  io_array points;         /* n x p doubles or floats, or empty */
  io_sparse sparse;        /* points most of whose coordinates are zero, or empty, */
  lavdm_sparse entries;    /* as the library has them */
  io_rows rows;            /* of points that stay in their file, or empty */
  lavdm_error failure;     /* of reading them during the run */
  io_array landmarks;      /* m x p doubles, or empty */
  int64_t *landmark_index; /* m, or NULL */
  edge_file graph;         /* or empty */
  distance_file distances; /* or empty */
  table_facts table;       /* what is known of rows and columns */
  char *title;             /* what `name` points to where it is no operand, or NULL */
  bool picture;            /* the points are rows of one picture */
  double seconds;          /* spent reading */
} input;

/* Reads what the arguments name and completes the options that follow from it
 * (bundle, design, stream). `in` stays where it is until it is freed. */
int input_read(const arguments *a, lavdm_options *options, input *in, lavdm_error *error);

/* The points of one file, by those terms, as the data of `model` were (or NULL); with `leave`
 * they stay in it, if it is one of plain rows. */
int input_points(const char *spec, bool leave, const table_terms *terms, const table_model *model, input *in,
                 lavdm_error *error);

/* What was recognised and left out while reading, for people; nothing with --quiet or --json. */
void input_tell(const arguments *a);

/* LAVDM_ERROR_DATA if the points are rows of one picture, which nobody asked for. */
int input_check_picture(const input *in, const lavdm_options *options, lavdm_error *error);

/* The distances of one file, in place of points. */
int input_distances(const char *spec, input *in, lavdm_error *error);

/* The edges of one file, as --element, --form and --ends say. */
int input_graph(const arguments *a, const char *spec, input *in, lavdm_error *error);

/* Before a result is written: an error if points that stay in their file are not
 * what they were. */
int input_unchanged(const input *in, lavdm_error *error);

/* Accepts a zeroed or half-built one. */
void input_free(input *in);

/* Puts the name of the file before a sentence of the library about the data,
 * and a hint after it where a graph was taken for one with landmarks; or, if
 * points could not be read during the run, says that. Returns the status. */
int input_explain(const input *in, const lavdm_options *options, int status, lavdm_error *error);

#endif
