/* What is said of a result: against plain definitions, and on data whose answers are known. */
#include "oracle.h"

#include "base/memory.h"
#include "lavdm/sample.h"
#include "base/sort.h"
#include "trust/parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* --------------------------------------------------------- parts, alone */

/* Neighbours by sorting all, ranks by their places in it. */
typedef struct {
  double d2;
  int64_t j;
} place_t;

static int by_distance(const void *a, const void *b) {
  const place_t *x = a, *y = b;
  if (x->d2 != y->d2) return x->d2 < y->d2 ? -1 : 1;
  return x->j < y->j ? -1 : 1;
}

static void oracle_ranks(const double *d2, int64_t n, int64_t *rank) {
  place_t *all = malloc((size_t)n * sizeof *all);
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < n; j++) all[j] = (place_t){j == i ? -1 : d2[i * n + j], j};
    qsort(all, (size_t)n, sizeof *all, by_distance);
    for (int64_t k = 0; k < n; k++) rank[i * n + all[k].j] = k;
  }
  free(all);
}

static double oracle_trust(const double *space, const double *embedded, int64_t n, int64_t k) {
  int64_t *in = malloc((size_t)(n * n) * sizeof *in), *out = malloc((size_t)(n * n) * sizeof *out);
  oracle_ranks(space, n, in);
  oracle_ranks(embedded, n, out);
  double sum = 0;
  for (int64_t i = 0; i < n * n; i++)
    if (out[i] >= 1 && out[i] <= k && in[i] > k) sum += (double)(in[i] - k);
  free(in);
  free(out);
  return 1 - 2 * sum / (double)(n * k * (2 * n - 3 * k - 1));
}

static void squares(const double *x, int64_t n, int64_t p, double *d2) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) {
      d2[i * n + j] = 0;
      for (int64_t c = 0; c < p; c++) d2[i * n + j] += pow(x[i * p + c] - x[j * p + c], 2);
    }
}

/* Points in three dimensions, embedded in two of them: much is kept, not all. */
static void test_trustworthiness(void **state) {
  (void)state;
  enum { N = 90, K = NEIGHBOURS };
  double x[3 * N], y[2 * N], *space = numbers(N * N), *flat = numbers(N * N), continuity;
  fill_normal(x, 3 * N, 5);
  x[0] = x[3], x[1] = x[4], x[2] = x[5]; /* a copy, for ties */
  for (int i = 0; i < N; i++) y[2 * i] = x[3 * i], y[2 * i + 1] = x[3 * i + 1];
  squares(x, N, 3, space);
  squares(y, N, 2, flat);
  double found = trustworthiness(space, flat, N, K, &continuity);
  assert_true(fabs(found - oracle_trust(space, flat, N, K)) < 1e-13);
  assert_true(fabs(continuity - oracle_trust(flat, space, N, K)) < 1e-13);
  assert_true(found < 0.95 && found > 0.6 && continuity > found);
  assert_true(trustworthiness(space, space, N, K, &continuity) == 1 && continuity == 1);
  free(space);
  free(flat);
}

/* Planes of R^40 with angles 0.3 and 1.1; columns are mixed, which changes no plane. */
static void test_angles(void **state) {
  (void)state;
  enum { ROWS = 40 };
  double a[2 * ROWS] = {0}, b[2 * ROWS] = {0}, mean, angle[2] = {0.3, 1.1};
  for (int k = 0; k < 2; k++) {
    a[ROWS * k + 3 * k] = 2;
    b[ROWS * k + 3 * k] = cos(angle[k]);
    b[ROWS * k + 3 * k + 1] = sin(angle[k]);
  }
  for (int i = 0; i < ROWS; i++) {
    a[i] += 0.7 * a[ROWS + i];
    b[ROWS + i] -= 3 * b[i];
  }
  double found = angles_between(a, b, ROWS, 2, &mean);
  assert_true(fabs(found - 1.1 * 180 / M_PI) < 1e-9);
  assert_true(fabs(mean - (pow(cos(0.3), 2) + pow(cos(1.1), 2)) / 2) < 1e-12);
}

static void test_least(void **state) {
  (void)state;
  enum { N = 101 };
  double x[N], y[N];
  for (int64_t k = 0; k < N; k += 7) {
    fill_normal(x, N, 3 + (uint64_t)k);
    for (int i = 0; i < N; i += 5) x[i] = 0.25; /* equal ones */
    memcpy(y, x, sizeof x);
    double found = smallest_real(x, N, k);
    int64_t below = 0, above = 0;
    for (int i = 0; i < N; i++) below += y[i]<found, above += y[i]> found;
    assert_true(below <= k && above <= N - 1 - k);
  }
}

