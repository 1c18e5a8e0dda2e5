#include "common/alignment.h"

#include <math.h>
#include <string.h>

/* M = [a b; c d]: the nearest rotation has (a+d, c-b) for cosine and sine, the nearest
 * reflection (a-d, b+c); the sign of det M says which is nearer. */
void align(const frame_t to, const frame_t from, double o[4]) {
  double m[4] = {0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++)
      for (int k = 0; k < 2; k++) m[2 * j + k] += to[2 * i + j] * from[2 * i + k];
  double flip = m[0] * m[3] - m[1] * m[2] < 0 ? -1 : 1;
  double c = m[0] + flip * m[3], s = m[2] - flip * m[1], size = hypot(c, s);
  c /= size, s /= size;
  o[0] = c, o[1] = -flip * s, o[2] = s, o[3] = flip * c;
}

static double square(const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

void effective_transport(const double *x, const frame_t frame_x, const double *y, const frame_t frame_y,
                         const double *landmarks, const frame_t *frames, int count, double epsilon,
                         double o[4]) {
  double total = 0;
  memset(o, 0, 4 * sizeof *o);
  for (int k = 0; k < count; k++) {
    const double *a = landmarks + 3 * k;
    double w = exp(-(square(x, a) + square(y, a)) / epsilon), first[4], second[4];
    align(frames[k], frame_x, first);
    align(frame_y, frames[k], second);
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++)
        o[2 * i + j] += w * (second[2 * i] * first[j] + second[2 * i + 1] * first[2 + j]);
    total += w;
  }
  for (int i = 0; i < 4; i++) o[i] /= total;
}

void carry(const frame_t to, const double o[4], const frame_t from, const double u[3], double out[3]) {
  double c[2] = {0}, d[2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++) c[j] += from[2 * i + j] * u[i];
  d[0] = o[0] * c[0] + o[1] * c[1], d[1] = o[2] * c[0] + o[3] * c[1];
  for (int i = 0; i < 3; i++) out[i] = to[2 * i] * d[0] + to[2 * i + 1] * d[1];
}
