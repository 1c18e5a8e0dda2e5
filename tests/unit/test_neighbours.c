/* Nearest and radius neighbours against all distances, sorted. */
#include "base/memory.h"
#include "base/random.h"
#include "neighbours/neighbours.h"

#include <float.h>
#include <math.h>
#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
  double d2;
  int64_t index;
} pair_t;

static int by_distance(const void *a, const void *b) {
  const pair_t *x = a, *y = b;
  if (x->d2 != y->d2) return x->d2 < y->d2 ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

/* All points by distance from q, the slow way. */
static void all_pairs(const tiles_t *tiles, const double *q, pair_t *out) {
  for (int64_t i = 0; i < tiles->n; i++) {
    double sum = 0;
    for (int64_t j = 0; j < tiles->p; j++) {
      double gap = tiles->x[i * tiles->p + j] - q[j];
      sum += gap * gap;
    }
    out[i] = (pair_t){sum, i};
  }
}

typedef enum { UNIFORM, LATTICE, EQUAL, FEW, CURVE, OFFSET, KINDS } kind_t;

/* Lattice, equal and few give exact arithmetic and many ties; the curve is long
 * and thin; offset lies far from the origin, in two clumps. */
static double *points_of(kind_t kind, int64_t n, int64_t p, double scale, uint64_t seed) {
  double *x = calloc((size_t)(n * p), sizeof *x);
  random_t random = random_start(seed, 7);
  assert_non_null(x);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < p; j++) {
      double *at = x + i * p + j;
      if (kind == UNIFORM) *at = random_uniform(&random) - 0.5;
      if (kind == LATTICE) *at = (double)random_below(&random, 3);
      if (kind == EQUAL) *at = 3.25;
      if (kind == FEW) *at = (double)(i % 3 == 0 ? random_below(&random, 2) : 5);
      if (kind == CURVE) *at = cos((double)i * 0.01 + (double)j) + 1e-3 * random_normal(&random);
      if (kind == OFFSET) *at = 1e6 + 100 * (double)(i % 2) + random_normal(&random);
      *at *= scale;
    }
  return x;
}

static bool exact_kind(kind_t kind) {
  return kind == LATTICE || kind == EQUAL || kind == FEW;
}

static tiles_t tiles_of(const double *x, int64_t n, int64_t p, int64_t leaf) {
  lavdm_data data = {.points = x, .n = n, .p = p};
  run_t run = {.threads = 1};
  tiles_t tiles;
  assert_int_equal(REAL(tiles_build)(&run, &data, NULL, leaf, &tiles), 0);
  return tiles;
}

static bool close_to(double a, double b, int64_t p) {
  return a == b || fabs(a - b) <= (double)(p + 4) * DBL_EPSILON * b;
}

static void check_nearest(const tiles_t *tiles, const double *query, int64_t count, int64_t k, bool exact,
                          neighbour_work *work) {
  int64_t *index = calloc((size_t)(count * k), sizeof *index);
  double *d2 = calloc((size_t)(count * k), sizeof *d2);
  pair_t *all = calloc((size_t)tiles->n, sizeof *all), *sorted = calloc((size_t)tiles->n, sizeof *sorted);
  assert_int_equal(REAL(nearest)(tiles, query, count, k, work, index, d2), 0);
  for (int64_t i = 0; i < count; i++) {
    all_pairs(tiles, query + i * tiles->p, all);
    memcpy(sorted, all, (size_t)tiles->n * sizeof *all);
    qsort(sorted, (size_t)tiles->n, sizeof *sorted, by_distance);
    for (int64_t s = 0; s < k; s++) {
      int64_t at = index[i * k + s];
      double found = d2[i * k + s];
      assert_in_range(at, 0, (uintmax_t)(tiles->n - 1));
      assert_true(close_to(found, all[at].d2, tiles->p));
      assert_true(close_to(found, sorted[s].d2, tiles->p));
      if (exact) assert_int_equal(at, sorted[s].index);
      if (s > 0) {
        pair_t before = {d2[i * k + s - 1], index[i * k + s - 1]}, here = {found, at};
        assert_true(by_distance(&before, &here) < 0);
      }
    }
  }
  free(index);
  free(d2);
  free(all);
  free(sorted);
}

