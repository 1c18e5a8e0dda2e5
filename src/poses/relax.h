/* A start for the fit that does not come from eigenvectors. */
#ifndef LAVDM_POSES_RELAX_H
#define LAVDM_POSES_RELAX_H

#include "poses/likelihood.h"

/* r (n x q x q), and p (n x q) where `joint`: the least squares solution of R_i = O R_k (and p_k - p_i = R_i'
 * shift) over all matrices with R_0 = 1, by one factor, each taken to the nearest rotation, or to the nearest
 * orthogonal matrix if `reflections`. *found is false if the factor would take more operations than `most`.
 */
int relax_poses(run_t *run, const likelihood_t *problem, bool joint, bool reflections, double most, double *r,
                bool *found);

#endif
