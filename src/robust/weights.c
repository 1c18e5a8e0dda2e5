#include "robust/robust.h"

#include "base/memory.h"

#include <math.h>

/* Rounds that find the eigenvectors again, and steps of refinement in each. */
enum { SPECTRAL_ROUNDS = 3, ROUND_STEPS = 1 };

static const double least_trust = 0.02; /* for eigenvectors */

int robust_spectrum(run_t *run, const robust_t *problem, leading_t *leading, double *r) {
  return spectral_elements(run, problem->group, problem->options, problem->part, false, leading->count,
                           leading, r);
}

int robust_weights(run_t *run, const robust_t *problem, int64_t rounds, leading_t *leading, double *r,
                   double *trust) {
  part_t *part = problem->part;
  double *scratch = NEW(double, part->m);
  int status = scratch ? LAVDM_OK : fail_memory(run->error, "the weights");
  for (int64_t round = 0; round < rounds && !status; round++) {
    trust_edges(run, part, r, problem->given, trust, scratch);
    /* a piece that next to nothing joins to the rest would have eigenvectors of its own */
    for (int64_t e = 0; e < part->m && round < SPECTRAL_ROUNDS; e++)
      part->weight[e] = problem->given[e] * fmax(trust[e], least_trust);
    if (round < SPECTRAL_ROUNDS) status = robust_spectrum(run, problem, leading, r);
    run_stage(run, "weights");
    if (!status) status = refine_rotations(run, part, ROUND_STEPS, r);
  }
  mem_free(scratch);
  return status;
}
