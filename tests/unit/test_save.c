/* Models in files: what comes back is the model, to the last bit, or nothing. */
#define _GNU_SOURCE
#include "model/save.h"

#include "oracle.h"

#include "io_support.h"

#include <locale.h>
#include <math.h>

enum { N = 120 };

static lavdm_model *fit(const lavdm_data *data, const lavdm_options *options) {
  lavdm_model *model;
  lavdm_error error;
  if (lavdm_fit(data, options, &model, &error) < 0) fail_msg("%s", error.message);
  return model;
}

static lavdm_model *open_model(const char *path) {
  lavdm_model *model;
  lavdm_error error;
  if (lavdm_load(path, &model, &error)) fail_msg("%s", error.message);
  return model;
}

static void keep(const lavdm_model *model, const char *path, int compact) {
  lavdm_error error;
  if (lavdm_save(model, path, compact, &error)) fail_msg("%s", error.message);
}

static void refuse_model(const char *path, const char *words) {
  lavdm_model *model = (lavdm_model *)(uintptr_t)path;
  lavdm_error error;
  int status = lavdm_load(path, &model, &error);
  if (!strstr(error.message, words)) fail_msg("'%s' does not say '%s'", error.message, words);
  assert_int_equal(status, LAVDM_ERROR_FILE);
  assert_int_equal(error.status, LAVDM_ERROR_FILE);
  assert_null(model);
  assert_int_equal(lavdm_load(path, &model, NULL), LAVDM_ERROR_FILE);
}

/* Points of a sphere, of two spheres far apart, or with one point alone. */
static double *points(int pieces) {
  double *x = numbers(N * 3);
  assert_int_equal(lavdm_sample("sphere", N, 0, NULL, 0, 3, x, NULL, NULL, NULL), 0);
  for (int i = 0; pieces > 1 && i < N; i++) x[3 * i] += i % 2 ? 100 : 0;
  if (pieces > 2) x[3 * 17 + 1] = 1e4;
  return x;
}

static lavdm_options options_of(lavdm_method method, lavdm_bundle bundle) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method, o.bundle = bundle;
  if (method >= LAVDM_METHOD_ROSELAND) o.landmarks = 40;
  o.components = 5;
  o.threads = 1;
  o.epsilon = 0.37;
  return o;
}

/* ------------------------------------------------------------ same bits */

static void same_array(const lavdm_array *a, const lavdm_array *b) {
  if (!b) fail_msg("'%s' is missing", a->name);
  assert_string_equal(a->name, b->name);
  assert_int_equal(a->type, b->type);
  assert_int_equal(a->rank, b->rank);
  size_t bytes = a->type == LAVDM_F32 ? 4 : 8;
  for (int i = 0; i < 3; i++) assert_int_equal(a->shape[i], b->shape[i]);
  for (int i = 0; i < a->rank; i++) bytes *= (size_t)a->shape[i];
  if (bytes) assert_memory_equal(a->data, b->data, bytes);
}

static void same_info(const lavdm_info_t *a, const lavdm_info_t *b) {
  const info_number *number;
  for (int i = 0; (number = model_number(i)); i++)
    assert_memory_equal((const char *)a + number->offset, (const char *)b + number->offset,
                        number->small ? 4 : 8);
  for (int i = 0; i < lavdm_option_count(); i++) {
    char x[64], y[64];
    lavdm_option_text(&a->chosen, lavdm_option_at(i)->name, x, sizeof x);
    lavdm_option_text(&b->chosen, lavdm_option_at(i)->name, y, sizeof y);
    assert_string_equal(x, y);
  }
  assert_memory_equal(&a->chosen.epsilon, &b->chosen.epsilon, 8);
  assert_memory_equal(&a->chosen.beta, &b->chosen.beta, 8);
  if (a->isolated) assert_memory_equal(a->isolated_index, b->isolated_index, 8 * (size_t)a->isolated);
  assert_memory_equal(a->eigenvalues, b->eigenvalues, 8 * (size_t)a->chosen.components);
  assert_memory_equal(a->residuals, b->residuals, 8 * (size_t)a->chosen.components);
  assert_int_equal(a->warnings, b->warnings);
  for (int i = 0; i < a->warnings; i++) assert_string_equal(a->warning[i], b->warning[i]);
  assert_int_equal(a->timings, b->timings);
  for (int i = 0; i < a->timings; i++) {
    assert_string_equal(a->timing[i].stage, b->timing[i].stage);
    assert_true(a->timing[i].seconds == b->timing[i].seconds);
  }
}

