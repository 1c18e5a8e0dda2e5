/*
 * The two-stage normalisation of the landmark graph, in products of W with
 * vectors alone:
 *
 *     D_Z   = W' W 1                                  (m)  landmarks' density
 *     D_X   = W D_Z^-beta W' 1                        (n)  points' density
 *     D     = D_X^-alpha W D_Z^-beta W' D_X^-alpha 1  (n)  degrees
 *     A     = D^-1/2 D_X^-alpha S D_Z^-beta/2
 *
 * Rows that stand for w points each: 1 on the right of W' is w, D_X^-alpha is w D_X^-alpha, and D is that of
 * all w together.
 */
#ifndef LAVDM_OPERATOR_SCALING_H
#define LAVDM_OPERATOR_SCALING_H

#include "graph/components.h"
#include "graph/graph.h"

#include <math.h>

typedef struct {
  double *row;     /* n: D^-1/2 D_X^-alpha; 0 for isolated points */
  double *column;  /* m: D_Z^-beta/2; 0 for landmarks that nothing reaches */
  double *degree;  /* n: D; 0 for isolated points */
  double *mass;    /* m: D_Z^-beta W' 1, so that D_X = W mass */
  double *inflow;  /* m: D_Z^-beta W' D_X^-alpha 1, so that D = D_X^-alpha W inflow */
  int64_t edges;   /* pairs with a weight */
  int64_t reached; /* sum over the tiles of the landmarks that it reaches */
  int64_t far;     /* points that were joined to their nearest landmarks only */
  components_t components;
} scaling_t;

/* Bytes of a point in it, and those that it takes besides while it is computed. */
enum { SCALING_ROW_BYTES = 24, SCALING_PASS_BYTES = 16 };

/* weight (n): w; NULL: 1. */
int REAL(scaling_compute)(run_t *run, const graph_t *graph, const double *weight, double alpha, double beta,
                          scaling_t *out);
void REAL(scaling_free)(scaling_t *scaling);

/* x^-power, 0 for 0. */
static inline double inverse_power(double x, double power) {
  if (!(x > 0)) return 0;
  return power == 0 ? 1 : power == 1 ? 1 / x : pow(x, -power);
}

#endif
