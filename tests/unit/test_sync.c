/*
 * Group synchronisation against elements that are known: exact without noise for every group
 * and shape of graph, in proportion to small noise, better with re-weighting where edges are
 * wrong; what is listed twice, both ways or from a node to itself; and what is refused.
 */
#include "base/random.h"
#include "lavdm/sync.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_Q = 5, Q2 = MOST_Q * MOST_Q };

typedef enum { RANDOM, GRID, PATH, TREE, SHAPES } shape_t;

/* A graph, its truth and the edges that follow from it. */
typedef struct {
  int64_t n, q;
  bool reflections;
  double *truth; /* n x q x q */
  int64_t count;
  int64_t *row, *col;
  double *element, *weight;
  lavdm_edges edges;
} problem;

static void multiply(int64_t q, const double *a, const double *b, bool back, double *c) {
  for (int64_t i = 0; i < q; i++)
    for (int64_t j = 0; j < q; j++) {
      c[i * q + j] = 0;
      for (int64_t k = 0; k < q; k++) c[i * q + j] += a[i * q + k] * (back ? b[j * q + k] : b[k * q + j]);
    }
}

/* Gram-Schmidt on normal numbers about `middle` times the identity: near it if that is large. */
static void draw(random_t *r, int64_t q, double middle, bool reflections, double *o) {
  double det = 1;
  for (int64_t i = 0; i < q; i++) {
    for (int64_t j = 0; j < q; j++) o[i * q + j] = random_normal(r) + (i == j ? middle : 0);
    for (int pass = 0; pass < 2; pass++)
      for (int64_t k = 0; k < i; k++) {
        double dot = 0;
        for (int64_t j = 0; j < q; j++) dot += o[i * q + j] * o[k * q + j];
        for (int64_t j = 0; j < q; j++) o[i * q + j] -= dot * o[k * q + j];
      }
    double norm = 0;
    for (int64_t j = 0; j < q; j++) norm += o[i * q + j] * o[i * q + j];
    for (int64_t j = 0; j < q; j++) o[i * q + j] /= sqrt(norm);
  }
  double a[Q2]; /* the sign of the determinant, by elimination with row exchanges */
  memcpy(a, o, (size_t)(q * q) * sizeof *a);
  for (int64_t k = 0; k < q; k++) {
    int64_t best = k;
    for (int64_t i = k + 1; i < q; i++)
      if (fabs(a[i * q + k]) > fabs(a[best * q + k])) best = i;
    for (int64_t j = 0; j < q && best != k; j++) {
      double t = a[k * q + j];
      a[k * q + j] = a[best * q + j], a[best * q + j] = t;
    }
    if (best != k) det = -det;
    det *= a[k * q + k] < 0 ? -1 : 1;
    for (int64_t i = k + 1; i < q; i++)
      for (int64_t j = q - 1; j >= k; j--) a[i * q + j] -= a[i * q + k] / a[k * q + k] * a[k * q + j];
  }
  if (!reflections && det < 0)
    for (int64_t j = 0; j < q; j++) o[j] = -o[j];
}

static void add(problem *p, int64_t i, int64_t k) {
  double *o = p->element + p->count * p->q * p->q;
  p->row[p->count] = i, p->col[p->count] = k, p->weight[p->count++] = 1;
  multiply(p->q, p->truth + i * p->q * p->q, p->truth + k * p->q * p->q, true, o);
}

