/*
 * Every allocation of one rank fails in turn: all ranks end, say so, and leave no model and no memory. What
 * the team itself allocates is spared, as its messages would be lost.
 */
#include "fit/fit.h"
#include "lavdm/sample.h"
#include "team.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RANKS = 2 };

/* Of this thread: allocations that succeed until one fails; -1: all do. */
static _Thread_local long left = -1;

static bool fails(void) {
  return left >= 0 && left-- == 0;
}

#include "memory_wrapped.h"

/* ------------------------------------------------------- a team that is spared */

/* result = call, in which no allocation fails. */
#define SPARED(call)                                                                                         \
  const team_t *team = context;                                                                              \
  long before = left;                                                                                        \
  left = -1;                                                                                                 \
  int result = team->call;                                                                                   \
  left = before;                                                                                             \
  return result

static int sum(void *context, double *x, int64_t count) {
  SPARED(sum(team->context, x, count));
}

static int sum_integers(void *context, int64_t *x, int64_t count) {
  SPARED(sum_integers(team->context, x, count));
}

static int extreme(void *context, double *x, int64_t count, bool largest) {
  SPARED(extreme(team->context, x, count, largest));
}

static int gather(void *context, const void *mine, int64_t bytes, void *all, const int64_t *counts) {
  SPARED(gather(team->context, mine, bytes, all, counts));
}

static int exchange(void *context, const void *out, const int64_t *send, void *in, const int64_t *receive,
                    size_t row) {
  SPARED(exchange(team->context, out, send, in, receive, row));
}

static int agree(void *context, int status) {
  SPARED(agree(team->context, status));
}

/* -------------------------------------------------------------------- fits */

typedef struct {
  lavdm_data data;
  lavdm_options options;
  team_t team;
  long skip, unused; /* allocations before the one that fails; whether it was asked for */
  lavdm_model *model;
  lavdm_error error;
  int status;
} job_t;

static void *fit(void *context) {
  job_t *job = context;
  left = job->skip;
  job->status = fit_checked(&job->data, &job->options, &job->team, NULL, &job->model, &job->error);
  job->unused = left;
  left = -1;
  return NULL;
}

/* Allocation `skip` of the rank `weak` fails; false if there are no more than that many. */
static bool fall_short(const double *x, int64_t n, int64_t p, const lavdm_options *o, int weak, long skip) {
  int64_t before = live_count();
  thread_team *team = thread_team_new(RANKS);
  pthread_t thread[RANKS];
  job_t job[RANKS];
  for (int r = 0; r < RANKS; r++) {
    job[r] = (job_t){.options = *o, .skip = r == weak ? skip : -1};
    job[r].data = (lavdm_data){.points = x + r * (n / RANKS) * p, .n = n / RANKS, .p = p};
    job[r].team = (team_t){.rank = r,
                           .ranks = RANKS,
                           .context = (void *)thread_team_rank(team, r),
                           .sum = sum,
                           .sum_integers = sum_integers,
                           .extreme = extreme,
                           .gather = gather,
                           .exchange = exchange,
                           .agree = agree};
    assert_int_equal(pthread_create(&thread[r], NULL, fit, &job[r]), 0);
  }
  for (int r = 0; r < RANKS; r++) pthread_join(thread[r], NULL);
  thread_team_free(team);
  bool fell = job[weak].unused < 0;
  for (int r = 0; r < RANKS; r++) {
    assert_int_equal(job[r].model == NULL, job[r].status < 0);
    lavdm_free(job[r].model);
    if (fell && job[r].status >= 0) fail_msg("rank %d went on after allocation %ld of %d", r, skip, weak);
    if (fell) assert_true(strlen(job[r].error.message) > 0);
  }
  if (fell) assert_int_equal(job[weak].status, LAVDM_ERROR_MEMORY);
  assert_int_equal(live_count(), before);
  return fell;
}

/* All allocations of a rank, or every `stride`-th. */
static void in_turn(lavdm_method method, lavdm_edge_rule edges, int64_t n, long stride) {
  int64_t p, d;
  assert_int_equal(lavdm_shape_size("sphere", 2, &p, &d, NULL), 0);
  double *x = calloc((size_t)(n * p), sizeof *x);
  assert_int_equal(lavdm_sample("sphere", n, 2, NULL, 0, 3, x, NULL, NULL, NULL), 0);
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method, o.edges = edges;
  o.components = 3;
  o.threads = 1;
  if (method != LAVDM_METHOD_VDM && method != LAVDM_METHOD_DM) o.landmarks = 12;
  for (int weak = 0; weak < RANKS; weak++) {
    long made = 0;
    while (fall_short(x, n, p, &o, weak, made * stride)) made++;
    assert_true(made > 50);
  }
  free(x);
}

static void test_square(void **state) {
  (void)state;
  in_turn(LAVDM_METHOD_DM, LAVDM_EDGES_KNN, 60, 1);
  in_turn(LAVDM_METHOD_VDM, LAVDM_EDGES_BALL, 60, 1);
  in_turn(LAVDM_METHOD_DM, LAVDM_EDGES_KNN, 1010, 5); /* solved by products */
}

static void test_landmarks(void **state) {
  (void)state;
  in_turn(LAVDM_METHOD_LAVDM, LAVDM_EDGES_AUTO, 60, 1);
  in_turn(LAVDM_METHOD_NYSTROM, LAVDM_EDGES_AUTO, 60, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_square), cmocka_unit_test(test_landmarks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
