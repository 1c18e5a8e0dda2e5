#include "certify/certify.h"

#include "base/memory.h"
#include "certify/staircase.h"
#include "poses/afford.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Operations of a factorisation a second; seconds that the order of elimination takes for each node and
 * edge; how near cost and bound are by the cost. */
static const double speed = 3e9, order_seconds = 2e-6, near = 1e-3;
static const double exact = 1e-12; /* what rounding leaves of an edge that fits, by its size */
/* Once the poses cannot be proved, so many seconds end the search, and that share of them if the last rank
 * brought less than this of the cost. */
static const double small_fall = 1e-4, patience = 10, hasty = 0.25;
static const double memory_share = 0.35; /* of what is available, for each of three factors */

static void say(certificate_t *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(certificate_t *out, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(out->verdict, sizeof out->verdict, format, list);
  va_end(list);
}

/* Whether every edge fits to rounding of what it is between: then nothing is better, whatever the weights. */
static bool edges_fit(const likelihood_t *problem, const double *r, const double *p) {
  const part_t *part = problem->part;
  int64_t q = part->q;
  for (int64_t e = 0; e < part->m; e++) {
    double turn, move, size = 0;
    likelihood_miss(problem, r, p, e, &turn, &move);
    for (int64_t a = 0; a < q && p; a++) {
      double s = problem->shift[e * q + a], i = p[part->row[e] * q + a], k = p[part->col[e] * q + a];
      size += s * s + i * i + k * k;
    }
    if (!(turn <= exact * exact * (double)q) || !(move <= exact * exact * size)) return false;
  }
  return true;
}

/* A bound above a cost that was reached, by more than it allows for rounding, is none. */
static bool refuted(const stairs_t *s, double cost) {
  return s->bound > cost + s->rounding;
}

/* Whether a bound is as near to the cost as a certificate asks. A sum of squares is never below 0. */
static bool proved(const stairs_t *s, const double *r, const double *p, double cost) {
  if (edges_fit(s->t->problem, r, p)) return true;
  return isfinite(cost) && cost - fmax(s->bound, 0) <= near * cost && !refuted(s, cost);
}

static void say_not(const stairs_t *s, double gap, certificate_t *out) {
  char where[80], why[80] = "the search for a lower cost or a higher bound ended";
  if (out->bound > 0)
    snprintf(where, sizeof where, "cost %.6g is %.1e above the bound, and", out->cost, gap);
  else
    snprintf(where, sizeof where, "cost %.6g, and no bound above 0 was found:", out->cost);
  if (s->short_of)
    snprintf(why, sizeof why, "a better bound, and maybe a lower cost, takes longer; ask for it (certify)");
  else if (s->rounding > gap / 2)
    snprintf(why, sizeof why, "most of that is what it allows for rounding");
  else if (s->solved)
    snprintf(why, sizeof why, "that is the best of bounds of this kind (rank %" PRId64 ")", s->rank);
  else if (s->loose)
    snprintf(why, sizeof why, "bounds of this kind cannot be above %.6g (rank %" PRId64 ")", s->f, s->rank);
  say(out, "not certified: %s %s", where, why);
}

/* What cost and bound come to. */
static void conclude(const stairs_t *s, const double *r, const double *p, certificate_t *out) {
  bool fit = edges_fit(s->t->problem, r, p), known = !isnan(s->bound) && !refuted(s, out->cost);
  out->bound = known || fit ? fmin(fmax(s->bound, 0), out->cost) : NAN;
  out->rank = s->rank, out->steps = s->descent.steps;
  out->certified = proved(s, r, p, out->cost);
  double gap = out->cost - out->bound;
  if (fit)
    say(out, "globally optimal: cost %.6g is 0 to rounding, and none is below 0", out->cost);
  else if (isnan(s->bound) && s->short_of)
    say(out, "not certified: its proof takes more time than the rest; ask for it (certify)");
  else if (!known && !isnan(s->bound))
    say(out, "not certified: rounding put the bound above cost %.6g, so that it is none", out->cost);
  else if (isnan(s->bound))
    say(out, "not certified: no bound was found, since the matrix of the proof cannot be factored");
  else if (!out->certified)
    say_not(s, gap, out);
  else
    say(out, "globally optimal: cost %.6g is within %.1e of the bound%s", out->cost, gap,
        s->rounding > gap / 2 ? ", to rounding" : "");
}

/* x of the relaxation as elements, if they cost less than those there are. */
static int replace(run_t *run, const group_t *group, stairs_t *s, double *r, double *p, certificate_t *out) {
  int64_t n = s->t->n, q = s->t->q;
  double *r2 = NEW(double, n *q *q), *p2 = NEW(double, n *q), cost = INFINITY;
  int status = r2 && p2 ? LAVDM_OK : fail_memory(run->error, "the staircase");
  if (!status) status = stairs_round(run, s, group, r2, p ? p2 : NULL, &cost);
  if (!status) cost = likelihood_cost(run, s->t->problem, r2, p2);
  if (!status && cost < out->cost) {
    memcpy(r, r2, (size_t)(n * q * q) * sizeof *r);
    if (p) memcpy(p, p2, (size_t)(n * q) * sizeof *p);
    out->cost = cost;
  }
  mem_free(r2);
  mem_free(p2);
  return status;
}

/* Up, rank by rank, until there is a proof or it is clear that there is none. */
static int climb(run_t *run, const group_t *group, stairs_t *s, double *r, double *p, certificate_t *out) {
  bool moved = true;
  int status = stairs_descend(run, s, -INFINITY);
  while (!status && !s->solved && moved && !s->short_of && !proved(s, r, p, out->cost)) {
    double floor = (1 - near) * out->cost;
    status = stairs_up(run, s, floor, &moved);
    if (status < 0 || s->solved || !(s->f < floor)) continue;
    status = replace(run, group, s, r, p, out);
    double share = s->fell < small_fall * s->f ? hasty : 1;
    s->loose = s->f < (1 - near) * out->cost;
    if (s->loose && s->proof->spent > share * s->descent.patience) break;
  }
  bool lower = s->rank > s->t->q || s->f < out->cost;
  if (!status && lower && !s->loose) status = replace(run, group, s, r, p, out);
  s->loose = s->f < (1 - near) * out->cost;
  return status ? status : stairs_tighten(run, s);
}

static int search(run_t *run, const group_t *group, proof_t *proof, double bytes, double *r, double *p,
                  certificate_t *out) {
  stairs_t s = {0};
  int status = stairs_new(run, proof, bytes, patience * speed, &s);
  if (!status) {
    relaxation_take(proof->t, r, p, s.x);
    s.f = out->cost;
    status = stairs_prove(run, &s);
  }
  if (!status && !proved(&s, r, p, out->cost)) status = climb(run, group, &s, r, p, out);
  if (!status) conclude(&s, r, p, out);
  stairs_free(&s);
  return status;
}

static int work(run_t *run, const group_t *group, const likelihood_t *problem, double most, double *r,
                double *p, certificate_t *out) {
  relaxation_t t = {0};
  proof_t proof = {0};
  double bytes = memory_share * (double)mem_available();
  int status = relaxation_new(run, problem, &t);
  if (!status) status = proof_new(run, &t, bytes, most * speed, &proof);
  if (!status && !proof.factor)
    say(out, "not certified: the factorisation that proves it would take more than %.1f GB", bytes / 1e9);
  else if (!status && !proof_affords(&proof, proof_work(proof.factor)))
    say(out, "not certified: its proof takes a factorisation of about %.1g s; ask for it (certify)",
        proof_work(proof.factor) / speed);
  else if (!status)
    status = search(run, group, &proof, bytes, r, p, out);
  proof_free(&proof);
  relaxation_free(&t);
  return status;
}

int certify_optimum(run_t *run, const group_t *group, const likelihood_t *problem, double most, double *r,
                    double *p, certificate_t *out) {
  const part_t *part = problem->part;
  *out = (certificate_t){.cost = NAN, .bound = NAN, .rank = part->q};
  if (group->group == LAVDM_GROUP_CYCLIC) {
    say(out, "not certified: no proof is known for cyclic groups");
    return LAVDM_OK;
  }
  out->cost = likelihood_cost(run, problem, r, p);
  double seconds = order_seconds * (double)(part->n + part->m);
  if (seconds > most || (isfinite(most) && !afford_analysis(part))) {
    say(out, "not certified: its proof takes more time than the rest; ask for it (certify)");
    return LAVDM_OK;
  }
  return work(run, group, problem, most, r, p, out);
}
