#include "robust/robust.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { USUAL_ROUNDS = 10 };

/* Edges in triangles, of all: with fewer, their corruption is a guess. */
static const double least_cycled = 0.5;

lavdm_robust robust_asked(const lavdm_sync_options *options) {
  if (options->robust == LAVDM_ROBUST_NO && options->rounds > 0) return LAVDM_ROBUST_WEIGHTS;
  return options->robust;
}

int robust_cycles(run_t *run, const robust_t *problem, leading_t *leading, double *r, bool *used) {
  part_t *part = problem->part;
  triangles_t triangles = {0};
  double *corrupt = NEW(double, part->m);
  run_stage(run, "triangles");
  int status = corrupt ? LAVDM_OK : fail_memory(run->error, "the triangles");
  if (!status) status = triangles_find(run, part, triangles_most(part->m), &triangles);
  *used = !status && (double)(part->m - triangles.lone) >= least_cycled * (double)part->m;
  if (*used) status = cycles_corruption(run, part, &triangles, corrupt);
  triangles_free(&triangles);
  if (*used && !status) {
    cycles_weights(part, problem->given, corrupt);
    status = robust_spectrum(run, problem, leading, r);
  }
  mem_free(corrupt);
  return status;
}

int robust_by(run_t *run, const robust_t *problem, lavdm_robust way, leading_t *leading, double *r,
              double *trust, lavdm_robust *used) {
  bool cycled = false;
  int status = LAVDM_OK;
  if (way == LAVDM_ROBUST_CYCLES) status = robust_cycles(run, problem, leading, r, &cycled);
  if (way == LAVDM_ROBUST_CYCLES && !cycled) way = LAVDM_ROBUST_GRADUAL;
  *used = way;
  if (status || way == LAVDM_ROBUST_NO) return status;
  if (problem->part->q == 1) return robust_signs(run, problem, leading, r, trust);
  if (way == LAVDM_ROBUST_WEIGHTS) {
    int64_t rounds = problem->options->rounds;
    return robust_weights(run, problem, rounds > 0 ? rounds : USUAL_ROUNDS, leading, r, trust);
  }
  return robust_gradual(run, problem, leading, r, trust);
}

int robust_solve(run_t *run, const robust_t *problem, leading_t *leading, double *r, double *trust,
                 robust_choice *out) {
  lavdm_robust way = robust_asked(problem->options);
  *out = (robust_choice){.used = way};
  if (way == LAVDM_ROBUST_NO) return LAVDM_OK;
  if (way == LAVDM_ROBUST_AUTO) return robust_choose(run, problem, leading, r, trust, out);
  int status = robust_by(run, problem, way, leading, r, trust, &out->used);
  if (!status && out->used != way)
    snprintf(out->reason, sizeof out->reason, "too few edges are in triangles for cycles to tell");
  return status;
}
