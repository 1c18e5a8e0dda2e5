/* Graphs of poses and rotations in the files of other programs (io/pose_graph.h), as edges. */
#ifndef LAVDM_CLI_POSE_FILE_H
#define LAVDM_CLI_POSE_FILE_H

#include "input/graph_file.h"

/* 1 and *out if the file is such a one, 0 if it is not. `kind` is what the user says the elements are:
 * lavdm_element, or POSE_ANY. */
enum { POSE_ANY = 5 };
int pose_file_read(const char *path, const edge_terms *terms, int kind, edge_file *out, lavdm_error *error);

#endif
