#include "sync/solve.h"

#include "base/memory.h"

#include <math.h>

/* Steps of refinement: to the end, and between two rounds of re-weighting, the first of
 * which also find the eigenvectors again. */
enum { LAST_STEPS = 12, ROUND_STEPS = 1, SPECTRAL_ROUNDS = 3 };

static const double least_trust = 0.02;                    /* for eigenvectors */
static const double fine_share = 1e-3, rough_share = 1e-2; /* residuals by gap, without and with refinement */

/* Eigenvectors, rounded to rotations (O: orthogonal matrices). */
static int solve_spectrum(run_t *run, const group_t *group, const lavdm_sync_options *options,
                          const part_t *part, int64_t count, leading_t *leading, double *r) {
  run_stage(run, "eigenvectors");
  int status =
      leading_find(run, part, count, options->refine ? rough_share : fine_share, options->seed, leading);
  if (!status) status = round_vectors(run, group, part, leading, r);
  return status;
}

/* Rounds of re-weighting, each with the fit to the weights. */
static int solve_robustly(run_t *run, const group_t *group, const lavdm_sync_options *options, part_t *part,
                          const double *given, double *trust, leading_t *leading, double *r) {
  double *scratch = NEW(double, part->m);
  int status = scratch ? LAVDM_OK : fail_memory(run->error, "the weights");
  for (int64_t round = 0; round < options->rounds && !status; round++) {
    trust_edges(run, part, r, given, trust, scratch);
    /* a piece that next to nothing joins to the rest would have eigenvectors of its own */
    for (int64_t e = 0; e < part->m && round < SPECTRAL_ROUNDS; e++)
      part->weight[e] = given[e] * fmax(trust[e], least_trust);
    if (round < SPECTRAL_ROUNDS)
      status = solve_spectrum(run, group, options, part, leading->count, leading, r);
    run_stage(run, "weights");
    if (!status) status = refine_rotations(run, part, ROUND_STEPS, r);
  }
  mem_free(scratch);
  return status;
}

int solve_part(run_t *run, const group_t *group, const lavdm_sync_options *options, part_t *part,
               const double *given, double *trust, double *r, double *values, int64_t count,
               lavdm_sync_component *out, int64_t *flips) {
  leading_t leading = {0};
  bool discrete = group->group == LAVDM_GROUP_Z2 || group->group == LAVDM_GROUP_CYCLIC;
  bool robust = options->rounds > 0 && part->q > 1;
  int status = solve_spectrum(run, group, options, part, count, &leading, r);
  for (int64_t l = 0; l < count; l++) values[l] = l < leading.count && !status ? leading.values[l] : NAN;
  out->gap = leading.gap;
  out->steps = leading.steps;
  if (!status && robust) status = solve_robustly(run, group, options, part, given, trust, &leading, r);
  leading_free(&leading);
  run_stage(run, "refine");
  if (!status && options->refine && part->q > 1) status = refine_rotations(run, part, LAST_STEPS, r);
  if (!status && group->group == LAVDM_GROUP_CYCLIC) round_cyclic(group, part->n, r);
  if (!status && options->refine && discrete) status = vote_elements(run, group, part, robust, r, flips);
  if (!status) round_gauge(group, part->n, r);
  return status;
}
