/*
 * The eigensolver on a matrix whose rows are shared: ranks find the rows of what one finds, with the same
 * signs, by every way through it.
 */
#include "spectrum/spectrum.h"
#include "team.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g to %g", a, b, tolerance);
}

/* A symmetric matrix with blocks of two within 5 of the diagonal; rows first .. first+rows-1 of `total`. */
static symmetric_t banded(int64_t total, int64_t first, int64_t rows) {
  enum { REACH = 5, Q = 2 };
  symmetric_t m = {.size = rows * Q, .before = first * Q, .after = (total - first - rows) * Q};
  run_t run = {.threads = 1};
  assert_int_equal(bsr_new(&run, rows, total, Q, rows * (2 * REACH + 1), false, &m.sparse), LAVDM_OK);
  bsr_t *a = &m.sparse;
  for (int64_t i = 0, e = 0; i < rows; i++) {
    int64_t self = first + i;
    for (int64_t k = self > REACH ? self - REACH : 0; k < total && k <= self + REACH; k++, e++) {
      a->col[e] = (int32_t)k;
      for (int64_t b = 0; b < Q * Q; b++) {
        int64_t x = self * Q + b / Q, y = k * Q + b % Q, low = x < y ? x : y, high = x < y ? y : x;
        a->block[e * Q * Q + b] = sin((double)(low * 7 + high * high)) / ((2 * REACH + 1) * Q);
      }
      a->start[i + 1] = e + 1;
    }
  }
  return m;
}

enum { PAIRS = 6 };

typedef struct {
  symmetric_t matrix;
  bool products; /* known by them alone */
  run_t run;
  lavdm_error error;
  double values[PAIRS], residuals[PAIRS], *vectors;
  double far[PAIRS]; /* residuals of what are no eigenvectors */
  int status;
} solve_job;

static void *solve(void *context) {
  solve_job *j = context;
  operator_t op = symmetric_operator(&j->matrix);
  j->run.threads = 1, j->run.error = &j->error;
  lavdm_options_default(&j->run.options);
  j->vectors = calloc((size_t)(j->matrix.size * PAIRS), sizeof *j->vectors);
  j->status = j->products ? spectrum_of(&j->run, &op, PAIRS, j->values, j->vectors, j->residuals)
                          : spectrum_top(&j->run, &j->matrix, PAIRS, j->values, j->vectors, j->residuals);
  double *made_up = calloc((size_t)(j->matrix.size * PAIRS), sizeof *made_up);
  for (int64_t i = 0; i < j->matrix.size * PAIRS; i++)
    made_up[i] = cos((double)(j->matrix.before * PAIRS + i) * 1.7);
  if (!j->status) j->status = solve_residuals(&j->run, &op, PAIRS, j->values, made_up, j->far);
  free(made_up);
  return NULL;
}

/* Sizes at which the matrix is decomposed as a whole, and beyond; known by its products, or stored. */
static void test_solver(void **state) {
  (void)state;
  const int64_t sizes[] = {40, 300, 900};
  for (int c = 0; c < 6; c++) {
    int64_t total = sizes[c / 2], bounds[] = {0, total / 8, total / 2, total};
    solve_job whole = {.matrix = banded(total, 0, total), .products = c % 2}, *job = calloc(3, sizeof *job);
    pthread_t thread[3];
    thread_team *team = thread_team_new(3);
    solve(&whole);
    assert_int_equal(whole.status, 0);
    for (int r = 0; r < 3; r++) {
      job[r].matrix = banded(total, bounds[r], bounds[r + 1] - bounds[r]);
      job[r].matrix.team = thread_team_rank(team, r);
      job[r].products = c % 2;
      assert_int_equal(pthread_create(&thread[r], NULL, solve, &job[r]), 0);
    }
    for (int r = 0; r < 3; r++) pthread_join(thread[r], NULL);
    for (int r = 0; r < 3; r++) {
      assert_int_equal(job[r].status, 0);
      for (int64_t l = 0; l < PAIRS; l++) {
        assert_near(job[r].values[l], whole.values[l], 1e-13);
        assert_true(job[r].values[l] == job[0].values[l] && job[r].residuals[l] == job[0].residuals[l]);
        assert_true(job[r].residuals[l] <= 1e-8);
        assert_true(whole.far[l] > 0.1);
        assert_near(job[r].far[l], whole.far[l], 1e-12 * whole.far[l]);
      }
      for (int64_t i = 0; i < job[r].matrix.size * PAIRS; i++)
        assert_near(job[r].vectors[i], whole.vectors[job[r].matrix.before * PAIRS + i], 1e-7);
    }
    for (int r = 0; r < 3; r++) {
      symmetric_free(&job[r].matrix);
      free(job[r].vectors);
    }
    symmetric_free(&whole.matrix);
    free(whole.vectors);
    free(job);
    thread_team_free(team);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_solver)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
