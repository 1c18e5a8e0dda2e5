/*
 * Noise that differs from point to point. On a circle in R^500 whose points are moved by up to half a radius,
 * here much and there hardly, squared distances are larger by the noise of both ends: the diffusion map takes
 * that for low density and is lost at a narrow bandwidth, while row sums of 1 give back its eigenfunctions,
 * cos and sin, nearly as they are without noise; there they are those of the circle as well.
 */
#include "oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#define PI 3.14159265358979323846

enum { N = 800, P = 500 };

/* angle (N); x (N x P), with noise of squared length level (.01 + .5 cos^2(3/2 angle)) */
static void circle(double level, uint64_t seed, double *angle, double *x) {
  double *noise = numbers((int64_t)N * P), axis[2][P] = {{0}};
  fill_normal(noise, (int64_t)N * P, seed);
  for (int j = 0; j < P; j++) axis[j % 2][j] = sqrt(2. / P);
  for (int i = 0; i < N; i++) {
    angle[i] = 2 * PI * fmod((i + 1) * 0.6180339887498949 + 0.05 * sin(i), 1);
    double sigma = sqrt(level * (0.01 + 0.5 * pow(cos(1.5 * angle[i]), 2)) / P);
    for (int j = 0; j < P; j++)
      x[i * P + j] = cos(angle[i]) * axis[0][j] + sin(angle[i]) * axis[1][j] + sigma * noise[i * P + j];
  }
  free(noise);
}

/* Takes from u its mean and its parts along the `count` columns of b (N x 2), and makes it of length 1. */
static void orthonormalise(double *b, int count) {
  double mean = 0, length = 0;
  for (int i = 0; i < N; i++) mean += b[2 * i + count] / N;
  for (int i = 0; i < N; i++) b[2 * i + count] -= mean;
  for (int c = 0; c < count; c++) {
    double dot = 0;
    for (int i = 0; i < N; i++) dot += b[2 * i + c] * b[2 * i + count];
    for (int i = 0; i < N; i++) b[2 * i + count] -= dot * b[2 * i + c];
  }
  for (int i = 0; i < N; i++) length += b[2 * i + count] * b[2 * i + count];
  for (int i = 0; i < N; i++) b[2 * i + count] /= sqrt(length);
}

/* The sine of the largest angle between cos and sin and the eigenvectors 2 and 3, all without their means. */
static double error_of(const lavdm_options *options, const double *angle, const double *x) {
  lavdm_options o = *options;
  o.dim = 1, o.components = 4;
  lavdm_data data = {.points = x, .n = N, .p = P};
  lavdm_model *model = fit_or_fail(&data, &o);
  double *u = model_doubles(model, "eigenvectors"), v[2 * N], f[2 * N];
  for (int i = 0; i < N; i++) {
    f[2 * i] = cos(angle[i]), f[2 * i + 1] = sin(angle[i]);
    v[2 * i] = u[4 * i + 1], v[2 * i + 1] = u[4 * i + 2];
  }
  for (int c = 0; c < 2; c++) orthonormalise(v, c), orthonormalise(f, c);
  double distance = projector_distance(N, 2, v, 2, f, 2) / sqrt(2);
  print_message("method %d, normalise %d, edges %d, epsilon %g: error %.3f\n", o.method, o.normalise, o.edges,
                o.epsilon, distance);
  free(u);
  lavdm_free(model);
  return distance;
}

static lavdm_options with(lavdm_method method, lavdm_normalise normalise, lavdm_edge_rule edges,
                          double epsilon) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method, o.normalise = normalise, o.edges = edges, o.epsilon = epsilon, o.pca = 0;
  if (method == LAVDM_METHOD_LAVDM) o.bundle = LAVDM_BUNDLE_TRIVIAL;
  return o;
}

static void test_circle(void **state) {
  (void)state;
  double angle[N], *x = numbers((int64_t)N * P);
  for (uint64_t seed = 1; seed <= 2; seed++) {
    circle(1, seed, angle, x);
    lavdm_options degree = with(LAVDM_METHOD_DM, LAVDM_NORMALISE_DEGREE, LAVDM_EDGES_COMPLETE, 0.2),
                  balanced = with(LAVDM_METHOD_DM, LAVDM_NORMALISE_SINKHORN, LAVDM_EDGES_COMPLETE, 0.2),
                  landmarks = with(LAVDM_METHOD_LAVDM, LAVDM_NORMALISE_DEGREE, LAVDM_EDGES_AUTO, 0.4);
    assert_true(error_of(&degree, angle, x) > 0.2);
    assert_true(error_of(&balanced, angle, x) < 0.05);
    balanced.precision = LAVDM_PRECISION_SINGLE, balanced.edges = LAVDM_EDGES_BALL;
    assert_true(error_of(&balanced, angle, x) < 0.05);
    assert_true(error_of(&landmarks, angle, x) < 0.1);
  }
  circle(0, 1, angle, x);
  lavdm_options balanced = with(LAVDM_METHOD_DM, LAVDM_NORMALISE_SINKHORN, LAVDM_EDGES_COMPLETE, 0.2);
  assert_true(error_of(&balanced, angle, x) < 0.05);
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_circle)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
