/*
 * The relaxation that certify.h speaks of. Its points X have `rows` rows for each node and r columns: the q
 * rows of R_i, orthonormal, and the position p_i as one more row, if there are shifts. One node's position
 * is held at 0 (its ground), in every piece of the graph that edges of weight join. With S = M - Lambda,
 *
 *     f(X) = tr X' M X,    Lambda_i = sym((M X)_i X_i'),    gradient 2 S X,    Hessian V -> 2 P(S V),
 *
 * P(V)_i = V_i - sym(V_i X_i') X_i, all of it for the rows of rotations; Lambda is 0 for those of positions.
 */
#ifndef LAVDM_CERTIFY_RELAXATION_H
#define LAVDM_CERTIFY_RELAXATION_H

#include "factor/factor.h"
#include "poses/likelihood.h"

enum { MOST_CLIMB = 7 }; /* ranks above q */

typedef struct {
  const likelihood_t *problem;
  int64_t n, q, rows;
  bool *ground;         /* n */
  int64_t *root;        /* n: the ground of its piece; NULL without positions */
  double *scale, total; /* n: the weight of its edges, half its own and half the mean; q times their sum */
  double *share;        /* n, scratch */
  triangle_t m;         /* M, of n * rows rows; those of a ground are of the identity */
  int64_t *first;       /* n + 1: its blocks */
} relaxation_t;

int relaxation_new(run_t *run, const likelihood_t *problem, relaxation_t *out);
void relaxation_free(relaxation_t *t);

/* M as a triangle, and its blocks; assemble.c. */
int relaxation_assemble(run_t *run, relaxation_t *t);

/* value: M - Lambda + gap/total * scale, the last on the rows of rotations. */
void relaxation_shifted(const relaxation_t *t, const double *lambda, double gap, double *value);

/* The grounds; ground.c. */
int relaxation_ground(run_t *run, relaxation_t *t);

double relaxation_cost(const run_t *run, const relaxation_t *t, int64_t r, const double *x);

/* y = M X, by the residuals of edges: exact to rounding of these where M X nearly vanishes. */
void relaxation_product(const run_t *run, const relaxation_t *t, int64_t r, const double *x, double *y);

/* lambda (n x q x q) from y = M X. Returns its trace. */
double relaxation_multipliers(const relaxation_t *t, int64_t r, const double *x, const double *y,
                              double *lambda);

/* y = (M - Lambda) v. */
void relaxation_curve(const run_t *run, const relaxation_t *t, int64_t r, const double *lambda,
                      const double *v, double *y);

/* v = P(v). */
void relaxation_project(const run_t *run, const relaxation_t *t, int64_t r, const double *x, double *v);

/* out = X turned by the rotations that begin as step V (tangent), positions X + step V. */
void relaxation_move(const run_t *run, const relaxation_t *t, int64_t r, const double *x, const double *v,
                     double step, double *out);

/* Sum of the products of all entries. */
double relaxation_dot(const relaxation_t *t, int64_t r, const double *x, const double *y);

/* Elements and positions as a point of rank q, and back, the first node at the origin. p may be NULL. */
void relaxation_take(const relaxation_t *t, const double *r, const double *p, double *x);
void relaxation_give(const relaxation_t *t, const double *x, double *r, double *p);

#endif
