/*
 * Which eigenvectors are coordinates: shapes whose answer is known, gaps, the regression itself,
 * and the arrays in files and extensions.
 */
#include "oracle.h"

#include "coordinates/coordinates.h"
#include "spectrum/rates.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const double TURN = 6.283185307179586;

/* ------------------------------------------------------------- regression */

/* A function of the columns, noise, and a function with some noise. */
static void test_residual(void **state) {
  (void)state;
  enum { N = 300 };
  double *a = numbers(N), *b = numbers(N), *y = numbers(N), *fit = numbers(N), r;
  fill_normal(a, N, 1), fill_normal(b, N, 2);
  const double *x[] = {a, b};
  run_t run = {.threads = 1};
  for (int64_t i = 0; i < N; i++) y[i] = 3 * a[i] - 2 * b[i] + 1;
  assert_int_equal(regression_residual(&run, x, 2, y, N, fit, &r), 0);
  assert_true(r < 1e-4); /* linear functions are met but for the ridge */
  for (int64_t i = 0; i < N; i++) y[i] = sin(a[i]) * cos(b[i]);
  regression_residual(&run, x, 2, y, N, fit, &r);
  assert_true(r < 0.3);
  double one = r;
  run.threads = 2;
  regression_residual(&run, x, 2, y, N, fit, &r);
  assert_true(r == one);
  fill_normal(y, N, 3);
  regression_residual(&run, x, 2, y, N, fit, &r);
  assert_true(r > 0.9);
  regression_residual(&run, x, 0, y, N, fit, &r);
  assert_true(r == 1);
  memset(a, 0, N * sizeof *a); /* a column that tells nothing */
  regression_residual(&run, x, 1, y, N, fit, &r);
  assert_true(r == 1);
  free(a), free(b), free(y), free(fit);
}

/* The formula as it reads, with another way to solve the equations: one column. */
static void test_residual_by_hand(void **state) {
  (void)state;
  enum { N = 20 }; /* fewer than the offsets of pairs: all pairs, each twice */
  double a[N], y[N], fit[N], d[N * (N - 1)], left = 0, all = 0, r;
  fill_normal(a, N, 5), fill_normal(y, N, 6);
  int64_t pairs = 0;
  for (int64_t i = 0; i < N; i++)
    for (int64_t j = 0; j < N; j++)
      if (i != j) d[pairs++] = (a[i] - a[j]) * (a[i] - a[j]);
  for (int64_t i = 0; i < pairs; i++)
    for (int64_t j = i + 1; j < pairs; j++)
      if (d[j] < d[i]) {
        double swap = d[i];
        d[i] = d[j], d[j] = swap;
      }
  double h2 = d[pairs / 2] / 9;
  for (int64_t i = 0; i < N; i++) {
    double s = 0, sx = 0, sxx = 0, sy = 0, sxy = 0;
    for (int64_t j = 0; j < N; j++) {
      double w = j == i ? 0 : exp(-(a[i] - a[j]) * (a[i] - a[j]) / h2);
      s += w, sx += w * a[j], sxx += w * a[j] * a[j], sy += w * y[j], sxy += w * a[j] * y[j];
    }
    double c = s + 1e-8 * s, e = sxx + 1e-8 * s, det = c * e - sx * sx;
    double by_hand = s > 1e-8 ? (e * sy - sx * sxy) / det + a[i] * (c * sxy - sx * sy) / det : 0;
    left += (y[i] - by_hand) * (y[i] - by_hand), all += y[i] * y[i];
  }
  const double *x[] = {a};
  run_t run = {.threads = 1};
  regression_residual(&run, x, 1, y, N, fit, &r);
  assert_true(fabs(r - sqrt(left / all)) < 1e-6 * r);
}

/* ------------------------------------------------------------------- gaps */

