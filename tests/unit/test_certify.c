/*
 * Proofs of optima against optima that are known: all 2^n signs, a fine net of angles and a descent from its
 * best points, poses from many starts. What is certified is the optimum, and no bound is above it, whatever
 * the noise; local minima (twisted rings) are not certified but left; without noise it is certified.
 */
#include "base/random.h"
#include "certify/certify.h"
#include "drawn.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static certificate_t certify(drawn_t *d) {
  run_t run = {.threads = 2};
  certificate_t out;
  assert_int_equal(certify_optimum(&run, &d->group, &d->problem, INFINITY, d->r, d->p, &out), 0);
  double cost = likelihood_cost(&run, &d->problem, d->r, d->p);
  assert_true(fabs(cost - out.cost) <= 1e-12 * cost); /* what is said is what is there */
  assert_true(out.bound <= out.cost && !(out.bound < 0));
  bool unbounded = !out.certified && out.bound == 0;
  assert_int_equal(strstr(out.verdict, "no bound above 0") != NULL, unbounded);
  assert_true(strlen(out.verdict) > 10 && strlen(out.verdict) < VERDICT_SIZE - 1);
  assert_int_equal(strncmp(out.verdict, "globally optimal", 16) == 0, out.certified);
  return out;
}

/* Elements anywhere, positions at 0: a start that knows nothing. */
static void forget(drawn_t *d, uint64_t seed) {
  int64_t q = d->part.q;
  random_t random = random_start(seed, 77);
  for (int64_t i = 0; i < d->part.n; i++)
    drawn_element(&random, q, 100, d->group.group == LAVDM_GROUP_O, d->r + i * q * q);
  for (int64_t i = 0; i < d->part.n * q && d->p; i++) d->p[i] = 0;
}

static double best_signs(const drawn_t *d) {
  run_t run = {.threads = 1};
  double r[16], best = INFINITY;
  for (int64_t bits = 0; bits < 1 << (d->part.n - 1); bits++) {
    for (int64_t i = 0; i < d->part.n; i++) r[i] = bits >> i & 1 ? -1 : 1;
    best = fmin(best, likelihood_cost(&run, &d->problem, r, NULL));
  }
  return best;
}

static void test_signs(void **state) {
  (void)state;
  int certified = 0;
  for (uint64_t seed = 0; seed < 24; seed++) {
    drawn_kind kind = {.n = 6 + (int64_t)seed % 8,
                       .q = 1,
                       .shape = seed & 1 ? DRAWN_COMPLETE : DRAWN_RANDOM,
                       .noise = 0.1 * (double)(seed % 6),
                       .spread = 1 + (double)(seed % 3),
                       .seed = seed};
    drawn_t *d = drawn_new(&kind);
    double best = best_signs(d);
    forget(d, seed);
    certificate_t out = certify(d);
    assert_true(out.bound <= best * (1 + 1e-12) + 1e-9);
    if (out.certified) assert_true(out.cost <= best * (1 + 1e-9) + 1e-9);
    certified += out.certified;
    drawn_free(d);
  }
  assert_true(certified >= 8);
}

static double turned(const run_t *run, const drawn_t *d, const double *angle, double *r) {
  for (int64_t i = 0; i < d->part.n; i++) {
    r[4 * i] = r[4 * i + 3] = cos(angle[i]), r[4 * i + 2] = sin(angle[i]);
    r[4 * i + 1] = -r[4 * i + 2];
  }
  return likelihood_cost(run, &d->problem, r, NULL);
}

/* The best angles of the net of `steps` for all nodes but the first, then each coordinate in turn. */
static double best_angles(const drawn_t *d, int64_t steps) {
  run_t run = {.threads = 1};
  int64_t n = d->part.n, all = 1;
  double angle[6] = {0}, kept[6] = {0}, r[24], best = INFINITY;
  for (int64_t i = 1; i < n; i++) all *= steps;
  for (int64_t k = 0; k < all; k++) {
    for (int64_t i = 1, rest = k; i < n; i++, rest /= steps)
      angle[i] = 2 * M_PI * (double)(rest % steps) / (double)steps;
    double cost = turned(&run, d, angle, r);
    if (cost < best) best = cost, memcpy(kept, angle, sizeof kept);
  }
  for (double step = 0.3; step > 1e-9; step *= 0.8)
    for (int64_t i = 1; i < n; i++)
      for (int sign = -1; sign <= 1; sign += 2) {
        double before = kept[i];
        kept[i] += sign * step;
        double cost = turned(&run, d, kept, r);
        if (cost < best)
          best = cost;
        else
          kept[i] = before;
      }
  return best;
}

