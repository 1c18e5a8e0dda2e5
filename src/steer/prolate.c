/*
 * With Z_n(x) = sqrt(2(2n+k+1)) x^k P_n^(k,0)(1-2x^2), orthonormal in x dx on [0, 1]:
 * R = sum over n of v_n Z_n, where v is an eigenvector, by ascending eigenvalues, of
 *     (k+2n+1/2)(k+2n+3/2) delta_mn + c^2 <Z_m, x^2 Z_n>,
 * a tridiagonal matrix since x^2 = (1-t)/2 and t P_n = b_n P_n+1 + a_n P_n + b_n-1 P_n-1.
 * The Hankel transform of Z_n is sqrt(2(2n+k+1)) J_k+2n+1(cx)/(cx), hence
 *     lambda = (sum over n of v_n sqrt(2(2n+k+1)) J_k+2n+1(cx) / (x R(x)))^2 for every x.
 */
#include "steer/prolate.h"

#include "base/memory.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>

static double jacobi_a(double n, double k) {
  return k > 0 ? -k * k / ((2 * n + k) * (2 * n + k + 2)) : 0;
}

static double jacobi_b(double n, double k) {
  return 2 * (n + 1) * (n + 1 + k) / ((2 * n + k + 2) * sqrt((2 * n + k + 1) * (2 * n + k + 3)));
}

/* z (points x terms): Z_0 .. of band k at x. */
static void zernike(int64_t k, int64_t terms, const double *x, int64_t points, double *z) {
  for (int64_t i = 0; i < points; i++) {
    double *row = z + i * terms, t = 1 - 2 * x[i] * x[i];
    row[0] = sqrt(2.0 * (double)(k + 1)) * pow(x[i], (double)k);
    for (int64_t n = 0; n + 1 < terms; n++) {
      double before = n ? jacobi_b((double)(n - 1), (double)k) * row[n - 1] : 0;
      row[n + 1] = ((t - jacobi_a((double)n, (double)k)) * row[n] - before) / jacobi_b((double)n, (double)k);
    }
  }
}

/* lambda of the function with coefficients v, from x where |x R| is largest among `points`. */
static double concentration(double c, int64_t k, int64_t terms, const double *v, const double *x,
                            int64_t points, const double *z) {
  double best = 0, at = 1, sum = 0;
  for (int64_t i = 0; i < points; i++) {
    double value = x[i] * cblas_ddot((int)terms, v, 1, z + i * terms, 1);
    if (fabs(value) > fabs(best)) best = value, at = x[i];
  }
  for (int64_t n = 0; n < terms; n++)
    sum += v[n] * sqrt(2.0 * (double)(2 * n + k + 1)) * jn((int)(k + 2 * n + 1), c * at);
  return sum * sum / (best * best);
}

/* All functions of the band: coefficients in vectors (terms x terms, one after the other). */
static int solve(double c, int64_t k, int64_t terms, double *vectors, double *room) {
  double *diagonal = room, *beside = room + terms, *work = room + 2 * terms;
  for (int64_t n = 0; n < terms; n++) {
    double order = (double)(k + 2 * n);
    diagonal[n] = (order + 0.5) * (order + 1.5) + c * c * (1 - jacobi_a((double)n, (double)k)) / 2;
    beside[n] = -c * c * jacobi_b((double)n, (double)k) / 2;
  }
  return LAPACKE_dstev_work(LAPACK_COL_MAJOR, 'V', (int)terms, diagonal, beside, vectors, (int)terms, work);
}

int prolate_new(double c, int64_t k, double least, prolate_t *out) {
  int64_t terms = 24 + (int64_t)(0.7 * c), points = 2 * terms;
  *out = (prolate_t){.k = k, .terms = terms, .coefficient = NEW(double, terms *terms)};
  out->lambda = NEW(double, terms);
  double *x = NEW(double, points), *z = NEW(double, points *terms), *room = NEW(double, 4 * terms);
  int made = out->coefficient && out->lambda && x && z && room;
  if (made) made = !solve(c, k, terms, out->coefficient, room);
  if (made) {
    for (int64_t i = 0; i < points; i++) x[i] = (double)(i + 1) / (double)points;
    zernike(k, terms, x, points, z);
    int64_t q = 0;
    for (; q < terms; q++) {
      out->lambda[q] = concentration(c, k, terms, out->coefficient + q * terms, x, points, z);
      if (!(out->lambda[q] >= least) && (k || q)) break;
    }
    out->count = q;
  }
  mem_free(x);
  mem_free(z);
  mem_free(room);
  if (!made) prolate_free(out);
  return made;
}

void prolate_free(prolate_t *prolate) {
  mem_free(prolate->lambda);
  mem_free(prolate->coefficient);
  *prolate = (prolate_t){0};
}

int prolate_values(const prolate_t *prolate, const double *x, int64_t points, double *out) {
  int terms = (int)prolate->terms;
  double *z = NEW(double, points *terms);
  if (!z) return 0;
  zernike(prolate->k, terms, x, points, z);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)prolate->count, (int)points, terms, 1,
              prolate->coefficient, terms, z, terms, 0, out, (int)points);
  mem_free(z);
  return 1;
}
