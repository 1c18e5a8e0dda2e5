/*
 * Pose graphs as g2o keeps them: lines
 *
 *     VERTEX_SE2 id x y theta                   VERTEX_SE3:QUAT id x y z qx qy qz qw
 *     EDGE_SE2 i j x y theta I(6)               EDGE_SE3:QUAT i j x y z qx qy qz qw I(21)
 *
 * where an edge says what pose j is in the coordinates of pose i, and I is the upper half of
 * the information matrix, row by row. Other lines are left alone and counted.
 */
#ifndef LAVDM_CLI_IO_G2O_H
#define LAVDM_CLI_IO_G2O_H

#include "lavdm.h"

typedef struct {
  int dim;              /* 2 or 3 */
  int64_t edges;        /* at least one */
  int64_t *from, *to;   /* i and j */
  double *rotation;     /* edges x (1: radians, or 4: w x y z of length 1) */
  double *shift;        /* edges x dim */
  double *turn_weight;  /* mean of the diagonal of I that belongs to the rotation */
  double *shift_weight; /* ... to the translation */
  int64_t vertices;
  int64_t *vertex;      /* numbers, as the file has them */
  int64_t ignored;      /* lines that are neither, comments aside */
  char ignored_tag[32]; /* of the first of them */
} g2o_file;

int g2o_read(const char *path, g2o_file *out, lavdm_error *error);
void g2o_free(g2o_file *file); /* accepts a zeroed or half-built one */

/* True if a name ends in .g2o. */
int g2o_is(const char *path);

/* n poses, rotation as above and position (n x dim, or NULL: zero), then the edges of the
 * file `edges_of` as they stand there (or NULL); whole or not at all. */
int g2o_write(const char *path, int dim, int64_t n, const int64_t *node, const double *rotation,
              const double *position, const char *edges_of, lavdm_error *error);

#endif
