#include "poses/system.h"

#include "base/memory.h"

#include <string.h>

enum { FEW = 500 };

void system_free(system_t *s) {
  mem_free(s->turn);
  mem_free(s->reach);
  mem_free(s->miss);
  mem_free(s->gradient);
  pattern_free(&s->hessian);
}

int system_new(run_t *run, const likelihood_t *problem, system_t *s) {
  const part_t *part = problem->part;
  int64_t q = part->q, d = q * (q - 1) / 2, m = part->m;
  bool shifts = problem->shift != NULL;
  *s = (system_t){.q = q, .d = d, .size = shifts ? d + q : d};
  for (int64_t a = 0, l = 0; a < q; a++)
    for (int64_t b = a + 1; b < q; b++, l++) s->first[l] = a, s->second[l] = b;
  s->turn = NEW(double, m *q *q);
  s->reach = shifts ? NEW(double, m *q) : NULL;
  s->miss = shifts ? NEW(double, m *q) : NULL;
  s->gradient = NEW(double, part->n * s->size);
  bool whole = s->turn && s->gradient && (!shifts || (s->reach && s->miss));
  int status = whole ? LAVDM_OK : fail_memory(run->error, "the derivatives");
  return status ? status : pattern_new(run, part, s->size, &s->hessian);
}

/* --------------------------------------------------------- first derivatives */

static void measure_edge(const likelihood_t *problem, const double *r, const double *p, int64_t e,
                         system_t *s) {
  int64_t q = s->q, i = problem->part->row[e], k = problem->part->col[e];
  part_defect(problem->part, r, e, s->turn + e * q * q);
  for (int64_t b = 0; b < q && problem->shift; b++) {
    double sum = 0;
    for (int64_t a = 0; a < q; a++) sum += r[(i * q + a) * q + b] * problem->shift[e * q + a];
    s->reach[e * q + b] = sum;
    s->miss[e * q + b] = p[k * q + b] - p[i * q + b] - sum;
  }
}

/* What a link adds to the gradient of its node. */
static void add_gradient(const likelihood_t *problem, const system_t *s, int64_t link, double *g) {
  int64_t e = link / 2, q = s->q;
  bool col = link & 1;
  const double *turn = s->turn + e * q * q;
  double kappa = problem->part->weight[e], sign = col ? 1 : -1;
  for (int64_t l = 0; l < s->d; l++) {
    int64_t a = s->first[l], b = s->second[l];
    g[l] += sign * 2 * kappa * (turn[a * q + b] - turn[b * q + a]);
  }
  if (!s->miss) return;
  const double *u = s->miss + e * q, *v = s->reach + e * q;
  double tau = problem->tau[e];
  for (int64_t a = 0; a < q; a++) g[s->d + a] += sign * 2 * tau * u[a];
  for (int64_t l = 0; l < s->d && !col; l++) {
    int64_t a = s->first[l], b = s->second[l];
    g[l] += 2 * tau * (u[a] * v[b] - u[b] * v[a]);
  }
}

void system_measure(const run_t *run, const likelihood_t *problem, const double *r, const double *p,
                    system_t *s) {
  const part_t *part = problem->part;
#pragma omp parallel for num_threads(part->m > FEW ? run->threads : 1) schedule(static)
  for (int64_t e = 0; e < part->m; e++) measure_edge(problem, r, p, e, s);
#pragma omp parallel for num_threads(part->m > FEW ? run->threads : 1) schedule(static)
  for (int64_t i = 0; i < part->n; i++) {
    memset(s->gradient + i * s->size, 0, (size_t)s->size * sizeof *s->gradient);
    for (int64_t at = part->start[i]; at < part->start[i + 1]; at++)
      add_gradient(problem, s, part->link[at], s->gradient + i * s->size);
  }
}

/* -------------------------------------------------------- second derivatives */

/* A block of a column: `to` (size x size, by columns of `size`) */
typedef struct {
  double own[SYSTEM_MOST * SYSTEM_MOST], other[SYSTEM_MOST * SYSTEM_MOST];
} blocks_t;

/* to += factor times the form tr x' T x of a symmetric T, as twice its matrix. */
static void add_square(const system_t *s, double factor, const double *t, double *to) {
  int64_t q = s->q;
  for (int64_t l = 0; l < s->d; l++)
    for (int64_t k = 0; k < s->d; k++) {
      int64_t a = s->first[l], b = s->second[l], c = s->first[k], d = s->second[k];
      double sum = 0;
      if (b == d) sum += t[a * q + c];
      if (b == c) sum -= t[a * q + d];
      if (a == d) sum -= t[b * q + c];
      if (a == c) sum += t[b * q + d];
      to[k * s->size + l] += 2 * factor * sum;
    }
}

