/*
 * Positions for elements that are known: least squares of p_k - p_i = R_i' shift with weights tau, one
 * Laplacian of the graph for each of the q coordinates, (L y)_i = sum over edges into i of tau u - sum over
 * edges out of i,   p + y the solution, where u is what p leaves of the edges. It is solved again for what is
 * left until nothing changes: by a Cholesky factor, node 0 staying, or where that would be too large by
 * multigrid.
 */
#include "base/memory.h"
#include "factor/factor.h"
#include "graph/given.h"
#include "poses/afford.h"
#include "poses/place.h"
#include "sync/plain.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 12, FEW = 500 };
_Static_assert((int)PLAIN_COLUMNS >= (int)GIVEN_MOST_Q, "coordinates are solved together");

static const double grid_tolerance = 1e-6, /* of a round by multigrid */
    settled = 1e-14,                       /* share of the cost that another round would take off, at most, */
    rounding = 1e-24;                      /* or of the first cost */

struct placer {
  const likelihood_t *problem;
  factor_t *factor; /* of L without node 0; or */
  plain_t *grid;
  double *shift;                         /* m x q: R_i' shift */
  double *side, *change, *kept, *before; /* n x q */
};

void placer_free(placer_t *s) {
  if (!s) return;
  factor_free(s->factor);
  plain_free(s->grid);
  mem_free(s->shift);
  mem_free(s->side);
  mem_free(s->change);
  mem_free(s->kept);
  mem_free(s->before);
  mem_free(s);
}

bool placer_factored(const placer_t *s) {
  return s->factor != NULL;
}

/* The lower triangle of L without node 0. */
static int laplacian_triangle(run_t *run, const likelihood_t *problem, triangle_t *out) {
  const part_t *part = problem->part;
  int64_t n = part->n, at = 0;
  int32_t *last = NEW(int32_t, n); /* column that a row was in last, and where */
  int64_t *place = NEW(int64_t, n);
  *out = (triangle_t){n - 1, NEW(int64_t, n), NEW(int64_t, n + part->m), NEW(double, n + part->m)};
  bool whole = last && place && out->start && out->row && out->value;
  for (int64_t j = 1; j < n && whole; j++) {
    int64_t own = at++;
    out->row[own] = j - 1;
    for (int64_t l = part->start[j]; l < part->start[j + 1]; l++) {
      int64_t other = link_node(part, part->link[l]);
      double tau = problem->tau[part->link[l] / 2];
      out->value[own] += tau;
      if (other <= j) continue;
      if (last[other] != (int32_t)j) last[other] = (int32_t)j, place[other] = at, out->row[at++] = other - 1;
      out->value[place[other]] -= tau;
    }
    out->start[j] = at;
  }
  mem_free(last);
  mem_free(place);
  return whole ? LAVDM_OK : fail_memory(run->error, "the positions");
}

static void sort_columns(triangle_t *a) {
  for (int64_t j = 0; j < a->n; j++)
    for (int64_t k = a->start[j] + 1; k < a->start[j + 1]; k++) { /* columns are short */
      int64_t row = a->row[k], to = k;
      double value = a->value[k];
      for (; to > a->start[j] && a->row[to - 1] > row; to--)
        a->row[to] = a->row[to - 1], a->value[to] = a->value[to - 1];
      a->row[to] = row, a->value[to] = value;
    }
}

static int place_factor(run_t *run, const likelihood_t *problem, placer_t *s) {
  triangle_t a = {0};
  bool positive = true;
  if (!afford_analysis(problem->part)) return LAVDM_OK;
  int status = laplacian_triangle(run, problem, &a);
  if (!status) {
    sort_columns(&a);
    status = factor_analyse(run, &a, NULL, 0, afford_bytes(), &s->factor);
  }
  if (!status && s->factor && factor_operations(s->factor) > afford_operations) {
    factor_free(s->factor);
    s->factor = NULL;
  }
  if (!status && s->factor) status = factor_compute(run, s->factor, &a, &positive);
  if (!status && !positive) {
    factor_free(s->factor);
    s->factor = NULL;
  }
  triangle_free(&a);
  return status;
}

int placer_new(run_t *run, const likelihood_t *problem, placer_t **out) {
  const part_t *part = problem->part;
  int64_t q = part->q, n = part->n;
  placer_t *s = *out = NEW(placer_t, 1);
  if (!s) return fail_memory(run->error, "the positions");
  s->problem = problem;
  s->shift = NEW(double, part->m *q);
  s->side = NEW(double, n *q);
  s->change = NEW(double, n *q);
  s->kept = NEW(double, n *q);
  s->before = NEW(double, n *q);
  if (!s->shift || !s->side || !s->change || !s->kept || !s->before)
    return fail_memory(run->error, "the positions");
  if (n < 2) return LAVDM_OK;
  int status = place_factor(run, problem, s);
  if (status < 0 || s->factor) return status;
  return plain_new(run, part, problem->tau, NULL, q, &s->grid);
}

