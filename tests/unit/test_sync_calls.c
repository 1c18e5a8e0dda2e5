/* lavdm_sync at its door: weights of shifts against the weighted mean, what is warned of, what is refused. */
#include "lavdm/sync.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { EDGES = 4 };

/* A path of three nodes whose second step is told twice: 0 - 1 = 2. */
static const int64_t from[] = {0, 1, 1, 2}, to[] = {1, 2, 2, 2};
static double angle[] = {0, 0, 0, 0};
static double sign[] = {1, -1, -1, 1};

static lavdm_edges path(int64_t count, lavdm_element kind) {
  return (lavdm_edges){.count = count,
                       .row = from,
                       .col = to,
                       .element = kind == LAVDM_ELEMENT_ANGLE ? angle : sign,
                       .kind = kind};
}

static lavdm_sync_options defaults(void) {
  lavdm_sync_options o;
  lavdm_sync_default(&o);
  o.threads = 1;
  return o;
}

static lavdm_sync_t *solve(const lavdm_edges *edges, const lavdm_sync_options *o, int status) {
  lavdm_sync_t *sync;
  lavdm_error error;
  if (lavdm_sync(edges, o, &sync, &error) != status) fail_msg("%s", error.message);
  return sync;
}

static bool warned(const lavdm_sync_t *sync, const char *words) {
  for (int i = 0; i < sync->warnings; i++)
    if (strstr(sync->warning[i], words)) return true;
  return false;
}

static void weights_of_shifts(void **state) {
  (void)state;
  const double shift[] = {1, 0, 2, 5, 6, 9}, weight[] = {7, 1, 3};
  lavdm_edges edges = path(3, LAVDM_ELEMENT_ANGLE);
  lavdm_sync_options o = defaults();
  for (int weighted = 0; weighted <= 1; weighted++) {
    o.shift = shift, o.shift_weight = weighted ? weight : NULL;
    lavdm_sync_t *sync = solve(&edges, &o, LAVDM_OK);
    double other = weighted ? 0.75 : 0.5, step[] = {2 + other * (6 - 2), 5 + other * (9 - 5)};
    for (int a = 0; a < 2; a++) {
      assert_true(fabs(sync->position[a]) < 1e-9);
      assert_true(fabs(sync->position[2 + a] - shift[a]) < 1e-9);
      assert_true(fabs(sync->position[4 + a] - shift[a] - step[a]) < 1e-9);
    }
    lavdm_sync_free(sync);
  }
}

/* Signs, whichever way they are asked for, and with rounds against wrong ones; a loop, and two. */
static void signs_and_loops(void **state) {
  (void)state;
  lavdm_edges edges = path(EDGES, LAVDM_ELEMENT_SIGN);
  const lavdm_group groups[] = {LAVDM_GROUP_AUTO, LAVDM_GROUP_O, LAVDM_GROUP_Z2};
  for (int k = 0; k < 3; k++) {
    lavdm_sync_options o = defaults();
    o.group = groups[k], o.rounds = k;
    lavdm_sync_t *sync = solve(&edges, &o, LAVDM_WARNING);
    assert_int_equal(sync->group, LAVDM_GROUP_Z2);
    assert_true(sync->element[0] == 1 && sync->element[1] == 1 && sync->element[2] == -1);
    assert_int_equal(sync->loops, 1);
    assert_true(warned(sync, "1 edge from a node to itself was left out"));
    assert_int_equal(sync->warnings, 1);
    assert_int_equal(sync->robust, k ? LAVDM_ROBUST_WEIGHTS : LAVDM_ROBUST_NO);
    for (int e = 0; e < EDGES; e++)
      assert_true(k && from[e] != to[e] ? sync->trust[e] > 0.9 : sync->trust[e] == 1);
    lavdm_sync_free(sync);
  }
  int64_t row[] = {0, 1, 1}, col[] = {1, 1, 1};
  edges.count = 3, edges.row = row, edges.col = col;
  lavdm_sync_options o = defaults();
  lavdm_sync_t *sync = solve(&edges, &o, LAVDM_WARNING);
  assert_true(warned(sync, "2 edges from a node to itself were left out"));
  lavdm_sync_free(sync);
}

/* SO(1) has the identity alone, in whatever way wrong edges are met. */
static void one_element(void **state) {
  (void)state;
  int64_t row[] = {2, 1, 1}, col[] = {5, 7, 2};
  const lavdm_edges edges = {.count = 3, .row = row, .col = col, .kind = LAVDM_ELEMENT_NONE};
  for (lavdm_robust way = LAVDM_ROBUST_NO; way <= LAVDM_ROBUST_GRADUAL; way++) {
    lavdm_sync_options o = defaults();
    o.group = LAVDM_GROUP_SO, o.robust = way;
    lavdm_sync_t *sync = solve(&edges, &o, LAVDM_OK);
    assert_int_equal(sync->robust, LAVDM_ROBUST_NO);
    for (int64_t i = 0; i < sync->n; i++) assert_true(sync->element[i] == 1);
    lavdm_sync_free(sync);
  }
}

