/*
 * lavdm_operator at its limits: every allocation failing in turn, a stop at every
 * report, more blocks than may be held, blocks in files, any number of threads, and
 * input that cannot be used.
 */
#include "memory_support.h" /* cmocka, after the library */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Reports come ten times a second: here every look at the clock is a second later. */
int clock_gettime(clockid_t id, struct timespec *now) {
  static _Atomic long seconds = 1000;
  (void)id;
  *now = (struct timespec){.tv_sec = seconds++};
  return 0;
}

typedef struct {
  lavdm_data data;
  lavdm_options options;
} job_of;

static int make(const void *context, lavdm_error *error) {
  const job_of *job = context;
  lavdm_operator_t *op = (lavdm_operator_t *)error;
  int status = lavdm_operator(&job->data, &job->options, &op, error);
  assert_int_equal(op == NULL, status < 0);
  lavdm_operator_free(op);
  return status;
}

static lavdm_options defaults(lavdm_method method) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method;
  o.landmarks = method >= LAVDM_METHOD_ROSELAND ? 10 : LAVDM_AUTO;
  o.dim = method % 2 ? 2 : LAVDM_AUTO; /* vdm and lavdm */
  o.threads = 1;
  return o;
}

static double *sphere(int64_t n) {
  double *x = numbers(n * 3);
  assert_int_equal(lavdm_sample("sphere", n, 0, NULL, 0, 3, x, NULL, NULL, NULL), 0);
  return x;
}

/* ---------------------------------------------------------------- memory */

enum { N = 30 };

static void test_points(void **state) {
  (void)state;
  double *x = sphere(N);
  for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++)
    for (int single = 0; single <= 1; single++) {
      job_of job = {{.points = x, .n = N, .p = 3}, defaults(method)};
      if (single) job.options.precision = LAVDM_PRECISION_SINGLE, job.options.pca = 3;
      in_turn(make, &job, 1);
      job.options.threads = 2;
      in_turn(make, &job, 7);
    }
  free(x);
}

static void test_pieces(void **state) {
  (void)state;
  double *x = sphere(N);
  for (int64_t i = 0; i < N; i++) x[i * 3] += i % 2 ? 30 : i ? 0 : 1e5;
  for (lavdm_method method = LAVDM_METHOD_VDM; method <= LAVDM_METHOD_LAVDM; method += 2) {
    job_of job = {{.points = x, .n = N, .p = 3}, defaults(method)};
    job.options.epsilon = 0.7, job.options.cutoff = 1.1;
    in_turn(make, &job, 1);
  }
  free(x);
}

static void test_edges_and_objects(void **state) {
  (void)state;
  int64_t row[60], col[60];
  double angle[60], signals[N * 16];
  for (int64_t e = 0; e < 60; e++) row[e] = e % 20, col[e] = (e + 1 + e / 20) % 20, angle[e] = (double)e;
  lavdm_edges edges = {.count = 60,
                       .row = row,
                       .col = col,
                       .weight = NULL,
                       .element = angle,
                       .kind = LAVDM_ELEMENT_ANGLE,
                       .q = 0};
  fill_normal(signals, N * 16, 8);
  for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++) {
    job_of given = {{.edges = &edges}, defaults(method)};
    given.options.landmarks = given.options.dim = LAVDM_AUTO;
    in_turn(make, &given, 1);
    job_of shifts = {{.points = signals, .n = N, .p = 16}, defaults(method)};
    shifts.options.bundle = LAVDM_BUNDLE_SHIFT, shifts.options.dim = LAVDM_AUTO;
    in_turn(make, &shifts, 3);
  }
}

/* ------------------------------------------------------------- interrupts */

typedef struct {
  int calls, stop_at; /* 0: never */
  int in_operator;    /* calls in the stage that makes the blocks */
} watch_t;

static int watch(const char *stage, double fraction, void *user) {
  watch_t *w = user;
  assert_true(fraction >= 0 && fraction <= 1);
  w->in_operator += !strcmp(stage, "operator");
  return ++w->calls == w->stop_at;
}

