/*
 * What edges say: O = R_i N R_k', N being noise, and of poses the shift with noise too:
 *
 *     so2, so3, se2, se3   a turn by Gaussian angles of standard deviation S
 *     z2                   1 + S g, g Gaussian: its sign, with its size as the weight
 *     ck                   a turn by S g radians, rounded to the nearest of the group
 *
 * With --spread S is divided by the root of a number from 10^(-D/2) to 10^(D/2), other for every edge. With
 * --skew the information I of an edge has eigenvectors drawn evenly and eigenvalues over a decade, and its
 * error e has covariance I^-1: the edge says Z = X E^-1, X being right and E the pose whose translation is
 * the first part of e and whose angle, or vector part of the quaternion, is the rest.
 */
#include "sample_parts.h"

#include <math.h>
#include <string.h>

int graph_width(const graph *g) {
  return g->dim == 3 ? 4 : 1;
}

int graph_half(const graph *g) {
  return g->dim == 3 ? 21 : 6;
}

/* Elements as numbers: signs, angles, quaternions. c = a b, or a b' with `back`. */
static void multiply(const graph *g, const double *a, const double *b, bool back, double *c) {
  if (g->dim == 1) {
    c[0] = a[0] * b[0];
  } else if (g->dim == 2) {
    c[0] = a[0] + (back ? -b[0] : b[0]);
  } else {
    double s = back ? -1 : 1, x = s * b[1], y = s * b[2], z = s * b[3], w = b[0];
    const double product[4] = {
        a[0] * w - a[1] * x - a[2] * y - a[3] * z, a[0] * x + a[1] * w + a[2] * z - a[3] * y,
        a[0] * y - a[1] * z + a[2] * w + a[3] * x, a[0] * z + a[1] * y - a[2] * x + a[3] * w};
    memcpy(c, product, sizeof product);
  }
}

static double turn_of(const graph *g, double steps) {
  return 2 * M_PI * steps / (double)g->order;
}

void element_draw(const graph *g, lavdm_random *r, double *x) {
  double norm = 0;
  if (g->dim == 1) x[0] = lavdm_random_uniform(r) < 0.5 ? -1 : 1;
  if (g->dim == 2)
    x[0] =
        g->order ? turn_of(g, (double)lavdm_random_below(r, g->order)) : 2 * M_PI * lavdm_random_uniform(r);
  if (g->dim < 3) return;
  for (int k = 0; k < 4; k++) x[k] = lavdm_random_normal(r), norm += x[k] * x[k];
  for (int k = 0; k < 4; k++) x[k] /= sqrt(norm);
}

/* N, and the weight of the edge. */
static void draw_noise(const graph *g, double noise, lavdm_random *r, double *x, double *weight) {
  double v[3], angle = 0, number = lavdm_random_normal(r);
  if (g->dim == 1) {
    double said = 1 + noise * number;
    x[0] = said < 0 ? -1 : 1;
    if (noise > 0) *weight = fmax(fabs(said), 1e-12);
  } else if (g->dim == 2) {
    x[0] = noise * number;
    if (g->order) x[0] = turn_of(g, nearbyint(x[0] * (double)g->order / (2 * M_PI)));
  } else {
    for (int k = 0; k < 3; k++) v[k] = noise * (k ? lavdm_random_normal(r) : number), angle += v[k] * v[k];
    angle = sqrt(angle);
    x[0] = cos(angle / 2);
    for (int k = 0; k < 3; k++) x[k + 1] = angle > 0 ? v[k] * sin(angle / 2) / angle : 0;
  }
}

/* v at the pose's frame: R' v, the world's v as the pose sees it; R is pose'. */
static void rotate(const graph *g, const double *x, const double *v, double *out) {
  if (g->dim == 2) {
    out[0] = cos(x[0]) * v[0] - sin(x[0]) * v[1], out[1] = sin(x[0]) * v[0] + cos(x[0]) * v[1];
    return;
  }
  const double vector[4] = {0, v[0], v[1], v[2]};
  double half[4], whole[4];
  multiply(g, x, vector, false, half);
  multiply(g, half, x, true, whole);
  for (int k = 0; k < 3; k++) out[k] = whole[k + 1];
}

/* --------------------------------------------------------------- shifts */

/* The shift of edge e without noise. */
static void right_shift(const graph *g, int64_t e, double *out) {
  int64_t d = g->dim;
  double away[3] = {0};
  for (int64_t k = 0; k < d; k++) away[k] = g->position[g->col[e] * d + k] - g->position[g->row[e] * d + k];
  rotate(g, g->truth + g->row[e] * graph_width(g), away, out);
}

