/*
 * The method nystrom against its definition: the dense one-step operator of the landmarks, decomposed
 * by LAPACK, and its eigenvectors carried to the points by dense rows.
 */
#include "compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { N = 260, M = 50 };

/* sum over l < k of u_l u_l', which no choice of basis within an eigenspace changes: (rows x rows). */
static double *kernel_of(const double *u, int64_t rows, int64_t r, int64_t k) {
  double *out = numbers(rows * rows);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < rows; j++)
      for (int64_t l = 0; l < k; l++) out[i * rows + j] += u[i * r + l] * u[j * r + l];
  return out;
}

/* u (N q x r) by the formula, from the oracle's eigenpairs of the landmarks. */
static double *expected_fields(const oracle_problem *o, const double *x, const double *frames,
                               const oracle_result *found, int64_t r, double *degree) {
  int64_t m = o->m, q = o->q, p = o->p;
  double *u = numbers(N * q * r), *w = numbers(m), *density = numbers(m), element[64];
  for (int64_t k = 0; k < m; k++)
    for (int64_t l = 0; l < m; l++) {
      double d2 = 0;
      for (int64_t j = 0; j < p; j++) d2 += pow(o->z[k * p + j] - o->z[l * p + j], 2);
      density[k] += oracle_kernel(o->kernel, o->epsilon, o->radius, d2);
    }
  for (int64_t i = 0; i < N; i++) {
    double own = 0, sum = 0;
    for (int64_t k = 0; k < m; k++) {
      double d2 = 0;
      for (int64_t j = 0; j < p; j++) d2 += pow(x[i * p + j] - o->z[k * p + j], 2);
      own += w[k] = oracle_kernel(o->kernel, o->epsilon, o->radius, d2);
    }
    for (int64_t k = 0; k < m; k++) sum += w[k] *= pow(own, -o->alpha) * pow(density[k], -o->alpha);
    degree[i] = sum;
    for (int64_t k = 0; k < m; k++) {
      oracle_element(o->bundle, p, o->d, frames ? frames + i * p * o->d : NULL,
                     o->zframes ? o->zframes + k * p * o->d : NULL, element);
      for (int64_t a = 0; a < q; a++)
        for (int64_t c = 0; c < q; c++)
          for (int64_t l = 0; l < r; l++)
            u[(i * q + a) * r + l] += w[k] / sum * element[a * q + c] *
                                      found->vectors[(k * q + c) * found->size + l] / sqrt(found->degree[k]) /
                                      found->values[l];
    }
  }
  free(w), free(density);
  return u;
}

static void check_problem(lavdm_options o, int64_t p, double tolerance) {
  double *x = sheet(N, p, 2, 3), degree[N];
  o.landmarks = M, o.dim = 2, o.components = 6, o.cutoff = 6;
  lavdm_data data = {.points = x, .n = N, .p = p};
  lavdm_model *model = fit_or_fail(&data, &o);
  const lavdm_info_t *info = lavdm_info(model);
  assert_int_equal(info->far_points, 0);
  double *frames = model_doubles(model, "frames"), *zframes = model_doubles(model, "landmark_frames"),
         *z = model_doubles(model, "landmarks"), *u = model_doubles(model, "eigenvectors"),
         *d = model_doubles(model, "degrees");
  const lavdm_options *c = info->chosen;
  oracle_problem problem = {M,
                            M,
                            p,
                            2,
                            info->q,
                            z,
                            z,
                            zframes,
                            zframes,
                            c->bundle,
                            c->kernel,
                            c->epsilon,
                            c->cutoff * sqrt(c->epsilon),
                            c->alpha,
                            0,
                            NULL};
  oracle_result found = oracle_square(&problem);
  double *expected = expected_fields(&problem, x, frames, &found, 6, degree);
  for (int l = 0; l < 6; l++) assert_true(fabs(info->eigenvalues[l] - found.values[l]) < tolerance);
  for (int i = 0; i < N; i++) assert_true(fabs(d[i] - degree[i]) <= tolerance * fabs(degree[i]));
  int compared = 0;
  for (int64_t k = 1; k <= 6; k++) {
    if (found.values[k - 1] - found.values[k] < 1e-3) continue;
    int64_t rows = N * info->q;
    double *a = kernel_of(u, rows, 6, k), *b = kernel_of(expected, rows, 6, k), most = 0, worst = 0;
    for (int64_t e = 0; e < rows * rows; e++) {
      most = fmax(most, fabs(b[e]));
      worst = fmax(worst, fabs(a[e] - b[e]));
    }
    assert_true(worst <= 1e3 * tolerance * most);
    compared++;
    free(a), free(b);
  }
  assert_true(compared > 0);
  oracle_free(&found);
  free(x), free(frames), free(zframes), free(z), free(u), free(d), free(expected);
  lavdm_free(model);
}

