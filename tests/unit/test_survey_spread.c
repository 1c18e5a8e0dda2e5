/* Covariances of poses and points: against dense inverses, and against what noise does. */
#include "surveyed.h"
#include "base/memory.h"
#include "base/random.h"
#include "factor/inverse.h"

#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static lavdm_sync_t *solve(const surveyed_t *g) {
  lavdm_survey survey = surveyed_survey(g);
  lavdm_edges edges = surveyed_edges(g);
  lavdm_sync_options o = surveyed_options(g, &survey, true);
  lavdm_sync_t *sync;
  lavdm_error error;
  if (lavdm_sync(&edges, &o, &sync, &error) < 0) fail_msg("%s", error.message);
  assert_non_null(sync->covariance);
  return sync;
}

/* ------------------------------------------------------- entries of an inverse */

/* A grid with blocks of b rows, made positive by its diagonal; small ones and such as have supernodes. */
static void grid_matrix(int64_t side, int64_t b, triangle_t *a, int64_t *first, double *dense) {
  int64_t nodes = side * side, n = nodes * b, at = 0;
  random_t random = random_start((uint64_t)(side + b), 0);
  *a = (triangle_t){n, NEW(int64_t, n + 1), NEW(int64_t, 3 * n * b), NEW(double, 3 * n * b)};
  for (int64_t i = 0; i <= nodes; i++) first[i] = i * b;
  for (int64_t c = 0; c < n; c++) {
    int64_t node = c / b, others[] = {node, node % side < side - 1 ? node + 1 : -1, node + side};
    for (int k = 0; k < 3; k++) {
      if (others[k] < 0 || others[k] >= nodes) continue;
      for (int64_t r = k ? others[k] * b : c; r < (others[k] + 1) * b; r++) {
        a->row[at] = r;
        a->value[at] = r == c ? 5 * (double)b : random_normal(&random);
        dense[r * n + c] = dense[c * n + r] = a->value[at++];
      }
    }
    a->start[c + 1] = at;
  }
}

static void inverses(void **state) {
  (void)state;
  const int64_t sides[] = {1, 2, 5, 14}, sizes[] = {1, 3, 6};
  run_t *run = calloc(1, sizeof *run);
  run->threads = 2;
  for (int s = 0; s < 4; s++)
    for (int k = 0; k < 3; k++) {
      int64_t n = sides[s] * sides[s] * sizes[k], first[14 * 14 + 1];
      double *dense = calloc((size_t)(n * n), sizeof *dense);
      triangle_t a;
      factor_t *factor;
      inverse_t *inverse;
      bool positive;
      grid_matrix(sides[s], sizes[k], &a, first, dense);
      assert_int_equal(factor_analyse(run, &a, first, sides[s] * sides[s], 1e9, &factor), 0);
      assert_int_equal(factor_compute(run, factor, &a, &positive), 0);
      assert_true(positive);
      assert_int_equal(inverse_new(run, factor, &inverse), 0);
      assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)n, dense, (int)n), 0);
      assert_int_equal(LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', (int)n, dense, (int)n), 0);
      for (int64_t c = 0; c < n; c++)
        for (int64_t at = a.start[c]; at < a.start[c + 1]; at++) {
          double known = dense[c * n + a.row[at]];
          assert_true(fabs(inverse_entry(inverse, a.row[at], c) - known) < 1e-13);
          assert_true(fabs(inverse_entry(inverse, c, a.row[at]) - known) < 1e-13);
        }
      inverse_free(inverse);
      factor_free(factor);
      triangle_free(&a);
      free(dense);
    }
  free(run);
}

/* ------------------------------------------------------------------- covariances */

/* c (n x n): the pseudo-inverse of J'J at what was found. */
static int64_t dense_covariance(const surveyed_t *g, const bool *held, const lavdm_sync_t *s, double *c) {
  static double j[SURVEYED_ROWS * SURVEYED_X], h[SURVEYED_X * SURVEYED_X], value[SURVEYED_X];
  int64_t rows = surveyed_jacobian(g, held, s->element, s->position, s->point_position, j);
  int64_t n = surveyed_unknowns(g, held);
  for (int64_t a = 0; a < n; a++)
    for (int64_t b = 0; b < n; b++) {
      double sum = 0;
      for (int64_t k = 0; k < rows; k++) sum += j[a * rows + k] * j[b * rows + k];
      h[a * n + b] = sum;
    }
  assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', (int)n, h, (int)n, value), 0);
  memset(c, 0, (size_t)(n * n) * sizeof *c);
  for (int64_t k = 0; k < n; k++)
    for (int64_t i = 0; i < n * n && value[k] > 1e-9 * value[n - 1]; i++)
      c[i] += h[k * n + i / n] * h[k * n + i % n] / value[k];
  return n;
}

static void same_block(const double *found, const double *dense, int64_t n, int64_t at, int64_t size,
                       double tolerance) {
  for (int64_t a = 0; a < size; a++)
    for (int64_t b = 0; b < size; b++) {
      double known = dense[(at + a) * n + at + b];
      double scale = sqrt(dense[(at + a) * (n + 1)] * dense[(at + b) * (n + 1)]);
      if (!(fabs(found[a * size + b] - known) <= tolerance * scale))
        fail_msg("covariance %g should be %g", found[a * size + b], known);
    }
}

