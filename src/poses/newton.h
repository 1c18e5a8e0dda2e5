/*
 * A step of Newton's method on the likelihood: H step = -gradient with the second derivatives H of system.h,
 * by a Cholesky factor. A factor of an H before serves again as the preconditioner of conjugate gradients, as
 * long as few of these are enough.
 */
#ifndef LAVDM_POSES_NEWTON_H
#define LAVDM_POSES_NEWTON_H

#include "poses/system.h"

typedef struct {
  system_t system;
  factor_t *factor;
  bool made;                               /* whether the factor has numbers */
  int64_t most;                            /* conjugate gradients that are cheaper than a factor */
  double *step;                            /* (n - 1) x size */
  double *residual, *along, *product, *by; /* as many */
  double damping;                          /* of Gauss-Newton; 0: none is needed */
  double fall;                             /* of the last step */
  bool exact;                              /* whether the last step was of an exact and positive H */
} newton_t;

/* newton->factor is NULL if it would be too large. */
int newton_new(run_t *run, const likelihood_t *problem, newton_t *out);
void newton_free(newton_t *newton);

/* The step for what system_measure found, and by how much it lowers the cost if that were quadratic. There is
 * none, and *fall is NaN, if not even much damping makes H positive. */
int newton_step(run_t *run, const likelihood_t *problem, newton_t *newton, double *fall);

#endif
