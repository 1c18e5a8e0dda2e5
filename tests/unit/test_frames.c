/*
 * Frames by local PCA against the definition in frames.h, written out with
 * dense covariances: the same planes, orthonormal whatever the data.
 */
#include "oracle.h"

#include "base/sort.h"
#include "frames/frames.h"

#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static tiles_t order(const double *x, int64_t n, int64_t p) {
  run_t run = {.threads = 1};
  tiles_t tiles;
  lavdm_data data = {.points = x, .n = n, .p = p, .row_stride = p, .col_stride = 1};
  assert_int_equal(REAL(tiles_build)(&run, &data, NULL, 16, &tiles), 0);
  return tiles;
}

static frames_t estimate_in(const tiles_t *tiles, const double *places, int64_t count, int64_t d, hood_t hood,
                            int threads) {
  run_t run = {.threads = threads};
  frames_t frames;
  assert_int_equal(REAL(frames_estimate)(&run, tiles, places, count, d, hood, &frames), 0);
  assert_int_equal(frames.n, places ? count : tiles->n);
  assert_int_equal(frames.p, tiles->p);
  assert_int_equal(frames.d, d);
  return frames;
}

static frames_t estimate(const tiles_t *tiles, const double *places, int64_t count, int64_t d, int64_t k,
                         int threads) {
  return estimate_in(tiles, places, count, d, (hood_t){.k = k}, threads);
}

static double squared(int64_t p, const double *x, const double *y) {
  double sum = 0;
  for (int64_t j = 0; j < p; j++) sum += (x[j] - y[j]) * (x[j] - y[j]);
  return sum;
}

/* Eigenpairs of C at `place`: the K = k+1 nearest, ties by stored index, or all within the
 * radius; columns of c. */
static void local_pca(const tiles_t *tiles, const double *place, hood_t hood, double *c, double *values) {
  int64_t n = tiles->n, p = tiles->p, nearest = hood.radius > 0 ? n : hood.k + 1 < n ? hood.k + 1 : n;
  double *d2 = numbers(n);
  unsigned char *taken = calloc((size_t)n, 1);
  int64_t *index = calloc((size_t)nearest, sizeof *index);
  for (int64_t i = 0; i < n; i++) d2[i] = squared(p, place, tiles->x + i * p);
  for (int64_t j = 0; j < nearest; j++) {
    int64_t best = -1;
    for (int64_t i = 0; i < n; i++)
      if (!taken[i] && (best < 0 || d2[i] < d2[best])) best = i;
    taken[best] = 1, index[j] = best;
  }
  double reach = d2[index[nearest - 1]] * (1 + 1 / (double)nearest);
  if (hood.radius > 0) reach = hood.radius * hood.radius;
  memset(c, 0, (size_t)(p * p) * sizeof *c);
  double *mean = numbers(p), sum = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int64_t j = 0; j < nearest; j++) {
      const double *y = tiles->x + index[j] * p;
      double h = reach > 0 ? 1 - d2[index[j]] / reach : 1;
      if (hood.radius > 0 && d2[index[j]] > reach) h = 0;
      sum += pass ? 0 : h;
      for (int64_t a = 0; a < p; a++) {
        if (!pass) mean[a] += h * y[a];
        for (int64_t b = 0; pass && sum > 0 && b < p; b++)
          c[a * p + b] += h / sum * (y[a] - mean[a] / sum) * (y[b] - mean[b] / sum);
      }
    }
  double about = 0, left = 0;
  for (int64_t a = 0; a < p; a++) {
    left += c[a * p + a];
    about += sum > 0 ? pow(mean[a] / sum - place[a], 2) : 0;
  }
  if (left < 1e-24 * about) memset(c, 0, (size_t)(p * p) * sizeof *c); /* all in one place */
  oracle_eigen(p, c, values);
  free(d2), free(taken), free(index), free(mean);
}

static void check_orthonormal(const frames_t *f) {
  for (int64_t i = 0; i < f->n; i++)
    for (int64_t a = 0; a < f->d; a++)
      for (int64_t b = 0; b <= a; b++) {
        const double *x = f->b + (i * f->d + a) * f->p, *y = f->b + (i * f->d + b) * f->p;
        double dot = 0;
        for (int64_t j = 0; j < f->p; j++) dot += x[j] * y[j];
        assert_true(fabs(dot - (a == b)) < 1e-12);
      }
}

