/*
 * Operators whose spectra are known exactly, and what holds for every result:
 * values, residuals, orthonormality, and projectors onto eigenspaces, since
 * single vectors of a degenerate one mean nothing.
 */
#ifndef LAVDM_TEST_SPECTRUM_SUPPORT_H
#define LAVDM_TEST_SPECTRUM_SUPPORT_H

#include "base/random.h"
#include "spectrum/solver.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A = F diag(values) F with F = I - 2 u u' / u'u: every entry takes part, the
 * eigenvectors are the columns of F. */
typedef struct {
  int64_t n;
  double *values, *u;
  int64_t products; /* columns multiplied so far */
} mirror_t;

static inline mirror_t mirror_new(int64_t n, uint64_t seed) {
  mirror_t m = {.n = n, .values = calloc((size_t)n, sizeof(double)), .u = calloc((size_t)n, sizeof(double))};
  random_t random = random_start(seed, 1);
  double square = 0;
  for (int64_t i = 0; i < n; i++) {
    m.u[i] = random_normal(&random);
    square += m.u[i] * m.u[i];
  }
  for (int64_t i = 0; i < n; i++) m.u[i] /= sqrt(square);
  return m;
}

static inline void mirror_free(mirror_t *m) {
  free(m->values);
  free(m->u);
}

/* y = F x, also in place. */
static inline void reflect(const mirror_t *m, const double *x, double *y, int64_t count) {
  double *dot = calloc((size_t)count, sizeof *dot);
  for (int64_t i = 0; i < m->n; i++)
    for (int64_t j = 0; j < count; j++) dot[j] += m->u[i] * x[i * count + j];
  for (int64_t i = 0; i < m->n; i++)
    for (int64_t j = 0; j < count; j++) y[i * count + j] = x[i * count + j] - 2 * dot[j] * m->u[i];
  free(dot);
}

static inline int mirror_apply(run_t *run, const void *context, const double *x, double *y, int64_t count) {
  (void)run;
  mirror_t *m = (mirror_t *)context;
  m->products += count;
  reflect(m, x, y, count);
  for (int64_t i = 0; i < m->n; i++)
    for (int64_t j = 0; j < count; j++) y[i * count + j] *= m->values[i];
  reflect(m, y, y, count);
  return LAVDM_OK;
}

static inline operator_t mirror_operator(mirror_t *m) {
  return (operator_t){.size = m->n, .apply = mirror_apply, .context = m};
}

/* The walk on an s x s torus: (A x)_p = mean of x over the four neighbours of p,
 * with eigenvalues (cos 2 pi a/s + cos 2 pi b/s) / 2. */
static inline int torus_apply(run_t *run, const void *context, const double *x, double *y, int64_t count) {
  int64_t s = *(const int64_t *)context;
#pragma omp parallel for num_threads(run->threads) schedule(static)
  for (int64_t p = 0; p < s * s; p++) {
    int64_t row = p / s, column = p % s;
    const double *up = x + ((row + 1) % s * s + column) * count;
    const double *down = x + ((row + s - 1) % s * s + column) * count;
    const double *right = x + (row * s + (column + 1) % s) * count;
    const double *left = x + (row * s + (column + s - 1) % s) * count;
    for (int64_t j = 0; j < count; j++) y[p * count + j] = (up[j] + down[j] + right[j] + left[j]) / 4;
  }
  return LAVDM_OK;
}

typedef struct {
  run_t run;
  lavdm_error error;
  int64_t r;
  double *values, *vectors, *residuals;
} solve_t;

static inline solve_t *solve_new(int64_t n, int64_t r, int threads) {
  solve_t *s = calloc(1, sizeof *s);
  s->run.threads = threads;
  s->run.error = &s->error;
  s->run.stage = "eigenvectors";
  s->run.options.seed = 7;
  s->r = r;
  s->values = calloc((size_t)r, sizeof(double));
  s->vectors = calloc((size_t)(n * r), sizeof(double));
  s->residuals = calloc((size_t)r, sizeof(double));
  return s;
}

static inline void solve_free(solve_t *s) {
  free(s->values);
  free(s->vectors);
  free(s->residuals);
  free(s);
}

static inline solve_t *iterate(const operator_t *op, int64_t r, double tolerance, int threads) {
  solve_t *s = solve_new(op->size, r, threads);
  assert_int_equal(solve_iterative(&s->run, op, r, tolerance, s->values, s->vectors, s->residuals), LAVDM_OK);
  assert_int_equal(s->run.warnings, 0);
  return s;
}

/* The operator as a matrix, for solve_dense. */
static inline double *matrix_of(const operator_t *op) {
  int64_t n = op->size;
  run_t run = {.threads = 1};
  double *a = calloc((size_t)(n * n), sizeof *a), *identity = calloc((size_t)(n * n), sizeof *identity);
  for (int64_t i = 0; i < n; i++) identity[i * n + i] = 1;
  assert_int_equal(op->apply(&run, op->context, identity, a, n), LAVDM_OK);
  free(identity);
  return a;
}

