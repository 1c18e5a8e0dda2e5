/*
 * What is made of eigenpairs: embeddings, distances, coordinates and ambient
 * vectors against their formulas, entry by entry; truncation; and what cannot
 * be asked for.
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

enum { N = 60, R = 7, RING = 14 };

static const double times[] = {0, 0.5, 1, 3.7};

/* N points of a torus in R^3. */
static const double *torus(void) {
  static double x[N * 3];
  assert_int_equal(lavdm_sample("torus", N, 0, NULL, 0, 4, x, NULL, NULL, NULL), 0);
  return x;
}

static lavdm_model *torus_model(lavdm_method method, lavdm_bundle bundle) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method, o.bundle = bundle;
  o.components = R;
  o.threads = 1;
  if (bundle == LAVDM_BUNDLE_TANGENT) o.dim = 2;
  lavdm_data data = {.points = torus(), .n = N, .p = 3};
  return fit_or_fail(&data, &o);
}

/* A ring whose eigenvalues cos(2 pi k / RING) come in pairs below the first; half of them are negative. */
static lavdm_model *ring_model(int64_t q, int64_t components) {
  static int64_t row[RING], col[RING];
  static double element[RING * 9];
  for (int64_t i = 0; i < RING; i++) {
    row[i] = i, col[i] = (i + 1) % RING;
    for (int64_t j = 0; j < q * q; j++) element[i * q * q + j] = j % (q + 1) == 0;
  }
  lavdm_edges edges = {.count = RING,
                       .row = row,
                       .col = col,
                       .weight = NULL,
                       .element = element,
                       .kind = LAVDM_ELEMENT_MATRIX,
                       .q = q};
  lavdm_data data = {.edges = &edges};
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = LAVDM_METHOD_VDM;
  o.components = components;
  o.threads = 1;
  return fit_or_fail(&data, &o);
}

static double damping(const lavdm_model *model, int64_t l, double t) {
  return pow(fmax(lavdm_info(model)->eigenvalues[l], 0), t);
}

/* <u_l[i], u_s[i]> */
static double inner(const double *u, int64_t q, int64_t r, int64_t i, int64_t l, int64_t s) {
  double sum = 0;
  for (int64_t c = 0; c < q; c++) sum += u[(i * q + c) * r + l] * u[(i * q + c) * r + s];
  return sum;
}

/* The vector diffusion distance over all pairs (l,s), from fields u (n,q,r). */
static double direct_distance(const lavdm_model *model, const double *u, int64_t i, int64_t j, double t,
                              int64_t rank) {
  int64_t q = lavdm_info(model)->q, r = lavdm_info(model)->chosen->components;
  double sum = 0;
  for (int64_t l = 0; l < rank; l++)
    for (int64_t s = 0; s < rank; s++) {
      double a = damping(model, l, t) * damping(model, s, t);
      sum += pow(a * (inner(u, q, r, i, l, s) - inner(u, q, r, j, l, s)), 2);
    }
  return sqrt(sum);
}

static void check_embedding(const lavdm_model *model, double t, int64_t rank) {
  const lavdm_info_t *info = lavdm_info(model);
  const double *u = lavdm_get(model, "eigenvectors")->data;
  int64_t n = info->n, q = info->q, r = info->chosen->components, width = rank * (rank + 1) / 2;
  double *e = numbers(n * width + 1), scale = 0;
  e[n * width] = 12345;
  assert_int_equal(lavdm_embedding(model, t, rank, e, NULL), 0);
  assert_true(e[n * width] == 12345);
  for (int64_t i = 0; i < n; i++)
    for (int64_t l = 0, at = 0; l < rank; l++)
      for (int64_t s = l; s < rank; s++, at++) {
        double expected = damping(model, l, t) * damping(model, s, t) * inner(u, q, r, i, l, s);
        if (l < s) expected *= sqrt(2);
        scale = fmax(scale, fabs(expected));
        assert_true(fabs(e[i * width + at] - expected) <= 1e-13 * scale);
      }
  assert_true(scale > 0);
  for (int64_t i = 0; i < n; i += 5)
    for (int64_t j = 0; j < n; j++) {
      double sum = 0, distance = model_distance(model, i, j, t, rank);
      for (int64_t c = 0; c < width; c++) sum += pow(e[i * width + c] - e[j * width + c], 2);
      assert_true(fabs(sqrt(sum) - distance) <= 1e-13 * scale);
      assert_true(fabs(direct_distance(model, u, i, j, t, rank) - distance) <= 1e-13 * scale);
      assert_true(distance == model_distance(model, j, i, t, rank));
      if (i == j) assert_true(distance == 0);
    }
  free(e);
}

static void test_embedding(void **state) {
  (void)state;
  lavdm_model *models[] = {torus_model(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT),
                           torus_model(LAVDM_METHOD_VDM, LAVDM_BUNDLE_TANGENT),
                           torus_model(LAVDM_METHOD_DM, LAVDM_BUNDLE_TRIVIAL),
                           torus_model(LAVDM_METHOD_ROSELAND, LAVDM_BUNDLE_TRIVIAL),
                           torus_model(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_ORIENTATION),
                           ring_model(3, 30)};
  for (int m = 0; m < 6; m++) {
    for (int t = 0; t < 4; t++)
      for (int64_t rank = 1; rank <= lavdm_info(models[m])->chosen->components; rank += 2)
        check_embedding(models[m], times[t], rank);
    lavdm_free(models[m]);
  }
}

