#include "convergence/sphere.h"

#include <math.h>
#include <string.h>

const int sphere_count[SPHERE_GROUPS] = {6, 10, 14};
const double sphere_value[SPHERE_GROUPS] = {1, 5, 11};

/* d^l_11 = (1+c)/2 P(c), P the Jacobi polynomial P^(0,2)_(l-1), by its recurrence. */
double sphere_wigner(int l, double c) {
  double before = 0, here = 1;
  for (int k = 1; k < l; k++) {
    double a = 2, b = 2.0 * k * (k + a) * (2.0 * k + a - 2), s = 2.0 * k + a;
    double next =
        k == 1 ? 1 + (2 + a) / 2 * (c - 1)
               : ((s - 1) * (s * (s - 2) * c - a * a) * here - 2.0 * (k - 1) * (k + a - 1) * s * before) / b;
    before = here, here = next;
  }
  return (1 + c) / 2 * here;
}

/* Ratio of integrals over c in [-1, 1] of exp(-2(1-c)/epsilon), by Simpson's rule in
 * s = sqrt(1-c), in which the integrand 2 s exp(-2 s^2/epsilon) is smooth. */
double sphere_step(int l, double epsilon) {
  enum { STEPS = 4000 };
  double top = 0, bottom = 0, h = sqrt(2) / STEPS;
  for (int k = 0; k <= STEPS; k++) {
    double s = k * h, weight = (k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2) * s * exp(-2 * s * s / epsilon);
    top += weight * sphere_wigner(l, 1 - s * s);
    bottom += weight;
  }
  return top / bottom;
}

/* Euclidean gradients at x of x, y, z and of xy, yz, zx, xx - yy, 2zz - xx - yy. */
static void gradients(const double x[3], double g[8][3]) {
  memset(g, 0, 24 * sizeof(double));
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3;
    g[a][a] = 1;
    g[3 + a][a] = x[b], g[3 + a][b] = x[a];
  }
  g[6][0] = 2 * x[0], g[6][1] = -2 * x[1];
  g[7][0] = -2 * x[0], g[7][1] = -2 * x[1], g[7][2] = 4 * x[2];
}

fields_t sphere_fields(const double *x, int64_t n) {
  fields_t out = {.n = n, .q = 3, .r = 16};
  out.vectors = room(out.r * 3 * n, sizeof *out.vectors);
  for (int64_t i = 0; i < n; i++) {
    const double *p = x + 3 * i;
    double g[8][3];
    gradients(p, g);
    for (int f = 0; f < 8; f++) {
      double normal = g[f][0] * p[0] + g[f][1] * p[1] + g[f][2] * p[2];
      int64_t at = f < 3 ? f : f + 3, turned = f < 3 ? f + 3 : f + 8;
      for (int j = 0; j < 3; j++) {
        int k = (j + 1) % 3, l = (j + 2) % 3;
        out.vectors[at * 3 * n + 3 * i + j] = g[f][j] - normal * p[j];
        out.vectors[turned * 3 * n + 3 * i + j] = p[k] * g[f][l] - p[l] * g[f][k];
      }
    }
  }
  return out;
}
