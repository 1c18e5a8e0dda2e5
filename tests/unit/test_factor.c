/*
 * Cholesky factors against a dense solution: matrices of blocks of one size and of several, several right
 * sides, numbers that change under the same pattern; what is not positive, and what would be too large.
 */
#include "base/random.h"
#include "factor/factor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

enum { BLOCKS = 40, MOST = 3, N = BLOCKS * MOST, COLUMNS = 4 };

/* A matrix twice: whole, and its lower triangle as the library takes it. */
typedef struct {
  int64_t first[BLOCKS + 1];
  double whole[N][N];
  triangle_t triangle;
} matrix;

/* Blocks of `size` rows each (0: of 1 to 3), joined in a ring with chords; diagonally dominant by `margin`.
 */
static matrix *draw(int64_t size, double margin, uint64_t seed) {
  matrix *m = calloc(1, sizeof *m);
  random_t random = random_start(seed, 5);
  for (int64_t b = 0; b < BLOCKS; b++) m->first[b + 1] = m->first[b] + (size ? size : 1 + b % MOST);
  int64_t n = m->first[BLOCKS], at = 0;
  bool joined[BLOCKS][BLOCKS] = {{false}};
  for (int64_t b = 0; b < BLOCKS; b++) {
    joined[b][b] = true;
    int64_t others[2] = {(b + 1) % BLOCKS, random_below(&random, BLOCKS)};
    for (int k = 0; k < 2; k++) joined[b][others[k]] = joined[others[k]][b] = true;
  }
  m->triangle = (triangle_t){n, calloc(N + 1, 8), calloc(N * N, 8), calloc(N * N, 8)};
  for (int64_t b = 0; b < BLOCKS; b++)
    for (int64_t c = 0; c <= b; c++)
      for (int64_t i = m->first[b]; i < m->first[b + 1] && joined[b][c]; i++)
        for (int64_t j = m->first[c]; j < m->first[c + 1] && j <= i; j++) {
          m->whole[i][j] = m->whole[j][i] = random_normal(&random);
        }
  for (int64_t i = 0; i < n; i++) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += i == j ? 0 : fabs(m->whole[i][j]);
    m->whole[i][i] = sum + margin;
  }
  for (int64_t b = 0; b < BLOCKS; b++)
    for (int64_t j = m->first[b]; j < m->first[b + 1]; j++) {
      for (int64_t c = b; c < BLOCKS; c++)
        for (int64_t i = m->first[c]; i < m->first[c + 1] && joined[b][c]; i++)
          if (i >= j) m->triangle.row[at] = i, m->triangle.value[at++] = m->whole[i][j];
      m->triangle.start[j + 1] = at;
    }
  return m;
}

static void drop(matrix *m) {
  free(m->triangle.start);
  free(m->triangle.row);
  free(m->triangle.value);
  free(m);
}

/* |A x - b| against |b| for x as it was given back. */
static void check_solution(run_t *run, factor_t *factor, const matrix *m) {
  int64_t n = m->triangle.n;
  double b[COLUMNS * N], x[COLUMNS * N];
  random_t random = random_start(7, 8);
  for (int64_t i = 0; i < COLUMNS * n; i++) x[i] = b[i] = random_normal(&random);
  assert_int_equal(factor_solve(run, factor, COLUMNS, x), 0);
  for (int64_t c = 0; c < COLUMNS; c++)
    for (int64_t i = 0; i < n; i++) {
      double sum = -b[c * n + i];
      for (int64_t j = 0; j < n; j++) sum += m->whole[i][j] * x[c * n + j];
      assert_true(fabs(sum) < 1e-11);
    }
}

static void test_solutions(void **state) {
  (void)state;
  run_t run = {.threads = 2};
  for (int64_t size = 0; size <= MOST; size++)
    for (int blocks = 0; blocks < 2; blocks++) {
      matrix *m = draw(size, 0.1, 1 + (uint64_t)size), *other = draw(size, 2, 1 + (uint64_t)size);
      factor_t *factor = NULL;
      bool positive = false;
      assert_int_equal(factor_analyse(&run, &m->triangle, blocks ? m->first : NULL, BLOCKS, 1e9, &factor), 0);
      assert_non_null(factor);
      assert_true(factor_entries(factor) >= (double)m->triangle.start[m->triangle.n]);
      assert_true(factor_operations(factor) > 0);
      const matrix *both[] = {m, other};
      for (int k = 0; k < 2; k++) {
        assert_int_equal(factor_compute(&run, factor, &both[k]->triangle, &positive), 0);
        assert_true(positive);
        check_solution(&run, factor, both[k]);
      }
      factor_free(factor);
      drop(m);
      drop(other);
    }
}

static void test_not_positive(void **state) {
  (void)state;
  run_t run = {.threads = 1};
  matrix *m = draw(2, 1, 3);
  factor_t *factor = NULL;
  bool positive = true;
  assert_int_equal(factor_analyse(&run, &m->triangle, m->first, BLOCKS, 1e9, &factor), 0);
  double *last = &m->triangle.value[m->triangle.start[m->triangle.n] - 1], right = *last;
  *last = -right;
  assert_int_equal(factor_compute(&run, factor, &m->triangle, &positive), 0);
  assert_false(positive);
  *last = right; /* and it can be used again */
  assert_int_equal(factor_compute(&run, factor, &m->triangle, &positive), 0);
  assert_true(positive);
  check_solution(&run, factor, m);
  factor_free(factor);
  drop(m);
}

static void test_too_large(void **state) {
  (void)state;
  run_t run = {.threads = 1};
  matrix *m = draw(3, 1, 4);
  factor_t *factor = (factor_t *)m;
  assert_int_equal(factor_analyse(&run, &m->triangle, m->first, BLOCKS, 100, &factor), 0);
  assert_null(factor);
  factor_free(factor);
  drop(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_solutions), cmocka_unit_test(test_not_positive),
                                     cmocka_unit_test(test_too_large)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
