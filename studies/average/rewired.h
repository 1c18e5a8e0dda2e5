/*
 * Random rotations, each joined to those of the nearest viewing directions with the true turn
 * between them; then every edge i < j is kept with probability p, and otherwise j is replaced by a
 * random node, and the turn by a random one.
 */
#ifndef LAVDM_BENCH_REWIRED_H
#define LAVDM_BENCH_REWIRED_H

#include "lavdm.h"

typedef struct {
  int64_t n, count;
  double *rotations; /* n x 3 x 3 */
  int64_t *row, *col;
  double *angle;  /* count: a vector at col is turned by it at row */
  double *weight; /* count: ones at first */
} rewired_graph;

/* An edge joins i and j if one is among the k nearest of the other. 0: no memory. */
int rewired_new(int64_t n, int64_t k, double keep, uint64_t seed, rewired_graph *out);
void rewired_free(rewired_graph *graph);

/* The share of index (n x width; its first `first` columns) whose viewing directions are within
 * `degrees` of that of their row. */
double rewired_share(const rewired_graph *graph, const int64_t *index, int64_t width, int64_t first,
                     double degrees);

/*
 * Edges from all nodes to m of them (drawn from the seed) along paths of up to `steps` edges: the
 * columns of these nodes in T_steps((N - c)/h), N = D^-1/2 S D^-1/2, S the connection, D its
 * degrees, T the Chebyshev polynomial, at most 1 between c - h = -1.02 edge and c + h = 0.95 edge
 * and growing fast beyond. A random graph's spectrum ends at edge = 2 sqrt(mean sum of
 * squared weights of a node) / mean degree. Entry (i,k) becomes an edge, its size the
 * weight and its phase the turn. row, col, weight, angle: n*m each, owned by the caller;
 * landmarks: m. 0: no memory.
 */
int rewired_diffuse(const rewired_graph *graph, int64_t m, int steps, uint64_t seed, int64_t *landmarks,
                    int64_t *row, int64_t *col, double *weight, double *angle);

#endif
