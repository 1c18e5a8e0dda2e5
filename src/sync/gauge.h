/* The preconditioner of eigenvectors where edges nearly agree. */
#ifndef LAVDM_SYNC_GAUGE_H
#define LAVDM_SYNC_GAUGE_H

#include "sync/plain.h"

typedef struct gauge gauge_t;

/* frame (n x q x q, which stays the caller's): rotations that the edges nearly carry into each other, times
 * the roots of the weights at nodes. For blocks of `columns` vectors, q times which is PLAIN_COLUMNS at most.
 */
int gauge_new(run_t *run, const part_t *part, const double *frame, int64_t columns, gauge_t **out);
void gauge_free(gauge_t *gauge); /* accepts NULL */

/* z = T r, T symmetric and positive. */
void gauge_apply(const run_t *run, gauge_t *gauge, panel_t r, panel_t z);

#endif