static void check_within(const tiles_t *tiles, const double *query, int64_t count, double radius, bool exact,
                         neighbour_work *work) {
  int64_t *start = calloc((size_t)count + 1, sizeof *start);
  const int64_t *index;
  const double *d2;
  pair_t *all = calloc((size_t)tiles->n, sizeof *all);
  assert_int_equal(REAL(within)(tiles, query, count, radius, work, start, &index, &d2), 0);
  assert_int_equal(start[0], 0);
  for (int64_t i = 0; i < count; i++) {
    all_pairs(tiles, query + i * tiles->p, all);
    int64_t at = start[i];
    for (int64_t s = 0; s < tiles->n; s++) {
      bool here = at < start[i + 1] && index[at] == s;
      bool edge = !exact && close_to(all[s].d2, radius * radius, tiles->p);
      assert_true(here == (all[s].d2 <= radius * radius) || edge);
      if (here) assert_true(close_to(d2[at], all[s].d2, tiles->p));
      at += here;
    }
    assert_int_equal(at, start[i + 1]);
  }
  free(start);
  free(all);
}

/* nearest_set finds what nearest does, ascending by stored index. */
static void check_sets(const tiles_t *tiles, const double *query, int64_t count, int64_t k,
                       neighbour_work *work) {
  int64_t *index = calloc((size_t)(count * k), sizeof *index),
          *set = calloc((size_t)(count * k), sizeof *set);
  double *d2 = calloc((size_t)(count * k), sizeof *d2), *of_set = calloc((size_t)(count * k), sizeof *of_set);
  double *at = calloc((size_t)tiles->n, sizeof *at);
  assert_int_equal(REAL(nearest)(tiles, query, count, k, work, index, d2), 0);
  assert_int_equal(REAL(nearest_set)(tiles, query, count, k, work, set, of_set), 0);
  for (int64_t i = 0; i < count; i++) {
    for (int64_t j = 0; j < tiles->n; j++) at[j] = -1;
    for (int64_t s = i * k; s < (i + 1) * k; s++) at[index[s]] = d2[s];
    for (int64_t s = i * k; s < (i + 1) * k; s++) {
      assert_true(at[set[s]] == of_set[s]);
      if (s > i * k) assert_true(set[s - 1] < set[s]);
    }
  }
  free(index);
  free(set);
  free(d2);
  free(of_set);
  free(at);
}

/* k around lanes and bands; ties by the hundred, at the k-th distance and at zero. */
static void test_sets(void **state) {
  (void)state;
  int64_t sides[] = {1, 2, 3, 4, 7, 19, 20, 33, 128},
          ks[] = {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65, 300};
  int64_t n = 700;
  neighbour_work *work = REAL(neighbour_work_new)();
  for (size_t a = 0; a < sizeof sides / sizeof *sides; a++)
    for (kind_t kind = 0; kind < KINDS; kind++) {
      int64_t p = sides[a];
      double *x = points_of(kind, n, p, 1, a), *far = points_of(UNIFORM, 9, p, 1e3, a);
      tiles_t tiles = tiles_of(x, n, p, a % 2 ? 30 : 64);
      for (size_t c = 0; c < sizeof ks / sizeof *ks; c++) {
        int64_t t = (int64_t)c % tiles.tiles, first = tiles.first[t];
        check_sets(&tiles, tiles.x + first * p, tiles.first[t + 1] - first, ks[c], work);
        check_sets(&tiles, far, 9, ks[c], work);
      }
      check_sets(&tiles, tiles.x, 3, n, work);
      REAL(tiles_free)(&tiles);
      free(x);
      free(far);
    }
  REAL(neighbour_work_free)(work);
}

/* Thousands of copies: no more than some look at every pair. */
static void test_copies(void **state) {
  (void)state;
  int64_t n = 6000;
  for (int64_t p = 3; p <= 24; p += 21) {
    double *x = points_of(UNIFORM, n, p, 1, 5);
    for (int64_t i = 0; i < n * p; i++)
      if (i / p % 2) x[i] = 0.25;
    tiles_t tiles = tiles_of(x, n, p, TILE_POINTS);
    neighbour_work *work = REAL(neighbour_work_new)();
    for (int64_t t = 0; t < tiles.tiles; t += 16)
      check_sets(&tiles, tiles.x + tiles.first[t] * p, tiles.first[t + 1] - tiles.first[t], 50, work);
    REAL(neighbour_work_free)(work);
    REAL(tiles_free)(&tiles);
    free(x);
  }
}

