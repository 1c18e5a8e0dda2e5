/*
 * Neighbours by vector diffusion distance against all pairs, one by one; the
 * elements that align them against their definition, and, on the sphere,
 * against parallel transport along the great circle.
 */
#include "oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static lavdm_model *sphere_model(int64_t n, lavdm_method method, lavdm_bundle bundle,
                                 lavdm_precision precision, int threads, double *x) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method, o.bundle = bundle, o.precision = precision, o.threads = threads;
  o.components = n < 100 ? 8 : 16;
  if (bundle == LAVDM_BUNDLE_TANGENT || bundle == LAVDM_BUNDLE_ORIENTATION) o.dim = 2;
  assert_int_equal(lavdm_sample("sphere", n, 2, NULL, 0, 9, x, NULL, NULL, NULL), 0);
  lavdm_data data = {.points = x, .n = n, .p = 3};
  return fit_or_fail(&data, &o);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double entry(const lavdm_array *u, int64_t at) {
  return u->type == LAVDM_F32 ? (double)((const float *)u->data)[at] : ((const double *)u->data)[at];
}

/* The distances found are the smallest there are, and belong to their indices. */
static void check_point(const lavdm_model *model, double t, int64_t rank, int64_t i, int64_t k,
                        const int64_t *index, const double *distance) {
  int64_t n = lavdm_info(model)->n, at = 0;
  double *all = numbers(n);
  for (int64_t j = 0; j < n; j++)
    if (j != i) all[at++] = model_distance(model, i, j, t, rank);
  qsort(all, (size_t)at, sizeof *all, ascending);
  const lavdm_array *u = lavdm_get(model, "eigenvectors");
  int64_t width = lavdm_info(model)->q * lavdm_info(model)->chosen->components;
  double size = 0; /* of the point in the embedding, at most: where all are alike, distances are rounding */
  for (int64_t j = 0; j < width; j++) size += pow(entry(u, i * width + j), 2);
  double close = 1e-12 * all[at - 1] + 1e-14 * size;
  for (int64_t j = 0; j < k; j++) {
    assert_true(index[j] >= 0 && index[j] < n && index[j] != i);
    for (int64_t l = 0; l < j; l++) assert_int_not_equal(index[j], index[l]);
    assert_true(fabs(distance[j] - all[j]) <= close);
    assert_true(fabs(distance[j] - model_distance(model, i, index[j], t, rank)) <= close);
  }
  free(all);
}

/* O is orthogonal and O'S symmetric with eigenvalues >= 0: then it is S's polar factor. */
static void check_alignment(const lavdm_model *model, double t, int64_t rank, int64_t i, int64_t j,
                            const double *o) {
  const lavdm_array *u = lavdm_get(model, "eigenvectors");
  int64_t q = lavdm_info(model)->q, r = lavdm_info(model)->chosen->components;
  double s[4] = {0}, h[4] = {0}, size = 0;
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = 0; b < q; b++) {
      for (int64_t l = 0; l < rank; l++)
        s[a * q + b] += pow(fmax(lavdm_info(model)->eigenvalues[l], 0), 2 * t) *
                        entry(u, (i * q + a) * r + l) * entry(u, (j * q + b) * r + l);
      size = fmax(size, fabs(s[a * q + b]));
    }
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = 0; b < q; b++) {
      double dot = 0;
      for (int64_t c = 0; c < q; c++)
        dot += o[c * q + a] * o[c * q + b], h[a * q + b] += o[c * q + a] * s[c * q + b];
      assert_true(fabs(dot - (a == b)) < 1e-12);
    }
  if (q == 1) {
    assert_true(h[0] >= 0);
    return;
  }
  assert_true(fabs(h[1] - h[2]) < 1e-12 * size);
  assert_true(h[0] + h[3] >= -1e-12 * size && h[0] * h[3] - h[1] * h[2] >= -1e-12 * size * size);
}

