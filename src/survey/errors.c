/*
 * With Q = R' and u = p_k - p_i, an edge has A = Z' Q_i' (Z the rotation of the measurement) and
 *     e = A u - Z' z,    de = A (s_k - s_i) + A [u] w_i,    [u] w = u x w,
 * and the rotation D = A Q_k, to which dD = [A (w_k - w_i)] D. The vector part v of its quaternion (c, v)
 * then has dv = (c - [v]) A (w_k - w_i) / 2. A prior is an edge from the world, which does not move.
 */
#include "survey/problem.h"

#include <math.h>
#include <string.h>

/* out = a b or a' b, q x q. */
static void product(int64_t q, const double *a, bool turned, const double *b, double *out) {
  for (int64_t i = 0; i < q; i++)
    for (int64_t k = 0; k < q; k++) {
      double sum = 0;
      for (int64_t l = 0; l < q; l++) sum += a[turned ? l * q + i : i * q + l] * b[l * q + k];
      out[i * q + k] = sum;
    }
}

/* out (q x q) = a [u]; for q = 2 the one column a (u_y, -u_x). */
static void cross_columns(int64_t q, const double *a, const double *u, double *out) {
  for (int64_t i = 0; i < q; i++) {
    const double *x = a + i * q;
    if (q == 2)
      out[i] = x[0] * u[1] - x[1] * u[0];
    else { /* row x of a gives x' [u] = (x x u)' */
      out[i * 3] = x[1] * u[2] - x[2] * u[1];
      out[i * 3 + 1] = x[2] * u[0] - x[0] * u[2];
      out[i * 3 + 2] = x[0] * u[1] - x[1] * u[0];
    }
  }
}

/* The quaternion (c, v) of a rotation, c >= 0. */
static void quaternion(const double *m, double *c, double *v) {
  double square[] = {1 + m[0] + m[4] + m[8], 1 + m[0] - m[4] - m[8], 1 - m[0] + m[4] - m[8],
                     1 - m[0] - m[4] + m[8]}; /* 4 c^2, 4 v_x^2, ... */
  int large = 0;
  for (int k = 1; k < 4; k++)
    if (square[k] > square[large]) large = k;
  double x = sqrt(square[large]) / 2, s = 1 / (4 * x);
  double cv[] = {m[7] - m[5], m[2] - m[6], m[3] - m[1]};    /* 4 c v */
  double vv[] = {0, m[1] + m[3], m[2] + m[6], m[5] + m[7]}; /* 4 v_a v_b, at a + b */
  *c = large ? cv[large - 1] * s : x;
  for (int k = 0; k < 3; k++) v[k] = large == 0 ? cv[k] * s : k == large - 1 ? x : vv[large - 1 + k] * s;
  double sign = *c < 0 ? -1 : 1;
  *c *= sign;
  for (int k = 0; k < 3; k++) v[k] *= sign;
}

/* The rotation's part of an error from D, and turn (q = 3: 3 x 3, q = 2: one number) with de = turn dw. */
static void rotation_error(const problem_t *problem, bool chordal, const double *d, const double *a,
                           double *e, double *turn) {
  if (problem->q == 2) {
    double angle = atan2(d[2], d[0]);
    e[0] = chordal ? 2 * sin(angle / 2) : angle;
    turn[0] = chordal ? cos(angle / 2) : 1;
    return;
  }
  double c, v[3];
  quaternion(d, &c, v);
  for (int k = 0; k < 3; k++) e[k] = v[k];
  double half[] = {c / 2, v[2] / 2, -v[1] / 2, -v[2] / 2, c / 2, v[0] / 2, v[1] / 2, -v[0] / 2, c / 2};
  product(3, half, false, a, turn);
}

/* Rows of the derivatives by a pose: from = (-A, A [u]; 0, -turn), to = (A, 0; 0, turn). */
static void fill_edge(const problem_t *problem, const double *a, const double *lever, const double *turn,
                      double *from, double *to) {
  int64_t q = problem->q, d = problem->d, w = d - q;
  memset(to, 0, (size_t)(d * d) * sizeof *to);
  if (from) memset(from, 0, (size_t)(d * d) * sizeof *from);
  for (int64_t i = 0; i < q; i++) {
    for (int64_t k = 0; k < q; k++) to[i * d + k] = a[i * q + k];
    for (int64_t k = 0; k < q && from; k++) from[i * d + k] = -a[i * q + k];
    for (int64_t k = 0; k < w && from; k++) from[i * d + q + k] = lever[i * w + k];
  }
  for (int64_t i = 0; i < w; i++)
    for (int64_t k = 0; k < w; k++) {
      to[(q + i) * d + q + k] = turn[i * w + k];
      if (from) from[(q + i) * d + q + k] = -turn[i * w + k];
    }
}

