/*
 * The functions that a program hands in. Progress: named stages, fractions, the
 * caller's thread, and a clean stop whichever call asks for it. Kernel: used as
 * it is, with its user pointer, and nothing worse than isolation if it is unfit.
 */
#include "oracle.h"

#include "lavdm/images.h"
#include "lavdm/sync.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

/* Reports come ten times a second: here every look at the clock is a second later. */
int clock_gettime(clockid_t id, struct timespec *now) {
  static _Atomic long seconds = 1000;
  (void)id;
  *now = (struct timespec){.tv_sec = seconds++};
  return 0;
}

enum { N = 300, MOST_STAGES = 32 };

static double points[N * 3];

static int setup(void **state) {
  (void)state;
  return lavdm_sample("sphere", N, 0, NULL, 0, 3, points, NULL, NULL, NULL);
}

static lavdm_options defaults(lavdm_method method, lavdm_bundle bundle) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method, o.bundle = bundle;
  o.components = 4;
  o.threads = 1;
  if (bundle != LAVDM_BUNDLE_TRIVIAL) o.dim = 2;
  return o;
}

typedef struct {
  int calls, stop_at; /* stop_at 0: never */
  pthread_t caller;
  int stages;
  const char *stage[MOST_STAGES];
} watch_t;

static int watch(const char *stage, double fraction, void *user) {
  watch_t *w = user;
  assert_true(pthread_equal(w->caller, pthread_self()));
  assert_non_null(stage);
  assert_true(fraction >= 0 && fraction <= 1);
  if (!w->stages || strcmp(w->stage[w->stages - 1], stage)) {
    assert_true(w->stages < MOST_STAGES);
    w->stage[w->stages++] = stage;
  }
  return ++w->calls == w->stop_at;
}

static bool saw(const watch_t *w, const char *stage) {
  for (int i = 0; i < w->stages; i++)
    if (!strcmp(w->stage[i], stage)) return true;
  return false;
}

static int watched_fit(const lavdm_data *data, lavdm_options o, watch_t *w, lavdm_error *error) {
  lavdm_model *model = (lavdm_model *)w;
  w->caller = pthread_self();
  o.progress = watch, o.progress_user = w;
  int status = lavdm_fit(data, &o, &model, error);
  assert_int_equal(model == NULL, status < 0);
  for (int i = 0; model && i < lavdm_info(model)->timings; i++)
    assert_true(lavdm_info(model)->timing[i].stage && lavdm_info(model)->timing[i].seconds > 0);
  lavdm_free(model);
  return status;
}

/* Stops at the first call, the second, ... until a run is done before it would stop. */
static void stop_everywhere(const lavdm_data *data, const lavdm_options *o) {
  watch_t whole = {0};
  lavdm_error error;
  if (watched_fit(data, *o, &whole, &error) < 0) fail_msg("%s", error.message);
  assert_true(whole.calls >= whole.stages && whole.stages >= 4);
  int step = 1 + whole.calls / 50;
  for (int k = 1; k <= whole.calls; k += step) {
    watch_t w = {.stop_at = k};
    int status = watched_fit(data, *o, &w, &error);
    if (w.calls < k) continue; /* threads share the work differently each time */
    assert_int_equal(status, LAVDM_ERROR_INTERRUPTED);
    assert_int_equal(error.status, LAVDM_ERROR_INTERRUPTED);
    assert_non_null(strstr(error.message, "interrupted"));
  }
}

static void test_landmark_methods(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N, .p = 3};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT);
  watch_t w = {0};
  assert_true(watched_fit(&data, o, &w, NULL) >= 0);
  const char *stages[] = {"check",   "order",    "landmarks", "frames",      "bandwidth",
                          "degrees", "operator", "spectrum",  "eigenvectors"};
  for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) assert_true(saw(&w, stages[i]));
  stop_everywhere(&data, &o);
  o = defaults(LAVDM_METHOD_ROSELAND, LAVDM_BUNDLE_TRIVIAL);
  o.landmarks = N, o.threads = 2;
  stop_everywhere(&data, &o);
}