/* |P - Q| for d rows of length p and the first d columns of c (p x p). */
static double plane_distance(int64_t p, int64_t d, const double *rows, const double *c) {
  double *turned = numbers(p * d);
  for (int64_t a = 0; a < d; a++)
    for (int64_t j = 0; j < p; j++) turned[j * d + a] = rows[a * p + j];
  double distance = projector_distance(p, d, turned, d, c, p);
  free(turned);
  return distance;
}

/* Frames at the points, or at places, against the definition. Returns how many
 * planes were well enough determined to be compared. */
static int64_t check_in(const tiles_t *tiles, const double *places, int64_t count, int64_t d, hood_t hood) {
  int64_t p = tiles->p, compared = 0, degenerate = 0;
  frames_t f = estimate_in(tiles, places, count, d, hood, 1);
  double *c = numbers(p * p), *values = numbers(p);
  check_orthonormal(&f);
  for (int64_t i = 0; i < f.n; i++) {
    local_pca(tiles, (places ? places : tiles->x) + i * p, hood, c, values);
    double top = values[0], gap = d < p ? (values[d - 1] - values[d]) / top : 1;
    degenerate += !(values[d - 1] > 1e-10 * top);
    if (!(top > 0 && gap > 1e-3)) continue;
    assert_true(plane_distance(p, d, f.b + i * d * p, c) < 1e-12 / gap);
    compared++;
  }
  assert_int_equal(f.degenerate, degenerate);
  free(c), free(values);
  REAL(frames_free)(&f);
  assert_null(f.b);
  return compared;
}

static int64_t check(const tiles_t *tiles, const double *places, int64_t count, int64_t d, int64_t k) {
  return check_in(tiles, places, count, d, (hood_t){.k = k});
}

/* All points within a radius: from one that reaches nobody else to one that reaches all. */
static void test_radius(void **state) {
  (void)state;
  const int64_t ps[] = {1, 2, 3, 4, 6, 12, 13, 20};
  for (size_t a = 0; a < sizeof ps / sizeof *ps; a++) {
    int64_t n = 150, p = ps[a], count = 19;
    double *x = numbers(n * p), *places = numbers(count * p), scale = sqrt((double)p);
    fill_normal(x, n * p, 30 + (uint64_t)p);
    fill_normal(places, count * p, 31 + (uint64_t)p);
    for (int64_t i = 0; i < n * p; i++) x[i] /= 1 + 0.4 * (double)(i % p);
    tiles_t tiles = order(x, n, p);
    for (int64_t d = 1; d <= 3 && d <= p; d++) {
      int64_t compared = 0;
      for (double radius = 1e-3 * scale; radius < 50 * scale; radius *= 4) {
        compared += check_in(&tiles, NULL, n, d, (hood_t){.k = 5, .radius = radius});
        compared += check_in(&tiles, places, count, d, (hood_t){.k = 5, .radius = radius});
      }
      assert_true(compared > n);
    }
    REAL(tiles_free)(&tiles);
    free(x), free(places);
  }
}

/* A thin curved sheet, as data usually is: n over several tiles, blocks and batches. */
static void test_sheet(void **state) {
  (void)state;
  for (int64_t p = 3; p <= 6; p++) {
    int64_t n = 700;
    double *x = numbers(n * p);
    fill_normal(x, n * p, 60 + (uint64_t)p);
    for (int64_t i = 0; i < n; i++) {
      double u = x[i * p], v = x[i * p + 1];
      for (int64_t j = 2; j < p; j++)
        x[i * p + j] = 0.1 * u * v + 0.05 * sin(u + (double)j) + 1e-3 * x[i * p + j];
    }
    tiles_t tiles = order(x, n, p);
    assert_true(check(&tiles, NULL, n, 2, 30) > n / 2);
    assert_true(check_in(&tiles, NULL, n, 2, (hood_t){.k = 30, .radius = 0.5}) > n / 2);
    REAL(tiles_free)(&tiles);
    free(x);
  }
}

/* Every p and k around the switches between methods (p = 12, k + 1 = p). */
static void test_definition(void **state) {
  (void)state;
  const int64_t ps[] = {1, 2, 3, 5, 11, 12, 13, 14, 20, 28}, ks[] = {4, 7, 8, 11, 12, 13, 16, 25};
  for (size_t a = 0; a < sizeof ps / sizeof *ps; a++) {
    int64_t n = 43, p = ps[a], count = 19;
    double *x = numbers(n * p), *places = numbers(count * p);
    fill_normal(x, n * p, 3 + (uint64_t)p);
    fill_normal(places, count * p, 4 + (uint64_t)p);
    for (int64_t i = 0; i < n * p; i++) x[i] /= 1 + 0.4 * (double)(i % p); /* anisotropic */
    tiles_t tiles = order(x, n, p);
    for (size_t b = 0; b < sizeof ks / sizeof *ks; b++)
      for (int64_t d = 1; d <= 5 && d <= p; d++) {
        int64_t points = check(&tiles, NULL, n, d, ks[b]), others = check(&tiles, places, count, d, ks[b]);
        if (d < ks[b]) assert_true(points > n / 2 && others > count / 2);
      }
    REAL(tiles_free)(&tiles);
    free(x), free(places);
  }
}

