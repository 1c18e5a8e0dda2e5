/* Edges sorted by the place where they go: rows, and columns within a row. */
#ifndef LAVDM_GRAPH_LINKS_H
#define LAVDM_GRAPH_LINKS_H

#include "graph/nodes.h"

/* An edge in its row: square graphs have row <= k, `back` if it was listed from k to the row. */
typedef struct {
  int64_t edge;
  int32_t k;
  int32_t back;
} link_t;

typedef struct {
  int64_t rows;
  int64_t *start; /* rows + 1 */
  link_t *link;   /* of a row by k, back and edge, ascending */
} links_t;

/* Every edge in its row; those whose column has no place are left out. `rows`, `cols`: places of the numbers
 * of both ends, cols NULL for a square graph. */
int links_sort(run_t *run, const lavdm_edges *edges, const nodes_t *rows, const nodes_t *cols, links_t *out);
void links_free(links_t *links); /* accepts a zeroed one */

/* The links of row i that share the place of link `from`: from .. the result - 1. */
static inline int64_t links_end(const links_t *links, int64_t i, int64_t from) {
  int64_t end = from + 1;
  while (end < links->start[i + 1] && links->link[end].k == links->link[from].k) end++;
  return end;
}

enum { MOST_SHARES = 8 };

/* bound (shares + 1): rows in as many parts, each with as many entries of `start` (rows + 1) as the others.
 * Returns how many: one for each thread, MOST_SHARES at most. Each is filled by one thread that looks at all
 * edges, so that entries keep the order of the edges. */
int links_shares(const run_t *run, const int64_t *start, int64_t rows, int64_t bound[MOST_SHARES + 1]);

#endif
