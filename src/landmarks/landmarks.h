/* Landmark designs: which m of the points carry the heat. */
#ifndef LAVDM_LANDMARKS_LANDMARKS_H
#define LAVDM_LANDMARKS_LANDMARKS_H

#include "neighbours/tiles.h"

/*
 * Chooses m (1 <= m <= tiles->n) distinct stored points; out (m) receives
 * their stored indices in ascending order.
 *   random    a uniform random subset
 *   farthest  greedy farthest-point: each next is the farthest from those
 *             before; starts at the point nearest the mean
 *   kmeans    k-means++ start, Lloyd (on a random sample when n is large),
 *             each centre snapped to its nearest point not yet taken
 * Deterministic for run->options.seed, whatever the number of threads.
 */
int REAL(landmarks_choose)(run_t *run, const tiles_t *tiles, lavdm_design design, int64_t m, int64_t *out);

#endif
