/*
 * The likelihood of poses: its cost by the formula, gradient and second derivatives by differences of the
 * cost, positions against a dense solution in long double with weights over eight decades, fits of graphs
 * whose answer is known, and of small and contradictory ones.
 */
#include "base/random.h"
#include "poses/place.h"
#include "poses/relax.h"
#include "poses/system.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_N = 60, MOST_M = 200, MOST_Q = 4, Q2 = MOST_Q * MOST_Q };

typedef struct {
  part_t part;
  likelihood_t problem;
  int32_t row[MOST_M], col[MOST_M];
  double o[MOST_M * Q2], weight[MOST_M], shift[MOST_M * MOST_Q], tau[MOST_M];
  double truth[MOST_N * Q2], place[MOST_N * MOST_Q];
  double r[MOST_N * Q2], p[MOST_N * MOST_Q];
} graph;

static run_t run_of(int threads) {
  return (run_t){.threads = threads};
}

/* to = from exp(x), every number of x normal with this deviation */
static void turn(random_t *random, int64_t q, const double *from, double deviation, double *to) {
  double x[MOST_Q * MOST_Q];
  for (int64_t l = 0; l < q * (q - 1) / 2; l++) x[l] = deviation * random_normal(random);
  rotation_step(q, from, x, 1, to);
}

/* Edges whose rows and columns are there: what poses say of them, with noise; weights over `decades`. */
static void measure(graph *g, random_t *random, double noise, double decades) {
  int64_t q = g->part.q;
  for (int64_t e = 0; e < g->part.m; e++) {
    const double *ri = g->truth + g->row[e] * q * q, *rk = g->truth + g->col[e] * q * q;
    double o[Q2];
    for (int64_t a = 0; a < q; a++)
      for (int64_t b = 0; b < q; b++) {
        o[a * q + b] = 0;
        for (int64_t l = 0; l < q; l++) o[a * q + b] += ri[a * q + l] * rk[b * q + l];
      }
    turn(random, q, o, noise, g->o + e * q * q);
    for (int64_t a = 0; a < q; a++) {
      g->shift[e * q + a] = noise * random_normal(random);
      for (int64_t b = 0; b < q; b++)
        g->shift[e * q + a] += ri[a * q + b] * (g->place[g->col[e] * q + b] - g->place[g->row[e] * q + b]);
    }
    g->weight[e] = pow(10, decades * random_uniform(random));
    g->tau[e] = pow(10, decades * random_uniform(random));
  }
}

/* A chain of n nodes with `more` edges besides, some of them twice and in either direction. */
static graph *draw(int64_t n, int64_t more, int64_t q, bool shifts, double noise, double decades,
                   uint64_t seed) {
  graph *g = calloc(1, sizeof *g);
  random_t random = random_start(seed, 9);
  double one[Q2] = {0};
  for (int64_t a = 0; a < q; a++) one[a * (q + 1)] = 1;
  for (int64_t i = 0; i < n; i++) {
    turn(&random, q, one, 2, g->truth + i * q * q);
    for (int64_t a = 0; a < q; a++) g->place[i * q + a] = 3 * random_normal(&random);
  }
  int64_t m = 0;
  for (int64_t i = 1; i < n; i++, m++) g->row[m] = (int32_t)(i - i % 2), g->col[m] = (int32_t)(i - 1 + i % 2);
  for (; m < n - 1 + more; m++) {
    g->row[m] = (int32_t)random_below(&random, n);
    do g->col[m] = (int32_t)random_below(&random, n);
    while (g->col[m] == g->row[m]);
  }
  g->part = (part_t){.n = n, .m = m, .q = q, .row = g->row, .col = g->col, .o = g->o, .weight = g->weight};
  measure(g, &random, noise, decades);
  run_t run = run_of(1);
  assert_int_equal(part_links(&run, &g->part), 0);
  g->problem = (likelihood_t){&g->part, shifts ? g->shift : NULL, shifts ? g->tau : NULL};
  memcpy(g->r, g->truth, sizeof g->r);
  memcpy(g->p, g->place, sizeof g->p);
  return g;
}

