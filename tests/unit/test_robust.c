/*
 * Robust synchronisation: corruption by triangles against a loop written out, noise and share of wrong edges
 * against what was drawn, solutions against the truth, what is chosen, trust, and the same bits for any
 * number of threads.
 */
#include "base/random.h"
#include "drawn.h"
#include "robust/robust.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { N = 40, Q = 3, Q2 = Q * Q };

typedef enum { EVEN, AGREEING } wrong_kind;

/* A complete graph, a share of whose edges is wrong. */
typedef struct {
  drawn_t *drawn;
  bool *wrong;
  lavdm_edges edges;
  int64_t *row, *col;
} wrong_graph;

static void product(int64_t q, const double *a, const double *b, bool back, double *c) {
  for (int64_t i = 0; i < q; i++)
    for (int64_t j = 0; j < q; j++) {
      c[i * q + j] = 0;
      for (int64_t k = 0; k < q; k++) c[i * q + j] += a[i * q + k] * (back ? b[j * q + k] : b[k * q + j]);
    }
}

static wrong_graph *make(int64_t n, int64_t q, double noise, double share, wrong_kind how, uint64_t seed) {
  wrong_graph *g = calloc(1, sizeof *g);
  const drawn_kind kind = {.n = n,
                           .q = q,
                           .shape = DRAWN_COMPLETE,
                           .noise = noise,
                           .spread = 1,
                           .seed = seed,
                           .reflections = q == 1};
  drawn_t *d = g->drawn = drawn_new(&kind);
  int64_t m = d->part.m, q2 = q * q;
  double *other = calloc((size_t)(n * q2), sizeof *other);
  random_t random = random_start(seed, 77);
  g->wrong = calloc((size_t)m, sizeof *g->wrong);
  g->row = calloc((size_t)m, sizeof *g->row), g->col = calloc((size_t)m, sizeof *g->col);
  for (int64_t i = 0; i < n; i++) drawn_element(&random, q, 100, q == 1, other + i * q2);
  for (int64_t e = 0; e < m; e++) {
    g->row[e] = d->row[e], g->col[e] = d->col[e];
    g->wrong[e] = random_uniform(&random) < share;
    if (g->wrong[e] && how == EVEN) drawn_element(&random, q, 100, q == 1, d->o + e * q2);
    if (g->wrong[e] && how == AGREEING)
      product(q, other + d->row[e] * q2, other + d->col[e] * q2, true, d->o + e * q2);
  }
  g->edges = (lavdm_edges){
      .count = m, .row = g->row, .col = g->col, .element = d->o, .kind = LAVDM_ELEMENT_MATRIX, .q = q};
  free(other);
  return g;
}

/* At every other node three of four edges are wrong, as in the demonstration of message passing least
 * squares: they put it where another solution has it, but blurred; `both`: so with the node at their other
 * end. */
static void mislead(wrong_graph *g, bool both, uint64_t seed) {
  enum { BLUR = 4 };
  random_t random = random_start(seed, 80);
  const part_t *part = &g->drawn->part;
  double *other = calloc((size_t)(part->n * Q2), sizeof *other), blur[Q2], half[Q2];
  for (int64_t i = 0; i < part->n; i++) drawn_element(&random, Q, 100, false, other + i * Q2);
  for (int64_t i = 0; i < part->n; i += 2)
    for (int64_t at = part->start[i]; at < part->start[i + 1]; at++) {
      int64_t e = part->link[at] / 2, row = part->row[e], col = part->col[e];
      if (random_uniform(&random) > 0.75) continue;
      drawn_element(&random, Q, BLUR, false, blur);
      product(Q, (both || row == i ? other : g->drawn->r) + row * Q2, blur, false, half);
      product(Q, half, (both || col == i ? other : g->drawn->r) + col * Q2, true, g->drawn->o + e * Q2);
      g->wrong[e] = true;
    }
  free(other);
}