static void test_square_methods(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N / 2, .p = 3};
  lavdm_options o = defaults(LAVDM_METHOD_VDM, LAVDM_BUNDLE_TANGENT);
  watch_t w = {0};
  assert_true(watched_fit(&data, o, &w, NULL) >= 0);
  const char *stages[] = {"check", "order",    "frames",   "bandwidth",
                          "graph", "operator", "spectrum", "eigenvectors"};
  for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) assert_true(saw(&w, stages[i]));
  o.dim = LAVDM_AUTO, o.threads = 2;
  stop_everywhere(&data, &o);
  o = defaults(LAVDM_METHOD_DM, LAVDM_BUNDLE_TRIVIAL);
  o.edges = LAVDM_EDGES_KNN;
  stop_everywhere(&data, &o);
}

static void test_given_graph(void **state) {
  (void)state;
  int64_t row[100], col[100];
  for (int64_t i = 0; i < 100; i++) row[i] = i / 2, col[i] = (i / 2 + 1 + 2 * (i % 2)) % 50;
  lavdm_edges edges = {.count = 100,
                       .row = row,
                       .col = col,
                       .weight = NULL,
                       .element = NULL,
                       .kind = LAVDM_ELEMENT_NONE,
                       .q = 0};
  lavdm_data data = {.edges = &edges};
  lavdm_options o = defaults(LAVDM_METHOD_VDM, LAVDM_BUNDLE_GIVEN);
  o.dim = o.knn = LAVDM_AUTO, o.epsilon = LAVDM_AUTO;
  stop_everywhere(&data, &o);
  o.method = LAVDM_METHOD_LAVDM;
  stop_everywhere(&data, &o);
}

static int read_rows(void *user, int64_t first, int64_t count, void *rows) {
  memcpy(rows, (const double *)user + first * 3, (size_t)(count * 3) * sizeof(double));
  return 0;
}

/* What has stages of its own: low-passed frames, bandwidths of each point, streams, the reference, images. */
static void test_other_stages(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N / 3, .p = 3},
             read = {.read = read_rows, .read_user = points, .n = N / 3, .p = 3};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT);
  o.frames = LAVDM_FRAMES_LOWPASS, o.epsilon = 0.3;
  stop_everywhere(&data, &o);
  o = defaults(LAVDM_METHOD_DM, LAVDM_BUNDLE_TRIVIAL);
  o.bandwidth = LAVDM_BANDWIDTH_LOCAL;
  stop_everywhere(&data, &o);
  o.bandwidth = LAVDM_BANDWIDTH_AUTO, o.normalise = LAVDM_NORMALISE_SINKHORN;
  stop_everywhere(&data, &o);
  o = defaults(LAVDM_METHOD_NYSTROM, LAVDM_BUNDLE_TRIVIAL);
  stop_everywhere(&data, &o);
  o = defaults(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT);
  o.precision = LAVDM_PRECISION_SINGLE, o.stream = LAVDM_STREAM_YES;
  stop_everywhere(&read, &o);
  o = defaults(LAVDM_METHOD_VDM, LAVDM_BUNDLE_TANGENT);
  o.engine = LAVDM_ENGINE_REFERENCE;
  stop_everywhere(&data, &o);
  lavdm_data images = {.points = points, .n = N * 3 / 25, .p = 25};
  for (lavdm_method method = LAVDM_METHOD_VDM; method <= LAVDM_METHOD_LAVDM; method += 2) {
    o = defaults(method, LAVDM_BUNDLE_ROTATION);
    o.dim = LAVDM_AUTO, o.noise = 0.1;
    stop_everywhere(&images, &o);
  }
}

static int extend_with(const void *context, const lavdm_options *o, lavdm_error *error) {
  lavdm_data data = {.points = points + N, .n = N / 3, .p = 3};
  lavdm_model *extension;
  int status = lavdm_extend(context, &data, NULL, o, &extension, error);
  assert_int_equal(extension == NULL, status < 0);
  lavdm_free(extension);
  return status;
}

