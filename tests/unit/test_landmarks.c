/* Landmark designs: distinct points, the same for any number of threads, and
 * each as good as a slow version of it. */
#include "base/memory.h"
#include "base/random.h"
#include "landmarks/designs.h"
#include "landmarks/landmarks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef enum { UNIFORM, LATTICE, EQUAL, FEW, KINDS } kind_t;
static const lavdm_design designs[] = {LAVDM_DESIGN_RANDOM, LAVDM_DESIGN_FARTHEST, LAVDM_DESIGN_KMEANS};

static double *points_of(kind_t kind, int64_t n, int64_t p, uint64_t seed) {
  double *x = calloc((size_t)(n * p), sizeof *x);
  random_t random = random_start(seed, 7);
  assert_non_null(x);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < p; j++) {
      double *at = x + i * p + j;
      if (kind == UNIFORM) *at = random_uniform(&random);
      if (kind == LATTICE) *at = (double)random_below(&random, 4);
      if (kind == EQUAL) *at = 3.25;
      if (kind == FEW) *at = (double)(i % 3 == 0 ? random_below(&random, 2) : 5);
    }
  return x;
}

static run_t a_run(int threads, uint64_t seed) {
  run_t run = {.threads = threads};
  run.options.seed = seed;
  return run;
}

static tiles_t tiles_of(const double *x, int64_t n, int64_t p) {
  lavdm_data data = {.points = x, .n = n, .p = p};
  run_t run = a_run(1, 0);
  tiles_t tiles;
  assert_int_equal(REAL(tiles_build)(&run, &data, NULL, 32, &tiles), 0);
  return tiles;
}

static void check_distinct(const int64_t *out, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; i++) {
    assert_in_range(out[i], 0, (uintmax_t)(n - 1));
    if (i > 0) assert_true(out[i - 1] < out[i]);
  }
}

static void test_sizes(void **state) {
  (void)state;
  int64_t sizes[] = {1, 2, 5, 33, 200, 1500}, sides[] = {1, 2, 4, 17, 50, 70};
  for (size_t a = 0; a < 6; a++)
    for (size_t b = 0; b < 6; b++)
      for (kind_t kind = 0; kind < KINDS; kind++) {
        int64_t n = sizes[a], p = sides[b], ms[] = {1, 2, n / 10, n / 2, n - 1, n};
        if (n == 1500 && (p > 4 || (int)kind != (int)b)) continue;
        double *x = points_of(kind, n, p, a + b);
        tiles_t tiles = tiles_of(x, n, p);
        int64_t *one = calloc((size_t)n, sizeof *one), *two = calloc((size_t)n, sizeof *two);
        for (int c = 0; c < 6; c++)
          for (int d = 0; d < 3 && ms[c] >= 1 && ms[c] <= n; d++) {
            run_t run = a_run(1, 4), threads = a_run(2, 4);
            assert_int_equal(REAL(landmarks_choose)(&run, &tiles, designs[d], ms[c], one), 0);
            assert_int_equal(REAL(landmarks_choose)(&threads, &tiles, designs[d], ms[c], two), 0);
            check_distinct(one, ms[c], n);
            assert_memory_equal(one, two, (size_t)ms[c] * sizeof *one);
          }
        REAL(tiles_free)(&tiles);
        free(x);
        free(one);
        free(two);
      }
}

/* Each point is in a subset of 7 of 20 with probability 7/20, each pair with 7*6/(20*19). */
static void test_random(void **state) {
  (void)state;
  enum { N = 20, M = 7, TRIALS = 6000 };
  double *x = points_of(UNIFORM, N, 2, 1);
  tiles_t tiles = tiles_of(x, N, 2);
  int64_t out[M], hits[N] = {0}, pairs[N][N] = {{0}};
  for (uint64_t seed = 0; seed < TRIALS; seed++) {
    run_t run = a_run(1, seed);
    assert_int_equal(REAL(landmarks_choose)(&run, &tiles, LAVDM_DESIGN_RANDOM, M, out), 0);
    for (int a = 0; a < M; a++) {
      hits[out[a]]++;
      for (int b = 0; b < M; b++) pairs[out[a]][out[b]]++;
    }
  }
  double one = (double)M / N, both = one * (M - 1) / (N - 1);
  for (int a = 0; a < N; a++) {
    assert_true(fabs((double)hits[a] / TRIALS - one) < 5 * sqrt(one * (1 - one) / TRIALS));
    for (int b = 0; b < a; b++)
      assert_true(fabs((double)pairs[a][b] / TRIALS - both) < 5 * sqrt(both * (1 - both) / TRIALS));
  }
  REAL(tiles_free)(&tiles);
  free(x);
}

