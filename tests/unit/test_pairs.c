/*
 * lavdm_pairs and the search of lavdm_neighbours against all pairs by their
 * definition, on models made by hand: ties, copies, zero and NaN rows, ranks
 * beyond the number of points that axes are taken from, any scale.
 */
#include "base/memory.h"
#include "model/model.h"
#include "oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A model of these fields u (n,q,r), with eigenvalues that fall from 1 to 1/2. */
static lavdm_model *made(int64_t n, int64_t q, int64_t r, const double *u, int threads) {
  lavdm_model *model = NEW(lavdm_model, 1);
  run_t *run = NEW(run_t, 1);
  large_start(&run->large, false);
  lavdm_options_default(&run->options);
  run->options.components = r, run->options.threads = threads;
  double *lambda = model_array(model, &run->large, "eigenvalues", LAVDM_F64, 1, r, 1, 1);
  for (int64_t l = 0; l < r; l++) lambda[l] = 1 - 0.5 * (double)l / (double)r;
  memcpy(model_array(model, &run->large, "eigenvectors", LAVDM_F64, 3, n, q, r), u,
         sizeof(double) * (size_t)(n * q * r));
  model->info.n = n, model->info.q = q;
  model_finish(model, run);
  mem_free(run);
  return model;
}

static double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-53 - 0.5;
}

/* d^2 = sum over all (l,s) of the squared difference of (lambda_l lambda_s)^t <u_l, u_s>. */
static double direct(const lavdm_model *model, double t, int64_t rank, int64_t i, int64_t j) {
  const lavdm_info_t *info = lavdm_info(model);
  const double *u = lavdm_get(model, "eigenvectors")->data;
  int64_t q = info->q, r = info->chosen->components;
  double sum = 0;
  for (int64_t l = 0; l < rank; l++)
    for (int64_t s = 0; s < rank; s++) {
      double gap = 0;
      for (int64_t c = 0; c < q; c++)
        gap +=
            u[(i * q + c) * r + l] * u[(i * q + c) * r + s] - u[(j * q + c) * r + l] * u[(j * q + c) * r + s];
      gap *= pow(info->eigenvalues[l] * info->eigenvalues[s], t);
      sum += gap * gap;
    }
  return sqrt(sum);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* All neighbours of every step-th point against all pairs; NaN rows are nobody's. */
static void check_all(const lavdm_model *model, double t, int64_t rank, int64_t k, int64_t step,
                      double close) {
  int64_t n = lavdm_info(model)->n, q2 = lavdm_info(model)->q * lavdm_info(model)->q;
  int64_t *index = malloc(sizeof(int64_t) * (size_t)(n * k));
  double *distance = numbers(n * k), *alignment = numbers(n * k * q2), *all = numbers(n), one, o[16];
  lavdm_error error;
  assert_int_equal(lavdm_neighbours(model, t, rank, NULL, 0, k, index, distance, alignment, &error), 0);
  for (int64_t i = 0; i < n; i += step) {
    int64_t have = 0;
    for (int64_t j = 0; j < n; j++) {
      double d = direct(model, t, rank, i, j);
      if (j != i && !isnan(d)) all[have++] = d;
    }
    qsort(all, (size_t)have, sizeof *all, ascending);
    for (int64_t j = 0; j < k; j++) {
      int64_t at = i * k + j;
      if (j >= have) {
        assert_int_equal(index[at], -1);
        assert_true(isnan(distance[at]) && isnan(alignment[at * q2]));
        continue;
      }
      assert_true(index[at] >= 0 && index[at] < n && index[at] != i);
      for (int64_t l = i * k; l < at; l++) assert_int_not_equal(index[at], index[l]);
      assert_true(fabs(distance[at] - all[j]) <= close * all[have - 1]);
      assert_true(j == 0 || distance[at] >= distance[at - 1]);
      /* the pair by itself is told the same bits */
      assert_int_equal(lavdm_pairs(model, t, rank, &i, &index[at], 1, &one, o, &error), 0);
      assert_true(one == distance[at] && !memcmp(o, alignment + at * q2, sizeof(double) * (size_t)q2));
    }
  }
  free(index);
  free(distance);
  free(alignment);
  free(all);
}

/* Fields in every direction: distances in a few coordinates say little. */
static void test_no_structure(void **state) {
  (void)state;
  const struct {
    int64_t n, q, r, k;
    double scale;
  } cases[] = {{700, 2, 12, 7, 1},      {700, 1, 9, 30, 1e-20}, {300, 3, 20, 5, 1e30}, {40, 2, 6, 39, 1},
               {120, 1, 50, 119, 1e-3}, {250, 2, 46, 4, 1},     {2, 1, 1, 1, 1},       {3, 2, 2, 2, 1}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    int64_t size = cases[c].n * cases[c].q * cases[c].r;
    double *u = numbers(size);
    uint64_t seed = c;
    for (int64_t i = 0; i < size; i++) u[i] = cases[c].scale * uniform(&seed);
    lavdm_model *model = made(cases[c].n, cases[c].q, cases[c].r, u, 2);
    check_all(model, 0.7, cases[c].r, cases[c].k, 1 + cases[c].n / 12, 1e-13);
    lavdm_free(model);
    free(u);
  }
}

/* Points of a closed curve, which the leading coordinates tell apart only in part: both passes are needed. */
static void curve(int64_t n, int64_t r, double *u) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t l = 0; l < r; l++) {
      double angle = 2 * M_PI * (double)i * 0.6180339887498949 * (double)(l / 2 + 1);
      u[i * r + l] = l % 2 ? sin(angle) : cos(angle);
    }
}

