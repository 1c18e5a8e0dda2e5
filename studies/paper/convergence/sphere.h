/* The unit sphere S^2: eigenfields of its connection Laplacian, and integrals. */
#ifndef LAVDM_EXPERIMENTS_SPHERE_H
#define LAVDM_EXPERIMENTS_SPHERE_H

#include "common/fields.h"

enum { SPHERE_GROUPS = 3 };

extern const int sphere_count[SPHERE_GROUPS];    /* multiplicities 6, 10, 14 ... */
extern const double sphere_value[SPHERE_GROUPS]; /* ... of the eigenvalues 1, 5, 11 */

/* d^l_11(theta) by c = cos theta, l = 1, 2, ... : the entry of parallel transport along
 * theta in the fields of degree l. */
double sphere_wigner(int l, double c);

/* Eigenvalue of one step of exp(-|x-y|^2/epsilon) with parallel transport, normalised,
 * points uniform, on the fields of degree l. */
double sphere_step(int l, double epsilon);

/* The fields of degrees 1 and 2 (gradients of spherical harmonics and the same turned by
 * a right angle) at the points: fields with q = 3, r = 16, to be freed. */
fields_t sphere_fields(const double *x, int64_t n);

#endif
