/* A graph of the user's own, from a file of edges. */
#ifndef LAVDM_CLI_GRAPH_FILE_H
#define LAVDM_CLI_GRAPH_FILE_H

#include "lavdm.h"

#include <stdbool.h>

/* The edges and the memory that they point into. */
typedef struct {
  lavdm_edges edges;
  int64_t *row, *col;
  double *weight, *element;

  /* Of a pose graph (.g2o) also: poses are R', so that an edge from i to j is R_i R_j'. */
  bool poses;
  double *shift, *shift_weight; /* count x dim, count */
  int64_t *vertex, vertices;
  char note[128]; /* what was left out of the file, or "" */
} edge_file;

/*
 * Reads rows of 2 columns `i k`, 3 columns `i k weight`, or 3 + as many as an
 * element has. `kind` is auto, none, sign, angle, matrix or quaternion; NULL
 * stands for auto. Every error names the file and the row, from 1. A file .g2o
 * (io/g2o.h) has its own kind, angle or quaternion.
 */
int edge_file_read(const char *spec, const char *kind, edge_file *out, lavdm_error *error);

/* Checks that every row number, and for a square graph every column number,
 * is that of one of n points. */
int edge_file_fits(const edge_file *file, const char *spec, int64_t n, int square, lavdm_error *error);

/* Accepts a zeroed or half-built one. */
void edge_file_free(edge_file *file);

#endif