/* Off the truth by this much. */
static void leave(graph *g, double by, uint64_t seed) {
  random_t random = random_start(seed, 3);
  int64_t q = g->part.q;
  for (int64_t i = 0; i < g->part.n; i++) {
    turn(&random, q, g->truth + i * q * q, by, g->r + i * q * q);
    for (int64_t a = 0; a < q; a++) g->p[i * q + a] = g->place[i * q + a] + by * random_normal(&random);
  }
}

static void drop(graph *g) {
  part_free(&g->part);
  free(g);
}

static double cost_by_formula(const graph *g, const double *r, const double *p) {
  int64_t q = g->part.q;
  long double sum = 0;
  for (int64_t e = 0; e < g->part.m; e++) {
    int64_t i = g->row[e], k = g->col[e];
    for (int64_t a = 0; a < q; a++)
      for (int64_t b = 0; b < q; b++) {
        long double x = g->o[(e * q + a) * q + b];
        for (int64_t l = 0; l < q; l++) x -= (long double)r[(i * q + a) * q + l] * r[(k * q + b) * q + l];
        sum += g->weight[e] * x * x;
      }
    for (int64_t b = 0; b < q && g->problem.shift; b++) {
      long double x = (long double)p[k * q + b] - p[i * q + b];
      for (int64_t a = 0; a < q; a++) x -= (long double)r[(i * q + a) * q + b] * g->shift[e * q + a];
      sum += g->tau[e] * x * x;
    }
  }
  return (double)sum;
}

static void test_cost(void **state) {
  (void)state;
  for (int64_t q = 1; q <= MOST_Q; q++)
    for (int shifts = 0; shifts < 2; shifts++) {
      graph *g = draw(50, 100, q, shifts, 0.3, 4, 1);
      leave(g, 0.5, 2);
      run_t one = run_of(1), three = run_of(3);
      double cost = likelihood_cost(&one, &g->problem, g->r, g->p), same = cost_by_formula(g, g->r, g->p);
      assert_true(fabs(cost - same) <= 1e-13 * same);
      assert_true(cost == likelihood_cost(&three, &g->problem, g->r, g->p));
      drop(g);
    }
}

/* The cost where numbers `i` and `k` of the steps of all nodes are h and l. */
static double cost_at(const graph *g, const system_t *s, int64_t i, double h, int64_t k, double l) {
  double x[MOST_N * 10] = {0}, r[MOST_N * Q2], p[MOST_N * MOST_Q];
  int64_t q = g->part.q;
  x[i] += h, x[k] += l;
  for (int64_t node = 0; node < g->part.n; node++) {
    rotation_step(q, g->r + node * q * q, x + node * s->size, 1, r + node * q * q);
    for (int64_t a = 0; a < q; a++)
      p[node * q + a] = g->p[node * q + a] + (s->size > s->d ? x[node * s->size + s->d + a] : 0);
  }
  return cost_by_formula(g, r, p);
}

static double entry(const triangle_t *h, int64_t i, int64_t k) {
  for (int64_t at = h->start[k]; at < h->start[k + 1]; at++)
    if (h->row[at] == i) return h->value[at];
  return 0;
}

