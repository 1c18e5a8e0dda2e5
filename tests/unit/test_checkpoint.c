/*
 * Fits that are stopped in every stage and taken up again: the same bits, counts
 * and warnings as without a stop. A checkpoint of other data or options, a damaged
 * one, or no checkpoint at all: refused, and left as it is.
 */
#include "oracle.h"

#include "file/store.h"
#include "pipeline/checkpoint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

/* Reports come ten times a second: here every look at the clock is a second later. */
int clock_gettime(clockid_t id, struct timespec *now) {
  static _Atomic long seconds = 1000;
  (void)id;
  *now = (struct timespec){.tv_sec = seconds++};
  return 0;
}

enum { N = 260, P = 3, WIDE = 40 };

static char folder[] = "checkpoint-XXXXXX", path[64];
static double points[N * P], wide[N * WIDE];

/* A sphere, a small one far from it, and a point far from both. */
static int setup(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/run.h5", folder);
  if (lavdm_sample("sphere", N, 0, NULL, 0, 3, points, NULL, NULL, NULL) < 0) return -1;
  for (int64_t i = 200; i < N - 1; i++)
    for (int64_t j = 0; j < P; j++) points[i * P + j] = 50 + 0.5 * points[i * P + j];
  for (int64_t j = 0; j < P; j++) points[(N - 1) * P + j] = -900;
  fill_normal(wide, (int64_t)N * WIDE, 5);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);
}

static lavdm_options defaults(lavdm_method method) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method;
  o.components = 6;
  o.threads = 1;
  o.epsilon = 0.3;
  if (method == LAVDM_METHOD_LAVDM || method == LAVDM_METHOD_VDM) o.dim = 2;
  return o;
}

/* --------------------------------------------------------- stop and resume */

static int stop_in(const char *stage, double fraction, void *user) {
  (void)fraction;
  return !strcmp(stage, user);
}

static size_t bytes_of(const lavdm_array *a) {
  return (size_t)(a->shape[0] * a->shape[1] * a->shape[2]) *
         (a->type == LAVDM_F32 ? sizeof(float) : sizeof(double));
}

static void same_model(const lavdm_model *a, const lavdm_model *b) {
  const lavdm_info_t *x = lavdm_info(a), *y = lavdm_info(b);
  assert_int_equal(lavdm_array_count(a), lavdm_array_count(b));
  for (int i = 0; i < lavdm_array_count(a); i++) {
    const lavdm_array *u = lavdm_array_at(a, i), *v = lavdm_array_at(b, i);
    assert_string_equal(u->name, v->name);
    assert_int_equal(u->type, v->type);
    assert_memory_equal(u->shape, v->shape, sizeof u->shape);
    assert_memory_equal(u->data, v->data, bytes_of(u));
  }
  for (int i = 0; i < lavdm_option_count(); i++) {
    char s[64], t[64];
    const char *name = lavdm_option_at(i)->name;
    if (!identity_counts(name)) continue;
    lavdm_option_text(&x->chosen, name, s, sizeof s);
    lavdm_option_text(&y->chosen, name, t, sizeof t);
    assert_string_equal(s, t);
  }
  assert_true(x->n == y->n && x->p == y->p && x->m == y->m && x->q == y->q);
  assert_true(x->edges == y->edges && x->isolated == y->isolated && x->far_points == y->far_points);
  assert_true(x->graph_components == y->graph_components && x->ill_aligned == y->ill_aligned);
  assert_true(x->degenerate_frames == y->degenerate_frames && x->radius == y->radius);
  assert_memory_equal(x->isolated_index, y->isolated_index, (size_t)x->isolated * sizeof(int64_t));
  assert_int_equal(x->warnings, y->warnings);
  for (int i = 0; i < x->warnings; i++) assert_string_equal(x->warning[i], y->warning[i]);
}

static bool has_timing(const lavdm_model *model, const char *stage) {
  const lavdm_info_t *info = lavdm_info(model);
  int found = 0;
  for (int i = 0; i < info->timings; i++) found += !strcmp(info->timing[i].stage, stage);
  assert_true(found <= 1);
  return found == 1;
}

static const char *const STAGES_OF_ALL[] = {"check",    "pca",      "order",        "landmarks",
                                            "frames",   "graph",    "bandwidth",    "degrees",
                                            "operator", "spectrum", "eigenvectors", "checkpoint"};
enum { STAGE_COUNT = sizeof STAGES_OF_ALL / sizeof *STAGES_OF_ALL };

