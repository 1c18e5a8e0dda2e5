/*
 * Thick-restart block Lanczos on p(A). A few steps with A itself show where its
 * eigenvalues lie and whether more would be slow; if so, p is a Chebyshev filter
 * from then on, which later restarts may sharpen.
 *
 * From one random block Lanczos finds of a multiple eigenvalue as many copies
 * as the block has columns. If it finds that many of one that lies above the
 * last wanted, what has converged is locked and a sweep begins with another
 * random block, orthogonal to it, until no sweep finds that many.
 */
#include "spectrum/solver.h"

#include "base/memory.h"
#include "spectrum/residual.h"
#include "spectrum/search.h"

#include <math.h>
#include <string.h>

/* PROBE: blocks of the basis at which a filter is chosen first */
enum { SMALL_WIDTH = 32, PROBE = 12 };

/* Where the search gives up: on larger errors, or on errors of this share of
 * the tolerance that the operator does not confirm. */
static const double MOST_GOAL = 1e-8, LEAST_GOAL = 0.05;

/* Where the wanted pairs go, and the largest of their residuals. */
typedef struct {
  double *values, *vectors, *residuals, worst;
} result_t;

/* The leading Ritz vectors, as A itself sees them. */
static int measure(search_t *s, result_t *result) {
  lanczos_t *l = &s->basis;
  panel_t v = {result->vectors, l->basis.rows, s->wanted, s->wanted};
  measure_t room = {l->widest, l->block[1], l->block[2], l->scratch};
  lanczos_vectors(l, 0, v);
  int status = measure_vectors(s->run, s->op, &room, v, result->values, result->residuals);
  result->worst = 0;
  for (int64_t j = 0; j < s->wanted; j++) result->worst = fmax(result->worst, result->residuals[j]);
  return status;
}

/* One step of Lanczos, and the Ritz pairs where they are worth their cost. */
static int step(search_t *s, bool *full, bool *probe, bool *assessed) {
  lanczos_t *l = &s->basis;
  int64_t done = s->converged < s->wanted ? s->converged : s->wanted;
  int status = filter_apply(s->run, s->op, &s->filter, l->block, l->width, done, s->wanted);
  if (status < 0) return status;
  s->depth += s->filter.degree;
  status = lanczos_absorb(l);
  if (status < 0) return status;
  *full = l->ready + l->widest > l->limit;
  *probe = s->restarts == 0 && (*full || l->ready == PROBE * l->widest);
  *assessed = *full || *probe || (l->ready >= s->wanted && --s->patience <= 0);
  if (!*assessed) return LAVDM_OK;
  status = lanczos_ritz(l);
  if (status >= 0) search_assess(s);
  return status;
}

typedef enum { GO_ON, BEGIN_SWEEP, DONE } next_t;

/* What the Ritz pairs just assessed call for. */
static int decide(search_t *s, result_t *result, next_t *next) {
  *next = GO_ON;
  if (s->converged < s->wanted || !search_cleared(s)) {
    if (s->solid < s->wanted && search_top_saturated(s)) {
      *next = BEGIN_SWEEP;
      search_sweep(s, s->suspect);
    }
    return LAVDM_OK;
  }
  double suspect = search_saturated(s, s->wanted);
  if (suspect < INFINITY) {
    if (s->solid < s->wanted) return LAVDM_OK;
    *next = BEGIN_SWEEP;
    search_sweep(s, suspect);
    return LAVDM_OK;
  }
  int status = measure(s, result);
  bool enough =
      result->worst <= s->tolerance || s->goal > s->tolerance || s->goal < LEAST_GOAL * s->tolerance;
  if (enough)
    *next = DONE;
  else
    search_aim(s, 0.3 * s->goal);
  return status;
}

/*
 * The residual block joins the basis. If nothing is left of it, the basis holds
 * whole eigenspaces of p(A), and a sweep looks for what is beyond them.
 */
static int append(search_t *s, result_t *result, next_t *next) {
  lanczos_t *l = &s->basis;
  int status = lanczos_append(l);
  if (status < 0) return status;
  if (l->width == 0) {
    status = lanczos_ritz(l);
    if (status < 0) return status;
    search_assess(s);
    status = decide(s, result, next);
    if (status < 0 || *next == DONE) return status;
    s->filter.degree = 1;
    if (*next == GO_ON) {
      double suspect = search_saturated(s, s->solid < s->wanted ? s->solid : s->wanted);
      search_sweep(s, fmin(suspect, s->suspect));
    }
    *next = BEGIN_SWEEP;
    status = lanczos_append(l);
    if (status >= 0 && l->width == 0)
      status = fail(s->run->error, LAVDM_ERROR_NUMERICS, "the operator is not linear or not symmetric");
  }
  if (*next == BEGIN_SWEEP) s->width = l->width;
  return status;
}