static void same_results(const lavdm_model *a, const lavdm_model *b) {
  enum { RANK = 4, WIDTH = RANK * (RANK + 1) / 2, K = 3 };
  int64_t n = lavdm_info(a)->n, p = lavdm_info(a)->p, q = lavdm_info(a)->q,
          r = lavdm_info(a)->chosen.components;
  double *x = numbers(n * (p * r + WIDTH)), *y = numbers(n * (p * r + WIDTH));
  assert_int_equal(lavdm_embedding(a, 1.5, RANK, x, NULL), lavdm_embedding(b, 1.5, RANK, y, NULL));
  assert_memory_equal(x, y, (size_t)(n * WIDTH) * 8);
  int status = lavdm_ambient(a, x, NULL);
  assert_int_equal(lavdm_ambient(b, y, NULL), status);
  if (!status) assert_memory_equal(x, y, (size_t)(n * p * r) * 8);
  status = lavdm_coordinates(a, 1.5, RANK, x, NULL);
  assert_int_equal(lavdm_coordinates(b, 1.5, RANK, y, NULL), status);
  if (!status) assert_memory_equal(x, y, (size_t)(n * RANK) * 8);
  assert_true(lavdm_distance(a, 1, 5, 2, RANK) == lavdm_distance(b, 1, 5, 2, RANK));
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

/* On a compact model every function that needs the points' own results says so. */
static void check_compact(const lavdm_model *whole, const lavdm_model *compact) {
  lavdm_error error;
  double x[200], d[3];
  int64_t i[3], point = 0;
  same_info(lavdm_info(whole), lavdm_info(compact));
  for (int k = 0; k < lavdm_array_count(whole); k++) {
    const lavdm_array *a = lavdm_array_at(whole, k);
    if (model_is_pointwise(a->name))
      assert_null(lavdm_get(compact, a->name));
    else
      same_array(a, lavdm_get(compact, a->name));
  }
  assert_int_equal(lavdm_embedding(compact, 1, 2, x, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "saved compact"));
  if (lavdm_info(compact)->q == 1) {
    assert_int_equal(lavdm_coordinates(compact, 1, 2, x, &error), LAVDM_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "saved compact"));
  }
  if (lavdm_info(compact)->chosen.bundle == LAVDM_BUNDLE_TANGENT) {
    assert_int_equal(lavdm_ambient(compact, x, &error), LAVDM_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "saved compact"));
  }
  assert_int_equal(lavdm_neighbours(compact, 1, 2, &point, 1, 3, i, d, NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "saved compact"));
  assert_true(isnan(lavdm_distance(compact, 0, 1, 1, 2)));
  assert_true(lavdm_embedding_rank(compact, 1, 0.1) == lavdm_embedding_rank(whole, 1, 0.1));
  lavdm_trim(compact);
}

static void same_files(const char *a, const char *b) {
  bytes_t x = load(a), y = load(b);
  assert_int_equal(x.size, y.size);
  assert_memory_equal(x.data, y.data, x.size);
  drop(&x), drop(&y);
}

