/* Places for the nodes of a graph, such that distances are those of diffusion. */
#ifndef LAVDM_GRAPH_WALK_H
#define LAVDM_GRAPH_WALK_H

#include "graph/bsr.h"

/* Of 3000 points of a sphere, each joined to its 15 nearest, 100 landmarks by kmeans leave 1341 without an
 * edge to one; after 2 steps 1658, as many as a random choice, and after 32, at four times the cost, 1166. */
enum { WALK_STEPS = 8, WALK_COORDINATES = 16 };

/*
 * x (n x WALK_COORDINATES) = T^t R, where T = (1 + D^-1 W)/2 is the lazy walk on the weights of a square
 * graph, t = WALK_STEPS, and R_kc = +-1/sqrt(pi_k c'), pi the share of the degrees, c' the coordinates: signs
 * at random, from the seed. |x_i - x_j|^2 is then the square of the diffusion distance,
 *     sum_k (T^t_ik - T^t_jk)^2 / pi_k,
 * but for the scatter of 16 random projections. A node without edges is where the first with edges is.
 */
int walk_coordinates(run_t *run, const bsr_t *graph, double *x);

#endif
