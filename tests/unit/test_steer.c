/*
 * Bases that turn: turning an image or a signal multiplies its coefficients of band k
 * by e^(-ik theta). Distances and angles of steer_match against a fine grid of angles
 * and golden section on direct sums.
 */
#include "oracle.h"

#include "steer/steer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ------------------------------------------------------- analytic images */

enum { BLOBS = 6 };

typedef struct {
  double x[BLOBS], y[BLOBS], width[BLOBS], height[BLOBS];
} blobs_t;

/* Gaussians with centres within `reach` of the middle. */
static blobs_t blobs_of(uint64_t seed, double reach, double width) {
  blobs_t b;
  double z[4 * BLOBS];
  fill_normal(z, 4 * BLOBS, seed);
  for (int i = 0; i < BLOBS; i++) {
    b.x[i] = reach * tanh(z[i]);
    b.y[i] = reach * tanh(z[BLOBS + i]);
    b.width[i] = width * (1 + 0.2 * tanh(z[2 * BLOBS + i]));
    b.height[i] = 1 + 0.5 * tanh(z[3 * BLOBS + i]);
  }
  return b;
}

/* The image of the blobs, reflected, then turned by theta. */
static void draw(const blobs_t *b, int64_t h, int64_t w, double theta, int reflected, double *out) {
  for (int64_t i = 0; i < h; i++)
    for (int64_t j = 0; j < w; j++) {
      double y = (double)i - 0.5 * (double)(h - 1), x = (double)j - 0.5 * (double)(w - 1), sum = 0;
      for (int k = 0; k < BLOBS; k++) {
        double bx = b->x[k], by = reflected ? -b->y[k] : b->y[k];
        double cx = bx * cos(theta) - by * sin(theta), cy = bx * sin(theta) + by * cos(theta);
        sum += b->height[k] *
               exp(-((x - cx) * (x - cx) + (y - cy) * (y - cy)) / (2 * b->width[k] * b->width[k]));
      }
      out[i * w + j] = sum;
    }
}

static double disk_norm2(const double *x, int64_t h, int64_t w) {
  double sum = 0, r = 0.5 * (double)(h < w ? h : w);
  for (int64_t i = 0; i < h; i++)
    for (int64_t j = 0; j < w; j++) {
      double a = (double)i - 0.5 * (double)(h - 1), b = (double)j - 0.5 * (double)(w - 1);
      if (a * a + b * b <= r * r) sum += x[i * w + j] * x[i * w + j];
    }
  return sum;
}

/* |a e^(-ik theta) - b| with a reflected first. */
static double turned_gap(const steer_bands *bands, const double *a, const double *b, double theta,
                         int reflected) {
  double sum = 0;
  for (int64_t k = 0; k < bands->bands; k++)
    for (int64_t c = bands->first[k]; c < bands->first[k + 1]; c++) {
      double co = cos((double)k * theta), si = -sin((double)k * theta), re = a[2 * c],
             im = reflected ? -a[2 * c + 1] : a[2 * c + 1];
      double x = re * co - im * si - b[2 * c], y = re * si + im * co - b[2 * c + 1];
      sum += x * x + y * y;
    }
  return sqrt(sum);
}

/* The largest relative error of turning over some images and angles, and of the squared norm. */
static double turning_error(int64_t h, int64_t w, double reach, double width, double *norm_error) {
  steer_basis *basis = REAL(steer_disk)(h, w);
  assert_non_null(basis);
  const steer_bands *bands = REAL(steer_basis_bands)(basis);
  double *image = numbers(2 * h * w), *a = numbers(4 * bands->size), worst = 0;
  *norm_error = 0;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    blobs_t blobs = blobs_of(seed, reach, width);
    double theta = 0.7 * (double)seed - 2;
    int reflected = seed % 2 == 0;
    draw(&blobs, h, w, 0, 0, image);
    draw(&blobs, h, w, theta, reflected, image + h * w);
    assert_int_equal(REAL(steer_expand)(basis, image, 2, 1, a), 0);
    double scale2 = disk_norm2(image, h, w), sum = 0;
    for (int64_t c = 0; c < 2 * bands->size; c++) sum += a[c] * a[c];
    worst = fmax(worst, turned_gap(bands, a, a + 2 * bands->size, theta, reflected) / sqrt(scale2));
    *norm_error = fmax(*norm_error, fabs(sum / scale2 - 1));
  }
  free(image), free(a);
  REAL(steer_basis_free)(basis);
  return worst;
}