/* ------------------------------------------------------------ whole runs */

static lavdm_model *fit(const double *x, int64_t n, int64_t p, lavdm_options *o) {
  lavdm_data data = {.points = x, .n = n, .p = p};
  lavdm_model *model;
  lavdm_error error;
  o->threads = 1;
  if (lavdm_fit(&data, o, &model, &error) < 0) fail_msg("%s", error.message);
  return model;
}

static bool warned(const lavdm_model *model, const char *word) {
  const lavdm_info_t *info = lavdm_info(model);
  for (int i = 0; i < info->warnings; i++)
    if (strstr(info->warning[i], word)) return true;
  return false;
}

static void same_array(const lavdm_model *a, const lavdm_model *b, const char *name) {
  const lavdm_array *x = lavdm_get(a, name), *y = lavdm_get(b, name);
  size_t count = 1;
  assert_true(x && y && x->type == y->type);
  for (int k = 0; k < x->rank; k++) count *= (size_t)x->shape[k];
  assert_memory_equal(x->data, y->data, count * (x->type == LAVDM_F32 ? 4 : 8));
}

/* The sphere: 1 (6 of them) and 5 (10); nothing to warn of; the result is the same without the test. */
static void test_sphere(void **state) {
  (void)state;
  enum { N = 2000 };
  double *x = numbers(3 * N);
  lavdm_error error;
  assert_int_equal(lavdm_sample("sphere", N, 2, NULL, 0, 3, x, NULL, NULL, &error), 0);
  static const lavdm_method methods[] = {LAVDM_METHOD_LAVDM, LAVDM_METHOD_VDM};
  for (int k = 0; k < 2; k++) {
    lavdm_options o;
    lavdm_options_default(&o);
    o.method = methods[k];
    lavdm_model *tested = fit(x, N, 3, &o);
    o.trust = LAVDM_TRUST_NO;
    lavdm_model *plain = fit(x, N, 3, &o);
    const lavdm_trust_t *t = lavdm_info(tested)->trust;
    assert_null(lavdm_info(plain)->trust);
    assert_null(lavdm_get(plain, "trust_table"));
    same_array(tested, plain, "eigenvalues");
    same_array(tested, plain, "eigenvectors");
    assert_non_null(t);
    assert_true(t->groups >= 3 && t->unit == 0);
    assert_true(t->first[0] == 0 && t->first[1] == 6 && t->first[2] == 16);
    assert_true(t->low[1] <= 5 && t->high[1] >= 5 && t->high[1] - t->low[1] < 2);
    assert_true(t->agreement[0] > 0.9 && t->angle[0] < 20 && t->reproduced >= 16);
    assert_true(t->trustworthiness > 0.98 && t->continuity > 0.98);
    assert_true(t->shortcuts == 0 && t->shortcut_row == -1 && t->noise < 0.01);
    assert_int_equal(lavdm_info(tested)->warnings, lavdm_info(plain)->warnings);
    lavdm_free(tested);
    lavdm_free(plain);
  }
  free(x);
}

/* Saved and opened it is the same; a file whose parts do not fit each other is refused. */
static void test_saved(void **state) {
  (void)state;
  enum { N = 400 };
  double *x = numbers(3 * N);
  lavdm_error error;
  lavdm_options o;
  lavdm_options_default(&o);
  assert_int_equal(lavdm_sample("sphere", N, 2, NULL, 0, 3, x, NULL, NULL, &error), 0);
  lavdm_model *model = fit(x, N, 3, &o), *opened;
  char path[] = "/tmp/lavdm_trust_XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  for (int compact = 0; compact < 2; compact++) {
    assert_int_equal(lavdm_save(model, path, compact, &error), 0);
    assert_int_equal(lavdm_load(path, &opened, &error), 0);
    const lavdm_trust_t *a = lavdm_info(model)->trust, *b = lavdm_info(opened)->trust;
    assert_true(a && b && a->groups == b->groups && a->unit == b->unit && a->rows == b->rows);
    assert_memory_equal(a->first, b->first, sizeof *a->first * (size_t)(a->groups + 1));
    assert_memory_equal(a->high, b->high, sizeof *a->high * (size_t)a->groups);
    assert_true(a->trustworthiness == b->trustworthiness);
    lavdm_free(opened);
  }
  ((int64_t *)lavdm_get(model, "trust_groups")->data)[1] = 1000;
  assert_int_equal(lavdm_save(model, path, 0, &error), 0);
  assert_int_equal(lavdm_load(path, &opened, &error), LAVDM_ERROR_FILE);
  assert_non_null(strstr(error.message, "trust"));
  unlink(path);
  lavdm_free(model);
  free(x);
}