static void against_dense(void **state) {
  (void)state;
  static double c[SURVEYED_X * SURVEYED_X];
  for (int kind = 0; kind < 8; kind++)
    for (int64_t q = 2; q <= 3; q++) {
      surveyed_t *g = surveyed_new(q, 9, 15, kind & 1 ? 1e4 : 3, 0.3, (uint64_t)kind);
      int64_t at = 0, d = g->d;
      bool held[SURVEYED_N] = {0};
      g->full = !(kind & 1) || kind == 3;
      g->sines = !g->full; /* the form whose Gauss-Newton matrix is the library's */
      for (int64_t i = 1; i < 9 && kind & 2; i += 4) surveyed_prior(g, i, 0.05);
      for (int64_t l = 0; l < 3 && kind & 4; l++)
        for (int64_t i = l; i < 9; i += 3) g->l[l] = 2, surveyed_sight(g, i, l, 0.1);
      if (kind == 6) surveyed_fix(g, 4), surveyed_fix(g, 7), held[4] = held[7] = true;
      if (!(kind & 2)) held[0] = true;
      lavdm_sync_t *s = solve(g);
      int64_t n = dense_covariance(g, held, s, c);
      for (int64_t i = 0; i < 9; i++) {
        for (int64_t x = 0; x < d * d && held[i]; x++) assert_true(s->covariance[i * d * d + x] == 0);
        if (!held[i]) same_block(s->covariance + i * d * d, c, n, at, d, 1e-7), at += d;
      }
      for (int64_t l = 0; l < s->points; l++, at += q)
        same_block(s->point_covariance + l * q * q, c, n, at, q, 1e-7);
      lavdm_sync_free(s);
      free(g);
    }
}

/* Where only gravity is known of the world, tilts have the covariance that any choice of heading and place
 * gives them, and the node that holds the rest has none of it. */
static void what_priors_leave_open(void **state) {
  (void)state;
  static double c[SURVEYED_X * SURVEYED_X];
  surveyed_t *g = surveyed_new(3, 8, 14, 3, 0, 9);
  for (int64_t i = 0; i < 8; i += 2) {
    double *info = g->prior_info + g->priors * 21;
    surveyed_prior(g, i, 0);
    memset(info, 0, 21 * sizeof *info);
    for (int a = 0, at = 15; a < 3; a++)
      for (int b = a; b < 3; b++)
        info[at++] = 100 * ((a == b) - g->r[i * 9 + a * 3 + 2] * g->r[i * 9 + b * 3 + 2]);
  }
  bool held[SURVEYED_N] = {0};
  lavdm_sync_t *s = solve(g);
  int64_t n = dense_covariance(g, held, s, c);
  for (int64_t i = 0; i < 8; i++)
    for (int64_t a = 3; a < 5; a++)
      for (int64_t b = 3; b < 5; b++)
        assert_true(fabs(s->covariance[i * 36 + a * 6 + b] - c[(i * 6 + a) * n + i * 6 + b]) <
                    1e-6 * c[(i * 6 + 3) * (n + 1)]);
  for (int a = 0; a < 6; a++) assert_true(fabs(s->covariance[a * 7]) < (a == 3 || a == 4 ? 1 : 1e-12));
  assert_true(s->covariance[3 * 7] > 1e-4);
  lavdm_sync_free(s);
  free(g);
}

/* 500 times the same graph with noise of its information: how far poses lie from the truth. */
static void against_noise(void **state) {
  (void)state;
  enum { TIMES = 500, NODES = 6 };
  for (int64_t q = 2; q <= 3; q++) {
    int64_t d = q == 2 ? 3 : 6;
    double sum[NODES * 6] = {0}, mean[NODES * 6] = {0};
    surveyed_t *g = surveyed_new(q, NODES, 10, 10, 0, 21);
    for (int64_t k = 0; k < g->m * g->half; k++) g->info[k] *= 100;
    for (int time = 0; time < TIMES; time++) {
      for (int64_t k = 0; k < g->m; k++) surveyed_measure(g, k, 1);
      lavdm_sync_t *s = solve(g);
      for (int64_t i = 0; i < NODES; i++) {
        double m[9] = {0}, x[6]; /* M = R' R_true' ' : the rotation about axes of the world */
        for (int64_t a = 0; a < q * q; a++)
          for (int64_t y = 0; y < q; y++)
            m[a] += s->element[(i * q + y) * q + a / q] * g->r[(i * q + y) * q + a % q];
        for (int64_t a = 0; a < q; a++) x[a] = s->position[i * q + a] - g->p[i * q + a];
        if (q == 2)
          x[2] = atan2(m[2], m[0]);
        else
          x[3] = (m[7] - m[5]) / 2, x[4] = (m[2] - m[6]) / 2, x[5] = (m[3] - m[1]) / 2;
        for (int64_t a = 0; a < d; a++) {
          sum[i * d + a] += x[a] * x[a] / TIMES;
          mean[i * d + a] += s->covariance[(i * d + a) * d + a] / TIMES;
        }
      }
      lavdm_sync_free(s);
    }
    for (int64_t i = d; i < NODES * d; i++) /* a variance of 500 is known to 6%: four times that */
      if (!(fabs(sum[i] / mean[i] - 1) < 0.25)) fail_msg("variance %g should be %g", mean[i], sum[i]);
    free(g);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverses),
      cmocka_unit_test(against_dense),
      cmocka_unit_test(what_priors_leave_open),
      cmocka_unit_test(against_noise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
