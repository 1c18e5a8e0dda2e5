/* The manifolds that lavdm_sample draws. A new one is a map and a row of the table in shapes.c. */
#ifndef LAVDM_SAMPLE_SHAPES_H
#define LAVDM_SAMPLE_SHAPES_H

#include "lavdm/sample.h"

/* Largest p, d and number of base coordinates of a shape with a map. */
enum { SHAPE_P = 32, SHAPE_D = 2, SHAPE_BASE = 3 };

#define PI     3.14159265358979323846
#define TWO_PI 6.28318530717958647693

/* Where the points of a shape come from: a box of parameters, or the unit
 * sphere S^d, whose parameters are angles (see sphere.h). */
typedef enum { BASE_BOX, BASE_SPHERE } base_t;

/*
 * The point x (p) at a point of the base, and the Jacobian (p, d) of the map
 * or, from the sphere, (p, d+1) of any smooth extension of it to R^(d+1): only
 * its products with tangent vectors of the sphere are used.
 */
typedef void (*shape_map)(const double *base, double *x, double *jacobian);

typedef struct {
  lavdm_shape about;
  int64_t p, d; /* 0: given by `dim` */
  base_t base;
  double low[SHAPE_D], high[SHAPE_D]; /* of the parameters */
  shape_map map;                      /* NULL: the unit sphere itself */
  double area;                        /* no less than the area element anywhere; 0: it is constant */
  double reach;                       /* largest first coordinate, for the density `bump` */
} shape_t;

/* The shape and its dimensions, or NULL with the reason in error. */
const shape_t *shape_find(const char *name, int64_t dim, int64_t *p, int64_t *d, lavdm_error *error);

/* The point x (p), an orthonormal tangent frame (p, d) and, returned, the area
 * element of the map with respect to the base. For shapes with a map. */
double shape_place(const shape_t *shape, const double *base, double *x, double *frame);

#endif