static void check_derivatives(graph *g) {
  run_t run = run_of(2);
  system_t s;
  assert_int_equal(system_new(&run, &g->problem, &s), 0);
  system_measure(&run, &g->problem, g->r, g->p, &s);
  system_assemble(&run, &g->problem, EXACT, 0, &s);
  int64_t rows = g->part.n * s.size;
  for (int64_t i = 0; i < rows; i++) {
    const double h = 1e-5;
    double slope = (cost_at(g, &s, i, h, i, 0) - cost_at(g, &s, i, -h, i, 0)) / (2 * h);
    assert_true(fabs(slope - s.gradient[i]) < 1e-5 * (1 + fabs(slope)));
  }
  for (int64_t k = s.size; k < rows; k++)
    for (int64_t i = k; i < rows; i++) {
      const double h = 1e-3;
      double second = cost_at(g, &s, i, h, k, h) - cost_at(g, &s, i, h, k, -h) - cost_at(g, &s, i, -h, k, h) +
                      cost_at(g, &s, i, -h, k, -h);
      second /= 4 * h * h;
      double is = entry(&s.hessian.matrix, i - s.size, k - s.size);
      assert_true(fabs(second - is) < 1e-3 + 1e-5 * fabs(is));
    }
  system_free(&s);
}

static void test_derivatives(void **state) {
  (void)state;
  for (int64_t q = 2; q <= MOST_Q; q++)
    for (int shifts = 0; shifts < 2; shifts++) {
      graph *g = draw(6, 8, q, shifts, 0.2, 0.5, 3);
      leave(g, 0.7, 4);
      check_derivatives(g);
      drop(g);
    }
}

/* Where every edge agrees with the poses, Gauss-Newton is the exact matrix; damping is of the diagonal. */
static void test_gauss_newton(void **state) {
  (void)state;
  graph *g = draw(20, 30, 3, true, 0, 1, 5);
  run_t run = run_of(1);
  system_t exact, other;
  assert_int_equal(system_new(&run, &g->problem, &exact), 0);
  assert_int_equal(system_new(&run, &g->problem, &other), 0);
  system_measure(&run, &g->problem, g->r, g->p, &exact);
  system_measure(&run, &g->problem, g->r, g->p, &other);
  system_assemble(&run, &g->problem, EXACT, 0, &exact);
  system_assemble(&run, &g->problem, GAUSS_NEWTON, 0.5, &other);
  for (int64_t j = 0; j < exact.hessian.matrix.n; j++)
    for (int64_t at = exact.hessian.matrix.start[j]; at < exact.hessian.matrix.start[j + 1]; at++) {
      double x = exact.hessian.matrix.value[at] * (exact.hessian.matrix.row[at] == j ? 1.5 : 1);
      assert_int_equal(exact.hessian.matrix.row[at], other.hessian.matrix.row[at]);
      assert_true(fabs(x - other.hessian.matrix.value[at]) < 1e-11 * (1 + fabs(x)));
    }
  system_free(&exact), system_free(&other);
  drop(g);
}

/* How far R_i R_0' and R_0 (p_i - p_0) are from those of the truth. */
static double error_of(const graph *g, const double *r, const double *p) {
  int64_t q = g->part.q;
  double most = 0;
  for (int64_t i = 0; i < g->part.n; i++)
    for (int64_t a = 0; a < q; a++) {
      double is = 0, was = 0;
      for (int64_t b = 0; b < q; b++) {
        double x = 0;
        for (int64_t l = 0; l < q; l++)
          x += r[(i * q + a) * q + l] * r[b * q + l] - g->truth[(i * q + a) * q + l] * g->truth[b * q + l];
        most = fmax(most, fabs(x));
        is += r[a * q + b] * (p[i * q + b] - p[b]);
        was += g->truth[a * q + b] * (g->place[i * q + b] - g->place[b]);
      }
      if (g->problem.shift) most = fmax(most, fabs(is - was));
    }
  return most;
}

static void test_without_noise(void **state) {
  (void)state;
  const int64_t more[] = {0, 10, 100};
  for (int64_t q = 2; q <= MOST_Q; q++)
    for (int shape = 0; shape < 3; shape++)
      for (int shifts = 0; shifts < 2; shifts++) {
        graph *g = draw(40, more[shape], q, shifts, 0, 2, 6);
        run_t run = run_of(1);
        fit_t fit;
        leave(g, 0.1, 7);
        assert_int_equal(likelihood_fit(&run, &g->problem, g->r, g->p, &fit), 0);
        assert_true(fit.converged);
        assert_true(error_of(g, g->r, g->p) < 1e-12);
        assert_true(fit.cost < 1e-24);
        drop(g);
      }
}

