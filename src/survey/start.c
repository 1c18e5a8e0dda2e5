/*
 * Where components start. The motion x -> G x + t that is best for pairs of places a -> b of weights w, and
 * of rotations A -> B of weights v, has M = sum w (b - mean b)(a - mean a)' + sum v B A',   G the rotation
 * nearest to M,   t = mean b - G mean a.
 */
#include "survey/problem.h"

#include "base/memory.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

void motion_place(int64_t q, double weight, const double *from, const double *to, motion_t *sum) {
  sum->weight += weight;
  for (int64_t i = 0; i < q; i++) {
    sum->from[i] += weight * from[i], sum->to[i] += weight * to[i];
    for (int64_t k = 0; k < q; k++) sum->cross[i * q + k] += weight * to[i] * from[k];
  }
}

void motion_turn(int64_t q, double weight, const double *from, const double *to, motion_t *sum) {
  for (int64_t i = 0; i < q; i++) /* B A' = to' from, both being transposed */
    for (int64_t k = 0; k < q; k++)
      for (int64_t l = 0; l < q; l++) sum->turn[i * q + k] += weight * to[l * q + i] * from[l * q + k];
}

/* The rotation nearest to m: of m = V S U' it is V U', the least direction turned round if that is a
 * reflection. values: S. */
static void nearest_rotation(int64_t q, const double *m, double *g, double *values) {
  double x[MOST_Q * MOST_Q], u[MOST_Q * MOST_Q], v[MOST_Q * MOST_Q], work[64];
  int n = (int)q;
  memcpy(x, m, (size_t)(q * q) * sizeof *x); /* by rows, and so m' to LAPACK */
  bool found = !LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', n, n, x, n, values, u, n, v, n, work, 64);
  for (int sign = 1; sign >= -1; sign -= 2) {
    for (int64_t i = 0; i < q; i++)
      for (int64_t k = 0; k < q; k++) {
        g[i * q + k] = found ? 0 : i == k;
        for (int64_t l = 0; l < q && found; l++)
          g[i * q + k] += (l == q - 1 ? sign : 1) * v[i * q + l] * u[l * q + k];
      }
    double det = q == 2 ? g[0] * g[3] - g[1] * g[2]
                        : g[0] * (g[4] * g[8] - g[5] * g[7]) - g[1] * (g[3] * g[8] - g[5] * g[6]) +
                              g[2] * (g[3] * g[7] - g[4] * g[6]);
    if (det > 0) return;
  }
}

double motion_find(int64_t q, motion_t *sum) {
  double m[MOST_Q * MOST_Q], values[MOST_Q], w = sum->weight > 0 ? sum->weight : 1, *g = sum->g, *t = sum->t;
  for (int64_t i = 0; i < q * q; i++)
    m[i] = sum->turn[i] + sum->cross[i] - sum->to[i / q] * sum->from[i % q] / w;
  nearest_rotation(q, m, g, values);
  for (int64_t i = 0; i < q; i++) {
    t[i] = sum->to[i] / w;
    for (int64_t k = 0; k < q; k++) t[i] -= g[i * q + k] * sum->from[k] / w;
  }
  return !(values[0] > 0) ? 0 : q == 2 ? 1 : values[1] / values[0];
}

void motion_apply(int64_t q, const motion_t *sum, double *r, double *p) {
  const double *g = sum->g, *t = sum->t;
  double turned[MOST_Q * MOST_Q] = {0}, moved[MOST_Q];
  for (int64_t i = 0; i < q; i++) {
    moved[i] = t[i];
    for (int64_t k = 0; k < q; k++) {
      moved[i] += g[i * q + k] * p[k];
      for (int64_t l = 0; l < q; l++) turned[i * q + k] += r[i * q + l] * g[k * q + l]; /* R G' */
    }
  }
  memcpy(r, turned, (size_t)(q * q) * sizeof *r);
  memcpy(p, moved, (size_t)q * sizeof *p);
}

/* The mean of the entries first .. end-1 of the diagonal of an information matrix. */
static double mean_diagonal(const double *whole, int64_t size, int64_t first, int64_t end) {
  double sum = 0;
  for (int64_t k = first; k < end; k++) sum += whole[k * (size + 1)];
  return sum / (double)(end - first);
}

/* What priors say of the motion of each part; nothing of parts with fixed nodes. */
static void add_priors(const problem_t *problem, const int64_t *label, const bool *fixed, motion_t *sum,
                       bool *placed) {
  int64_t q = problem->q, d = problem->d;
  for (int64_t e = 0; e < problem->count; e++) {
    const error_t *error = &problem->error[e];
    double information[MOST_D * MOST_D];
    if (error->kind != PRIOR || fixed[label[error->to]]) continue;
    const double *r = problem->r + error->to * q * q, *p = problem->p + error->to * q;
    error_information(problem, error, information);
    motion_place(q, mean_diagonal(information, d, 0, q), p, error->shift, &sum[label[error->to]]);
    motion_turn(q, mean_diagonal(information, d, q, d), r, error->turn, &sum[label[error->to]]);
    placed[label[error->to]] = true;
  }
}

/* Nodes that are fixed are where they are fixed, to the bit. */
static void set_fixed(const arranged_t *a, const lavdm_survey *given, problem_t *problem) {
  int64_t q = problem->q;
  for (int64_t k = 0; given && k < given->fixed; k++) {
    int64_t i = node_place(a, given->fixed_node[k]);
    memcpy(problem->r + i * q * q, given->fixed_element + k * q * q, (size_t)(q * q) * sizeof(double));
    memcpy(problem->p + i * q, given->fixed_position + k * q, (size_t)q * sizeof(double));
  }
}

int start_parts(run_t *run, const arranged_t *a, const lavdm_sync_options *options, problem_t *problem,
                const int64_t *label, int64_t parts, bool *placed) {
  const lavdm_survey *given = options->survey;
  int64_t q = problem->q;
  motion_t *sum = NEW(motion_t, parts);
  bool *fixed = NEW(bool, parts);
  for (int64_t k = 0; given && k < given->fixed && sum && fixed; k++) {
    int64_t i = node_place(a, given->fixed_node[k]);
    motion_place(q, 1, problem->p + i * q, given->fixed_position + k * q, &sum[label[i]]);
    motion_turn(q, 1, problem->r + i * q * q, given->fixed_element + k * q * q, &sum[label[i]]);
    fixed[label[i]] = placed[label[i]] = true;
  }
  if (sum && fixed) add_priors(problem, label, fixed, sum, placed);
  for (int64_t c = 0; c < parts && sum && fixed; c++) motion_find(q, &sum[c]);
  for (int64_t i = 0; i < problem->nodes && sum && fixed; i++)
    if (placed[label[i]]) motion_apply(q, &sum[label[i]], problem->r + i * q * q, problem->p + i * q);
  if (sum && fixed) set_fixed(a, given, problem);
  int status = sum && fixed ? LAVDM_OK : fail_memory(run->error, "the start");
  mem_free(sum);
  mem_free(fixed);
  return status;
}