static double squared(int64_t p, const double *a, const double *b) {
  double sum = 0;
  for (int64_t j = 0; j < p; j++) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

/* For each point the squared distance from the nearest landmark: largest and mean. */
static void quality(const tiles_t *tiles, const int64_t *out, int64_t m, double *cover, double *mean) {
  *cover = *mean = 0;
  for (int64_t i = 0; i < tiles->n; i++) {
    double near = INFINITY;
    for (int64_t c = 0; c < m; c++)
      near = fmin(near, squared(tiles->p, tiles->x + i * tiles->p, tiles->x + out[c] * tiles->p));
    *cover = fmax(*cover, near);
    *mean += near / (double)tiles->n;
  }
}

/* The greedy choice the slow way; taken[i] tells what was chosen. */
static void slow_farthest(const tiles_t *tiles, int64_t m, char *taken) {
  int64_t n = tiles->n, p = tiles->p;
  double *near = calloc((size_t)n, sizeof *near), *mean = calloc((size_t)p, sizeof *mean);
  for (int64_t i = 0; i < n * p; i++) mean[i % p] += tiles->x[i] / (double)n;
  for (int64_t i = 0; i < n; i++) near[i] = -squared(p, mean, tiles->x + i * p);
  memset(taken, 0, (size_t)n);
  for (int64_t c = 0; c < m; c++) {
    int64_t best = 0;
    while (taken[best]) best++;
    for (int64_t i = best + 1; i < n; i++)
      if (!taken[i] && near[i] > near[best]) best = i;
    taken[best] = 1;
    for (int64_t i = 0; i < n; i++) {
      double d2 = squared(p, tiles->x + best * p, tiles->x + i * p);
      near[i] = c == 0 || d2 < near[i] ? d2 : near[i];
    }
  }
  free(near);
  free(mean);
}

static void test_farthest(void **state) {
  (void)state;
  int64_t sides[] = {1, 2, 4, 7, 33}, sizes[] = {2, 40, 500, 1500};
  for (size_t a = 0; a < 5; a++)
    for (size_t b = 0; b < 4; b++) {
      int64_t p = sides[a], n = sizes[b], m = n < 60 ? n - 1 : 60;
      double *x = points_of(UNIFORM, n, p, a);
      tiles_t tiles = tiles_of(x, n, p);
      int64_t *out = calloc((size_t)m, sizeof *out);
      char *taken = calloc((size_t)n, 1);
      run_t run = a_run(2, 1);
      assert_int_equal(REAL(landmarks_choose)(&run, &tiles, LAVDM_DESIGN_FARTHEST, m, out), 0);
      slow_farthest(&tiles, m, taken);
      for (int64_t c = 0; c < m; c++) assert_true(taken[out[c]]);
      REAL(tiles_free)(&tiles);
      free(x);
      free(out);
      free(taken);
    }
}

/* No point is further from the landmarks than they are from each other. */
static void test_farthest_ties(void **state) {
  (void)state;
  for (kind_t kind = 0; kind < KINDS; kind++)
    for (int64_t m = 2; m < 200; m = 3 * m + 1) {
      double *x = points_of(kind, 900, 3, 2), apart = INFINITY, cover, mean;
      tiles_t tiles = tiles_of(x, 900, 3);
      int64_t out[200];
      run_t run = a_run(1, 1);
      assert_int_equal(REAL(landmarks_choose)(&run, &tiles, LAVDM_DESIGN_FARTHEST, m, out), 0);
      quality(&tiles, out, m, &cover, &mean);
      for (int64_t a = 0; a < m; a++)
        for (int64_t b = 0; b < a; b++)
          apart = fmin(apart, squared(3, tiles.x + out[a] * 3, tiles.x + out[b] * 3));
      assert_true(cover <= apart);
      REAL(tiles_free)(&tiles);
      free(x);
    }
}

static int64_t slow_nearest(int64_t p, const double *x, const double *z, int64_t m) {
  int64_t best = 0;
  for (int64_t c = 1; c < m; c++)
    if (squared(p, x, z + c * p) < squared(p, x, z + best * p)) best = c;
  return best;
}

/* Lloyd's steps from a random start, the slow way, and the points nearest the
 * centres; returns the mean squared distance from those. */
static double slow_lloyd(const tiles_t *tiles, int64_t m, uint64_t seed) {
  int64_t n = tiles->n, p = tiles->p, *count = calloc((size_t)m, sizeof *count);
  double *z = calloc((size_t)(m * p), sizeof *z), *sum = calloc((size_t)(m * p), sizeof *sum), cover, mean;
  random_t random = random_start(seed, 1);
  for (int64_t c = 0; c < m; c++)
    memcpy(z + c * p, tiles->x + random_below(&random, n) * p, (size_t)p * sizeof *z);
  for (int step = 0; step < 25; step++) {
    memset(sum, 0, (size_t)(m * p) * sizeof *sum);
    memset(count, 0, (size_t)m * sizeof *count);
    for (int64_t i = 0; i < n; i++) {
      int64_t c = slow_nearest(p, tiles->x + i * p, z, m);
      count[c]++;
      for (int64_t j = 0; j < p; j++) sum[c * p + j] += tiles->x[i * p + j];
    }
    for (int64_t c = 0; c < m; c++)
      for (int64_t j = 0; j < p && count[c]; j++) z[c * p + j] = sum[c * p + j] / (double)count[c];
  }
  for (int64_t c = 0; c < m; c++) count[c] = slow_nearest(p, z + c * p, tiles->x, n);
  quality(tiles, count, m, &cover, &mean);
  free(count);
  free(z);
  free(sum);
  return mean;
}

static void test_kmeans(void **state) {
  (void)state;
  int64_t sides[] = {1, 2, 4, 20, 90}, n = 1200, m = 25;
  for (size_t a = 0; a < 5; a++) {
    double *x = points_of(UNIFORM, n, sides[a], a), cover, mean, random_mean;
    for (int64_t i = 0; i < n * sides[a]; i++) x[i] *= i % sides[a] < 20 ? 1 : 0.1; /* noise beyond */
    tiles_t tiles = tiles_of(x, n, sides[a]);
    int64_t out[25];
    run_t run = a_run(2, 1);
    double slow = fmin(slow_lloyd(&tiles, m, 1), slow_lloyd(&tiles, m, 2));
    assert_int_equal(REAL(landmarks_choose)(&run, &tiles, LAVDM_DESIGN_RANDOM, m, out), 0);
    quality(&tiles, out, m, &cover, &random_mean);
    assert_int_equal(REAL(landmarks_choose)(&run, &tiles, LAVDM_DESIGN_KMEANS, m, out), 0);
    quality(&tiles, out, m, &cover, &mean);
    assert_true(mean < 0.95 * random_mean);
    assert_true(mean < 1.05 * slow);
    REAL(tiles_free)(&tiles);
    free(x);
  }
}

/* Clumps far apart, some of them small: each has its landmark. */
static void test_clumps(void **state) {
  (void)state;
  enum { N = 30000, CLUMPS = 12, P = 3 };
  double *x = points_of(UNIFORM, N, P, 5);
  for (int64_t i = 0; i < N; i++) {
    int64_t clump = i < 60 ? i % CLUMPS : (i * i) % 5;
    for (int64_t j = 0; j < P; j++) x[i * P + j] += 1000 * (double)((clump * (j + 3)) % 13);
  }
  tiles_t tiles = tiles_of(x, N, P);
  for (int d = 1; d < 3; d++) {
    int64_t out[CLUMPS];
    double cover, mean;
    run_t run = a_run(2, 3);
    assert_int_equal(REAL(landmarks_choose)(&run, &tiles, designs[d], CLUMPS, out), 0);
    quality(&tiles, out, CLUMPS, &cover, &mean);
    assert_true(d == 2 || cover <= P);
    assert_true(mean < 3);
  }
  REAL(tiles_free)(&tiles);
  free(x);
}

/* From this start a centre loses its last point, and goes to the point that is worst off: left where it was,
 * it would be of no use, and the squared distances would add up to 58. */
static void test_lost_centre(void **state) {
  (void)state;
  enum { N = 19, P = 3, M = 8 };
  const double x[N * P] = {3,  5,  4,  2, 0,  -2, 3, 0, 3, 1,  -1, 2, 1, 0, -2, 5, -1, 3,  2,
                           -5, -2, -1, 0, 1,  -2, 3, 0, 0, -3, -1, 0, 1, 3, 1,  0, -3, 2,  -3,
                           0,  2,  -1, 0, -2, -4, 2, 1, 0, -3, 1,  1, 0, 2, 1,  1, 1,  -4, -3};
  tiles_t tiles = tiles_of(x, N, P);
  int64_t out[M];
  double cover, mean;
  run_t run = a_run(1, 900);
  assert_int_equal(REAL(landmarks_choose)(&run, &tiles, LAVDM_DESIGN_KMEANS, M, out), 0);
  check_distinct(out, M, N);
  quality(&tiles, out, M, &cover, &mean);
  assert_true(mean * N < 50);
  REAL(tiles_free)(&tiles);
}

/* A sample smaller than the data. */
static void test_sample(void **state) {
  (void)state;
  int64_t n = 21000, sides[] = {2, 24}, m = 60;
  for (int a = 0; a < 2; a++) {
    double *x = points_of(UNIFORM, n, sides[a], 1), cover, mean, random_mean;
    tiles_t tiles = tiles_of(x, n, sides[a]);
    int64_t out[60], again[60];
    run_t run = a_run(1, 1), two = a_run(2, 1);
    assert_int_equal(REAL(landmarks_choose)(&run, &tiles, LAVDM_DESIGN_RANDOM, m, out), 0);
    quality(&tiles, out, m, &cover, &random_mean);
    assert_int_equal(REAL(landmarks_choose)(&run, &tiles, LAVDM_DESIGN_KMEANS, m, out), 0);
    assert_int_equal(REAL(landmarks_choose)(&two, &tiles, LAVDM_DESIGN_KMEANS, m, again), 0);
    check_distinct(out, m, n);
    assert_memory_equal(out, again, sizeof out);
    quality(&tiles, out, m, &cover, &mean);
    assert_true(mean < (a == 0 ? 0.65 : 0.95) * random_mean);
    REAL(tiles_free)(&tiles);
    free(x);
  }
}

static int stop_now(const char *stage, double fraction, void *user) {
  (void)stage, (void)fraction, (void)user;
  return 1;
}

static void test_stop(void **state) {
  (void)state;
  double *x = points_of(UNIFORM, 3000, 3, 1);
  tiles_t tiles = tiles_of(x, 3000, 3);
  int64_t out[50];
  for (int d = 1; d < 3; d++) {
    run_t run = a_run(2, 1);
    run.options.progress = stop_now;
    assert_int_equal(REAL(landmarks_choose)(&run, &tiles, designs[d], 50, out), LAVDM_ERROR_INTERRUPTED);
  }
  REAL(tiles_free)(&tiles);
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sizes),         cmocka_unit_test(test_random), cmocka_unit_test(test_farthest),
      cmocka_unit_test(test_farthest_ties), cmocka_unit_test(test_kmeans), cmocka_unit_test(test_clumps),
      cmocka_unit_test(test_sample),        cmocka_unit_test(test_stop),   cmocka_unit_test(test_lost_centre),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
