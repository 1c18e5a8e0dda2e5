/*
 * A model of images from its file, damaged ones, a stream, floats, one thread and two;
 * data that cannot be used, and odd data that can.
 */
#include "turned_support.h"

#include "file/store.h"

static void check_equal(const lavdm_model *a, const lavdm_model *b, const char *name) {
  const lavdm_array *x = lavdm_get(a, name), *y = lavdm_get(b, name);
  assert_true(x && y && x->type == y->type);
  size_t bytes = x->type == LAVDM_F32 ? 4 : 8;
  for (int k = 0; k < x->rank; k++) {
    assert_int_equal(x->shape[k], y->shape[k]);
    bytes *= (size_t)x->shape[k];
  }
  assert_memory_equal(x->data, y->data, bytes);
}

static void test_kept(void **state) {
  (void)state;
  enum { N = 60, PIXELS = SIDE * SIDE };
  double *x = images(N, 4);
  lavdm_data data = {.points = x, .n = N - 10, .p = PIXELS},
             rest = {.points = x + (N - 10) * PIXELS, .n = 2, .p = PIXELS};
  for (int single = 0; single <= 1; single++)
    for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++) {
      char path[] = "turned-XXXXXX";
      int file = mkstemp(path);
      assert_true(file >= 0);
      close(file);
      lavdm_error error;
      lavdm_options o = defaults(method);
      o.bundle = LAVDM_BUNDLE_ROTATION, o.noise = 0.05, o.precision = (lavdm_precision)single;
      lavdm_model *model = fit_or_fail(&data, &o), *loaded = NULL;
      bool compact = method == LAVDM_METHOD_LAVDM;
      assert_int_equal(lavdm_save(model, path, compact, &error), 0);
      if (lavdm_load(path, &loaded, &error) < 0) fail_msg("%s", error.message);
      unlink(path);
      lavdm_model *a = extend_or_fail(model, &rest), *b = extend_or_fail(loaded, &rest);
      check_equal(a, b, "eigenvectors");
      check_equal(a, b, "degrees");
      lavdm_model *none; /* an extension is kept as well, but not extended again */
      assert_int_equal(lavdm_save(a, path, false, &error), 0);
      lavdm_free(loaded);
      if (lavdm_load(path, &loaded, &error) < 0) fail_msg("%s", error.message);
      unlink(path);
      check_equal(a, loaded, "eigenvectors");
      assert_int_equal(lavdm_extend(loaded, &rest, NULL, NULL, &none, &error), LAVDM_ERROR_ARGUMENT);
      lavdm_free(a);
      lavdm_free(b);
      lavdm_free(loaded);
      lavdm_free(model);
    }
  free(x);
}

/* The model of the file with another item in place of its own, or without it and `less` if it has no data:
 * neither opened nor applied, if unfit. */
static void check_without(const char *path, store_item other, const char *less, const lavdm_data *data,
                          const char *says) {
  enum { MOST = 200 };
  store_t *store;
  store_item item[MOST];
  lavdm_error error = {0};
  lavdm_model *model = NULL, *extension = NULL;
  assert_int_equal(store_open(path, &store, NULL), LAVDM_OK);
  int count = store_count(store);
  assert_in_range(count, 1, MOST);
  for (int i = 0; i < count; i++) item[i] = *store_at(store, i);
  for (int i = count - 1; i >= 0; i--) {
    bool named = !strcmp(item[i].name, other.name), gone = named && !other.data;
    if (named && other.data) item[i] = other;
    if (gone || !strcmp(item[i].name, less)) item[i] = item[--count];
  }
  assert_int_equal(store_write("turned-made-up.h5", item, count, NULL, &error), LAVDM_OK);
  store_close(store);
  int status = lavdm_load("turned-made-up.h5", &model, &error);
  if (status >= 0) status = lavdm_extend(model, data, NULL, NULL, &extension, &error);
  if (status >= 0) fail_msg("a model with another %s was applied", other.name);
  if (!*error.message || !strstr(error.message, says))
    fail_msg("'%s' does not say '%s'", error.message, says);
  lavdm_free(model);
  unlink("turned-made-up.h5");
}

static void check_made_up(const char *path, store_item other, const lavdm_data *data) {
  check_without(path, other, "", data, "");
}

