#include "surveyed.h"

#include "base/random.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static random_t numbers_of;

/* The rotation by an axis times an angle, from the series of the exponential. */
void surveyed_exponential(int64_t q, const double *w, double *m) {
  double x[9] = {0}, term[9], next[9];
  if (q == 2)
    x[1] = -w[0], x[2] = w[0];
  else
    x[1] = -w[2], x[2] = w[1], x[3] = w[2], x[5] = -w[0], x[6] = -w[1], x[7] = w[0];
  for (int64_t i = 0; i < q * q; i++) m[i] = term[i] = i % (q + 1) == 0;
  for (int k = 1; k < 60; k++) {
    for (int64_t i = 0; i < q * q; i++) {
      next[i] = 0;
      for (int64_t l = 0; l < q; l++) next[i] += term[i / q * q + l] * x[l * q + i % q] / k;
    }
    for (int64_t i = 0; i < q * q; i++) m[i] += term[i] = next[i];
  }
}

/* A homogeneous matrix (q + 1) from a rotation (flip: from its transpose) and a place. */
static void whole_of(int64_t q, const double *r, bool flip, const double *p, double *x) {
  int64_t s = q + 1;
  for (int64_t i = 0; i < s * s; i++) x[i] = i == s * s - 1;
  for (int64_t i = 0; i < q; i++) {
    for (int64_t k = 0; k < q; k++) x[i * s + k] = flip ? r[k * q + i] : r[i * q + k];
    x[i * s + q] = p[i];
  }
}

static void times(int64_t s, const double *a, const double *b, double *out) {
  for (int64_t i = 0; i < s * s; i++) {
    out[i] = 0;
    for (int64_t l = 0; l < s; l++) out[i] += a[i / s * s + l] * b[l * s + i % s];
  }
}

static void inverted(int64_t q, const double *x, double *out) {
  int64_t s = q + 1;
  for (int64_t i = 0; i < s * s; i++) out[i] = i == s * s - 1;
  for (int64_t i = 0; i < q; i++) {
    out[i * s + q] = 0;
    for (int64_t k = 0; k < q; k++) {
      out[i * s + k] = x[k * s + i];
      out[i * s + q] -= x[k * s + i] * x[k * s + q];
    }
  }
}

/* The error of Z^-1 A^-1 B in the form of g2o. */
static void plain_error(int64_t q, const double *z, const double *a, const double *b, double *e) {
  double zi[16], ai[16], ab[16], x[16];
  int64_t s = q + 1;
  inverted(q, z, zi), inverted(q, a, ai);
  times(s, ai, b, ab);
  times(s, zi, ab, x);
  for (int64_t i = 0; i < q; i++) e[i] = x[i * s + q];
  if (q == 2)
    e[2] = atan2(x[3], x[0]);
  else { /* angle and axis; sine of the half angle by the axis */
    double v[] = {x[9] - x[6], x[2] - x[8], x[4] - x[1]}, c = (x[0] + x[5] + x[10] - 1) / 2;
    double sine = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2, angle = atan2(sine, c);
    for (int k = 0; k < 3; k++) e[3 + k] = sine > 0 ? sin(angle / 2) * v[k] / (2 * sine) : 0;
  }
}

