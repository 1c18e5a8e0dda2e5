/* The parts of `sample graph`: where nodes are and which are joined (sample_layout.c), and what edges say
 * (sample_edges.c). */
#ifndef LAVDM_CLI_SAMPLE_PARTS_H
#define LAVDM_CLI_SAMPLE_PARTS_H

#include "lavdm/sample.h"

#include <stdbool.h>

typedef enum {
  LAYOUT_RANDOM,
  LAYOUT_GRID,
  LAYOUT_RING,
  LAYOUT_TREE,
  LAYOUT_TRAJECTORY,
  LAYOUT_SPHERE,
  LAYOUT_TORUS,
  LAYOUT_CITY,
  LAYOUT_GARAGE,
  LAYOUTS
} layout_kind;

typedef struct {
  const char *path;
  int64_t n, degree, order; /* order of a cyclic group, or 0 */
  int dim;                  /* 1 for z2, 2 or 3; columns of an element are 1, 1, 4 */
  bool poses, skew;         /* skew: information that is not isotropic */
  layout_kind layout;
  double noise, outliers;
  double spread;             /* decades of the information */
  int64_t count, *row, *col; /* edges */
  double *element, *weight;  /* of edges */
  double *truth, *position;  /* of nodes: R and p */
  double *shift;             /* of edges, for poses */
  double *information;       /* upper half of 3 x 3 or 6 x 6, for poses */
} graph;

/* Numbers of an element, and of the upper half of the information. */
int graph_width(const graph *g);
int graph_half(const graph *g);

/* Names of layouts, and the most edges that one has. */
extern const char *const layout_names[LAYOUTS];
int64_t layout_most(const graph *g);

/* Whether nodes of poses stand and look somewhere of themselves, in space only or also in the plane. */
bool layout_placed(layout_kind layout);
bool layout_needs_space(layout_kind layout);

/* Edges; and of poses positions and, where the layout is placed, elements. False: no memory. */
bool layout_draw(graph *g, lavdm_random *random);

/* An element drawn evenly. */
void element_draw(const graph *g, lavdm_random *random, double *x);

/* What every edge says, from the nodes. */
void edges_draw(graph *g, lavdm_random *random);

#endif
