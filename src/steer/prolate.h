/*
 * Radial parts R of the prolate functions R(x) e^(ik phi) of the unit disk: of all
 * functions whose spectrum ends at c, those that keep most of their energy in the
 * disk, the share lambda, in descending order of it.
 */
#ifndef LAVDM_STEER_PROLATE_H
#define LAVDM_STEER_PROLATE_H

#include <stdint.h>

typedef struct {
  int64_t k, terms, count;
  double *lambda;      /* count */
  double *coefficient; /* count x terms, of the Zernike functions of band k */
} prolate_t;

/* Those with lambda >= least, and in band 0 at least one. False: no memory. */
int prolate_new(double c, int64_t k, double least, prolate_t *out);
void prolate_free(prolate_t *prolate);

/* out (count x points) = R at radius x in [0, 1], of norm 1 in x dx. False: no memory. */
int prolate_values(const prolate_t *prolate, const double *x, int64_t points, double *out);

#endif
