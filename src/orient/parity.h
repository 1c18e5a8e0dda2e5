/*
 * Signs around cycles. Neighbours i, j are joined by an edge with the sign of
 * g = det(B_i' B_j) and the weight
 *     w = |g| min(1, c / median c),   c^2 = (|B_i' x|^2 + |B_j' x|^2) / (2 |x|^2),  x = x_j - x_i:
 * planes that nearly agree, along which the step leads, as few steps across a gap do. Edges are
 * taken in by falling weight, and each vertex gets the sign that agrees with the first
 * way to it (union-find with parity). An edge that closes a cycle with a product of -1 is odd.
 *
 * If the manifold is orientable there are no odd edges but those of light weight, where planes turn
 * too fast to be told apart; if not, they appear as soon as the graph is connected.
 */
#ifndef LAVDM_ORIENT_PARITY_H
#define LAVDM_ORIENT_PARITY_H

#include "orient/planes.h"

typedef struct {
  double odd;        /* weight of the third odd edge (of 5000) over that which connects the graph; 0 to 1 */
  double frustrated; /* share of triangles with a product of -1 */
  double light;      /* the mean of 1 - |g| over edges */
} parity_t;

/* Of planes `shift` scales above the best. */
int parity_find(run_t *run, const planes_t *planes, int shift, parity_t *out);

#endif