static void test_made_up(void **state) {
  (void)state;
  enum { N = 40, PIXELS = SIDE * SIDE };
  enum { SHAPES = 10 };
  static const int64_t shapes[SHAPES][2] = {{9, 16},    {1, PIXELS},    {PIXELS, 1}, {2, 72},
                                            {-12, -12}, {INT64_MAX, 2}, {0, 0},      {PIXELS + 1, 1},
                                            {12, 13},   {13, 11}};
  static const int64_t zeros[PIXELS], many[] = {1, 1, 1 << 30};
  static const double reals[4 * N * PIXELS];
  double *x = images(N, 4);
  lavdm_data data = {.points = x, .n = N, .p = PIXELS};
  for (int square = 0; square <= 1; square++) {
    char path[] = "turned-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    lavdm_options o = defaults(square ? LAVDM_METHOD_VDM : LAVDM_METHOD_LAVDM);
    o.bundle = LAVDM_BUNDLE_ROTATION, o.noise = 0.05;
    lavdm_model *model = fit_or_fail(&data, &o);
    assert_int_equal(lavdm_save(model, path, false, NULL), LAVDM_OK);
    int64_t bands = lavdm_get(model, "band_components")->shape[0];
    assert_true(bands > 3);
    for (int k = 0; k < SHAPES; k++)
      check_made_up(path, (store_item){"image_shape", STORE_INTEGER, 1, {2}, shapes[k]}, &data);
    check_made_up(path, (store_item){"image_shape", STORE_INTEGER, 1, {1}, shapes[0]}, &data);
    check_made_up(path, (store_item){"band_components", STORE_INTEGER, 1, {bands}, zeros}, &data);
    check_made_up(path, (store_item){"band_components", STORE_INTEGER, 1, {PIXELS}, zeros}, &data);
    check_made_up(path, (store_item){"band_components", STORE_INTEGER, 1, {3}, many}, &data);
    check_made_up(path, (store_item){"band_components", STORE_REAL, 1, {3}, reals}, &data);
    check_made_up(path, (store_item){"band_matrices", STORE_REAL, 1, {1}, reals}, &data);
    check_made_up(path, (store_item){"option_bundle", STORE_TEXT, 1, {5}, "shift"}, &data);
    check_made_up(path, (store_item){"option_method", STORE_TEXT, 1, {2}, "dm"}, &data);
    static const int64_t less[PIXELS] = {1}, none[1] = {0};
    check_made_up(path, (store_item){"band_components", STORE_INTEGER, 1, {0}, none}, &data);
    check_without(path, (store_item){"band_components", STORE_INTEGER, 1, {bands}, less}, "band_matrices",
                  &data, "band_components");
    if (square) {
      check_without(path, (store_item){.name = "image_shape"}, "coefficients", &data, "image_shape");
      check_without(path, (store_item){.name = "band_components"}, "coefficients", &data, "band_components");
      check_without(path, (store_item){.name = "coefficients"}, "", &data, "coefficients");
      check_made_up(path, (store_item){"coefficients", STORE_REAL, 3, {N, 2, 2}, reals}, &data);
      check_made_up(path, (store_item){"coefficients", STORE_REAL, 3, {N, PIXELS, 1}, reals}, &data);
      check_made_up(path, (store_item){"knn_distances", STORE_REAL, 1, {N - 1}, reals}, &data);
    }
    unlink(path);
    lavdm_free(model);
  }
  free(x);
}

static int read_rows(void *user, int64_t first, int64_t count, void *rows) {
  enum { PIXELS = SIDE * SIDE };
  memcpy(rows, (const double *)user + first * PIXELS, (size_t)(count * PIXELS) * sizeof(double));
  return 0;
}

static void test_streamed(void **state) {
  (void)state;
  enum { N = 300, PIXELS = SIDE * SIDE };
  double *x = images(N, 6);
  lavdm_data data = {.points = x, .n = N, .p = PIXELS},
             read = {.read = read_rows, .read_user = x, .n = N, .p = PIXELS};
  for (int design = LAVDM_DESIGN_KMEANS; design <= LAVDM_DESIGN_RANDOM; design++) {
    lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
    o.bundle = LAVDM_BUNDLE_ROTATION, o.noise = LAVDM_AUTO, o.design = (lavdm_design)design;
    lavdm_model *model = fit_or_fail(&data, &o);
    o.stream = LAVDM_STREAM_YES;
    lavdm_model *other = fit_or_fail(&read, &o);
    assert_int_equal(lavdm_info(other)->streamed, 1);
    check_equal(model, other, "eigenvectors");
    check_equal(model, other, "landmark_index");
    lavdm_model *a = extend_or_fail(model, &data), *b = extend_or_fail(other, &read);
    check_equal(a, b, "eigenvectors");
    lavdm_free(a);
    lavdm_free(b);
    lavdm_free(model);
    lavdm_free(other);
  }
  free(x);
}

/* Images beyond the cut-off of every landmark: the fit takes them in with the nearest, and so does the model,
 * again and from its file; another as far off is isolated. */
