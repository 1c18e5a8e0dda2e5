/*
 * The Hessian of the relaxation on its tangent spaces, H = T' (M - Lambda + e D) T. The columns of T_i are an
 * orthonormal basis of the V_i with sym(V_i X_i') = 0: skew matrices times X_i, then single rows times what
 * completes X_i; and the position as it is.
 */
#ifndef LAVDM_CERTIFY_TANGENT_H
#define LAVDM_CERTIFY_TANGENT_H

#include "certify/proof.h"

typedef struct {
  int64_t r, size;  /* the rank; unknowns of a node */
  double *basis;    /* n x (rows x r) x size */
  double *unknowns; /* n x size */
  triangle_t h;
  int64_t *first; /* its blocks */
  factor_t *factor;
} tangent_t;

/* Operations for the matrix of rank r. */
double tangent_fill_work(const relaxation_t *t, int64_t r);

/* For rank r; out->factor is NULL if that, or basis and matrix, would have more bytes. */
int tangent_new(run_t *run, const relaxation_t *t, int64_t r, double bytes, tangent_t *out);
void tangent_free(tangent_t *h);

/* T at x. */
void tangent_at(const run_t *run, const relaxation_t *t, tangent_t *h, const double *x);

/* Operations that a factor takes, with its matrix. */
double tangent_work(const relaxation_t *t, const tangent_t *h);

/* The factor there. */
int tangent_factor(run_t *run, proof_t *proof, tangent_t *h, const double *lambda, double e, bool *positive);

/* z = T H^-1 T' y. */
int tangent_solve(run_t *run, proof_t *proof, tangent_t *h, const double *y, double *z);

#endif