/* Only some of the edges, drawn: every `keep`-th on average. */
static void thin(wrong_graph *g, int64_t keep, uint64_t seed) {
  random_t random = random_start(seed, 79);
  int64_t kept = 0, q2 = g->edges.q * g->edges.q;
  for (int64_t e = 0; e < g->edges.count; e++) {
    if (random_below(&random, keep)) continue;
    g->row[kept] = g->row[e], g->col[kept] = g->col[e], g->wrong[kept] = g->wrong[e];
    memmove(g->drawn->o + kept++ * q2, g->drawn->o + e * q2, (size_t)q2 * sizeof *g->drawn->o);
  }
  g->edges.count = kept;
}

static void drop(wrong_graph *g) {
  drawn_free(g->drawn);
  free(g->wrong);
  free(g->row);
  free(g->col);
  free(g);
}

/* The angle between what was found and the truth that this share of the pairs of nodes is within. */
static double error_within(const wrong_graph *g, const double *found, double share) {
  int64_t q = g->drawn->part.q, q2 = q * q, n = g->drawn->part.n, count = 0;
  double a[Q2], b[Q2], *each = calloc((size_t)(n * n), sizeof *each);
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = 0; k < i; k++) {
      double sum = 0;
      product(q, found + i * q2, found + k * q2, true, a);
      product(q, g->drawn->r + i * q2, g->drawn->r + k * q2, true, b);
      for (int64_t l = 0; l < q2; l++) sum += (a[l] - b[l]) * (a[l] - b[l]);
      each[count++] = sqrt(sum / 2);
    }
  double most = residual_quantile(each, count, share);
  free(each);
  return most;
}

/* Of 95 %: of signs, two wrong nodes of 40 are in more pairs than that leaves. */
static double error_of(const wrong_graph *g, const double *found) {
  return error_within(g, found, 0.95);
}

static lavdm_sync_t *solve(const wrong_graph *g, lavdm_robust way, int64_t threads) {
  lavdm_sync_options options;
  lavdm_sync_t *sync = NULL;
  lavdm_error error;
  lavdm_sync_default(&options);
  options.robust = way, options.threads = threads, options.certify = LAVDM_CERTIFY_NO;
  assert_true(lavdm_sync(&g->edges, &options, &sync, &error) >= 0);
  return sync;
}

/* ------------------------------------------------------------------ parts */

/* The edge between two nodes of a complete graph. */
static int64_t edge_of(const part_t *part, int64_t i, int64_t k) {
  for (int64_t e = 0; e < part->m; e++)
    if ((part->row[e] == i && part->col[e] == k) || (part->row[e] == k && part->col[e] == i)) return e;
  return -1;
}

/* O from i to k, whichever way it is listed. */
static void said(const part_t *part, int64_t i, int64_t k, double *o) {
  int64_t e = edge_of(part, i, k);
  for (int64_t a = 0; a < Q; a++)
    for (int64_t b = 0; b < Q; b++)
      o[a * Q + b] = part->o[e * Q2 + (part->row[e] == i ? a * Q + b : b * Q + a)];
}

static double closing(const part_t *part, int64_t i, int64_t j, int64_t k) {
  double a[Q2], b[Q2], c[Q2], ab[Q2], abc[Q2];
  said(part, i, j, a), said(part, j, k, b), said(part, k, i, c);
  product(Q, a, b, false, ab), product(Q, ab, c, false, abc);
  return acos(fmax(fmin((abc[0] + abc[4] + abc[8] - 1) / 2, 1), -1)) / M_PI;
}

