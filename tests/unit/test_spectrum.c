/*
 * The eigensolvers against operators whose spectra are known exactly: values
 * with their multiplicities, residuals, orthonormality, and the projectors
 * onto eigenspaces, since single vectors of a degenerate one mean nothing.
 */
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

/* ------------------------------------------------------------ operators */

/* A = F diag(values) F with F = I - 2 u u' / u'u: every entry takes part, the
 * eigenvectors are the columns of F. */
typedef struct {
  int64_t n;
  double *values, *u;
  int64_t products; /* columns multiplied so far */
} mirror_t;

static mirror_t mirror_new(int64_t n, uint64_t seed) {
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

static void mirror_free(mirror_t *m) {
  free(m->values);
  free(m->u);
}

/* y = F x, also in place. */
static void reflect(const mirror_t *m, const double *x, double *y, int64_t count) {
  double *dot = calloc((size_t)count, sizeof *dot);
  for (int64_t i = 0; i < m->n; i++)
    for (int64_t j = 0; j < count; j++) dot[j] += m->u[i] * x[i * count + j];
  for (int64_t i = 0; i < m->n; i++)
    for (int64_t j = 0; j < count; j++) y[i * count + j] = x[i * count + j] - 2 * dot[j] * m->u[i];
  free(dot);
}

static int mirror_apply(run_t *run, const void *context, const double *x, double *y, int64_t count) {
  (void)run;
  mirror_t *m = (mirror_t *)context;
  m->products += count;
  reflect(m, x, y, count);
  for (int64_t i = 0; i < m->n; i++)
    for (int64_t j = 0; j < count; j++) y[i * count + j] *= m->values[i];
  reflect(m, y, y, count);
  return LAVDM_OK;
}

static operator_t mirror_operator(mirror_t *m) {
  return (operator_t){m->n, mirror_apply, m};
}

/* The walk on an s x s torus: (A x)_p = mean of x over the four neighbours of p,
 * with eigenvalues (cos 2 pi a/s + cos 2 pi b/s) / 2. */
static int torus_apply(run_t *run, const void *context, const double *x, double *y, int64_t count) {
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

/* -------------------------------------------------------------- helpers */

typedef struct {
  run_t run;
  lavdm_error error;
  int64_t r;
  double *values, *vectors, *residuals;
} solve_t;

static solve_t *solve_new(int64_t n, int64_t r, int threads) {
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

static void solve_free(solve_t *s) {
  free(s->values);
  free(s->vectors);
  free(s->residuals);
  free(s);
}

static solve_t *iterate(const operator_t *op, int64_t r, double tolerance, int threads) {
  solve_t *s = solve_new(op->size, r, threads);
  assert_int_equal(solve_iterative(&s->run, op, r, tolerance, s->values, s->vectors, s->residuals), LAVDM_OK);
  assert_int_equal(s->run.warnings, 0);
  return s;
}

/* The operator as a matrix, for solve_dense. */
static double *matrix_of(const operator_t *op) {
  int64_t n = op->size;
  run_t run = {.threads = 1};
  double *a = calloc((size_t)(n * n), sizeof *a), *identity = calloc((size_t)(n * n), sizeof *identity);
  for (int64_t i = 0; i < n; i++) identity[i * n + i] = 1;
  assert_int_equal(op->apply(&run, op->context, identity, a, n), LAVDM_OK);
  free(identity);
  return a;
}

static solve_t *decompose(const operator_t *op, int64_t r, int threads) {
  solve_t *s = solve_new(op->size, r, threads);
  double *a = matrix_of(op);
  assert_int_equal(solve_dense(&s->run, a, op->size, r, s->values, s->vectors), LAVDM_OK);
  assert_int_equal(solve_residuals(&s->run, op, r, s->values, s->vectors, s->residuals), LAVDM_OK);
  free(a);
  return s;
}

/* Residuals measured here, not by the solver. */
static double true_residual(const operator_t *op, const solve_t *s, int64_t l) {
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

static double largest_entry(const solve_t *s, int64_t n, int64_t l, int64_t *where) {
  double largest = 0;
  for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(s->vectors[i * s->r + l]));
  *where = 0;
  while (fabs(s->vectors[*where * s->r + l]) < largest * (1 - 1e-6)) ++*where;
  return largest;
}

/* What holds for every result: order, residuals as claimed and within the
 * tolerance, orthonormal vectors, signs. */
static void check_result(const operator_t *op, const solve_t *s, double tolerance) {
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
static double outside(const solve_t *s, int64_t n, int64_t first, int64_t end, const double *v) {
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

static void column_of(const solve_t *s, int64_t n, int64_t l, double *v) {
  for (int64_t i = 0; i < n; i++) v[i] = s->vectors[i * s->r + l];
}

static int descending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

/* Values against the truth, and each eigenspace that is wanted as a whole
 * against the columns of F. */
static void check_mirror(mirror_t *m, const solve_t *s, double tolerance) {
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

/* ---------------------------------------------------------------- tests */

static void test_dense_sizes(void **state) {
  (void)state;
  int64_t sizes[] = {1, 2, 3, 10, 61};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (int64_t r = 1; r <= sizes[k]; r += r < 5 ? 1 : 7) {
      mirror_t m = mirror_new(sizes[k], 3);
      for (int64_t i = 0; i < m.n; i++) m.values[i] = cos(2.0 * (double)i / 3);
      operator_t op = mirror_operator(&m);
      solve_t *s = decompose(&op, r, 1);
      check_mirror(&m, s, 1e-13);
      solve_free(s);
      mirror_free(&m);
    }
}

/* Few and all pairs take different ways through LAPACK. */
static void test_dense_multiple(void **state) {
  (void)state;
  int64_t wanted[] = {7, 30, 150, 240};
  for (int k = 0; k < 4; k++) {
    mirror_t m = mirror_new(240, 5);
    for (int64_t i = 0; i < m.n; i++) m.values[i] = 1 - 0.07 * (double)(i / 30);
    operator_t op = mirror_operator(&m);
    solve_t *s = decompose(&op, wanted[k], 2);
    check_mirror(&m, s, 1e-13);
    solve_free(s);
    mirror_free(&m);
  }
}

static void test_dense_refuses_nan(void **state) {
  (void)state;
  double a[9] = {1, 0, 0, 0, NAN, 0, 0, 0, 1};
  solve_t *s = solve_new(3, 2, 1);
  assert_int_equal(solve_dense(&s->run, a, 3, 2, s->values, s->vectors), LAVDM_ERROR_NUMERICS);
  assert_int_equal(s->error.status, LAVDM_ERROR_NUMERICS);
  solve_free(s);
}

static void test_small_sizes(void **state) {
  (void)state;
  for (int64_t n = 1; n <= 40; n += n < 4 ? 1 : 12)
    for (int64_t r = 1; r <= n; r += r < 3 ? 1 : n / 3) {
      mirror_t m = mirror_new(n, 11);
      for (int64_t i = 0; i < n; i++) m.values[i] = cos((double)i);
      operator_t op = mirror_operator(&m);
      solve_t *s = iterate(&op, r, 1e-12, 1);
      check_mirror(&m, s, 1e-12);
      solve_free(s);
      mirror_free(&m);
    }
}

static void check_levels(int64_t n, int64_t r, double (*value)(int64_t i, int64_t n), double tolerance) {
  mirror_t m = mirror_new(n, (uint64_t)(n + r));
  for (int64_t i = 0; i < n; i++) m.values[i] = value(i, n);
  operator_t op = mirror_operator(&m);
  solve_t *s = iterate(&op, r, tolerance, 1);
  check_mirror(&m, s, tolerance);
  solve_free(s);
  mirror_free(&m);
}

static double ramp(int64_t i, int64_t n) {
  return -1 + 2 * (double)i / (double)(n - 1);
}

static double decay(int64_t i, int64_t n) {
  (void)n;
  return exp(-0.0125 * (double)(i / 3));
}

/* Negative values of larger magnitude than any positive one. */
static double below(int64_t i, int64_t n) {
  return 0.3 - 1.3 * (double)i / (double)(n - 1);
}

static double all_negative(int64_t i, int64_t n) {
  return -0.2 - 0.8 * (double)i / (double)n;
}

static double zero(int64_t i, int64_t n) {
  (void)i, (void)n;
  return 0;
}

static double one(int64_t i, int64_t n) {
  (void)i, (void)n;
  return 1;
}

static void test_simple_spectra(void **state) {
  (void)state;
  check_levels(400, 1, ramp, 1e-10);
  check_levels(400, 7, ramp, 1e-12);
  check_levels(900, 12, ramp, 1e-10);
  check_levels(900, 20, decay, 1e-10);
  check_levels(900, 20, decay, 1e-13);
  check_levels(700, 60, decay, 1e-10);
  check_levels(500, 9, below, 1e-11);
  check_levels(500, 9, all_negative, 1e-11);
}

static void test_trivial_operators(void **state) {
  (void)state;
  check_levels(300, 1, zero, 1e-12);
  check_levels(300, 25, zero, 1e-12);
  check_levels(300, 1, one, 1e-12);
  check_levels(300, 25, one, 1e-12);
}

static double one_of_200(int64_t i, int64_t n) {
  return i < 200 ? 1 : 0.98 * cos(3.0 * (double)i / (double)n);
}

static double tens(int64_t i, int64_t n) {
  (void)n;
  return fmax(1 - 0.02 * (double)(i / 10), -0.5);
}

static double thirties(int64_t i, int64_t n) {
  (void)n;
  return fmax(1 - 0.01 * (double)(i / 30), -0.2);
}

static double fours_and_eights(int64_t i, int64_t n) {
  (void)n;
  int64_t group = i / 12, rest = i % 12;
  return fmax(1 - 0.01 * (double)(2 * group + (rest >= 4)), -0.9);
}

/* A pair of copies above a larger set: the wanted end within it. */
static double five_then_many(int64_t i, int64_t n) {
  return i < 5 ? 0.9 : i < 60 ? 0.85 : 0.8 * (1 - (double)i / (double)n);
}

static void test_multiple_eigenvalues(void **state) {
  (void)state;
  check_levels(1000, 20, one_of_200, 1e-10);
  check_levels(1000, 20, one_of_200, 1e-13);
  check_levels(600, 40, tens, 1e-10);
  check_levels(600, 25, tens, 1e-12);
  check_levels(900, 60, thirties, 1e-10);
  check_levels(900, 33, thirties, 1e-10);
  check_levels(700, 28, fours_and_eights, 1e-10);
  check_levels(700, 16, fours_and_eights, 1e-12);
  check_levels(700, 5, fours_and_eights, 1e-10);
  check_levels(800, 30, five_then_many, 1e-11);
  check_levels(800, 6, five_then_many, 1e-11);
}

/* Copies that differ by less than the tolerance are copies all the same. */
static void test_nearly_multiple(void **state) {
  (void)state;
  mirror_t m = mirror_new(800, 21);
  for (int64_t i = 0; i < m.n; i++)
    m.values[i] = fmax(0.999 - 0.02 * (double)(i / 17), -0.3) - 1e-13 * (double)(i % 17);
  operator_t op = mirror_operator(&m);
  solve_t *s = iterate(&op, 40, 1e-10, 1);
  check_result(&op, s, 1e-10);
  for (int64_t l = 0; l < 40; l++)
    assert_true(fabs(s->values[l] - (0.999 - 0.02 * (double)(l / 17))) < 1e-11);
  solve_free(s);
  mirror_free(&m);
}

/* 1, then multiplicities 4, 4, 4, 8: few products where the spectrum is easy. */
static void test_torus(void **state) {
  (void)state;
  int64_t side = 40, n = side * side;
  operator_t op = {n, torus_apply, &side};
  double *truth = calloc((size_t)n, sizeof *truth);
  for (int64_t a = 0; a < side; a++)
    for (int64_t b = 0; b < side; b++)
      truth[a * side + b] =
          (cos(2 * acos(-1) * (double)a / (double)side) + cos(2 * acos(-1) * (double)b / (double)side)) / 2;
  qsort(truth, (size_t)n, sizeof *truth, descending);
  int64_t wanted[] = {3, 13, 21, 45};
  for (int k = 0; k < 4; k++) {
    solve_t *s = iterate(&op, wanted[k], 1e-11, 1);
    check_result(&op, s, 1e-11);
    for (int64_t l = 0; l < s->r; l++) assert_true(fabs(s->values[l] - truth[l]) < 1e-12);
    solve_free(s);
  }
  free(truth);
}

static void test_solvers_agree(void **state) {
  (void)state;
  int64_t side = 24, n = side * side, r = 13; /* 1 + 4 + 4 + 4: ends at a gap */
  operator_t op = {n, torus_apply, &side};
  solve_t *a = iterate(&op, r, 1e-12, 1), *b = decompose(&op, r, 1);
  double *v = calloc((size_t)n, sizeof *v);
  for (int64_t l = 0; l < r; l++) {
    assert_true(fabs(a->values[l] - b->values[l]) < 1e-13);
    column_of(b, n, l, v);
    int64_t first = l ? 1 + (l - 1) / 4 * 4 : 0, end = l ? first + 4 : 1;
    assert_true(outside(a, n, first, end, v) < 1e-10);
  }
  free(v);
  solve_free(a);
  solve_free(b);
}

static void test_threads(void **state) {
  (void)state;
  int64_t side = 50, n = side * side, r = 13;
  operator_t op = {n, torus_apply, &side};
  solve_t *a = iterate(&op, r, 1e-10, 1), *b = iterate(&op, r, 1e-10, 2);
  assert_memory_equal(a->values, b->values, (size_t)r * sizeof(double));
  assert_memory_equal(a->vectors, b->vectors, (size_t)(n * r) * sizeof(double));
  assert_memory_equal(a->residuals, b->residuals, (size_t)r * sizeof(double));
  solve_free(a);
  solve_free(b);

  side = 16;
  n = op.size = side * side;
  a = decompose(&op, r, 1);
  b = decompose(&op, r, 2);
  double *v = calloc((size_t)n, sizeof *v);
  for (int64_t l = 0; l < r; l++) {
    column_of(b, n, l, v);
    int64_t first = l ? 1 + (l - 1) / 4 * 4 : 0, end = l ? first + 4 : 1;
    assert_true(outside(a, n, first, end, v) < 1e-12);
  }
  free(v);
  solve_free(a);
  solve_free(b);
}

static void test_seed_repeats(void **state) {
  (void)state;
  mirror_t m = mirror_new(500, 9);
  for (int64_t i = 0; i < m.n; i++) m.values[i] = ramp(i, m.n);
  operator_t op = mirror_operator(&m);
  solve_t *a = iterate(&op, 10, 1e-10, 1), *b = iterate(&op, 10, 1e-10, 1);
  assert_memory_equal(a->vectors, b->vectors, (size_t)(m.n * 10) * sizeof(double));
  solve_free(a);
  solve_free(b);
  mirror_free(&m);
}

/* A tolerance that cannot be reached ends the search all the same. */
static void test_unreachable_tolerance(void **state) {
  (void)state;
  mirror_t m = mirror_new(300, 13);
  for (int64_t i = 0; i < m.n; i++) m.values[i] = decay(i, m.n);
  operator_t op = mirror_operator(&m);
  solve_t *s = solve_new(m.n, 5, 1);
  assert_int_equal(solve_iterative(&s->run, &op, 5, 1e-18, s->values, s->vectors, s->residuals), LAVDM_OK);
  check_result(&op, s, 1e-13);
  assert_true(m.products < 20000);
  solve_free(s);
  mirror_free(&m);
}

static int stop_at_once(const char *stage, double fraction, void *user) {
  (void)stage, (void)fraction;
  return ++*(int *)user;
}

static void test_interruption(void **state) {
  (void)state;
  int64_t sizes[] = {40, 2000};
  for (int k = 0; k < 2; k++) {
    mirror_t m = mirror_new(sizes[k], 17);
    for (int64_t i = 0; i < m.n; i++) m.values[i] = ramp(i, m.n);
    operator_t op = mirror_operator(&m);
    solve_t *s = solve_new(m.n, 10, 1);
    int calls = 0;
    s->run.options.progress = stop_at_once;
    s->run.options.progress_user = &calls;
    int status = solve_iterative(&s->run, &op, 10, 1e-12, s->values, s->vectors, s->residuals);
    assert_int_equal(status, LAVDM_ERROR_INTERRUPTED);
    assert_int_equal(s->error.status, LAVDM_ERROR_INTERRUPTED);
    assert_int_equal(calls, 1);
    solve_free(s);
    mirror_free(&m);
  }
}

typedef struct {
  int calls, fail_at;
  bool nan;
} faulty_t;

static int faulty_apply(run_t *run, const void *context, const double *x, double *y, int64_t count) {
  (void)run;
  faulty_t *f = (faulty_t *)context;
  bool now = ++f->calls == f->fail_at;
  for (int64_t i = 0; i < 500 * count; i++) y[i] = x[i] * sin((double)(i / count));
  if (now && f->nan) y[3] = NAN;
  return now && !f->nan ? LAVDM_ERROR_DATA : LAVDM_OK;
}

static void test_faulty_operator(void **state) {
  (void)state;
  for (int at = 1; at < 40; at += 9) {
    faulty_t f = {.fail_at = at};
    operator_t op = {500, faulty_apply, &f};
    solve_t *s = solve_new(500, 10, 1);
    assert_int_equal(solve_iterative(&s->run, &op, 10, 1e-12, s->values, s->vectors, s->residuals),
                     LAVDM_ERROR_DATA);
    f = (faulty_t){.fail_at = at, .nan = true};
    assert_int_equal(solve_iterative(&s->run, &op, 10, 1e-12, s->values, s->vectors, s->residuals),
                     LAVDM_ERROR_NUMERICS);
    solve_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dense_sizes),
      cmocka_unit_test(test_dense_multiple),
      cmocka_unit_test(test_dense_refuses_nan),
      cmocka_unit_test(test_small_sizes),
      cmocka_unit_test(test_simple_spectra),
      cmocka_unit_test(test_trivial_operators),
      cmocka_unit_test(test_multiple_eigenvalues),
      cmocka_unit_test(test_nearly_multiple),
      cmocka_unit_test(test_torus),
      cmocka_unit_test(test_solvers_agree),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_seed_repeats),
      cmocka_unit_test(test_unreachable_tolerance),
      cmocka_unit_test(test_interruption),
      cmocka_unit_test(test_faulty_operator),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
