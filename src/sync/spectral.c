#include "sync/sync.h"

#include <math.h>

static const double fine_share = 1e-3, rough_share = 1e-2; /* residuals by gap, without and with refinement */

int spectral_elements(run_t *run, const group_t *group, const lavdm_sync_options *options, const part_t *part,
                      bool start, int64_t count, leading_t *leading, double *r) {
  double share = !options->refine ? fine_share : start ? INFINITY : rough_share;
  run_stage(run, "eigenvectors");
  int status = leading_find(run, part, count, share, options->seed, leading);
  if (!status) status = round_vectors(run, group, part, leading, r);
  return status;
}