/* L'e for a semi-definite information matrix L L': its square is e' I e. */
static double *whiten(int64_t size, const double *half, const double *e, double *out) {
  double l[6][6] = {{0}};
  for (int64_t j = 0, at = 0; j < size; j++)
    for (int64_t i = j; i < size; i++, at++) {
      double sum = half[at];
      for (int64_t k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
      if (i == j) l[i][i] = sum > 1e-12 * fabs(half[at]) ? sqrt(sum) : 0;
      if (i > j) l[i][j] = l[j][j] > 0 ? sum / l[j][j] : 0;
    }
  for (int64_t k = 0; k < size; k++) {
    out[k] = 0;
    for (int64_t i = k; i < size; i++) out[k] += l[i][k] * e[i];
  }
  return out + size;
}

/* kappa |O - R_i R_k'|^2 + tau |e|^2, as errors. */
static double *chordal(const surveyed_t *g, int64_t k, const double *r, const double *e, double *out) {
  int64_t q = g->q, q2 = q * q;
  if (g->sines && q == 2) *out++ = sqrt(2 * g->kappa[k]) * 2 * sin(e[2] / 2);
  for (int64_t x = 3; x < 6 && g->sines && q == 3; x++) *out++ = sqrt(8 * g->kappa[k]) * e[x];
  for (int64_t x = 0; x < q2 && !g->sines; x++) {
    double off = g->o[k * q2 + x];
    for (int64_t y = 0; y < q; y++)
      off -= r[g->row[k] * q2 + x / q * q + y] * r[g->col[k] * q2 + x % q * q + y];
    *out++ = sqrt(g->kappa[k]) * off;
  }
  for (int64_t x = 0; x < q; x++) *out++ = sqrt(g->tau[k]) * e[x];
  return out;
}

int64_t surveyed_errors(const surveyed_t *g, const double *r, const double *p, const double *l, double *out) {
  int64_t q = g->q, q2 = q * q;
  const double one[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, flat[] = {1, 0, 0, 1}, zero[3] = {0};
  double e[6], z[16], a[16], b[16], *at = out;
  for (int64_t k = 0; k < g->m; k++) {
    int64_t i = g->row[k], j = g->col[k];
    whole_of(q, g->o + k * q2, false, g->shift + k * q, z);
    whole_of(q, r + i * q2, true, p + i * q, a);
    whole_of(q, r + j * q2, true, p + j * q, b);
    plain_error(q, z, a, b, e);
    double *first = at;
    at = g->full ? whiten(g->d, g->info + k * g->half, e, at) : chordal(g, k, r, e, at);
    while (first < at) *first++ *= sqrt(g->trust[k]);
  }
  for (int64_t k = 0; k < g->priors; k++) {
    int64_t j = g->prior[k];
    whole_of(q, g->prior_r + k * q2, true, g->prior_p + k * q, z);
    whole_of(q, q == 2 ? flat : one, false, zero, a);
    whole_of(q, r + j * q2, true, p + j * q, b);
    plain_error(q, z, a, b, e);
    at = whiten(g->d, g->prior_info + k * g->half, e, at);
  }
  for (int64_t k = 0; k < g->sightings; k++) {
    for (int64_t x = 0; x < q; x++) {
      e[x] = -g->seen[k * q + x];
      for (int64_t y = 0; y < q; y++)
        e[x] += r[g->by[k] * q2 + x * q + y] * (l[g->of[k] * q + y] - p[g->by[k] * q + y]);
    }
    at = whiten(q, g->seen_info + k * g->small, e, at);
  }
  return at - out;
}

/* x moves poses that are not held, and points: (s, w) of each, X -> (exp(w) R', p + s). */
void surveyed_move(const surveyed_t *g, const bool *held, const double *x, const double *r, const double *p,
                   const double *l, double *r2, double *p2, double *l2) {
  int64_t q = g->q, q2 = q * q, at = 0;
  for (int64_t i = 0; i < g->n; i++) {
    double m[9];
    memcpy(r2 + i * q2, r + i * q2, (size_t)q2 * sizeof *r);
    memcpy(p2 + i * q, p + i * q, (size_t)q * sizeof *p);
    if (held[i]) continue;
    surveyed_exponential(q, x + at + q, m);
    for (int64_t k = 0; k < q; k++) p2[i * q + k] += x[at + k];
    for (int64_t k = 0; k < q2; k++) {
      r2[i * q2 + k] = 0;
      for (int64_t y = 0; y < q; y++) r2[i * q2 + k] += r[i * q2 + k / q * q + y] * m[k % q * q + y];
    }
    at += g->d;
  }
  for (int64_t k = 0; k < g->points * q; k++) l2[k] = l[k] + x[at + k];
}

int64_t surveyed_unknowns(const surveyed_t *g, const bool *held) {
  int64_t sum = g->points * g->q;
  for (int64_t i = 0; i < g->n; i++) sum += held[i] ? 0 : g->d;
  return sum;
}

int64_t surveyed_jacobian(const surveyed_t *g, const bool *held, const double *r, const double *p,
                          const double *l, double *j) {
  static double r2[SURVEYED_N * 9], p2[SURVEYED_N * 3], l2[SURVEYED_N * 3], x[SURVEYED_X],
      e[2][SURVEYED_ROWS];
  int64_t n = surveyed_unknowns(g, held), rows = 0;
  for (int64_t c = 0; c < n; c++) {
    memset(x, 0, sizeof x);
    for (int side = 0; side < 2; side++) {
      x[c] = side ? -1e-5 : 1e-5;
      surveyed_move(g, held, x, r, p, l, r2, p2, l2);
      rows = surveyed_errors(g, r2, p2, l2, e[side]);
    }
    for (int64_t k = 0; k < rows; k++) j[c * rows + k] = (e[0][k] - e[1][k]) / 2e-5;
  }
  return rows;
}

double surveyed_minimise(const surveyed_t *g, const bool *held, double *r, double *p, double *l) {
  static double j[SURVEYED_ROWS * SURVEYED_X], x[SURVEYED_ROWS], r2[SURVEYED_N * 9], p2[SURVEYED_N * 3],
      l2[SURVEYED_N * 3], values[SURVEYED_X];
  double sum = 0;
  int rank;
  for (int step = 0; step < 12; step++) {
    int64_t rows = surveyed_jacobian(g, held, r, p, l, j), n = surveyed_unknowns(g, held);
    surveyed_errors(g, r, p, l, x);
    for (int64_t k = 0; k < rows; k++) x[k] = -x[k];
    /* the shortest, where some motion of all is free */
    if (LAPACKE_dgelsd(LAPACK_COL_MAJOR, (int)rows, (int)n, 1, j, (int)rows, x, (int)rows, values, 1e-8,
                       &rank))
      return NAN;
    surveyed_move(g, held, x, r, p, l, r2, p2, l2);
    memcpy(r, r2, sizeof r2), memcpy(p, p2, sizeof p2), memcpy(l, l2, sizeof l2);
    rows = surveyed_errors(g, r, p, l, x);
    sum = 0;
    for (int64_t k = 0; k < rows; k++) sum += x[k] * x[k];
  }
  return sum;
}

/* ------------------------------------------------------------- graphs */

void surveyed_turn(int64_t q, double angle, double *m) {
  double w[3] = {random_normal(&numbers_of) * angle, random_normal(&numbers_of) * angle,
                 random_normal(&numbers_of) * angle};
  surveyed_exponential(q, w, m);
}

/* A positive matrix with eigenvalues from 1 to `spread`, times size; upper half, row by row. */
void surveyed_information(int64_t size, double spread, double scale, double *half) {
  double b[36], a[36] = {0};
  for (int64_t i = 0; i < size * size; i++) b[i] = random_normal(&numbers_of);
  for (int64_t i = 0; i < size; i++) /* orthonormal rows */
    for (int64_t k = 0; k <= i; k++) {
      double dot = 0;
      for (int64_t y = 0; y < size; y++) dot += b[i * size + y] * b[k * size + y];
      for (int64_t y = 0; y < size; y++)
        b[i * size + y] = k < i ? b[i * size + y] - dot * b[k * size + y] : b[i * size + y] / sqrt(dot);
    }
  for (int64_t k = 0; k < size; k++)
    for (int64_t i = 0; i < size * size; i++)
      a[i] += scale * pow(spread, (double)k / (double)(size - 1)) * b[k * size + i / size] *
              b[k * size + i % size];
  for (int64_t i = 0, at = 0; i < size; i++)
    for (int64_t k = i; k < size; k++) half[at++] = a[i * size + k];
}

/* Noise of an information matrix: x with covariance its inverse. */
static void random_noise(int64_t size, const double *half, double *x) {
  double a[36];
  for (int64_t i = 0, at = 0; i < size; i++)
    for (int64_t k = i; k < size; k++) a[i * size + k] = a[k * size + i] = half[at++];
  for (int64_t i = 0; i < size; i++) x[i] = random_normal(&numbers_of);
  int n = (int)size;
  if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, a, n) ||
      LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'L', 'T', 'N', n, 1, a, n, x, n)) /* L' x = noise */
    abort();
}