/* Saved, loaded and saved again, whole and compact. */
static void round_trip(const lavdm_data *data, const lavdm_options *options) {
  lavdm_model *model = fit(data, options);
  keep(model, in("a.h5"), 0);
  lavdm_model *back = open_model(in("a.h5"));
  same_info(lavdm_info(model), lavdm_info(back));
  assert_int_equal(lavdm_array_count(model), lavdm_array_count(back));
  for (int i = 0; i < lavdm_array_count(model); i++)
    same_array(lavdm_array_at(model, i), lavdm_get(back, lavdm_array_at(model, i)->name));
  same_results(model, back);
  lavdm_trim(back);
  keep(back, in("b.h5"), 0);
  same_files(in("a.h5"), in("b.h5"));
  lavdm_model *again = open_model(in("b.h5"));
  same_results(model, again);
  lavdm_free(again);
  keep(model, in("b.h5"), 1);
  keep(back, in("c.h5"), 1);
  lavdm_free(back);
  back = open_model(in("b.h5"));
  if (model_has_landmarks(model))
    check_compact(model, back);
  else
    same_results(model, back), same_files(in("a.h5"), in("b.h5"));
  keep(back, in("d.h5"), 0); /* it stays compact */
  lavdm_free(back);
  back = open_model(in("d.h5"));
  assert_int_equal(lavdm_get(back, "eigenvectors") == NULL, model_has_landmarks(model));
  lavdm_free(back);
  keep(model, in("e.h5"), 0);
  same_files(in("a.h5"), in("e.h5"));
  lavdm_free(model);
}

static void every_method(void **state) {
  (void)state;
  for (int pieces = 1; pieces <= 3; pieces++) {
    double *x = points(pieces);
    for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++)
      for (lavdm_bundle bundle = LAVDM_BUNDLE_TRIVIAL; bundle <= LAVDM_BUNDLE_ORIENTATION; bundle++) {
        bool plain = method == LAVDM_METHOD_DM || method == LAVDM_METHOD_ROSELAND;
        if (plain && bundle != LAVDM_BUNDLE_TRIVIAL) continue;
        lavdm_options o = options_of(method, bundle);
        if (pieces == 2) o.precision = LAVDM_PRECISION_SINGLE;
        lavdm_data data = {.points = x, .n = N, .p = 3};
        round_trip(&data, &o);
      }
    free(x);
  }
}

static void other_options(void **state) {
  (void)state;
  double *x = numbers(N * 8), *s = points(1);
  fill_normal(x, N * 8, 4);
  for (int i = 0; i < N * 8; i++) x[i] = i % 8 < 3 ? s[i / 8 * 3 + i % 8] : 1e-3 * x[i];
  lavdm_data data = {.points = x, .n = N, .p = 8};
  lavdm_options o = options_of(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT);
  o.pca = 3;
  o.hood = LAVDM_HOOD_RADIUS;
  o.kernel = LAVDM_KERNEL_EPANECHNIKOV;
  o.seed = 8999999999999999999u;
  o.tolerance = 0.1 + 0.2;
  round_trip(&data, &o);
  o = options_of(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT);
  o.stream = LAVDM_STREAM_YES;
  round_trip(&data, &o);
  data.landmark_points = x, data.landmark_count = 40; /* landmarks that have no rows */
  o = options_of(LAVDM_METHOD_ROSELAND, LAVDM_BUNDLE_AUTO);
  round_trip(&data, &o);
  free(x), free(s);
}

static void given_edges(void **state) {
  (void)state;
  enum { E = 3 * 40 };
  int64_t row[E], col[E];
  double angle[E];
  for (int e = 0; e < E; e++)
    row[e] = 7 * (e % 40), col[e] = 7 * ((e % 40 + 1 + e / 40) % 40), angle[e] = 0.1 * e;
  lavdm_edges edges = {.count = E, .row = row, .col = col, .element = angle, .kind = LAVDM_ELEMENT_ANGLE};
  lavdm_data data = {.edges = &edges};
  for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++) {
    lavdm_options o = options_of(method, LAVDM_BUNDLE_AUTO);
    o.landmarks = LAVDM_AUTO;
    round_trip(&data, &o);
  }
}

static double my_kernel(double t, void *user) {
  (void)user;
  return t < 1 ? 1 - t : 0;
}