/* The pairs as they are; whether copies are missing is not known. */
static int give_up(search_t *s, result_t *result) {
  int status = measure(s, result);
  if (status >= 0)
    run_warn(s->run, "the eigenvalues stopped converging at residuals of %.1e; some may be missing",
             result->worst);
  return status;
}

static int search(search_t *s, result_t *result) {
  next_t next = BEGIN_SWEEP;
  search_random(s);
  int status = append(s, result, &next);
  while (status >= 0 && next != DONE) {
    bool full, probe, assessed;
    next = GO_ON;
    status = step(s, &full, &probe, &assessed);
    if (status >= 0 && assessed) status = decide(s, result, &next);
    if (status < 0 || next == DONE) return status;
    if (probe && next == GO_ON && search_probe(s)) next = BEGIN_SWEEP;
    if (full && next == GO_ON) {
      if (search_stalled(s)) {
        if (s->goal > MOST_GOAL) return give_up(s, result);
        search_aim(s, 10 * s->goal);
      }
      if (search_restart(s)) next = BEGIN_SWEEP;
    }
    status = append(s, result, &next);
  }
  return status;
}

/* Descending order of the Rayleigh quotients, which may differ by rounding
 * from that of the Ritz values. */
static void sort_pairs(int64_t n, int64_t r, result_t *result, int64_t *order, double *row) {
  for (int64_t l = 0; l < r; l++) {
    int64_t k = l;
    for (; k > 0 && result->values[order[k - 1]] < result->values[l]; k--) order[k] = order[k - 1];
    order[k] = l;
  }
  double *lists[] = {result->values, result->residuals};
  for (int64_t i = 0; i < n + 2; i++) {
    double *list = i < n ? result->vectors + i * r : lists[i - n];
    memcpy(row, list, (size_t)r * sizeof *row);
    for (int64_t l = 0; l < r; l++) list[l] = row[order[l]];
  }
}

/* A (N rows, the columns of all ranks) from its products with the columns of the identity. */
static int write_out(run_t *run, const operator_t *op, double *a, double *x, double *y) {
  int64_t n = op->size, total = operator_total(op);
  for (int64_t first = 0; first < total; first += SMALL_WIDTH) {
    int64_t count = total - first < SMALL_WIDTH ? total - first : SMALL_WIDTH;
    memset(x, 0, (size_t)(n * count) * sizeof *x);
    for (int64_t j = 0; j < count; j++) {
      int64_t row = first + j - op->before;
      if (row >= 0 && row < n) x[row * count + j] = 1;
    }
    int status = op->apply(run, op->context, x, y, count);
    if (status < 0) return status;
    for (int64_t i = 0; i < n; i++) memcpy(a + i * total + first, y + i * count, (size_t)count * sizeof *a);
    if (operator_stopped(run, op, first, total)) break;
  }
  return op->team ? LAVDM_OK : run_status(run);
}

/* For an operator that is no larger than the basis would be. */
static int solve_small(run_t *run, const operator_t *op, int64_t r, const result_t *result) {
  int64_t n = op->size, total = operator_total(op);
  double *a = NEW(double, n *total), *x = NEW(double, n *SMALL_WIDTH), *y = NEW(double, n *SMALL_WIDTH);
  int status = team_agree(op->team, a && x && y ? LAVDM_OK : fail_memory(run->error, "a small operator"));
  if (status >= 0) status = write_out(run, op, a, x, y);
  if (status >= 0) status = solve_rows(run, op, a, r, result->values, result->vectors);
  if (status >= 0) status = solve_residuals(run, op, r, result->values, result->vectors, result->residuals);
  mem_free(a);
  mem_free(x);
  mem_free(y);
  return status;
}

int solve_iterative(run_t *run, const operator_t *op, int64_t r, double tolerance, double *values,
                    double *vectors, double *residuals) {
  int64_t n = op->size;
  result_t result = {values, vectors, residuals, INFINITY};
  if (operator_total(op) <= 4 * r + 64) return solve_small(run, op, r, &result);

  search_t s;
  int before = blas_threads(1);
  int status = search_new(&s, run, op, r, tolerance);
  int64_t *order = NEW(int64_t, r);
  if (status >= 0 && !order) status = fail_memory(run->error, "the eigenvalues");
  status = team_agree(op->team, status);
  if (status >= 0) status = search(&s, &result);
  if (status >= 0) {
    panel_t found = {vectors, n, r, r};
    sort_pairs(n, r, &result, order, s.error);
    if (op->team)
      status = panel_fix_shared_signs(op->team, found, s.weights);
    else
      panel_fix_signs(run->threads, found);
  }
  search_free(&s);
  mem_free(order);
  blas_threads(before);
  return status;
}
