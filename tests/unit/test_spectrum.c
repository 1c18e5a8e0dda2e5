/* The eigensolvers on simple spectra, at every size, and when they are disturbed. */
#include "spectrum_support.h"

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
  int64_t side = 90, n = side * side, r = 13;
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
      cmocka_unit_test(test_solvers_agree),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_seed_repeats),
      cmocka_unit_test(test_unreachable_tolerance),
      cmocka_unit_test(test_interruption),
      cmocka_unit_test(test_faulty_operator),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
