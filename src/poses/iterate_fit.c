/* The loop over the steps of iterate.c. A step that does not lower the cost is halved; it ends where another
 * would bring next to nothing. */
#include "poses/iterate.h"

#include "base/memory.h"
#include "poses/system.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 40, MOST_CYCLES = 100, HALVINGS = 6, FEW = 500 };

static const double rough = 0.1, fine = 1e-2, /* tolerances of the first positions and of steps */
    settled = 1e-7,    /* share of the cost that the next step would take off, at most, at the end */
    least_rate = 4e-3, /* of falls: on grids, spheres, tori and cities of 110,000 poses of space and more, the
                        * third step took off 9e-4 to 4e-3 of what the second did */
    tired = 1e-5;      /* the same for a step that was not solved: there is more to gain, but slowly */

typedef struct {
  double *x, *y, *r, *p; /* the step; rotations and positions before it */
} trial_t;

static void move_all(const run_t *run, const likelihood_t *problem, const trial_t *t, double factor,
                     double *r, double *p) {
  int64_t q = problem->part->q, d = q * (q - 1) / 2;
#pragma omp parallel for num_threads(problem->part->n > FEW ? run->threads : 1) schedule(static)
  for (int64_t i = 0; i < problem->part->n; i++) {
    rotation_step(q, t->r + i * q * q, t->x + i * d, factor, r + i * q * q);
    for (int64_t a = 0; a < q && problem->shift; a++)
      p[i * q + a] = t->p[i * q + a] + factor * t->y[i * q + a];
  }
}

/* Goes along the step as far as it lowers the cost; false if it never does. */
static bool take(const run_t *run, const likelihood_t *problem, trial_t *t, double *cost, double *r,
                 double *p) {
  size_t turns = (size_t)(problem->part->n * problem->part->q * problem->part->q),
         moves = (size_t)(problem->part->n * problem->part->q);
  double factor = 1;
  memcpy(t->r, r, turns * sizeof *r);
  if (problem->shift) memcpy(t->p, p, moves * sizeof *p);
  for (int half = 0; half < HALVINGS; half++, factor /= 2) {
    move_all(run, problem, t, factor, r, p);
    double now = likelihood_cost(run, problem, r, p);
    if (now > *cost) continue;
    *cost = now;
    return true;
  }
  memcpy(r, t->r, turns * sizeof *r);
  if (problem->shift) memcpy(p, t->p, moves * sizeof *p);
  return false;
}

/* What the next step will take off: what this one left, and if falls go on as from the one before to this,
 * but no faster than is usual. */
static double next_fall(const step_t *step, double before) {
  return step->left + step->fall * (before > 0 ? fmin(fmax(step->fall / before, least_rate), 1) : 1);
}

static int descend(run_t *run, const likelihood_t *problem, iterate_t *it, trial_t *t, double *r, double *p,
                   fit_t *out) {
  int status = iterate_place(run, it, r, p, rough);
  out->cost = status ? 0 : likelihood_cost(run, problem, r, p);
  bool lower = true;
  double before = 0; /* what the last step was to take off */
  while (out->steps < MOST_STEPS && !out->converged && lower && !status) {
    double last = out->cost;
    step_t step;
    const effort_t effort = {fine, settled / 2 * last, MOST_CYCLES};
    status = iterate_step(run, it, r, p, effort, t->x, t->y, &step);
    if (status < 0) return status;
    lower = take(run, problem, t, &out->cost, r, p);
    out->steps++;
    lower = lower && step.fall > 0 && (step.solved || step.fall > tired * last);
    out->converged = step.solved && next_fall(&step, before) <= settled * last;
    before = step.fall;
    if (run_stopped(run, out->steps, MOST_STEPS)) return run_status(run);
  }
  return status;
}

int iterate_fit(run_t *run, const likelihood_t *problem, double *r, double *p, fit_t *out) {
  const part_t *part = problem->part;
  int64_t n = part->n, q = part->q, d = q * (q - 1) / 2;
  iterate_t *it = NULL;
  trial_t t = {NEW(double, n *d), NEW(double, n *q), NEW(double, n *q *q), NEW(double, n *q)};
  *out = (fit_t){0};
  int status = t.x && t.y && t.r && t.p ? iterate_new(run, problem, &it) : fail_memory(run->error, "the fit");
  if (!status) status = descend(run, problem, it, &t, r, p, out);
  iterate_free(it);
  double *all[] = {t.x, t.y, t.r, t.p};
  for (int i = 0; i < 4; i++) mem_free(all[i]);
  return status;
}