static problem *make(shape_t shape, int64_t n, int64_t q, bool reflections, uint64_t seed) {
  problem *p = calloc(1, sizeof *p);
  int64_t most = 8 * n, side = (int64_t)sqrt((double)n);
  random_t r = random_start(seed, 3);
  *p = (problem){n,
                 q,
                 reflections,
                 calloc((size_t)(n * q * q), 8),
                 0,
                 calloc((size_t)most, 8),
                 calloc((size_t)most, 8),
                 calloc((size_t)(most * q * q), 8),
                 calloc((size_t)most, 8),
                 {0}};
  for (int64_t i = 0; i < n; i++) draw(&r, q, 0, reflections || q == 1, p->truth + i * q * q);
  for (int64_t i = 0; i < n && shape == GRID; i++) {
    if ((i + 1) % side && i + 1 < n) add(p, i, i + 1);
    if (i + side < n) add(p, i + side, i);
  }
  for (int64_t i = 1; i < n && shape == PATH; i++) add(p, i - 1, i);
  for (int64_t i = 1; i < n && (shape == TREE || shape == RANDOM); i++) add(p, i, random_below(&r, i));
  while (shape == RANDOM && p->count < 6 * n) {
    int64_t i = random_below(&r, n), k = random_below(&r, n);
    if (i != k) add(p, i, k);
  }
  p->edges = (lavdm_edges){.count = p->count,
                           .row = p->row,
                           .col = p->col,
                           .weight = p->weight,
                           .element = p->element,
                           .kind = LAVDM_ELEMENT_MATRIX,
                           .q = q};
  return p;
}

/* Noise of size 1/middle on every edge, and a share of edges that say nothing. */
static void spoil(problem *p, double middle, double outliers, uint64_t seed) {
  random_t r = random_start(seed, 4);
  int64_t q = p->q;
  for (int64_t e = 0; e < p->count; e++) {
    double noise[Q2], said[Q2], *o = p->element + e * q * q;
    draw(&r, q, middle, false, noise);
    multiply(q, o, noise, false, said);
    memcpy(o, said, (size_t)(q * q) * sizeof *o);
    if (random_uniform(&r) < outliers) draw(&r, q, 0, p->reflections || q == 1, o);
  }
}

static void release(problem *p) {
  free(p->truth), free(p->row), free(p->col), free(p->element), free(p->weight);
  free(p);
}

static lavdm_sync_options defaults(void) {
  lavdm_sync_options o;
  lavdm_sync_default(&o);
  o.threads = 1;
  return o;
}

static lavdm_sync_t *solve(const lavdm_edges *edges, const lavdm_sync_options *o, int expected) {
  lavdm_sync_t *sync;
  lavdm_error error;
  int status = lavdm_sync(edges, o, &sync, &error);
  if (status < 0) fail_msg("%s", error.message);
  assert_int_equal(status, expected);
  return sync;
}

/* 0 if all R_i' T_i over the nodes of a component are the same, that is if R is the truth up to
 * one element on the right; up to 1. |sum of R_i' T_i| is count sqrt(q) then, and less if not. */
static double error_of(const problem *p, const lavdm_sync_t *sync, int64_t component) {
  int64_t q = p->q, count = 0;
  double sum = 0, mean[Q2] = {0};
  for (int64_t i = 0; i < sync->n; i++) {
    if (sync->component[i] != component) continue;
    for (int64_t x = 0; x < q * q; x++)
      for (int64_t k = 0; k < q; k++)
        mean[x] += sync->element[(i * q + k) * q + x / q] * p->truth[(sync->node[i] * q + k) * q + x % q];
    count++;
  }
  assert_true(count > 0);
  for (int64_t x = 0; x < q * q; x++) sum += mean[x] * mean[x];
  return sqrt(fmax(0, 1 - sqrt(sum / (double)q) / (double)count));
}

static void assert_exact(const problem *p, const lavdm_sync_t *sync) {
  for (int64_t c = 0; c < sync->components; c++) assert_true(error_of(p, sync, c) < 1e-6);
  for (int64_t e = 0; e < sync->edges; e++) assert_true(sync->residual[e] < 1e-8);
  /* the first node of each component has the identity */
  for (int64_t c = 0; c < sync->components; c++)
    for (int64_t i = 0; i < sync->n; i++)
      if (sync->node[i] == sync->part[c]->first)
        for (int64_t k = 0; k < p->q * p->q; k++)
          assert_true(sync->element[i * p->q * p->q + k] == (k % (p->q + 1) ? 0 : 1));
}

/* Positions in as many dimensions as there may be; right, or not converged where the weights' Laplacian
 * rounds to a singular one. */