static void test_gaps(void **state) {
  (void)state;
  double values[8], factor;
  const double harmonics[8] = {0, 0.01, 0.04, 0.09, 0.16, 0.25, 0.36, 0.49};
  for (int l = 0; l < 8; l++) values[l] = exp(-harmonics[l]);
  assert_int_equal(leading_values(values, 8, 1, &factor), 0);
  assert_true(fabs(factor - 4) < 1e-9);
  const double clusters[8] = {0, 0.001, 0.0015, 0.05, 0.06, 0.07, 0.08, 0.09};
  for (int l = 0; l < 8; l++) values[l] = exp(-clusters[l]);
  assert_int_equal(leading_values(values, 8, 1, &factor), 3);
  assert_true(fabs(factor - 0.05 / 0.0015) < 1e-6);
  const double twice[8] = {0, 0.001, 0.01, 0.011, 0.09, 0.1, 0.11, 0.12}; /* the last gap counts */
  for (int l = 0; l < 8; l++) values[l] = exp(-twice[l]);
  assert_int_equal(leading_values(values, 8, 1, &factor), 4);
  values[5] = -0.1, values[6] = -0.2, values[7] = -0.3; /* no rates */
  assert_int_equal(leading_values(values, 8, 1, &factor), 4);
  assert_int_equal(leading_values(values, 1, 1, &factor), 0);

  int64_t first[9];
  const double groups[8] = {0, 0.1, 0.101, 0.2, 0.21, 0.22, 0.4, 0.45};
  for (int l = 0; l < 8; l++) values[l] = exp(-groups[l]);
  const int64_t expected[] = {0, 1, 3, 6, 8};
  assert_int_equal(rates_groups(values, 8, first), 4);
  assert_memory_equal(first, expected, sizeof expected);
}

/* ------------------------------------------------------------------ shapes */

typedef enum { STRIP, ROLL, CIRCLE, SPHERE, TORUS, TWO_STRIPS, OUTLIERS, ROLLS, CLUSTERS } shape_t;

static double *shape(shape_t which, int64_t n, uint64_t seed, int64_t *p) {
  lavdm_random random;
  lavdm_random_start(&random, seed, 9);
  *p = 4;
  double *x = numbers(n * *p);
  for (int64_t i = 0; i < n; i++) {
    double u = lavdm_random_uniform(&random), v = lavdm_random_uniform(&random), *at = x + i * 4;
    double s = 5 + 9 * u;
    switch (which) {
    case STRIP:
      at[0] = 3.5 * u, at[1] = v;
      break;
    case ROLL:
      at[0] = s * cos(s), at[1] = 20 * v, at[2] = s * sin(s);
      break;
    case CIRCLE:
      at[0] = cos(TURN * u), at[1] = sin(TURN * u);
      break;
    case SPHERE:
      at[2] = 2 * v - 1;
      at[0] = sqrt(1 - at[2] * at[2]) * cos(TURN * u), at[1] = sqrt(1 - at[2] * at[2]) * sin(TURN * u);
      break;
    case TORUS: /* flat, both circles the same: all four are one group */
      at[0] = cos(TURN * u), at[1] = sin(TURN * u), at[2] = cos(TURN * v), at[3] = sin(TURN * v);
      break;
    case TWO_STRIPS: /* far from each other: a graph of two components */
      at[0] = (i % 2 ? 4 : 3) * u, at[1] = v, at[2] = i % 2 ? 100 : 0;
      break;
    case OUTLIERS: /* a strip, and four points far from it and near each other */
      at[0] = 3.5 * u, at[1] = v, at[2] = i < 4 ? 100 : 0;
      if (i < 4) at[0] = 0.05 * u, at[1] = 0.05 * v;
      break;
    case ROLLS: /* three of them, of 3, 2 and 1 parts */
      at[0] = s * cos(s), at[1] = 20 * v, at[2] = s * sin(s), at[3] = i % 6 < 3 ? 0 : i % 6 < 5 ? 100 : 200;
      break;
    case CLUSTERS:
      for (int j = 0; j < 4; j++) at[j] = 0.5 * lavdm_random_normal(&random) + (j == i % 4 ? 3 : 0);
      break;
    }
  }
  return x;
}