/* to += factor times the form tr x M y, x of the rows and y of the columns. */
static void add_mixed(const system_t *s, double factor, const double *m, bool swap, double *to) {
  int64_t q = s->q;
  for (int64_t l = 0; l < s->d; l++)
    for (int64_t k = 0; k < s->d; k++) {
      int64_t a = s->first[l], b = s->second[l], c = s->first[k], d = s->second[k];
      double sum = 0;
      if (a == d) sum += m[b * q + c];
      if (a == c) sum -= m[b * q + d];
      if (b == d) sum -= m[a * q + c];
      if (b == c) sum += m[a * q + d];
      to[swap ? l * s->size + k : k * s->size + l] += factor * sum;
    }
}

/* J (q x d) with x v = J x, entry (a, l). */
static double reach_of(const system_t *s, const double *v, int64_t a, int64_t l) {
  return a == s->first[l] ? v[s->second[l]] : a == s->second[l] ? -v[s->first[l]] : 0;
}

/* 2 tau of |y_k - y_i + x_i v|^2: the block of a node with itself. */
static void add_shift_own(const system_t *s, double tau, const double *v, bool col, double *to) {
  int64_t d = s->d, q = s->q, size = s->size;
  for (int64_t a = 0; a < q; a++) to[(d + a) * size + d + a] += 2 * tau;
  for (int64_t l = 0; l < d && !col; l++) {
    for (int64_t a = 0; a < q; a++) {
      double x = -2 * tau * reach_of(s, v, a, l);
      to[l * size + d + a] += x, to[(d + a) * size + l] += x;
    }
    for (int64_t k = 0; k < d; k++) {
      double sum = 0;
      for (int64_t a = 0; a < q; a++) sum += reach_of(s, v, a, l) * reach_of(s, v, a, k);
      to[k * size + l] += 2 * tau * sum;
    }
  }
}

/* The same, of the two nodes: rows of the other, columns of this one. */
static void add_shift_other(const system_t *s, double tau, const double *v, bool col, double *to) {
  int64_t d = s->d, q = s->q, size = s->size;
  for (int64_t a = 0; a < q; a++) {
    to[(d + a) * size + d + a] -= 2 * tau;
    for (int64_t l = 0; l < d; l++) {
      double x = 2 * tau * reach_of(s, v, a, l);
      to[col ? (d + a) * size + l : l * size + d + a] += x;
    }
  }
}

static void add_link(const likelihood_t *problem, const system_t *s, system_kind kind, int64_t link,
                     bool below, blocks_t *to) {
  int64_t e = link / 2, q = s->q;
  bool col = link & 1;
  double kappa = problem->part->weight[e], sym[SYSTEM_MOST_Q * SYSTEM_MOST_Q],
         m[SYSTEM_MOST_Q * SYSTEM_MOST_Q];
  const double *turn = s->turn + e * q * q;
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = 0; b < q; b++) {
      m[a * q + b] = kind == EXACT ? turn[a * q + b] : a == b;
      sym[a * q + b] = kind == EXACT ? (turn[a * q + b] + turn[b * q + a]) / 2 : a == b;
    }
  add_square(s, kappa, sym, to->own);
  if (below) add_mixed(s, 2 * kappa, m, !col, to->other);
  if (!s->miss) return;
  const double *u = s->miss + e * q, *v = s->reach + e * q;
  add_shift_own(s, problem->tau[e], v, col, to->own);
  if (below) add_shift_other(s, problem->tau[e], v, col, to->other);
  if (col || kind != EXACT) return;
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = 0; b < q; b++) sym[a * q + b] = (u[a] * v[b] + u[b] * v[a]) / 2;
  add_square(s, problem->tau[e], sym, to->own);
}

static void assemble_node(const likelihood_t *problem, system_kind kind, double damping, int64_t j,
                          blocks_t *to, system_t *s) {
  const part_t *part = problem->part;
  int64_t size = s->size;
  size_t bytes = (size_t)(size * size) * sizeof(double);
  pattern_clear(&s->hessian, size, j);
  memset(to->own, 0, bytes);
  for (int64_t at = part->start[j]; at < part->start[j + 1]; at++) {
    bool below = s->hessian.rank[at] >= 0;
    if (below) memset(to->other, 0, bytes);
    add_link(problem, s, kind, part->link[at], below, to);
    if (below) pattern_add(&s->hessian, size, j, at, to->other);
  }
  for (int64_t c = 0; c < size; c++) to->own[c * (size + 1)] *= 1 + damping;
  pattern_add_own(&s->hessian, size, j, to->own);
}

void system_assemble(const run_t *run, const likelihood_t *problem, system_kind kind, double damping,
                     system_t *s) {
  int64_t n = problem->part->n;
#pragma omp parallel num_threads(n > FEW ? run->threads : 1)
  {
    blocks_t blocks;
#pragma omp for schedule(static)
    for (int64_t j = 1; j < n; j++) assemble_node(problem, kind, damping, j, &blocks, s);
  }
}
