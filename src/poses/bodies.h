/*
 * Motions that are smooth over many nodes, which preconditioners node by node leave to hundreds of cycles: a
 * sheet of poses in space bends next to freely. Groups of nodes move as rigid bodies, node i of group g by
 *
 *     x_i = w_g,   y_i = t_g - w_g (p_i - c_g),   c_g the mean of its positions,
 *
 * and with P for that and H of iterate.c, z += P (P'HP)^-1 P'r by a Cholesky factor. Within a group an edge
 * is changed by w_g u alone, which is left out; and the group of node 0 stays.
 */
#ifndef LAVDM_POSES_BODIES_H
#define LAVDM_POSES_BODIES_H

#include "poses/likelihood.h"
#include "sync/plain.h"

typedef struct bodies bodies_t;

/* Groups are those of a level of the multigrid. *out is NULL where no factor is worth its time. */
int bodies_new(run_t *run, const likelihood_t *problem, const plain_t *grid, bodies_t **out);
void bodies_free(bodies_t *bodies); /* accepts NULL */

/* The factor, from numbers of edges as in iterate.c: a / 2 (m), v (m x q), and from positions. */
int bodies_measure(run_t *run, bodies_t *bodies, const double *curvature, const double *reach,
                   const double *p);

/* zx, zy += P (P'HP)^-1 P' (rx, ry). */
int bodies_add(run_t *run, bodies_t *bodies, const double *rx, const double *ry, double *zx, double *zy);

#endif
