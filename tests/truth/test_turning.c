/*
 * Images and signals whose bundle is known.
 *
 * One picture in all directions: the bundle over a point is trivial, the top
 * eigenvalue is 1, twice, and fields give back the angles as well as noise allows.
 * With mirror images the same holds in O(2).
 *
 * Two columns of a rotation R, as the waves cos and sin on three rings: turned images
 * are those of R times a turn about the third axis, so that images modulo turns are
 * the sphere of third columns, the turns its frame bundle, and with uniform R the
 * whole is invariant: eigenvalues of the connection Laplacian come 6, 10, 14, ... at a
 * time, and those of the distances alone 1, 3, 5, ...
 */
#include "oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define PI 3.14159265358979323846

enum { SIDE = 25, PIXELS = SIDE * SIDE };

/* Uniform in [0, 1). */
static double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 0x1p53;
}

static lavdm_options defaults(lavdm_method method) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method, o.bundle = LAVDM_BUNDLE_ROTATION, o.noise = 0;
  return o;
}

/* ----------------------------------------------------------------- one picture */

/* Three unlike blobs, turned by theta (reflected before). */
static void picture(double theta, bool reflected, double *out) {
  static const double blob[3][4] = {{5, 0, 2, 1}, {0, 5.5, 1.8, 0.8}, {-3, -3, 2.2, 0.6}};
  for (int j = 0; j < PIXELS; j++) {
    double x = j % SIDE - (SIDE - 1) / 2., y = j / SIDE - (SIDE - 1) / 2.;
    double u = cos(theta) * x + sin(theta) * y, v = cos(theta) * y - sin(theta) * x;
    if (reflected) v = -v;
    out[j] = 0;
    for (int b = 0; b < 3; b++) {
      double a = u - blob[b][0], c = v - blob[b][1];
      out[j] += blob[b][3] * exp(-(a * a + c * c) / (2 * blob[b][2] * blob[b][2]));
    }
  }
}

/* The angle and sign of the alignment that takes vectors at j to i. */
static void check_alignments(const lavdm_model *model, const double *angle, const bool *reflected, int64_t n,
                             double most) {
  int64_t *i = calloc((size_t)n, sizeof *i), *j = calloc((size_t)n, sizeof *j);
  double *o = numbers(4 * n);
  lavdm_error error;
  assert_true(i && j);
  for (int64_t k = 0; k < n; k++) i[k] = k, j[k] = (k * 7 + 3) % n;
  if (lavdm_pairs(model, 1, 2, i, j, n, NULL, o, &error) < 0) fail_msg("%s", error.message);
  for (int64_t k = 0; k < n; k++) {
    const double *a = o + 4 * k;
    bool flips = a[0] * a[3] - a[1] * a[2] < 0;
    assert_int_equal(flips, reflected[i[k]] != reflected[j[k]]);
    /* I_i is turned by angle_i of the picture or its mirror image: O_ij = R_i F_i (R_j F_j)' */
    double truth = flips ? angle[i[k]] + angle[j[k]] : angle[i[k]] - angle[j[k]];
    double found = atan2(a[2], a[0]), gap = remainder(found - truth, 2 * PI);
    if (!(fabs(gap) < most)) fail_msg("pair %lld: %g, but %g", (long long)k, found, truth);
  }
  free(i), free(j), free(o);
}

static void one_picture(lavdm_options o, double sigma, bool mirrored, double most) {
  enum { N = 300 };
  double *x = numbers(N * PIXELS), *noise = numbers(N * PIXELS), angle[N];
  bool reflected[N];
  uint64_t state = 7;
  fill_normal(noise, N * PIXELS, 11);
  for (int64_t i = 0; i < N; i++) {
    angle[i] = 2 * PI * uniform(&state);
    reflected[i] = mirrored && uniform(&state) < 0.5;
    picture(angle[i], reflected[i], x + i * PIXELS);
  }
  for (int64_t i = 0; i < N * PIXELS; i++) x[i] += sigma * noise[i];
  lavdm_data data = {.points = x, .n = N, .p = PIXELS, .height = SIDE, .width = SIDE};
  if (mirrored) o.reflections = LAVDM_REFLECTIONS_YES;
  lavdm_model *model = fit_or_fail(&data, &o);
  const double *values = lavdm_info(model)->eigenvalues;
  assert_int_equal(lavdm_info(model)->q, 2);
  assert_true(values[0] > 0.99 && values[0] < 1 + 1e-12);
  assert_true(values[0] - values[1] < (mirrored ? 0.01 : 1e-6)); /* turns alone make pairs */
  assert_true(values[2] < 0.9);
  check_alignments(model, angle, reflected, N, most);
  lavdm_free(model);
  free(x), free(noise);
}

static void test_one_picture(void **state) {
  (void)state;
  for (int square = 0; square <= 1; square++)
    for (int mirrored = 0; mirrored <= 1; mirrored++) {
      lavdm_options o = defaults(square ? LAVDM_METHOD_VDM : LAVDM_METHOD_LAVDM);
      o.components = 6;
      one_picture(o, 0.02, mirrored, 0.02);
      o.noise = LAVDM_AUTO;
      one_picture(o, 0.2, mirrored, 0.12);
      o.precision = LAVDM_PRECISION_SINGLE;
      one_picture(o, 0.2, mirrored, 0.12);
    }
}

