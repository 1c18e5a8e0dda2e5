/*
 * Double covers of known manifolds: eigenvalues mu of the Laplacian as ratios of
 * -log lambda, their parity under the exchange of sheets, and coordinates.
 *   RP2                 S2: 2 (3 odd) 6 (5 even) 12 (7 odd); the first three are x, y, z
 *   Moebius band        cylinder, nearly flat: 1/4 (2 odd) 1 (2 even) 9/4 (2 odd) 4 (2 even)
 *   flat Klein bottle   flat torus: 1 (3 odd, 1 even) 2 (2, 2) 4 (1, 3)
 *   torus               two tori: 0 (odd), then pairs of one even and one odd
 */
#include "oracle.h"

#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct {
  int64_t n, p, rank;
  double *x, *parameters;
  lavdm_model *model;
  double *coordinates, *eigenvalues;
  int *parity;
} cover_t;

static cover_t cover_of(const char *shape, int64_t n, lavdm_options o, int64_t rank) {
  cover_t c = {.n = n, .rank = rank};
  lavdm_error error;
  assert_int_equal(lavdm_shape_size(shape, 0, &c.p, NULL, &error), 0);
  c.x = numbers(n * c.p), c.parameters = numbers(n * 2);
  assert_int_equal(lavdm_sample(shape, n, 0, NULL, 0, 11, c.x, NULL, c.parameters, &error), 0);
  lavdm_data data = {.points = c.x, .n = n, .p = c.p};
  lavdm_orientation verdict = {0};
  double *signs = numbers(n);
  o.dim = 2, o.components = rank;
  assert_true(lavdm_orient(&data, &o, &verdict, signs, &c.model, &error) >= 0);
  free(signs);
  c.coordinates = numbers(2 * n * rank), c.eigenvalues = numbers(rank);
  c.parity = calloc((size_t)rank, sizeof *c.parity);
  assert_int_equal(lavdm_cover(&data, c.model, &o, 1, rank, c.coordinates, c.eigenvalues, c.parity, &error),
                   0);
  print_message("%-10s method %d:", shape, o.method);
  for (int64_t l = 0; l < rank; l++)
    print_message(" %.4f%c", -log(c.eigenvalues[l]), c.parity[l] > 0 ? '+' : '-');
  print_message("\n");
  return c;
}

static void cover_free(cover_t *c) {
  lavdm_free(c->model);
  free(c->x), free(c->parameters), free(c->coordinates), free(c->eigenvalues), free(c->parity);
}

static lavdm_options options_of(lavdm_method method, double epsilon, double cutoff, int64_t landmarks) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method;
  o.edges = LAVDM_EDGES_BALL;
  o.epsilon = epsilon, o.cutoff = cutoff;
  if (method == LAVDM_METHOD_LAVDM) o.landmarks = landmarks;
  return o;
}

/* Mean of -log lambda over [from, to). */
static double mean_mu(const cover_t *c, int64_t from, int64_t to) {
  double sum = 0;
  for (int64_t l = from; l < to; l++) sum -= log(c->eigenvalues[l]);
  return sum / (double)(to - from);
}

static int odd_ones(const cover_t *c, int64_t from, int64_t to) {
  int odd = 0;
  for (int64_t l = from; l < to; l++) odd += c->parity[l] < 0;
  return odd;
}

/* The point of S2 over point i of RP2, on the sheet of its frame (6 x 2): +v if
 * the frame is oriented as the image of a, b with det(a, b, v) > 0, else -v. */
static void lift(const double *parameters, const double *frame, double *out) {
  double u = parameters[0], f = parameters[1];
  double v[3] = {sin(u) * cos(f), sin(u) * sin(f), cos(u)};
  double side[2][3] = {{cos(u) * cos(f), cos(u) * sin(f), -sin(u)}, {-sin(f), cos(f), 0}}, dot[2][2] = {{0}};
  for (int k = 0; k < 2; k++) { /* the differential of v v' / sqrt 2, by its entries as in the sample */
    const double *a = side[k];
    double image[6] = {M_SQRT2 * v[0] * a[0],     M_SQRT2 * v[1] * a[1],     M_SQRT2 * v[2] * a[2],
                       v[0] * a[1] + v[1] * a[0], v[0] * a[2] + v[2] * a[0], v[1] * a[2] + v[2] * a[1]};
    for (int j = 0; j < 6; j++)
      for (int s = 0; s < 2; s++) dot[k][s] += image[j] * frame[j * 2 + s];
  }
  double sign = dot[0][0] * dot[1][1] > dot[0][1] * dot[1][0] ? 1 : -1;
  for (int j = 0; j < 3; j++) out[j] = sign * v[j];
}