static void a_kernel_of_the_programs_own(void **state) {
  (void)state;
  double *x = points(1);
  lavdm_data data = {.points = x, .n = N, .p = 3};
  lavdm_options o = options_of(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT);
  o.kernel = LAVDM_KERNEL_CALLBACK, o.kernel_function = my_kernel, o.cutoff = 1;
  lavdm_model *model = fit(&data, &o);
  keep(model, in("k.h5"), 0);
  lavdm_model *back = open_model(in("k.h5"));
  assert_int_equal(lavdm_info(back)->chosen.kernel, LAVDM_KERNEL_CALLBACK);
  assert_null(lavdm_info(back)->chosen.kernel_function);
  same_results(model, back);
  lavdm_free(model), lavdm_free(back);
  free(x);
}

static void decimal_commas(void **state) {
  (void)state;
  const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "fr_FR"};
  bool found = false;
  for (int i = 0; i < 4 && !found; i++) found = setlocale(LC_ALL, names[i]) != NULL;
  if (!found) skip();
  lavdm_model *back = open_model(in("whole.h5"));
  keep(back, in("comma.h5"), 0);
  lavdm_free(back);
  setlocale(LC_ALL, "C");
  same_files(in("whole.h5"), in("comma.h5"));
}

/* -------------------------------------------------------- files made up */

/* A model's items, to be changed and written again under right checksums. */
typedef struct {
  store_t *store;
  store_item item[200];
  int count;
} made_up;

static made_up start(const char *path) {
  made_up m = {0};
  assert_int_equal(store_open(path, &m.store, NULL), LAVDM_OK);
  m.count = store_count(m.store);
  assert_in_range(m.count, 1, 199);
  for (int i = 0; i < m.count; i++) m.item[i] = *store_at(m.store, i);
  return m;
}

static store_item *item_of(made_up *m, const char *name) {
  for (int i = 0; i < m->count; i++)
    if (!strcmp(m->item[i].name, name)) return &m->item[i];
  m->item[m->count] = (store_item){.name = name};
  return &m->item[m->count++];
}

static const char *finish(made_up *m) {
  lavdm_error error;
  if (store_write(in("made-up.h5"), m->item, m->count, NULL, &error)) fail_msg("%s", error.message);
  store_close(m->store);
  return in("made-up.h5");
}

static void refuse_item(const char *from, store_item item, const char *words) {
  made_up m = start(from);
  *item_of(&m, item.name) = item;
  refuse_model(finish(&m), words);
}

static void refuse_text(const char *name, const char *text, const char *words) {
  refuse_item(in("whole.h5"), (store_item){name, STORE_TEXT, 1, {0}, text}, words);
}

static void refuse_number(const char *name, int64_t value, const char *words) {
  refuse_item(in("whole.h5"), (store_item){name, STORE_INTEGER, 0, {0}, &value}, words);
}

static void refuse_without(const char *from, const char *name, const char *words) {
  made_up m = start(from);
  *item_of(&m, name) = m.item[m.count - 1];
  m.count--;
  refuse_model(finish(&m), words);
}

