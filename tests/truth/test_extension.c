/*
 * Extension on the unit sphere against fields that were held out. The eigenfields
 * of the connection Laplacian are gradients of spherical harmonics and the same
 * turned by a right angle: 6 of the first degree, 10 of the second. Half of the points
 * are fitted and matched with these fields by least squares; with the same match, the
 * extension to the other half must be as good to within a factor of two.
 */
#include "oracle.h"

#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { HALF = 2000, FIELDS = 16 };

/* Euclidean gradients at x of x, y, z and of xy, yz, zx, xx - yy, 2zz - xx - yy. */
static void gradients(const double x[3], double g[8][3]) {
  memset(g, 0, 24 * sizeof(double));
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3;
    g[a][a] = 1;
    g[3 + a][a] = x[b], g[3 + a][b] = x[a];
  }
  g[6][0] = 2 * x[0], g[6][1] = -2 * x[1];
  g[7][0] = -2 * x[0], g[7][1] = -2 * x[1], g[7][2] = 4 * x[2];
}

/* All fields at the points: (3 n) x FIELDS, gradients and turned ones of a degree together. */
static double *true_fields(const double *x, int64_t n) {
  double *out = numbers(3 * n * FIELDS);
  for (int64_t i = 0; i < n; i++) {
    const double *p = x + 3 * i;
    double g[8][3];
    gradients(p, g);
    for (int f = 0; f < 8; f++) {
      double normal = g[f][0] * p[0] + g[f][1] * p[1] + g[f][2] * p[2];
      int at = f < 3 ? f : f + 3, turned = f < 3 ? f + 3 : f + 8;
      for (int j = 0; j < 3; j++) {
        int k = (j + 1) % 3, l = (j + 2) % 3;
        out[(3 * i + j) * FIELDS + at] = g[f][j] - normal * p[j];
        out[(3 * i + j) * FIELDS + turned] = p[k] * g[f][l] - p[l] * g[f][k];
      }
    }
  }
  return out;
}

/* |U - F C| / |U| over the columns of u. */
static double misfit(const double *u, const double *f, int64_t rows, int fields, const double *c) {
  double error = 0, size = 0;
  for (int64_t i = 0; i < rows; i++)
    for (int l = 0; l < fields; l++) {
      double sum = u[i * FIELDS + l];
      for (int k = 0; k < fields; k++) sum -= f[i * FIELDS + k] * c[k * FIELDS + l];
      error += sum * sum;
      size += u[i * FIELDS + l] * u[i * FIELDS + l];
    }
  return sqrt(error / size);
}

static double *ambient(const lavdm_model *model) {
  lavdm_error error;
  double *out = numbers(lavdm_info(model)->n * 3 * FIELDS);
  if (lavdm_ambient(model, out, &error) < 0) fail_msg("%s", error.message);
  return out;
}

static void check_method(lavdm_method method, lavdm_precision precision) {
  double *x = numbers(2 * HALF * 3);
  assert_int_equal(lavdm_sample("sphere", 2 * HALF, 2, NULL, 0, 21, x, NULL, NULL, NULL), 0);
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method, o.precision = precision, o.dim = 2, o.components = FIELDS;
  o.landmarks = method == LAVDM_METHOD_LAVDM ? 400 : LAVDM_AUTO;
  lavdm_data old = {.points = x, .n = HALF, .p = 3}, held = {.points = x + 3 * HALF, .n = HALF, .p = 3};
  lavdm_model *model = fit_or_fail(&old, &o), *extension = NULL;
  lavdm_error error;
  if (lavdm_extend(model, &held, NULL, NULL, &extension, &error) < 0) fail_msg("%s", error.message);
  assert_int_equal(lavdm_info(extension)->isolated, 0);
  double *u = ambient(model), *v = ambient(extension);
  double *f = true_fields(x, HALF), *g = true_fields(x + 3 * HALF, HALF);
  for (int fields = 6; fields <= FIELDS; fields += 10) {
    double *a = numbers(3 * HALF * FIELDS), *b = numbers(3 * HALF * FIELDS), c[FIELDS * FIELDS];
    memcpy(a, f, (size_t)(3 * HALF * FIELDS) * sizeof *a);
    memcpy(b, u, (size_t)(3 * HALF * FIELDS) * sizeof *b);
    assert_int_equal(LAPACKE_dgels(LAPACK_ROW_MAJOR, 'N', 3 * HALF, fields, fields, a, FIELDS, b, FIELDS), 0);
    memcpy(c, b, sizeof c);
    double inside = misfit(u, f, 3 * HALF, fields, c), outside = misfit(v, g, 3 * HALF, fields, c);
    printf("%s, %s, %2d fields: in sample %.4f, held out %.4f (%.2f times)\n",
           method == LAVDM_METHOD_VDM ? "vdm" : "lavdm", precision ? "single" : "double", fields, inside,
           outside, outside / inside);
    assert_true(inside < 0.1);
    assert_true(outside < 2 * inside);
    free(a), free(b);
  }
  free(x), free(u), free(v), free(f), free(g);
  lavdm_free(extension);
  lavdm_free(model);
}

static void held_out_fields(void **state) {
  (void)state;
  check_method(LAVDM_METHOD_LAVDM, LAVDM_PRECISION_DOUBLE);
  check_method(LAVDM_METHOD_LAVDM, LAVDM_PRECISION_SINGLE);
  check_method(LAVDM_METHOD_VDM, LAVDM_PRECISION_DOUBLE);
  check_method(LAVDM_METHOD_VDM, LAVDM_PRECISION_SINGLE);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(held_out_fields)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
