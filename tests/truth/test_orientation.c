/*
 * Orientability of known manifolds, and the spectrum of the orientation bundle:
 * on RP2 2 (3) 12 (7), mean |v| sqrt(n) = .866; on the flat Klein bottle
 * 1 (3) 2 (2) 4 (1).
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

static double *draw(const char *shape, int64_t n, double noise, int64_t *p) {
  int64_t d;
  lavdm_error error;
  assert_int_equal(lavdm_shape_size(shape, 0, p, &d, &error), 0);
  double *x = numbers(n * *p);
  assert_int_equal(lavdm_sample(shape, n, 0, NULL, noise, 11, x, NULL, NULL, &error), 0);
  return x;
}

static void check_verdict(const char *shape, int64_t n, double noise, lavdm_method method,
                          lavdm_precision precision, int orientable) {
  int64_t p;
  double *x = draw(shape, n, noise, &p), *signs = numbers(n);
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method;
  o.precision = precision;
  o.dim = 2;
  lavdm_data data = {.points = x, .n = n, .p = p};
  lavdm_orientation verdict = {.size = sizeof verdict};
  lavdm_error error;
  assert_true(lavdm_orient(&data, &o, &verdict, signs, NULL, &error) >= 0);
  print_message("%-18s n %5d method %d: orientable %d, confidence %.4f, ratio %.4f, magnitude %.4f\n", shape,
                (int)n, method, verdict.orientable, verdict.confidence, verdict.ratio,
                verdict.mean_magnitude);
  assert_int_equal(verdict.orientable, orientable);
  assert_int_equal(verdict.verdict, orientable);
  assert_true(verdict.confidence > 0.95 && verdict.spread < 0.3 && verdict.frustrated < 0.03);
  assert_true(orientable ? verdict.odd < 0.2 : verdict.odd > 0.95);
  for (int64_t i = 0; i < n; i++) assert_true(fabs(signs[i]) == 1);
  free(x), free(signs);
}

static void check_shapes(lavdm_method method, lavdm_precision precision, int64_t n) {
  check_verdict("sphere", n, 0, method, precision, 1);
  check_verdict("torus", n, 0, method, precision, 1);
  check_verdict("flat-torus", n, 0, method, precision, 1);
  check_verdict("rp2", n, 0, method, precision, 0);
  check_verdict("flat-klein", n, 0, method, precision, 0);
  check_verdict("mobius", n, 0, method, precision, 0);
  if (n > 1000) check_verdict("klein", n, 0, method, precision, 0);
}

static void test_verdicts(void **state) {
  (void)state;
  const lavdm_precision precision = LAVDM_PRECISION_DOUBLE;
  for (int64_t n = 1000; n <= 2000; n *= 2) {
    check_shapes(LAVDM_METHOD_LAVDM, precision, n);
    check_shapes(LAVDM_METHOD_VDM, precision, n);
  }
  check_verdict("sphere", 2000, 0.02, LAVDM_METHOD_LAVDM, precision, 1);
  check_verdict("torus", 3000, 0.02, LAVDM_METHOD_LAVDM, precision, 1);
  check_verdict("mobius", 3000, 0.01, LAVDM_METHOD_LAVDM, precision, 0);
}

static void test_verdicts_single(void **state) {
  (void)state;
  check_shapes(LAVDM_METHOD_LAVDM, LAVDM_PRECISION_SINGLE, 1000);
  check_shapes(LAVDM_METHOD_LAVDM, LAVDM_PRECISION_SINGLE, 2000);
  check_shapes(LAVDM_METHOD_VDM, LAVDM_PRECISION_SINGLE, 2000);
}

/* The normals of the first points, which lie on the unit sphere around 0, turned by
 * the signs, all point out or all point in. */