static void test_corruption(void **state) {
  (void)state;
  enum { FEW = 12 };
  wrong_graph *g = make(FEW, Q, 0.1, 0.3, EVEN, 1);
  const part_t *part = &g->drawn->part;
  run_t run = {.threads = 2};
  triangles_t triangles;
  int64_t m = part->m;
  double s[FEW * FEW] = {0}, next[FEW * FEW] = {0}, found[FEW * FEW] = {0};
  assert_int_equal(triangles_find(&run, part, 100, &triangles), 0);
  assert_int_equal(triangles.start[m], m * (FEW - 2));
  assert_int_equal(cycles_corruption(&run, part, &triangles, found), 0);
  for (int beta = 0; beta <= 32; beta = beta ? 2 * beta : 1) {
    for (int64_t e = 0; e < m; e++) {
      double sum = 0, norm = 0;
      for (int64_t k = 0; k < FEW; k++) {
        int64_t i = part->row[e], j = part->col[e];
        if (k == i || k == j) continue;
        double w = exp(-beta * (s[edge_of(part, i, k)] + s[edge_of(part, j, k)]));
        sum += w * closing(part, i, j, k), norm += w;
      }
      next[e] = sum / norm;
    }
    memcpy(s, next, sizeof s);
  }
  for (int64_t e = 0; e < m; e++) assert_float_equal(found[e], s[e], 1e-5);
  triangles_free(&triangles);
  assert_int_equal(triangles_find(&run, part, 4, &triangles), 0); /* some of them */
  assert_int_equal(triangles.start[m], m * 4);
  triangles_free(&triangles);
  drop(g);
}

static void test_no_triangles(void **state) {
  (void)state;
  const drawn_kind kind = {.n = 25, .q = Q, .shape = DRAWN_GRID, .noise = 0.1, .spread = 1, .seed = 3};
  drawn_t *d = drawn_new(&kind);
  run_t run = {.threads = 1};
  triangles_t triangles;
  assert_int_equal(triangles_find(&run, &d->part, 100, &triangles), 0);
  assert_int_equal(triangles.lone, d->part.m);
  triangles_free(&triangles);
  drawn_free(d);
}

/* Z by the sum over angles, of SO(2), SO(3) and their doubles. */
static double norm_of(const group_t *group, double kappa) {
  enum { POINTS = 40000 };
  double sum = 0, both = group->group == LAVDM_GROUP_O ? 2 : 1;
  for (int k = 0; k < POINTS; k++) {
    double x = M_PI * (k + 0.5) / POINTS;
    sum += exp(-2 * kappa * (1 - cos(x))) * (group->q == 2 ? 1 : 1 - cos(x)) / POINTS;
  }
  return sum / both;
}

static void test_langevin(void **state) {
  (void)state;
  const group_t groups[] = {{LAVDM_GROUP_SO, 0, 2}, {LAVDM_GROUP_SO, 0, 3}, {LAVDM_GROUP_O, 0, 3}};
  const double some[] = {1e-9, 0.01, 0.5, 3, 9.999, 10.001, 40, 3000, 49999, 50001};
  for (int g = 0; g < 3; g++)
    for (int k = 0; k < 10; k++) {
      double found = langevin_flat(&groups[g], some[k]) + langevin_bend(&groups[g], some[k]);
      assert_float_equal(found, log(norm_of(&groups[g], some[k])), 5e-6);
    }
  assert_true(fabs(langevin_bend(&groups[1], 1e300)) < 1e-12);
  for (int g = 0; g < 2; g++) { /* of even noise, Z is 1 */
    double found = langevin_flat(&groups[g], 1e-250) + langevin_bend(&groups[g], 1e-250);
    assert_float_equal(found, 0, 1e-9);
  }
}

/* A square has the same density by its weight as by that of a mixture of other sigma. */
static void test_weighted(void **state) {
  (void)state;
  const group_t group = {LAVDM_GROUP_SO, 0, 3};
  mixture_t x = mixture_of(&group, 0.8, 0.3), y = mixture_of(&group, 0.4, 0.3);
  assert_float_equal(mixture_ratio(&x, 4 * 0.2, 4), mixture_ratio(&y, 0.2, 1), 1e-12);
}