static void test_far(void **state) {
  (void)state;
  enum { N = 60, PIXELS = SIDE * SIDE, MARKS = 12, FAR = 3 };
  for (int single = 0; single <= 1; single++) {
    double *x = images(N, 4), stranger[PIXELS];
    int64_t index[MARKS];
    for (int64_t k = 0; k < MARKS; k++) index[k] = 4 * k;
    for (int64_t i = 0; i < FAR; i++) /* the last ones, which are no landmarks */
      for (int j = 0; j < PIXELS; j++) x[(N - 1 - i) * PIXELS + j] *= 2 + 0.3 * (double)i;
    for (int j = 0; j < PIXELS; j++) stranger[j] = 9 * x[j];
    lavdm_data data = {.points = x, .n = N, .p = PIXELS, .landmark_index = index, .landmark_count = MARKS},
               all = {.points = x, .n = N, .p = PIXELS}, other = {.points = stranger, .n = 1, .p = PIXELS};
    lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
    o.bundle = LAVDM_BUNDLE_ROTATION, o.precision = (lavdm_precision)single, o.components = 3;
    o.epsilon = 3, o.cutoff = 1.5;
    lavdm_model *model = fit_or_fail(&data, &o), *kept, *none;
    lavdm_error error;
    assert_in_range(lavdm_info(model)->far_points, FAR, N / 4);
    assert_int_equal(lavdm_info(model)->isolated, 0);
    const lavdm_array *far = lavdm_get(model, "far_points");
    assert_true(far && far->shape[0] == lavdm_info(model)->far_points && far->shape[1] == PIXELS);
    assert_int_equal(lavdm_save(model, "turned-far.h5", false, &error), LAVDM_OK);
    assert_int_equal(lavdm_load("turned-far.h5", &kept, &error), LAVDM_OK);
    unlink("turned-far.h5");
    for (int from_file = 0; from_file <= 1; from_file++) {
      lavdm_model *again = extend_or_fail(from_file ? kept : model, &all);
      assert_int_equal(lavdm_info(again)->isolated, 0);
      const double *d = lavdm_get(model, "degrees")->data, *e = lavdm_get(again, "degrees")->data;
      for (int64_t i = 0; i < N; i++) assert_true(fabs(d[i] - e[i]) <= (single ? 1e-4 : 1e-9) * d[i]);
      lavdm_free(again);
      assert_int_equal(lavdm_extend(from_file ? kept : model, &other, NULL, NULL, &none, &error),
                       LAVDM_WARNING);
      assert_int_equal(lavdm_info(none)->isolated, 1);
      lavdm_free(none);
    }
    lavdm_free(kept), lavdm_free(model);
    free(x);
  }
}

/* One thread and two: the same to rounding; floats as well as doubles with strides. */
static void test_threads_and_types(void **state) {
  (void)state;
  enum { N = 80, PIXELS = SIDE * SIDE };
  double *x = images(N, 6), *columns = numbers(N * PIXELS);
  float *single = calloc(N * PIXELS, sizeof *single);
  assert_non_null(single);
  for (int64_t i = 0; i < N * PIXELS; i++) {
    single[i] = (float)x[i];
    x[i] = single[i];
    columns[i % PIXELS * N + i / PIXELS] = x[i];
  }
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  o.bundle = LAVDM_BUNDLE_ROTATION, o.threads = 1;
  lavdm_data data = {.points = x, .n = N, .p = PIXELS},
             floats = {.points = single, .type = LAVDM_F32, .n = N, .p = PIXELS},
             turned = {.points = columns, .n = N, .p = PIXELS, .row_stride = 1, .col_stride = N};
  int64_t index[20];
  for (int64_t k = 0; k < 20; k++) index[k] = 4 * k;
  data.landmark_index = floats.landmark_index = turned.landmark_index = index;
  data.landmark_count = floats.landmark_count = turned.landmark_count = 20;
  lavdm_model *model = fit_or_fail(&data, &o);
  o.threads = 2;
  const lavdm_data *others[] = {&data, &floats, &turned};
  for (int k = 0; k < 3; k++) {
    lavdm_model *other = fit_or_fail(others[k], &o);
    check_same(model, other, 1e-10);
    lavdm_free(other);
  }
  o.precision = LAVDM_PRECISION_SINGLE;
  for (int64_t i = 0; i < N * PIXELS; i++) x[i] += 1000; /* an offset costs no digits */
  lavdm_model *other = fit_or_fail(&data, &o);
  check_same(model, other, 2e-4);
  lavdm_free(other);
  lavdm_free(model);
  free(x), free(columns), free(single);
}

/* -------------------------------------------------------------------- corners */

static void check_refused(const lavdm_data *data, const lavdm_options *o, int status, const char *says) {
  lavdm_model *model;
  lavdm_error error;
  int got = lavdm_fit(data, o, &model, &error);
  if (got != status || !strstr(error.message, says))
    fail_msg("%d: %s", got, got < 0 ? error.message : "a result");
  assert_null(model);
}

