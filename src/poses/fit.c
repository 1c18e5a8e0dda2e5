/*
 * Newton's method on the likelihood, rotations and positions at once: of the exact second derivatives where
 * they are positive, else of Gauss-Newton's, damped if need be. A step that does not lower the cost is
 * halved. It ends where rounding hides whether the cost and its gradient still fall.
 */
#include "base/memory.h"
#include "poses/iterate.h"
#include "poses/newton.h"
#include "poses/place.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 100, HALVINGS = 6, FEW = 500, LARGE_STEPS = 12, LARGE_ROUNDS = 4 };

static const double first_damping = 1e-4,
                    settled = 1e-13, /* share of the cost that another step would take off */
    tiny = 1e-9;                     /* angle of a step, and share of the largest position */
/* Of rotations alone: share of the cost that another round took off; cost by weights that is rounding. */
static const double settled_apart = 1e-9, rounding = 1e-24;

typedef struct {
  const likelihood_t *problem;
  double *r, *p;           /* where it stands */
  double *last_r, *last_p; /* where it stood */
  placer_t *placer;        /* or NULL */
} walk_t;

static int walk_new(run_t *run, const likelihood_t *problem, double *r, double *p, walk_t *w) {
  int64_t n = problem->part->n, q = problem->part->q;
  *w = (walk_t){.problem = problem, .r = r, .p = p, .last_r = NEW(double, n *q *q)};
  if (p) w->last_p = NEW(double, n *q);
  if (!w->last_r || (p && !w->last_p)) return fail_memory(run->error, "the fit");
  int status = p ? placer_new(run, problem, &w->placer) : LAVDM_OK;
  if (!status && p && !placer_factored(w->placer)) {
    placer_free(w->placer);
    w->placer = NULL;
  }
  return status;
}

static void walk_free(walk_t *w) {
  mem_free(w->last_r);
  mem_free(w->last_p);
  placer_free(w->placer);
}

static void walk_keep(walk_t *w) {
  int64_t n = w->problem->part->n, q = w->problem->part->q;
  memcpy(w->last_r, w->r, (size_t)(n * q * q) * sizeof *w->r);
  if (w->p) memcpy(w->last_p, w->p, (size_t)(n * q) * sizeof *w->p);
}

static void walk_back(walk_t *w) {
  int64_t n = w->problem->part->n, q = w->problem->part->q;
  memcpy(w->r, w->last_r, (size_t)(n * q * q) * sizeof *w->r);
  if (w->p) memcpy(w->p, w->last_p, (size_t)(n * q) * sizeof *w->p);
}

/* `factor` of the step from where it stood; node 0 stays. */
static void walk_on(const run_t *run, walk_t *w, const newton_t *newton, double factor) {
  const part_t *part = w->problem->part;
  int64_t q = part->q, size = newton->system.size, dims = newton->system.d;
#pragma omp parallel for num_threads(part->n > FEW ? run->threads : 1) schedule(static)
  for (int64_t i = 1; i < part->n; i++) {
    const double *x = newton->step + (i - 1) * size;
    rotation_step(q, w->last_r + i * q * q, x, factor, w->r + i * q * q);
    for (int64_t a = 0; a < q && w->p; a++) w->p[i * q + a] = w->last_p[i * q + a] + factor * x[dims + a];
  }
}

static double gradient_length(const newton_t *newton, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n * newton->system.size; i++)
    sum += newton->system.gradient[i] * newton->system.gradient[i];
  return sqrt(sum);
}

static bool step_tiny(const walk_t *w, const newton_t *newton) {
  int64_t size = newton->system.size, dims = newton->system.d;
  double turn = 0, move = 0, far = 0;
  for (int64_t i = 0; i < newton->system.hessian.matrix.n; i++) {
    double *most = i % size < dims ? &turn : &move;
    *most = fmax(*most, fabs(newton->step[i]));
  }
  for (int64_t i = 0; i < w->problem->part->n * w->problem->part->q && w->p; i++)
    far = fmax(far, fabs(w->p[i]));
  return turn <= tiny && move <= tiny * far;
}

/* `factor` of the step, and the cost there. Where weights are far apart a straight line of positions soon
 * leaves what heavy edges hold together, so that positions are found anew. */
static int try_step(run_t *run, walk_t *w, const newton_t *newton, double factor, double *cost) {
  bool exact;
  walk_on(run, w, newton, factor);
  int status = w->placer ? placer_find(run, w->placer, 1, w->r, w->p, &exact) : LAVDM_OK;
  *cost = likelihood_cost(run, w->problem, w->r, w->p);
  return status;
}