/* With every component kept, <row i, row j> = (M^2t [i,j] / d_j)^2 for the diffusion M = D^-1 W. */
static void test_powers(void **state) {
  (void)state;
  const double *x = torus();
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = LAVDM_METHOD_DM;
  o.edges = LAVDM_EDGES_COMPLETE;
  o.alpha = 0, o.epsilon = 2, o.components = N, o.threads = 1;
  lavdm_data data = {.points = x, .n = N, .p = 3};
  lavdm_model *model = fit_or_fail(&data, &o);
  int64_t width = N * (N + 1) / 2;
  double *w = numbers(N * N), *m = numbers(N * N), *d = numbers(N), *e = numbers(N * width);
  for (int64_t i = 0; i < N * N; i++) {
    double d2 = 0;
    for (int64_t j = 0; j < 3; j++) d2 += pow(x[i / N * 3 + j] - x[i % N * 3 + j], 2);
    w[i] = exp(-d2 / 2);
    d[i / N] += w[i];
  }
  for (int64_t i = 0; i < N; i++)
    for (int64_t j = 0; j < N; j++)
      for (int64_t k = 0; k < N; k++) m[i * N + j] += w[i * N + k] / d[i] * w[k * N + j] / d[k];
  assert_int_equal(lavdm_embedding(model, 1, N, e, NULL), 0);
  for (int64_t i = 0; i < N; i++)
    for (int64_t j = 0; j < N; j++) {
      double dot = 0;
      for (int64_t c = 0; c < width; c++) dot += e[i * width + c] * e[j * width + c];
      assert_true(fabs(dot - pow(m[i * N + j] / d[j], 2)) < 1e-12);
    }
  free(w), free(m), free(d), free(e);
  lavdm_free(model);
}

static void test_truncation(void **state) {
  (void)state;
  lavdm_model *models[] = {torus_model(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT), ring_model(2, 2 * RING)};
  const double deltas[] = {0, 1e-12, 1e-3, 0.1, 0.5, 0.9, 0.999};
  for (int m = 0; m < 2; m++) {
    const double *lambda = lavdm_info(models[m])->eigenvalues;
    int64_t r = lavdm_info(models[m])->chosen->components, fewest = r;
    for (int t = 0; t < 4; t++)
      for (int d = 0; d < 7; d++) {
        int64_t expected = 0, rank = lavdm_embedding_rank(models[m], times[t], deltas[d]);
        for (int64_t l = 0; l < r; l++)
          expected += pow(fmax(lambda[l], 0) / lambda[0], 2 * times[t]) > deltas[d];
        assert_int_equal(rank, d ? expected : r);
        if (times[t] == 0) assert_int_equal(rank, r);
        if (rank < fewest) fewest = rank;
      }
    assert_true(fewest < r);
    assert_int_equal(lavdm_embedding_rank(models[m], 1, 1), 1); /* something is always kept */
    lavdm_free(models[m]);
  }
}

