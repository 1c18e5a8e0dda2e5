/*
 * Covariances: the blocks of (H + C C')^-1 on its diagonal, where the columns of C hold what priors leave
 * open (gauge.c). With S = (H + C C')^-1, the covariance of what keeps C'x = 0 is S - S C (C' S C)^-1 C' S.
 * H is the matrix of Gauss and Newton at the solution, and information an inverse covariance as it stands:
 * nothing is scaled by chi2.
 */
#include "survey/problem.h"

#include "base/memory.h"
#include "factor/inverse.h"

#include <math.h>
#include <string.h>

/* What elimination leaves of the diagonal, at least: with less, fewer than three digits of a covariance would
 * be right. */
static const double least_left = 1e-13;

/* Solves the k x k equations a x = b (k <= 6, a positive) by elimination; both are destroyed. */
static void solve_small(int64_t k, double *a, double *b) {
  for (int64_t j = 0; j < k; j++)
    for (int64_t i = j + 1; i < k; i++) {
      double f = a[i * k + j] / a[j * k + j];
      for (int64_t l = j; l < k; l++) a[i * k + l] -= f * a[j * k + l];
      b[i] -= f * b[j];
    }
  for (int64_t j = k - 1; j >= 0; j--) {
    for (int64_t l = j + 1; l < k; l++) b[j] -= a[j * k + l] * b[l];
    b[j] /= a[j * k + j];
  }
}

/* S C of one frame (h.n x count, by columns), and C' S C (count x count). */
static int hold_columns(run_t *run, const problem_t *problem, const normal_t *normal, factor_t *factor,
                        int64_t f, double *sc, double *csc) {
  int64_t d = problem->d, n = normal->h.n, count = problem->loose_count[f];
  int64_t at = normal->first[normal->block[problem->loose_node[f]]];
  const double *hold = normal->hold + f * d * d;
  memset(sc, 0, (size_t)(n * count) * sizeof *sc);
  for (int64_t c = 0; c < count; c++)
    for (int64_t i = 0; i < d; i++) sc[c * n + at + i] = hold[i * d + c];
  int status = factor_solve(run, factor, count, sc);
  for (int64_t a = 0; a < count; a++)
    for (int64_t b = 0; b < count; b++) {
      csc[a * count + b] = 0;
      for (int64_t i = 0; i < d; i++) csc[a * count + b] += hold[i * d + a] * sc[b * n + at + i];
    }
  return status;
}

/* Where the covariance of node or point i goes, and its size. */
static double *room_of(const problem_t *problem, const survey_t *out, int64_t i, int64_t *size) {
  int64_t q = problem->q, d = problem->d, l = i - problem->nodes;
  *size = l < 0 ? d : q;
  return l < 0 ? out->covariance + i * d * d : out->point_covariance + l * q * q;
}

/* Takes S C (C' S C)^-1 C' S off the blocks of a frame. */
static void take_off(const problem_t *problem, const normal_t *normal, int64_t f, const double *sc,
                     const double *csc, survey_t *out) {
  int64_t n = normal->h.n, count = problem->loose_count[f], size;
  for (int64_t i = 0; i < problem->nodes + problem->points; i++) {
    int64_t block = normal->block[i], at = block < 0 ? 0 : normal->first[block];
    if (block < 0 || problem->frame[i] != problem->frame[problem->loose_node[f]]) continue;
    double *to = room_of(problem, out, i, &size);
    for (int64_t b = 0; b < size; b++) {
      double small[MOST_D * MOST_D], x[MOST_D];
      memcpy(small, csc, (size_t)(count * count) * sizeof *csc);
      for (int64_t c = 0; c < count; c++) x[c] = sc[c * n + at + b];
      solve_small(count, small, x);
      for (int64_t a = 0; a < size; a++)
        for (int64_t c = 0; c < count; c++) to[a * size + b] -= sc[c * n + at + a] * x[c];
    }
  }
}

static void take_blocks(const problem_t *problem, const normal_t *normal, const inverse_t *inverse,
                        survey_t *out) {
  int64_t size;
  for (int64_t i = 0; i < problem->nodes + problem->points; i++) {
    int64_t block = normal->block[i];
    if (block < 0) continue; /* held: zero */
    double *to = room_of(problem, out, i, &size);
    for (int64_t a = 0; a < size; a++)
      for (int64_t b = 0; b < size; b++)
        to[a * size + b] = inverse_entry(inverse, normal->first[block] + a, normal->first[block] + b);
  }
}

static int spread_all(run_t *run, const problem_t *problem, normal_t *normal, factor_t *factor,
                      survey_t *out) {
  inverse_t *inverse = NULL;
  double csc[MOST_D * MOST_D], *sc = problem->loose ? NEW(double, normal->h.n * problem->d) : NULL;
  int status = problem->loose && !sc ? fail_memory(run->error, "the covariances") : LAVDM_OK;
  if (!status) status = inverse_new(run, factor, &inverse);
  if (!status) take_blocks(problem, normal, inverse, out);
  inverse_free(inverse);
  for (int64_t f = 0; f < problem->loose && !status; f++) {
    status = hold_columns(run, problem, normal, factor, f, sc, csc);
    if (!status) take_off(problem, normal, f, sc, csc, out);
  }
  mem_free(sc);
  return status;
}

int survey_spread(run_t *run, const problem_t *problem, normal_t *normal, factor_t *factor, bool *known,
                  survey_t *out) {
  int64_t q = problem->q, d = problem->d;
  double chi2;
  out->covariance = NEW(double, problem->nodes *d *d);
  out->point_covariance = problem->points ? NEW(double, problem->points *q *q) : NULL;
  if (!out->covariance || (problem->points && !out->point_covariance))
    return fail_memory(run->error, "the covariances");
  *known = true;
  if (!normal->h.n) return LAVDM_OK;
  int status = normal_fill(run, problem, normal, &chi2);
  if (!status) normal_hold(problem, normal);
  double left = 0;
  if (!status) status = factor_compute(run, factor, &normal->h, known);
  if (!status && *known) status = factor_least_left(run, factor, &normal->h, &left);
  *known = *known && left > least_left;
  if (!status && *known) status = spread_all(run, problem, normal, factor, out);
  if (!*known) {
    mem_free(out->covariance);
    mem_free(out->point_covariance);
    out->covariance = out->point_covariance = NULL;
  }
  return status;
}