/* The gradient of a fit is at rounding, its cost is below that of the truth and of all poses near by. */
static void test_minimum(void **state) {
  (void)state;
  for (int64_t q = 2; q <= MOST_Q; q++)
    for (int shifts = 0; shifts < 2; shifts++) {
      graph *g = draw(50, 60, q, shifts, 0.1, 2, 8), *near = calloc(1, sizeof *near);
      run_t run = run_of(2);
      fit_t fit;
      leave(g, 0.1, 9);
      double truth = cost_by_formula(g, g->truth, g->place);
      assert_int_equal(likelihood_fit(&run, &g->problem, g->r, g->p, &fit), 0);
      assert_true(fit.converged);
      assert_true(fabs(fit.cost / cost_by_formula(g, g->r, g->p) - 1) < 1e-12);
      assert_true(fit.cost < truth);
      assert_true(fit.gradient < 1e-9 * fit.cost);
      memcpy(near, g, sizeof *near);
      memcpy(near->truth, g->r, sizeof g->r);
      memcpy(near->place, g->p, sizeof g->p);
      for (uint64_t seed = 0; seed < 20; seed++) {
        leave(near, 1e-4, seed);
        assert_true(cost_by_formula(g, near->r, near->p) > fit.cost);
      }
      free(near);
      drop(g);
    }
}

/* L p = side without node 0, by Cholesky in long double; p is n x q. */
static void place_densely(const graph *g, long double *p) {
  int64_t n = g->part.n, q = g->part.q;
  static long double l[MOST_N][MOST_N];
  memset(l, 0, sizeof l);
  for (int64_t i = 0; i < n * q; i++) p[i] = 0;
  for (int64_t e = 0; e < g->part.m; e++) {
    int64_t i = g->row[e], k = g->col[e];
    l[i][i] += g->tau[e], l[k][k] += g->tau[e], l[i][k] -= g->tau[e], l[k][i] -= g->tau[e];
    for (int64_t b = 0; b < q; b++)
      for (int64_t a = 0; a < q; a++) {
        long double x = (long double)g->tau[e] * g->r[(i * q + a) * q + b] * g->shift[e * q + a];
        p[k * q + b] += x, p[i * q + b] -= x;
      }
  }
  for (int64_t j = 1; j < n; j++)
    for (int64_t i = j; i < n; i++) {
      for (int64_t k = 1; k < j; k++) l[i][j] -= l[i][k] * l[j][k];
      l[i][j] = i == j ? sqrtl(l[i][j]) : l[i][j] / l[j][j];
    }
  for (int64_t b = 0; b < q; b++) {
    p[b] = 0;
    for (int64_t i = 1; i < n; i++) {
      for (int64_t k = 1; k < i; k++) p[i * q + b] -= l[i][k] * p[k * q + b];
      p[i * q + b] /= l[i][i];
    }
    for (int64_t i = n - 1; i > 0; i--) {
      for (int64_t k = i + 1; k < n; k++) p[i * q + b] -= l[k][i] * p[k * q + b];
      p[i * q + b] /= l[i][i];
    }
  }
}

