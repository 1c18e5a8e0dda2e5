/*
 * Frames from low frequencies: x^ against the formula as written, with dense matrices; frames as those of x^
 * itself; both engines; new points; what is refused; and what evidence decides.
 */
#include "oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { N = 400, P = 5 };

/* n points of the sphere in the first three of p coordinates, with noise in all; exact frames, or NULL. */
static double *noisy_sphere(int64_t n, int64_t p, double noise, uint64_t seed, double *frames) {
  double *x = numbers(n * p), *s = numbers(n * 3), *b = numbers(n * 6);
  assert_int_equal(lavdm_sample("sphere", n, 0, NULL, 0, seed, s, b, NULL, NULL), 0);
  fill_normal(x, n * p, seed + 100);
  for (int64_t i = 0; i < n * p; i++) x[i] = noise * x[i] + (i % p < 3 ? s[i / p * 3 + i % p] : 0);
  for (int64_t i = 0; frames && i < n * 6; i++) frames[i / 6 * 2 * p + i % 6] = b[i];
  free(s), free(b);
  return x;
}

static lavdm_options defaults(void) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.frames = LAVDM_FRAMES_LOWPASS;
  o.dim = 2, o.pca = 0, o.frame_knn = 30, o.epsilon = 0.3, o.landmarks = 60, o.components = 6;
  return o;
}

/* The largest entry of B B' - C C' over the frames (n, p, d) of both. */
static double planes_apart(const double *b, const double *c, int64_t n, int64_t p, int64_t d) {
  double worst = 0;
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < p; j++)
      for (int64_t k = 0; k < p; k++) {
        double sum = 0;
        for (int64_t e = 0; e < d; e++)
          sum += b[(i * p + j) * d + e] * b[(i * p + k) * d + e] -
                 c[(i * p + j) * d + e] * c[(i * p + k) * d + e];
        worst = fmax(worst, fabs(sum));
      }
  return worst;
}

/* The root mean square sine between the planes of both. */
static double planes_turned(const double *b, const double *c, int64_t n, int64_t p, int64_t d) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++)
    for (int64_t e = 0; e < d; e++)
      for (int64_t g = 0; g < d; g++) {
        double dot = 0;
        for (int64_t j = 0; j < p; j++) dot += b[(i * p + j) * d + e] * c[(i * p + j) * d + g];
        sum += dot * dot;
      }
  return sqrt(fmax(0, 1 - sum / (double)(n * d)));
}

static double apart(const double *a, const double *b, int64_t count) {
  double worst = 0;
  for (int64_t i = 0; i < count; i++) worst = fmax(worst, fabs(a[i] - b[i]));
  return worst;
}

/* --------------------------------------------------------------- the formula */

/* x^ = sum_{l < r} u_l u_l' D x from all eigenvectors of the dense operator. */
static double *oracle_smooth(const double *x, int64_t n, int64_t p, const lavdm_model *model) {
  const lavdm_array *z = lavdm_get(model, "smooth_landmarks");
  const double *kernel = lavdm_get(model, "smooth_kernel")->data;
  oracle_problem problem = {.n = n,
                            .m = z->shape[0],
                            .p = p,
                            .q = 1,
                            .x = x,
                            .z = z->data,
                            .bundle = LAVDM_BUNDLE_TRIVIAL,
                            .kernel = LAVDM_KERNEL_GAUSSIAN,
                            .epsilon = kernel[0],
                            .radius = 3 * sqrt(kernel[0]),
                            .alpha = 1,
                            .beta = 0.5};
  oracle_result found = oracle_landmarks(&problem);
  double *out = numbers(n * p);
  for (int64_t l = 0; l < (int64_t)kernel[1]; l++)
    for (int64_t j = 0; j < p; j++) {
      double c = 0;
      for (int64_t i = 0; i < n; i++) c += found.vectors[i * n + l] * sqrt(found.degree[i]) * x[i * p + j];
      for (int64_t i = 0; i < n; i++) out[i * p + j] += found.vectors[i * n + l] / sqrt(found.degree[i]) * c;
    }
  oracle_free(&found);
  return out;
}

