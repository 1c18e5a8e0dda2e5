/* Images and signals in fits: what the tests of them share. */
#ifndef LAVDM_TEST_TURNED_SUPPORT_H
#define LAVDM_TEST_TURNED_SUPPORT_H

#include "oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define PI 3.14159265358979323846

static lavdm_options defaults(lavdm_method method) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method, o.bundle = LAVDM_BUNDLE_SHIFT, o.noise = 0, o.components = 6;
  return o;
}

static lavdm_model *extend_or_fail(const lavdm_model *model, const lavdm_data *data) {
  lavdm_model *extension;
  lavdm_error error;
  if (lavdm_extend(model, data, NULL, NULL, &extension, &error) < 0) fail_msg("%s", error.message);
  return extension;
}

/* Eigenvalues, degrees and leading projectors of two models. */
__attribute__((unused)) static void check_same(const lavdm_model *a, const lavdm_model *b, double tolerance) {
  const lavdm_info_t *x = lavdm_info(a), *y = lavdm_info(b);
  int64_t r = x->chosen->components, size = x->n * x->q;
  int compared = 0;
  assert_int_equal(x->n, y->n);
  assert_int_equal(x->q, y->q);
  const double *d = lavdm_get(a, "degrees")->data, *e = lavdm_get(b, "degrees")->data;
  for (int64_t i = 0; i < x->n; i++)
    if (!(fabs(d[i] - e[i]) <= tolerance * fabs(d[i])))
      fail_msg("degree %lld: %.12g, %.12g", (long long)i, d[i], e[i]);
  for (int64_t l = 0; l < r; l++)
    if (!(fabs(x->eigenvalues[l] - y->eigenvalues[l]) <= tolerance))
      fail_msg("eigenvalue %lld: %.12g, %.12g", (long long)l, x->eigenvalues[l], y->eigenvalues[l]);
  double *u = model_orthonormal(a), *v = model_orthonormal(b);
  for (int64_t k = 1; k < r; k++) {
    if (x->eigenvalues[k - 1] - x->eigenvalues[k] < 1e-3) continue;
    assert_true(projector_distance(size, k, u, r, v, r) < 1e4 * tolerance);
    compared++;
  }
  assert_true(compared > 0);
  free(u), free(v);
}

enum { SIDE = 12 };

/* Images of a few blobs in random places. */
__attribute__((unused)) static double *images(int64_t n, uint64_t seed) {
  double *x = numbers(n * SIDE * SIDE), *c = numbers(n * 9);
  fill_normal(c, n * 9, seed);
  for (int64_t i = 0; i < n; i++)
    for (int b = 0; b < 3; b++)
      for (int j = 0; j < SIDE * SIDE; j++) {
        const double *at = c + 9 * i + 3 * b;
        double y = j / SIDE - 5.5 - 0.7 * at[0] - (b == 0 ? 2.5 : 0),
               z = j % SIDE - 5.5 - 0.7 * at[1] - (b == 1 ? 2.5 : 0);
        x[i * SIDE * SIDE + j] += (1 + 0.1 * at[2]) * exp(-(y * y + z * z) / 3);
      }
  free(c);
  return x;
}

#endif
