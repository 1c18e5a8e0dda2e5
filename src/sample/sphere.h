/*
 * The unit sphere S^d in R^(d+1) and its angles a_0 ... a_(d-1):
 *   x_d = cos a_0,  x_(d-1) = sin a_0 cos a_1,  ...,
 *   x_1 = sin a_0 ... sin a_(d-2) sin a_(d-1),  x_0 = the same with cos a_(d-1),
 * the last in [0, 2 pi), the others in [0, pi]. On S^2 they are the polar
 * angle and the longitude, on S^1 the angle.
 */
#ifndef LAVDM_SAMPLE_SPHERE_H
#define LAVDM_SAMPLE_SPHERE_H

#include <stdint.h>

/* An orthonormal basis (d+1, d) of the plane orthogonal to x. */
void sphere_frame(const double *x, int64_t d, double *frame);

/* The angles (d) of x. */
void sphere_angles(const double *x, int64_t d, double *angles);

#endif
