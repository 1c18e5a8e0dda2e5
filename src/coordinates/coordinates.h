/*
 * Which eigenvectors of a scalar diffusion are coordinates: those that are not functions of
 * slower ones, as the parabola of a long strip is, and those that tell large pieces of the graph apart. And
 * how many of all lead: those before a gap of the rates -log lambda that no harmonics have.
 */
#ifndef LAVDM_COORDINATES_COORDINATES_H
#define LAVDM_COORDINATES_COORDINATES_H

#include "model/model.h"

/*
 * After the fit: the arrays `coordinate_index`, `coordinate_lead` and `coordinate_residuals` of
 * the model, where eigenvectors are functions (`scalar`); and the reasons, in any case.
 * The rest of the model stays as it is, but for pieces_turn.
 */
int coordinates_choose(run_t *run, bool scalar, lavdm_model *model);

/*
 * Turns the eigenvectors of eigenvalue 1 of a graph of several components, where all of these are among them:
 * the first becomes constant, and number k tells component k-1 from the smaller ones. *large: how many
 * components have at least this share of the points, 0 if nothing was turned.
 */
int pieces_turn(run_t *run, lavdm_model *model, double share, int64_t *large);

/* How many eigenvalues come before the last gap that stands out, and by which factor rates grow there; 0 if
 * none does, and *factor is the largest. The first `zero` rates are those of constants. */
int64_t leading_values(const double *values, int64_t count, int64_t zero, double *factor);

/*
 * Leave-one-out local linear regression of y (count) on the columns x[0] .. x[width-1]
 * (count each): with the weights exp(-d^2 / h^2) of all other points, d the distance in
 * those columns and h a third of their median,
 *     r = sqrt(sum (y - fit)^2 / sum y^2),
 * after Dsilva, Talmon, Coifman and Kevrekidis, "Parsimonious representation of nonlinear
 * dynamical systems through manifold learning". Near 0: y is a function of the columns;
 * 1 or more: they say nothing of it. Without columns the fit (count) is 0, and *r is 1.
 */
int regression_residual(run_t *run, const double *const *x, int64_t width, const double *y, int64_t count,
                        double *fit, double *r);

#endif
