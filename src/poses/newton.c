#include "poses/newton.h"

#include "base/memory.h"
#include "poses/afford.h"

#include <math.h>
#include <string.h>

enum { LEAST_STEPS = 4, MOST_STEPS = 25 };

static const double first_damping = 1e-4, most_damping = 1e8;
/* Of conjugate gradients, in the norm of the preconditioner: as what is left falls, so does what it is solved
 * to. */
static const double rough = 1e-2, fine = 1e-6;

/* Time of an operation of a factorisation by that of a solution, which moves more numbers. */
static const double dense_speed = 0.1;

void newton_free(newton_t *w) {
  factor_free(w->factor);
  system_free(&w->system);
  double *all[] = {w->step, w->residual, w->along, w->product, w->by};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
}

static int analyse(run_t *run, newton_t *w, int64_t blocks) {
  const triangle_t *h = &w->system.hessian.matrix;
  int status = factor_analyse(run, h, w->system.hessian.block, blocks, afford_bytes(), &w->factor);
  if (status < 0 || !w->factor) return status;
  double once = factor_operations(w->factor);
  double again = 4 * (factor_entries(w->factor) + (double)h->start[h->n]);
  w->most = (int64_t)fmin(fmax(dense_speed * once / again, LEAST_STEPS), MOST_STEPS);
  if (once <= afford_operations) return LAVDM_OK;
  factor_free(w->factor);
  w->factor = NULL;
  return LAVDM_OK;
}

int newton_new(run_t *run, const likelihood_t *problem, newton_t *w) {
  if (problem->part->q > SYSTEM_MOST_Q || !afford_analysis(problem->part)) return LAVDM_OK;
  int status = system_new(run, problem, &w->system);
  if (status < 0) return status;
  int64_t rows = w->system.hessian.matrix.n;
  w->step = NEW(double, rows);
  w->residual = NEW(double, rows);
  w->along = NEW(double, rows);
  w->product = NEW(double, rows);
  w->by = NEW(double, rows);
  if (!w->step || !w->residual || !w->along || !w->product || !w->by)
    return fail_memory(run->error, "the fit");
  return analyse(run, w, problem->part->n - 1);
}

static double inner(const double *x, const double *y, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* y = A x */
static void symmetric_product(const triangle_t *a, const double *x, double *y) {
  memset(y, 0, (size_t)a->n * sizeof *y);
  for (int64_t j = 0; j < a->n; j++) {
    int64_t k = a->start[j];
    double sum = a->value[k] * x[j];
    for (k++; k < a->start[j + 1]; k++) {
      sum += a->value[k] * x[a->row[k]];
      y[a->row[k]] += a->value[k] * x[j];
    }
    y[j] += sum;
  }
}

/* by = F^-1 residual, and the product of the two. */
static int precondition(run_t *run, newton_t *w, double *size) {
  int64_t n = w->system.hessian.matrix.n;
  memcpy(w->by, w->residual, (size_t)n * sizeof *w->by);
  int status = factor_solve(run, w->factor, 1, w->by);
  *size = inner(w->by, w->residual, n);
  return status;
}

/* The step by the factor of an H before; *solved: whether few iterations were enough, *bent: H is not
 * positive. */
static int step_again(run_t *run, newton_t *w, bool *solved, bool *bent) {
  const triangle_t *h = &w->system.hessian.matrix;
  int64_t n = h->n;
  double first, now;
  for (int64_t i = 0; i < n; i++) w->step[i] = 0, w->residual[i] = -w->system.gradient[w->system.size + i];
  int status = precondition(run, w, &first);
  memcpy(w->along, w->by, (size_t)n * sizeof *w->by);
  double accuracy = fmin(fmax(first / (2 * w->fall), fine), rough);
  *solved = first == 0;
  now = first;
  for (int64_t turn = 0; turn < w->most && !status && !*solved; turn++) {
    symmetric_product(h, w->along, w->product);
    double curve = inner(w->along, w->product, n), last = now;
    *bent = !(curve > 0);
    if (*bent) return LAVDM_OK;
    for (int64_t i = 0; i < n; i++) {
      w->step[i] += last / curve * w->along[i];
      w->residual[i] -= last / curve * w->product[i];
    }
    status = precondition(run, w, &now);
    for (int64_t i = 0; i < n; i++) w->along[i] = w->by[i] + now / last * w->along[i];
    *solved = now <= accuracy * accuracy * first;
  }
  return status;
}

/* The step by a factor of H, or of what Gauss-Newton has in its place. */
static int step_anew(run_t *run, const likelihood_t *problem, newton_t *w, bool exact, bool *positive) {
  system_t *s = &w->system;
  int status = LAVDM_OK;
  *positive = false;
  while (!status && !*positive && w->damping <= most_damping) {
    if (!exact) system_assemble(run, problem, GAUSS_NEWTON, w->damping, s);
    status = factor_compute(run, w->factor, &s->hessian.matrix, positive);
    w->made = *positive;
    w->exact = exact && *positive;
    if (!exact && !*positive) w->damping = fmax(10 * w->damping, first_damping);
    exact = false;
  }
  if (status < 0 || !*positive) return status;
  for (int64_t i = 0; i < s->hessian.matrix.n; i++) w->step[i] = -s->gradient[s->size + i];
  return factor_solve(run, w->factor, 1, w->step);
}

int newton_step(run_t *run, const likelihood_t *problem, newton_t *w, double *fall) {
  system_t *s = &w->system;
  bool exact = w->damping == 0, solved = false, bent = false;
  int status = LAVDM_OK;
  if (exact) system_assemble(run, problem, EXACT, 0, s);
  if (exact && w->made) status = step_again(run, w, &solved, &bent);
  w->exact = solved;
  if (!status && !solved) status = step_anew(run, problem, w, exact && !bent, &solved);
  w->fall = *fall = solved ? -inner(s->gradient + s->size, w->step, s->hessian.matrix.n) / 2 : NAN;
  return status;
}