static void test_refused(void **state) {
  (void)state;
  enum { N = 12, PIXELS = SIDE * SIDE };
  double *x = images(N, 6), *zero = numbers(N * PIXELS);
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  o.bundle = LAVDM_BUNDLE_ROTATION;
  lavdm_data data = {.points = x, .n = N, .p = PIXELS - 1};
  check_refused(&data, &o, LAVDM_ERROR_DATA, "143 pixels");
  data.p = PIXELS, data.height = 10;
  check_refused(&data, &o, LAVDM_ERROR_ARGUMENT, "144 pixels");
  data.height = 72;
  check_refused(&data, &o, LAVDM_ERROR_DATA, "72 x 2");
  data.height = INT64_MAX, data.width = INT64_MAX;
  check_refused(&data, &o, LAVDM_ERROR_ARGUMENT, "144 pixels");
  data.height = data.width = -12;
  check_refused(&data, &o, LAVDM_ERROR_ARGUMENT, "144 pixels");
  data.height = data.width = 0, data.n = 1;
  check_refused(&data, &o, LAVDM_ERROR_DATA, "one point");
  data.n = 0;
  check_refused(&data, &o, LAVDM_ERROR_DATA, "0 rows");
  data.n = N, x[3 * PIXELS + 7] = NAN;
  check_refused(&data, &o, LAVDM_ERROR_DATA, "row 4, column 8");
  x[3 * PIXELS + 7] = 0, o.landmarks = N + 1;
  check_refused(&data, &o, LAVDM_ERROR_ARGUMENT, "landmarks is 13");
  o.landmarks = LAVDM_AUTO, data.points = zero;
  check_refused(&data, &o, LAVDM_ERROR_DATA, "equal");
  o.bundle = LAVDM_BUNDLE_SHIFT, data.p = 2;
  check_refused(&data, &o, LAVDM_ERROR_DATA, "2 samples");
  data.p = 3, o.method = LAVDM_METHOD_NYSTROM;
  check_refused(&data, &o, LAVDM_ERROR_ARGUMENT, "nystrom");
  o.method = LAVDM_METHOD_VDM, o.stream = LAVDM_STREAM_YES;
  check_refused(&data, &o, LAVDM_ERROR_ARGUMENT, "streamed");
  free(x), free(zero);
}

/* Constant and equal images, few of them, and landmarks of one's own. */
static void test_odd_data(void **state) {
  (void)state;
  enum { N = 30, PIXELS = SIDE * SIDE };
  double *x = images(N, 6);
  for (int64_t i = 0; i < 10; i++) /* ten that are constant, ten copies */
    for (int j = 0; j < PIXELS; j++) {
      x[i * PIXELS + j] = (double)i;
      x[(10 + i) * PIXELS + j] = x[29 * PIXELS + j];
    }
  for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++)
    for (int auto_noise = 0; auto_noise <= 1; auto_noise++) {
      lavdm_data data = {.points = x, .n = N, .p = PIXELS, .height = SIDE, .width = SIDE};
      lavdm_options o = defaults(method);
      o.bundle = LAVDM_BUNDLE_ROTATION, o.components = 3;
      if (auto_noise) o.noise = LAVDM_AUTO;
      lavdm_model *model = fit_or_fail(&data, &o);
      const double *values = lavdm_info(model)->eigenvalues;
      assert_true(values[0] > 0.5 && values[0] < 1 + 1e-9);
      lavdm_free(model);
      data.n = 2, o.components = 1;
      lavdm_free(fit_or_fail(&data, &o));
      data.n = N, data.landmark_points = x, data.landmark_count = N - 2;
      lavdm_free(fit_or_fail(&data, &o));
    }
  free(x);
}

static void test_plan(void **state) {
  (void)state;
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  lavdm_plan_t plan = {0};
  lavdm_error error;
  double one = 0;
  lavdm_data data = {.points = &one, .n = 100000, .p = 64 * 64};
  o.bundle = LAVDM_BUNDLE_ROTATION, o.noise = LAVDM_AUTO, o.max_memory = (int64_t)16 << 30;
  assert_int_equal(lavdm_plan(&data, &o, &plan, &error), 0);
  assert_true(plan.memory > 100000 * 8 && plan.memory < (int64_t)8 << 30);
  data.p = 4095;
  assert_int_equal(lavdm_plan(&data, &o, &plan, &error), LAVDM_ERROR_DATA);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kept),     cmocka_unit_test(test_made_up),
      cmocka_unit_test(test_streamed), cmocka_unit_test(test_threads_and_types),
      cmocka_unit_test(test_refused),  cmocka_unit_test(test_odd_data),
      cmocka_unit_test(test_plan),     cmocka_unit_test(test_far),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