static void test_wide(void **state) {
  (void)state;
  enum { WIDE = 64 };
  const int64_t row[] = {0, 1}, col[] = {1, 2};
  double *element = calloc(2 * WIDE * WIDE, sizeof *element), *shift = calloc(2 * WIDE, sizeof *shift);
  for (int64_t e = 0; e < 2; e++)
    for (int64_t k = 0; k < WIDE; k++) {
      element[(e * WIDE + k) * WIDE + k] = 1;
      shift[e * WIDE + k] = 1 + (double)(e * k);
    }
  const lavdm_edges edges = {
      .count = 2, .row = row, .col = col, .element = element, .kind = LAVDM_ELEMENT_MATRIX, .q = WIDE};
  const double weights[][2] = {{1, 0x1p40}, {1, 0x1p60}};
  for (int w = 0; w < 2; w++) {
    lavdm_sync_options o = defaults();
    o.shift = shift, o.shift_weight = weights[w];
    lavdm_sync_t *sync;
    lavdm_error error;
    if (lavdm_sync(&edges, &o, &sync, &error) < 0) fail_msg("%s", error.message);
    bool right = true;
    for (int64_t k = 0; k < WIDE; k++)
      right = right && fabs(sync->position[WIDE + k] - 1) < 1e-6 &&
              fabs(sync->position[2 * WIDE + k] - 2 - (double)k) < 1e-6;
    assert_true(right || (w && !sync->converged && !sync->certified));
    lavdm_sync_free(sync);
  }
  free(element);
  free(shift);
}

/* Every group on every shape, small (dense) and larger (iterative). */
static void test_exact(void **state) {
  (void)state;
  for (int64_t q = 1; q <= MOST_Q; q++)
    for (int reflections = 0; reflections <= (q > 1); reflections++)
      for (int shape = 0; shape < SHAPES; shape++)
        for (int64_t n = 40; n <= (q <= 3 ? 400 : 80); n += 360) {
          problem *p = make((shape_t)shape, n, q, reflections, (uint64_t)(100 * q + shape));
          lavdm_sync_options o = defaults();
          lavdm_sync_t *sync = solve(&p->edges, &o, LAVDM_OK);
          assert_int_equal(sync->group, q == 1        ? LAVDM_GROUP_Z2
                                        : reflections ? LAVDM_GROUP_O
                                                      : LAVDM_GROUP_SO);
          assert_int_equal(sync->n, n);
          assert_int_equal(sync->components, 1);
          assert_true(fabs(sync->part[0]->eigenvalues[q - 1] - 1) < 1e-9);
          assert_true(sync->part[0]->gap > 0);
          assert_exact(p, sync);
          lavdm_sync_free(sync);
          o.refine = 0; /* the eigenvectors alone, to their own accuracy */
          sync = solve(&p->edges, &o, LAVDM_OK);
          assert_true(sync->most < 1e-2);
          lavdm_sync_free(sync);
          release(p);
        }
}

/* Steps of a cyclic group, as angles. */
static void test_cyclic(void **state) {
  (void)state;
  for (int64_t k = 2; k <= 12; k += 5) {
    enum { N = 200, M = 800 };
    int64_t row[M], col[M], step[N];
    double angle[M];
    random_t r = random_start((uint64_t)k, 1);
    for (int64_t i = 0; i < N; i++) step[i] = random_below(&r, k);
    for (int64_t e = 0; e < M; e++) {
      row[e] = e < N ? e : random_below(&r, N),
      col[e] = e < N ? (e + 1) % N : (row[e] + 1 + random_below(&r, N - 1)) % N;
      int64_t said = step[row[e]] - step[col[e]];
      if (e >= N && random_uniform(&r) < 0.2) said = random_below(&r, k);
      angle[e] = 2 * M_PI * (double)said / (double)k + 0.2 / (double)k * random_normal(&r);
    }
    lavdm_edges edges = {.count = M,
                         .row = row,
                         .col = col,
                         .weight = NULL,
                         .element = angle,
                         .kind = LAVDM_ELEMENT_ANGLE,
                         .q = 0};
    for (int robust = 0; robust <= 1; robust++) {
      lavdm_sync_options o = defaults();
      o.group = LAVDM_GROUP_CYCLIC, o.order = k, o.rounds = robust ? 5 : 0;
      lavdm_sync_t *sync = solve(&edges, &o, LAVDM_OK);
      assert_int_equal(sync->order, k);
      int64_t least = N; /* wrong ones, in the best gauge: that of the first node may be wrong too */
      for (int64_t gauge = 0; gauge < k; gauge++) {
        int64_t wrong = 0;
        for (int64_t i = 0; i < N; i++) {
          double turn = atan2(sync->element[4 * i + 2], sync->element[4 * i]) * (double)k / (2 * M_PI);
          assert_true(fabs(turn - nearbyint(turn)) < 1e-9);
          wrong += ((int64_t)nearbyint(turn) - step[i] - gauge) % k != 0;
        }
        least = wrong < least ? wrong : least;
      }
      assert_true(least <= (robust ? N / 50 : N / 5));
      lavdm_sync_free(sync);
    }
  }
}