/* ------------------------------------------------------------------ the sphere */

/* A uniform rotation, from a uniform quaternion. */
static void rotation(uint64_t *state, double r[3][3]) {
  double u = uniform(state), a = 2 * PI * uniform(state), b = 2 * PI * uniform(state);
  double w = sqrt(1 - u) * sin(a), x = sqrt(1 - u) * cos(a), y = sqrt(u) * sin(b), z = sqrt(u) * cos(b);
  const double all[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                            {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                            {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
  memcpy(r, all, sizeof all);
}

/* Ring m: cos and sin of the angle, times entries of row m in the first two columns. */
static double *waves(int64_t n) {
  static const double radius[3] = {3.5, 6.5, 9.5};
  double *x = numbers(n * PIXELS), size[3] = {0}, r[3][3];
  uint64_t state = 5;
  for (int j = 0; j < PIXELS; j++) {
    double h = hypot(j % SIDE - (SIDE - 1) / 2., j / SIDE - (SIDE - 1) / 2.);
    for (int m = 0; m < 3; m++) size[m] += exp(-pow(h - radius[m], 2) / 0.8);
  }
  for (int64_t i = 0; i < n; i++) {
    rotation(&state, r);
    for (int j = 0; j < PIXELS; j++) {
      double u = j % SIDE - (SIDE - 1) / 2., v = j / SIDE - (SIDE - 1) / 2., h = hypot(u, v);
      for (int m = 0; m < 3 && h > 0; m++)
        x[i * PIXELS + j] +=
            exp(-pow(h - radius[m], 2) / 1.6) * (r[m][0] * u + r[m][1] * v) / h / sqrt(size[m]);
    }
  }
  return x;
}

/* Eigenvalues from..to-1 lie together: their spread is a small part of the gap behind them. */
static void check_together(const double *values, int from, int to, double share) {
  double spread = values[from] - values[to - 1], gap = values[to - 1] - values[to];
  if (!(spread < share * gap))
    fail_msg("%d eigenvalues from %g to %g, and the next is %g", to - from, values[from], values[to - 1],
             values[to]);
}

static void check_sphere(lavdm_method method, int64_t n, int64_t landmarks, double first, double second) {
  double *x = waves(n);
  lavdm_data data = {.points = x, .n = n, .p = PIXELS};
  lavdm_options o = defaults(method);
  o.landmarks = landmarks, o.components = 20;
  lavdm_model *model = fit_or_fail(&data, &o);
  const double *values = lavdm_info(model)->eigenvalues;
  if (lavdm_info(model)->q == 2) {
    check_together(values, 0, 6, first);
    check_together(values, 6, 16, second);
    assert_true(values[0] < 0.999); /* the sphere has no parallel field */
  } else {
    assert_true(fabs(values[0] - 1) < 1e-9);
    check_together(values, 1, 4, first);
    check_together(values, 4, 9, second);
  }
  lavdm_free(model);
  free(x);
}

static void test_sphere(void **state) {
  (void)state;
  check_sphere(LAVDM_METHOD_VDM, 1000, LAVDM_AUTO, 0.3, 0.6);
  check_sphere(LAVDM_METHOD_LAVDM, 3000, 300, 0.2, 0.5);
  check_sphere(LAVDM_METHOD_DM, 1000, LAVDM_AUTO, 0.3, 0.6);
  check_sphere(LAVDM_METHOD_ROSELAND, 3000, 300, 0.5, 1);
}

/* --------------------------------------------------------------------- signals */

/* A signal of known phase, in noise. */
static void test_phase(void **state) {
  (void)state;
  enum { N = 400, P = 64 };
  double *x = numbers(N * P), *noise = numbers(N * P), angle[N];
  bool reflected[N] = {false};
  uint64_t seed = 3;
  fill_normal(noise, N * P, 4);
  for (int64_t i = 0; i < N; i++) {
    angle[i] = 2 * PI * uniform(&seed);
    for (int j = 0; j < P; j++) {
      double t = 2 * PI * j / P - angle[i];
      x[i * P + j] = cos(t) + 0.5 * cos(2 * t + 1) + 0.4 * sin(3 * t) + 0.3 * noise[i * P + j];
    }
  }
  lavdm_data data = {.points = x, .n = N, .p = P};
  for (int square = 0; square <= 1; square++) {
    lavdm_options o = defaults(square ? LAVDM_METHOD_VDM : LAVDM_METHOD_LAVDM);
    o.bundle = LAVDM_BUNDLE_SHIFT, o.noise = LAVDM_AUTO, o.components = 6;
    lavdm_model *model = fit_or_fail(&data, &o);
    const double *values = lavdm_info(model)->eigenvalues;
    assert_true(values[0] > 0.99 && values[0] - values[1] < 1e-6 && values[2] < 0.9);
    check_alignments(model, angle, reflected, N, 0.25);
    lavdm_free(model);
  }
  free(x), free(noise);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_picture),
      cmocka_unit_test(test_sphere),
      cmocka_unit_test(test_phase),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