static void test_positions(void **state) {
  (void)state;
  for (int64_t q = 2; q <= 3; q++)
    for (uint64_t seed = 0; seed < 5; seed++) {
      graph *g = draw(MOST_N, 3 + 20 * (int64_t)seed, q, true, 0.1, 8, 10 + seed);
      run_t run = run_of(1);
      long double dense[MOST_N * MOST_Q];
      double plain[MOST_N * MOST_Q];
      bool exact = false;
      leave(g, 0.05, seed);
      place_densely(g, dense);
      assert_int_equal(likelihood_place(&run, &g->problem, g->r, g->p, &exact), 0);
      assert_true(exact);
      for (int64_t i = 0; i < g->part.n * q; i++) {
        plain[i] = (double)dense[i];
        assert_true(fabs(g->p[i] - plain[i]) < 1e-6); /* sums of 1e8 times 10 hide 1e-7 */
      }
      double best = cost_by_formula(g, g->r, plain);
      assert_true(fabs(likelihood_cost(&run, &g->problem, g->r, g->p) / best - 1) < 1e-12);
      drop(g);
    }
}

/* Fits with weights over eight decades end at a minimum: no step along a coordinate of any node helps. */
static void test_decades(void **state) {
  (void)state;
  for (int64_t q = 2; q <= 3; q++)
    for (uint64_t seed = 0; seed < 5; seed++) {
      graph *g = draw(MOST_N, 40, q, true, 1e-3, 8, 30 + seed);
      run_t run = run_of(1);
      fit_t fit;
      system_t s;
      leave(g, 0.03, seed);
      assert_int_equal(likelihood_fit(&run, &g->problem, g->r, g->p, &fit), 0);
      assert_true(fit.converged);
      assert_int_equal(system_new(&run, &g->problem, &s), 0);
      system_measure(&run, &g->problem, g->r, g->p, &s);
      system_assemble(&run, &g->problem, EXACT, 0, &s);
      for (int64_t i = 0; i < s.hessian.matrix.n; i++) { /* what a step along i alone would gain */
        double slope = s.gradient[s.size + i], curve = s.hessian.matrix.value[s.hessian.matrix.start[i]];
        assert_true(curve > 0);
        assert_true(slope * slope / curve < 1e-12 * fit.cost);
      }
      system_free(&s);
      drop(g);
    }
}

/* Relaxations know the answer where there is no noise, and refuse more operations than they may take. */
static void test_relaxation(void **state) {
  (void)state;
  for (int64_t q = 2; q <= MOST_Q; q++)
    for (int joint = 0; joint < 2; joint++) {
      graph *g = draw(50, 60, q, true, 0, 6, 70);
      run_t run = run_of(2);
      bool found = true, exact;
      leave(g, 1, 71);
      assert_int_equal(relax_poses(&run, &g->problem, joint, false, 10, g->r, &found), 0);
      assert_false(found);
      assert_int_equal(relax_poses(&run, &g->problem, joint, false, 1e9, g->r, &found), 0);
      assert_true(found);
      assert_int_equal(likelihood_place(&run, &g->problem, g->r, g->p, &exact), 0);
      assert_true(error_of(g, g->r, g->p) < 1e-8); /* six decades of weights, 1e-16 each */
      drop(g);
    }
}

/* A start is never worse than the elements that it is given, and finds the way where these are of no use. */
static void test_start(void **state) {
  (void)state;
  for (int64_t q = 2; q <= 3; q++)
    for (uint64_t seed = 0; seed < 5; seed++) {
      graph *g = draw(MOST_N, 60, q, true, 0.01, 4, 80 + seed);
      run_t run = run_of(1);
      bool exact;
      leave(g, seed ? 2 : 0, seed);
      assert_int_equal(likelihood_place(&run, &g->problem, g->r, g->p, &exact), 0);
      double given = likelihood_cost(&run, &g->problem, g->r, g->p);
      double truth = cost_by_formula(g, g->truth, g->place);
      assert_int_equal(likelihood_start(&run, &g->problem, false, g->r, g->p, &exact), 0);
      assert_true(exact);
      double begun = likelihood_cost(&run, &g->problem, g->r, g->p);
      assert_true(begun <= given);
      fit_t fit;
      assert_int_equal(likelihood_fit(&run, &g->problem, g->r, g->p, &fit), 0);
      assert_true(fit.converged && fit.cost <= begun && fit.cost < truth);
      drop(g);
    }
}

