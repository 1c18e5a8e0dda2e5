/* How much memory a run needs, told before it is asked for. */
#ifndef LAVDM_PIPELINE_MEMORY_H
#define LAVDM_PIPELINE_MEMORY_H

#include "base/run.h"

/* Bytes for n points in R^p with fibre q, frames of dimension d (0: none), m
 * references and `edges` stored pairs (0 with landmarks). */
int64_t memory_estimate(const run_t *run, int64_t n, int64_t p, int64_t q, int64_t d, int64_t m,
                        int64_t edges);

/* An error that says how much is needed, if it is more than is allowed. */
int memory_check(run_t *run, int64_t needed);

#endif
