/* Edges as arrays of a container. */
#ifndef LAVDM_CLI_GRAPH_ARRAYS_H
#define LAVDM_CLI_GRAPH_ARRAYS_H

#include "input/graph_file.h"

/*
 * The arrays `row` and `col` of whole numbers, and if they are there `weight` and `element`, of an .npz, .h5
 * or .mat file: 1, or 0 if it has no such arrays (or the name of one is given). They are taken as they are,
 * without a copy. Elements (edges,) are signs if they are whole numbers and else angles, (edges,4)
 * quaternions, (edges,q,q) or, with `kind` matrix, (edges,q*q) matrices. The library checks them.
 */
int edge_arrays_read(const char *spec, const char *kind, edge_file *out, lavdm_error *error);

#endif