/* Two parts with gaps in the numbers, a node alone, a loop, and nodes that no edge names. */
static void test_components(void **state) {
  (void)state;
  problem *p = make(RANDOM, 60, 3, false, 5);
  int64_t kept = 0, extra[] = {7, 1000000};
  for (int64_t e = 0; e < p->count; e++) { /* even and odd nodes apart */
    if ((p->row[e] ^ p->col[e]) & 1 || p->row[e] == 7 || p->col[e] == 7) continue;
    p->row[kept] = p->row[e], p->col[kept] = p->col[e];
    memcpy(p->element + 9 * kept++, p->element + 9 * e, 9 * sizeof(double));
  }
  p->count = kept;
  add(p, 4, 4);
  p->edges.count = p->count;
  lavdm_sync_options o = defaults();
  o.nodes = extra, o.node_count = 2;
  lavdm_sync_t *sync = solve(&p->edges, &o, LAVDM_WARNING);
  assert_true(sync->components >= 2);
  assert_true(sync->isolated >= 2);
  assert_int_equal(sync->loops, 1);
  assert_int_equal(sync->node[sync->n - 1], 1000000);
  assert_int_equal(sync->component[sync->n - 1], -1);
  assert_true(sync->warnings >= 3);
  assert_exact(p, sync);
  lavdm_sync_free(sync);
  release(p);
}

/* One edge, in each direction, twice. */
static void test_duplicates(void **state) {
  (void)state;
  int64_t row[] = {3, 9, 3}, col[] = {9, 3, 9};
  double angle[] = {0.5, -0.5, 0.5};
  for (int64_t count = 1; count <= 3; count++) {
    lavdm_edges edges = {.count = count,
                         .row = row,
                         .col = col,
                         .weight = NULL,
                         .element = angle,
                         .kind = LAVDM_ELEMENT_ANGLE,
                         .q = 0};
    lavdm_sync_options o = defaults();
    lavdm_sync_t *sync = solve(&edges, &o, LAVDM_OK);
    assert_int_equal(sync->n, 2);
    assert_true(fabs(atan2(sync->element[6], sync->element[4]) + 0.5) < 1e-12);
    lavdm_sync_free(sync);
  }
  angle[1] = -0.7; /* the mean, by weight */
  double weight[] = {1, 3, 1};
  lavdm_edges edges = {.count = 2,
                       .row = row,
                       .col = col,
                       .weight = weight,
                       .element = angle,
                       .kind = LAVDM_ELEMENT_ANGLE,
                       .q = 0};
  lavdm_sync_options o = defaults();
  lavdm_sync_t *sync = solve(&edges, &o, LAVDM_OK);
  double mean = atan2(sin(0.5) + 3 * sin(0.7), cos(0.5) + 3 * cos(0.7));
  assert_true(fabs(atan2(sync->element[6], sync->element[4]) + mean) < 1e-6);
  lavdm_sync_free(sync);
}