static lavdm_model *fit(shape_t which, lavdm_method method, int64_t n, int64_t components) {
  int64_t p;
  double *x = shape(which, n, 3, &p);
  lavdm_data data = {.points = x, .n = n, .p = p};
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method, o.trust = LAVDM_TRUST_NO, o.components = components, o.threads = 2, o.pca = 0;
  if (method == LAVDM_METHOD_NYSTROM) o.bundle = LAVDM_BUNDLE_TRIVIAL;
  lavdm_model *model;
  lavdm_error error;
  if (lavdm_fit(&data, &o, &model, &error) < 0) fail_msg("%s", error.message);
  free(x);
  return model;
}

static void check(shape_t which, lavdm_method method, int64_t count, const int64_t *expected) {
  lavdm_model *model = fit(which, method, 1500, LAVDM_AUTO);
  const lavdm_array *list = lavdm_get(model, "coordinate_index");
  const double *residuals = lavdm_get(model, "coordinate_residuals")->data;
  assert_non_null(list);
  for (int64_t l = 0; l < list->shape[0] && list->shape[0] != count; l++)
    print_error("shape %d: %ld, %g\n", which, (long)((const int64_t *)list->data)[l],
                residuals[((const int64_t *)list->data)[l]]);
  assert_int_equal(list->shape[0], count);
  for (int64_t l = 0; expected && l < count; l++)
    assert_int_equal(((const int64_t *)list->data)[l], expected[l]);
  lavdm_free(model);
}

static void test_shapes(void **state) {
  (void)state;
  const int64_t three[] = {1, 2, 3, 4};
  const lavdm_method methods[] = {LAVDM_METHOD_DM, LAVDM_METHOD_ROSELAND, LAVDM_METHOD_NYSTROM};
  for (int m = 0; m < 2; m++) {
    check(CIRCLE, methods[m], 2, three);
    check(SPHERE, methods[m], 3, three);
    check(STRIP, methods[m], 2, NULL);
  }
  check(ROLL, methods[0], 2, NULL); /* roseland takes a third there, or not, by rounding */
  check(CIRCLE, methods[2], 2, three);
  check(TORUS, methods[0], 4, three);
}

/* The second coordinate of the roll is one across it: no function of the first. */
static void unroll(lavdm_method method, double least) {
  lavdm_model *model = fit(ROLL, method, 1500, LAVDM_AUTO);
  const int64_t *list = lavdm_get(model, "coordinate_index")->data;
  const double *u = lavdm_get(model, "eigenvectors")->data;
  int64_t p, r = lavdm_info(model)->chosen->components;
  double *x = shape(ROLL, 1500, 3, &p), mean = 0, dot = 0, xx = 0, uu = 0;
  for (int64_t i = 0; i < 1500; i++) mean += x[i * p + 1] / 1500;
  for (int64_t i = 0; i < 1500; i++) {
    double height = x[i * p + 1] - mean, value = u[i * r + list[1]];
    dot += height * value, xx += height * height, uu += value * value;
  }
  assert_true(list[0] == 1 && list[1] > 2);
  if (!(fabs(dot) > least * sqrt(xx * uu))) fail_msg("method %d: %g", (int)method, fabs(dot) / sqrt(xx * uu));
  assert_true(lavdm_get(model, "coordinate_index")->shape[0] <= 3);
  free(x);
  lavdm_free(model);
}

static void test_roll_is_unrolled(void **state) {
  (void)state;
  unroll(LAVDM_METHOD_DM, 0.7);
  unroll(LAVDM_METHOD_ROSELAND, 0.5);
}

static void test_components_and_clusters(void **state) {
  (void)state;
  lavdm_model *model = fit(TWO_STRIPS, LAVDM_METHOD_DM, 1500, LAVDM_AUTO);
  const lavdm_array *list = lavdm_get(model, "coordinate_index");
  assert_int_equal(lavdm_info(model)->graph_components, 2);
  assert_int_equal(((const int64_t *)list->data)[0], 1); /* which strip, then where on it */
  assert_int_equal(((const int64_t *)list->data)[1], 2);
  assert_int_equal(*(const int64_t *)lavdm_get(model, "coordinate_lead")->data, 1);
  assert_true(list->shape[0] >= 5 && list->shape[0] <= 7);
  lavdm_free(model);

  model = fit(CLUSTERS, LAVDM_METHOD_DM, 1200, LAVDM_AUTO);
  list = lavdm_get(model, "coordinate_index");
  if (lavdm_info(model)->graph_components == 1) { /* four clusters: three lead */
    assert_int_equal(*(const int64_t *)lavdm_get(model, "coordinate_lead")->data, 3);
    for (int64_t l = 0; l < 3; l++) assert_int_equal(((const int64_t *)list->data)[l], l + 1);
  }
  lavdm_free(model);
}

