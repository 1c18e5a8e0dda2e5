/*
 * The relaxation of poses against slow forms of it: its matrix, its products and costs against sums over
 * edges; gradient and Hessian against differences; what the multipliers prove against dense eigenvalues;
 * the direction of least curvature; the way down.
 */
#include "base/random.h"
#include "certify/descend.h"
#include "drawn.h"

#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define assert_near(a, b, most) assert_true(fabs((a) - (b)) <= (most))

enum { KINDS = 5 };

static const drawn_kind kinds[KINDS] = {
    {.n = 12, .q = 1, .shape = DRAWN_RANDOM, .noise = 0.2, .spread = 3, .seed = 1},
    {.n = 9, .q = 2, .shape = DRAWN_GRID, .noise = 0.2, .spread = 10, .seed = 2},
    {.n = 9, .q = 2, .shape = DRAWN_GRID, .shifts = true, .noise = 0.3, .spread = 10, .seed = 3},
    {.n = 8, .q = 3, .shape = DRAWN_RANDOM, .shifts = true, .noise = 0.3, .spread = 10, .seed = 4},
    {.n = 7, .q = 4, .shape = DRAWN_COMPLETE, .reflections = true, .noise = 0.3, .spread = 2, .seed = 5}};

/* A problem, its relaxation, a point of it at rank r and a tangent there. */
typedef struct {
  run_t run;
  drawn_t *drawn;
  relaxation_t t;
  int64_t r, size; /* rows of all nodes, times r */
  double *x, *v, *y, *lambda;
} stage;

static void stage_new(stage *s, const drawn_kind *kind, int64_t above) {
  *s = (stage){.run = {.threads = 2}, .drawn = drawn_new(kind), .r = kind->q + above};
  assert_int_equal(relaxation_new(&s->run, &s->drawn->problem, &s->t), 0);
  s->size = s->t.n * s->t.rows * s->r;
  s->x = calloc((size_t)s->size, 8), s->v = calloc((size_t)s->size, 8), s->y = calloc((size_t)s->size, 8);
  s->lambda = calloc((size_t)(s->t.n * kind->q * kind->q), 8);
  random_t random = random_start(kind->seed, 30);
  for (int64_t i = 0; i < s->size; i++) {
    bool held = i / s->r % s->t.rows == kind->q && s->t.ground[i / s->r / s->t.rows];
    s->v[i] = held ? 0 : random_normal(&random);
  }
  for (int64_t i = 0; i < s->size; i++) s->x[i] = i % s->r == i / s->r % s->t.rows && i % s->r < kind->q;
  relaxation_project(&s->run, &s->t, s->r, s->x, s->v);
  relaxation_move(&s->run, &s->t, s->r, s->x, s->v, 1, s->x);
  for (int64_t i = 0; i < s->size; i++) s->v[i] = s->x[i] == 0 ? 0 : random_normal(&random);
  relaxation_project(&s->run, &s->t, s->r, s->x, s->v);
}

static void stage_free(stage *s) {
  relaxation_free(&s->t);
  drawn_free(s->drawn);
  free(s->x), free(s->v), free(s->y), free(s->lambda);
}

/* The whole matrix (rows x rows, both triangles). */
static double *dense(const triangle_t *m, const double *value) {
  double *a = calloc((size_t)(m->n * m->n), 8);
  for (int64_t j = 0; j < m->n; j++)
    for (int64_t k = m->start[j]; k < m->start[j + 1]; k++)
      a[m->row[k] * m->n + j] = a[j * m->n + m->row[k]] = value[k];
  return a;
}

static void test_matrix(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; k++) {
    stage s;
    stage_new(&s, &kinds[k], k % 3);
    int64_t n = s.t.m.n;
    double *m = dense(&s.t.m, s.t.m.value), form = 0;
    relaxation_product(&s.run, &s.t, s.r, s.x, s.y);
    for (int64_t i = 0; i < s.size; i++) {
      double sum = 0;
      for (int64_t j = 0; j < n; j++) sum += m[i / s.r * n + j] * s.x[j * s.r + i % s.r];
      assert_near(sum, s.y[i], 1e-11);
      form += s.x[i] * sum;
    }
    double cost = relaxation_cost(&s.run, &s.t, s.r, s.x);
    assert_near(cost, form, 1e-11 * cost);
    free(m);
    stage_free(&s);
  }
}

/* At rank q the cost is that of the poses, and they come back. */
static void test_poses(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; k++) {
    stage s;
    stage_new(&s, &kinds[k], 0);
    drawn_t *d = s.drawn;
    int64_t n = kinds[k].n, q = kinds[k].q;
    double *r = calloc((size_t)(n * q * q), 8), *p = calloc((size_t)(n * q), 8);
    relaxation_take(&s.t, d->r, d->p, s.x);
    double cost = likelihood_cost(&s.run, &d->problem, d->r, d->p);
    assert_near(relaxation_cost(&s.run, &s.t, q, s.x), cost, 1e-12 * cost);
    relaxation_give(&s.t, s.x, r, d->p ? p : NULL);
    assert_memory_equal(r, d->r, (size_t)(n * q * q) * 8);
    for (int64_t i = 0; i < n * q && d->p; i++) assert_near(p[i], d->p[i] - d->p[i % q], 1e-12);
    free(r), free(p);
    stage_free(&s);
  }
}

