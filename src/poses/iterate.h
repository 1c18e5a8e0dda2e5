/*
 * The fit of greatest likelihood (likelihood.h) without factors, for graphs whose factors are too large:
 * steps of Newton or Gauss-Newton for rotations and positions at once, each by conjugate gradients whose
 * preconditioner is two multigrids and, in space, a factor of groups of nodes (bodies.h).
 */
#ifndef LAVDM_POSES_ITERATE_H
#define LAVDM_POSES_ITERATE_H

#include "poses/likelihood.h"

enum { ITERATE_MOST_Q = 8 }; /* beyond, nothing here serves */

typedef struct iterate iterate_t;

/* Multigrids for the weights as they are now; they serve for all steps. */
int iterate_new(run_t *run, const likelihood_t *problem, iterate_t **out);
void iterate_free(iterate_t *it); /* accepts NULL */

typedef struct {
  double fall;    /* by how much the step lowers the cost, if that were quadratic */
  double left;    /* by how much more it would if it were exact, about */
  bool solved;    /* whether it is good enough */
  int64_t cycles; /* of the preconditioner */
} step_t;

/* When a step is good enough. */
typedef struct {
  double tolerance; /* of its length in the norm of the preconditioner; or */
  double enough;    /* of the cost, for what is left */
  int64_t most;     /* cycles, at most */
} effort_t;

/* x (n x d) and y (n x q, or NULL without shifts): the step R_i -> R_i exp(x_i), p_i -> p_i + y_i from r
 * and p. */
int iterate_step(run_t *run, iterate_t *it, const double *r, const double *p, effort_t effort, double *x,
                 double *y, step_t *out);

/* p: the best positions for these elements, nearly. */
int iterate_place(run_t *run, iterate_t *it, const double *r, double *p, double tolerance);

/* r and p go down to a minimum near them. */
int iterate_fit(run_t *run, const likelihood_t *problem, double *r, double *p, fit_t *out);

#endif