static void test_angles(void **state) {
  (void)state;
  int certified = 0;
  for (uint64_t seed = 0; seed < 24; seed++) {
    drawn_kind kind = {.n = 3 + (int64_t)seed % 3,
                       .q = 2,
                       .shape = seed & 1 ? DRAWN_COMPLETE : DRAWN_RING,
                       .noise = seed % 5 == 4 ? 100 : 0.3 * (double)(seed % 5),
                       .spread = 5,
                       .seed = 100 + seed};
    drawn_t *d = drawn_new(&kind);
    double best = best_angles(d, 16);
    forget(d, seed);
    certificate_t out = certify(d);
    assert_true(out.bound <= best * (1 + 1e-9) + 1e-9);
    if (out.certified) assert_true(out.cost <= best * 1.0011 + 1e-9);
    certified += out.certified;
    drawn_free(d);
  }
  assert_true(certified >= 8);
}

/* n nodes in a ring, each at `winds` turns over all: critical, and a minimum if a step is below a right
 * angle, with edges that say identity. */
static drawn_t *twisted(int64_t n, int64_t q, int64_t winds, bool shifts) {
  drawn_kind kind = {.n = n, .q = q, .shape = DRAWN_RING, .shifts = shifts, .spread = 1};
  drawn_t *d = drawn_new(&kind);
  memset(d->r, 0, (size_t)(n * q * q) * sizeof *d->r);
  memset(d->o, 0, (size_t)(n * q * q) * sizeof *d->o);
  for (int64_t i = 0; i < n; i++) {
    double angle = 2 * M_PI * (double)(i * winds) / (double)n, *r = d->r + i * q * q;
    for (int64_t a = 0; a < q; a++) r[a * q + a] = d->o[(i * q + a) * q + a] = 1;
    r[0] = r[q + 1] = cos(angle), r[q] = sin(angle), r[1] = -r[q];
    for (int64_t l = 0; l < q && shifts; l++) d->shift[i * q + l] = d->p[i * q + l] = 0;
  }
  return d;
}

static void test_twisted(void **state) {
  (void)state;
  run_t run = {.threads = 1};
  for (int64_t n = 6; n <= 384; n *= 4)
    for (int64_t winds = 1; winds <= n / 6; winds *= 3)
      for (int64_t q = 2; q <= 3; q++)
        for (int shifts = 0; shifts < 2; shifts++) {
          drawn_t *d = twisted(n, q, winds, shifts);
          assert_true(likelihood_cost(&run, &d->problem, d->r, d->p) >
                      0.1 * (double)(winds * winds) / (double)n);
          certificate_t out = certify(d); /* the optimum costs nothing */
          assert_true(out.bound <= 1e-9 && out.cost < 1e-9 && out.certified && out.steps > 0);
          drawn_free(d);
        }
}

/* The same with one edge so heavy that rounding of it is more than all the others cost: the local minimum is
 * left, or not certified. */
static void test_heavy(void **state) {
  (void)state;
  for (double heavy = 1e10; heavy < 1e60; heavy *= 1e6)
    for (int64_t q = 2; q <= 3; q++) {
      drawn_t *d = twisted(25, q, 1, false);
      for (int64_t i = 1; i < 25; i++) { /* nodes 0 and 1 agree, the others go round in 24 steps */
        double angle = 2 * M_PI * (double)(i - 1) / 24, *r = d->r + i * q * q;
        r[0] = r[q + 1] = cos(angle), r[q] = sin(angle), r[1] = -r[q];
      }
      for (int64_t e = 0; e < d->part.m; e++)
        if (d->row[e] + d->col[e] == 1) d->part.weight[e] = heavy;
      certificate_t out = certify(d);
      assert_true(out.bound >= 0 && out.bound <= 1e-9);
      assert_true(out.certified ? out.cost < 1e-9 : out.cost > 1e-9);
      drawn_free(d);
    }
}

/* Without noise, from the truth: certified at once, to rounding, and nothing is moved. */
static void test_noiseless(void **state) {
  (void)state;
  for (int64_t q = 1; q <= 5; q++)
    for (int shifts = 0; shifts < 2; shifts++) {
      drawn_kind kind = {.n = 49, .q = q, .shape = DRAWN_GRID, .shifts = shifts && q > 1, .spread = 1e4};
      drawn_t *d = drawn_new(&kind);
      double *before = malloc((size_t)(49 * q * q) * sizeof *before);
      memcpy(before, d->r, (size_t)(49 * q * q) * sizeof *before);
      certificate_t out = certify(d);
      assert_true(out.certified && out.cost < 1e-18 && out.bound <= out.cost && out.rank == q && !out.steps);
      assert_non_null(strstr(out.verdict, "is 0 to rounding, and none is below 0"));
      assert_memory_equal(before, d->r, (size_t)(49 * q * q) * sizeof *before);
      free(before);
      drawn_free(d);
    }
}

/* From anywhere to the same certified cost: the relaxation is tight, and the start does not matter. */
static void test_starts(void **state) {
  (void)state;
  for (int64_t q = 2; q <= 4; q++)
    for (uint64_t seed = 0; seed < 6; seed++) {
      drawn_kind kind = {.n = 36,
                         .q = q,
                         .shape = seed & 1 ? DRAWN_GRID : DRAWN_RANDOM,
                         .shifts = q < 4 && seed % 3,
                         .reflections = q == 4,
                         .noise = 0.08,
                         .spread = 20,
                         .seed = seed};
      drawn_t *d = drawn_new(&kind);
      certificate_t near = certify(d);
      assert_true(near.certified);
      for (uint64_t start = 0; start < 3; start++) {
        forget(d, start);
        certificate_t out = certify(d);
        assert_true(out.certified && fabs(out.cost - near.cost) <= 1e-9 * near.cost);
      }
      drawn_free(d);
    }
}

