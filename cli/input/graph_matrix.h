/* Matrices of weights as edges: dense, sparse, Matrix Market. */
#ifndef LAVDM_CLI_GRAPH_MATRIX_H
#define LAVDM_CLI_GRAPH_MATRIX_H

#include "input/graph_file.h"
#include "io/io.h"

/*
 * An .npz that scipy.sparse.save_npz wrote, a sparse matrix of a .mat file, an .mtx: 1, or 0 if the file is
 * none of these. Row i and column k, from 0, are nodes; a square matrix is a graph between nodes, in any
 * other the columns are landmarks. Zeros are no edges; what is negative or no number is named by its place.
 */
int matrix_file_read(const char *spec, edge_file *out, lavdm_error *error);

/*
 * Whether a table of numbers is a dense matrix of weights: 1, or 0 for a list of edges. Only a square one
 * can be, unless `form` says so; one that could be either is refused, and asked about.
 */
int matrix_is_dense(const char *spec, const io_array *table, const char *form, lavdm_error *error);
int matrix_of_dense(const char *spec, const io_array *table, edge_file *out, lavdm_error *error);

#endif
