/*
 * A proof that poses are of the greatest likelihood of all. The problem of poses/likelihood.h is relaxed: R_i
 * becomes a matrix of q orthonormal rows of r > q numbers (a Stiefel manifold), p_i has r numbers. Its
 * multipliers Lambda give a bound that holds for every r, and so for the poses themselves: the cost less n q
 * e, where S - Lambda + e is positive. If there is no such small e, the direction of least curvature leads to
 * a lower point at rank r + 1: the Riemannian staircase.
 */
#ifndef LAVDM_CERTIFY_CERTIFY_H
#define LAVDM_CERTIFY_CERTIFY_H

#include "poses/likelihood.h"

enum { VERDICT_SIZE = 200 };

typedef struct {
  double cost, bound; /* bound: NaN if none is known */
  int64_t rank, steps;
  bool certified;
  char verdict[VERDICT_SIZE]; /* a sentence */
} certificate_t;

/* r and p are a minimum as likelihood_fit leaves it, and are replaced by a lower one if the staircase leads
 * there. `most`: seconds of work that may be spent, as far as operations tell; beyond that it is not
 * certified and says so. */
int certify_optimum(run_t *run, const group_t *group, const likelihood_t *problem, double most, double *r,
                    double *p, certificate_t *out);

#endif