static void test_coordinates(void **state) {
  (void)state;
  lavdm_model *plain = torus_model(LAVDM_METHOD_DM, LAVDM_BUNDLE_TRIVIAL), *signs = ring_model(1, RING);
  lavdm_model *models[] = {plain, signs}, *fields = torus_model(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT);
  lavdm_error error;
  for (int m = 0; m < 2; m++) {
    int64_t n = lavdm_info(models[m])->n, r = lavdm_info(models[m])->chosen->components;
    const double *u = lavdm_get(models[m], "eigenvectors")->data;
    double *c = numbers(n * r);
    for (int t = 0; t < 4; t++)
      for (int64_t rank = 1; rank <= r; rank += 3) {
        assert_int_equal(lavdm_coordinates(models[m], times[t], rank, c, &error), 0);
        for (int64_t i = 0; i < n * rank; i++)
          assert_true(fabs(c[i] - damping(models[m], i % rank, times[t]) * u[i / rank * r + i % rank]) <
                      1e-15);
      }
    assert_int_equal(lavdm_coordinates(models[m], 1, r + 1, c, &error), LAVDM_ERROR_ARGUMENT);
    assert_int_equal(lavdm_coordinates(models[m], -1, r, c, &error), LAVDM_ERROR_ARGUMENT);
    free(c);
  }
  double out[N * R];
  assert_int_equal(lavdm_coordinates(fields, 1, 2, out, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(error.status, LAVDM_ERROR_ARGUMENT);
  lavdm_free(plain), lavdm_free(signs), lavdm_free(fields);
}

static void test_ambient(void **state) {
  (void)state;
  const lavdm_method methods[] = {LAVDM_METHOD_LAVDM, LAVDM_METHOD_VDM};
  static double out[N * 3 * R];
  for (int m = 0; m < 2; m++) {
    lavdm_model *model = torus_model(methods[m], LAVDM_BUNDLE_TANGENT);
    const double *u = lavdm_get(model, "eigenvectors")->data, *b = lavdm_get(model, "frames")->data;
    assert_int_equal(lavdm_ambient(model, out, NULL), 0);
    for (int64_t i = 0; i < N; i++)
      for (int64_t l = 0; l < R; l++) {
        double length = 0;
        for (int64_t j = 0; j < 3; j++) {
          double sum =
              b[(i * 3 + j) * 2] * u[i * 2 * R + l] + b[(i * 3 + j) * 2 + 1] * u[(i * 2 + 1) * R + l];
          assert_true(fabs(out[(i * 3 + j) * R + l] - sum) < 1e-15);
          length += sum * sum;
        }
        assert_true(fabs(length - inner(u, 2, R, i, l, l)) < 1e-14); /* frames keep lengths */
      }
    lavdm_free(model);
  }
  lavdm_model *others[] = {torus_model(LAVDM_METHOD_DM, LAVDM_BUNDLE_TRIVIAL), ring_model(2, 3),
                           torus_model(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_ORIENTATION)};
  for (int m = 0; m < 3; m++) {
    lavdm_error error;
    assert_int_equal(lavdm_ambient(others[m], out, &error), LAVDM_ERROR_ARGUMENT);
    assert_true(strlen(error.message) > 0);
    lavdm_free(others[m]);
  }
}

/* Signs, a rotation within an eigenspace and a change of frame at each point leave distances alone. */
static void test_arbitrary_choices(void **state) {
  (void)state;
  int64_t q = 2, r = 10; /* 1 (2), cos(2 pi/RING) (4), cos(4 pi/RING) (4) */
  lavdm_model *model = ring_model(q, r);
  const double *u = lavdm_get(model, "eigenvectors")->data;
  double *v = numbers(RING * q * r);
  for (int64_t i = 0; i < RING; i++) {
    double f = cos(0.7 * (double)i), g = sin(0.7 * (double)i), c = cos(1.1), s = sin(1.1);
    for (int64_t l = 0; l < r; l++) {
      double x = u[i * q * r + l], y = u[(i * q + 1) * r + l];
      v[i * q * r + l] = f * x - g * y, v[(i * q + 1) * r + l] = g * x + f * y;
    }
    for (int64_t a = 0; a < q; a++) {
      double *row = v + (i * q + a) * r, old = row[3];
      row[3] = c * old - s * row[5], row[5] = s * old + c * row[5];
      row[0] = -row[0], row[8] = -row[8];
    }
  }
  const int64_t whole[] = {2, 6, 10};
  for (int k = 0; k < 3; k++)
    for (int64_t j = 0; j < RING; j++)
      assert_true(fabs(direct_distance(model, v, 1, j, 1.5, whole[k]) -
                       model_distance(model, 1, j, 1.5, whole[k])) < 1e-11);
  free(v);
  lavdm_free(model);
}

static void test_refused(void **state) {
  (void)state;
  lavdm_model *model = torus_model(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT);
  double out[N];
  lavdm_error error;
  const struct {
    double t;
    int64_t rank;
  } bad[] = {{1, 0}, {1, -1}, {1, R + 1}, {1, INT64_MAX}, {-0.5, 1}, {NAN, 1}, {INFINITY, 1}, {-INFINITY, 1}};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    memset(&error, 0, sizeof error);
    assert_int_equal(lavdm_embedding(model, bad[k].t, bad[k].rank, out, &error), LAVDM_ERROR_ARGUMENT);
    assert_int_equal(error.status, LAVDM_ERROR_ARGUMENT);
    assert_true(strlen(error.message) > 0);
    assert_int_equal(lavdm_embedding(model, bad[k].t, bad[k].rank, out, NULL), LAVDM_ERROR_ARGUMENT);
    assert_true(isnan(model_distance(model, 0, 1, bad[k].t, bad[k].rank)));
  }
  const int64_t no_point[] = {-1, N, INT64_MIN, INT64_MAX};
  for (int k = 0; k < 4; k++) {
    assert_true(isnan(model_distance(model, no_point[k], 0, 1, 1)));
    assert_true(isnan(model_distance(model, 0, no_point[k], 1, 1)));
  }
  assert_true(!isnan(model_distance(model, N - 1, 0, 0, R)));
  assert_null(lavdm_get(model, "no such array"));
  assert_null(lavdm_get(model, NULL));
  assert_null(lavdm_array_at(model, -1));
  assert_null(lavdm_array_at(model, lavdm_array_count(model)));
  for (int i = 0; i < lavdm_array_count(model); i++)
    assert_ptr_equal(lavdm_get(model, lavdm_array_at(model, i)->name), lavdm_array_at(model, i));
  lavdm_free(model);
  lavdm_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_embedding),  cmocka_unit_test(test_powers),
      cmocka_unit_test(test_truncation), cmocka_unit_test(test_coordinates),
      cmocka_unit_test(test_ambient),    cmocka_unit_test(test_arbitrary_choices),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
