/* A graph of the user's own, from a file of edges. */
#ifndef LAVDM_CLI_GRAPH_FILE_H
#define LAVDM_CLI_GRAPH_FILE_H

#include "io/pose_graph.h"

/* The edges and the memory that they point into. */
typedef struct {
  lavdm_edges edges;
  int64_t *row, *col;
  double *weight, *element;

  /* Of a pose graph (io/pose_graph.h) also: poses are R', so that an edge from i to j is R_i R_j'. */
  bool poses;
  double *shift, *shift_weight; /* count x dim, count; NULL: rotations alone */
  double *information;          /* count x 6 or 21, as lavdm_sync_options has it; or NULL */
  bool surveyed;                /* poses are fixed or measured, or points sighted: */
  lavdm_survey survey;
  int64_t *vertex, vertices; /* nodes beside those that edges name */
  pose_graph graph;          /* owns all of it; format, names and given poses are in it */

  int64_t nodes, columns; /* of a matrix, whose rows are all nodes; 0: those that edges name */
  char note[480];         /* what was left out of the file, or "" */
} edge_file;

/* What the user says of the file; NULL stands for auto. */
typedef struct {
  const char *element; /* auto, none, sign, angle, matrix or quaternion */
  const char *form;    /* edges or affinity: rows of a table are edges, or nodes */
  const char *ends;    /* auto, nodes or landmarks: what second numbers, or columns, name */
  int64_t threads;     /* that read; 0: as many as there are */
} edge_terms;

/*
 * Reads edges: rows of 2 columns `i k`, 3 columns `i k weight`, or 3 + as many as an element has; the arrays
 * row, col, and if they are there weight and element, of a container (.npz, .h5, .mat); or a pose graph
 * (pose_file.h), which has its own kind, angle or quaternion. Or a matrix of weights (graph_matrix.h). Every
 * error names the file and the row, from 1.
 */
int edge_file_read(const char *spec, const edge_terms *terms, edge_file *out, lavdm_error *error);

/* Checks that every row number, and for a square graph every column number,
 * is that of one of n points. */
int edge_file_fits(const edge_file *file, const char *spec, int64_t n, int square, lavdm_error *error);

/* Columns of a matrix become the numbers of the nodes of a model that is extended, or of its landmarks. */
int edge_file_towards(edge_file *file, const char *spec, const lavdm_model *model, lavdm_error *error);

/* Accepts a zeroed or half-built one. */
void edge_file_free(edge_file *file);

#endif