/* R^2 of coordinate `l` regressed on the points of the sphere. */
static double explained(const cover_t *c, const double *sphere, int64_t l) {
  int64_t rows = 2 * c->n;
  double *a = numbers(rows * 3), *b = numbers(rows), total = 0, left = 0;
  memcpy(a, sphere, (size_t)(rows * 3) * sizeof *a);
  for (int64_t i = 0; i < rows; i++) b[i] = c->coordinates[i * c->rank + l];
  assert_int_equal(LAPACKE_dgels(LAPACK_ROW_MAJOR, 'N', (lapack_int)rows, 3, 1, a, 3, b, 1), 0);
  for (int64_t i = 0; i < rows; i++) {
    double y = c->coordinates[i * c->rank + l], fit = 0;
    for (int j = 0; j < 3; j++) fit += b[j] * sphere[i * 3 + j];
    total += y * y;
    left += (y - fit) * (y - fit);
  }
  free(a), free(b);
  return 1 - left / total;
}

static void test_projective_plane(void **state) {
  (void)state;
  enum { N = 2500 };
  double *sphere = numbers(2 * N * 3);
  for (lavdm_method method = LAVDM_METHOD_VDM; method <= LAVDM_METHOD_LAVDM; method += 2) {
    cover_t c = cover_of("rp2", N, options_of(method, 0.04, 3, 700), 15);
    assert_int_equal(odd_ones(&c, 0, 3), 3);
    assert_int_equal(odd_ones(&c, 3, 8), 0);
    assert_int_equal(odd_ones(&c, 8, 15), 7);
    double first = mean_mu(&c, 0, 3);
    assert_true(fabs(mean_mu(&c, 3, 8) / first / 3 - 1) < 0.06);
    assert_true(fabs(mean_mu(&c, 8, 15) / first / 6 - 1) < 0.08);
    double *frames = model_doubles(c.model, "frames");
    for (int64_t i = 0; i < N; i++) {
      lift(c.parameters + i * 2, frames + i * 12, sphere + i * 3);
      for (int j = 0; j < 3; j++) sphere[(N + i) * 3 + j] = -sphere[i * 3 + j];
      for (int l = 0; l < 15; l++)
        assert_true(c.coordinates[(N + i) * 15 + l] == c.parity[l] * c.coordinates[i * 15 + l]);
    }
    for (int l = 0; l < 3; l++) {
      double r2 = explained(&c, sphere, l);
      print_message("  coordinate %d: R^2 %.5f\n", l, r2);
      assert_true(r2 > 0.98);
    }
    free(frames);
    cover_free(&c);
  }
  free(sphere);
}

static void test_mobius(void **state) {
  (void)state;
  for (lavdm_method method = LAVDM_METHOD_VDM; method <= LAVDM_METHOD_LAVDM; method += 2) {
    cover_t c = cover_of("mobius", 2500, options_of(method, 0.02, 3, 500), 8);
    for (int l = 0; l < 8; l++) assert_int_equal(c.parity[l], l / 2 % 2 ? 1 : -1);
    double first = mean_mu(&c, 0, 2);
    for (int k = 1; k < 4; k++)
      assert_true(fabs(mean_mu(&c, 2 * k, 2 * k + 2) / first / ((k + 1) * (k + 1)) - 1) < 0.1);
    cover_free(&c);
  }
}

static void test_klein_bottle(void **state) {
  (void)state;
  for (lavdm_method method = LAVDM_METHOD_VDM; method <= LAVDM_METHOD_LAVDM; method += 2) {
    cover_t c = cover_of("flat-klein", 3000, options_of(method, 0.1, 3, 700), 12);
    assert_int_equal(odd_ones(&c, 0, 4), 3);
    assert_int_equal(odd_ones(&c, 4, 8), 2);
    assert_int_equal(odd_ones(&c, 8, 12), 1);
    assert_true(fabs(mean_mu(&c, 4, 8) / mean_mu(&c, 0, 4) / 2 - 1) < 0.08);
    assert_true(fabs(mean_mu(&c, 8, 12) / mean_mu(&c, 0, 4) / 4 - 1) < 0.08);
    cover_free(&c);
  }
}

/* The first coordinate tells the copies apart, the rest come in pairs. */
static void test_torus(void **state) {
  (void)state;
  enum { N = 2000, R = 9 };
  for (lavdm_method method = LAVDM_METHOD_VDM; method <= LAVDM_METHOD_LAVDM; method += 2) {
    cover_t c = cover_of("torus", N, options_of(method, 0.1, LAVDM_AUTO, 400), R);
    assert_int_equal(c.parity[0], -1);
    assert_true(c.eigenvalues[0] > 1 - 1e-9);
    for (int64_t i = 1; i < N; i++)
      assert_true(fabs(fabs(c.coordinates[i * R]) / fabs(c.coordinates[0]) - 1) < 1e-6);
    for (int l = 1; l < R; l += 2) {
      assert_int_equal(odd_ones(&c, l, l + 2), 1);
      assert_true(fabs(c.eigenvalues[l] - c.eigenvalues[l + 1]) < 1e-9);
    }
    cover_free(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_projective_plane), cmocka_unit_test(test_mobius),
                                     cmocka_unit_test(test_klein_bottle), cmocka_unit_test(test_torus)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
