/* The connection graph that the user gives as a list of edges. */
#ifndef LAVDM_GRAPH_GIVEN_H
#define LAVDM_GRAPH_GIVEN_H

#include "base/options.h"
#include "graph/bsr.h"

typedef struct {
  bsr_t graph;
  int64_t *row_node; /* rows: the user's number of each row */
  int64_t *col_node; /* cols; NULL if the graph is square */
  char *far;         /* rows: whether no landmark is joined to it (given_through); or NULL */
} given_t;

/* Whether both ends of the edges are nodes, by the options as the user gave them. */
static inline bool given_is_square(const lavdm_data *data, const lavdm_options *o) {
  if (!has_landmarks(o)) return true;
  if (data->edges->ends != LAVDM_ENDS_AUTO) return data->edges->ends == LAVDM_ENDS_NODES;
  return o->landmarks != LAVDM_AUTO || o->design != LAVDM_DESIGN_KMEANS || data->landmark_index;
}

/*
 * Checks the edges and stores them as described at lavdm_edges, and says what was found (a reason, "graph").
 * `points`: how many points the row numbers refer to, or -1 if the nodes are those that occur.
 */
int given_build(run_t *run, const lavdm_edges *edges, bool square, int64_t points, given_t *out);

/* The same for edges from new nodes to the m references whose numbers are `node`, ascending. Edges to others
 * are left out. */
int given_join(run_t *run, const lavdm_edges *edges, int64_t points, const int64_t *node, int64_t m,
               given_t *out);

/*
 * Of a square graph, the edges to the m rows `index` (ascending), which become its references:
 *     S_ik = W_ik O_ik, k among the landmarks.
 * A landmark that is not joined to itself is, as heavily as to its heaviest neighbour. A row that is joined
 * to no landmark is `far`: it has the mean of its neighbours, S_i = sum_j W_ij O_ij S_j / sum_j W_ij over
 * those j that are joined, and so on outwards.
 */
int given_through(run_t *run, given_t *given, const int64_t *index, int64_t m);

/* How many different numbers `col` has; negative: no memory. */
int64_t given_columns(run_t *run, const lavdm_edges *edges);

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