static void test_stop(void **state) {
  (void)state;
  enum { COUNT = 300 };
  double *x = sphere(COUNT);
  for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++) {
    job_of job = {{.points = x, .n = COUNT, .p = 3}, defaults(method)};
    watch_t whole = {0};
    lavdm_error error;
    job.options.progress = watch, job.options.progress_user = &whole;
    assert_true(make(&job, &error) >= 0);
    assert_true(whole.in_operator > 3);
    for (int k = 1; k <= whole.calls; k += 1 + whole.calls / 60) {
      watch_t w = {.stop_at = k};
      job.options.progress_user = &w;
      assert_int_equal(make(&job, &error), LAVDM_ERROR_INTERRUPTED);
      assert_non_null(strstr(error.message, "interrupted"));
    }
    watch_t last = {.stop_at = whole.calls}; /* among the last blocks, or frames */
    job.options.progress_user = &last;
    assert_int_equal(make(&job, &error), LAVDM_ERROR_INTERRUPTED);
  }
  free(x);
}

/* ---------------------------------------------- room, files and threads */

static lavdm_operator_t *operator_or_fail(const lavdm_data *data, const lavdm_options *options) {
  lavdm_operator_t *op = NULL;
  lavdm_error error;
  if (lavdm_operator(data, options, &op, &error) < 0) fail_msg("lavdm_operator: %s", error.message);
  return op;
}

/* Between what the fit takes and what the blocks take, the fit goes through and the operator does not. */
static void test_room(void **state) {
  (void)state;
  enum { COUNT = 3000 };
  double *x = sphere(COUNT);
  for (lavdm_method method = LAVDM_METHOD_VDM; method <= LAVDM_METHOD_ROSELAND; method++) {
    bool square = method == LAVDM_METHOD_VDM;
    lavdm_data data = {.points = x, .n = square ? COUNT / 3 : COUNT, .p = 3};
    lavdm_options o = defaults(method);
    o.stream = LAVDM_STREAM_NO, o.components = 3, o.epsilon = 10, o.max_memory = (int64_t)4e9;
    o.edges = LAVDM_EDGES_COMPLETE, o.landmarks = square ? LAVDM_AUTO : 600;
    lavdm_model *model = fit_or_fail(&data, &o);
    lavdm_operator_t *op = operator_or_fail(&data, &o);
    lavdm_error error;
    int64_t fit = lavdm_info(model)->memory_needed, blocks = op->info->memory_needed;
    assert_int_equal(op->blocks, op->n * op->m);
    assert_true(blocks > fit + 1000);
    lavdm_operator_free(op), lavdm_free(model);
    o.max_memory = blocks - 1000;
    model = fit_or_fail(&data, &o);
    assert_int_equal(lavdm_operator(&data, &o, &op, &error), LAVDM_ERROR_MEMORY);
    assert_null(op);
    char count[32];
    snprintf(count, sizeof count, "%lld blocks", square ? 1000 * 1000LL : 3000 * 600LL);
    if (!strstr(error.message, count) || !strstr(error.message, "max_memory")) fail_msg("%s", error.message);
    lavdm_free(model);
    o.max_memory = blocks;
    lavdm_operator_free(operator_or_fail(&data, &o));
  }
  free(x);
}

static void same_operator(const lavdm_operator_t *a, const lavdm_operator_t *b) {
  assert_true(a->n == b->n && a->m == b->m && a->q == b->q && a->blocks == b->blocks);
  assert_memory_equal(a->start, b->start, (size_t)(a->n + 1) * sizeof *a->start);
  assert_memory_equal(a->col, b->col, (size_t)a->blocks * sizeof *a->col);
  assert_memory_equal(a->block, b->block, (size_t)(a->blocks * a->q * a->q) * sizeof *a->block);
  assert_memory_equal(a->degree, b->degree, (size_t)a->n * sizeof *a->degree);
}

static int read_rows(void *user, int64_t first, int64_t count, void *rows) {
  memcpy(rows, (const double *)user + first * 3, (size_t)(count * 3) * sizeof(double));
  return 0;
}

/* Points that are read, and blocks, more than 4 MB of them, in files: the same bits. */
static void test_stream(void **state) {
  (void)state;
  enum { COUNT = 4000 };
  double *x = sphere(COUNT);
  lavdm_data data = {.points = x, .n = COUNT, .p = 3};
  lavdm_data far = {.read = read_rows, .read_user = x, .n = COUNT, .p = 3};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  o.landmarks = 150, o.epsilon = 1, o.threads = 2, o.stream = LAVDM_STREAM_NO;
  lavdm_operator_t *near = operator_or_fail(&data, &o);
  o.stream = LAVDM_STREAM_YES;
  lavdm_operator_t *streamed = operator_or_fail(&far, &o);
  assert_true(near->blocks * 4 * 8 > (4 << 20));
  assert_true(streamed->info->streamed && !near->info->streamed);
  same_operator(near, streamed);
  lavdm_operator_free(near), lavdm_operator_free(streamed);
  free(x);
}

