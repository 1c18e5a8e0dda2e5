#include "certify/descend.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 100, MOST_REFUSED = 25, MOST_SLOW = 5 };

/* A step is the last if it promises less than this of the cost, or of tr D; what rounding may make of a
 * difference of costs. */
static const double small_decrease = 1e-14, smallest_decrease = 1e-26, noise = 1e-13;
static const double slow_decrease = 1e-4; /* of the cost, in a step below the floor */
static const double hasty = 0.25;         /* the share of patience that slow steps have in any case */
/* e: the first, the least, the most; raised and lowered by these. */
static const double first_shift = 1e-6, least_shift = 1e-10, most_shift = 1e3, raise = 5, lower = 10;

void descent_free(descent_t *d) {
  double *all[] = {d->lambda, d->gradient, d->step, d->next, d->other};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
  tangent_free(&d->tangent);
  positions_free(&d->positions);
}

int descent_new(run_t *run, proof_t *proof, double bytes, double patience, descent_t *d) {
  const relaxation_t *t = proof->t;
  int64_t size = t->n * t->rows * (t->q + MOST_CLIMB);
  *d = (descent_t){.proof = proof,
                   .bytes = bytes,
                   .patience = patience,
                   .floor = -INFINITY,
                   .lambda = NEW(double, t->n * t->q * t->q),
                   .gradient = NEW(double, size),
                   .step = NEW(double, size),
                   .next = NEW(double, size),
                   .other = NEW(double, size)};
  if (!d->lambda || !d->gradient || !d->step || !d->next || !d->other)
    return fail_memory(run->error, "the staircase");
  return positions_new(run, t, bytes, &d->positions);
}

/* step = -T (H + e D)^-1 T' g for the first e from *e up that makes it positive; *left = -g step. */
static int find_step(run_t *run, descent_t *d, int64_t r, double *e, double *left) {
  const relaxation_t *t = d->proof->t;
  bool found = false;
  int status = LAVDM_OK;
  for (; !status && *e < most_shift; *e *= raise) {
    d->cut = !proof_affords(d->proof, tangent_work(t, &d->tangent));
    if (d->cut) break;
    status = tangent_factor(run, d->proof, &d->tangent, d->lambda, *e, &found);
    if (found) break;
  }
  *left = 0;
  if (status < 0 || !found) return status;
  status = tangent_solve(run, d->proof, &d->tangent, d->gradient, d->step);
  for (int64_t i = 0; i < t->n * t->rows * r; i++) d->step[i] = -d->step[i];
  *left = -relaxation_dot(t, r, d->gradient, d->step);
  return status;
}

/* By how much the model of second order falls, f being tr X' M X: left + e step' D step. */
static double promised(const descent_t *d, int64_t r, double e, double left) {
  const relaxation_t *t = d->proof->t;
  double sum = 0;
  for (int64_t i = 0; i < t->n * t->rows * r; i++)
    if (i / r % t->rows < t->q) sum += t->scale[i / r / t->rows] * d->step[i] * d->step[i];
  return left + e * sum;
}

/* Tries the step; *ratio: what it brought by what it promised. */
static int try_step(run_t *run, descent_t *d, int64_t r, double e, double left, double *x, double *f,
                    double *ratio) {
  const relaxation_t *t = d->proof->t;
  double slack = noise * *f;
  relaxation_move(run, t, r, x, d->step, 1, d->next);
  int status = positions_place(run, t, &d->positions, r, d->next, d->other);
  if (status < 0) return status;
  double now = relaxation_cost(run, t, r, d->next);
  *ratio = (*f - now + slack) / (promised(d, r, e, left) + slack);
  if (!(*ratio > 0.05) || now > *f + slack) {
    *ratio = 0;
    return LAVDM_OK;
  }
  memcpy(x, d->next, (size_t)(t->n * t->rows * r) * sizeof *x);
  *f = now;
  return LAVDM_OK;
}

/* gradient, multipliers and tangent spaces at x. */
static void look(run_t *run, descent_t *d, int64_t r, const double *x) {
  const relaxation_t *t = d->proof->t;
  relaxation_product(run, t, r, x, d->gradient);
  relaxation_multipliers(t, r, x, d->gradient, d->lambda);
  relaxation_project(run, t, r, x, d->gradient);
  tangent_at(run, t, &d->tangent, x);
}

/* Whether it does not pay to go on, for poses that this f has shown to be beyond proof. */
static bool hopeless(const descent_t *d, double f, int slow) {
  return f < d->floor && d->proof->spent > (slow < MOST_SLOW ? 1 : hasty) * d->patience;
}

/* Steps until nothing changes. */
static int go_down(run_t *run, descent_t *d, int64_t r, double *x, double *f) {
  double left = 0, e = first_shift, ratio = 1;
  int refused = 0, slow = 0, status = LAVDM_OK;
  for (int k = 0; k < MOST_STEPS && refused < MOST_REFUSED && !hopeless(d, *f, slow) && !status; k++) {
    double before = *f;
    if (ratio > 0) look(run, d, r, x);
    status = find_step(run, d, r, &e, &left);
    if (status < 0 || d->cut || e >= most_shift) break;
    d->converged = !(left > small_decrease * *f + smallest_decrease * d->proof->t->total);
    if (d->converged) break;
    status = try_step(run, d, r, e, left, x, f, &ratio);
    refused = ratio > 0 ? 0 : refused + 1;
    slow = before - *f > slow_decrease * *f ? 0 : slow + 1;
    if (ratio > 0.75)
      e = fmax(e / lower, least_shift);
    else if (!(ratio > 0.25))
      e *= raise;
    d->steps++;
    if (!status && run_stopped(run, k, MOST_STEPS)) status = run_status(run);
  }
  return status;
}

int descend(run_t *run, descent_t *d, int64_t r, double *x, double *f) {
  const relaxation_t *t = d->proof->t;
  d->converged = d->cut = false;
  tangent_free(&d->tangent);
  d->cut = !proof_affords(d->proof, tangent_fill_work(t, r));
  if (d->cut) return LAVDM_OK;
  int status = tangent_new(run, t, r, d->bytes, &d->tangent);
  if (!status) status = positions_place(run, t, &d->positions, r, x, d->other);
  if (status < 0) return status;
  *f = relaxation_cost(run, t, r, x);
  d->converged = d->tangent.size == 0;
  return d->tangent.factor ? go_down(run, d, r, x, f) : LAVDM_OK;
}