/* Eigenvector k on component a: the same on all; on component k-1 and, of the other sign, on those after it.
 */
static double contrast(int64_t k, int64_t a, double on, double off) {
  return k == 0 || a == k - 1 ? on : a >= k ? off : 0;
}

/* The eigenvectors of eigenvalue 1 are the basis of coordinates/pieces.c, and so are those of an extension.
 */
static void check_pieces(shape_t which, lavdm_method method, int64_t c, int64_t large) {
  enum { POINTS = 1800, SOME = 60 };
  lavdm_model *model = fit(which, method, POINTS, 12), *extension;
  lavdm_error error;
  const int64_t *label = lavdm_get(model, "graph_component")->data;
  const double *u = lavdm_get(model, "eigenvectors")->data;
  assert_int_equal(lavdm_info(model)->graph_components, c);
  int64_t p, first[8] = {0}, r = 12;
  for (int64_t i = POINTS - 1; i >= 0; i--) first[label[i]] = i;
  for (int64_t k = 0; k < c; k++) {
    double on = u[first[k ? k - 1 : 0] * r + k], off = u[first[k] * r + k];
    assert_true(on > 0 && (k == 0 || off < 0));
    for (int64_t i = 0; i < POINTS; i++)
      assert_true(fabs(u[i * r + k] - contrast(k, label[i], on, off)) < 1e-9 * (fabs(on) + fabs(off)));
  }
  const lavdm_array *list = lavdm_get(model, "coordinate_index");
  for (int64_t l = 0; l < list->shape[0]; l++) {
    int64_t found = ((const int64_t *)list->data)[l];
    assert_true(l < large - 1 ? found == l + 1 : found >= c);
  }
  double *x = shape(which, POINTS, 3, &p);
  lavdm_data data = {.points = x, .n = SOME, .p = p};
  if (lavdm_extend(model, &data, NULL, NULL, &extension, &error) < 0) fail_msg("%s", error.message);
  const double *w = lavdm_get(extension, "eigenvectors")->data;
  for (int64_t i = 0; i < SOME; i++)
    for (int64_t k = 0; k < c; k++)
      assert_true(fabs(w[i * r + k] - u[i * r + k]) <
                  1e-6 * fabs(u[first[0] * r]) + 1e-6 * fabs(u[i * r + k]));
  free(x);
  lavdm_free(model), lavdm_free(extension);
}

static void test_pieces(void **state) {
  (void)state;
  const lavdm_method methods[] = {LAVDM_METHOD_DM, LAVDM_METHOD_ROSELAND};
  for (int m = 0; m < 2; m++) {
    check_pieces(TWO_STRIPS, methods[m], 2, 2);
    check_pieces(OUTLIERS, methods[m], 2, 1); /* the strip has all coordinates */
    check_pieces(ROLLS, methods[m], 3, 3);
  }
}