static int stack_with(const void *context, const lavdm_options *o, lavdm_error *error) {
  lavdm_stack *stack;
  int64_t index[N];
  int status = lavdm_stack_new(context, o, &stack, error);
  assert_int_equal(stack == NULL, status < 0);
  if (status >= 0)
    status = lavdm_stack_neighbours(stack, NULL, 0, NULL, 0, 2, index, NULL, NULL, NULL, error);
  lavdm_stack_free(stack);
  return status;
}

/* A grid of angles that turn. */
static int sync_with(const void *context, const lavdm_options *o, lavdm_error *error) {
  enum { SIDE = 20, MOST = 2 * SIDE * SIDE };
  int64_t row[MOST], col[MOST], count = 0;
  double angle[MOST], shift[2 * MOST] = {0};
  (void)context;
  for (int64_t i = 0; i < SIDE * SIDE; i++) {
    if ((i + 1) % SIDE) row[count] = i, col[count++] = i + 1;
    if (i + SIDE < SIDE * SIDE) row[count] = i, col[count++] = i + SIDE;
  }
  for (int64_t e = 0; e < count; e++) angle[e] = sin((double)e);
  lavdm_edges edges = {.count = count, .row = row, .col = col, .element = angle, .kind = LAVDM_ELEMENT_ANGLE};
  lavdm_sync_options s;
  lavdm_sync_default(&s);
  s.threads = 1, s.rounds = 1, s.shift = shift, s.progress = o->progress, s.progress_user = o->progress_user;
  lavdm_sync_t *sync;
  int status = lavdm_sync(&edges, &s, &sync, error);
  assert_int_equal(sync == NULL, status < 0);
  lavdm_sync_free(sync);
  return status;
}

typedef int (*call_t)(const void *context, const lavdm_options *o, lavdm_error *error);

/* The same of any other call. */
static void stop_call(call_t call, const void *context, lavdm_options o) {
  watch_t whole = {.caller = pthread_self()};
  lavdm_error error;
  o.progress = watch, o.progress_user = &whole;
  if (call(context, &o, &error) < 0) fail_msg("%s", error.message);
  assert_true(whole.calls > 1);
  int step = 1 + whole.calls / 50;
  for (int k = 1; k <= whole.calls; k += step) {
    watch_t w = {.stop_at = k, .caller = pthread_self()};
    o.progress_user = &w;
    assert_int_equal(call(context, &o, &error), LAVDM_ERROR_INTERRUPTED);
    assert_non_null(strstr(error.message, "interrupted"));
  }
}

static void test_other_calls(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N / 3, .p = 3}, signals = {.points = points, .n = N / 4, .p = 12};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT);
  lavdm_model *model = fit_or_fail(&data, &o);
  stop_call(extend_with, model, o);
  lavdm_free(model);
  o.frames = LAVDM_FRAMES_LOWPASS, o.epsilon = 0.3;
  model = fit_or_fail(&data, &o);
  stop_call(extend_with, model, o);
  lavdm_free(model);
  o = defaults(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_SHIFT);
  o.dim = LAVDM_AUTO, o.noise = 0.1;
  stop_call(stack_with, &signals, o);
  stop_call(sync_with, NULL, o);
}

static void test_orient(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N / 2, .p = 3};
  lavdm_orientation verdict = {0};
  double signs[N];
  for (int k = 0; k < 400; k += 1 + k / 4) {
    watch_t w = {.stop_at = k, .caller = pthread_self()};
    lavdm_options o = defaults(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_AUTO);
    o.progress = watch, o.progress_user = &w;
    lavdm_model *model = (lavdm_model *)&w;
    int status = lavdm_orient(&data, &o, &verdict, signs, &model, NULL);
    assert_int_equal(status == LAVDM_ERROR_INTERRUPTED, k > 0 && w.calls >= k);
    assert_int_equal(model == NULL, status < 0);
    lavdm_free(model);
  }
}

/* A stop that comes with the first call costs nothing: no second call is made. */
static void test_first_call(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N, .p = 3};
  watch_t w = {.stop_at = 1};
  lavdm_error error;
  assert_int_equal(watched_fit(&data, defaults(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT), &w, &error),
                   LAVDM_ERROR_INTERRUPTED);
  assert_true(w.calls <= 4);
}

