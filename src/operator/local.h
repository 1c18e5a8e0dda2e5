/*
 * The symmetric operator of dm and vdm on a graph with a bandwidth of each point's own, W_ik =
 * K(|x_i - x_k| / sqrt(epsilon rho_i rho_k)), such that for any rho its limit is the one that alpha asks for
 * where there is one bandwidth (Laplace-Beltrami for alpha = 1). With t = rho^-d/2,
 *
 *     D_X = t W t 1,   s = t rho^-1 D_X^-alpha,   D' = s W s 1,   P = D'^-1 s W s,
 *
 * where rows stand for w points each with D_X = t W t w, and w t in place of t in s.
 *
 * t makes the volume that a point sees the same everywhere, so that D_X is the density; rho^-1 takes away the
 * drift that is left, to where bandwidths are wide; and P - 1 tends to epsilon rho^2 times the generator.
 * What divides by rho^2 is to wait: with c the least rho^2, a point stays where it is with the probability 1
 * - c / rho^2,
 *
 *     T = 1 - c rho^-2 (1 - P),   D = D' rho^2,   N = D^1/2 T D^-1/2,
 *
 * a diffusion in even time (steps of c epsilon), which is symmetric with respect to D; block (i,k) of N is
 *
 *     (1 - c rho_i^-2) [i = k] + c rho_i^-1 D'_i^-1/2 s_i W_ik O_ik s_k D'_k^-1/2 rho_k^-1.
 *
 * At a new point x, T u = lambda u says what u[x] is: with mass = t, inflow = s and field = s u of the
 * points,
 *
 *     u[x] = (sum_k w_xk O_xk field_k / sum_k w_xk inflow_k) / (1 - z),   z = (1 - lambda) rho_x^2 / c.
 */
#ifndef LAVDM_OPERATOR_LOCAL_H
#define LAVDM_OPERATOR_LOCAL_H

#include "graph/components.h"
#include "graph/kernel.h"

/* Scales the blocks of `graph` in place; density (n) receives D_X and degree (n) D. Rows and columns of
 * isolated points (label < 0) become zero. weight (n): w; NULL: 1. */
int square_localise(run_t *run, bsr_t *graph, const components_t *components, double alpha,
                    const widths_t *local, const double *weight, double *density, double *degree);

/* Where a bandwidth is as wide as an eigenvector changes, z tends to 1 and says nothing any more. */
#define LOCAL_MOST 0.9

/* 1 / (1 - z), z at most LOCAL_MOST. */
static inline double local_gain(double value, double rho, double step) {
  double z = (1 - value) * rho * rho / step;
  return 1 / (1 - (z < LOCAL_MOST ? z : LOCAL_MOST));
}

#endif