/* The same turn of all nodes, with their positions, costs nothing, however far: V = X turn at rank q + 1. */
static void test_rigid(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; k++) {
    stage s;
    stage_new(&s, &kinds[k], 1);
    double *to = calloc((size_t)s.size, 8), *turn = calloc((size_t)(s.r * s.r), 8);
    random_t random = random_start(kinds[k].seed, 31);
    for (int64_t a = 0; a < s.r; a++)
      for (int64_t c = 0; c < a; c++)
        turn[c * s.r + a] = -(turn[a * s.r + c] = 1 + 0.1 * random_normal(&random));
    for (int64_t i = 0; i < s.size; i++) {
      s.v[i] = 0;
      bool place = i / s.r % s.t.rows == s.t.q;
      for (int64_t l = 0; l < s.r && !place; l++) s.v[i] += s.x[i / s.r * s.r + l] * turn[l * s.r + i % s.r];
      if (place) s.x[i] = 0; /* shifts of 0 would not move them either */
    }
    relaxation_move(&s.run, &s.t, s.r, s.x, s.v, 1, to);
    double before = 0, after = 0;
    for (int64_t i = 0; i < s.t.n; i++)
      for (int64_t j = 0; j < i; j++)
        for (int64_t a = 0; a < s.r; a++) {
          before += s.x[i * s.t.rows * s.r + a] * s.x[j * s.t.rows * s.r + a];
          after += to[i * s.t.rows * s.r + a] * to[j * s.t.rows * s.r + a];
        }
    assert_near(before, after, 1e-11);
    assert_true(relaxation_dot(&s.t, s.r, to, s.x) < relaxation_dot(&s.t, s.r, s.x, s.x) - 0.1);
    free(to), free(turn);
    stage_free(&s);
  }
}

/* f along the curve that V begins: f' = 2 <S X, V>, and f'' = 2 <V, S V> where the gradient is projected. */
static void test_derivatives(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; k++) {
    stage s;
    stage_new(&s, &kinds[k], 1 + k % 2);
    double h = 1e-4, f[2], *to = calloc((size_t)s.size, 8), *g[2];
    relaxation_product(&s.run, &s.t, s.r, s.x, s.y);
    relaxation_multipliers(&s.t, s.r, s.x, s.y, s.lambda);
    relaxation_curve(&s.run, &s.t, s.r, s.lambda, s.x, s.y);
    double slope = 2 * relaxation_dot(&s.t, s.r, s.y, s.v), scale = s.t.total;
    double *lambda = calloc((size_t)(s.t.n * s.t.q * s.t.q), 8);
    for (int side = 0; side < 2; side++) { /* gradients at both ends, projected to the tangents at X */
      g[side] = calloc((size_t)s.size, 8);
      relaxation_move(&s.run, &s.t, s.r, s.x, s.v, side ? h : -h, to);
      f[side] = relaxation_cost(&s.run, &s.t, s.r, to);
      relaxation_product(&s.run, &s.t, s.r, to, g[side]);
      relaxation_multipliers(&s.t, s.r, to, g[side], lambda);
      relaxation_curve(&s.run, &s.t, s.r, lambda, to, g[side]);
      relaxation_project(&s.run, &s.t, s.r, s.x, g[side]);
    }
    assert_near((f[1] - f[0]) / (2 * h), slope, 1e-5 * scale);
    relaxation_curve(&s.run, &s.t, s.r, s.lambda, s.v, s.y);
    relaxation_project(&s.run, &s.t, s.r, s.x, s.y);
    for (int64_t i = 0; i < s.size; i++) assert_near((g[1][i] - g[0][i]) / (2 * h), s.y[i], 1e-5 * scale);
    free(g[0]), free(g[1]), free(to), free(lambda);
    stage_free(&s);
  }
}

/* The least e for which M - Lambda + e D has no eigenvalue below 0, times tr D, by bisection. */
static double least_gap(const stage *s) {
  double low = 0, high = 10 * s->t.total, *value = calloc((size_t)s->t.m.start[s->t.m.n], 8);
  double *values = calloc((size_t)s->t.m.n, 8);
  for (int k = 0; k < 60; k++) {
    double gap = (low + high) / 2;
    relaxation_shifted(&s->t, s->lambda, gap, value);
    double *a = dense(&s->t.m, value);
    assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', (int)s->t.m.n, a, (int)s->t.m.n, values), 0);
    if (values[0] < 0)
      low = gap;
    else
      high = gap;
    free(a);
  }
  free(value), free(values);
  return high;
}

