/* Errors of surveys and their derivatives against differences, and steps of poses. */
#include "surveyed.h"
#include "survey/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Errors of all kinds and their derivatives at random poses, large angles among them. */
static void errors_and_derivatives(void **state) {
  (void)state;
  for (int trial = 0; trial < 40; trial++) {
    int64_t q = trial % 2 ? 3 : 2, d = q == 2 ? 3 : 6;
    surveyed_t *g = surveyed_new(q, 5, 6, 10, 0.2, (uint64_t)trial);
    double r[18], p[6], l[3], x[6], ends[2][6], e[6], from[36], to[36], one[21] = {0};
    for (int k = 0; k < 2; k++) {
      surveyed_turn(q, trial % 4 < 2 ? 0.3 : 1.5, r + k * q * q);
      for (int64_t a = 0; a < q; a++) p[k * q + a] = 3 * cos(trial + 2.0 * k + (double)a);
    }
    for (int64_t a = 0; a < q; a++) l[a] = sin(trial + (double)a);
    for (int64_t a = 0, at = 0; a < d; at += d - a++) one[at] = 1;
    problem_t problem = {.q = q, .d = d, .nodes = 2, .points = 1, .r = r, .p = p, .l = l};
    for (error_kind kind = EDGE; kind <= SIGHTING; kind++) {
      error_t error = {.kind = kind,
                       .from = kind == PRIOR ? -1 : 0,
                       .to = kind == SIGHTING ? 2 : 1,
                       .turn = g->o,
                       .shift = g->shift,
                       .information = one,
                       .trust = 1};
      int64_t size = error_size(&problem, &error);
      error_of(&problem, &error, e, from, to);
      for (int side = kind == PRIOR; side < 2; side++)
        for (int64_t c = 0; c < (side && kind == SIGHTING ? q : d); c++) {
          double kept[27], *blocks[] = {r, p, l};
          const int64_t sizes[] = {2 * q * q, 2 * q, q};
          for (int sign = 0; sign < 2; sign++) {
            double *at = kept;
            for (int k = 0; k < 3; at += sizes[k++]) memcpy(at, blocks[k], (size_t)sizes[k] * sizeof(double));
            memset(x, 0, sizeof x);
            x[c] = sign ? -1e-6 : 1e-6;
            if (side && kind == SIGHTING)
              l[c] += x[c];
            else
              pose_move(q, x, r + side * q * q, p + side * q);
            error_of(&problem, &error, ends[sign], NULL, NULL);
            at = kept;
            for (int k = 0; k < 3; at += sizes[k++]) memcpy(blocks[k], at, (size_t)sizes[k] * sizeof(double));
          }
          int64_t width = side && kind == SIGHTING ? q : d;
          for (int64_t a = 0; a < size; a++)
            assert_true(fabs((ends[0][a] - ends[1][a]) / 2e-6 - (side ? to : from)[a * width + c]) < 1e-7);
        }
    }
    /* the same as written out, with information 1 */
    g->n = 2, g->m = 1, g->row[0] = 0, g->col[0] = 1, g->priors = g->sightings = 0, g->full = true;
    memcpy(g->info, one, sizeof one);
    double plain[6], sum = 0, sum2 = 0;
    surveyed_errors(g, r, p, l, plain);
    error_t error = {.kind = EDGE, .from = 0, .to = 1, .turn = g->o, .shift = g->shift};
    error_of(&problem, &error, e, from, to);
    for (int64_t a = 0; a < d; a++) sum += e[a] * e[a], sum2 += plain[a] * plain[a];
    assert_true(fabs(sum - sum2) < 1e-10 * (1 + sum));
    free(g);
  }
}

/* A step is the exponential, of large angles and of next to none. */
static void moves(void **state) {
  (void)state;
  const double size[] = {1e-9, 1e-5, 2e-4, 0.5, 3};
  for (int k = 0; k < 5; k++)
    for (int64_t q = 2; q <= 3; q++) {
      double x[] = {1, 2, 3, 0.6 * size[k], -0.5 * size[k], 0.7 * size[k]}, r[9], p[3] = {0}, m[9];
      for (int64_t i = 0; i < q * q; i++) r[i] = i % (q + 1) == 0;
      surveyed_exponential(q, x + q, m);
      pose_move(q, x, r, p);
      for (int64_t i = 0; i < q * q; i++) assert_true(fabs(r[i] - m[i % q * q + i / q]) < 2e-15);
      for (int64_t i = 0; i < q; i++) assert_true(p[i] == x[i]);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_and_derivatives),
      cmocka_unit_test(moves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
