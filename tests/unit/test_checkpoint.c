/*
 * Fits that are stopped in every stage and taken up again: the same bits, counts
 * and warnings as without a stop.
 */
#include "checkpoint_support.h"

enum { WIDE = 40 };

static double wide[N * WIDE];

static int setup_wide(void **state) {
  fill_normal(wide, (int64_t)N * WIDE, 5);
  return setup(state);
}

static const char *const STAGES_OF_ALL[] = {"check",    "pca",          "order",     "expansion", "landmarks",
                                            "frames",   "bandwidth",    "graph",     "degrees",   "operator",
                                            "spectrum", "eigenvectors", "checkpoint"};
enum { STAGE_COUNT = sizeof STAGES_OF_ALL / sizeof *STAGES_OF_ALL };

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

/* Low-passed points are kept with their frames. */
static void test_lowpass(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N, .p = P};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  o.frames = LAVDM_FRAMES_LOWPASS;
  lavdm_model *whole = fit_or_fail(&data, &o);
  assert_non_null(lavdm_get(whole, "smooth_points"));
  lavdm_free(whole);
  assert_true(stop_everywhere(&data, &o) == 5);
  o = defaults(LAVDM_METHOD_VDM);
  o.frames = LAVDM_FRAMES_LOWPASS, o.precision = LAVDM_PRECISION_SINGLE;
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
  o.normalise = LAVDM_NORMALISE_SINKHORN;
  stop_in_turn(&data, &o);
  o.normalise = LAVDM_NORMALISE_AUTO, o.bandwidth = LAVDM_BANDWIDTH_LOCAL;
  stop_in_turn(&data, &o);
}

static void test_edges(void **state) {
  (void)state;
  enum { EDGES = 120 };
  int64_t row[EDGES], col[EDGES];
  double angle[EDGES];
  for (int64_t i = 0; i < EDGES; i++)
    row[i] = i / 2, col[i] = (i / 2 + 1 + 2 * (i % 2)) % 60, angle[i] = 0.1 * (double)i;
  lavdm_edges edges = {.count = EDGES,
                       .row = row,
                       .col = col,
                       .weight = NULL,
                       .element = angle,
                       .kind = LAVDM_ELEMENT_ANGLE,
                       .q = 0};
  lavdm_data data = {.edges = &edges};
  lavdm_options o = defaults(LAVDM_METHOD_VDM);
  o.dim = LAVDM_AUTO, o.epsilon = LAVDM_AUTO;
  stop_in_turn(&data, &o);
  o.method = LAVDM_METHOD_LAVDM;
  stop_in_turn(&data, &o);
}

/* Principal coordinates; and a dimension that is chosen. */
static void test_wide(void **state) {
  (void)state;
  lavdm_data data = {.points = wide, .n = N, .p = WIDE};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  o.epsilon = LAVDM_AUTO, o.pca = 5;
  stop_in_turn(&data, &o);
  o.pca = 0, o.dim = LAVDM_AUTO, o.knn = 40;
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

/* Signals: their edges to the landmarks are a stage of its own. */
static void test_turned(void **state) {
  (void)state;
  lavdm_data data = {.points = wide, .n = N, .p = WIDE};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  o.bundle = LAVDM_BUNDLE_SHIFT, o.epsilon = LAVDM_AUTO, o.dim = LAVDM_AUTO, o.threads = 2;
  assert_true(stop_everywhere(&data, &o) == 5);
  wide[3] += 200; /* a signal like no other */
  o.edges = LAVDM_EDGES_BALL, o.noise = 0, o.precision = LAVDM_PRECISION_SINGLE;
  lavdm_model *whole = fit_or_fail(&data, &o);
  assert_int_equal(lavdm_info(whole)->far_points + lavdm_info(whole)->isolated, 1);
  lavdm_free(whole);
  stop_in_turn(&data, &o);
  wide[3] -= 200;
  o.stream = LAVDM_STREAM_YES, o.reflections = LAVDM_REFLECTIONS_YES, o.pca = 4;
  stop_in_turn(&data, &o);
  o = defaults(LAVDM_METHOD_VDM);
  o.bundle = LAVDM_BUNDLE_SHIFT, o.epsilon = LAVDM_AUTO, o.dim = LAVDM_AUTO;
  stop_everywhere(&data, &o);
  o.method = LAVDM_METHOD_DM, o.noise = 0;
  stop_in_turn(&data, &o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_landmarks, fresh),       cmocka_unit_test_setup(test_many_landmarks, fresh),
      cmocka_unit_test_setup(test_given_landmarks, fresh), cmocka_unit_test_setup(test_square, fresh),
      cmocka_unit_test_setup(test_edges, fresh),           cmocka_unit_test_setup(test_wide, fresh),
      cmocka_unit_test_setup(test_kept_weights, fresh),    cmocka_unit_test_setup(test_turned, fresh),
      cmocka_unit_test_setup(test_lowpass, fresh),
  };
  return cmocka_run_group_tests(tests, setup_wide, teardown);
}