/* Ten times less noise, ten times less error. */
static void test_noise(void **state) {
  (void)state;
  for (int64_t q = 2; q <= 3; q++)
    for (int shape = RANDOM; shape <= GRID; shape++) {
      double error[2];
      for (int k = 0; k < 2; k++) {
        problem *p = make((shape_t)shape, 400, q, false, 9);
        spoil(p, k ? 300 : 30, 0, 2);
        lavdm_sync_options o = defaults();
        lavdm_sync_t *sync = solve(&p->edges, &o, LAVDM_OK);
        error[k] = error_of(p, sync, 0);
        assert_true(error[k] < (k ? 0.01 : 0.1));
        lavdm_sync_free(sync);
        release(p);
      }
      assert_true(error[0] > 8 * error[1] && error[0] < 12.5 * error[1]);
    }
}

static void test_robust(void **state) {
  (void)state;
  for (int64_t q = 2; q <= 4; q++) {
    problem *p = make(RANDOM, 300, q, q == 4, (uint64_t)q);
    spoil(p, 20, 0.3, 3);
    double error[2];
    for (int robust = 0; robust <= 1; robust++) {
      lavdm_sync_options o = defaults();
      o.rounds = robust ? 10 : 0;
      lavdm_sync_t *sync = solve(&p->edges, &o, LAVDM_OK);
      error[robust] = error_of(p, sync, 0);
      double least = 1;
      for (int64_t e = 0; e < sync->edges; e++) least = fmin(least, sync->trust[e]);
      assert_true(robust ? least < 0.05 : least == 1);
      lavdm_sync_free(sync);
    }
    assert_true(error[1] < 0.6 * error[0]);
    release(p);
  }
}

/* Positions on a grid seen from each node in its own coordinates. */
static void test_positions(void **state) {
  (void)state;
  for (int64_t q = 2; q <= 3; q++) {
    problem *p = make(GRID, 225, q, false, 6);
    double *shift = calloc((size_t)(p->count * q), sizeof *shift), where[2][3] = {{0}};
    for (int64_t e = 0; e < p->count; e++) {
      for (int side = 0; side < 2; side++) {
        int64_t i = side ? p->col[e] : p->row[e];
        where[side][0] = (double)(i % 15), where[side][1] = (double)(i / 15),
        where[side][2] = (double)(i % 7);
      }
      for (int64_t a = 0; a < q; a++)
        for (int64_t b = 0; b < q; b++)
          shift[e * q + a] += p->truth[(p->row[e] * q + a) * q + b] * (where[1][b] - where[0][b]);
    }
    lavdm_sync_options o = defaults();
    o.shift = shift;
    lavdm_sync_t *sync = solve(&p->edges, &o, LAVDM_OK);
    /* R_0 = 1: the world is that of the truth turned by the truth's own R_0 */
    for (int64_t i = 0; i < 225; i++) {
      double truth[3] = {(double)(i % 15), (double)(i / 15), (double)(i % 7)};
      for (int64_t a = 0; a < q; a++) {
        double seen = 0;
        for (int64_t b = 0; b < q; b++) seen += p->truth[a * q + b] * truth[b];
        assert_true(fabs(sync->position[i * q + a] - seen) < 1e-6);
      }
    }
    lavdm_sync_free(sync);
    free(shift);
    release(p);
  }
}

static void test_threads(void **state) {
  (void)state;
  problem *p = make(RANDOM, 500, 3, false, 8);
  spoil(p, 10, 0.1, 5);
  lavdm_sync_options o = defaults();
  o.rounds = 3, o.threads = 1;
  lavdm_sync_t *one = solve(&p->edges, &o, LAVDM_OK);
  o.threads = 3;
  lavdm_sync_t *three = solve(&p->edges, &o, LAVDM_OK);
  assert_memory_equal(one->element, three->element, 500 * 9 * sizeof(double));
  assert_memory_equal(one->residual, three->residual, (size_t)p->count * sizeof(double));
  lavdm_sync_free(one), lavdm_sync_free(three);
  release(p);
}

static void refused(const lavdm_edges *edges, const lavdm_sync_options *o, int status, const char *says) {
  lavdm_sync_t *sync = (lavdm_sync_t *)&status;
  lavdm_error error;
  assert_int_equal(lavdm_sync(edges, o, &sync, &error), status);
  assert_null(sync);
  assert_non_null(strstr(error.message, says));
}

