/*
 * Poses of greatest likelihood where noise is isotropic. Of one component, as sync/sync.h has it: elements r
 * (n x q x q) and positions p (n x q) that minimise
 *
 *     sum over edges of kappa |O - R_i R_k'|^2 + tau |p_k - p_i - R_i' shift|^2,
 *
 * i being the row and k the col, norms those of Frobenius. Without shifts it is the first term alone, and
 * there is no p.
 */
#ifndef LAVDM_POSES_LIKELIHOOD_H
#define LAVDM_POSES_LIKELIHOOD_H

#include "sync/sync.h"

typedef struct {
  const part_t *part;        /* kappa is part->weight */
  const double *shift, *tau; /* m x q and m, or both NULL */
} likelihood_t;

typedef struct {
  double cost;
  double gradient; /* its length, Riemannian, where the descent ended */
  int64_t steps;
  bool converged; /* by factors: further steps would change nothing that rounding shows; by iteration: the
                     next would lower the cost by less than 1e-7 of it (Ceres ends at 1e-6) */
} fit_t;

/* The squares of an edge: |O - R_i R_k'|^2, and |p_k - p_i - R_i' shift|^2, 0 without shifts. */
void likelihood_miss(const likelihood_t *problem, const double *r, const double *p, int64_t e, double *turned,
                     double *moved);

double likelihood_cost(const run_t *run, const likelihood_t *problem, const double *r, const double *p);

/* p: the best positions for these elements. *exact: they were found to rounding. */
int likelihood_place(run_t *run, const likelihood_t *problem, const double *r, double *p, bool *exact);

/* r and p: the best of the elements given and of those of linear relaxations (relax.h), where these are
 * affordable, with the best positions for them (zeros where only likelihood_fit by iteration is affordable).
 * *exact is that of the positions. */
int likelihood_start(run_t *run, const likelihood_t *problem, bool reflections, double *r, double *p,
                     bool *exact);

/* r and p go down to a minimum near them. */
int likelihood_fit(run_t *run, const likelihood_t *problem, double *r, double *p, fit_t *out);

#endif
