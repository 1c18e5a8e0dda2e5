/* All pairs of a stack's first objects and landmarks, as a fit compares them; compiled for both precisions.
 */
#ifndef LAVDM_BENCH_MATCH_RATE_H
#define LAVDM_BENCH_MATCH_RATE_H

#include "lavdm/images.h"

/* Seconds for n objects by the m landmarks that follow them, with all threads; -1: no memory. */
double double_match_seconds(const lavdm_stack *stack, int64_t n, int64_t m);
double single_match_seconds(const lavdm_stack *stack, int64_t n, int64_t m);

/* Angles of the grid that a correlation is first computed on. */
int64_t match_grid(const lavdm_stack *stack);

#endif