/* Some tiles as batches, with k of every size. */
static void check_tiles_of(const tiles_t *tiles, bool exact, neighbour_work *work) {
  int64_t n = tiles->n, ks[] = {1, 2, 5, 17, n / 3, n - 1, n};
  for (size_t c = 0; c < sizeof ks / sizeof *ks; c++) {
    int64_t k = ks[c], t = (int64_t)c * tiles->tiles / 7;
    int64_t first = tiles->first[t], count = tiles->first[t + 1] - first;
    if (k < 1 || k > n) continue;
    if (k > 100 && count > 4) count = 4;
    check_nearest(tiles, tiles->x + first * tiles->p, count, k, exact, work);
  }
}

static void test_nearest(void **state) {
  (void)state;
  int64_t sides[] = {1, 2, 3, 4, 7, 16, 24, 33, 50, 200}, sizes[] = {1, 2, 9, 64, 131, 700, 3000};
  neighbour_work *work = REAL(neighbour_work_new)();
  for (size_t a = 0; a < sizeof sides / sizeof *sides; a++)
    for (size_t b = 0; b < sizeof sizes / sizeof *sizes; b++)
      for (kind_t kind = 0; kind < KINDS; kind++) {
        int64_t p = sides[a], n = sizes[b];
        if (n * p > 150000 || (n == 3000 && (a + (size_t)kind) % 5)) continue;
        double *x = points_of(kind, n, p, 1, a + b);
        tiles_t tiles = tiles_of(x, n, p, a % 2 ? 30 : 64);
        check_tiles_of(&tiles, exact_kind(kind), work);
        REAL(tiles_free)(&tiles);
        free(x);
      }
  REAL(neighbour_work_free)(work);
}

/* Queries that are no points: among them, far from them, spread over them. */
static void test_queries(void **state) {
  (void)state;
  int64_t sides[] = {1, 3, 4, 16, 33, 200}, n = 900, count = 37;
  neighbour_work *work = REAL(neighbour_work_new)();
  random_t random = random_start(8, 8);
  for (size_t a = 0; a < sizeof sides / sizeof *sides; a++)
    for (int how = 0; how < 4; how++) {
      int64_t p = sides[a];
      double *x = points_of(UNIFORM, n, p, 1, a), *query = calloc((size_t)(count * p), sizeof *query);
      double offset[] = {0, 1e4, 1e12, 0}, spread[] = {0.1, 1, 1e3, 100};
      for (int64_t i = 0; i < count * p; i++)
        query[i] = offset[how] + spread[how] * (random_uniform(&random) - 0.5);
      tiles_t tiles = tiles_of(x, n, p, 20);
      check_nearest(&tiles, query, count, 11, false, work);
      check_within(&tiles, query, count, spread[how] * 0.2 * sqrt((double)p), false, work);
      REAL(tiles_free)(&tiles);
      free(x);
      free(query);
    }
  REAL(neighbour_work_free)(work);
}

/* Coordinates near the ends of the range of doubles, where squares overflow or vanish. */
static void test_scales(void **state) {
  (void)state;
  double scales[] = {1e-200, 1e-150, 1e-30, 1e30, 1e150, 1e200};
  int64_t sides[] = {3, 40, 130};
  neighbour_work *work = REAL(neighbour_work_new)();
  for (int s = 0; s < 6; s++)
    for (int k = 0; k < 3; k++) {
      int64_t p = sides[k];
      double *x = points_of(LATTICE, 500, p, scales[s], 1);
      tiles_t tiles = tiles_of(x, 500, p, 25);
      check_nearest(&tiles, tiles.x, 30, 20, false, work);
      REAL(tiles_free)(&tiles);
      free(x);
    }
  /* a clump and two points that are 1e20 times further away than it is wide */
  for (int64_t p = 3; p < 60; p += 37) {
    double *x = points_of(UNIFORM, 400, p, 1e-10, 1);
    for (int64_t j = 0; j < p; j++) {
      x[7 * p + j] = 1e10;
      x[9 * p + j] = -1e10;
    }
    tiles_t tiles = tiles_of(x, 400, p, 25);
    check_nearest(&tiles, tiles.x + 100 * p, 20, 400, false, work);
    check_nearest(&tiles, tiles.x, 30, 9, false, work);
    REAL(tiles_free)(&tiles);
    free(x);
  }
  REAL(neighbour_work_free)(work);
}