/* Complete on six nodes, one sign of fifteen is wrong: rounds take it for wrong, and none of the others. */
static void wrong_sign(void **state) {
  (void)state;
  enum { NODES = 6, PAIRS = 15, WRONG = 7 };
  int64_t row[PAIRS], col[PAIRS], count = 0;
  double o[PAIRS];
  for (int64_t i = 0; i < NODES; i++)
    for (int64_t k = i + 1; k < NODES; k++, count++) {
      row[count] = i, col[count] = k;
      o[count] = ((i + k) % 2 ? -1 : 1) * (count == WRONG ? -1 : 1);
    }
  const lavdm_edges edges = {
      .count = PAIRS, .row = row, .col = col, .element = o, .kind = LAVDM_ELEMENT_SIGN};
  for (int k = 0; k < 2; k++) {
    lavdm_sync_options o2 = defaults();
    o2.rounds = k;
    lavdm_sync_t *sync = solve(&edges, &o2, LAVDM_OK);
    for (int64_t i = 0; i < NODES; i++) assert_true(sync->element[i] == (i % 2 ? -1 : 1));
    for (int e = 0; e < PAIRS; e++) {
      assert_true(sync->residual[e] == (e == WRONG));
      assert_true(!k ? sync->trust[e] == 1 : e == WRONG ? sync->trust[e] < 0.1 : sync->trust[e] > 0.5);
    }
    lavdm_sync_free(sync);
  }
}

static void refused(const lavdm_edges *edges, const lavdm_sync_options *o, int status, const char *says) {
  lavdm_sync_t *sync = (lavdm_sync_t *)&status;
  lavdm_error error;
  assert_int_equal(lavdm_sync(edges, o, &sync, &error), status);
  assert_null(sync);
  if (!strstr(error.message, says)) fail_msg("'%s' does not say '%s'", error.message, says);
  assert_int_equal(lavdm_sync(edges, o, &sync, NULL), status);
}

static void refusals(void **state) {
  (void)state;
  const double shift[6] = {0}, odd[] = {0, -1, NAN, 1e101, INFINITY};
  lavdm_edges edges = path(3, LAVDM_ELEMENT_ANGLE);
  lavdm_sync_options o = defaults();
  lavdm_error error;
  assert_int_equal(lavdm_sync(&edges, &o, NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "no place for the result"));
  refused(NULL, &o, LAVDM_ERROR_ARGUMENT, "edges or options are missing");
  refused(&edges, NULL, LAVDM_ERROR_ARGUMENT, "edges or options are missing");
  for (int k = 0; k < 5; k++) {
    double weight[] = {1, 1, odd[k]};
    o.shift = shift, o.shift_weight = weight;
    refused(&edges, &o, LAVDM_ERROR_DATA, "edge 3 has a shift of weight");
  }
  double far[6] = {0, 0, 0, 1e200};
  o.shift = far, o.shift_weight = NULL;
  refused(&edges, &o, LAVDM_ERROR_DATA, "edge 2 has a shift of 1e+200");
  o = defaults();
  o.group = LAVDM_GROUP_CYCLIC, o.order = (int64_t)1 << 40;
  refused(&edges, &o, LAVDM_ERROR_ARGUMENT, "order");
  o = defaults();
  o.rounds = (int64_t)1 << 40;
  refused(&edges, &o, LAVDM_ERROR_ARGUMENT, "rounds");
  o = defaults();
  o.group = (lavdm_group)(LAVDM_GROUP_O + 1);
  refused(&edges, &o, LAVDM_ERROR_ARGUMENT, "group");
  o = defaults();
  o.robust = (lavdm_robust)(LAVDM_ROBUST_GRADUAL + 1);
  refused(&edges, &o, LAVDM_ERROR_ARGUMENT, "no robust way 5");
  o = defaults();
  o.certify = (lavdm_certify)-1;
  refused(&edges, &o, LAVDM_ERROR_ARGUMENT, "certify is -1");
  o = defaults();
  const int64_t nodes[] = {3, -4};
  o.nodes = nodes, o.node_count = 2;
  refused(&edges, &o, LAVDM_ERROR_DATA, "there is a node -4");
  lavdm_sync_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_of_shifts), cmocka_unit_test(signs_and_loops), cmocka_unit_test(wrong_sign),
      cmocka_unit_test(one_element),       cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