static int make_models(void **state) {
  if (make_folder(state)) return -1;
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

static void versions(void **state) {
  (void)state;
  made_up m = start(in("whole.h5"));
  static const double more[24] = {7};
  *item_of(&m, "format_version") = (store_item){"format_version", STORE_TEXT, 1, {0}, "1.7"};
  *item_of(&m, "option_of_tomorrow") = (store_item){"option_of_tomorrow", STORE_TEXT, 1, {0}, "yes"};
  *item_of(&m, "array_of_tomorrow") = (store_item){"array_of_tomorrow", STORE_REAL, 3, {2, 3, 4}, more};
  *item_of(&m, "too_deep") = (store_item){"too_deep", STORE_REAL, 4, {2, 3, 4, 1}, more};
  lavdm_model *back = open_model(finish(&m));
  const lavdm_array *a = lavdm_get(back, "array_of_tomorrow");
  assert_non_null(a);
  assert_int_equal(a->shape[2], 4);
  assert_true(*(const double *)a->data == 7);
  assert_null(lavdm_get(back, "too_deep"));
  keep(back, in("again.h5"), 0);
  lavdm_free(back);
  back = open_model(in("again.h5"));
  assert_non_null(lavdm_get(back, "array_of_tomorrow"));
  lavdm_free(back);
  refuse_text("format_version", "2.0", "newer lavdm");
  refuse_text("format_version", "1", "format_version");
  refuse_text("format_version", "1.0x", "format_version");
  refuse_text("format_version", "0.9", "format_version");
  refuse_text("format_version", "", "format_version");
  refuse_text("format", "lavdm sample", "not a lavdm model");
  const store_item item = {"points", STORE_REAL, 1, {24}, more};
  assert_int_equal(store_write(in("sample.h5"), &item, 1, NULL, NULL), LAVDM_OK);
  refuse_model(in("sample.h5"), "is HDF5 but not a lavdm model");
  refuse_model(in("nowhere.h5"), "no such file");
}

static void many_more_arrays(void **state) {
  (void)state;
  static char name[100][16];
  static const double zero;
  made_up m = start(in("whole.h5"));
  for (int i = 0; i < 100; i++) {
    snprintf(name[i], sizeof name[i], "a%d", i);
    *item_of(&m, name[i]) = (store_item){name[i], STORE_REAL, 1, {1}, &zero};
  }
  lavdm_model *back = open_model(finish(&m)), *whole = open_model(in("whole.h5"));
  assert_int_equal(lavdm_array_count(back), MAX_ARRAYS);
  same_results(whole, back);
  lavdm_free(back), lavdm_free(whole);
}

static void impossible_numbers(void **state) {
  (void)state;
  const int64_t odd[] = {-1, INT64_MIN, INT64_MAX, 1 << 20};
  const char *const sizes[] = {"n", "p", "m", "q"};
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) refuse_number(sizes[k], odd[i], "cannot be used");
  refuse_number("n", 0, "'n'");
  refuse_number("n", N - 1, "cannot be used");
  refuse_number("isolated", N + 1, "isolated");
  refuse_number("isolated", 0, "isolated_points");
  refuse_number("graph_components", 1, "graph_component");
  refuse_number("streamed", 2, "streamed");
  refuse_number("compact", 1, "compact"); /* with all that the points got */
  refuse_item(in("whole.h5"), (store_item){"radius", STORE_REAL, 0, {0}, &(double){NAN}}, "radius");
  refuse_item(in("whole.h5"), (store_item){"radius", STORE_INTEGER, 0, {0}, &(int64_t){0}}, "radius");
  refuse_item(in("dm.h5"), (store_item){"m", STORE_INTEGER, 0, {0}, &(int64_t){5}}, "'m'");
  const char *const every[] = {"n", "edges", "fit_seconds", "compact", "format", "format_version"};
  for (int i = 0; i < 6; i++) refuse_without(in("whole.h5"), every[i], "");
}

static void impossible_options(void **state) {
  (void)state;
  refuse_text("option_epsilon", "-3", "option_epsilon");
  refuse_text("option_epsilon", "nan", "option_epsilon");
  refuse_text("option_epsilon", "auto", "epsilon");
  refuse_text("option_cutoff", "auto", "cutoff");
  refuse_text("option_alpha", "auto", "alpha");
  refuse_text("option_beta", "auto", "beta");
  refuse_text("option_components", "auto", "components");
  refuse_text("option_components", "6", "cannot be used");
  refuse_text("option_components", "100000", "components");
  refuse_text("option_bundle", "auto", "bundle");
  refuse_text("option_bundle", "orientation", "cannot be used");
  refuse_text("option_method", "dm", "cannot be used");
  refuse_text("option_method", "tsne", "option_method");
  refuse_text("option_dim", "3", "cannot be used");
  refuse_text("option_dim", "auto", "option_dim");
  refuse_text("option_threads", "0", "option_threads");
  refuse_text("option_threads", "100000", "option_threads");
  static char text[5000];
  memset(text, '1', sizeof text - 1);
  refuse_text("option_seed", text, "option_seed");
  made_up m = start(in("whole.h5"));
  *item_of(&m, "option_threads") = (store_item){"option_threads", STORE_TEXT, 1, {0}, "4096"};
  lavdm_model *back = open_model(finish(&m)), *whole = open_model(in("whole.h5"));
  assert_in_range(lavdm_info(back)->chosen.threads, 1, 256);
  lavdm_free(back), lavdm_free(whole);
}

