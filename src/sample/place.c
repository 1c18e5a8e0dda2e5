#include "sample/shapes.h"
#include "sample/sphere.h"

#include <math.h>

/*
 * Gram-Schmidt on the columns of a (p, d), each projected twice so that they
 * are orthonormal to rounding. Returns the volume that they spanned.
 */
static double orthonormalise(int64_t p, int64_t d, double *a) {
  double volume = 1;
  for (int64_t c = 0; c < d; c++) {
    for (int64_t b = 0; b < 2 * c; b++) {
      const double *other = a + b % c;
      double dot = 0;
      for (int64_t j = 0; j < p; j++) dot += other[j * d] * a[j * d + c];
      for (int64_t j = 0; j < p; j++) a[j * d + c] -= dot * other[j * d];
    }
    double square = 0;
    for (int64_t j = 0; j < p; j++) square += a[j * d + c] * a[j * d + c];
    double length = sqrt(square);
    for (int64_t j = 0; j < p; j++) a[j * d + c] /= length;
    volume *= length;
  }
  return volume;
}

double shape_place(const shape_t *shape, const double *base, double *x, double *frame) {
  int64_t p = shape->p, d = shape->d;
  if (shape->base == BASE_BOX) {
    shape->map(base, x, frame);
    return orthonormalise(p, d, frame);
  }
  /* the derivative along an orthonormal frame of the sphere: no pole is special */
  double jacobian[SHAPE_P * SHAPE_BASE], tangent[SHAPE_BASE * SHAPE_D];
  shape->map(base, x, jacobian);
  sphere_frame(base, d, tangent);
  for (int64_t j = 0; j < p; j++)
    for (int64_t a = 0; a < d; a++) {
      double sum = 0;
      for (int64_t k = 0; k <= d; k++) sum += jacobian[j * (d + 1) + k] * tangent[k * d + a];
      frame[j * d + a] = sum;
    }
  return orthonormalise(p, d, frame);
}