static void test_curve(void **state) {
  (void)state;
  enum { N = 3000, R = 14 };
  double *u = numbers(N * R);
  curve(N, R, u);
  lavdm_model *model = made(N, 1, R, u, 2);
  check_all(model, 1, R, 6, 101, 1e-13);
  check_all(model, 0, R, 6, 101, 1e-13);
  check_all(model, 30, R, 6, 101, 1e-13); /* all but the first fields have died away */
  check_all(model, 1, 3, 200, 997, 1e-13);
  lavdm_free(model);
  free(u);
}

/* A grid of fields: distances tie. Copies: distances are zero. */
static void test_ties_and_copies(void **state) {
  (void)state;
  enum { N = 900, R = 8 };
  double *u = numbers(N * R);
  for (int64_t i = 0; i < N; i++)
    for (int64_t l = 0; l < R; l++)
      u[i * R + l] = l == 0 ? 1 : l == 1 ? (double)(i % 30) : l == 2 ? (double)(i / 30) : 0;
  lavdm_model *model = made(N, 1, R, u, 2);
  check_all(model, 1, R, 12, 53, 1e-13);
  lavdm_free(model);
  curve(N, R, u);
  for (int64_t i = 0; i < N; i++) memcpy(u + i * R, u + i % 50 * R, sizeof(double[R]));
  model = made(N, 1, R, u, 2);
  check_all(model, 1, R, 25, 53, 1e-13);
  lavdm_free(model);
  for (int64_t i = 0; i < N; i++) memcpy(u + i * R, u, sizeof(double[R]));
  model = made(N, 1, R, u, 2);
  check_all(model, 1, R, 25, 53, 1e-13);
  check_all(model, 1, 1, N - 1, 453, 1e-13);
  lavdm_free(model);
  free(u);
}

