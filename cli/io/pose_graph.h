/*
 * Graphs of poses or rotations as files of other programs have them: what every such reader fills in and
 * every such writer writes. A pose takes its own coordinates to those of the world; an edge says what pose
 * `to` is in the coordinates of pose `from`.
 */
#ifndef LAVDM_CLI_IO_POSE_GRAPH_H
#define LAVDM_CLI_IO_POSE_GRAPH_H

#include "lavdm/sync.h"

#include <stdbool.h>

/* What lavdm_survey points into; elements are transposes of the rotations of poses. */
typedef struct {
  int64_t fixed, *fixed_node;
  double *fixed_element, *fixed_position;
  int64_t priors, *prior_node;
  double *prior_element, *prior_position, *prior_information;
  int64_t sightings, *sighted_node, *sighted_point;
  double *sighted, *sighted_information;
} pose_survey;

typedef struct {
  const char *format; /* "g2o", "TORO", ... */
  int dim;            /* 2 or 3 */
  int64_t edges;      /* at least one */
  int64_t *from, *to;
  double *rotation;    /* edges x (1: radians, or 4: w x y z of length 1) */
  double *turn_weight; /* kappa of lavdm_pose_weights */

  /* Of poses; NULL where a file has rotations alone. */
  double *shift;        /* edges x dim */
  double *shift_weight; /* tau */
  double *information;  /* edges x (6 or 21): the upper half, as lavdm_sync_options has it; or NULL */

  int64_t vertices, *vertex; /* nodes that the file names apart from edges */
  int64_t posed;             /* the first so many of them come with a pose */
  double *vertex_rotation;   /* posed x (1 or 4) */
  double *vertex_position;   /* posed x dim */
  pose_survey survey;
  char *names;             /* of nodes 0 to named - 1, a line each; NULL: numbers are the names */
  int64_t named, *name_at; /* where each begins, and what follows the last */
  int64_t ignored;         /* lines of other kinds, comments aside */
  char ignored_tag[32];    /* of the first of them */
  char left_out[400];      /* what else was, or else is to be told; or "" */
} pose_graph;

void pose_graph_free(pose_graph *graph); /* accepts a zeroed or half-built one */

/* Adds to left_out. */
void pose_graph_tell(pose_graph *graph, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Numbers of a rotation, and of the upper half of an information matrix. */
int pose_width(int dim);
int pose_information(int dim);

/* Room for so many edges: all arrays but information, if `alone` without shifts. False: no memory. */
bool pose_graph_edges(pose_graph *graph, int dim, int64_t edges, bool alone);

/* Solved poses, in the order of their nodes, and the graph that they were solved from (or NULL). */
typedef struct {
  int dim;
  int64_t n;
  const int64_t *node;
  const double *rotation; /* n x (1 or 4) */
  const double *position; /* n x dim; NULL: zero */
  int64_t points;
  const int64_t *point;
  const double *point_position; /* points x dim */
  const pose_graph *graph;
} pose_result;

/* The name of a node in the file, and how many bytes it has; of a number that is the name itself, in `text`.
 */
enum { POSE_NAME = 24 };
const char *pose_name(const pose_graph *graph, int64_t node, char text[POSE_NAME], int64_t *bytes);

#endif