/* Indices of whatever searches find among points and queries that may be no numbers. */
static void all_in_range(const int64_t *index, int64_t count, int64_t n) {
  for (int64_t i = 0; i < count; i++)
    if (index[i] < 0 || index[i] >= n)
      fail_msg("index %lld of %lld points", (long long)index[i], (long long)n);
}

static void search_all_ways(const tiles_t *tiles, const double *query, int64_t count, int64_t k,
                            neighbour_work *work) {
  int64_t p = tiles->p, *index = malloc((size_t)(count * k) * sizeof *index), start[64];
  double *d2 = calloc((size_t)(count * k), sizeof *d2),
         *moments = calloc((size_t)(count * p * p), sizeof *d2);
  const int64_t *found;
  const double *found_d2;
  for (int set = 0; set < 2; set++) {
    for (int64_t i = 0; i < count * k; i++) index[i] = -7;
    assert_int_equal((set ? REAL(nearest_set) : REAL(nearest))(tiles, query, count, k, work, index, d2), 0);
    all_in_range(index, count * k, tiles->n);
  }
  if (p <= MOMENT_COORDINATES)
    assert_int_equal(REAL(nearest_moments)(tiles, query, count, k, work, moments), 0);
  for (double radius = 0; radius < 1e3; radius = 10 * radius + 0.1) {
    assert_int_equal(REAL(within)(tiles, query, count, radius, work, start, &found, &found_d2), 0);
    all_in_range(found, start[count], tiles->n);
    int64_t near = REAL(near_box)(tiles, query, query, radius, work, &found);
    assert_true(near >= 0);
    all_in_range(found, near, tiles->n);
  }
  free(index);
  free(d2);
  free(moments);
}

static void test_any_numbers(void **state) {
  (void)state;
  const double odd[] = {NAN, INFINITY, -INFINITY, 1e308, -1e200, 1e-320};
  const int64_t sides[] = {1, 3, 12, 30, 130}, sizes[] = {20, 700, 9000};
  random_t random = random_start(3, 9);
  neighbour_work *work = REAL(neighbour_work_new)();
  for (int a = 0; a < 5; a++)
    for (int b = 0; b < 3; b++)
      for (int share = 1; share < 400; share *= 7) { /* one row in so many is odd */
        int64_t p = sides[a], n = sizes[b];
        if (n * p > 300000) continue;
        double *x = points_of(UNIFORM, n, p, 1, (uint64_t)b);
        for (int64_t i = 0; i < n; i += share)
          x[i * p + random_below(&random, p)] = odd[random_below(&random, 6)];
        tiles_t tiles = tiles_of(x, n, p, 30);
        double query[60 * 130];
        for (int64_t i = 0; i < 60; i++)
          memcpy(query + i * p, x + random_below(&random, n) * p, (size_t)p * sizeof *x);
        search_all_ways(&tiles, query, 60, 15, work);
        for (int64_t i = 0; i < 60; i += 3) query[i * p + random_below(&random, p)] = odd[i % 6];
        search_all_ways(&tiles, query, 60, 20, work);
        REAL(tiles_free)(&tiles);
        free(x);
      }
  REAL(neighbour_work_free)(work);
}

static void test_within(void **state) {
  (void)state;
  int64_t sides[] = {1, 2, 4, 7, 24, 50}, sizes[] = {1, 60, 2900};
  neighbour_work *work = REAL(neighbour_work_new)();
  for (size_t a = 0; a < sizeof sides / sizeof *sides; a++)
    for (size_t b = 0; b < sizeof sizes / sizeof *sizes; b++)
      for (kind_t kind = 0; kind < KINDS; kind++)
        for (int r = 0; r < 4; r++) {
          double radii[] = {0, 0.3 * sqrt((double)sides[a]), 2, INFINITY};
          double *x = points_of(kind, sizes[b], sides[a], 1, a + b);
          tiles_t tiles = tiles_of(x, sizes[b], sides[a], 40);
          int64_t t = tiles.tiles / 2, first = tiles.first[t], count = tiles.first[t + 1] - first;
          check_within(&tiles, tiles.x + first * sides[a], count < 12 ? count : 12, radii[r],
                       exact_kind(kind), work);
          REAL(tiles_free)(&tiles);
          free(x);
        }
  int64_t start;
  const int64_t *index;
  const double *d2;
  double x[] = {1, 2, 3};
  tiles_t tiles = tiles_of(x, 3, 1, 1);
  assert_int_equal(REAL(within)(&tiles, x, 0, 1, work, &start, &index, &d2), 0);
  assert_int_equal(start, 0);
  REAL(tiles_free)(&tiles);
  REAL(neighbour_work_free)(work);
}