/* R_i' shift of all edges */
static void turn_shifts(const run_t *run, const double *r, placer_t *s) {
  const part_t *part = s->problem->part;
  int64_t q = part->q;
#pragma omp parallel for num_threads(part->m > FEW ? run->threads : 1) schedule(static)
  for (int64_t e = 0; e < part->m; e++)
    for (int64_t b = 0; b < q; b++) {
      double sum = 0;
      for (int64_t a = 0; a < q; a++) sum += r[(part->row[e] * q + a) * q + b] * s->problem->shift[e * q + a];
      s->shift[e * q + b] = sum;
    }
}

/* side: what positions leave, by nodes; n x q. Returns the cost. */
static double find_side(const run_t *run, const double *p, placer_t *s) {
  const likelihood_t *problem = s->problem;
  const part_t *part = problem->part;
  int64_t q = part->q;
  double cost = 0;
#pragma omp parallel for num_threads(part->m > FEW ? run->threads : 1) schedule(static)
  for (int64_t i = 0; i < part->n; i++)
    for (int64_t b = 0; b < q; b++) {
      double sum = 0;
      for (int64_t at = part->start[i]; at < part->start[i + 1]; at++) {
        int64_t e = part->link[at] / 2, row = part->row[e], col = part->col[e];
        double u = p[col * q + b] - p[row * q + b] - s->shift[e * q + b];
        sum += (part->link[at] & 1 ? -1 : 1) * problem->tau[e] * u;
      }
      s->side[i * q + b] = sum;
    }
  for (int64_t e = 0; e < part->m; e++)
    for (int64_t b = 0; b < q; b++) {
      double u = p[part->col[e] * q + b] - p[part->row[e] * q + b] - s->shift[e * q + b];
      cost += problem->tau[e] * u * u;
    }
  return cost;
}

/* change = L^-1 side; n x q. *solved: to the accuracy that was asked for. */
static int solve_side(run_t *run, const part_t *part, placer_t *s, bool *solved) {
  int64_t n = part->n, q = part->q;
  *solved = true;
  if (!s->factor) return plain_solve(run, s->grid, q, s->side, s->change, grid_tolerance, solved, NULL);
  for (int64_t i = 1; i < n; i++) /* by columns, without node 0 */
    for (int64_t b = 0; b < q; b++) s->change[b * (n - 1) + i - 1] = s->side[i * q + b];
  int status = factor_solve(run, s->factor, q, s->change);
  memcpy(s->side, s->change, (size_t)((n - 1) * q) * sizeof *s->side);
  for (int64_t i = 0; i < n; i++)
    for (int64_t b = 0; b < q; b++) s->change[i * q + b] = i ? s->side[b * (n - 1) + i - 1] : 0;
  return status;
}

/* side' change: twice what the cost will fall by, for quadratic costs that is cost less its minimum. */
static double fall_of(const part_t *part, const double *side, const double *change) {
  double sum = 0;
  for (int64_t i = 0; i < part->n * part->q; i++) sum += side[i] * change[i];
  return fabs(sum);
}

int placer_find(run_t *run, placer_t *s, int rounds, const double *r, double *p, bool *exact) {
  const part_t *part = s->problem->part;
  size_t bytes = (size_t)(part->n * part->q) * sizeof *p;
  int status = LAVDM_OK;
  *exact = part->n < 2;
  turn_shifts(run, r, s);
  double cost = find_side(run, p, s), first = cost;
  bool solved, lower = true;
  for (int round = 0; round < rounds && lower && !*exact; round++) {
    memcpy(s->kept, s->side, bytes);
    memcpy(s->before, p, bytes);
    status = solve_side(run, part, s, &solved);
    if (status < 0) return status;
    double fall = fall_of(part, s->kept, s->change);
    for (int64_t i = 0; i < part->n * part->q; i++) p[i] += s->change[i];
    double now = find_side(run, p, s);
    lower = now < cost;
    bool small = round > 0 && fall <= fmax(settled * cost, rounding * first);
    *exact = small || (!lower && solved);
    if (!(now <= cost)) memcpy(p, s->before, bytes);
    cost = fmin(cost, now);
  }
  return status;
}

int likelihood_place(run_t *run, const likelihood_t *problem, const double *r, double *p, bool *exact) {
  int64_t q = problem->part->q, count = problem->part->n * q;
  placer_t *s = NULL;
  *exact = false;
  memset(p, 0, (size_t)count * sizeof *p);
  int status = placer_new(run, problem, &s);
  if (!status) status = placer_find(run, s, MOST_ROUNDS, r, p, exact);
  for (int64_t i = count - 1; i >= 0 && !status; i--) p[i] -= p[i % q];
  placer_free(s);
  return status;
}
