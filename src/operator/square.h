/*
 * The symmetric operator of dm and vdm:
 *     D = W 1,  W_a = D^-alpha W D^-alpha,  D_a = W_a 1,
 *     M = D_a^-1/2 S_a D_a^-1/2  (block (i,k) of S_a is W_a[i,k] O_ik);
 * where rows stand for w points each, 1 on the right of W is w, and D^-alpha is w D^-alpha: D_a is then that
 * of all w together; or balanced: W without its diagonal, and d > 0 such that d_i sum_k W_ik d_k = 1,   M =
 * diag(d) S diag(d),   D = 1.
 */
#ifndef LAVDM_OPERATOR_SQUARE_H
#define LAVDM_OPERATOR_SQUARE_H

#include "graph/components.h"

/* Scales the blocks of `graph` in place; density (n) receives D, degree (n) D_a. Rows and
 * columns of isolated points (label < 0) become zero. With a team (or NULL) these
 * are the rows of one rank, in the columns of all. weight (n): w, without a team; NULL: 1. */
int square_normalise(run_t *run, const team_t *team, bsr_t *graph, const components_t *components,
                     const double *weight, double alpha, double *density, double *degree);

/* Takes away the blocks that join rows to themselves; `first`: the column of row 0. */
void square_hollow(bsr_t *graph, int64_t first);

/* How far the row sums of a balanced graph are from 1 at most, over all ranks; and the row, -1 if it is not
 * here. */
typedef struct {
  double worst;
  int64_t row;
} balance_t;

/*
 * The same as square_normalise for a balanced graph, whose diagonal is gone: density (n) receives 1/d, and
 * degree 1; both are 0 for isolated points. d <- sqrt(d / W d), in turn, halves what is missing in every
 * step where the diffusion has no negative eigenvalues; it ends at BALANCED, or after BALANCE_STEPS.
 */
#define BALANCED 1e-12
enum { BALANCE_STEPS = 1000 };
int square_balance(run_t *run, const team_t *team, bsr_t *graph, const components_t *components,
                   double *density, double *degree, balance_t *reached);

#endif
