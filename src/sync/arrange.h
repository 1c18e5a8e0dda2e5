/* The edges of a graph by connected component, each numbered from 0. */
#ifndef LAVDM_SYNC_ARRANGE_H
#define LAVDM_SYNC_ARRANGE_H

#include "graph/components.h"
#include "sync/sync.h"

typedef struct {
  int64_t n, m, q; /* nodes; edges between two of them */
  int64_t *node;   /* n: their numbers, ascending */
  components_t components;
  int64_t *node_first, *edge_first; /* components + 1 */
  int64_t *node_at;                 /* places in `node`, by component and then ascending */
  int64_t *edge_at;                 /* m: the user's edge, by component, then by its two nodes */
  int32_t *row, *col;               /* m: numbers within the component */
  double *o, *weight;               /* m x q x q, m */
} arranged_t;

/* Of edges that given_check has passed, and of `more` nodes. */
int arrange_edges(run_t *run, const lavdm_edges *edges, const int64_t *more, int64_t count, arranged_t *out);
void arranged_free(arranged_t *arranged); /* accepts a half-built one */

#endif
