/*
 * The symmetric operator of dm and vdm:
 *     D = W 1,  W_a = D^-alpha W D^-alpha,  D_a = W_a 1,
 *     M = D_a^-1/2 S_a D_a^-1/2  (block (i,k) of S_a is W_a[i,k] O_ik).
 */
#ifndef LAVDM_OPERATOR_SQUARE_H
#define LAVDM_OPERATOR_SQUARE_H

#include "graph/components.h"

/* Scales the blocks of `graph` in place; degree (n) receives D_a. Rows and
 * columns of isolated points (label < 0) become zero. With a team (or NULL) these
 * are the rows of one rank, in the columns of all. */
int square_normalise(run_t *run, const team_t *team, bsr_t *graph, const components_t *components,
                     double alpha, double *degree);

#endif
