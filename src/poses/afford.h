/* Whether a Cholesky factor of the graph's matrix is worth its time and bytes; iterations are the other way.
 */
#ifndef LAVDM_POSES_AFFORD_H
#define LAVDM_POSES_AFFORD_H

#include "sync/sync.h"

static const double afford_operations = 2e10;

/* Whether to ask for the order of elimination: dense random graphs fill up, and it takes long to see; so do
 * large ones that are more than long chains with some loops. */
bool afford_analysis(const part_t *part);

double afford_bytes(void);

#endif
