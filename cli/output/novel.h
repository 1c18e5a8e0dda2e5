/*
 * Which coordinates of a spectral embedding say something new. Harmonics repeat: on a
 * long strip the second eigenfunction is a function of the first. A coordinate is new if
 * local linear regression on those taken before it leaves much of its variance.
 */
#ifndef LAVDM_CLI_NOVEL_H
#define LAVDM_CLI_NOVEL_H

#include <stdint.h>

/* Takes up to `most` of the columns of x (n x width), the first one and then each that is
 * new; returns their number, or -1 without memory. */
int novel_columns(const double *x, int64_t n, int64_t width, int most, int64_t *taken);

#endif
