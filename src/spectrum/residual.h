/* Eigenpairs as the operator itself sees them. */
#ifndef LAVDM_SPECTRUM_RESIDUAL_H
#define LAVDM_SPECTRUM_RESIDUAL_H

#include "spectrum/panel.h"
#include "spectrum/solver.h"

/* Room for measure_pairs, `width` columns at a time. */
typedef struct {
  int64_t width;
  double *x, *y;   /* N x width */
  double *scratch; /* as panel_inner wants for 1 x width */
} measure_t;

/* residuals[l] = |A v_l - values[l] v_l| for the columns of v, which is only read. */
int measure_pairs(run_t *run, const operator_t *op, const measure_t *room, panel_t v, const double *values,
                  double *residuals);

/* The same with the Rayleigh quotients v_l' A v_l, which go to values. */
int measure_vectors(run_t *run, const operator_t *op, const measure_t *room, panel_t v, double *values,
                    double *residuals);

#endif