/* Goes along the step as far as it lowers the cost; *lower is false if it never does. */
static int take_step(run_t *run, walk_t *w, const newton_t *newton, double *cost, bool *lower) {
  double factor = 1, now;
  walk_keep(w);
  for (int half = 0; half < HALVINGS; half++, factor /= 2) {
    int status = try_step(run, w, newton, factor, &now);
    if (status < 0) return status;
    *lower = now <= *cost;
    if (!*lower) continue;
    *cost = now;
    return LAVDM_OK;
  }
  walk_back(w);
  return LAVDM_OK;
}

/* At the end: one more step, whatever rounding makes of the cost, kept if the gradient is no longer. */
static int polish(run_t *run, walk_t *w, newton_t *newton, fit_t *out) {
  int64_t n = w->problem->part->n;
  double fall;
  system_measure(run, w->problem, w->r, w->p, &newton->system);
  out->gradient = gradient_length(newton, n);
  newton->damping = 0;
  int status = newton_step(run, w->problem, newton, &fall);
  if (status < 0 || !newton->exact) return status;
  walk_keep(w);
  walk_on(run, w, newton, 1);
  system_measure(run, w->problem, w->r, w->p, &newton->system);
  double now = gradient_length(newton, n);
  if (!(now <= out->gradient)) walk_back(w);
  out->gradient = fmin(now, out->gradient);
  return LAVDM_OK;
}

static int descend(run_t *run, walk_t *w, newton_t *newton, fit_t *out) {
  double fall;
  int status = LAVDM_OK;
  out->cost = likelihood_cost(run, w->problem, w->r, w->p);
  while (out->steps < MOST_STEPS && !out->converged) {
    if (run_stopped(run, out->steps, MOST_STEPS)) return run_status(run);
    system_measure(run, w->problem, w->r, w->p, &newton->system);
    out->gradient = gradient_length(newton, w->problem->part->n);
    status = newton_step(run, w->problem, newton, &fall);
    if (status < 0 || isnan(fall)) return status;
    double last = out->cost;
    bool lower;
    status = take_step(run, w, newton, &out->cost, &lower);
    if (status < 0) return status;
    out->steps++;
    bool small =
        fall <= settled * last && newton->damping <= first_damping; /* much damping promises little */
    out->converged = small || (newton->exact && step_tiny(w, newton));
    if (!lower)
      newton->damping = fmax(10 * newton->damping, first_damping);
    else
      newton->damping = newton->damping > first_damping ? newton->damping / 10 : 0;
  }
  if (!out->converged) return LAVDM_OK;
  status = polish(run, w, newton, out);
  out->cost = likelihood_cost(run, w->problem, w->r, w->p);
  return status;
}

/* Rotations alone, then positions: where factors would be too large, and matrices as well. With positions it
 * is no minimum of the whole. */
static int fit_apart(run_t *run, const likelihood_t *problem, double *r, double *p, fit_t *out) {
  bool exact;
  double last = INFINITY, least = 0; /* what rounding leaves */
  int status = LAVDM_OK;
  for (int64_t e = 0; e < problem->part->m; e++) least += rounding * problem->part->weight[e];
  for (int round = 0; round < LARGE_ROUNDS && !out->converged && !status; round++) {
    status = refine_rotations(run, problem->part, LARGE_STEPS, r);
    if (!status && problem->shift) status = likelihood_place(run, problem, r, p, &exact);
    out->cost = status ? NAN : likelihood_cost(run, problem, r, p);
    out->converged = !problem->shift && last - out->cost <= settled_apart * out->cost + least;
    out->steps += LARGE_STEPS;
    last = out->cost;
    if (problem->shift) break;
  }
  return status;
}

int likelihood_fit(run_t *run, const likelihood_t *problem, double *r, double *p, fit_t *out) {
  const part_t *part = problem->part;
  newton_t newton = {0};
  walk_t walk = {0};
  *out = (fit_t){0};
  if (part->n < 2 || (part->q < 2 && !problem->shift)) {
    out->cost = likelihood_cost(run, problem, r, p);
    out->converged = true;
    return LAVDM_OK;
  }
  int status = newton_new(run, problem, &newton);
  if (!status && newton.factor) status = walk_new(run, problem, r, problem->shift ? p : NULL, &walk);
  if (!status && newton.factor)
    status = descend(run, &walk, &newton, out);
  else if (!status && part->q <= ITERATE_MOST_Q)
    status = iterate_fit(run, problem, r, p, out);
  else if (!status)
    status = fit_apart(run, problem, r, p, out);
  walk_free(&walk);
  newton_free(&newton);
  return status;
}
