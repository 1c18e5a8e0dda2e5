/*
 * Points of files, in memory or left where they are. Those of any rank become n x p: a list is n x 1, and
 * what lies beyond the first axis is one row.
 */
#ifndef LAVDM_CLI_LOAD_H
#define LAVDM_CLI_LOAD_H

#include "input/input.h"

/* Makes an array n x p, and of whole numbers doubles. */
int load_as_points(io_array *a, const char *spec, lavdm_error *error);

/* Leaves the points in their file, if it is one of plain rows. 1 if so, else 0. */
int load_open_rows(const char *spec, input *in, lavdm_error *error);

/* Points that are to be changed do not stay in their file: 0, or an error if that was asked for. */
int load_changed_rows(bool asked, input *in, lavdm_error *error);

/*
 * As load_open_rows, if memory for all of them may be lacking: streaming is asked for, or
 * the library plans it, or the file and what the run takes are too much together.
 */
int load_leave(const char *spec, const table_terms *terms, lavdm_options *options, input *in,
               lavdm_error *error);

/* Points of a file, of a folder of pictures, or of a list of these. `model` or NULL. */
int load_points(const char *const *specs, int count, const table_terms *terms, const table_model *model,
                input *in, lavdm_error *error);

/* Landmarks of one's own, for the points or edges that are there. */
int load_landmarks(const char *spec, input *in, lavdm_error *error);

#endif