/* More neighbours than points, and more dimensions than neighbours. */
static void test_few_points(void **state) {
  (void)state;
  for (int64_t p = 5; p <= 20; p += 15) {
    double x[7 * 20];
    fill_normal(x, 7 * p, 8);
    tiles_t tiles = order(x, 7, p);
    assert_true(check(&tiles, NULL, 7, 3, 50) > 0);
    frames_t f = estimate(&tiles, NULL, 7, 5, 2, 1);
    check_orthonormal(&f);
    assert_int_equal(f.degenerate, 7);
    REAL(frames_free)(&f);
    REAL(tiles_free)(&tiles);
  }
}

/* Two points along almost an axis: what completes the frame begins with what is left of that axis. */
static void test_almost_an_axis(void **state) {
  (void)state;
  enum { P = 30 };
  double x[2 * P] = {0};
  x[P] = 1, x[P + 1] = 1e-6;
  tiles_t tiles = order(x, 2, P);
  frames_t frames = estimate(&tiles, NULL, 0, 3, 1, 1);
  check_orthonormal(&frames);
  REAL(frames_free)(&frames);
  REAL(tiles_free)(&tiles);
}

/* kind 0: every point three times; 1: constant columns; 2: a line; 3: a lattice; 4: one point */
static double *odd_points(int kind, int64_t n, int64_t p) {
  double *x = numbers(n * p), *t = numbers(n * p);
  fill_normal(t, n * p, 11);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < p; j++) {
      double *to = x + i * p + j;
      if (kind == 0) *to = t[i / 3 * p + j] / (1 + (double)j);
      if (kind == 1) *to = j % 2 ? 4.5 : t[i * p + j] / (1 + (double)j);
      if (kind == 2) *to = (1 + (double)j) * t[i];
      if (kind == 3) *to = (double)(j == 0 ? i % 8 : j == 1 ? i / 8 : 0);
      if (kind == 4) *to = 0.25;
    }
  free(t);
  return x;
}

static void test_odd_points(void **state) {
  (void)state;
  const int64_t n = 63, ps[] = {4, 12, 13, 16};
  for (int a = 0; a < 4; a++)
    for (int kind = 0; kind <= 4; kind++) {
      int64_t p = ps[a];
      double *x = odd_points(kind, n, p);
      tiles_t tiles = order(x, n, p);
      for (int64_t k = 8; k <= 16; k += 4)
        for (int64_t d = 1; d <= 3; d++) {
          int64_t compared = check(&tiles, NULL, n, d, k);
          frames_t f = estimate(&tiles, NULL, n, d, k, 1);
          if (kind == 2) assert_int_equal(f.degenerate, d > 1 ? n : 0);
          if (kind == 3) assert_int_equal(f.degenerate, d > 2 ? n : 0);
          if (kind == 4) assert_int_equal(f.degenerate, n);
          if (kind < 2 && d < 3) assert_true(compared > n / 3);
          if (kind == 2 && d == 1) assert_int_equal(compared, n);
          if (kind == 3 && d == 2) assert_int_equal(compared, n);
          REAL(frames_free)(&f);
        }
      REAL(tiles_free)(&tiles);
      free(x);
    }
}