static void test_formula(void **state) {
  (void)state;
  double *x = noisy_sphere(N, P, 0.05, 1, NULL);
  lavdm_data data = {.points = x, .n = N, .p = P};
  lavdm_options o = defaults();
  lavdm_model *model = fit_or_fail(&data, &o);
  double *smooth = model_doubles(model, "smooth_points"), *expected = oracle_smooth(x, N, P, model);
  assert_non_null(smooth);
  assert_true(apart(smooth, expected, N * P) < 1e-9);
  assert_true(apart(smooth, x, N * P) > 0.01);
  /* its frames are the frames of x^, by local PCA */
  lavdm_data other = {.points = smooth, .n = N, .p = P};
  o.frames = LAVDM_FRAMES_LOCAL;
  lavdm_model *local = fit_or_fail(&other, &o);
  double *b = model_doubles(model, "frames"), *c = model_doubles(local, "frames");
  assert_true(planes_apart(b, c, N, P, 2) < 1e-9);
  assert_null(lavdm_get(local, "smooth_points"));
  lavdm_free(model), lavdm_free(local);
  free(x), free(smooth), free(expected), free(b), free(c);
}

/* ------------------------------------------------------------------- engines */

static void check_engines(const lavdm_data *data, lavdm_options o) {
  o.engine = LAVDM_ENGINE_CPU;
  lavdm_model *a = fit_or_fail(data, &o);
  o.engine = LAVDM_ENGINE_REFERENCE;
  lavdm_model *b = fit_or_fail(data, &o);
  static const char *const names[] = {"smooth_points", "smooth_values", "smooth_landmarks", "smooth_kernel"};
  for (int i = 0; i < 4; i++) {
    const lavdm_array *u = lavdm_get(a, names[i]), *v = lavdm_get(b, names[i]);
    double largest = 0;
    int64_t count = u->shape[0] * (u->rank > 1 ? u->shape[1] : 1);
    for (int64_t e = 0; e < count; e++) largest = fmax(largest, fabs(((const double *)u->data)[e]));
    assert_true(apart(u->data, v->data, count) < 1e-10 * largest);
  }
  assert_true(planes_apart(lavdm_get(a, "frames")->data, lavdm_get(b, "frames")->data, N, P, 2) < 1e-8);
  const lavdm_info_t *x = lavdm_info(a), *y = lavdm_info(b);
  assert_int_equal(x->chosen->frame_knn, y->chosen->frame_knn);
  assert_true(apart(x->eigenvalues, y->eigenvalues, o.components) < 1e-10);
  lavdm_free(a), lavdm_free(b);
}

static void test_engines(void **state) {
  (void)state;
  double *x = noisy_sphere(N, P, 0.05, 2, NULL), *z = noisy_sphere(50, P, 0, 3, NULL);
  int64_t index[50]; /* which designs choose is up to the engine */
  for (int64_t k = 0; k < 50; k++) index[k] = 8 * k;
  lavdm_data data = {.points = x, .n = N, .p = P, .landmark_index = index, .landmark_count = 50};
  lavdm_options o = defaults();
  o.landmarks = LAVDM_AUTO;
  check_engines(&data, o);
  o.frame_knn = LAVDM_AUTO;
  check_engines(&data, o);
  lavdm_data plain = {.points = x, .n = N, .p = P};
  o.method = LAVDM_METHOD_VDM;
  check_engines(&plain, o);
  o = defaults();
  o.landmarks = LAVDM_AUTO, data.landmark_index = NULL, data.landmark_points = z,
  data.landmark_count = 50; /* which are no points */
  check_engines(&data, o);
  free(x), free(z);
}

/* ---------------------------------------------------------------- new points */

static lavdm_model *extended(const lavdm_model *model, const lavdm_data *data, const lavdm_data *reference) {
  lavdm_model *out;
  lavdm_error error;
  if (lavdm_extend(model, data, reference, NULL, &out, &error) < 0) fail_msg("%s", error.message);
  return out;
}

static void same(const lavdm_model *a, const lavdm_model *b, int64_t n, int64_t r, double tolerance) {
  double *f = model_doubles(a, "frames"), *g = model_doubles(b, "frames");
  double *u = model_doubles(a, "eigenvectors"), *v = model_doubles(b, "eigenvectors"), most = 0;
  for (int64_t i = 0; i < n * 2 * r; i++) most = fmax(most, fabs(u[i]));
  assert_true(apart(f, g, n * P * 2) < tolerance);
  assert_true(apart(u, v, n * 2 * r) < tolerance * most);
  free(f), free(g), free(u), free(v);
}