/* Measurement k of the relative pose of i and j, with its noise. */
void surveyed_measure(surveyed_t *g, int64_t k, double noise) {
  int64_t q = g->q, q2 = q * q, i = g->row[k], j = g->col[k];
  double e[6] = {0}, turn[9], o[9];
  random_noise(g->d, g->info + k * g->half, e);
  for (int64_t x = 0; x < g->d; x++) e[x] *= noise;
  for (int64_t x = 0; x < q && q == 3; x++) e[q + x] *= 2; /* an angle is twice the vector part */
  surveyed_exponential(q, e + q, turn);
  for (int64_t x = 0; x < q2; x++) {
    o[x] = 0;
    for (int64_t y = 0; y < q; y++) o[x] += g->r[i * q2 + x / q * q + y] * g->r[j * q2 + x % q * q + y];
  }
  for (int64_t x = 0; x < q; x++) {
    double sum = 0;
    for (int64_t y = 0; y < q; y++)
      sum += g->r[i * q2 + x * q + y] * (g->p[j * q + y] - g->p[i * q + y]) + o[x * q + y] * e[y];
    g->shift[k * q + x] = sum;
  }
  for (int64_t x = 0; x < q2; x++) {
    g->o[k * q2 + x] = 0;
    for (int64_t y = 0; y < q; y++) g->o[k * q2 + x] += o[x / q * q + y] * turn[y * q + x % q];
  }
  if (lavdm_pose_weights(q, g->info + k * g->half, &g->kappa[k], &g->tau[k])) abort();
}