static void check_normals(const lavdm_model *model, const double *x, const double *signs, int64_t n) {
  const double *b = lavdm_get(model, "frames")->data, *leading = lavdm_get(model, "leading")->data;
  const lavdm_array *basis = lavdm_get(model, "pca_basis");
  int64_t out = 0;
  for (int64_t i = 0; i < n; i++) {
    const double *f = b + 6 * i;
    double y[3] = {0};
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        y[k] += x[3 * i + j] * (basis ? ((const double *)basis->data)[3 * j + k] : j == k);
    double normal = y[0] * (f[2] * f[5] - f[4] * f[3]) + y[1] * (f[4] * f[1] - f[0] * f[5]) +
                    y[2] * (f[0] * f[3] - f[2] * f[1]);
    out += normal * signs[i] > 0;
    assert_true(fabs(leading[i] - signs[i]) < 1e-6);
  }
  assert_true(out == 0 || out == n);
}

/* Two pieces far apart: each is judged; one Moebius band decides. A third is too small,
 * and a point is alone. */
static void test_pieces(void **state) {
  (void)state;
  enum { HALF = 800, FEW = 12, ALL = 2 * HALF + FEW + 1 };
  int64_t p;
  double *a = draw("sphere", HALF, 0, &p), *b = draw("mobius", HALF, 0, &p), *x = numbers(ALL * 3);
  double *signs = numbers(ALL);
  for (int run = 0; run < 4; run++) {
    int pair = run % 2;
    memcpy(x, a, HALF * 3 * sizeof *x);
    memcpy(x + HALF * 3, pair ? b : a, HALF * 3 * sizeof *x);
    memcpy(x + 2 * HALF * 3, a, FEW * 3 * sizeof *x);
    for (int i = 0; i < HALF; i++) x[(HALF + i) * 3] += 20;
    for (int i = 2 * HALF; i < ALL - 1; i++)
      for (int k = 0; k < 3; k++) x[i * 3 + k] = 0.1 * x[i * 3 + k] + (k == 1 ? 20 : 0);
    for (int k = 0; k < 3; k++) x[(ALL - 1) * 3 + k] = -50;
    lavdm_options o;
    lavdm_options_default(&o);
    o.dim = 2;
    o.pca = run > 1 ? 3 : 0;
    lavdm_data data = {.points = x, .n = ALL, .p = 3};
    lavdm_orientation verdict = {.size = sizeof verdict};
    lavdm_model *model;
    assert_true(lavdm_orient(&data, &o, &verdict, signs, &model, NULL) >= 0);
    assert_int_equal(verdict.graph_components, 3);
    assert_int_equal(verdict.orientable, !pair);
    const int64_t *judged = lavdm_get(model, "component_orientable")->data;
    const int64_t *label = lavdm_get(model, "graph_component")->data;
    assert_int_equal(judged[label[0]], 1);
    assert_int_equal(judged[label[HALF]], !pair);
    assert_int_equal(judged[label[2 * HALF]], -1);
    assert_true(((double *)lavdm_get(model, "component_confidence")->data)[label[HALF]] > 0.9);
    check_normals(model, x, signs, HALF);
    for (int i = 0; i < ALL; i++) assert_int_equal(fabs(signs[i]), i < 2 * HALF);
    lavdm_free(model);
  }
  free(a), free(b), free(x), free(signs);
}

/* Two or ten points are no evidence. */
static void test_few(void **state) {
  (void)state;
  int64_t p;
  double *x = draw("sphere", 200, 0, &p), signs[200], before = 0.5;
  for (int64_t n = 2; n <= 200; n += n < 20 ? 9 : 60) {
    lavdm_options o;
    lavdm_options_default(&o);
    lavdm_data data = {.points = x, .n = n, .p = 3};
    lavdm_orientation verdict = {.size = sizeof verdict};
    assert_true(lavdm_orient(&data, &o, &verdict, signs, NULL, NULL) >= 0);
    print_message("%d points: orientable %d, confidence %.3f\n", (int)n, verdict.orientable,
                  verdict.confidence);
    assert_true(verdict.confidence >= 0.5 && (n > 20 || verdict.confidence < 0.7));
    assert_true(n > 20 || verdict.verdict == -1);
    assert_true(verdict.ratio >= 0 && !signbit(verdict.ratio));
    before = verdict.confidence;
  }
  assert_true(before > 0.95);
  free(x);
}