static void isotropic(const graph *g, double information, double *half) {
  int d = g->dim == 2 ? 3 : 6;
  for (int i = 0; i < d; i++)
    for (int k = i; k < d; k++) *half++ = i == k ? information : 0;
}

/* ----------------------------------------------------------------- skew */

enum { MOST = 6 };

/* Columns that are orthonormal, drawn evenly. */
static void draw_axes(lavdm_random *r, int d, double q[MOST][MOST]) {
  for (int i = 0; i < d; i++) {
    double norm = 0;
    for (int k = 0; k < d; k++) q[i][k] = lavdm_random_normal(r);
    for (int pass = 0; pass < 2; pass++)
      for (int j = 0; j < i; j++) {
        double dot = 0;
        for (int k = 0; k < d; k++) dot += q[i][k] * q[j][k];
        for (int k = 0; k < d; k++) q[i][k] -= dot * q[j][k];
      }
    for (int k = 0; k < d; k++) norm += q[i][k] * q[i][k];
    for (int k = 0; k < d; k++) q[i][k] /= sqrt(norm);
  }
}

/* Information about `usual`, and an error that has it (0 if there is no noise). */
static void draw_error(const graph *g, lavdm_random *r, double usual, double *half, double error[MOST]) {
  int d = g->dim == 2 ? 3 : 6;
  double q[MOST][MOST], value[MOST];
  draw_axes(r, d, q);
  memset(error, 0, MOST * sizeof *error);
  for (int j = 0; j < d; j++) {
    value[j] = usual * pow(10, lavdm_random_uniform(r) - 0.5);
    double size = lavdm_random_normal(r) / sqrt(value[j]);
    for (int k = 0; k < d; k++) error[k] += g->noise > 0 ? size * q[j][k] : 0;
  }
  for (int i = 0; i < d; i++)
    for (int k = i; k < d; k++) {
      double sum = 0;
      for (int j = 0; j < d; j++) sum += value[j] * q[j][i] * q[j][k];
      *half++ = sum;
    }
}

/* Z = X E^-1. */
static void draw_skew(graph *g, lavdm_random *r, int64_t e, double usual) {
  int d = g->dim, w = graph_width(g);
  double error[MOST], turn[4], moved[3], *x = g->element + e * w, *shift = g->shift + e * d;
  draw_error(g, r, usual, g->information + e * graph_half(g), error);
  if (d == 2) {
    turn[0] = error[2];
  } else {
    double square = error[3] * error[3] + error[4] * error[4] + error[5] * error[5];
    double f = square > 0.9 ? sqrt(0.9 / square) : 1; /* the vector part of a quaternion is at most 1 long */
    turn[0] = sqrt(1 - f * f * square);
    for (int k = 0; k < 3; k++) turn[k + 1] = f * error[3 + k];
  }
  multiply(g, g->truth + g->row[e] * w, g->truth + g->col[e] * w, true, x);
  multiply(g, x, turn, true, x);
  right_shift(g, e, shift);
  rotate(g, x, error, moved);
  for (int k = 0; k < d; k++) shift[k] -= moved[k];
}

/* ---------------------------------------------------------------- edges */

static void draw_plain(graph *g, lavdm_random *r, int64_t e, double noise) {
  int64_t w = graph_width(g);
  double turn[4], *x = g->element + e * w;
  draw_noise(g, noise, r, turn, &g->weight[e]);
  multiply(g, g->truth + g->row[e] * w, turn, false, x);
  multiply(g, x, g->truth + g->col[e] * w, true, x);
}

void edges_draw(graph *g, lavdm_random *r) {
  int64_t w = graph_width(g), d = g->dim;
  for (int64_t e = 0; e < g->count; e++) {
    bool wrong = lavdm_random_uniform(r) < g->outliers;
    double factor = g->spread > 0 ? pow(10, g->spread * (lavdm_random_uniform(r) - 0.5)) : 1;
    double noise = g->noise / sqrt(factor), usual = factor * (g->noise > 0 ? 1 / (g->noise * g->noise) : 1);
    g->weight[e] = 1;
    if (g->skew)
      draw_skew(g, r, e, usual);
    else
      draw_plain(g, r, e, noise);
    if (wrong) element_draw(g, r, g->element + e * w);
    if (g->dim == 2) g->element[e * w] = remainder(g->element[e * w], 2 * M_PI);
    if (!g->poses || g->skew) continue;
    right_shift(g, e, g->shift + e * d);
    for (int64_t k = 0; k < d; k++) g->shift[e * d + k] += noise * lavdm_random_normal(r);
    isotropic(g, usual, g->information + e * graph_half(g));
  }
}