/* A walk of n nodes with chords; the first is the origin. */
surveyed_t *surveyed_new(int64_t q, int64_t n, int64_t m, double spread, double noise, uint64_t seed) {
  surveyed_t *g = calloc(1, sizeof *g);
  int64_t d = q == 2 ? 3 : 6;
  if (!g) abort();
  numbers_of = random_start(seed, 0);
  g->q = q, g->d = d, g->half = d * (d + 1) / 2, g->small = q * (q + 1) / 2, g->n = n, g->m = m;
  g->full = true;
  for (int64_t i = 0; i < n; i++) {
    surveyed_turn(q, i ? 1 : 0, g->r + i * q * q);
    for (int64_t k = 0; k < q && i; k++)
      g->p[i * q + k] = g->p[(i - 1) * q + k] + 0.7 * random_normal(&numbers_of) + (k == 0);
  }
  for (int64_t k = 0; k < m; k++) {
    g->trust[k] = 1;
    g->row[k] = k < n - 1 ? k : (int64_t)(random_uniform(&numbers_of) * (double)n);
    g->col[k] =
        k < n - 1 ? k + 1 : (g->row[k] + 2 + (int64_t)(random_uniform(&numbers_of) * (double)(n - 3))) % n;
    surveyed_information(d, spread, 100, g->info + k * g->half);
    surveyed_measure(g, k, noise);
  }
  return g;
}

/* A point seen by node i. */
void surveyed_sight(surveyed_t *g, int64_t i, int64_t point, double noise) {
  int64_t q = g->q, k = g->sightings++;
  double e[3];
  if (point >= g->points) g->points = point + 1;
  g->by[k] = i, g->of[k] = point;
  surveyed_information(q, 10, 400, g->seen_info + k * g->small);
  random_noise(q, g->seen_info + k * g->small, e);
  for (int64_t x = 0; x < q; x++) {
    g->seen[k * q + x] = noise * e[x];
    for (int64_t y = 0; y < q; y++)
      g->seen[k * q + x] += g->r[(i * q + x) * q + y] * (g->l[point * q + y] - g->p[i * q + y]);
  }
}

void surveyed_prior(surveyed_t *g, int64_t i, double off) {
  int64_t q = g->q, q2 = q * q, k = g->priors++;
  double turn[9];
  g->prior[k] = i;
  surveyed_turn(q, off, turn);
  for (int64_t x = 0; x < q2; x++) {
    g->prior_r[k * q2 + x] = 0;
    for (int64_t y = 0; y < q; y++)
      g->prior_r[k * q2 + x] += g->r[i * q2 + x / q * q + y] * turn[y * q + x % q];
  }
  for (int64_t x = 0; x < q; x++) g->prior_p[k * q + x] = g->p[i * q + x] + off * random_normal(&numbers_of);
  surveyed_information(g->d, 10, 50, g->prior_info + k * g->half);
}

void surveyed_fix(surveyed_t *g, int64_t i) {
  int64_t q = g->q, k = g->fixed++;
  g->fix[k] = i;
  memcpy(g->fix_r + k * q * q, g->r + i * q * q, (size_t)(q * q) * sizeof(double));
  memcpy(g->fix_p + k * q, g->p + i * q, (size_t)q * sizeof(double));
}

lavdm_survey surveyed_survey(const surveyed_t *g) {
  return (lavdm_survey){.fixed = g->fixed,
                        .fixed_node = g->fix,
                        .fixed_element = g->fix_r,
                        .fixed_position = g->fix_p,
                        .priors = g->priors,
                        .prior_node = g->prior,
                        .prior_element = g->prior_r,
                        .prior_position = g->prior_p,
                        .prior_information = g->prior_info,
                        .sightings = g->sightings,
                        .sighted_node = g->by,
                        .sighted_point = g->of,
                        .sighted = g->seen,
                        .sighted_information = g->seen_info};
}

lavdm_edges surveyed_edges(const surveyed_t *g) {
  return (lavdm_edges){.size = sizeof(lavdm_edges),
                       .count = g->m,
                       .row = g->row,
                       .col = g->col,
                       .weight = g->kappa,
                       .element = g->o,
                       .kind = LAVDM_ELEMENT_MATRIX,
                       .q = g->q};
}

lavdm_sync_options surveyed_options(const surveyed_t *g, const lavdm_survey *survey, bool covariance) {
  lavdm_sync_options o;
  lavdm_sync_default(&o);
  o.group = LAVDM_GROUP_SO, o.threads = 1, o.certify = LAVDM_CERTIFY_NO;
  o.shift = g->shift, o.shift_weight = g->tau, o.information = g->info;
  o.full = g->full, o.covariance = covariance, o.survey = survey;
  return o;
}