static void wrong_shapes(void **state) {
  (void)state;
  static const double zero[N * 100];
  static const float small[N * 100];
  static const int64_t whole[N * 100];
  lavdm_model *model = open_model(in("whole.h5"));
  for (int i = 0; i < lavdm_array_count(model); i++) {
    const lavdm_array *a = lavdm_array_at(model, i);
    bool integer = a->type == LAVDM_I64;
    const void *data = integer ? (const void *)whole : zero;
    store_item item = {a->name, integer ? STORE_INTEGER : STORE_REAL, a->rank, {0}, data};
    memcpy(item.shape, a->shape, sizeof a->shape);
    for (int k = 0; k < a->rank; k++)
      for (int by = -1; by <= 1; by += 2) {
        store_item other = item;
        other.shape[k] += by;
        refuse_item(in("whole.h5"), other, a->name);
        other.shape[k] = 0;
        refuse_item(in("whole.h5"), other, a->name);
      }
    store_item other = item;
    other.shape[other.rank++] = 1;
    refuse_item(in("whole.h5"), other, a->name);
    other = item, other.type = integer ? STORE_REAL : STORE_INTEGER;
    refuse_item(in("whole.h5"), other, a->name);
  }
  lavdm_free(model);
  const char *const needed[] = {"eigenvalues", "residuals", "eigenvectors",   "degrees",
                                "frames",      "landmarks", "landmark_frames"};
  for (int i = 0; i < 7; i++) refuse_without(in("whole.h5"), needed[i], needed[i]);
  refuse_without(in("compact.h5"), "landmarks", "landmarks");
  /* arrays that a model may have besides, of the wrong shape or type */
  const store_item others[] = {
      {"points", STORE_REAL, 2, {N, 4}, zero},
      {"points", STORE_INTEGER, 2, {N, 3}, whole},
      {"centre", STORE_REAL, 1, {2}, zero},
      {"centre", STORE_SINGLE, 1, {3}, small},
      {"far_points", STORE_REAL, 2, {5, 2}, zero},
      {"landmark_vectors", STORE_REAL, 3, {40, 2, 4}, zero},
      {"landmark_scale", STORE_REAL, 1, {39}, zero},
      {"landmark_mass", STORE_SINGLE, 1, {40}, small},
      {"landmark_inflow", STORE_REAL, 1, {41}, zero},
      {"densities", STORE_REAL, 1, {N + 1}, zero},
      {"nodes", STORE_REAL, 1, {N}, zero},
      {"landmark_nodes", STORE_INTEGER, 1, {N}, whole},
      {"pca_basis", STORE_REAL, 2, {9, 2}, zero},
  };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    refuse_item(in("whole.h5"), others[i], others[i].name);
  made_up m = start(in("whole.h5"));
  *item_of(&m, "pca_basis") = (store_item){"pca_basis", STORE_REAL, 2, {9, 3}, zero};
  *item_of(&m, "pca_mean") = (store_item){"pca_mean", STORE_REAL, 1, {8}, zero};
  refuse_model(finish(&m), "pca_mean");
}

/* The array of a model with one value changed. */
static void refuse_value(const char *name, int64_t at, double value, const char *words) {
  made_up m = start(in("whole.h5"));
  store_item *item = item_of(&m, name);
  void *data = (void *)(uintptr_t)item->data; /* a private mapping */
  if (item->type == STORE_INTEGER)
    ((int64_t *)data)[at] = (int64_t)value;
  else
    ((double *)data)[at] = value;
  refuse_model(finish(&m), words);
}