/* Positions from where they are, in one round. */
static void test_placer(void **state) {
  (void)state;
  graph *g = draw(MOST_N, 60, 3, true, 0.1, 3, 90);
  run_t run = run_of(1);
  placer_t *placer = NULL;
  bool exact;
  double best[MOST_N * MOST_Q];
  leave(g, 0.3, 91);
  assert_int_equal(likelihood_place(&run, &g->problem, g->r, best, &exact), 0);
  assert_int_equal(placer_new(&run, &g->problem, &placer), 0);
  assert_true(placer_factored(placer));
  assert_int_equal(placer_find(&run, placer, 1, g->r, g->p, &exact), 0);
  for (int64_t i = 0; i < 3 * MOST_N; i++) assert_true(fabs(g->p[i] - g->p[i % 3] - best[i]) < 1e-9);
  placer_free(placer);
  drop(g);
}

/* Two edges of two nodes of the plane that contradict each other: the mean turn, weighted. */
static void test_contradiction(void **state) {
  (void)state;
  graph *g = draw(2, 1, 2, false, 0, 0, 50);
  run_t run = run_of(1);
  fit_t fit;
  const double angle[] = {0.3, 2.1}, weight[] = {2, 1};
  double sine = 0, cosine = 0;
  for (int64_t e = 0; e < 2; e++) {
    g->row[e] = 0, g->col[e] = 1, g->weight[e] = weight[e];
    g->o[4 * e] = g->o[4 * e + 3] = cos(angle[e]);
    g->o[4 * e + 2] = sin(angle[e]), g->o[4 * e + 1] = -sin(angle[e]);
    sine += weight[e] * sin(angle[e]), cosine += weight[e] * cos(angle[e]);
  }
  part_free(&g->part);
  assert_int_equal(part_links(&run, &g->part), 0);
  assert_int_equal(likelihood_fit(&run, &g->problem, g->r, NULL, &fit), 0);
  assert_true(fit.converged);
  double is = atan2(g->r[2] * g->r[4] + g->r[3] * g->r[5], g->r[0] * g->r[4] + g->r[1] * g->r[5]);
  assert_true(fabs(is - atan2(sine, cosine)) < 1e-12);
  assert_true(fabs(fit.cost - (4 * 3 - 4 * hypot(sine, cosine))) < 1e-12);
  drop(g);
}

static void test_small(void **state) {
  (void)state;
  run_t run = run_of(2);
  fit_t fit;
  bool exact = false;
  graph *g = draw(1, 0, 3, true, 0, 0, 60);
  assert_int_equal(likelihood_place(&run, &g->problem, g->r, g->p, &exact), 0);
  assert_true(exact);
  assert_int_equal(likelihood_fit(&run, &g->problem, g->r, g->p, &fit), 0);
  assert_true(fit.converged && fit.cost == 0);
  drop(g);
  for (int64_t n = 2; n < 6; n++) { /* trees: no cost is left, however far the start and wide the weights */
    g = draw(n, 0, 3, true, 0.5, 8, 61);
    leave(g, 1, 62);
    assert_int_equal(likelihood_place(&run, &g->problem, g->r, g->p, &exact), 0);
    assert_int_equal(likelihood_fit(&run, &g->problem, g->r, g->p, &fit), 0);
    assert_true(fit.converged);
    assert_true(fit.cost < 1e-18);
    drop(g);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cost),         cmocka_unit_test(test_derivatives),
      cmocka_unit_test(test_gauss_newton), cmocka_unit_test(test_without_noise),
      cmocka_unit_test(test_minimum),      cmocka_unit_test(test_positions),
      cmocka_unit_test(test_decades),      cmocka_unit_test(test_contradiction),
      cmocka_unit_test(test_small),        cmocka_unit_test(test_relaxation),
      cmocka_unit_test(test_start),        cmocka_unit_test(test_placer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