/* Points of the fit come back as they were, from a file as well, and from one without the points. */
static void test_itself(void **state) {
  (void)state;
  double *x = noisy_sphere(N, P, 0.05, 4, NULL);
  lavdm_data data = {.points = x, .n = N, .p = P};
  for (int single = 0; single <= 1; single++)
    for (lavdm_method method = LAVDM_METHOD_VDM; method <= LAVDM_METHOD_LAVDM; method += 2) {
      lavdm_options o = defaults();
      o.method = method;
      o.precision = single ? LAVDM_PRECISION_SINGLE : LAVDM_PRECISION_DOUBLE;
      if (method == LAVDM_METHOD_VDM) o.landmarks = LAVDM_AUTO;
      double tolerance = single ? 2e-4 : 1e-9;
      lavdm_model *model = fit_or_fail(&data, &o), *again = extended(model, &data, NULL);
      same(model, again, N, o.components, tolerance);
      lavdm_free(again), lavdm_free(model);
    }
  free(x);
}

/* A new point near the sphere has about the plane that belongs there. */
static void test_new(void **state) {
  (void)state;
  enum { NEW_POINTS = 100 };
  double truth[NEW_POINTS * P * 2] = {0};
  double *x = noisy_sphere(2000, P, 0.05, 5, NULL), *y = noisy_sphere(NEW_POINTS, P, 0, 6, truth);
  lavdm_data data = {.points = x, .n = 2000, .p = P}, other = {.points = y, .n = NEW_POINTS, .p = P};
  lavdm_options o = defaults();
  lavdm_model *model = fit_or_fail(&data, &o), *there = extended(model, &other, NULL);
  double *b = model_doubles(there, "frames");
  assert_true(planes_turned(b, truth, NEW_POINTS, P, 2) < 0.1);
  lavdm_free(model), lavdm_free(there);
  free(x), free(y), free(b);
}

/* ------------------------------------------------------------------ decisions */

static int read_rows(void *user, int64_t first, int64_t count, void *rows) {
  memcpy(rows, (const double *)user + first * P, (size_t)(count * P) * sizeof(double));
  return 0;
}

static void refused(const lavdm_data *data, const lavdm_options *o, const char *why) {
  lavdm_model *model;
  lavdm_error error;
  assert_int_equal(lavdm_fit(data, o, &model, &error), LAVDM_ERROR_ARGUMENT);
  assert_null(model);
  assert_non_null(strstr(error.message, "frames=lowpass"));
  assert_non_null(strstr(error.message, why));
}

static void test_refused(void **state) {
  (void)state;
  double *x = noisy_sphere(N, P, 0.05, 7, NULL);
  lavdm_data data = {.points = x, .n = N, .p = P};
  lavdm_options o = defaults();
  o.stream = LAVDM_STREAM_YES;
  refused(&data, &o, "streamed");
  o.stream = LAVDM_STREAM_AUTO, data.points = NULL, data.read = read_rows, data.read_user = x;
  refused(&data, &o, "streamed");
  o.frames = LAVDM_FRAMES_AUTO;
  lavdm_model *model = fit_or_fail(&data, &o);
  assert_int_equal(lavdm_info(model)->chosen->frames, LAVDM_FRAMES_LOCAL);
  lavdm_free(model);
  data = (lavdm_data){.points = x, .n = 39, .p = P};
  o = defaults(), o.landmarks = 20, o.frame_knn = 12;
  refused(&data, &o, "fewer");
  free(x);
}