/* Noise as large as the neighbourhoods spoils the planes; a wrong verdict is then not sure of itself. Left to
 * itself, it looks at larger ones, and is right for longer. */
static void test_noise(void **state) {
  (void)state;
  const char *const shape[] = {"sphere", "torus", "mobius"};
  for (int run = 0; run < 18; run++) {
    bool left = run >= 9;
    run -= 9 * left;
    int64_t p, n = 2000;
    double noise[] = {0, 0.1, 0.2}, *x = draw(shape[run % 3], n, noise[run / 3], &p), *signs = numbers(n);
    lavdm_options o;
    lavdm_options_default(&o);
    o.dim = 2;
    if (!left) o.frame_knn = n / 200, o.frames = LAVDM_FRAMES_LOCAL; /* planes that noise turns */
    lavdm_data data = {.points = x, .n = n, .p = p};
    lavdm_orientation verdict = {.size = sizeof verdict};
    assert_true(lavdm_orient(&data, &o, &verdict, signs, NULL, NULL) >= 0);
    print_message(
        "%-8s noise %.2f, frame_knn %s: orientable %d, confidence %.3f, doubt %.3f, frustrated %.3f\n",
        shape[run % 3], noise[run / 3], left ? "auto" : "10", verdict.orientable, verdict.confidence,
        verdict.doubt, verdict.frustrated);
    bool right = verdict.orientable == (run % 3 < 2);
    assert_true(right || verdict.verdict == -1);
    assert_int_equal(verdict.verdict == -1, verdict.confidence < 0.8);
    assert_true(run >= 3 || (right && verdict.confidence > 0.95 && verdict.doubt < 0.01));
    assert_true(left || run < 6 ||
                (verdict.verdict == -1 && verdict.frustrated > 0.1 && verdict.doubt > 0.25));
    assert_true(!left || run >= 6 || (right && verdict.confidence > 0.9));
    free(x), free(signs);
    run += 9 * left;
  }
}

static void test_rp2_spectrum(void **state) {
  (void)state;
  enum { N = 3000 };
  int64_t p;
  double *x = draw("rp2", N, 0, &p), *signs = numbers(N);
  for (int run = 0; run < 4; run++) {
    int method = run % 2 ? LAVDM_METHOD_LAVDM : LAVDM_METHOD_VDM;
    lavdm_options o;
    lavdm_options_default(&o);
    o.method = (lavdm_method)method;
    o.precision = run < 2 ? LAVDM_PRECISION_DOUBLE : LAVDM_PRECISION_SINGLE;
    o.dim = 2, o.components = 10, o.edges = LAVDM_EDGES_BALL, o.cutoff = 3;
    o.epsilon = 0.04;
    if (method == LAVDM_METHOD_LAVDM) o.landmarks = 700;
    lavdm_data data = {.points = x, .n = N, .p = p};
    lavdm_orientation verdict = {.size = sizeof verdict};
    lavdm_model *model;
    assert_true(lavdm_orient(&data, &o, &verdict, signs, &model, NULL) >= 0);
    const double *lambda = lavdm_info(model)->eigenvalues;
    double first = 0, second = 0;
    for (int l = 0; l < 3; l++) first -= log(lambda[l]) / 3;
    for (int l = 3; l < 10; l++) second -= log(lambda[l]) / 7;
    print_message("rp2 method %d: ratio %.3f, mean magnitude %.4f\n", method, second / first,
                  verdict.mean_magnitude);
    assert_true(fabs(second / first / 6 - 1) < 0.08);
    assert_true(fabs(verdict.mean_magnitude - 0.866) < 0.02);
    lavdm_free(model);
  }
  free(x), free(signs);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_verdicts), cmocka_unit_test(test_verdicts_single),
                                     cmocka_unit_test(test_pieces),   cmocka_unit_test(test_few),
                                     cmocka_unit_test(test_noise),    cmocka_unit_test(test_rp2_spectrum)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
