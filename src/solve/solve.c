#include "solve/solve.h"

#include "base/memory.h"
#include "graph/given.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LAST_STEPS = 12 }; /* of refinement */

static const double least_trust = 1e-9;

static const int64_t small_work = 50000; /* numbers in the matrices of all edges */

/* Seconds of operations, by the clock about half as many, for a proof that was not asked for, and for one of
 * edges that are trusted in part. Pose graphs of 2,500 to 10,000 nodes need 0.02 to 0.5 as a rule. With noise
 * of 0.3 radians (3,500 nodes, the kind manhattan of docs/certify.md) 1.1 to 6.2, and the poses get better by
 * up to 0.8 % on the way; a lattice of 8,000 nodes in space needs 4.1. */
static const double proof_seconds = 4.5, robust_seconds = 0.5;

/* The problem as it stands: trust as it is now, but never none, for that would take nodes from the graph. */
static likelihood_t likelihood_of(const part_t *part, const solve_t *to) {
  for (int64_t e = 0; e < part->m; e++) {
    to->trust[e] = fmax(to->trust[e], least_trust);
    part->weight[e] = to->weight[e] * to->trust[e];
    if (to->tau) to->tau[e] = to->shift_weight[e] * to->trust[e];
  }
  return (likelihood_t){part, to->shift, to->tau};
}

/* Positions for the elements, and both to the greatest likelihood where the group is of rotations. */
static int solve_likelihood(run_t *run, const group_t *group, const likelihood_t *problem, bool fit,
                            solve_t *to, fit_t *out) {
  bool exact = true;
  int status = LAVDM_OK;
  run_stage(run, "positions");
  if (fit)
    status = likelihood_start(run, problem, group->group == LAVDM_GROUP_O, to->r, to->p, &exact);
  else if (problem->shift)
    status = likelihood_place(run, problem, to->r, to->p, &exact);
  *out = (fit_t){.converged = exact};
  run_stage(run, "refine");
  if (!status && fit) status = likelihood_fit(run, problem, to->r, to->p, out);
  if (!status && !fit) out->cost = likelihood_cost(run, problem, to->r, to->p);
  return status;
}

/* Turns and moves everything so that node 0 has the identity, at the origin. */
static void set_gauge(const group_t *group, const part_t *part, solve_t *to) {
  int64_t q = part->q;
  double first[GIVEN_MOST_Q], moved[GIVEN_MOST_Q];
  for (int64_t b = 0; b < q && to->p; b++) first[b] = to->p[b];
  for (int64_t i = 0; i < part->n && to->p; i++) {
    double *p = to->p + i * q;
    for (int64_t a = 0; a < q; a++) {
      moved[a] = 0;
      for (int64_t b = 0; b < q; b++) moved[a] += to->r[a * q + b] * (p[b] - first[b]);
    }
    memcpy(p, moved, (size_t)q * sizeof *p);
  }
  round_gauge(group, part->n, to->r);
}

static void tell_fit(const group_t *group, const fit_t *fit, bool fitted, solve_t *to) {
  lavdm_sync_component *shown = to->shown;
  bool cyclic = group->group == LAVDM_GROUP_CYCLIC;
  shown->cost = cyclic ? NAN : fit->cost, shown->bound = NAN;
  shown->rank = group->q;
  shown->iterations = fit->steps;
  shown->converged = fit->converged;
  const char *why = cyclic            ? "no proof is known for cyclic groups"
                    : !fitted         ? "these are rounded eigenvectors"
                    : !fit->converged ? "the fit did not converge"
                                      : "no proof was asked for";
  snprintf(to->verdict, VERDICT_SIZE, "not certified: %s", why);
  shown->verdict = to->verdict;
}

