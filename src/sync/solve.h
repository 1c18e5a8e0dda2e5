/* Synchronisation of one connected component. */
#ifndef LAVDM_SYNC_SOLVE_H
#define LAVDM_SYNC_SOLVE_H

#include "sync/sync.h"

/* Finds r (n x q x q) and trust (m); `values` (count) and the rest of `out`. part->weight is
 * given * trust afterwards. *flips: nodes that the vote changed. */
int solve_part(run_t *run, const group_t *group, const lavdm_sync_options *options, part_t *part,
               const double *given, double *trust, double *r, double *values, int64_t count,
               lavdm_sync_component *out, int64_t *flips);

#endif