static void test_near_box(void **state) {
  (void)state;
  int64_t sides[] = {1, 2, 4, 30}, sizes[] = {1, 50, 2000};
  neighbour_work *work = REAL(neighbour_work_new)();
  for (size_t a = 0; a < 4; a++)
    for (size_t b = 0; b < 3; b++) {
      int64_t p = sides[a], n = sizes[b];
      double *x = points_of(UNIFORM, n, p, 1, a), lower[30], upper[30];
      for (int64_t j = 0; j < p; j++) {
        lower[j] = -0.1;
        upper[j] = 0.2;
      }
      tiles_t tiles = tiles_of(x, n, p, 16);
      for (double radius = 0; radius < 2; radius = 2 * radius + 0.01) {
        const int64_t *index;
        int64_t count = REAL(near_box)(&tiles, lower, upper, radius, work, &index), at = 0;
        for (int64_t i = 0; i < n; i++) {
          double *point = tiles.x + i * p;
          while (at < count && index[at] < i) at++;
          bool here = at < count && index[at] == i;
          if (REAL(box_distance2)(p, lower, upper, point, point) <= radius * radius) assert_true(here);
          if (at > 0 && at < count) assert_true(index[at - 1] < index[at]);
        }
      }
      REAL(tiles_free)(&tiles);
      free(x);
    }
  REAL(neighbour_work_free)(work);
}

/* The same pair has the same d2 in any batch, from either side, on any thread. */
static void test_same_distances(void **state) {
  (void)state;
  for (int64_t p = 4; p < 100; p += 30) {
    int64_t n = 1200, k = 40;
    double *x = points_of(UNIFORM, n, p, 1, 3), *d2 = calloc((size_t)(n * k), sizeof *d2);
    double *other = calloc((size_t)(n * k), sizeof *other);
    int64_t *index = calloc((size_t)(n * k), sizeof *index), *also = calloc((size_t)(n * k), sizeof *also);
    tiles_t tiles = tiles_of(x, n, p, 64);
    neighbour_work *work = REAL(neighbour_work_new)();
    assert_int_equal(REAL(nearest)(&tiles, tiles.x, n, k, work, index, d2), 0);
#pragma omp parallel num_threads(2)
    {
      neighbour_work *own = REAL(neighbour_work_new)();
#pragma omp for schedule(dynamic)
      for (int64_t i = 0; i < n; i += 7)
        REAL(nearest)(&tiles, tiles.x + i * p, n - i < 7 ? n - i : 7, k, own, also + i * k, other + i * k);
      REAL(neighbour_work_free)(own);
    }
    assert_memory_equal(d2, other, (size_t)(n * k) * sizeof *d2);
    assert_memory_equal(index, also, (size_t)(n * k) * sizeof *index);
    for (int64_t i = 0; i < n; i++)
      for (int64_t s = 0; s < k; s++)
        for (int64_t back = 0; back < k; back++)
          if (index[index[i * k + s] * k + back] == i)
            assert_true(d2[index[i * k + s] * k + back] == d2[i * k + s]);
    REAL(neighbour_work_free)(work);
    REAL(tiles_free)(&tiles);
    free(x);
    free(d2);
    free(other);
    free(index);
    free(also);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nearest), cmocka_unit_test(test_sets),     cmocka_unit_test(test_copies),
      cmocka_unit_test(test_queries), cmocka_unit_test(test_scales),   cmocka_unit_test(test_any_numbers),
      cmocka_unit_test(test_within),  cmocka_unit_test(test_near_box), cmocka_unit_test(test_same_distances),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
