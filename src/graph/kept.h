/*
 * Weights that are kept from the first pass over the tiles for those that
 * follow. A weight costs p operations to make and one number to read: with many
 * coordinates, and where tiles reach a good part of the landmarks anyway, it is
 * kept for every pair of a point and a landmark.
 */
#ifndef LAVDM_GRAPH_KEPT_H
#define LAVDM_GRAPH_KEPT_H

#include "neighbours/tiles.h"

typedef struct {
  int64_t m;
  real_t *w;     /* n x m; NULL if nothing is kept */
  int64_t *far;  /* far points of each tile, -1 before it is made */
  int64_t *cols; /* 0 .. m-1 */
  /* the landmarks relative to their mean, m x p, and their squared lengths */
  real_t *centre, *a, *norm;
} kept_t;

/* Is it worth the memory, for weights that vanish beyond `radius`? Negative: no memory to find out. */
int REAL(kept_pays)(const tiles_t *points, const tiles_t *landmarks, double radius);

double REAL(kept_bytes)(int64_t n, int64_t p, int64_t m);

/* The same before there are tiles, if a point is expected to reach `reach` of m landmarks. */
bool REAL(kept_expected)(int64_t p, int64_t m, double reach);

/* Room for all weights, none of them made. */
int REAL(kept_new)(run_t *run, const tiles_t *points, const tiles_t *landmarks, kept_t *out);

/* Accepts a half-built or zeroed struct. */
void REAL(kept_free)(kept_t *kept);

#endif
