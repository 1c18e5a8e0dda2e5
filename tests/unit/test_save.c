/* Models in files: what comes back is the model, to the last bit. */
#include "save_support.h"

#include <locale.h>

static void same_info(const lavdm_info_t *a, const lavdm_info_t *b) {
  const info_number *number;
  for (int i = 0; (number = model_number(i)); i++)
    assert_memory_equal((const char *)a + number->offset, (const char *)b + number->offset,
                        number->small ? 4 : 8);
  for (int i = 0; i < lavdm_option_count(); i++) {
    char x[64], y[64];
    lavdm_option_text(a->chosen, lavdm_option_at(i)->name, x, sizeof x);
    lavdm_option_text(b->chosen, lavdm_option_at(i)->name, y, sizeof y);
    assert_string_equal(x, y);
  }
  assert_memory_equal(&a->chosen->epsilon, &b->chosen->epsilon, 8);
  assert_memory_equal(&a->chosen->beta, &b->chosen->beta, 8);
  if (a->isolated) assert_memory_equal(a->isolated_index, b->isolated_index, 8 * (size_t)a->isolated);
  assert_memory_equal(a->eigenvalues, b->eigenvalues, 8 * (size_t)a->chosen->components);
  assert_memory_equal(a->residuals, b->residuals, 8 * (size_t)a->chosen->components);
  assert_int_equal(a->warnings, b->warnings);
  for (int i = 0; i < a->warnings; i++) assert_string_equal(a->warning[i], b->warning[i]);
  assert_int_equal(a->timings, b->timings);
  for (int i = 0; i < a->timings; i++) {
    assert_string_equal(a->timing[i].stage, b->timing[i].stage);
    assert_true(a->timing[i].seconds == b->timing[i].seconds);
  }
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
  if (lavdm_info(compact)->chosen->bundle == LAVDM_BUNDLE_TANGENT) {
    assert_int_equal(lavdm_ambient(compact, x, &error), LAVDM_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "saved compact"));
  }
  assert_int_equal(lavdm_neighbours(compact, 1, 2, &point, 1, 3, i, d, NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "saved compact"));
  assert_true(isnan(model_distance(compact, 0, 1, 1, 2)));
  assert_true(lavdm_embedding_rank(compact, 1, 0.1) == lavdm_embedding_rank(whole, 1, 0.1));
  lavdm_trim(compact);
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
    o.landmarks = o.dim = o.knn = LAVDM_AUTO; /* how points become a graph has no use here */
    o.epsilon = o.cutoff = LAVDM_AUTO;
    round_trip(&data, &o);
    if (method < LAVDM_METHOD_ROSELAND) continue;
    o.landmarks = 12;
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
  assert_int_equal(lavdm_info(back)->chosen->kernel, LAVDM_KERNEL_CALLBACK);
  assert_null(lavdm_info(back)->chosen->kernel_function);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method),   cmocka_unit_test(other_options),
      cmocka_unit_test(given_edges),    cmocka_unit_test(a_kernel_of_the_programs_own),
      cmocka_unit_test(decimal_commas),
  };
  return cmocka_run_group_tests(tests, make_models, remove_folder);
}