static void wrong_values(void **state) {
  (void)state;
  refuse_value("landmark_index", 3, N, "landmark_index");
  refuse_value("landmark_index", 0, -1, "landmark_index");
  refuse_value("graph_component", 5, -2, "graph_component");
  refuse_value("graph_component", 5, 2, "graph_component");
  refuse_value("isolated_points", 0, N, "isolated_points");
  refuse_value("isolated_points", 0, -1, "isolated_points");
  const char *const real[] = {"eigenvalues", "eigenvectors", "degrees",
                              "frames",      "landmarks",    "landmark_frames"};
  for (int i = 0; i < 6; i++) {
    if (strcmp(real[i], "eigenvectors")) refuse_value(real[i], 2, NAN, real[i]); /* there: out of reach */
    refuse_value(real[i], 4, -INFINITY, real[i]);
  }
}

/* An extension has eigenvectors and no landmarks: it opens, and cannot be extended again. */
static void extensions(void **state) {
  (void)state;
  double *x = points(3);
  x[7] += 100;
  lavdm_data data = {.points = x, .n = N, .p = 3};
  lavdm_model *model = open_model(in("whole.h5")), *extension, *again;
  lavdm_error error;
  assert_int_equal(lavdm_extend(model, &data, NULL, NULL, &extension, &error), LAVDM_WARNING);
  keep(extension, in("extension.h5"), 0);
  lavdm_model *back = open_model(in("extension.h5"));
  const double *u = lavdm_get(extension, "eigenvectors")->data, *v = lavdm_get(back, "eigenvectors")->data;
  assert_memory_equal(u, v, (size_t)(N * 2 * 5) * sizeof *u);
  assert_true(isnan(v[2 * 10]));
  assert_int_equal(lavdm_info(back)->isolated_index[0], 2);
  assert_int_equal(lavdm_extend(back, &data, NULL, NULL, &again, &error), LAVDM_ERROR_ARGUMENT);
  lavdm_free(back), lavdm_free(extension), lavdm_free(model);
  free(x);
}

/* Values that are possible, but pass all bounds when they are used. */
static void values_that_overflow(void **state) {
  (void)state;
  made_up m = start(in("whole.h5"));
  double *u = (double *)(uintptr_t)item_of(&m, "eigenvectors")->data;
  for (int i = 0; i < 50; i++) u[i] = 1e300;
  lavdm_model *back = open_model(finish(&m));
  int64_t i[3 * N];
  double d[3 * N];
  lavdm_error error;
  assert_int_equal(lavdm_neighbours(back, 1, 3, NULL, 0, 3, i, d, NULL, &error), LAVDM_ERROR_NUMERICS);
  lavdm_free(back);
}

static void bad_arguments(void **state) {
  (void)state;
  lavdm_model *model = open_model(in("whole.h5")), *other = model;
  lavdm_error error;
  assert_int_equal(lavdm_save(NULL, in("x.h5"), 0, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_save(model, NULL, 0, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_load(NULL, &other, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_load(in("whole.h5"), NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_save(model, "/nowhere/at/all/x.h5", 0, &error), LAVDM_ERROR_FILE);
  assert_non_null(strstr(error.message, "No such file or directory"));
  assert_int_equal(lavdm_save(model, in("whole.h5"), 0, &error),
                   LAVDM_OK); /* over itself, while it is open */
  lavdm_free(model);
  model = open_model(in("whole.h5"));
  lavdm_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method),       cmocka_unit_test(other_options),
      cmocka_unit_test(given_edges),        cmocka_unit_test(a_kernel_of_the_programs_own),
      cmocka_unit_test(versions),           cmocka_unit_test(many_more_arrays),
      cmocka_unit_test(impossible_numbers), cmocka_unit_test(impossible_options),
      cmocka_unit_test(wrong_shapes),       cmocka_unit_test(wrong_values),
      cmocka_unit_test(extensions),         cmocka_unit_test(values_that_overflow),
      cmocka_unit_test(bad_arguments),      cmocka_unit_test(decimal_commas),
  };
  return cmocka_run_group_tests(tests, make_models, remove_folder);
}
