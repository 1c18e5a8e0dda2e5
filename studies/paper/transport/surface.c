/*
 * phi(u,v) with its first and second derivatives, by the arithmetic of jets, and the
 * equations
 *   geodesic            c''^k = -Gamma^k_ij c'^i c'^j
 *   parallel transport  V'^k  = -Gamma^k_ij c'^i V^j
 * with Gamma^k_ij = g^kl <phi_ij, phi_l>, by the classical Runge-Kutta method.
 */
#include "transport/surface.h"
#include "common/text.h"

#include <math.h>
#include <string.h>

/* f, f_u, f_v, f_uu, f_uv, f_vv */
typedef struct {
  double f, d[2], h[3];
} jet;

static jet variable(double value, int which) {
  jet a = {.f = value};
  a.d[which] = 1;
  return a;
}

static jet constant(double value) {
  return (jet){.f = value};
}

static jet plus(jet a, double s, jet b) {
  a.f += s * b.f;
  for (int i = 0; i < 2; i++) a.d[i] += s * b.d[i];
  for (int i = 0; i < 3; i++) a.h[i] += s * b.h[i];
  return a;
}

static jet times(jet a, jet b) {
  jet c = {.f = a.f * b.f};
  for (int i = 0; i < 2; i++) c.d[i] = a.d[i] * b.f + a.f * b.d[i];
  for (int i = 0; i < 3; i++) {
    int p = i == 2, q = i >= 1;
    c.h[i] = a.h[i] * b.f + a.d[p] * b.d[q] + a.d[q] * b.d[p] + a.f * b.h[i];
  }
  return c;
}

/* g(a) where g, g', g'' at a.f are given */
static jet chain(jet a, double g, double g1, double g2) {
  jet c = {.f = g};
  for (int i = 0; i < 2; i++) c.d[i] = g1 * a.d[i];
  for (int i = 0; i < 3; i++) c.h[i] = g1 * a.h[i] + g2 * a.d[i == 2] * a.d[i >= 1];
  return c;
}

static jet sine(jet a) {
  return chain(a, sin(a.f), cos(a.f), -sin(a.f));
}
static jet cosine(jet a) {
  return chain(a, cos(a.f), -sin(a.f), -cos(a.f));
}
static jet power(jet a, double e) {
  return chain(a, pow(a.f, e), e * pow(a.f, e - 1), e * (e - 1) * pow(a.f, e - 2));
}
static jet exponential(jet a) {
  return chain(a, exp(a.f), exp(a.f), exp(a.f));
}

/* w(u), where 1/2 + cos(2u - pi)/2 = (sin u)^2 */
static jet cutoff(jet u) {
  jet rest = plus(constant(acos(-1)), -1, u);
  jet k = times(power(u, -2.6), power(rest, -2.2));
  return times(exponential(plus(constant(0), -1, k)), power(sine(u), 4.4));
}

static jet rho(jet u, jet v) {
  jet sum = plus(constant(0), 0.2, sine(plus(v, 2, u)));
  sum = plus(sum, 0.15, cosine(plus(u, 4, v)));
  sum = plus(sum, 0.1, times(sine(plus(constant(0), 4, u)), cosine(plus(constant(0), 2, v))));
  return plus(constant(1), 1, times(cutoff(u), sum));
}

static void phi(double at_u, double at_v, jet x[3]) {
  jet u = variable(at_u, 0), v = variable(at_v, 1), r = rho(u, v), side = times(r, sine(u));
  x[0] = plus(constant(0), 1.1, times(side, cosine(v)));
  x[1] = times(side, sine(v));
  x[2] = plus(constant(0), 0.9, times(r, cosine(u)));
}

void surface_point(double u, double v, double x[3], double frame[6]) {
  jet p[3];
  double first = 0, dot = 0, second = 0;
  if (u <= 0 || u >= acos(-1)) {
    x[0] = x[1] = 0, x[2] = u <= 0 ? 0.9 : -0.9;
    return;
  }
  phi(u, v, p);
  for (int i = 0; i < 3; i++) x[i] = p[i].f, first += p[i].d[0] * p[i].d[0];
  if (!frame) return;
  for (int i = 0; i < 3; i++) dot += p[i].d[0] * p[i].d[1] / first;
  for (int i = 0; i < 3; i++) {
    frame[2 * i] = p[i].d[0] / sqrt(first);
    frame[2 * i + 1] = p[i].d[1] - dot * p[i].d[0];
    second += frame[2 * i + 1] * frame[2 * i + 1];
  }
  for (int i = 0; i < 3; i++) frame[2 * i + 1] /= sqrt(second);
}