static void test_turning(void **state) {
  (void)state;
  /* bounds on what was measured: blobs well inside of the disk, and up to its rim */
  const struct {
    int64_t size;
    double width, inside, alive;
  } cases[] = {{7, 1.2, 0.02, 0.1},   {9, 1.2, 0.02, 0.12},  {16, 1.5, 3e-3, 0.1},
               {33, 2.0, 1e-4, 0.06}, {64, 2.0, 1e-4, 0.06}, {8, 1.2, 0.02, 0.1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t s = cases[i].size;
    double norm, rim_norm, half = 0.5 * (double)s;
    double inside = turning_error(s, s, 0.4 * half, cases[i].width, &norm);
    double alive = turning_error(s, s, half, cases[i].width, &rim_norm);
    printf("%d x %d: turning %.1e inside, %.1e at the rim; squared norm %.1e, %.1e\n", (int)s, (int)s, inside,
           alive, norm, rim_norm);
    assert_true(inside <= cases[i].inside);
    assert_true(alive <= cases[i].alive);
    assert_true(norm <= cases[i].inside && rim_norm <= 0.15);
  }
  double norm;
  assert_true(turning_error(24, 31, 4.5, 1.6, &norm) < 5e-3);
  assert_true(turning_error(31, 24, 4.5, 1.6, &norm) < 5e-3);
}

/* Coefficients of white noise: eigenvalues of their covariance G^-1 stay near one, for every size. */
static void test_sizes(void **state) {
  (void)state;
  for (int64_t h = 1; h <= 20; h++)
    for (int64_t w = h; w <= h + 3; w++) {
      steer_basis *basis = REAL(steer_disk)(h, w);
      assert_non_null(basis);
      const steer_bands *bands = REAL(steer_basis_bands)(basis);
      int64_t size = bands->size, p = h * w, real = 2 * size - (bands->first[1] - bands->first[0]);
      assert_true(real >= 1 && real <= REAL(steer_basis_pixels)(basis));
      /* rows of the matrix from pixels to coefficients */
      double *unit = numbers(p * p), *e = numbers(p * 2 * size), *cov = numbers(4 * size * size),
             *values = numbers(2 * size), *back = numbers(p * p), *again = numbers(p * 2 * size);
      for (int64_t i = 0; i < p; i++) unit[i * p + i] = 1;
      assert_int_equal(REAL(steer_expand)(basis, unit, p, 1, e), 0);
      for (int64_t i = 0; i < p; i++)
        for (int64_t a = 0; a < 2 * size; a++)
          for (int64_t b = 0; b < 2 * size; b++)
            cov[a * 2 * size + b] += e[i * 2 * size + a] * e[i * 2 * size + b];
      oracle_eigen(2 * size, cov, values);
      assert_true(values[0] < 12);
      assert_true(values[real - 1] > 0.3);
      /* synthesis of the expansion is a projection */
      assert_int_equal(REAL(steer_synthesise)(basis, e, p, 1, back), 0);
      assert_int_equal(REAL(steer_expand)(basis, back, p, 1, again), 0);
      for (int64_t i = 0; i < p * 2 * size; i++) assert_true(fabs(again[i] - e[i]) < 1e-9);
      for (int64_t i = 0; i < p * p; i++) assert_true(fabs(back[i] - back[i % p * p + i / p]) < 1e-9);
      free(unit), free(e), free(cov), free(values), free(back), free(again);
      REAL(steer_basis_free)(basis);
    }
}

static void test_circle(void **state) {
  (void)state;
  for (int64_t p = 1; p <= 33; p += p < 6 ? 1 : 9) {
    steer_basis *basis = REAL(steer_circle)(p, LAVDM_SIGNALS_PERIODIC);
    assert_non_null(basis);
    const steer_bands *bands = REAL(steer_basis_bands)(basis);
    assert_int_equal(bands->size, p / 2 + 1);
    double x[2 * 33], a[4 * 20], back[33], norm = 0, sum = 0;
    fill_normal(x, p, 5);
    int64_t delay = p / 3 + (p > 1);
    for (int64_t s = 0; s < p; s++) x[p + (s + delay) % p] = x[s], norm += x[s] * x[s];
    assert_int_equal(REAL(steer_expand)(basis, x, 2, 1, a), 0);
    for (int64_t c = 0; c < 2 * bands->size; c++) sum += a[c] * a[c];
    assert_true(fabs(sum - norm) < 1e-12 * (1 + norm));
    double theta = 2 * M_PI * (double)delay / (double)p;
    assert_true(turned_gap(bands, a, a + 2 * bands->size, theta, 0) < 1e-12 * (1 + norm));
    assert_int_equal(REAL(steer_synthesise)(basis, a, 1, 1, back), 0);
    for (int64_t s = 0; s < p; s++) assert_true(fabs(back[s] - x[s]) < 1e-12);
    for (int64_t s = 0; s < p; s++) x[p + (p - s) % p] = x[s]; /* backwards */
    assert_int_equal(REAL(steer_expand)(basis, x, 2, 1, a), 0);
    assert_true(turned_gap(bands, a, a + 2 * bands->size, 0, 1) < 1e-12 * (1 + norm));
    REAL(steer_basis_free)(basis);
  }
}

/* Turning a cosine by its phase, at every frequency; constants and the highest frequency stay. */
static void test_phases(void **state) {
  (void)state;
  for (int64_t p = 1; p <= 33; p += p < 6 ? 1 : 9) {
    steer_basis *basis = REAL(steer_circle)(p, LAVDM_SIGNALS_PHASE);
    assert_non_null(basis);
    const steer_bands *bands = REAL(steer_basis_bands)(basis);
    assert_int_equal(bands->bands, 2);
    assert_int_equal(bands->size, p / 2 + 1);
    double x[2 * 33], a[4 * 20], back[33], theta = 0.7, norm = 0, sum = 0;
    for (int64_t s = 0; s < p; s++) {
      x[s] = x[p + s] = 0.3 + (p % 2 ? 0 : 0.2 * (s % 2 ? -1 : 1));
      for (int64_t k = 1; 2 * k < p; k++) {
        double at = 2 * M_PI * (double)(k * s) / (double)p + (double)k;
        x[s] += cos(at) / (double)k, x[p + s] += cos(at - theta) / (double)k;
      }
      norm += x[s] * x[s];
    }
    assert_int_equal(REAL(steer_expand)(basis, x, 2, 1, a), 0);
    for (int64_t c = 0; c < 2 * bands->size; c++) sum += a[c] * a[c];
    assert_true(fabs(sum - norm) < 1e-12 * (1 + norm));
    assert_true(turned_gap(bands, a, a + 2 * bands->size, theta, 0) < 1e-12 * (1 + norm));
    assert_int_equal(REAL(steer_synthesise)(basis, a, 1, 1, back), 0);
    for (int64_t s = 0; s < p; s++) assert_true(fabs(back[s] - x[s]) < 1e-12);
    REAL(steer_basis_free)(basis);
  }
}

/* A short bump in a longer stretch moves without coming in at the other end. */
static void test_window(void **state) {
  (void)state;
  enum { P = 40 };
  steer_basis *basis = REAL(steer_circle)(P, LAVDM_SIGNALS_WINDOWED);
  assert_non_null(basis);
  const steer_bands *bands = REAL(steer_basis_bands)(basis);
  assert_int_equal(bands->size, P + 1);
  double x[P] = {0}, a[2 * (P + 1)], b[2 * (P + 1)], back[P], turned[P], noise = 0;
  x[P / 2] = 1, x[P / 2 - 1] = 0.5;
  assert_int_equal(REAL(steer_expand)(basis, x, 1, 1, a), 0);
  for (int64_t k = 0; k <= P; k++) { /* delayed by 30 samples of the 2 P */
    double at = -2 * M_PI * 30 * (double)k / (2 * P);
    b[2 * k] = a[2 * k] * cos(at) - a[2 * k + 1] * sin(at);
    b[2 * k + 1] = a[2 * k] * sin(at) + a[2 * k + 1] * cos(at);
  }
  assert_int_equal(REAL(steer_synthesise)(basis, a, 1, 1, back), 0);
  assert_int_equal(REAL(steer_synthesise)(basis, b, 1, 1, turned), 0);
  assert_true(back[P / 2] > 1.5 && back[P / 2 - 1] > 0.75); /* the window's middle: mean square 2 */
  for (int64_t s = 0; s < P; s++) assert_true(s / 2 == P / 4 || s == P / 2 - 1 || fabs(back[s]) < 1e-12);
  for (int64_t s = 0; s < P; s++) assert_true(fabs(turned[s]) < 1e-12);
  for (int64_t s = 0; s < P; s++) { /* white noise has its own variance in every coefficient, all told */
    double unit[P] = {0};
    unit[s] = 1;
    assert_int_equal(REAL(steer_expand)(basis, unit, 1, 1, a), 0);
    for (int64_t c = 0; c < 2 * bands->size; c++) noise += a[c] * a[c];
  }
  assert_true(fabs(noise - 2 * P) < 1e-9);
  REAL(steer_basis_free)(basis);
}

/* ---------------------------------------------------------------- matching */

static double correlation(const steer_bands *bands, const double *a, const double *b, double theta,
                          int reflected) {
  double sum = 0;
  for (int64_t k = 0; k < bands->bands; k++)
    for (int64_t c = bands->first[k]; c < bands->first[k + 1]; c++) {
      double bi = reflected ? -b[2 * c + 1] : b[2 * c + 1];
      double re = a[2 * c] * b[2 * c] + a[2 * c + 1] * bi, im = a[2 * c + 1] * b[2 * c] - a[2 * c] * bi;
      sum += re * cos((double)k * theta) - im * sin((double)k * theta);
    }
  return sum;
}

/* The highest correlation: 64 angles for each band, then golden section. */
static double best_turn(const steer_bands *bands, const double *a, const double *b, int reflected,
                        double *angle) {
  int64_t grid = 64 * bands->bands;
  *angle = 0;
  double best = -INFINITY, step = 2 * M_PI / (double)grid, golden = 0.6180339887498949;
  for (int64_t g = 0; g < grid; g++) {
    double f = correlation(bands, a, b, step * (double)g, reflected);
    if (f > best) best = f, *angle = step * (double)g;
  }
  double low = *angle - step, high = *angle + step;
  for (int i = 0; i < 60; i++) {
    double one = high - golden * (high - low), two = low + golden * (high - low);
    if (correlation(bands, a, b, one, reflected) > correlation(bands, a, b, two, reflected))
      high = two;
    else
      low = one;
  }
  *angle = 0.5 * (low + high);
  return correlation(bands, a, b, *angle, reflected);
}

static steer_stack make_stack(const steer_bands *bands, int64_t n, double *value) {
  steer_stack stack = {.n = n, .bands = bands, .value = value, .norm2 = numbers(n)};
  for (int64_t i = 0; i < n; i++)
    for (int64_t c = 0; c < 2 * bands->size; c++)
      stack.norm2[i] += value[i * 2 * bands->size + c] * value[i * 2 * bands->size + c];
  return stack;
}

/* n x m pairs, with and without reflections, against the oracle. */
static void check_match(const steer_bands *bands, int64_t n, int64_t m, double *a, double *b) {
  steer_stack x = make_stack(bands, n, a), y = make_stack(bands, m, b);
  steer_work *work = REAL(steer_work_new)(bands, n, m);
  assert_non_null(work);
  double *d2 = numbers(n * m), *angle = numbers(n * m);
  signed char *reflected = (signed char *)numbers(n * m);
  int64_t *cols = (int64_t *)numbers(m);
  for (int64_t j = 0; j < m; j++) cols[j] = m - 1 - j;
  for (int mirror = 0; mirror <= 1; mirror++) {
    REAL(steer_match)(&x, 0, n, &y, cols, m, INFINITY, work, d2, angle, mirror ? reflected : NULL);
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < m; j++) {
        const double *p = a + i * 2 * bands->size, *q = b + cols[j] * 2 * bands->size;
        double theta, f = best_turn(bands, p, q, 0, &theta), scale = x.norm2[i] + y.norm2[cols[j]];
        if (mirror) f = fmax(f, best_turn(bands, p, q, 1, &theta));
        double t = angle[i * m + j], found = d2[i * m + j];
        assert_true(t >= -M_PI && t < M_PI);
        assert_true(fabs(found - fmax(0, scale - 2 * f)) < 1e-12 * scale);
        /* and the angle attains it */
        double there = correlation(bands, p, q, t, mirror && reflected[i * m + j]);
        assert_true(fabs(scale - 2 * there - found) < 1e-12 * scale);
      }
  }
  /* beyond a limit nothing is promised, within it everything */
  double limit2 = 0;
  for (int64_t e = 0; e < n * m; e++) limit2 += d2[e] / (double)(n * m);
  double *limited = numbers(n * m), *other = numbers(n * m);
  REAL(steer_match)(&x, 0, n, &y, cols, m, limit2, work, limited, other, reflected);
  for (int64_t e = 0; e < n * m; e++) {
    if (d2[e] <= limit2) assert_true(limited[e] == d2[e] && other[e] == angle[e]);
    if (d2[e] > limit2) assert_true(limited[e] > limit2);
  }
  free(d2), free(angle), free(reflected), free(cols), free(limited), free(other);
  free(x.norm2), free(y.norm2);
  REAL(steer_work_free)(work);
}

