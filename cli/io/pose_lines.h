/* Numbers of the lines of files of poses, checked; every error names the line. */
#ifndef LAVDM_CLI_IO_POSE_LINES_H
#define LAVDM_CLI_IO_POSE_LINES_H

#include "io/formats.h"

/* A line without its tag. */
typedef struct {
  const char *path;
  const char *tag; /* as errors call it */
  const char *at, *stop;
  int64_t line;
  lavdm_error *error; /* or NULL */
} pose_line;

/* The next line that is neither blank nor a comment. */
bool pose_lines_next(text_lines *t);

int pose_line_fail(const pose_line *l, const char *what, double value);

/* Exactly so many finite numbers; a word that begins with # ends the line. */
int pose_line_values(const pose_line *l, int count, double *value);

/* A number that stands for a node: whole, from 0. */
int pose_line_node(const pose_line *l, double value, int64_t *node);

/* x y z w in a file becomes w x y z of length 1. */
int pose_line_quaternion(const pose_line *l, const double *x, double *out);

/* 9 numbers of a rotation, row by row, as w x y z with w >= 0. */
int pose_line_rotation(const pose_line *l, const double *m, double *out);

/* Whether 9 numbers are a rotation, and 4 of length 1, up to the digits of a file. */
bool pose_is_rotation(const double *m);
bool pose_is_unit(const double *x);

/* kappa and tau of an edge. The whole matrix must be positive definite, up to the digits of a file. */
int pose_line_weights(const pose_line *l, int dim, const double *information, double *kappa, double *tau);

/* That a symmetric matrix of d x d numbers, of which the upper half is given, has no negative eigenvalue, up
 * to the digits of a file, and is not zero. */
int pose_line_semidefinite(const pose_line *l, int d, const double *half);

/* q x q numbers, row by row, of the rotation of an angle or quaternion; `back`: of its transpose. */
void pose_matrix(int dim, const double *rotation, bool back, double *out);

#endif
