/*
 * The chordal relaxation: rows X_i = (R_i; p_i') of q columns, free but for X_0 = (1; 0), that minimise
 *     sum over edges of kappa |R_i - O R_k|^2 + tau |p_k' - p_i' - shift' R_i|^2,
 * one symmetric matrix for all q columns.
 */
#include "poses/relax.h"

#include "base/memory.h"
#include "frames/polar.h"
#include "poses/afford.h"
#include "poses/system.h"

#include <string.h>

enum { MOST_SIZE = SYSTEM_MOST_Q + 1, FEW = 500 };

typedef struct {
  double own[MOST_SIZE * MOST_SIZE], other[MOST_SIZE * MOST_SIZE];
} blocks_t;

/* What a link gives to its node, and to the block with rows of the other node. */
static void add_link(const likelihood_t *problem, int64_t size, int64_t link, blocks_t *to) {
  int64_t e = link / 2, q = problem->part->q;
  bool col = link & 1, joint = size > q;
  const double *o = problem->part->o + e * q * q;
  double kappa = problem->part->weight[e];
  memset(to->other, 0, (size_t)(size * size) * sizeof(double));
  for (int64_t a = 0; a < q; a++) {
    to->own[a * (size + 1)] += kappa;
    for (int64_t b = 0; b < q; b++) /* the rows of i and the columns of k have -kappa O */
      to->other[b * size + a] = -kappa * (col ? o[a * q + b] : o[b * q + a]);
  }
  if (!joint) return;
  double tau = problem->tau[e], i[MOST_SIZE], k[MOST_SIZE] = {0}; /* the difference is i' X_i + k' X_k */
  for (int64_t a = 0; a < q; a++) i[a] = -problem->shift[e * q + a];
  i[q] = -1, k[q] = 1;
  const double *mine = col ? k : i, *others = col ? i : k;
  for (int64_t c = 0; c < size; c++)
    for (int64_t a = 0; a < size; a++) {
      to->own[c * size + a] += tau * mine[c] * mine[a];
      to->other[c * size + a] += tau * mine[c] * others[a];
    }
}

/* The columns of node j; x (by columns) gets what X_0 = (1; 0) puts on the right. */
static void assemble_node(const likelihood_t *problem, int64_t size, int64_t j, blocks_t *to,
                          pattern_t *pattern, double *x) {
  const part_t *part = problem->part;
  memset(to->own, 0, (size_t)(size * size) * sizeof(double));
  for (int64_t at = part->start[j]; at < part->start[j + 1]; at++) {
    add_link(problem, size, part->link[at], to);
    if (pattern->rank[at] >= 0) pattern_add(pattern, size, j, at, to->other);
    if (link_node(part, part->link[at])) continue;
    for (int64_t a = 0; a < size; a++)
      for (int64_t b = 0; b < part->q; b++)
        x[b * pattern->matrix.n + (j - 1) * size + a] -= to->other[a * size + b];
  }
  pattern_add_own(pattern, size, j, to->own);
}

/* Block i of the solution to the nearest rotation. */
static void round_node(int64_t q, int64_t size, int64_t rows, const double *x, int64_t i, bool reflections,
                       double *r) {
  double block[SYSTEM_MOST_Q * SYSTEM_MOST_Q], scratch[POLAR_SCRATCH(SYSTEM_MOST_Q)];
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = 0; b < q; b++) block[a * q + b] = x[b * rows + (i - 1) * size + a];
  REAL(polar_factor)(q, block, r, scratch);
  if (reflections || REAL(determinant)(q, r, scratch) > 0) return;
  for (int64_t b = 0; b < q; b++) r[(q - 1) * q + b] = -r[(q - 1) * q + b];
}

static int relax_with(run_t *run, const likelihood_t *problem, int64_t size, double most, pattern_t *pattern,
                      double *x, factor_t **factor) {
  int64_t n = problem->part->n, q = problem->part->q;
  bool positive = false;
#pragma omp parallel num_threads(n > FEW ? run->threads : 1)
  {
    blocks_t blocks;
#pragma omp for schedule(static)
    for (int64_t j = 1; j < n; j++) assemble_node(problem, size, j, &blocks, pattern, x);
  }
  int status = factor_analyse(run, &pattern->matrix, pattern->block, n - 1, afford_bytes(), factor);
  bool worth = !status && *factor && factor_operations(*factor) <= most;
  if (worth) status = factor_compute(run, *factor, &pattern->matrix, &positive);
  if (!status && positive) return factor_solve(run, *factor, q, x);
  factor_free(*factor);
  *factor = NULL;
  return status;
}

int relax_poses(run_t *run, const likelihood_t *problem, bool joint, bool reflections, double most, double *r,
                bool *found) {
  const part_t *part = problem->part;
  int64_t n = part->n, q = part->q, size = joint ? q + 1 : q;
  pattern_t pattern = {0};
  factor_t *factor = NULL;
  *found = false;
  if (n < 2 || q > SYSTEM_MOST_Q || !afford_analysis(part)) return LAVDM_OK;
  double *x = NEW(double, (n - 1) * size * q);
  int status = x ? pattern_new(run, part, size, &pattern) : fail_memory(run->error, "the start");
  if (!status) status = relax_with(run, problem, size, most, &pattern, x, &factor);
  *found = !status && factor;
  for (int64_t a = 0; a < q * q && *found; a++) r[a] = a % (q + 1) ? 0 : 1;
#pragma omp parallel for num_threads(n > FEW ? run->threads : 1) schedule(static)
  for (int64_t i = 1; i < (*found ? n : 0); i++)
    round_node(q, size, pattern.matrix.n, x, i, reflections, r + i * q * q);
  factor_free(factor);
  pattern_free(&pattern);
  mem_free(x);
  return status;
}