static void test_match_noise(void **state) {
  (void)state;
  const int64_t sizes[] = {1, 2, 3, 5, 9, 12, 20};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    steer_basis *basis = REAL(steer_disk)(sizes[s], sizes[s]);
    assert_non_null(basis);
    const steer_bands *bands = REAL(steer_basis_bands)(basis);
    enum { N = 6, M = 19 };
    double *image = numbers((N + M) * sizes[s] * sizes[s]), *a = numbers((N + M) * 2 * bands->size);
    fill_normal(image, (N + M) * sizes[s] * sizes[s], 11 + s);
    for (int64_t p = 0; p < sizes[s] * sizes[s]; p++) image[(N + 3) * sizes[s] * sizes[s] + p] = 1;
    for (int64_t p = 0; p < sizes[s] * sizes[s]; p++) image[(N + 4) * sizes[s] * sizes[s] + p] = 0;
    assert_int_equal(REAL(steer_expand)(basis, image, N + M, 2, a), 0);
    check_match(bands, N, M, a, a + N * 2 * bands->size);
    free(image), free(a);
    REAL(steer_basis_free)(basis);
  }
}

/* Turned and reflected copies of analytic images are found again, and are at distance zero of themselves. */
static void test_match_copies(void **state) {
  (void)state;
  enum { SIZE = 48, N = 8 };
  steer_basis *basis = REAL(steer_disk)(SIZE, SIZE);
  const steer_bands *bands = REAL(steer_basis_bands)(basis);
  double *image = numbers(2 * N * SIZE * SIZE), *a = numbers(2 * N * 2 * bands->size), theta[N];
  for (int i = 0; i < N; i++) {
    blobs_t blobs = blobs_of((uint64_t)i + 1, 8, 2.5);
    theta[i] = 0.8 * i - 3;
    draw(&blobs, SIZE, SIZE, 0, 0, image + i * SIZE * SIZE);
    draw(&blobs, SIZE, SIZE, theta[i], i % 2, image + (N + i) * SIZE * SIZE);
  }
  assert_int_equal(REAL(steer_expand)(basis, image, 2 * N, 2, a), 0);
  steer_stack stack = make_stack(bands, 2 * N, a);
  steer_work *work = REAL(steer_work_new)(bands, N, 2 * N);
  double d2[N * 2 * N], angle[N * 2 * N];
  signed char reflected[N * 2 * N];
  REAL(steer_match)(&stack, N, N, &stack, NULL, 2 * N, INFINITY, work, d2, angle, reflected);
  for (int i = 0; i < N; i++) {
    int e = i * 2 * N + i, self = i * 2 * N + N + i;
    assert_true(d2[e] < 1e-12 * stack.norm2[i]);
    assert_int_equal(reflected[e], i % 2);
    assert_true(fabs(remainder(angle[e] - theta[i], 2 * M_PI)) < 1e-6);
    assert_true(d2[self] < 1e-25 * stack.norm2[i] && fabs(angle[self]) < 1e-12 && !reflected[self]);
    /* against pixels: the other image drawn at the angle that was found */
    for (int j = 0; j < N; j++) {
      blobs_t one = blobs_of((uint64_t)j + 1, 8, 2.5);
      double drawn[SIZE * SIZE];
      int at = i * 2 * N + j;
      draw(&one, SIZE, SIZE, angle[at], reflected[at], drawn);
      for (int p = 0; p < SIZE * SIZE; p++) drawn[p] -= image[(N + i) * SIZE * SIZE + p];
      assert_true(fabs(sqrt(disk_norm2(drawn, SIZE, SIZE)) - sqrt(d2[at])) < 1e-5 * sqrt(stack.norm2[i]));
    }
  }
  free(image), free(a), free(stack.norm2);
  REAL(steer_work_free)(work);
  REAL(steer_basis_free)(basis);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_turning),      cmocka_unit_test(test_sizes),  cmocka_unit_test(test_circle),
      cmocka_unit_test(test_phases),       cmocka_unit_test(test_window), cmocka_unit_test(test_match_noise),
      cmocka_unit_test(test_match_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
