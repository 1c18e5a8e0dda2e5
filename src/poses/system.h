/*
 * First and second derivatives of the likelihood (poses/likelihood.h) by steps R_i -> R_i exp(x_i), p_i ->
 * p_i + y_i, x_i skew with d = q(q-1)/2 numbers, its upper triangle row by row. Of an edge from i to k, with
 * M = R_i' O R_k, v = R_i' shift, u = p_k - p_i - v, and S the symmetric part of its argument:
 *
 *     cost      = kappa (2 q - 2 tr M) + tau |u|^2
 *     gradient  : -2 kappa tr M (x_k - x_i) + 2 tau u'(y_k - y_i + x_i v)
 *     half of the second derivative:
 *         kappa (tr x_i' S(M) x_i + tr x_k' S(M) x_k + 2 tr x_i M x_k)
 *         + tau |y_k - y_i + x_i v|^2 + tau tr x_i' S(v u') x_i
 *
 * Gauss-Newton has 1 for M and no term with u: positive where node 0 stays, which has no rows in the matrix.
 */
#ifndef LAVDM_POSES_SYSTEM_H
#define LAVDM_POSES_SYSTEM_H

#include "factor/factor.h"
#include "poses/likelihood.h"

enum { SYSTEM_MOST_Q = 8, SYSTEM_MOST = SYSTEM_MOST_Q * (SYSTEM_MOST_Q + 1) / 2 };

/* The lower triangle of a matrix with a block of `size` rows for each node but node 0, and one for each pair
 * that edges join. */
typedef struct {
  triangle_t matrix;
  int64_t *block; /* n: first rows of the blocks, n - 1 of them */
  int32_t *rank;  /* 2 m: which block below the first of its column a link of part->link is; -1: above */
} pattern_t;

int pattern_new(run_t *run, const part_t *part, int64_t size, pattern_t *out);
void pattern_free(pattern_t *pattern);

/* Zero, in the columns of node j. */
void pattern_clear(pattern_t *pattern, int64_t size, int64_t j);

/* Adds blocks (size x size, by columns): that of link `at` of node j below the diagonal, and that on it. */
void pattern_add(pattern_t *pattern, int64_t size, int64_t j, int64_t at, const double *block);
void pattern_add_own(pattern_t *pattern, int64_t size, int64_t j, const double *block);

typedef struct {
  int64_t q, d, size;                              /* size: numbers of a node, d + q, or d without shifts */
  int64_t first[SYSTEM_MOST], second[SYSTEM_MOST]; /* row and column of each of the d numbers */
  double *turn;                                    /* m x q x q: M */
  double *reach, *miss;                            /* m x q: v, u; or NULL */
  double *gradient;                                /* n x size */
  pattern_t hessian;                               /* (n - 1) size rows */
} system_t;

typedef enum { EXACT, GAUSS_NEWTON } system_kind;

/* q is SYSTEM_MOST_Q at most, and n 2 or more. */
int system_new(run_t *run, const likelihood_t *problem, system_t *out);
void system_free(system_t *system);

/* turn, reach, miss and gradient. */
void system_measure(const run_t *run, const likelihood_t *problem, const double *r, const double *p,
                    system_t *system);

/* The matrix of what was measured; its diagonal times 1 + damping. */
void system_assemble(const run_t *run, const likelihood_t *problem, system_kind kind, double damping,
                     system_t *system);

/* to = from exp(factor x) */
void rotation_step(int64_t q, const double *from, const double *x, double factor, double *to);

#endif
