/* What the tests of kept models share: models, their files, and results compared
 * to the last bit. */
#ifndef LAVDM_TESTS_SAVE_SUPPORT_H
#define LAVDM_TESTS_SAVE_SUPPORT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "model/save.h"

#include "oracle.h"

#include "io_support.h"

#include <math.h>

enum { N = 120 };

__attribute__((unused)) static lavdm_model *fit(const lavdm_data *data, const lavdm_options *options) {
  lavdm_model *model;
  lavdm_error error;
  if (lavdm_fit(data, options, &model, &error) < 0) fail_msg("%s", error.message);
  return model;
}

__attribute__((unused)) static lavdm_model *open_model(const char *path) {
  lavdm_model *model;
  lavdm_error error;
  if (lavdm_load(path, &model, &error)) fail_msg("%s", error.message);
  return model;
}

__attribute__((unused)) static void keep(const lavdm_model *model, const char *path, int compact) {
  lavdm_error error;
  if (lavdm_save(model, path, compact, &error)) fail_msg("%s", error.message);
}

/* Points of a sphere, of two spheres far apart, or with one point alone. */
__attribute__((unused)) static double *points(int pieces) {
  double *x = numbers(N * 3);
  assert_int_equal(lavdm_sample("sphere", N, 0, NULL, 0, 3, x, NULL, NULL, NULL), 0);
  for (int i = 0; pieces > 1 && i < N; i++) x[3 * i] += i % 2 ? 100 : 0;
  if (pieces > 2) x[3 * 17 + 1] = 1e4;
  return x;
}

__attribute__((unused)) static lavdm_options options_of(lavdm_method method, lavdm_bundle bundle) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method, o.bundle = bundle;
  if (method >= LAVDM_METHOD_ROSELAND) o.landmarks = 40;
  o.components = 5;
  o.threads = 1;
  o.epsilon = 0.37;
  return o;
}

__attribute__((unused)) static void same_array(const lavdm_array *a, const lavdm_array *b) {
  if (!b) fail_msg("'%s' is missing", a->name);
  assert_string_equal(a->name, b->name);
  assert_int_equal(a->type, b->type);
  assert_int_equal(a->rank, b->rank);
  size_t bytes = a->type == LAVDM_F32 ? 4 : 8;
  for (int i = 0; i < 3; i++) assert_int_equal(a->shape[i], b->shape[i]);
  for (int i = 0; i < a->rank; i++) bytes *= (size_t)a->shape[i];
  if (bytes) assert_memory_equal(a->data, b->data, bytes);
}

__attribute__((unused)) static void same_results(const lavdm_model *a, const lavdm_model *b) {
  enum { RANK = 4, WIDTH = RANK * (RANK + 1) / 2, K = 3 };
  int64_t n = lavdm_info(a)->n, p = lavdm_info(a)->p, q = lavdm_info(a)->q,
          r = lavdm_info(a)->chosen->components;
  double *x = numbers(n * (p * r + WIDTH)), *y = numbers(n * (p * r + WIDTH));
  assert_int_equal(lavdm_embedding(a, 1.5, RANK, x, NULL), lavdm_embedding(b, 1.5, RANK, y, NULL));
  assert_memory_equal(x, y, (size_t)(n * WIDTH) * 8);
  int status = lavdm_ambient(a, x, NULL);
  assert_int_equal(lavdm_ambient(b, y, NULL), status);
  if (!status) assert_memory_equal(x, y, (size_t)(n * p * r) * 8);
  status = lavdm_coordinates(a, 1.5, RANK, x, NULL);
  assert_int_equal(lavdm_coordinates(b, 1.5, RANK, y, NULL), status);
  if (!status) assert_memory_equal(x, y, (size_t)(n * RANK) * 8);
  assert_true(model_distance(a, 1, 5, 2, RANK) == model_distance(b, 1, 5, 2, RANK));
  assert_int_equal(lavdm_embedding_rank(a, 3, 0.5), lavdm_embedding_rank(b, 3, 0.5));
  int64_t *i = calloc((size_t)(2 * n * K), sizeof *i);
  double *d = numbers(2 * n * K), *o = numbers(2 * n * K * q * q);
  assert_non_null(i);
  assert_int_equal(lavdm_neighbours(a, 1, RANK, NULL, 0, K, i, d, o, NULL), 0);
  assert_int_equal(lavdm_neighbours(b, 1, RANK, NULL, 0, K, i + n * K, d + n * K, o + n * K * q * q, NULL),
                   0);
  assert_memory_equal(i, i + n * K, (size_t)(n * K) * 8);
  assert_memory_equal(d, d + n * K, (size_t)(n * K) * 8);
  assert_memory_equal(o, o + n * K * q * q, (size_t)(n * K * q * q) * 8);
  free(x), free(y), free(i), free(d), free(o);
}

__attribute__((unused)) static void same_files(const char *a, const char *b) {
  bytes_t x = load(a), y = load(b);
  assert_int_equal(x.size, y.size);
  assert_memory_equal(x.data, y.data, x.size);
  drop(&x), drop(&y);
}

/* A model with pieces and an isolated point, whole and compact, and one of dm. */
__attribute__((unused)) static int make_models(void **state) {
  strcpy(folder, "/dev/shm/lavdm-save-XXXXXX"); /* many files: in memory, if there is such a folder */
  if (!mkdtemp(folder) && make_folder(state)) return -1;
  double *x = points(3);
  lavdm_data data = {.points = x, .n = N, .p = 3};
  lavdm_options o = options_of(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT);
  lavdm_model *model = fit(&data, &o);
  keep(model, in("whole.h5"), 0);
  keep(model, in("compact.h5"), 1);
  lavdm_free(model);
  o = options_of(LAVDM_METHOD_DM, LAVDM_BUNDLE_AUTO);
  model = fit(&data, &o);
  keep(model, in("dm.h5"), 0);
  lavdm_free(model);
  free(x);
  return 0;
}

#endif