/* Angles of which three of four are drawn evenly. */
static void test_mixture(void **state) {
  (void)state;
  enum { COUNT = 20000 };
  const group_t group = {LAVDM_GROUP_SO, 0, 2};
  double *square = calloc(COUNT, sizeof *square), *weight = calloc(COUNT, sizeof *weight);
  random_t random = random_start(5, 78);
  for (int64_t e = 0; e < COUNT; e++) {
    double x = e % 4 ? M_PI * (2 * random_uniform(&random) - 1) : 0.05 * random_normal(&random);
    square[e] = 4 * sin(x / 2) * sin(x / 2), weight[e] = 1;
  }
  mixture_t x = mixture_fit(&group, square, weight, COUNT, 1);
  assert_float_equal(x.sigma, 0.05, 0.003);
  assert_float_equal(x.wrong, 0.75, 0.02);
  assert_true(mixture_right(&x, 0, 1) > 0.9);
  assert_true(mixture_right(&x, 1, 1) < 1e-6);
  free(square);
  free(weight);
}

/* Rotations, four of five of them drawn evenly, the others as far off as what eigenvectors of such a graph
 * leave: no single wide distribution explains them. */
static void test_wide_mixture(void **state) {
  (void)state;
  enum { COUNT = 10000 };
  const group_t group = {LAVDM_GROUP_SO, 0, Q};
  double *square = calloc(COUNT, sizeof *square), *weight = calloc(COUNT, sizeof *weight), x[4];
  random_t random = random_start(5, 79);
  for (int64_t e = 0; e < COUNT; e++) {
    double size = 0;
    for (int k = 0; k < 4; k++) { /* a quaternion, even or near 1 */
      x[k] = e % 5 ? random_normal(&random) : k ? 0.2 * random_normal(&random) : 1;
      size += x[k] * x[k];
    }
    square[e] = 8 * (1 - x[0] * x[0] / size) / 2, weight[e] = 1;
  }
  mixture_t found = mixture_fit(&group, square, weight, COUNT, 1);
  assert_float_equal(found.sigma, 0.38, 0.06);
  assert_float_equal(found.wrong, 0.8, 0.04);
  free(square);
  free(weight);
}

/* -------------------------------------------------------------- the whole */

static void check_trust(const wrong_graph *g, const lavdm_sync_t *sync) {
  int64_t mistaken = 0;
  for (int64_t e = 0; e < sync->edges; e++) mistaken += (sync->trust[e] < 0.5) != g->wrong[e];
  assert_true(mistaken <= sync->edges / 50);
}

static void test_recovers(void **state) {
  (void)state;
  const lavdm_robust some[] = {LAVDM_ROBUST_GRADUAL, LAVDM_ROBUST_CYCLES, LAVDM_ROBUST_AUTO};
  for (int64_t q = 2; q <= 3; q++)
    for (int how = 0; how < 2; how++)
      for (int k = 0; k < 3; k++) {
        wrong_graph *g = make(N, q, 0.02, how ? 0.4 : 0.5, (wrong_kind)how, (uint64_t)(10 + q));
        lavdm_sync_t *sync = solve(g, some[k], 1);
        assert_true(error_of(g, sync->element) < 0.02);
        check_trust(g, sync);
        lavdm_sync_free(sync);
        drop(g);
      }
}

/* Where most edges are wrong, four of five at random or those at half of the nodes, and re-weighting is
 * degrees off, the choice is right to rounding or to what the noise of the others leaves. */
