/* Distances in place of points, for --metric precomputed. */
#ifndef LAVDM_CLI_DISTANCE_FILE_H
#define LAVDM_CLI_DISTANCE_FILE_H

#include "io/io.h"
#include "io/scipy.h"

typedef struct {
  lavdm_distances distances; /* leads into the rest */
  io_array value, index, start;
  io_sparse sparse;
} distance_file;

/*
 * A matrix, from any file that holds one; or lists of neighbours from an .npz, .mat or .h5 file: arrays
 * `indices` and `distances` (n x k both), as kneighbors of scikit-learn gives, or a sparse matrix that
 * scipy.sparse.save_npz wrote (io/scipy.h).
 */
int distance_file_read(const char *spec, distance_file *out, lavdm_error *error);
void distance_file_free(distance_file *file); /* accepts a zeroed one */

#endif