/* The derivative by the world is not asked for: a prior's `from` is left alone. */
static void edge_error(const problem_t *problem, const error_t *error, double *e, double *from, double *to) {
  int64_t q = problem->q, k = error->to, i = error->from;
  double z[MOST_Q * MOST_Q], a[MOST_Q * MOST_Q], d[MOST_Q * MOST_Q], u[MOST_Q], away[MOST_Q];
  double lever[MOST_Q * MOST_Q], turn[MOST_Q * MOST_Q], rk[MOST_Q * MOST_Q];
  bool world = error->kind == PRIOR;
  for (int64_t x = 0; x < q * q; x++) {
    int64_t flip = x % q * q + x / q;
    z[x] = error->turn[world ? x : flip]; /* Z' */
    rk[x] = problem->r[k * q * q + flip]; /* Q_k */
  }
  if (world)
    memcpy(a, z, sizeof z);
  else
    product(q, z, false, problem->r + i * q * q, a);
  product(q, a, false, rk, d);
  for (int64_t x = 0; x < q; x++) u[x] = problem->p[k * q + x] - (world ? 0 : problem->p[i * q + x]);
  for (int64_t x = 0; x < q; x++) { /* R_i u - z, and then Z' of it */
    away[x] = -error->shift[x];
    if (world)
      away[x] += u[x];
    else
      for (int64_t y = 0; y < q; y++) away[x] += problem->r[(i * q + x) * q + y] * u[y];
  }
  for (int64_t x = 0; x < q; x++) {
    e[x] = 0;
    for (int64_t y = 0; y < q; y++) e[x] += z[x * q + y] * away[y];
  }
  rotation_error(problem, error->kind == CHORDAL, d, a, e + q, turn);
  if (!to) return;
  cross_columns(q, a, u, lever);
  fill_edge(problem, a, lever, turn, world ? NULL : from, to);
}

/* e = R (l - p) - z: de = R (s_l - s) + R [u] w. */
static void sighting_error(const problem_t *problem, const error_t *error, double *e, double *from,
                           double *to) {
  int64_t q = problem->q, d = problem->d, i = error->from, l = error->to - problem->nodes;
  const double *r = problem->r + i * q * q;
  double u[MOST_Q] = {0}, lever[MOST_Q * MOST_Q];
  for (int64_t x = 0; x < q; x++) u[x] = problem->l[l * q + x] - problem->p[i * q + x];
  for (int64_t x = 0; x < q; x++) {
    e[x] = -error->shift[x];
    for (int64_t y = 0; y < q; y++) e[x] += r[x * q + y] * u[y];
  }
  if (!to) return;
  cross_columns(q, r, u, lever);
  for (int64_t x = 0; x < q; x++) {
    for (int64_t y = 0; y < q; y++) to[x * q + y] = r[x * q + y], from[x * d + y] = -r[x * q + y];
    for (int64_t y = 0; y < d - q; y++) from[x * d + q + y] = lever[x * (d - q) + y];
  }
}

void error_of(const problem_t *problem, const error_t *error, double *e, double *from, double *to) {
  if (error->kind == SIGHTING)
    sighting_error(problem, error, e, from, to);
  else
    edge_error(problem, error, e, from, to);
}

void error_information(const problem_t *problem, const error_t *error, double *information) {
  int64_t size = error_size(problem, error), at = 0;
  for (int64_t i = 0; i < size; i++)
    for (int64_t k = i; k < size; k++, at++) {
      double x = 0;
      if (error->kind == CHORDAL)
        x = i != k ? 0 : i < problem->q ? error->tau : error->kappa * (problem->q == 2 ? 2 : 8);
      else
        x = error->information[at];
      information[i * size + k] = information[k * size + i] = error->trust * x;
    }
}

/* m (3 x 3) = exp([w]). */
static void exponential(const double *w, double *m) {
  double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2], angle = sqrt(square);
  double s = angle > 1e-4 ? sin(angle) / angle : 1 - square / 6,
         half = angle > 1e-4 ? sin(angle / 2) / (angle / 2) : 1 - square / 24, v = half * half / 2;
  const double skew[] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      m[3 * i + k] = (i == k) * (1 - v * square) + s * skew[3 * i + k] + v * w[i] * w[k];
}

void pose_move(int64_t q, const double *x, double *r, double *p) {
  double m[MOST_Q * MOST_Q], now[MOST_Q * MOST_Q];
  for (int64_t k = 0; k < q; k++) p[k] += x[k];
  if (q == 2)
    m[0] = m[3] = cos(x[2]), m[2] = sin(x[2]), m[1] = -m[2];
  else
    exponential(x + 3, m);
  memcpy(now, r, (size_t)(q * q) * sizeof *r);
  for (int64_t i = 0; i < q; i++) /* R exp(w)' */
    for (int64_t k = 0; k < q; k++) {
      double sum = 0;
      for (int64_t l = 0; l < q; l++) sum += now[i * q + l] * m[k * q + l];
      r[i * q + k] = sum;
    }
}