static void test_refusals(void **state) {
  (void)state;
  problem *p = make(RANDOM, 10, 2, true, 1);
  lavdm_sync_options o = defaults();
  o.group = LAVDM_GROUP_SO;
  refused(&p->edges, &o, LAVDM_ERROR_DATA, "reflection");
  o.group = LAVDM_GROUP_Z2;
  refused(&p->edges, &o, LAVDM_ERROR_ARGUMENT, "signs");
  o.group = LAVDM_GROUP_CYCLIC;
  refused(&p->edges, &o, LAVDM_ERROR_ARGUMENT, "angles");
  o = defaults();
  const double bad[] = {0, -1, NAN, INFINITY};
  for (int k = 0; k < 4; k++) {
    p->weight[3] = bad[k];
    refused(&p->edges, &o, LAVDM_ERROR_DATA, "edge 4 has weight");
  }
  p->weight[3] = 1;
  p->element[4 * 5] += 0.5;
  refused(&p->edges, &o, LAVDM_ERROR_DATA, "edge 6");
  p->element[4 * 5] -= 0.5;
  p->row[2] = -1;
  refused(&p->edges, &o, LAVDM_ERROR_DATA, "edge 3 names a negative node");
  p->edges.count = 0;
  refused(&p->edges, &o, LAVDM_ERROR_DATA, "no edges");
  double angle = 1;
  int64_t zero = 0, one = 1;
  lavdm_edges single = {.count = 1,
                        .row = &zero,
                        .col = &one,
                        .weight = NULL,
                        .element = &angle,
                        .kind = LAVDM_ELEMENT_ANGLE,
                        .q = 0};
  o.group = LAVDM_GROUP_CYCLIC, o.order = 1;
  refused(&single, &o, LAVDM_ERROR_ARGUMENT, "order");
  o = defaults();
  o.rounds = -1;
  refused(&single, &o, LAVDM_ERROR_ARGUMENT, "rounds is -1");
  o.rounds = 5, o.robust = LAVDM_ROBUST_GRADUAL;
  refused(&single, &o, LAVDM_ERROR_ARGUMENT, "rounds are of re-weighting");
  o = defaults();
  o.refine = 0, o.certify = LAVDM_CERTIFY_YES;
  refused(&single, &o, LAVDM_ERROR_ARGUMENT, "nothing to prove");
  double shift[] = {1, NAN};
  o = defaults();
  o.shift = shift;
  refused(&single, &o, LAVDM_ERROR_DATA, "shift");
  lavdm_edges loop = {.count = 1,
                      .row = &zero,
                      .col = &zero,
                      .weight = NULL,
                      .element = &angle,
                      .kind = LAVDM_ELEMENT_ANGLE,
                      .q = 0}; /* one node */
  o = defaults();
  lavdm_sync_t *sync = solve(&loop, &o, LAVDM_WARNING);
  assert_int_equal(sync->n, 1);
  assert_int_equal(sync->components, 0);
  assert_int_equal(sync->certified, 0);
  assert_non_null(strstr(sync->verdict, "nothing to prove"));
  assert_true(fabs(sync->residual[0] - 1) < 1e-12);
  lavdm_sync_free(sync);
  release(p);
}

static int stop(const char *stage, double fraction, void *user) {
  (void)stage, (void)fraction, (void)user;
  return 1;
}

static void test_interrupt(void **state) {
  (void)state;
  problem *p = make(GRID, 400, 2, false, 1);
  lavdm_sync_options o = defaults();
  o.progress = stop;
  refused(&p->edges, &o, LAVDM_ERROR_INTERRUPTED, "interrupted");
  release(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wide),       cmocka_unit_test(test_exact),      cmocka_unit_test(test_cyclic),
      cmocka_unit_test(test_components), cmocka_unit_test(test_duplicates), cmocka_unit_test(test_noise),
      cmocka_unit_test(test_robust),     cmocka_unit_test(test_positions),  cmocka_unit_test(test_threads),
      cmocka_unit_test(test_refusals),   cmocka_unit_test(test_interrupt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