/* True if the fit came to this stage and was stopped there. */
static bool stopped(const lavdm_data *data, lavdm_options o, const char *stage) {
  lavdm_model *model;
  lavdm_error error;
  o.checkpoint = path;
  o.progress = stop_in, o.progress_user = (void *)stage;
  int status = lavdm_fit(data, &o, &model, &error);
  if (status < 0 && status != LAVDM_ERROR_INTERRUPTED) fail_msg("%s: %s", stage, error.message);
  lavdm_free(model);
  return status < 0;
}

static void finish(const lavdm_data *data, lavdm_options o, const lavdm_model *whole, const char *resumed) {
  o.checkpoint = path;
  lavdm_model *model = fit_or_fail(data, &o);
  same_model(whole, model);
  assert_null(lavdm_info(model)->chosen.checkpoint);
  const char *found = lavdm_info(model)->resumed;
  assert_int_equal(found == NULL, resumed == NULL);
  if (resumed) {
    assert_string_equal(found, resumed);
    assert_true(has_timing(model, resumed) && has_timing(model, "resume"));
  }
  assert_true(has_timing(model, "order") || data->edges);
  lavdm_free(model);
}

/* The stage that the file says it holds, a literal; NULL if there is no file. */
static const char *stage_on_disk(void) {
  store_t *store;
  if (access(path, F_OK)) return NULL;
  assert_int_equal(store_open(path, &store, NULL), LAVDM_OK);
  const char *text = store_find(store, "stage")->data, *stage = checkpoint_literal(text, strlen(text));
  store_close(store);
  assert_non_null(stage);
  return stage;
}

/* Stopped in one stage after the other, each time going on from the one before.
 * Returns how many different stages were found on the disk. */
static int stop_in_turn(const lavdm_data *data, const lavdm_options *o) {
  lavdm_model *whole = fit_or_fail(data, o);
  const char *last = NULL;
  int kinds = 0;
  unlink(path);
  for (int s = 0; s < STAGE_COUNT - 1; s++) {
    if (!has_timing(whole, STAGES_OF_ALL[s])) continue;
    assert_true(stopped(data, *o, STAGES_OF_ALL[s]));
    const char *now = stage_on_disk();
    kinds += now != last;
    last = now;
  }
  assert_non_null(last);
  finish(data, *o, whole, last);
  finish(data, *o, whole, stage_on_disk()); /* it is there still, with the last stage */
  unlink(path);
  lavdm_free(whole);
  return kinds;
}

/* The same, and stopped in each stage alone. */
static int stop_everywhere(const lavdm_data *data, const lavdm_options *o) {
  lavdm_model *whole = fit_or_fail(data, o);
  for (int s = 0; s < STAGE_COUNT; s++) {
    unlink(path);
    if (stopped(data, *o, STAGES_OF_ALL[s])) finish(data, *o, whole, stage_on_disk());
  }
  lavdm_free(whole);
  return stop_in_turn(data, o);
}

static void test_landmarks(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N, .p = P};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  o.threads = 2;
  assert_true(stop_everywhere(&data, &o) == 5);
  lavdm_model *whole = fit_or_fail(&data, &o);
  assert_true(lavdm_info(whole)->warnings >= 2);
  lavdm_free(whole);
  o.precision = LAVDM_PRECISION_SINGLE;
  stop_in_turn(&data, &o);
  o = defaults(LAVDM_METHOD_LAVDM);
  o.hood = LAVDM_HOOD_RADIUS, o.dim = LAVDM_AUTO, o.epsilon = LAVDM_AUTO, o.design = LAVDM_DESIGN_FARTHEST;
  stop_in_turn(&data, &o);
  o.method = LAVDM_METHOD_ROSELAND, o.design = LAVDM_DESIGN_RANDOM, o.landmarks = N;
  stop_in_turn(&data, &o);
  o = defaults(LAVDM_METHOD_LAVDM);
  o.bundle = LAVDM_BUNDLE_ORIENTATION, o.stream = LAVDM_STREAM_YES;
  stop_in_turn(&data, &o);
}

