/* A result file: the arrays of a model, and the facts of the run. In .h5 it is at
 * once a model that lavdm_load opens. */
#ifndef LAVDM_CLI_RESULT_H
#define LAVDM_CLI_RESULT_H

#include "output/cover.h"
#include "io/io.h"
#include "base/json.h"
#include "input/table.h"

/* What to write besides the model's own arrays. */
typedef struct {
  bool ambient, embedding;
  bool compact;             /* .h5: without what the points themselves got */
  const double *signs;      /* n, or NULL */
  const cover_t *cover;     /* or NULL; empty before the work */
  const table_facts *table; /* or NULL */
  const char *cells;        /* the .h5ad file of which an .h5ad result is a copy */
} result_extras;

/* True for a file that holds one array (.npy, .csv, .tsv): the eigenvectors. */
bool result_alone(const char *path);

/* Whether two names are those of one file that is there; "file:name" is the file. */
bool result_same(const char *path, const char *spec);

/* Before the work: the path is no folder, and its folder takes a new file. */
int folder_check(const char *path, lavdm_error *error);

/* Before the work: can this file be written? Its kind is known (`alone`: one
 * array will do), it is not the input, and its folder takes a new file. */
int result_check(const char *path, const char *input, bool alone, lavdm_error *error);

/* Before the work: do the arrays asked for fit into the memory allowed? */
int result_fits(const lavdm_data *data, const lavdm_options *options, const result_extras *extras,
                lavdm_error *error);

/* Writes it, whole or not at all. */
int result_write(const char *path, const lavdm_model *model, const result_extras *extras,
                 const json_builder *facts, lavdm_error *error);

#endif
