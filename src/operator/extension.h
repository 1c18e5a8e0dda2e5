/*
 * Eigenvectors at points that were not in the fit. The row of a new point x over
 * the references is made and normalised as those of the fit were,
 *
 *     D_X = sum_k w_xk mass_k,   D = D_X^-alpha sum_k w_xk inflow_k,
 *     u[x] = D^-1 D_X^-alpha sum_k w_xk O_xk field_k,
 *
 * where through landmarks mass and inflow are those of scaling.h and field =
 * D_Z^-beta/2 V / sigma; between points mass = 1, inflow = D_X^-alpha and field =
 * D_X^-alpha u / lambda. Between points that are balanced (operator/square.h) mass, inflow and what
 * multiplies u / lambda are d = 1/D_X, and alpha is 1: then D_X^-1 is the d of the new point, and D = 1. A
 * point of the fit gets back what it had. With local bandwidths: operator/local.h.
 */
#ifndef LAVDM_OPERATOR_EXTENSION_H
#define LAVDM_OPERATOR_EXTENSION_H

#include "operator/scaling.h"

typedef struct {
  int64_t r;
  double alpha;
  double *mass, *inflow; /* m */
  real_t *field;         /* m q x r */
  const double *values;  /* r: eigenvalues, with local bandwidths; else NULL */
  const widths_t *local;
  real_t *known; /* points beyond every cut-off that the fit took in, sorted by their bytes */
  int64_t known_count;
  bool take_far; /* all such points are taken in */
} extension_t;

typedef struct {
  int64_t edges, ill,
      far; /* pairs with a weight, ill alignments, points beyond every cut-off that were taken in */
} extension_seen;

/*
 * u (n x q x r) and degree (n) of the points of the graph, in the order that
 * order[i] gives. A point beyond the cut-off of every reference, and not known, has
 * NaN and degree 0; with take_far it is joined to its nearest ones, as in a fit. order NULL: that of the
 * graph. `seen` may be NULL.
 */
int REAL(extension_fields)(run_t *run, const graph_t *graph, const extension_t *extension,
                           const int64_t *order, real_t *u, double *degree, extension_seen *seen);

/* Brings `known` into order; whether x (p) is among them. */
void REAL(extension_sort)(extension_t *extension, int64_t p);
bool REAL(extension_knows)(const extension_t *extension, const real_t *x, int64_t p);
void REAL(extension_free)(extension_t *extension); /* accepts a zeroed one */

#endif