/* The planes of a fit of the sphere in R^20, from frame_knn neighbours or as many as are chosen. */
static double turned(double noise, int64_t frame_knn, lavdm_frame_rule frames, lavdm_frame_rule *chosen) {
  enum { POINTS = 2000, SPACE = 20 };
  double *truth = numbers(POINTS * SPACE * 2), *x = noisy_sphere(POINTS, SPACE, noise, 8, truth);
  lavdm_data data = {.points = x, .n = POINTS, .p = SPACE};
  lavdm_options o = defaults();
  o.frames = frames, o.frame_knn = frame_knn;
  lavdm_model *model = fit_or_fail(&data, &o);
  double *b = model_doubles(model, "frames"), sine = planes_turned(b, truth, POINTS, SPACE, 2);
  *chosen = lavdm_info(model)->chosen->frames;
  lavdm_free(model);
  free(truth), free(x), free(b);
  return sine;
}

/* Thirty neighbours are enough without noise and not with it. */
static void test_auto(void **state) {
  (void)state;
  lavdm_frame_rule clean, noisy, other;
  double without = turned(0, 30, LAVDM_FRAMES_AUTO, &clean),
         with = turned(0.1, 30, LAVDM_FRAMES_AUTO, &noisy),
         local = turned(0.1, 30, LAVDM_FRAMES_LOCAL, &other),
         free_k = turned(0.1, LAVDM_AUTO, LAVDM_FRAMES_LOCAL, &other);
  print_message("sine %.3f without noise; noise .1: local %.3f, auto %.3f, local of chosen neighbours %.3f\n",
                without, local, with, free_k);
  assert_int_equal(clean, LAVDM_FRAMES_LOCAL);
  assert_int_equal(noisy, LAVDM_FRAMES_LOWPASS);
  assert_int_equal(other, LAVDM_FRAMES_LOCAL);
  assert_true(without < 0.05 && with < local / 3 && free_k < local / 3);
}

/* A saddle (u, v, u^2 - v^2) in R^6 with noise: too few neighbours follow the noise, too many blur the shape.
 */
static double saddle(int64_t frame_knn, int64_t *chosen) {
  enum { POINTS = 1500, SPACE = 6 };
  double *x = numbers(POINTS * SPACE), *truth = numbers(POINTS * SPACE * 2);
  lavdm_random random;
  lavdm_random_start(&random, 9, 1);
  fill_normal(x, POINTS * SPACE, 10);
  for (int64_t i = 0; i < POINTS; i++) {
    double u = 2 * lavdm_random_uniform(&random) - 1, v = 2 * lavdm_random_uniform(&random) - 1;
    double a = sqrt(1 + 4 * u * u), dot = -4 * u * v / a, w[3] = {-dot / a, 1, -2 * v - dot * 2 * u / a};
    double size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), *b = truth + i * SPACE * 2;
    for (int64_t j = 0; j < SPACE; j++) x[i * SPACE + j] *= 0.05;
    x[i * SPACE] += u, x[i * SPACE + 1] += v, x[i * SPACE + 2] += u * u - v * v;
    b[0] = 1 / a, b[4] = 2 * u / a;
    for (int j = 0; j < 3; j++) b[2 * j + 1] = w[j] / size;
  }
  lavdm_data data = {.points = x, .n = POINTS, .p = SPACE};
  lavdm_options o = defaults();
  o.frames = LAVDM_FRAMES_LOCAL, o.frame_knn = frame_knn;
  lavdm_model *model = fit_or_fail(&data, &o);
  double *b = model_doubles(model, "frames"), sine = planes_turned(b, truth, POINTS, SPACE, 2);
  *chosen = lavdm_info(model)->chosen->frame_knn;
  lavdm_free(model);
  free(x), free(truth), free(b);
  return sine;
}

static void test_neighbours(void **state) {
  (void)state;
  const int64_t ks[] = {12, 25, 50, 100, 200, 400};
  double best = INFINITY, worst = 0;
  int64_t k;
  for (int i = 0; i < 6; i++) {
    double sine = saddle(ks[i], &k);
    best = fmin(best, sine), worst = fmax(worst, sine);
  }
  double sine = saddle(LAVDM_AUTO, &k);
  print_message("sine %.3f of %d chosen neighbours, from %.3f to %.3f of others\n", sine, (int)k, best,
                worst);
  assert_true(sine < 1.15 * best && worst > 2 * best);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_formula),    cmocka_unit_test(test_engines), cmocka_unit_test(test_itself),
      cmocka_unit_test(test_new),        cmocka_unit_test(test_refused), cmocka_unit_test(test_auto),
      cmocka_unit_test(test_neighbours),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
