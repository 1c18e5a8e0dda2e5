/*
 * Poses by least squares, from a start: the poses X_i = (R_i', p_i) and points l that minimise
 *
 *     chi2 = sum of e' I e,
 *
 * over edges, priors and sightings, I being the information of each, with the errors of the g2o format:
 *
 *     edge        the shift of Z^-1 X_i^-1 X_k, and its angle (q = 2) or the vector part of its quaternion
 *                 with a scalar part of 0 or more (q = 3)
 *     prior       the same of Z^-1 X_i
 *     sighting    R_i (l - p_i) - z
 *
 * An edge without information of its own counts by kappa |O - R_i R_k'|^2 + tau |p_k - p_i - R_i' shift|^2,
 * as in poses/likelihood.h: that is the information tau of the shift, 8 kappa of the vector part, or 2 kappa
 * of 2 sin(angle / 2). Trust multiplies the information of an edge.
 *
 *     check       what was given                                     check.c
 *     problem     errors, unknowns and what holds them               problem.c, gauge.c
 *     start       components where fixed nodes, priors, points are   start.c, join.c
 *     errors      and their derivatives                              errors.c
 *     normal      the matrix of normal equations                     normal.c
 *     descend     steps of Levenberg and Marquardt                   descend.c
 *     spread      covariances                                        spread.c
 *     tell        residuals, verdicts                                tell.c
 */
#ifndef LAVDM_SURVEY_SURVEY_H
#define LAVDM_SURVEY_SURVEY_H

#include "sync/arrange.h"

/* What comes in and goes out beside the options. */
typedef struct {
  double *element, *position; /* a->n x q x q, x q: the start, and then the solution */
  const double *trust;        /* of the edges as given */

  bool fitted;    /* whether least squares was done; if not, poses were moved as a whole at most */
  bool converged; /* if it was */
  int64_t steps;  /* of it */
  int64_t frames; /* components, once those that saw the same points are one */
  int64_t lone;   /* nodes without edges that nothing else places */
  double chi2;    /* NaN if not fitted */
  double spread;  /* the largest information of one number by the least */
  int64_t points;
  int64_t *point;                                         /* points, ascending */
  double *point_position, *point_covariance, *covariance; /* as lavdm_sync_t has them, or NULL */
} survey_t;

/* Whether the options ask for anything that is done here. */
bool survey_asked(const lavdm_sync_options *options);

/* Checks all that is given of a survey: the nodes are those of `a`. */
int survey_check(run_t *run, const arranged_t *a, const group_t *group, const lavdm_sync_options *options);

/* What was checked. */
int survey_solve(run_t *run, const arranged_t *a, const lavdm_sync_options *options, survey_t *out);
void survey_free(survey_t *survey); /* what is owned: point and below */

/* If poses were fitted: residuals of the edges and the cost anew, and what the components say of proof. */
int survey_tell(run_t *run, const arranged_t *a, const group_t *group, const lavdm_sync_options *options,
                const survey_t *survey, double *residual, lavdm_sync_component *part);

#endif
