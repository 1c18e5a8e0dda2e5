/* The eigensolvers on simple spectra, at every size, and when they are disturbed. */
#include "spectrum_support.h"

#include "base/memory.h"
#include "live.h"
#include "spectrum/spectrum.h"

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

/* A block-sparse symmetric matrix: blocks within `reach` of the diagonal. */
static symmetric_t banded(int64_t rows, int64_t q, int64_t reach) {
  symmetric_t m = {.size = rows * q};
  run_t run = {.threads = 1};
  assert_int_equal(bsr_new(&run, rows, rows, q, rows * (2 * reach + 1), false, &m.sparse), LAVDM_OK);
  bsr_t *a = &m.sparse;
  int64_t e = 0;
  for (int64_t i = 0; i < rows; i++) {
    for (int64_t k = i > reach ? i - reach : 0; k < rows && k <= i + reach; k++, e++) {
      a->col[e] = (int32_t)k;
      for (int64_t r = 0; r < q; r++)
        for (int64_t c = 0; c < q; c++) {
          int64_t x = i * q + r, y = k * q + c, low = x < y ? x : y, high = x < y ? y : x;
          a->block[(e * q + r) * q + c] =
              sin((double)(low * 7 + high * high)) / (double)((2 * reach + 1) * q);
        }
    }
    a->start[i + 1] = e;
  }
  return m;
}

/* Every way through the products, against the entries one by one. */
static void test_products(void **state) {
  (void)state;
  int64_t counts[] = {1, 4, 7, 8, 16, 24, 32, 40};
  for (int64_t q = 1; q <= 6; q++) {
    symmetric_t m = banded(23, q, 3);
    operator_t op = symmetric_operator(&m);
    double *dense = symmetric_dense(&m);
    assert_non_null(dense);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
      int64_t count = counts[k], n = m.size;
      run_t run = {.threads = 2};
      double *x = calloc((size_t)(n * count), sizeof *x), *y = calloc((size_t)(n * count), sizeof *y);
      for (int64_t i = 0; i < n * count; i++) x[i] = cos((double)(3 * i));
      assert_int_equal(op.apply(&run, op.context, x, y, count), LAVDM_OK);
      for (int64_t i = 0; i < n; i++)
        for (int64_t v = 0; v < count; v++) {
          double sum = 0;
          for (int64_t j = 0; j < n; j++) sum += dense[i * n + j] * x[j * count + v];
          assert_true(fabs(sum - y[i * count + v]) < 1e-14);
        }
      free(x);
      free(y);
    }
    mem_free(dense);
    symmetric_free(&m);
  }
}

/* A stored matrix that is solved iteratively, by one thread and by two, whose
 * products may be taken by either. */
static void test_stored_threads(void **state) {
  (void)state;
  symmetric_t m = banded(800, 2, 40);
  int64_t n = m.size, r = 9;
  solve_t *s[2];
  for (int k = 0; k < 2; k++) {
    s[k] = solve_new(n, r, k + 1);
    s[k]->run.options.tolerance = 1e-8;
    live_begin();
    assert_int_equal(spectrum_top(&s[k]->run, &m, r, s[k]->values, s[k]->vectors, s[k]->residuals), LAVDM_OK);
    assert_int_equal(s[k]->run.threads, k + 1);
    double peak = (double)live_peak(), vectors = spectrum_bytes(n, n, r);
    assert_true(peak >= vectors && peak <= vectors + (1 << 20)); /* and small matrices */
  }
  operator_t op = symmetric_operator(&m);
  check_result(&op, s[0], 1e-10);
  assert_memory_equal(s[0]->values, s[1]->values, (size_t)r * sizeof(double));
  assert_memory_equal(s[0]->vectors, s[1]->vectors, (size_t)(n * r) * sizeof(double));
  solve_free(s[0]);
  solve_free(s[1]);
  symmetric_free(&m);
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

/* The top of the spectrum of a kernel on a surface: many values close to 1. */
static void test_crowded_top(void **state) {
  (void)state;
  mirror_t m = mirror_new(2000, 19);
  for (int64_t i = 0; i < m.n; i++) m.values[i] = exp(-2.3e-4 * (double)(i + 1));
  for (int64_t i = 0; i < m.n; i += 5) m.values[i] = 0.5 * exp(-0.01 * (double)i);
  operator_t op = mirror_operator(&m);
  solve_t *s = iterate(&op, 20, 1e-11, 1);
  int64_t products = m.products;
  check_mirror(&m, s, 1e-11);
  assert_true(products < 3500);
  solve_free(s);
  mirror_free(&m);
}

static void test_solvers_agree(void **state) {
  (void)state;
  int64_t side = 24, n = side * side, r = 13; /* 1 + 4 + 4 + 4: ends at a gap */
  operator_t op = {.size = n, .apply = torus_apply, .context = &side};
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
  operator_t op = {.size = n, .apply = torus_apply, .context = &side};
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
    operator_t op = {.size = 500, .apply = faulty_apply, .context = &f};
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
      cmocka_unit_test(test_dense_sizes),       cmocka_unit_test(test_dense_multiple),
      cmocka_unit_test(test_dense_refuses_nan), cmocka_unit_test(test_products),
      cmocka_unit_test(test_stored_threads),    cmocka_unit_test(test_small_sizes),
      cmocka_unit_test(test_simple_spectra),    cmocka_unit_test(test_crowded_top),
      cmocka_unit_test(test_solvers_agree),     cmocka_unit_test(test_threads),
      cmocka_unit_test(test_seed_repeats),      cmocka_unit_test(test_unreachable_tolerance),
      cmocka_unit_test(test_interruption),      cmocka_unit_test(test_faulty_operator),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