static void test_all_pairs(void **state) {
  (void)state;
  enum { POINTS = 260, K = 9 };
  static double x[POINTS * 3], distance[POINTS * K], alignment[POINTS * K * 4];
  static int64_t index[POINTS * K];
  const struct {
    lavdm_method method;
    lavdm_bundle bundle;
  } kinds[] = {{LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT},
               {LAVDM_METHOD_VDM, LAVDM_BUNDLE_TANGENT},
               {LAVDM_METHOD_ROSELAND, LAVDM_BUNDLE_TRIVIAL},
               {LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_ORIENTATION}};
  for (size_t kind = 0; kind < 4; kind++)
    for (int precision = 0; precision < 2; precision++)
      for (double t = 0; t <= 2; t += 2)
        for (int64_t rank = 1; rank <= 16; rank += 5) {
          lavdm_model *model =
              sphere_model(POINTS, kinds[kind].method, kinds[kind].bundle, (lavdm_precision)precision, 2, x);
          int64_t q = lavdm_info(model)->q;
          assert_int_equal(lavdm_neighbours(model, t, rank, NULL, 0, K, index, distance, alignment, NULL), 0);
          for (int64_t i = 0; i < POINTS; i += 7) {
            check_point(model, t, rank, i, K, index + i * K, distance + i * K);
            for (int64_t j = 0; j < K; j++)
              check_alignment(model, t, rank, i, index[i * K + j], alignment + (i * K + j) * q * q);
          }
          /* some points, repeated and in any order, are told the same */
          const int64_t some[] = {200, 3, 3, 77};
          int64_t found[4 * K];
          double apart[4 * K];
          assert_int_equal(lavdm_neighbours(model, t, rank, some, 4, K, found, apart, NULL, NULL), 0);
          for (int64_t i = 0; i < 4; i++) {
            assert_memory_equal(found + i * K, index + some[i] * K, sizeof(int64_t[K]));
            assert_memory_equal(apart + i * K, distance + some[i] * K, sizeof(double[K]));
          }
          lavdm_free(model);
        }
}

/* Parallel transport of w from y to x on the unit sphere. */
static void transport(const double *x, const double *y, const double *w, double *out) {
  double cosine = 0, along = 0;
  for (int a = 0; a < 3; a++) cosine += x[a] * y[a], along += x[a] * w[a];
  for (int a = 0; a < 3; a++) out[a] = w[a] - along / (1 + cosine) * (x[a] + y[a]);
}

/* On S2 the heat kernel of fields is a multiple of parallel transport, by symmetry. */
static void test_transport(void **state) {
  (void)state;
  enum { POINTS = 3000, K = 6 };
  static double x[POINTS * 3], distance[POINTS * K], alignment[POINTS * K * 4], error[POINTS * K];
  static int64_t index[POINTS * K];
  lavdm_model *model =
      sphere_model(POINTS, LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT, LAVDM_PRECISION_DOUBLE, 2, x);
  const double *b = lavdm_get(model, "frames")->data;
  assert_int_equal(lavdm_neighbours(model, 1, 16, NULL, 0, K, index, distance, alignment, NULL), 0);
  for (int64_t e = 0; e < POINTS * K; e++) {
    int64_t i = e / K, j = index[e];
    double worst = 0;
    for (int c = 0; c < 2; c++) { /* the c-th vector of the frame at j, as seen from i both ways */
      double w[3], truth[3], found[3] = {0}, gap = 0;
      for (int a = 0; a < 3; a++) w[a] = b[(j * 3 + a) * 2 + c];
      transport(x + i * 3, x + j * 3, w, truth);
      for (int a = 0; a < 3; a++)
        for (int d = 0; d < 2; d++) found[a] += b[(i * 3 + a) * 2 + d] * alignment[e * 4 + d * 2 + c];
      for (int a = 0; a < 3; a++) gap += (truth[a] - found[a]) * (truth[a] - found[a]);
      worst = fmax(worst, sqrt(gap));
    }
    error[e] = worst;
  }
  qsort(error, POINTS * K, sizeof *error, ascending);
  assert_true(error[POINTS * K / 2] < 0.05);
  assert_true(error[POINTS * K * 99 / 100] < 0.2);
  lavdm_free(model);
}

static void test_refused(void **state) {
  (void)state;
  static double x[50 * 3], distance[50];
  int64_t index[50], bad[] = {4, 50};
  lavdm_model *model =
      sphere_model(50, LAVDM_METHOD_ROSELAND, LAVDM_BUNDLE_TRIVIAL, LAVDM_PRECISION_DOUBLE, 1, x);
  lavdm_error error;
  assert_int_equal(lavdm_neighbours(model, 1, 0, NULL, 0, 1, index, distance, NULL, &error),
                   LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "rank"));
  assert_int_equal(lavdm_neighbours(model, -1, 2, NULL, 0, 1, index, distance, NULL, &error),
                   LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_neighbours(model, 1, 2, NULL, 0, 50, index, distance, NULL, &error),
                   LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "from 1 to 49"));
  assert_int_equal(lavdm_neighbours(model, 1, 2, bad, 2, 1, index, distance, NULL, &error),
                   LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "row 50"));
  assert_int_equal(lavdm_neighbours(model, 1, 2, bad, 0, 1, index, distance, NULL, &error), 0);
  assert_int_equal(lavdm_neighbours(model, 1, 2, NULL, 0, 1, index, distance, NULL, NULL), 0);
  lavdm_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_pairs),
      cmocka_unit_test(test_transport),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