/* Two circles, one with weights of 1e-20 of the other's: beside its mass that of the other is nothing. */
static void test_light_piece(void **state) {
  (void)state;
  enum { SIDE = 30, ALL = 2 * SIDE, R = 5 };
  int64_t row[ALL], col[ALL];
  double weight[ALL];
  for (int64_t i = 0; i < ALL; i++) {
    row[i] = i, col[i] = i / SIDE * SIDE + (i + 1) % SIDE;
    weight[i] = i < SIDE ? 1 : 1e-20;
  }
  lavdm_edges edges = {.size = sizeof edges,
                       .count = ALL,
                       .row = row,
                       .col = col,
                       .weight = weight,
                       .kind = LAVDM_ELEMENT_NONE};
  lavdm_data data = {.n = ALL, .edges = &edges};
  lavdm_options options;
  lavdm_model *model;
  lavdm_error error;
  lavdm_options_default(&options);
  options.method = LAVDM_METHOD_DM, options.bundle = LAVDM_BUNDLE_GIVEN;
  options.alpha = 0, options.components = R;
  if (lavdm_fit(&data, &options, &model, &error) < 0) fail_msg("%s", error.message);
  const double *u = lavdm_get(model, "eigenvectors")->data;
  for (int64_t i = 0; i < ALL; i++) {
    assert_true(fabs(u[i * R] - u[0]) < 1e-9 * u[0]);
    assert_true(i < SIDE ? u[i * R + 1] > 0 : u[i * R + 1] < 0);
  }
  lavdm_free(model);
}

static void test_who_has_them(void **state) {
  (void)state;
  lavdm_model *model = fit(SPHERE, LAVDM_METHOD_LAVDM, 600, 8); /* vectors are no functions */
  assert_null(lavdm_get(model, "coordinate_index"));
  int told = 0;
  for (int i = 0; i < lavdm_info(model)->reasons; i++)
    told += !strncmp(lavdm_info(model)->reason[i], "components: 8:", 14);
  assert_int_equal(told, 1);
  lavdm_free(model);
  model = fit(SPHERE, LAVDM_METHOD_DM, 40, 6); /* too few points to tell: all */
  assert_int_equal(lavdm_get(model, "coordinate_index")->shape[0], 5);
  assert_true(isnan(((const double *)lavdm_get(model, "coordinate_residuals")->data)[3]));
  lavdm_free(model);
  model = fit(SPHERE, LAVDM_METHOD_DM, 300, 1); /* a constant alone */
  assert_int_equal(lavdm_get(model, "coordinate_index")->shape[0], 0);
  lavdm_free(model);
  model = fit(SPHERE, LAVDM_METHOD_DM, 700, 60); /* more than are looked at */
  assert_true(isnan(((const double *)lavdm_get(model, "coordinate_residuals")->data)[50]));
  assert_int_equal(lavdm_get(model, "coordinate_index")->shape[0], 3);
  lavdm_free(model);
}

static void test_files_and_extensions(void **state) {
  (void)state;
  char path[] = "/tmp/lavdm-coordinates-XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  lavdm_model *model = fit(SPHERE, LAVDM_METHOD_ROSELAND, 600, 10), *loaded, *extension;
  lavdm_error error;
  static const char *const names[] = {"coordinate_index", "coordinate_lead", "coordinate_residuals"};
  for (int compact = 0; compact < 2; compact++) {
    assert_true(lavdm_save(model, path, compact, &error) >= 0);
    assert_true(lavdm_load(path, &loaded, &error) >= 0);
    int64_t p;
    double *x = shape(SPHERE, 20, 7, &p);
    lavdm_data data = {.points = x, .n = 20, .p = p};
    assert_true(lavdm_extend(loaded, &data, NULL, NULL, &extension, &error) >= 0);
    for (int k = 0; k < 3; k++) {
      const lavdm_array *a = lavdm_get(model, names[k]), *b = lavdm_get(loaded, names[k]),
                        *c = lavdm_get(extension, names[k]);
      assert_true(b && c && a->shape[0] == b->shape[0] && a->shape[0] == c->shape[0]);
      assert_memory_equal(a->data, b->data, (size_t)a->shape[0] * 8);
      assert_memory_equal(a->data, c->data, (size_t)a->shape[0] * 8);
    }
    free(x);
    lavdm_free(loaded), lavdm_free(extension);
  }
  unlink(path);
  lavdm_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_residual),
      cmocka_unit_test(test_residual_by_hand),
      cmocka_unit_test(test_gaps),
      cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_roll_is_unrolled),
      cmocka_unit_test(test_components_and_clusters),
      cmocka_unit_test(test_pieces),
      cmocka_unit_test(test_light_piece),
      cmocka_unit_test(test_who_has_them),
      cmocka_unit_test(test_files_and_extensions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