/* Zero rows are points of their own; NaN rows have no neighbours and are nobody's. */
static void test_isolated_and_nowhere(void **state) {
  (void)state;
  enum { N = 800, R = 7, K = 9 };
  double *u = numbers(N * R);
  curve(N, R, u);
  for (int64_t i = 0; i < N; i += 10) memset(u + i * R, 0, sizeof(double[R]));
  for (int64_t i = 3; i < N; i += 7)
    for (int64_t l = 0; l < R; l++) u[i * R + l] = NAN;
  lavdm_model *model = made(N, 1, R, u, 2);
  check_all(model, 1, R, K, 9, 1e-13);
  int64_t asked[] = {3, 4, 3, 20}, index[4 * 2], from[] = {3, 4}, to[] = {5, 5};
  double distance[4 * 2], alignment[2];
  assert_int_equal(lavdm_neighbours(model, 1, R, asked, 4, 2, index, distance, NULL, NULL), 0);
  assert_true(index[0] == -1 && index[5] == -1 && isnan(distance[0]) && isnan(distance[4]));
  assert_true(index[2] >= 0 && index[6] >= 0 && distance[6] == 0);
  assert_int_equal(lavdm_pairs(model, 1, R, from, to, 2, distance, alignment, NULL), 0);
  assert_true(isnan(distance[0]) && isnan(alignment[0]) && distance[1] > 0 && fabs(alignment[1]) == 1);
  lavdm_free(model);
  for (int64_t i = 0; i < N * R; i++) u[i] = NAN;
  model = made(N, 1, R, u, 2);
  check_all(model, 1, R, K, 100, 1e-13);
  lavdm_free(model);
  u[R] = u[R + 1] = u[R + 2] = 1; /* one point left within the first three components, then two */
  model = made(N, 1, R, u, 2);
  check_all(model, 1, 3, K, 1, 1e-13);
  lavdm_free(model);
  u[9 * R] = u[9 * R + 1] = u[9 * R + 2] = 2;
  model = made(N, 1, R, u, 2);
  check_all(model, 1, 3, K, 1, 1e-13);
  lavdm_free(model);
  free(u);
}

static void test_threads(void **state) {
  (void)state;
  enum { N = 500, Q = 2, R = 10, COUNT = 3000 };
  static double u[N * Q * R], distance[2][COUNT], alignment[2][COUNT * Q * Q], alone[COUNT];
  static int64_t i[COUNT], j[COUNT];
  uint64_t seed = 4;
  for (int64_t e = 0; e < N * Q * R; e++) u[e] = uniform(&seed);
  for (int64_t e = 0; e < COUNT; e++) i[e] = e / 7 % N, j[e] = e * 31 % N;
  for (int threads = 1; threads <= 2; threads++) {
    lavdm_model *model = made(N, Q, R, u, 1);
    lavdm_set_threads(model, threads == 1 ? 1 : 3);
    assert_int_equal(lavdm_info(model)->chosen->threads, threads == 1 ? 1 : 3);
    assert_int_equal(
        lavdm_pairs(model, 2, R, i, j, COUNT, distance[threads - 1], alignment[threads - 1], NULL), 0);
    assert_int_equal(lavdm_pairs(model, 2, R, i, j, COUNT, alone, NULL, NULL), 0);
    assert_memory_equal(alone, distance[threads - 1], sizeof alone);
    for (int64_t e = 0; e < COUNT; e += 17) {
      assert_true(fabs(alone[e] - direct(model, 2, R, i[e], j[e])) < 1e-14 * R);
      assert_true(alone[e] == model_distance(model, i[e], j[e], 2, R));
      assert_true(i[e] != j[e] || alone[e] == 0);
    }
    lavdm_set_threads(model, LAVDM_AUTO);
    assert_true(lavdm_info(model)->chosen->threads >= 1);
    lavdm_free(model);
  }
  assert_memory_equal(distance[0], distance[1], sizeof distance[0]);
  assert_memory_equal(alignment[0], alignment[1], sizeof alignment[0]);
}