/* G is sparse from some hundred landmarks on. */
static void test_many_landmarks(void **state) {
  (void)state;
  enum { MANY = 6000 };
  double *x = malloc((size_t)MANY * P * sizeof *x);
  assert_non_null(x);
  assert_int_equal(lavdm_sample("sphere", MANY, 0, NULL, 0, 3, x, NULL, NULL, NULL), LAVDM_OK);
  lavdm_data data = {.points = x, .n = MANY, .p = P};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  o.epsilon = 0.002, o.knn = 12, o.landmarks = 1500, o.design = LAVDM_DESIGN_RANDOM;
  lavdm_model *whole = fit_or_fail(&data, &o);
  assert_true(stopped(&data, o, "spectrum"));
  store_t *store;
  assert_int_equal(store_open(path, &store, NULL), LAVDM_OK);
  assert_non_null(store_find(store, "block"));
  store_close(store);
  finish(&data, o, whole, "operator");
  unlink(path);
  lavdm_free(whole);
  free(x);
}

static void test_given_landmarks(void **state) {
  (void)state;
  int64_t index[40];
  for (int64_t k = 0; k < 40; k++) index[k] = 6 * k;
  lavdm_data data = {.points = points, .n = N, .p = P, .landmark_index = index, .landmark_count = 40};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  assert_true(stop_everywhere(&data, &o) == 4);
  data.landmark_index = NULL, data.landmark_points = points;
  o.precision = LAVDM_PRECISION_SINGLE;
  stop_in_turn(&data, &o);
}

static void test_square(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N, .p = P};
  lavdm_options o = defaults(LAVDM_METHOD_VDM);
  assert_true(stop_everywhere(&data, &o) == 3);
  o.edges = LAVDM_EDGES_KNN, o.precision = LAVDM_PRECISION_SINGLE;
  stop_in_turn(&data, &o);
  o = defaults(LAVDM_METHOD_DM);
  stop_in_turn(&data, &o);
}

static void test_edges(void **state) {
  (void)state;
  enum { EDGES = 120 };
  int64_t row[EDGES], col[EDGES];
  double angle[EDGES];
  for (int64_t i = 0; i < EDGES; i++)
    row[i] = i / 2, col[i] = (i / 2 + 1 + 2 * (i % 2)) % 60, angle[i] = 0.1 * (double)i;
  lavdm_edges edges = {EDGES, row, col, NULL, angle, LAVDM_ELEMENT_ANGLE, 0};
  lavdm_data data = {.edges = &edges};
  lavdm_options o = defaults(LAVDM_METHOD_VDM);
  o.dim = LAVDM_AUTO;
  stop_in_turn(&data, &o);
  o.method = LAVDM_METHOD_LAVDM;
  stop_in_turn(&data, &o);
}

/* Principal coordinates; and a dimension that is warned about when it is chosen. */
static void test_wide(void **state) {
  (void)state;
  lavdm_data data = {.points = wide, .n = N, .p = WIDE};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  o.epsilon = LAVDM_AUTO, o.pca = 5;
  stop_in_turn(&data, &o);
  o.pca = 0, o.dim = LAVDM_AUTO, o.knn = 40;
  lavdm_model *whole = fit_or_fail(&data, &o);
  assert_non_null(strstr(lavdm_info(whole)->warning[0], "-dimensional"));
  lavdm_free(whole);
  stop_in_turn(&data, &o);
}

/* Weights that the first run kept are kept again, whatever the memory says now. */
static void test_kept_weights(void **state) {
  (void)state;
  lavdm_data data = {.points = wide, .n = N, .p = WIDE};
  lavdm_options o = defaults(LAVDM_METHOD_ROSELAND);
  o.epsilon = LAVDM_AUTO;
  lavdm_model *whole = fit_or_fail(&data, &o);
  assert_true(stopped(&data, o, "operator"));
  store_t *store;
  assert_int_equal(store_open(path, &store, NULL), LAVDM_OK);
  assert_int_equal(*(const int64_t *)store_find(store, "kept")->data, 1);
  store_close(store);
  o.max_memory = lavdm_info(whole)->memory_needed + 1;
  finish(&data, o, whole, "degrees");
  unlink(path);
  lavdm_free(whole);
}

/* ------------------------------------------------------------ what is refused */

/* The bytes of the file, and how many. */
static char *slurp(size_t *bytes) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *bytes = (size_t)ftell(file);
  rewind(file);
  char *data = malloc(*bytes + 1);
  assert_non_null(data);
  assert_int_equal(fread(data, 1, *bytes, file), *bytes);
  fclose(file);
  return data;
}

static void spill(const char *data, size_t bytes) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, bytes, file), bytes);
  assert_int_equal(fclose(file), 0);
}