/* Two sheets, near each other and joined at one end, under a kernel that reaches across. */
static void test_short_cuts(void **state) {
  (void)state;
  enum { N = 1500 };
  double *x = numbers(3 * N), apart = 1;
  lavdm_random random;
  lavdm_random_start(&random, 4, 0);
  for (int64_t i = 0; i < N; i++) {
    double s = 10 * lavdm_random_uniform(&random) - 5, turn = apart * M_PI / 2;
    double along = fabs(s) - turn / 2, angle = s / (apart / 2);
    x[3 * i] = along > 0 ? along + apart / 2 : apart / 2 * (1 - cos(angle));
    x[3 * i + 1] = along > 0 ? copysign(apart / 2, s) : apart / 2 * sin(angle);
    x[3 * i + 2] = 3 * lavdm_random_uniform(&random);
  }
  static const lavdm_method methods[] = {LAVDM_METHOD_LAVDM, LAVDM_METHOD_DM};
  for (int wide = 0; wide < 2; wide++)
    for (int k = 0; k < 2; k++) {
      lavdm_options o;
      lavdm_options_default(&o);
      o.method = methods[k];
      o.dim = k ? LAVDM_AUTO : 2;
      o.landmarks = 400;
      o.epsilon = wide ? 1 : 0.05;
      lavdm_model *model = fit(x, N, 3, &o);
      const lavdm_trust_t *t = lavdm_info(model)->trust;
      assert_non_null(t);
      assert_true(wide ? t->shortcuts > 0.05 && t->shortcut_row >= 0 && t->shortcut_row < N
                       : t->shortcuts < 0.01);
      assert_true(warned(model, "short cuts") == (wide == 1));
      lavdm_free(model);
    }
  free(x);
}

/* A sphere in twenty dimensions with noise: planes of ten neighbours are hidden, those of two hundred are
 * not. */
static void test_noise(void **state) {
  (void)state;
  enum { N = 1500, P = 20 };
  double *x = numbers(P * N), *y = numbers(3 * N);
  lavdm_error error;
  fill_normal(x, P * N, 6);
  assert_int_equal(lavdm_sample("sphere", N, 2, NULL, 0, 3, y, NULL, NULL, &error), 0);
  for (int64_t i = 0; i < P * N; i++) x[i] = 0.1 * x[i] + (i % P < 3 ? y[3 * (i / P) + i % P] : 0);
  for (int few = 0; few < 2; few++) {
    lavdm_options o;
    lavdm_options_default(&o);
    o.method = LAVDM_METHOD_VDM;
    o.dim = 2;
    o.pca = 0;
    o.epsilon = 0.35;
    o.frame_knn = few ? 10 : 200;
    o.frames = LAVDM_FRAMES_LOCAL;
    lavdm_model *model = fit(x, N, P, &o);
    const lavdm_trust_t *t = lavdm_info(model)->trust;
    assert_non_null(t);
    assert_true(warned(model, "hides the tangent planes") == (few == 1));
    assert_true(few || (t->noise > 0.03 && t->noise < 0.2 && t->reproduced >= 16));
    for (int64_t g = 0; few && g < t->groups; g++) assert_true(isnan(t->low[g]));
    lavdm_free(model);
  }
  free(x);
  free(y);
}

/* Where nothing can be said: too few points, edges of one's own. */
static void test_nothing(void **state) {
  (void)state;
  enum { N = TRUST_LEAST };
  double x[2 * N];
  fill_normal(x, 2 * N, 8);
  lavdm_options o;
  lavdm_options_default(&o);
  lavdm_model *model = fit(x, N - 1, 2, &o);
  assert_null(lavdm_info(model)->trust);
  lavdm_free(model);
  int64_t row[N], col[N];
  for (int64_t i = 0; i < N; i++) row[i] = i, col[i] = (i + 1) % N;
  lavdm_edges edges = {.count = N, .row = row, .col = col};
  lavdm_data data = {.edges = &edges, .n = N};
  lavdm_error error;
  o.method = LAVDM_METHOD_DM;
  assert_true(lavdm_fit(&data, &o, &model, &error) >= 0);
  assert_null(lavdm_info(model)->trust);
  lavdm_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_trustworthiness), cmocka_unit_test(test_angles),
      cmocka_unit_test(test_least),           cmocka_unit_test(test_sphere),
      cmocka_unit_test(test_saved),           cmocka_unit_test(test_short_cuts),
      cmocka_unit_test(test_noise),           cmocka_unit_test(test_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