static void test_refused(void **state) {
  (void)state;
  double u[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, distance[12];
  int64_t i[] = {0, 1, 2}, j[] = {2, 3, 4}, index[12];
  lavdm_model *model = made(4, 1, 3, u, 1);
  lavdm_error error;
  assert_int_equal(lavdm_pairs(model, 1, 3, i, j, 3, distance, NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "pair 3 names point 4"));
  assert_int_equal(lavdm_pairs(model, 1, 3, i, j, 2, NULL, distance, &error), 0);
  i[1] = -1;
  assert_int_equal(lavdm_pairs(model, 1, 3, i, j, 2, distance, NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "pair 2 names point -1"));
  assert_int_equal(lavdm_pairs(model, 1, 4, i, j, 1, distance, NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_pairs(model, NAN, 3, i, j, 1, distance, NULL, NULL), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_pairs(model, 1, 3, NULL, NULL, 0, NULL, NULL, &error), 0);
  ((double *)model->owned[1])[4] = 1e80;
  assert_int_equal(lavdm_neighbours(model, 1, 3, NULL, 0, 3, index, distance, NULL, &error),
                   LAVDM_ERROR_NUMERICS);
  assert_non_null(strstr(error.message, "too large"));
  model->chosen.max_memory = 100;
  assert_int_equal(lavdm_neighbours(model, 1, 3, NULL, 0, 3, index, distance, NULL, &error),
                   LAVDM_ERROR_MEMORY);
  assert_non_null(strstr(error.message, "max_memory"));
  model->arrays = 1; /* without eigenvectors, as a compact model is */
  assert_int_equal(lavdm_pairs(model, 1, 3, i, j, 1, distance, NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "compact"));
  assert_true(isnan(model_distance(model, 0, 1, 1, 3)));
  assert_int_equal(lavdm_embedding(model, 1, 3, distance, &error), LAVDM_ERROR_ARGUMENT);
  model->arrays = 2;
  lavdm_free(model);
}

/* By diffusion distance: that of coordinates; q = 1 alone. */
static void test_diffusion(void **state) {
  (void)state;
  enum { N = 1500, R = 30, K = 8 };
  static double distance[N * K], all[N], signs[N * K], coordinates[N * R];
  static int64_t index[N * K];
  double *u = numbers(N * R), one, sign;
  curve(N, R, u);
  for (int64_t l = 0; l < R; l++) u[7 * R + l] = NAN;
  lavdm_model *model = made(N, 1, R, u, 2);
  assert_int_equal(lavdm_coordinates(model, 1.5, R, coordinates, NULL), 0);
  assert_int_equal(lavdm_diffusion_neighbours(model, 1.5, R, NULL, 0, K, index, distance, signs, NULL), 0);
  assert_int_equal(index[7 * K], -1);
  for (int64_t i = 0; i < N; i += 29) {
    for (int64_t j = 0; j < N; j++) {
      double sum = 0;
      for (int64_t l = 0; l < R; l++) sum += pow(coordinates[i * R + l] - coordinates[j * R + l], 2);
      all[j] = j == i || j == 7 ? INFINITY : sqrt(sum);
    }
    for (int64_t e = i * K; e < (i + 1) * K; e++) {
      assert_true(fabs(all[index[e]] - distance[e]) < 1e-13 * R);
      assert_int_equal(lavdm_diffusion_pairs(model, 1.5, R, &i, &index[e], 1, &one, &sign, NULL), 0);
      assert_true(one == distance[e] && sign == signs[e] && fabs(sign) == 1);
    }
    qsort(all, N, sizeof *all, ascending);
    for (int64_t j = 0; j < K; j++) assert_true(fabs(all[j] - distance[i * K + j]) < 1e-13 * R);
  }
  lavdm_free(model);
  model = made(N / 2, 2, R, u, 1);
  lavdm_error error;
  assert_int_equal(lavdm_diffusion_pairs(model, 1, R, index, index, 1, &one, NULL, &error),
                   LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "fibre"));
  assert_int_equal(lavdm_diffusion_neighbours(model, 1, R, NULL, 0, K, index, distance, NULL, &error),
                   LAVDM_ERROR_ARGUMENT);
  lavdm_free(model);
  free(u);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_structure),    cmocka_unit_test(test_curve),
      cmocka_unit_test(test_ties_and_copies), cmocka_unit_test(test_isolated_and_nowhere),
      cmocka_unit_test(test_threads),         cmocka_unit_test(test_diffusion),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