/* Refused with these words, the file as it was. */
static void refused(const lavdm_data *data, lavdm_options o, const char *words) {
  size_t before, after;
  char *old = slurp(&before);
  lavdm_model *model = (lavdm_model *)&o;
  lavdm_error error;
  o.checkpoint = path;
  int status = lavdm_fit(data, &o, &model, &error);
  assert_true(status < 0);
  assert_null(model);
  assert_int_equal(error.status, status);
  if (!strstr(error.message, words)) fail_msg("'%s' does not say '%s'", error.message, words);
  char *new = slurp(&after);
  assert_int_equal(before, after);
  assert_memory_equal(old, new, before);
  free(old), free(new);
}

static void test_other_options(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N, .p = P};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM), other;
  assert_true(stopped(&data, o, "operator"));
  for (int i = 0; i < lavdm_option_count(); i++) {
    const lavdm_option *row = lavdm_option_at(i);
    static const char *const others[][2] = {
        {"method", "vdm"},   {"bundle", "orientation"}, {"pca", "2"},           {"dim", "1"},
        {"landmarks", "30"}, {"design", "random"},      {"epsilon", "0.31"},    {"alpha", "0.5"},
        {"beta", "0.25"},    {"kernel", "ball"},        {"cutoff", "2"},        {"edges", "knn"},
        {"knn", "7"},        {"hood", "radius"},        {"components", "5"},    {"tolerance", "1e-6"},
        {"seed", "2"},       {"threads", "2"},          {"precision", "single"}};
    const char *value = NULL;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
      if (!strcmp(others[k][0], row->name)) value = others[k][1];
    assert_int_equal(value == NULL, !identity_counts(row->name));
    if (!value) continue;
    other = o;
    assert_int_equal(lavdm_option_set(&other, row->name, value, NULL), LAVDM_OK);
    char words[96];
    snprintf(words, sizeof words, "%s was ", row->name);
    refused(&data, other, strcmp(row->name, "method") ? words : "method was lavdm and is now vdm");
  }
  /* these change nothing that is saved */
  lavdm_model *whole = fit_or_fail(&data, &o);
  o.time = 3, o.delta = 0.1, o.max_memory = 1000000000, o.stream = LAVDM_STREAM_YES;
  finish(&data, o, whole, "degrees");
  lavdm_free(whole);
  unlink(path);
}

static void test_other_data(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N, .p = P}, other = data;
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  assert_true(stopped(&data, o, "operator"));
  double *copy = numbers(N * P);
  memcpy(copy, points, sizeof points);
  other.points = copy;
  copy[N * P - 1] += 1e-12;
  refused(&other, o, "other data");
  copy[N * P - 1] = points[N * P - 1];
  copy[0] = points[P], copy[P] = points[0]; /* the same numbers, elsewhere */
  refused(&other, o, "other data");
  other = data, other.n = N - 1;
  refused(&other, o, "points was 260 and is now 259");
  unlink(path);
  other = data, other.landmark_points = copy, other.landmark_count = 40;
  assert_true(stopped(&other, o, "operator"));
  copy[7] += 1e-9;
  refused(&other, o, "other data");
  unlink(path);
  int64_t row[] = {0, 1, 2, 3}, col[] = {1, 2, 3, 0};
  double weight[] = {1, 1, 1, 1}, sign[] = {1, 1, -1, 1};
  lavdm_edges edges = {4, row, col, weight, sign, LAVDM_ELEMENT_SIGN, 0};
  lavdm_data graph = {.edges = &edges};
  o = defaults(LAVDM_METHOD_VDM), o.components = 2;
  assert_true(stopped(&graph, o, "spectrum"));
  sign[1] = -1;
  refused(&graph, o, "other data");
  sign[1] = 1, weight[3] = 2;
  refused(&graph, o, "other data");
  weight[3] = 1, col[3] = 1;
  refused(&graph, o, "other data");
  unlink(path);
  free(copy);
}

/* Bytes changed here and there, a file cut short, and files of other kinds. */
static void test_damaged(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N, .p = P};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  assert_true(stopped(&data, o, "spectrum"));
  size_t bytes;
  char *whole = slurp(&bytes);
  for (size_t k = 0; k < 40; k++) {
    size_t at = k * (bytes - 1) / 39;
    whole[at] ^= 0x20;
    spill(whole, bytes);
    refused(&data, o, path);
    whole[at] ^= 0x20;
  }
  for (size_t k = 0; k < 10; k++) {
    spill(whole, k * bytes / 10);
    refused(&data, o, path);
  }
  spill("not a checkpoint at all\n", 24);
  refused(&data, o, path);
  free(whole);
  int64_t one = 1;
  store_item item = {.name = "kind", .type = STORE_INTEGER, .rank = 0, .data = &one};
  assert_int_equal(store_write(path, &item, 1, NULL, NULL), LAVDM_OK);
  refused(&data, o, "not a checkpoint");
  unlink(path);
}

