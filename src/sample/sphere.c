#include "sample/sphere.h"
#include "sample/shapes.h"

#include <math.h>

/*
 * The reflection H = I - v v' / (1 + |x_0|), v = x + s e_0, s = sign(x_0), has
 * H e_0 = -s x; its other columns are the frame. 1 + |x_0| >= 1 divides well
 * everywhere.
 */
void sphere_frame(const double *x, int64_t d, double *frame) {
  double s = x[0] < 0 ? -1 : 1, scale = 1 / (1 + fabs(x[0]));
  for (int64_t a = 0; a < d; a++) frame[a] = -s * x[a + 1];
  for (int64_t i = 1; i <= d; i++)
    for (int64_t a = 0; a < d; a++) frame[i * d + a] = (i == a + 1) - scale * x[i] * x[a + 1];
}

void sphere_angles(const double *x, int64_t d, double *angles) {
  double turn = atan2(x[1], x[0]);
  if (turn < 0) turn += TWO_PI;
  angles[d - 1] = turn < TWO_PI ? turn : 0;
  /* a_k = angle between x_(d-k) and the length of the coordinates before it */
  double length = hypot(x[0], x[1]);
  for (int64_t k = d - 2; k >= 0; k--) {
    angles[k] = atan2(length, x[d - k]);
    length = hypot(length, x[d - k]);
  }
}