static void definition(void **state) {
  (void)state;
  lavdm_options o = oracle_options(LAVDM_METHOD_NYSTROM);
  for (int alpha = 0; alpha <= 1; alpha++) {
    o.alpha = alpha;
    for (int bundle = LAVDM_BUNDLE_TRIVIAL; bundle <= LAVDM_BUNDLE_ORIENTATION; bundle++) {
      o.bundle = (lavdm_bundle)bundle;
      o.precision = LAVDM_PRECISION_DOUBLE;
      check_problem(o, 3, 1e-11);
      o.precision = LAVDM_PRECISION_SINGLE;
      check_problem(o, 3, 2e-5);
    }
  }
}

/* With every point a landmark there is nothing to extend. */
static void all_points(void **state) {
  (void)state;
  double *x = sheet(N, 3, 2, 4);
  lavdm_data data = {.points = x, .n = N, .p = 3};
  lavdm_options o = oracle_options(LAVDM_METHOD_NYSTROM);
  o.landmarks = N, o.dim = 2, o.epsilon = 0.1, o.edges = LAVDM_EDGES_BALL, o.alpha = 1, o.cutoff = 3;
  lavdm_model *model = fit_or_fail(&data, &o);
  o.method = LAVDM_METHOD_VDM;
  lavdm_model *vdm = fit_or_fail(&data, &o);
  for (int l = 0; l < 6; l++)
    assert_true(fabs(lavdm_info(model)->eigenvalues[l] - lavdm_info(vdm)->eigenvalues[l]) < 1e-10);
  double *a = model_orthonormal(model), *b = model_orthonormal(vdm);
  for (int k = 1; k < 6; k++) {
    const double *value = lavdm_info(vdm)->eigenvalues;
    if (value[k - 1] - value[k] > 1e-3) assert_true(projector_distance(2 * N, k, a, 6, b, 6) < 1e-8);
  }
  free(a), free(b), free(x);
  lavdm_free(model), lavdm_free(vdm);
}

/* A point beyond every cut-off is joined to the nearest; one that no weight reaches is named. */
static void far_away(void **state) {
  (void)state;
  double *x = sheet(N, 3, 2, 5);
  int64_t landmarks[M];
  for (int k = 0; k < M; k++) landmarks[k] = 2 + 5 * k;
  x[0] += 4, x[3] += 1000;
  lavdm_data data = {.points = x, .n = N, .p = 3, .landmark_index = landmarks, .landmark_count = M};
  lavdm_options o = oracle_options(LAVDM_METHOD_NYSTROM);
  o.bundle = LAVDM_BUNDLE_TRIVIAL, o.epsilon = 0.1;
  lavdm_model *model, *again;
  lavdm_error error;
  assert_int_equal(lavdm_fit(&data, &o, &model, &error), LAVDM_WARNING);
  const lavdm_info_t *info = lavdm_info(model);
  const double *u = lavdm_get(model, "eigenvectors")->data;
  assert_int_equal(info->far_points, 2);
  assert_int_equal(info->isolated, 1);
  assert_int_equal(info->isolated_index[0], 1);
  for (int l = 0; l < 6; l++) assert_true(u[6 + l] == 0);
  assert_true(fabs(u[0]) > 0);
  assert_true(lavdm_extend(model, &data, NULL, NULL, &again, &error) >= 0);
  const double *v = lavdm_get(again, "eigenvectors")->data;
  for (int l = 0; l < 6; l++) assert_true(fabs(v[l] - u[l]) <= 1e-10 * fabs(u[l]) && isnan(v[6 + l]));
  lavdm_free(again);
  lavdm_free(model);
  free(x);
}

static void refused(void **state) {
  (void)state;
  int64_t row[] = {0, 1}, col[] = {1, 2};
  lavdm_edges edges = {.count = 2, .row = row, .col = col};
  lavdm_data data = {.edges = &edges};
  lavdm_options o = oracle_options(LAVDM_METHOD_NYSTROM);
  lavdm_model *model;
  lavdm_error error;
  assert_int_equal(lavdm_fit(&data, &o, &model, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "nystrom needs points"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(definition),
      cmocka_unit_test(all_points),
      cmocka_unit_test(far_away),
      cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
