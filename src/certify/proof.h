/*
 * The bound that a point of the relaxation proves. For every X of it, and any e and symmetric Lambda,
 *
 *     tr X' M X = tr X' (M - Lambda + e D) X + tr Lambda - e tr D,
 *
 * D being `scale` on the rows of rotations and 0 on those of positions. Where M - Lambda + e D has a Cholesky
 * factor, no X is below tr Lambda - e tr D, but for rounding.
 *
 * Rounding is allowed for by an estimate, not by a theorem: how far the factor is from the matrix is measured
 * on X itself, column by column, x' (L L' - A) x; ten times the greatest of these for every column is taken
 * off the bound, and eight roundings of tr D. It is X, near the optimum, on which an error of the factor
 * counts; the worst that Cholesky's backward error admits over all X is more than that. Where this allowance
 * is most of the gap, the verdict says "to rounding".
 */
#ifndef LAVDM_CERTIFY_PROOF_H
#define LAVDM_CERTIFY_PROOF_H

#include "certify/relaxation.h"

#include <float.h>

static const double bound_rounding = 8 * DBL_EPSILON; /* of tr D */

typedef struct {
  const relaxation_t *t;
  factor_t *factor;
  triangle_t shifted;     /* start and row are those of t->m */
  double *lambda, *value; /* n x q x q; products, n x rows x r */
  double *column;         /* n x rows */
  double gap;             /* e tr D of the factor, if there is one */
  double trace, rounding; /* tr Lambda, and what the last bound allows for rounding */
  double most, spent;     /* operations, of which factors are not all */
  int64_t directions;     /* how many were asked for */
} proof_t;

/* `bytes`: the most that a factor may have; proof->factor is NULL if it has more. */
int proof_new(run_t *run, const relaxation_t *t, double bytes, double operations, proof_t *out);
void proof_free(proof_t *proof);

/* *bound from x of rank r, whose cost is f. *solved: e is so small that x is the solution of the relaxation.
 * If not, the factor is that of the least e found, with which proof_direction works. */
int proof_bound(run_t *run, proof_t *proof, int64_t r, const double *x, double f, double *bound,
                bool *solved);

/* The same *bound, higher if e can be lower, with the least curvature of proof_direction, at the x of the
 * last proof_bound. Its factor may be lost. */
int proof_tighten(run_t *run, proof_t *proof, int64_t r, const double *x, double curve, double *bound);

/* Whether there are operations left for so many. */
bool proof_affords(const proof_t *proof, double operations);

/* Operations that computing a factor takes, with the work beside them. */
double proof_work(const factor_t *factor);

/* v (n x rows): where M - Lambda has its least curvature, v' D v being tr D; *curve = v' (M - Lambda) v. */
int proof_direction(run_t *run, proof_t *proof, double *v, double *curve);

/* Operations that takes. */
double direction_work(const proof_t *proof);

#endif
