/* Where a fit begins: eigenvectors know nothing of positions, and little where weights are far apart. */
#include "base/memory.h"
#include "poses/afford.h"
#include "poses/likelihood.h"
#include "poses/relax.h"

#include <string.h>

/* A second, or two: eigenvectors are good starts on large graphs that have so many, such as grids of space.
 */
static const double most_operations = 3e9;

int likelihood_start(run_t *run, const likelihood_t *problem, bool reflections, double *r, double *p,
                     bool *exact) {
  int64_t turns = problem->part->n * problem->part->q * problem->part->q,
          moves = problem->shift ? problem->part->n * problem->part->q : 0;
  *exact = true;
  if (!afford_analysis(problem->part)) { /* the fit by iteration begins with its own positions */
    if (!moves) return LAVDM_OK;
    memset(p, 0, (size_t)moves * sizeof *p);
    return refine_rotations(run, problem->part, 1, r); /* a tenth of what it would cost with positions */
  }
  double *other_r = NEW(double, turns), *other_p = NEW(double, moves);
  int status = other_r && other_p ? LAVDM_OK : fail_memory(run->error, "the start");
  if (!status && moves) status = likelihood_place(run, problem, r, p, exact);
  double best = status ? 0 : likelihood_cost(run, problem, r, p);
  for (int joint = 0; joint <= (moves > 0) && !status; joint++) {
    bool found = false, placed = true;
    status = relax_poses(run, problem, joint, reflections, most_operations, other_r, &found);
    if (!status && found && moves) status = likelihood_place(run, problem, other_r, other_p, &placed);
    double cost = status || !found ? 0 : likelihood_cost(run, problem, other_r, other_p);
    if (status || !found || !(cost < best)) continue;
    best = cost;
    *exact = placed;
    memcpy(r, other_r, (size_t)turns * sizeof *r);
    if (moves) memcpy(p, other_p, (size_t)moves * sizeof *p);
  }
  mem_free(other_r);
  mem_free(other_p);
  return status;
}