/* At any point the bound is what the dense eigenvalues say, or up to 30 times as far below tr Lambda, and no
 * random point costs less; the direction found has the least curvature. */
static void test_proof(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; k++) {
    stage s;
    proof_t proof = {0};
    double bound, curve;
    bool solved;
    stage_new(&s, &kinds[k], 0);
    assert_int_equal(proof_new(&s.run, &s.t, 1e9, 1e12, &proof), 0);
    double f = relaxation_cost(&s.run, &s.t, s.r, s.x);
    relaxation_product(&s.run, &s.t, s.r, s.x, s.y);
    double trace = relaxation_multipliers(&s.t, s.r, s.x, s.y, s.lambda), gap = least_gap(&s);
    assert_int_equal(proof_bound(&s.run, &proof, s.r, s.x, f, &bound, &solved), 0);
    assert_false(solved);
    assert_true(bound <= trace - gap + 1e-9 * s.t.total);
    assert_true(bound >= trace - 31 * gap);
    double *v = calloc((size_t)s.t.m.n, 8);
    assert_int_equal(proof_direction(&s.run, &proof, v, &curve), 0);
    assert_near(curve, -gap, 1e-3 * gap);
    free(v);
    proof_free(&proof);
    stage_free(&s);
  }
}

/* From random points down: the gradient vanishes, the cost does not rise, and rows stay orthonormal. */
static void test_descend(void **state) {
  (void)state;
  for (int k = 1; k < KINDS; k++) {
    stage s;
    proof_t proof = {0};
    descent_t d = {0};
    stage_new(&s, &kinds[k], k % 2);
    assert_int_equal(proof_new(&s.run, &s.t, 1e9, 1e12, &proof), 0);
    assert_int_equal(descent_new(&s.run, &proof, 1e9, INFINITY, &d), 0);
    double before = relaxation_cost(&s.run, &s.t, s.r, s.x), f;
    d.floor = INFINITY, d.patience = -1; /* nothing to gain: no step is made, and it says so */
    assert_int_equal(descend(&s.run, &d, s.r, s.x, &f), 0);
    d.patience = INFINITY, proof.most = 0; /* no operations are left */
    assert_true(!d.converged && !d.cut && !d.steps);
    assert_int_equal(descend(&s.run, &d, s.r, s.x, &f), 0);
    assert_true(!d.converged && d.cut && !d.steps);
    proof.most = 1e12;
    assert_int_equal(descend(&s.run, &d, s.r, s.x, &f), 0);
    assert_true(d.converged && f < before);
    assert_near(relaxation_cost(&s.run, &s.t, s.r, s.x), f, 1e-12 * f);
    relaxation_product(&s.run, &s.t, s.r, s.x, s.y);
    relaxation_multipliers(&s.t, s.r, s.x, s.y, s.lambda);
    relaxation_curve(&s.run, &s.t, s.r, s.lambda, s.x, s.y);
    for (int64_t i = 0; i < s.size; i++) assert_near(s.y[i], 0, 1e-5);
    int64_t q = s.t.q, b = s.t.rows, r = s.r;
    for (int64_t i = 0; i < s.t.n; i++)
      for (int64_t a = 0; a < q; a++)
        for (int64_t c = 0; c < q; c++) {
          double dot = 0;
          for (int64_t l = 0; l < r; l++) dot += s.x[(i * b + a) * r + l] * s.x[(i * b + c) * r + l];
          assert_near(dot, a == c, 1e-13);
        }
    descent_free(&d);
    proof_free(&proof);
    stage_free(&s);
  }
}

/* Edges of no weight part the graph: every piece has a position that is held. */
static void test_pieces(void **state) {
  (void)state;
  drawn_kind kind = {.n = 9, .q = 2, .shape = DRAWN_RING, .shifts = true, .noise = 0.1, .spread = 1};
  run_t run = {.threads = 1};
  drawn_t *d = drawn_new(&kind);
  relaxation_t t;
  d->tau[2] = d->tau[5] = d->tau[8] = 0; /* 0-2, 3-5, 6-8 */
  assert_int_equal(relaxation_new(&run, &d->problem, &t), 0);
  for (int64_t i = 0; i < 9; i++) {
    assert_int_equal(t.ground[i], i % 3 == 1); /* the middle of each */
    assert_int_equal(t.root[i], i / 3 * 3 + 1);
  }
  relaxation_free(&t);
  drawn_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_matrix), cmocka_unit_test(test_poses),
                                     cmocka_unit_test(test_rigid),  cmocka_unit_test(test_derivatives),
                                     cmocka_unit_test(test_proof),  cmocka_unit_test(test_descend),
                                     cmocka_unit_test(test_pieces)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
