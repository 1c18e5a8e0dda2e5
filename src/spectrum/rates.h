/*
 * The rate of an eigenvalue is -log lambda, in the limit a multiple of the Laplacian's
 * eigenvalue. Eigenvalues without a gap between their rates are a group: what parts
 * them is scatter as much as the shape of the data.
 */
#ifndef LAVDM_SPECTRUM_RATES_H
#define LAVDM_SPECTRUM_RATES_H

#include <stdbool.h>
#include <stdint.h>

/* Infinite for an eigenvalue that is not positive; 0 if it is 1 to rounding. */
double rate_of(double value);

/* Below this a rate is zero to rounding. */
#define RATE_NOTHING 1e-9

/* Whether there is a gap between a rate and a larger one. */
bool rates_part(double rate, double next);

/* first (up to count + 1): group g of the descending eigenvalues is first[g] .. first[g+1]-1; how many there
 * are. They end where an eigenvalue is not positive. */
int64_t rates_groups(const double *values, int64_t count, int64_t *first);

#endif
