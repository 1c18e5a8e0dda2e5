/*
 * Down to a minimum of the relaxation at rank r by Newton's method, damped as Levenberg has it: steps
 * -T (H + e D)^-1 T' g by the factor of tangent.h, with e raised where a step fails and lowered where it
 * keeps what it promised. Positions are the best for their rotations after every step, since a long chain
 * that bends moves them along arcs.
 */
#ifndef LAVDM_CERTIFY_DESCEND_H
#define LAVDM_CERTIFY_DESCEND_H

#include "certify/positions.h"
#include "certify/tangent.h"

typedef struct {
  proof_t *proof; /* counts the operations */
  double bytes;   /* the most of a factor */
  tangent_t tangent;
  positions_t positions;
  double *lambda;                         /* n x q x q */
  double *gradient, *step, *next, *other; /* n x rows x r each */
  double floor;    /* below this cost the poses there are cannot be proved: slow steps are not worth it */
  double patience; /* operations, after which even fast ones are not */
  int64_t steps;
  bool converged, cut; /* cut: operations ran out */
} descent_t;

/* Room for ranks up to q + MOST_CLIMB. */
int descent_new(run_t *run, proof_t *proof, double bytes, double patience, descent_t *out);
void descent_free(descent_t *d);

/* x (rank r) goes down; *f is its cost. It stays where it is, not converged, if the factor is too large, or
 * takes more operations than are left. */
int descend(run_t *run, descent_t *d, int64_t r, double *x, double *f);

#endif