static void test_most_wrong(void **state) {
  (void)state;
  enum { MANY = 100 };
  for (int how = 0; how < 3; how++)
    for (int noisy = 0; noisy < 1 + (how == 1); noisy++) {
      wrong_graph *g = make(MANY, Q, noisy ? 0.02 : 0, how ? 0 : 0.8, EVEN, (uint64_t)(51 + noisy));
      if (how) mislead(g, how == 2, (uint64_t)(61 + noisy));
      lavdm_sync_t *sync = solve(g, LAVDM_ROBUST_AUTO, 1), *usual = solve(g, LAVDM_ROBUST_WEIGHTS, 1);
      assert_true(error_within(g, usual->element, 0.5) > 0.03);
      assert_true(error_within(g, sync->element, 0.5) < (noisy ? 0.015 : 1e-6));
      assert_true(error_of(g, sync->element) < (noisy ? 0.03 : 1e-6));
      check_trust(g, sync);
      lavdm_sync_free(sync);
      lavdm_sync_free(usual);
      drop(g);
    }
}

static void test_choice(void **state) {
  (void)state;
  wrong_graph *clean = make(400, Q, 0.3, 0, EVEN, 21), *bad = make(N, Q, 0.02, 0.6, EVEN, 22);
  thin(clean, 25, 23);
  lavdm_sync_t *sync = solve(clean, LAVDM_ROBUST_AUTO, 1);
  assert_int_equal(sync->robust, LAVDM_ROBUST_NO);
  assert_non_null(strstr(sync->robust_reason, "none: predicts"));
  for (int64_t e = 0; e < sync->edges; e++) assert_true(sync->trust[e] == 1);
  lavdm_sync_free(sync);
  sync = solve(bad, LAVDM_ROBUST_AUTO, 1);
  lavdm_sync_t *usual = solve(bad, LAVDM_ROBUST_WEIGHTS, 1);
  assert_true(sync->robust == LAVDM_ROBUST_CYCLES || sync->robust == LAVDM_ROBUST_GRADUAL);
  assert_true(error_of(bad, sync->element) <= error_of(bad, usual->element));
  lavdm_sync_free(sync);
  lavdm_sync_free(usual);
  drop(clean);
  drop(bad);
}

/* Signs: a third of the edges are coins. */
static void test_signs(void **state) {
  (void)state;
  const lavdm_robust some[] = {LAVDM_ROBUST_WEIGHTS, LAVDM_ROBUST_CYCLES, LAVDM_ROBUST_AUTO};
  for (int k = 0; k < 3; k++) {
    wrong_graph *g = make(N, 1, 0, 0.33, EVEN, 31);
    lavdm_sync_t *sync = solve(g, some[k], 1);
    assert_true(error_of(g, sync->element) < 1e-12);
    lavdm_sync_free(sync);
    drop(g);
  }
}

/* The same bits from the same number of threads, and the same but for rounding from others. */
static void test_threads(void **state) {
  (void)state;
  wrong_graph *g = make(N, Q, 0.1, 0.5, EVEN, 41);
  lavdm_sync_t *one = solve(g, LAVDM_ROBUST_AUTO, 1), *three = solve(g, LAVDM_ROBUST_AUTO, 3),
               *again = solve(g, LAVDM_ROBUST_AUTO, 3);
  assert_int_equal(one->robust, three->robust);
  assert_memory_equal(again->element, three->element, (size_t)(N * Q2) * sizeof *one->element);
  assert_memory_equal(again->trust, three->trust, (size_t)one->edges * sizeof *one->trust);
  for (int64_t i = 0; i < N * Q2; i++) assert_float_equal(one->element[i], three->element[i], 1e-9);
  for (int64_t e = 0; e < one->edges; e++) assert_float_equal(one->trust[e], three->trust[e], 1e-9);
  lavdm_sync_free(one);
  lavdm_sync_free(three);
  lavdm_sync_free(again);
  drop(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_corruption),   cmocka_unit_test(test_no_triangles),
                                     cmocka_unit_test(test_mixture),      cmocka_unit_test(test_recovers),
                                     cmocka_unit_test(test_langevin),     cmocka_unit_test(test_weighted),
                                     cmocka_unit_test(test_wide_mixture), cmocka_unit_test(test_choice),
                                     cmocka_unit_test(test_most_wrong),   cmocka_unit_test(test_signs),
                                     cmocka_unit_test(test_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