/* A file that is whole but lacks an item, or has one that is out of bounds. */
static void test_incomplete(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N, .p = P};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  const char *stops[] = {"spectrum", "eigenvectors"};
  for (int s = 0; s < 2; s++) {
    assert_true(stopped(&data, o, stops[s]));
    store_t *store;
    assert_int_equal(store_open(path, &store, NULL), LAVDM_OK);
    int count = store_count(store);
    store_item *items = calloc((size_t)count, sizeof *items);
    assert_non_null(items);
    for (int skip = 0; skip < count; skip++) {
      const char *name = store_at(store, skip)->name;
      const char *spare = "|warnings|timing_stages|timings|memory_needed|kept|";
      char key[64];
      snprintf(key, sizeof key, "|%s|", name);
      if (strstr(spare, key)) continue;
      for (int i = 0; i < count; i++) items[i - (i > skip)] = *store_at(store, i);
      assert_int_equal(store_write(path, items, count - 1, NULL, NULL), LAVDM_OK);
      refused(&data, o, path);
      const store_item *full = store_at(store, skip);
      if (full->type != STORE_INTEGER || full->rank == 0) continue;
      int64_t *wrong = calloc((size_t)full->shape[0], sizeof *wrong);
      assert_non_null(wrong);
      memcpy(wrong, full->data, (size_t)full->shape[0] * sizeof *wrong);
      wrong[full->shape[0] / 2] = INT64_C(1) << 40;
      items[count - 1] = *full;
      items[count - 1].data = wrong;
      assert_int_equal(store_write(path, items, count, NULL, NULL), LAVDM_OK);
      refused(&data, o, path);
      free(wrong);
    }
    free(items);
    store_close(store);
    unlink(path);
  }
}

static void test_folder(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N, .p = P};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  lavdm_model *model;
  lavdm_error error;
  const char *bad[] = {"", "no/such/folder/file.h5", folder};
  for (int i = 0; i < 3; i++) {
    o.checkpoint = bad[i];
    assert_true(lavdm_fit(&data, &o, &model, &error) < 0);
    assert_null(model);
    assert_non_null(strstr(error.message, i ? bad[i] : "checkpoint"));
  }
}

/* The folder goes away while the run is under way. */
static int remove_folder(const char *stage, double fraction, void *user) {
  (void)fraction;
  if (!strcmp(stage, "order")) rmdir(user);
  return 0;
}

static void test_save_fails(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N, .p = P};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  lavdm_model *whole = fit_or_fail(&data, &o);
  char gone[96], file[128];
  snprintf(gone, sizeof gone, "%s/gone", folder);
  snprintf(file, sizeof file, "%s/run.h5", gone);
  assert_int_equal(mkdir(gone, 0777), 0);
  o.checkpoint = file;
  o.progress = remove_folder, o.progress_user = gone;
  lavdm_model *model = fit_or_fail(&data, &o);
  const lavdm_info_t *info = lavdm_info(model);
  assert_int_equal(info->warnings, lavdm_info(whole)->warnings + 1);
  assert_non_null(strstr(info->warning[0], "no checkpoint was saved after the stage"));
  assert_non_null(strstr(info->warning[0], file));
  lavdm_free(model);
  lavdm_free(whole);
}

/* Nothing is left of a test that failed. */
static int fresh(void **state) {
  (void)state;
  unlink(path);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_landmarks, fresh),       cmocka_unit_test_setup(test_many_landmarks, fresh),
      cmocka_unit_test_setup(test_given_landmarks, fresh), cmocka_unit_test_setup(test_square, fresh),
      cmocka_unit_test_setup(test_edges, fresh),           cmocka_unit_test_setup(test_wide, fresh),
      cmocka_unit_test_setup(test_kept_weights, fresh),    cmocka_unit_test_setup(test_other_options, fresh),
      cmocka_unit_test_setup(test_other_data, fresh),      cmocka_unit_test_setup(test_damaged, fresh),
      cmocka_unit_test_setup(test_incomplete, fresh),      cmocka_unit_test_setup(test_folder, fresh),
      cmocka_unit_test_setup(test_save_fails, fresh),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