/* Weights over seven decades, along a path as well: from the truth and from anywhere to the same cost. */
static void test_decades(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 6; seed++) {
    drawn_kind kind = {.n = 100,
                       .q = 2 + (int64_t)seed % 2,
                       .shape = seed < 3 ? DRAWN_RING : DRAWN_RANDOM,
                       .shifts = true,
                       .noise = 0.02,
                       .spread = 1e7,
                       .seed = seed};
    drawn_t *d = drawn_new(&kind);
    certificate_t near = certify(d);
    assert_true(near.certified && near.cost > 0.01);
    forget(d, seed);
    certificate_t out = certify(d);
    assert_true(out.certified && fabs(out.cost - near.cost) <= 1e-3 * near.cost);
    drawn_free(d);
  }
}

/* Time counts all work: without a proof at hand the staircase ends, sooner the less there is, and says so. */
static void test_time(void **state) {
  (void)state;
  run_t run = {.threads = 1};
  int64_t before = -1;
  for (double most = 1e-3; most < 1; most *= 4) {
    certificate_t out;
    drawn_kind kind = {
        .n = 144, .q = 3, .shape = DRAWN_GRID, .shifts = true, .noise = 1, .spread = 10, .seed = 1};
    drawn_t *d = drawn_new(&kind);
    assert_int_equal(certify_optimum(&run, &d->group, &d->problem, most, d->r, d->p, &out), 0);
    assert_true(!out.certified && out.steps >= before && (double)out.steps < 400 * most);
    if (most < 0.1) assert_non_null(strstr(out.verdict, "ask for it"));
    before = out.steps;
    drawn_free(d);
  }
  assert_true(before > 5);
}

/* Rotations in space that contradict each other: whatever is said, no pose found from many starts is below
 * the bound, and what is certified is the best of them. */
static void test_contradiction(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 6; seed++) {
    drawn_kind kind = {.n = 7,
                       .q = 3,
                       .shape = DRAWN_COMPLETE,
                       .shifts = seed & 1,
                       .noise = seed < 3 ? 100 : 1,
                       .spread = 3,
                       .seed = seed};
    drawn_t *d = drawn_new(&kind);
    double best = INFINITY, bound = -INFINITY;
    for (uint64_t start = 0; start < 20; start++) {
      forget(d, start);
      certificate_t out = certify(d);
      best = fmin(best, out.cost), bound = fmax(bound, out.bound);
    }
    assert_true(bound <= best * (1 + 1e-12) && bound > 0.5 * best);
    drawn_free(d);
  }
}

/* Noise alone, with operations for a few factorisations: the first bound is below 0, and that is not told. */
static void test_cut_short(void **state) {
  (void)state;
  run_t run = {.threads = 1};
  certificate_t out;
  drawn_kind kind = {.n = 40, .q = 3, .shape = DRAWN_COMPLETE, .noise = 100, .spread = 3};
  drawn_t *d = drawn_new(&kind);
  forget(d, 1);
  assert_int_equal(certify_optimum(&run, &d->group, &d->problem, 1.8e-3, d->r, d->p, &out), 0);
  assert_true(!out.certified && out.cost > 1 && out.bound == 0);
  assert_non_null(strstr(out.verdict, "no bound above 0 was found: a better bound, and maybe a lower cost, "
                                      "takes longer; ask for it (certify)"));
  drawn_free(d);
}

/* What is asked in too little time, or of a group without a proof, is said. */
static void test_words(void **state) {
  (void)state;
  run_t run = {.threads = 1};
  certificate_t out;
  drawn_kind kind = {.n = 16, .q = 2, .shape = DRAWN_GRID, .spread = 1};
  drawn_t *d = drawn_new(&kind);
  assert_int_equal(certify_optimum(&run, &d->group, &d->problem, 0, d->r, d->p, &out), 0);
  assert_true(!out.certified && isnan(out.bound) && strstr(out.verdict, "ask for it"));
  group_t cyclic = {LAVDM_GROUP_CYCLIC, 6, 2};
  assert_int_equal(certify_optimum(&run, &cyclic, &d->problem, 1, d->r, d->p, &out), 0);
  assert_true(!out.certified && isnan(out.bound) && strstr(out.verdict, "cyclic"));
  drawn_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_signs),         cmocka_unit_test(test_angles),    cmocka_unit_test(test_twisted),
      cmocka_unit_test(test_heavy),         cmocka_unit_test(test_noiseless), cmocka_unit_test(test_starts),
      cmocka_unit_test(test_contradiction), cmocka_unit_test(test_cut_short), cmocka_unit_test(test_words),
      cmocka_unit_test(test_decades),       cmocka_unit_test(test_time)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
