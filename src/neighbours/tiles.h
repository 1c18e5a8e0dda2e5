/*
 * Points in tile order, the layout that every later stage works in.
 *
 * A kd-tree over the points (median splits of the widest side of the box; of the
 * coordinates of largest variance in turn, if there are more than a hundred)
 * whose leaves are the tiles: points of a tile are stored next to each other
 * and lie close together in space, so a stage gathers what a tile needs once
 * and then works on small dense arrays.
 */
#ifndef LAVDM_NEIGHBOURS_TILES_H
#define LAVDM_NEIGHBOURS_TILES_H

#include "neighbours/metric.h"

/* Points per tile at most: 64 measured best, 32 to 128 do nearly as well. */
enum { TILE_POINTS = 64 };

typedef struct {
  int64_t n, p;
  metric_t metric; /* that searches go by; Euclidean unless it is set after tiles_build */
  real_t *x;       /* n x p, row-major, in tile order */
  int64_t *order;  /* order[k]: where the k-th stored point stands in the data */

  /* The tree: node v has children 2v+1 and 2v+2; the last level are tiles. */
  int levels; /* of splits; tiles = 2^levels */
  int64_t tiles;
  int64_t *first;        /* tiles + 1: tile t holds points first[t] .. first[t+1]-1 */
  int64_t *side;         /* tiles - 1: the coordinate at which each node below the parts was divided */
  real_t *lower, *upper; /* (2 tiles - 1) x p: the box of each node; tile t is node tiles - 1 + t */
} tiles_t;

/*
 * Copies n x p points (of any type and strides, see lavdm_data) into tile
 * order, tiles of at most `leaf` points, whose sizes differ by one at most; of
 * many points by some percent, and leaf is passed by an eighth at most.
 * The order depends on the points alone, not on how they were listed, except
 * among equal points, and not on the threads; points next to each other inside
 * a tile are close as well. `centre` (p, or NULL) is taken away from every point,
 * so that single precision loses nothing to an offset. Assumes finite values and n >= 1. With leaf = 1
 * tiles may be empty, their boxes then being (inf, -inf).
 */
int REAL(tiles_build)(run_t *run, const lavdm_data *data, const double *centre, int64_t leaf, tiles_t *out);

/* The same from one part (parts.h): sizes differ by one, however many the points. */
int REAL(tiles_whole)(run_t *run, const lavdm_data *data, int64_t leaf, tiles_t *out);

/* Bytes of a point in tile order. */
static inline double tiles_row_bytes(int64_t p) {
  return (double)p * sizeof(real_t) + 8;
}

/* Accepts a half-built or zeroed struct. */
void REAL(tiles_free)(tiles_t *tiles);

/* Squared distance between two boxes, or a box and a point (lower == upper). */
real_t REAL(box_distance2)(int64_t p, const real_t *lower_a, const real_t *upper_a, const real_t *lower_b,
                           const real_t *upper_b);

#endif
