/*
 * A source says which orthogonal matrix joins a point to a reference. One file
 * per source; each fills in a source_t.
 *
 * A new source needs the rule below and, if its distances are not Euclidean
 * distances between points, a graph_t of its own (graph/graph.h).
 */
#ifndef LAVDM_SOURCE_SOURCE_H
#define LAVDM_SOURCE_SOURCE_H

#include "frames/frames.h"

typedef struct source source_t;

struct source {
  int64_t q; /* the fibre */
  int64_t p, d;
  const real_t *point_frames;     /* n x d x p, or NULL */
  const real_t *reference_frames; /* m x d x p, or NULL */

  /*
   * s (rows q x count q, row-major) = w_ik O_ik for the points first ..
   * first+rows-1 and the references cols[0..count). w is rows x count; where
   * it is 0 so is the block. Returns how many alignments are ill, on edges that matter (polar.h).
   * NULL stands for O = 1, q = 1: then s is w itself.
   */
  int64_t (*elements)(const source_t *source, int64_t first, int64_t rows, const int64_t *cols, int64_t count,
                      const real_t *w, real_t *s, real_t *scratch);
  /* Doubles of scratch for such a call. */
  int64_t (*scratch)(const source_t *source, int64_t rows, int64_t count);
};

/* O = 1. */
source_t REAL(source_trivial)(void);

/* O_ik = the orthogonal matrix nearest to B_i' B_k; q = d. */
source_t REAL(source_tangent)(const frames_t *points, const frames_t *references);

/* O_ik = the sign of det(B_i' B_k); q = 1. */
source_t REAL(source_orientation)(const frames_t *points, const frames_t *references);

/* m (rows d x count d) = B_i' B_k for all pairs; gathered: count d p doubles. */
void REAL(frame_products)(const source_t *source, int64_t first, int64_t rows, const int64_t *cols,
                          int64_t count, real_t *m, real_t *gathered);

#endif
