/*
 * Small pose graphs with information, priors, fixed nodes and sightings, and what the definitions of their
 * errors give when they are written out: poses as homogeneous matrices, derivatives by differences, dense
 * equations.
 */
#ifndef LAVDM_TESTS_SURVEYED_H
#define LAVDM_TESTS_SURVEYED_H

#include "lavdm/sync.h"

#include <stdbool.h>

enum {
  SURVEYED_N = 30,
  SURVEYED_E = 90,
  SURVEYED_X = 6 * SURVEYED_N + 3 * SURVEYED_N,
  SURVEYED_ROWS = 12 * SURVEYED_E + 6 * SURVEYED_N + 3 * SURVEYED_E
};

/* A graph with all that a survey has, and its truth. */
typedef struct {
  int64_t q, d, half, small, n, m, priors, fixed, sightings, points;
  int64_t row[SURVEYED_E], col[SURVEYED_E], prior[SURVEYED_N], fix[SURVEYED_N], by[SURVEYED_E],
      of[SURVEYED_E];
  double o[SURVEYED_E * 9], shift[SURVEYED_E * 3], info[SURVEYED_E * 21], kappa[SURVEYED_E], tau[SURVEYED_E];
  double prior_r[SURVEYED_N * 9], prior_p[SURVEYED_N * 3], prior_info[SURVEYED_N * 21];
  double fix_r[SURVEYED_N * 9], fix_p[SURVEYED_N * 3];
  double seen[SURVEYED_E * 3], seen_info[SURVEYED_E * 6];
  double r[SURVEYED_N * 9], p[SURVEYED_N * 3], l[SURVEYED_N * 3]; /* the truth */
  bool full;
  bool sines; /* not full: rotations by 8 kappa |v|^2, v of the quaternion, or 2 kappa (2 sin(angle / 2))^2;
                 the same chi2 as kappa |O - R_i R_k'|^2, but other derivatives of its errors */
  double trust[SURVEYED_E]; /* of edges */
} surveyed_t;

/* A walk of n nodes with chords, the first at the origin; information of eigenvalues 100 .. 100 spread. */
surveyed_t *surveyed_new(int64_t q, int64_t n, int64_t m, double spread, double noise, uint64_t seed);

/* Measures edge k anew, point `point` from node i, the pose of i up to `off`; fixes i where it is. */
void surveyed_measure(surveyed_t *g, int64_t k, double noise);
void surveyed_sight(surveyed_t *g, int64_t i, int64_t point, double noise);
void surveyed_prior(surveyed_t *g, int64_t i, double off);
void surveyed_fix(surveyed_t *g, int64_t i);

/* From the same random numbers: a rotation; a positive matrix, as its upper half. */
void surveyed_turn(int64_t q, double angle, double *m);
void surveyed_information(int64_t size, double spread, double scale, double *half);

/* The rotation by an axis times an angle. */
void surveyed_exponential(int64_t q, const double *w, double *m);

/* All errors times the roots of their information; returns how many. chi2 is the sum of their squares. */
int64_t surveyed_errors(const surveyed_t *g, const double *r, const double *p, const double *l, double *out);

/* Poses that are not held and points move by x: X -> (exp(w) R', p + s). */
void surveyed_move(const surveyed_t *g, const bool *held, const double *x, const double *r, const double *p,
                   const double *l, double *r2, double *p2, double *l2);
int64_t surveyed_unknowns(const surveyed_t *g, const bool *held);

/* j (rows x unknowns, by columns): the derivatives of the errors; returns the rows. */
int64_t surveyed_jacobian(const surveyed_t *g, const bool *held, const double *r, const double *p,
                          const double *l, double *j);

/* Gauss-Newton with those; returns chi2. */
double surveyed_minimise(const surveyed_t *g, const bool *held, double *r, double *p, double *l);

lavdm_survey surveyed_survey(const surveyed_t *g);
lavdm_edges surveyed_edges(const surveyed_t *g);
lavdm_sync_options surveyed_options(const surveyed_t *g, const lavdm_survey *survey, bool covariance);

#endif
