/*
 * The connection graph of images or signals: each pair is joined by the turn (and
 * reflection) that brings the two closest. Stored, since a distance costs too much
 * to be found again in every pass: what is kept of an object is as long as the rule
 * allows, and no array of all pairs exists.
 */
#ifndef LAVDM_GRAPH_TURNED_H
#define LAVDM_GRAPH_TURNED_H

#include "graph/bsr.h"
#include "graph/kernel.h"
#include "steer/steer.h"

typedef struct {
  bool reflections;
  int64_t q; /* 2, or 1 for the distances alone */
  kernel_t kernel;
  lavdm_edge_rule edges; /* KNN: the k nearest references of an object; else those within the radius */
  int64_t k;
  const double *reach2; /* or NULL; for KNN: also the references that are no further than this of their own */
} turned_rule;

/*
 * out = objects of x joined to references y. Those that the radius of no reference
 * reaches are joined to their nearest (alone[i] becomes 1; alone may be NULL).
 */
int REAL(turned_build)(run_t *run, const steer_stack *x, const steer_stack *y, const turned_rule *rule,
                       bsr_t *out, char *alone);

/*
 * out = objects joined to each other and themselves: symmetric, by either being among
 * the k nearest of the other, or by the radius. With KNN reach2 (n, or NULL) receives
 * the squared distances to the k-th nearest, the object itself not counted.
 */
int REAL(turned_square)(run_t *run, const steer_stack *x, const turned_rule *rule, double *reach2,
                        bsr_t *out);

/* d2 (x->n x count): squared distances of all objects of x from cols[0..count) of y (NULL: the first). */
int REAL(turned_distances)(run_t *run, const steer_stack *x, const steer_stack *y, const int64_t *cols,
                           int64_t count, bool reflections, real_t *d2);

#endif
