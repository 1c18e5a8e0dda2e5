/* The landmark designs, one file each; see landmarks.h for what they choose. */
#ifndef LAVDM_LANDMARKS_DESIGNS_H
#define LAVDM_LANDMARKS_DESIGNS_H

#include "landmarks/landmarks.h"

/* Streams of random numbers, so that no two uses share theirs. */
enum { STREAM_SUBSET = 101, STREAM_SAMPLE, STREAM_SEEDS };

/* Each fills out (m) with distinct stored indices, in any order. 1 <= m < n. */
int REAL(farthest_points)(run_t *run, const tiles_t *tiles, int64_t m, int64_t *out);
int REAL(kmeans_points)(run_t *run, const tiles_t *tiles, int64_t m, int64_t *out);

/*
 * k-means++: out (m) receives stored points, each drawn with probability in
 * proportion to its squared distance from those before. 1 <= m <= n.
 */
int REAL(kmeans_seeds)(run_t *run, const tiles_t *tiles, int64_t m, int64_t *out);

/* Moves m centres (m x p) to distinct stored points: out (m) receives for each
 * the nearest that no centre before took. Needs m <= n. */
int REAL(snap_centres)(run_t *run, const tiles_t *tiles, int64_t m, const real_t *centre, int64_t *out);

/* Squared distance of two points, summed in LANES parts if there are many coordinates. */
real_t REAL(distance2)(int64_t p, const real_t *a, const real_t *b);

#endif