/* Planes do not depend on the unit of length, frames not on the number of threads. */
static void test_scale_and_threads(void **state) {
  (void)state;
  const int64_t n = 200, ps[] = {3, 12, 13, 30};
  for (int a = 0; a < 4; a++) {
    int64_t p = ps[a], d = 2, k = 14;
    double *x = numbers(n * p), *y = numbers(n * p), *place = numbers(n * p * d);
    fill_normal(x, n * p, 21);
    for (int64_t i = 0; i < n * p; i++) x[i] /= 1 + (double)(i % p);
    tiles_t tiles = order(x, n, p);
    frames_t f = estimate(&tiles, NULL, n, d, k, 1), g = estimate(&tiles, NULL, n, d, k, 2);
    assert_memory_equal(f.b, g.b, (size_t)(n * d * p) * sizeof *f.b);
    REAL(frames_free)(&g);
    for (int64_t i = 0; i < n; i++)
      memcpy(place + tiles.order[i] * d * p, f.b + i * d * p, (size_t)(d * p) * sizeof *place);
    const double scales[] = {1e-120, 1e120};
    for (int s = 0; s < 2; s++) {
      for (int64_t i = 0; i < n * p; i++) y[i] = scales[s] * x[i];
      tiles_t scaled = order(y, n, p);
      g = estimate(&scaled, NULL, n, d, k, 2);
      check_orthonormal(&g);
      assert_int_equal(g.degenerate, 0);
      double *turned = numbers(p * p);
      for (int64_t i = 0; i < n; i++) {
        for (int64_t b = 0; b < d; b++)
          for (int64_t j = 0; j < p; j++) turned[j * p + b] = place[(scaled.order[i] * d + b) * p + j];
        assert_true(plane_distance(p, d, g.b + i * d * p, turned) < 1e-9);
      }
      free(turned);
      REAL(frames_free)(&g);
      REAL(tiles_free)(&scaled);
    }
    REAL(frames_free)(&f);
    REAL(tiles_free)(&tiles);
    free(x), free(y), free(place);
  }
}

/* Variances along the principal axes of the k nearest of point i and itself, about their mean, ascending. */
static void plain_spectrum(const double *x, int64_t n, int64_t p, int64_t i, int64_t k, double *values) {
  double *d2 = numbers(n), *sorted = numbers(n), *mean = numbers(p), *c = numbers(p * p), sum = 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t e = 0; e < p; e++) d2[j] += (x[j * p + e] - x[i * p + e]) * (x[j * p + e] - x[i * p + e]);
  memcpy(sorted, d2, (size_t)n * sizeof *d2);
  sort_reals(sorted, n);
  double r2 = sorted[k], reach = r2 * (1 + 1 / (double)(k + 1));
  for (int pass = 0; pass < 2; pass++)
    for (int64_t j = 0; j < n; j++) {
      double h = d2[j] <= r2 ? 1 - d2[j] / reach : 0;
      if (pass == 0) sum += h;
      for (int64_t e = 0; e < p; e++) {
        if (pass == 0) mean[e] += h * x[j * p + e];
        for (int64_t f = 0; pass && f < p; f++)
          c[e * p + f] += h / sum * (x[j * p + e] - mean[e] / sum) * (x[j * p + f] - mean[f] / sum);
      }
    }
  assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', (int)p, c, (int)p, values), 0);
  free(d2), free(sorted), free(mean), free(c);
}

/* Few coordinates and many, and more coordinates than neighbours. */
static void test_spectra(void **state) {
  (void)state;
  const int64_t cases[][3] = {{200, 3, 12}, {150, 12, 30}, {120, 20, 40}, {90, 30, 9}};
  for (size_t s = 0; s < sizeof cases / sizeof *cases; s++) {
    int64_t n = cases[s][0], p = cases[s][1], k = cases[s][2], most = 2;
    double *x = numbers(n * p), *found = numbers(n * (most + 1)), *expected = numbers(p);
    lavdm_random random;
    lavdm_random_start(&random, 5 + s, 0);
    for (int64_t i = 0; i < n * p; i++) x[i] = lavdm_random_normal(&random) / (double)(1 + i % p);
    run_t run = {.threads = 2};
    tiles_t tiles = order(x, n, p);
    assert_int_equal(REAL(frames_spectra)(&run, &tiles, k, n, most, found), 0);
    for (int64_t i = 0; i < n; i++) {
      double total = 0;
      plain_spectrum(x, n, p, tiles.order[i], k, expected);
      for (int64_t e = 0; e < p; e++) total += expected[e];
      for (int64_t e = 0; e < most; e++)
        assert_true(fabs(found[i * (most + 1) + e] - expected[p - 1 - e]) < 1e-10 * total);
      assert_true(fabs(found[i * (most + 1) + most] - total) < 1e-10 * total);
    }
    REAL(tiles_free)(&tiles);
    free(x), free(found), free(expected);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_definition),
      cmocka_unit_test(test_radius),
      cmocka_unit_test(test_sheet),
      cmocka_unit_test(test_few_points),
      cmocka_unit_test(test_almost_an_axis),
      cmocka_unit_test(test_odd_points),
      cmocka_unit_test(test_scale_and_threads),
      cmocka_unit_test(test_spectra),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
