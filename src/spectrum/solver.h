/*
 * Top eigenpairs of a symmetric operator that is known only by its product
 * with a block of vectors, so that every engine can share it.
 *
 * Blocks of vectors are row-major and packed: N rows, one column per vector.
 * Eigenvalues come in descending order, eigenvectors orthonormal and with the
 * sign that makes their largest entry positive (the first of those within 1e-6
 * of it, relatively).
 */
#ifndef LAVDM_SPECTRUM_SOLVER_H
#define LAVDM_SPECTRUM_SOLVER_H

#include "operator/operator.h"

/*
 * The r largest eigenvalues of a dense symmetric matrix a (N x N, row-major,
 * its upper triangle is read, all of it is destroyed) and their eigenvectors
 * (N x r), 1 <= r <= N. Accurate to rounding; solve_residuals measures it.
 */
int solve_dense(run_t *run, double *a, int64_t size, int64_t r, double *values, double *vectors);

/* The same of a matrix whose rows ranks share as those of `op`: a (N rows, the columns of all ranks), vectors
 * (N x r). Every rank holds all of it for a while. Without a team it is solve_dense. */
int solve_rows(run_t *run, const operator_t *op, double *a, int64_t r, double *values, double *vectors);

/*
 * The same for an operator with spectrum in [-1,1], by thick-restart block
 * Lanczos. Stops when every residual |A v - lambda v| <= tolerance, or when
 * more steps no longer help; residuals (r) are those reached, measured with
 * the operator itself. Finds every copy of a multiple eigenvalue. Holds some
 * 3 r + 64 vectors (at least 104, and 60 more for N from 1000 to 20000) besides
 * the result, which does not depend on the number of threads; at N <= 4 r + 64 it writes the matrix out for
 * solve_dense instead.
 */
int solve_iterative(run_t *run, const operator_t *op, int64_t r, double tolerance, double *values,
                    double *vectors, double *residuals);

/* |A v_l - lambda_l v_l| of each of r pairs. */
int solve_residuals(run_t *run, const operator_t *op, int64_t r, const double *values, const double *vectors,
                    double *residuals);

#endif