static inline solve_t *decompose(const operator_t *op, int64_t r, int threads) {
  solve_t *s = solve_new(op->size, r, threads);
  double *a = matrix_of(op);
  assert_int_equal(solve_dense(&s->run, a, op->size, r, s->values, s->vectors), LAVDM_OK);
  assert_int_equal(solve_residuals(&s->run, op, r, s->values, s->vectors, s->residuals), LAVDM_OK);
  free(a);
  return s;
}

/* Residuals measured here, not by the solver. */
static inline double true_residual(const operator_t *op, const solve_t *s, int64_t l) {
  int64_t n = op->size;
  run_t run = {.threads = 1};
  double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y), sum = 0;
  for (int64_t i = 0; i < n; i++) x[i] = s->vectors[i * s->r + l];
  op->apply(&run, op->context, x, y, 1);
  for (int64_t i = 0; i < n; i++) sum += (y[i] - s->values[l] * x[i]) * (y[i] - s->values[l] * x[i]);
  free(x);
  free(y);
  return sqrt(sum);
}

static inline double largest_entry(const solve_t *s, int64_t n, int64_t l, int64_t *where) {
  double largest = 0;
  for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(s->vectors[i * s->r + l]));
  *where = 0;
  while (fabs(s->vectors[*where * s->r + l]) < largest * (1 - 1e-6)) ++*where;
  return largest;
}

/* What holds for every result: order, residuals as claimed and within the
 * tolerance, orthonormal vectors, signs. */
static inline void check_result(const operator_t *op, const solve_t *s, double tolerance) {
  int64_t n = op->size, r = s->r;
  for (int64_t l = 0; l < r; l++) {
    if (l) assert_true(s->values[l] <= s->values[l - 1]);
    assert_true(s->residuals[l] <= tolerance);
    assert_true(fabs(true_residual(op, s, l) - s->residuals[l]) <= 1e-3 * s->residuals[l] + 1e-14);
    int64_t where;
    assert_true(largest_entry(s, n, l, &where) > 0);
    assert_true(s->vectors[where * r + l] > 0);
    for (int64_t k = 0; k <= l; k++) {
      double dot = 0;
      for (int64_t i = 0; i < n; i++) dot += s->vectors[i * r + k] * s->vectors[i * r + l];
      assert_true(fabs(dot - (k == l)) < 1e-12);
    }
  }
}

/* |v - P v| for unit v and P the projector onto columns first..end-1: 0 if v
 * lies in their span. */
static inline double outside(const solve_t *s, int64_t n, int64_t first, int64_t end, const double *v) {
  double *rest = calloc((size_t)n, sizeof *rest), sum = 0;
  memcpy(rest, v, (size_t)n * sizeof *rest);
  for (int64_t l = first; l < end; l++) {
    double dot = 0;
    for (int64_t i = 0; i < n; i++) dot += s->vectors[i * s->r + l] * v[i];
    for (int64_t i = 0; i < n; i++) rest[i] -= dot * s->vectors[i * s->r + l];
  }
  for (int64_t i = 0; i < n; i++) sum += rest[i] * rest[i];
  free(rest);
  return sqrt(sum);
}

static inline void column_of(const solve_t *s, int64_t n, int64_t l, double *v) {
  for (int64_t i = 0; i < n; i++) v[i] = s->vectors[i * s->r + l];
}

static inline int descending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

/* Values against the truth, and each eigenspace that is wanted as a whole
 * against the columns of F. */
static inline void check_mirror(mirror_t *m, const solve_t *s, double tolerance) {
  operator_t op = mirror_operator(m);
  int64_t n = m->n, r = s->r;
  check_result(&op, s, tolerance);
  double *sorted = calloc((size_t)n, sizeof *sorted), *v = calloc((size_t)n, sizeof *v);
  memcpy(sorted, m->values, (size_t)n * sizeof *sorted);
  qsort(sorted, (size_t)n, sizeof *sorted, descending);
  for (int64_t l = 0; l < r; l++) assert_true(fabs(s->values[l] - sorted[l]) < 1e-12);

  for (int64_t first = 0, end; first < r; first = end) {
    for (end = first + 1; end < n && sorted[end] == sorted[first];) end++;
    if (end > r) break;
    double gap =
        fmin(first ? sorted[first - 1] - sorted[first] : 1, end < n ? sorted[first] - sorted[end] : 1);
    for (int64_t i = 0; i < n; i++) {
      if (m->values[i] != sorted[first]) continue;
      for (int64_t k = 0; k < n; k++) v[k] = (k == i) - 2 * m->u[i] * m->u[k];
      assert_true(outside(s, n, first, end, v) < 1e-13 + 2 * sqrt((double)r) * tolerance / gap);
    }
  }
  free(sorted);
  free(v);
}

/* The r largest of an operator with the eigenvalues value(i, n). */
static inline void check_levels(int64_t n, int64_t r, double (*value)(int64_t i, int64_t n),
                                double tolerance) {
  mirror_t m = mirror_new(n, (uint64_t)(n + r));
  for (int64_t i = 0; i < n; i++) m.values[i] = value(i, n);
  operator_t op = mirror_operator(&m);
  solve_t *s = iterate(&op, r, tolerance, 1);
  check_mirror(&m, s, tolerance);
  solve_free(s);
  mirror_free(&m);
}

#endif