/* Neither the number of threads nor another run changes a bit. */
static void test_threads(void **state) {
  (void)state;
  enum { COUNT = 500 };
  double *x = sphere(COUNT);
  for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++) {
    lavdm_data data = {.points = x, .n = COUNT, .p = 3};
    lavdm_options o = defaults(method);
    lavdm_operator_t *one = operator_or_fail(&data, &o);
    for (o.threads = 1; o.threads <= 5; o.threads += 2) {
      lavdm_operator_t *other = operator_or_fail(&data, &o);
      same_operator(one, other);
      lavdm_operator_free(other);
    }
    lavdm_operator_free(one);
  }
  free(x);
}

/* -------------------------------------------------------------- bad input */

static void refused(const lavdm_data *data, const lavdm_options *o, int status, const char *says) {
  lavdm_operator_t *op = (lavdm_operator_t *)&status;
  lavdm_error error;
  assert_int_equal(lavdm_operator(data, o, &op, &error), status);
  assert_null(op);
  assert_int_equal(error.status, status);
  if (!strstr(error.message, says)) fail_msg("%s", error.message);
}

static void test_bad(void **state) {
  (void)state;
  double *x = sphere(N);
  lavdm_data data = {.points = x, .n = N, .p = 3}, none = {0};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  refused(NULL, &o, LAVDM_ERROR_ARGUMENT, "missing");
  refused(&data, NULL, LAVDM_ERROR_ARGUMENT, "missing");
  refused(&none, &o, LAVDM_ERROR_DATA, "no points");
  lavdm_error error;
  assert_int_equal(lavdm_operator(&data, &o, NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "no place"));
  assert_int_equal(lavdm_operator(&data, &o, NULL, NULL), LAVDM_ERROR_ARGUMENT);
  lavdm_operator_free(NULL);

  o = defaults(LAVDM_METHOD_NYSTROM);
  refused(&data, &o, LAVDM_ERROR_ARGUMENT, "nystrom has no operator");
  o = defaults(LAVDM_METHOD_DM), o.bundle = LAVDM_BUNDLE_TANGENT;
  refused(&data, &o, LAVDM_ERROR_ARGUMENT, "use vdm");
  o = defaults(LAVDM_METHOD_DM), o.epsilon = -3;
  refused(&data, &o, LAVDM_ERROR_ARGUMENT, "epsilon");
  o = defaults(LAVDM_METHOD_DM), o.epsilon = 1e-30, o.edges = LAVDM_EDGES_BALL;
  refused(&data, &o, LAVDM_ERROR_DATA, "no point reaches another");
  o = defaults(LAVDM_METHOD_LAVDM), o.max_memory = 1000000;
  refused(&data, &o, LAVDM_ERROR_MEMORY, "max_memory");
  int64_t row[] = {0, 1}, col[] = {1, -4};
  lavdm_edges edges = {.count = 2, .row = row, .col = col};
  lavdm_data graph = {.edges = &edges};
  o = defaults(LAVDM_METHOD_DM);
  refused(&graph, &o, LAVDM_ERROR_DATA, "edge 2 names a negative node");
  x[17] = NAN;
  refused(&data, &o, LAVDM_ERROR_DATA, "row 6, column 3");
  free(x);
}

/* A checkpoint is neither read nor written, and more components than there are do no harm. */
static void test_unused(void **state) {
  (void)state;
  double *x = sphere(N);
  lavdm_data data = {.points = x, .n = N, .p = 3};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  o.checkpoint = "/no/such/folder/at/all", o.components = 1000;
  lavdm_operator_t *op = operator_or_fail(&data, &o);
  for (int i = 0; i < op->info->warnings; i++) assert_null(strstr(op->info->warning[i], "checkpoint"));
  assert_null(op->chosen->checkpoint);
  lavdm_operator_free(op);
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_points),  cmocka_unit_test(test_pieces), cmocka_unit_test(test_edges_and_objects),
      cmocka_unit_test(test_stop),    cmocka_unit_test(test_room),   cmocka_unit_test(test_stream),
      cmocka_unit_test(test_threads), cmocka_unit_test(test_bad),    cmocka_unit_test(test_unused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
