/* The connection graph that the user gives as a list of edges. */
#ifndef LAVDM_GRAPH_GIVEN_H
#define LAVDM_GRAPH_GIVEN_H

#include "graph/bsr.h"

typedef struct {
  bsr_t graph;
  int64_t *row_node; /* rows: the user's number of each row */
  int64_t *col_node; /* cols; NULL if the graph is square */
} given_t;

/*
 * Checks the edges and stores them as described at lavdm_edges. `points`: how
 * many points the row numbers refer to, or -1 if the nodes are those that occur.
 */
int given_build(run_t *run, const lavdm_edges *edges, bool square, int64_t points, given_t *out);
void given_free(given_t *given); /* accepts a zeroed or half-built one */

enum { GIVEN_MOST_Q = 64 };

/* The size q of the elements. */
int64_t given_fibre(const lavdm_edges *edges);

/* o (q x q) = element e, snapped to the nearest orthogonal matrix. False if it
 * is not orthogonal to within 1e-6. */
bool given_element(const lavdm_edges *edges, int64_t e, int64_t q, double *o);

/* Every edge: numbers of nodes (rows below `points`, unless that is -1), weight, element. */
int given_check(run_t *run, const lavdm_edges *edges, int64_t points);

#endif