/* A proof that nothing is better, or something better; after tell_fit, whose words it replaces. */
static int solve_proof(run_t *run, const group_t *group, const lavdm_sync_options *options,
                       const likelihood_t *problem, solve_t *to) {
  certificate_t proof;
  lavdm_sync_component *shown = to->shown;
  bool asked = options->certify == LAVDM_CERTIFY_YES;
  if (options->certify == LAVDM_CERTIFY_NO || (!asked && !options->refine)) return LAVDM_OK;
  double most = asked ? INFINITY : to->choice.used == LAVDM_ROBUST_NO ? proof_seconds : robust_seconds;
  run_stage(run, "proof");
  int status = certify_optimum(run, group, problem, most, to->r, to->p, &proof);
  if (status == LAVDM_ERROR_NUMERICS && !asked) { /* what nobody asked for takes nothing away */
    snprintf(to->verdict, VERDICT_SIZE, "not certified: the eigenvalues of its proof did not converge");
    if (run->error) *run->error = (lavdm_error){0};
    return LAVDM_OK;
  }
  if (status < 0) return status;
  shown->cost = proof.cost, shown->bound = proof.bound, shown->rank = proof.rank;
  shown->iterations += proof.steps;
  shown->certified = proof.certified;
  shown->converged = shown->converged || proof.certified;
  bool trusted = proof.certified && to->choice.used != LAVDM_ROBUST_NO;
  snprintf(to->verdict, VERDICT_SIZE, "%.150s%s", proof.verdict,
           trusted ? ", for the edges as they are trusted" : "");
  return LAVDM_OK;
}

/* Weights are those of a median of 1, so that a common factor of them changes nothing. */
static int solve_robustly(run_t *run, const group_t *group, const lavdm_sync_options *options, part_t *part,
                          leading_t *leading, solve_t *to) {
  double *even = NEW(double, part->m);
  if (!even) return fail_memory(run->error, "the weights");
  memcpy(even, to->weight, (size_t)part->m * sizeof *even);
  double middle = residual_quantile(even, part->m, 0.5);
  for (int64_t e = 0; e < part->m; e++) part->weight[e] = even[e] = to->weight[e] / middle;
  const robust_t problem = {group, options, part, even};
  const robust_shifts shifts = {to->shift, to->shift_weight};
  int status = robust_solve(run, &problem, leading, to->r, to->trust, &to->choice);
  if (!status && to->shift) status = robust_positions(run, &problem, &shifts, to->r, to->p, to->trust);
  mem_free(even);
  return status;
}

static int solve_whole(run_t *run, const group_t *group, const lavdm_sync_options *options, part_t *part,
                       solve_t *to) {
  leading_t leading = {0};
  fit_t fit = {0};
  bool discrete = group->group == LAVDM_GROUP_Z2 || group->group == LAVDM_GROUP_CYCLIC;
  bool fitted = options->refine && !discrete;
  bool one = group->group == LAVDM_GROUP_SO && group->q == 1; /* it has the identity alone */
  bool robust = robust_asked(options) != LAVDM_ROBUST_NO && !one;
  int status = spectral_elements(run, group, options, part, fitted && !robust, to->count, &leading, to->r);
  for (int64_t l = 0; l < to->count; l++)
    to->values[l] = l < leading.count && !status ? leading.values[l] : NAN;
  to->shown->gap = leading.gap;
  to->shown->steps = leading.steps;
  if (!status && robust) status = solve_robustly(run, group, options, part, &leading, to);
  leading_free(&leading);
  run_stage(run, "refine");
  if (!status && options->refine && group->group == LAVDM_GROUP_CYCLIC)
    status = refine_rotations(run, part, LAST_STEPS, to->r);
  if (!status && group->group == LAVDM_GROUP_CYCLIC) round_cyclic(group, part->n, to->r);
  if (!status && options->refine && discrete)
    status = vote_elements(run, group, part, to->choice.used != LAVDM_ROBUST_NO, to->r, to->flips);
  likelihood_t problem = likelihood_of(part, to);
  if (!status) status = solve_likelihood(run, group, &problem, fitted, to, &fit);
  if (!status) tell_fit(group, &fit, fitted || (options->refine && discrete), to);
  if (!status) status = solve_proof(run, group, options, &problem, to);
  if (!status) set_gauge(group, part, to);
  return status;
}

/* Threads of small parts would wait for each other most of the time. */
int solve_part(run_t *run, const group_t *group, const lavdm_sync_options *options, part_t *part,
               solve_t *to) {
  int threads = run->threads;
  if (part->m * part->q * part->q < small_work) run->threads = 1;
  int status = solve_whole(run, group, options, part, to);
  run->threads = threads;
  return status;
}