static double inner(const jet x[3], int i, int j) {
  return x[0].d[i] * x[0].d[j] + x[1].d[i] * x[1].d[j] + x[2].d[i] * x[2].d[j];
}

/* out^k = sum of g^kl b_l */
static void raise_index(const jet x[3], const double b[2], double out[2]) {
  double e = inner(x, 0, 0), f = inner(x, 0, 1), g = inner(x, 1, 1), area = e * g - f * f;
  out[0] = (g * b[0] - f * b[1]) / area, out[1] = (e * b[1] - f * b[0]) / area;
}

/* -Gamma^k_ij a^i b^j */
static void turn(const jet x[3], const double a[2], const double b[2], double out[2]) {
  double low[2] = {0};
  for (int i = 0; i < 3; i++) {
    double second =
        x[i].h[0] * a[0] * b[0] + x[i].h[1] * (a[0] * b[1] + a[1] * b[0]) + x[i].h[2] * a[1] * b[1];
    for (int l = 0; l < 2; l++) low[l] -= second * x[i].d[l];
  }
  raise_index(x, low, out);
}

enum { STATE = 6 }; /* c, c', V */

static void slope(const double *s, double *out) {
  jet x[3];
  phi(s[0], s[1], x);
  out[0] = s[2], out[1] = s[3];
  turn(x, s + 2, s + 2, out + 2);
  turn(x, s + 2, s + 4, out + 4);
}

static void step(double *s, double h) {
  double k[4][STATE], at[STATE];
  static const double part[4] = {0, 0.5, 0.5, 1};
  for (int stage = 0; stage < 4; stage++) {
    for (int i = 0; i < STATE; i++) at[i] = s[i] + (stage ? part[stage] * h * k[stage - 1][i] : 0);
    slope(at, k[stage]);
  }
  for (int i = 0; i < STATE; i++) s[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

/* From `from` with velocity and V, for a unit of time. path may be NULL. */
static void shoot(const double from[2], const double velocity[2], const double v[2], double end[STATE],
                  double (*path)[3]) {
  double s[STATE] = {from[0], from[1], velocity[0], velocity[1], v[0], v[1]};
  for (int k = 0; k <= GEODESIC_STEPS; k++) {
    if (path) surface_point(s[0], s[1], path[k], NULL);
    if (k < GEODESIC_STEPS) step(s, 1.0 / GEODESIC_STEPS);
  }
  memcpy(end, s, sizeof s);
}

/* Newton's method for the velocity that leads to `to`, derivatives by differences. */
static double aim(const double from[2], const double to[2], double velocity[2]) {
  double none[2] = {0}, end[STATE], miss[2] = {0};
  for (int i = 0; i < 2; i++) velocity[i] = to[i] - from[i];
  for (int round = 0; round < 12; round++) {
    double j[4], other[STATE], h = 1e-6;
    shoot(from, velocity, none, end, NULL);
    for (int i = 0; i < 2; i++) miss[i] = end[i] - to[i];
    if (hypot(miss[0], miss[1]) < 1e-14) break;
    for (int c = 0; c < 2; c++) {
      double near[2] = {velocity[0] + h * (c == 0), velocity[1] + h * (c == 1)};
      shoot(from, near, none, other, NULL);
      for (int i = 0; i < 2; i++) j[2 * i + c] = (other[i] - end[i]) / h;
    }
    double det = j[0] * j[3] - j[1] * j[2];
    velocity[0] -= (j[3] * miss[0] - j[1] * miss[1]) / det;
    velocity[1] -= (j[0] * miss[1] - j[2] * miss[0]) / det;
  }
  return hypot(miss[0], miss[1]);
}

void geodesic_transport(const double from[2], const double to[2], const double x[3], double out[3],
                        geodesic_t *geodesic) {
  double velocity[2], low[2] = {0}, v[2], end[STATE];
  jet p[3];
  geodesic->miss = aim(from, to, velocity);
  phi(from[0], from[1], p);
  for (int i = 0; i < 3; i++)
    for (int l = 0; l < 2; l++) low[l] += x[i] * p[i].d[l];
  raise_index(p, low, v);
  double e = inner(p, 0, 0), f = inner(p, 0, 1), g = inner(p, 1, 1);
  geodesic->length =
      sqrt(e * velocity[0] * velocity[0] + 2 * f * velocity[0] * velocity[1] + g * velocity[1] * velocity[1]);
  shoot(from, velocity, v, end, geodesic->path);
  phi(to[0], to[1], p);
  for (int i = 0; i < 3; i++) out[i] = end[4] * p[i].d[0] + end[5] * p[i].d[1];
}
