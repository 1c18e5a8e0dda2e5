/*
 * The connection graph between points and landmarks, handed out tile by tile
 * and not stored: transports, and weights between points of few coordinates
 * (kept.h), are cheaper to make again in each pass than to read back from memory.
 *
 * A tile is a run of points (rows) with the landmarks (cols) that any of them
 * reaches, as small dense arrays:
 *     w[i,c]  weight of row first+i and landmark cols[c], 0 where no edge
 *     s       (rows q) x (count q), block (i,c) = w O; the same array as w when
 *             the bundle is trivial
 */
#ifndef LAVDM_GRAPH_GRAPH_H
#define LAVDM_GRAPH_GRAPH_H

#include "graph/bsr.h"
#include "graph/kept.h"
#include "graph/kernel.h"
#include "graph/rule.h"
#include "source/source.h"

typedef struct {
  int64_t first, rows, count;
  const int64_t *cols; /* ascending */
  const real_t *w;
  const real_t *s;   /* only if elements were asked for */
  int64_t far;       /* rows beyond the cut-off of every landmark, joined to the nearest */
  const char *alone; /* rows: whether a row is beyond the cut-off; NULL if none is, or the tile was kept */
  int64_t ill;       /* ill alignments among the elements */
} graph_tile;

typedef struct graph_work graph_work; /* scratch of one thread, owns the tile's arrays */
typedef struct graph graph_t;

struct graph {
  int64_t n, m, q;
  int64_t tiles;
  const int64_t *first; /* tiles + 1 */
  int (*tile)(const graph_t *graph, int64_t t, bool elements, graph_work *work, graph_tile *out);

  /* points joined to landmarks by distance */
  const tiles_t *points, *landmarks;
  source_t source;
  kernel_t kernel;
  const rule_t *rule;    /* or NULL: all within the kernel's radius */
  kept_t *kept;          /* or NULL. A tile is made by one thread at a time. */
  const widths_t *local; /* or NULL. Distances are then in units of sqrt(rho_i rho_k), for the radius too. */
  bool hollow;           /* a landmark that a point coincides with, one of them, is not joined to it */

  /* or stored edges: a tile is one row of them */
  const bsr_t *given;
  const char *alone; /* n: rows beyond the cut-off, joined to the nearest; or NULL */
};

/* How many nearest landmarks a far point keeps. */
enum { FAR_LANDMARKS = 4 };

graph_t REAL(graph_by_distance)(const tiles_t *points, const tiles_t *landmarks, source_t source,
                                kernel_t kernel);

/* `first` are the numbers 0 .. rows. */
graph_t REAL(graph_of_edges)(const bsr_t *edges, const int64_t *first);

graph_work **REAL(graph_work_new)(int threads); /* one per thread, or NULL */
void REAL(graph_work_free)(graph_work **work, int threads);

#endif