typedef struct {
  _Atomic long calls;
  double worst;
} kernel_user;

static double gaussian(double t, void *user) {
  kernel_user *k = user;
  k->calls++;
  return t >= 0 ? exp(-t * t) : NAN;
}

static double unfit(double t, void *user) {
  (void)t;
  return ((kernel_user *)user)->worst;
}

static void test_kernel(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N / 2, .p = 3};
  for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++) {
    bool plain = method == LAVDM_METHOD_DM || method == LAVDM_METHOD_ROSELAND;
    lavdm_options o = defaults(method, plain ? LAVDM_BUNDLE_TRIVIAL : LAVDM_BUNDLE_TANGENT);
    o.epsilon = 0.1; /* with an automatic one the cut-off is that of the Gaussian */
    lavdm_model *a = fit_or_fail(&data, &o), *b;
    kernel_user user = {0};
    o.kernel = LAVDM_KERNEL_CALLBACK, o.kernel_function = gaussian, o.kernel_user = &user;
    b = fit_or_fail(&data, &o);
    assert_true(user.calls > N);
    assert_true(lavdm_info(a)->chosen->cutoff == lavdm_info(b)->chosen->cutoff);
    assert_int_equal(lavdm_info(a)->edges, lavdm_info(b)->edges);
    for (int64_t l = 0; l < 4; l++)
      assert_true(fabs(lavdm_info(a)->eigenvalues[l] - lavdm_info(b)->eigenvalues[l]) < 1e-12);
    lavdm_free(a), lavdm_free(b);
    const double bad[] = {0, -1, NAN, INFINITY, -INFINITY};
    o.kernel_function = unfit;
    for (int k = 0; k < 5; k++) {
      lavdm_model *model;
      user.worst = bad[k];
      assert_int_equal(lavdm_fit(&data, &o, &model, NULL), LAVDM_ERROR_DATA);
      assert_null(model);
    }
  }
}

/* Neighbours of a model: reported, and stopped at any call. */
static void test_neighbours(void **state) {
  (void)state;
  enum { K = 5 };
  static int64_t found[2][N * K];
  static double distance[2][N * K];
  lavdm_data data = {.points = points, .n = N, .p = 3};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT);
  lavdm_model *model;
  lavdm_error error;
  assert_true(lavdm_fit(&data, &o, &model, &error) >= 0);
  assert_int_equal(lavdm_neighbours(model, 1, 4, NULL, 0, K, found[0], distance[0], NULL, &error), LAVDM_OK);
  watch_t whole = {.caller = pthread_self()};
  lavdm_set_progress(model, watch, &whole);
  assert_int_equal(lavdm_neighbours(model, 1, 4, NULL, 0, K, found[1], distance[1], NULL, &error), LAVDM_OK);
  assert_memory_equal(found[0], found[1], sizeof found[0]);
  assert_true(whole.calls > 2 && whole.stages == 1 && saw(&whole, "neighbours"));
  for (int k = 1; k <= whole.calls; k++) {
    watch_t w = {.stop_at = k, .caller = pthread_self()};
    lavdm_set_progress(model, watch, &w);
    int status = lavdm_neighbours(model, 1, 4, NULL, 0, K, found[1], distance[1], NULL, &error);
    if (w.calls < k) continue;
    assert_int_equal(status, LAVDM_ERROR_INTERRUPTED);
    assert_non_null(strstr(error.message, "interrupted during neighbours"));
  }
  lavdm_set_progress(model, NULL, NULL);
  assert_int_equal(lavdm_neighbours(model, 1, 4, NULL, 0, K, found[1], distance[1], NULL, &error), LAVDM_OK);
  assert_memory_equal(found[0], found[1], sizeof found[0]);
  lavdm_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_landmark_methods), cmocka_unit_test(test_square_methods),
      cmocka_unit_test(test_given_graph),      cmocka_unit_test(test_orient),
      cmocka_unit_test(test_first_call),       cmocka_unit_test(test_kernel),
      cmocka_unit_test(test_neighbours),       cmocka_unit_test(test_other_stages),
      cmocka_unit_test(test_other_calls),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
