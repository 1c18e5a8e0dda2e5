/* What AUTO stands for. Each function replaces its AUTO in run->options. */
#ifndef LAVDM_PIPELINE_CHOOSE_H
#define LAVDM_PIPELINE_CHOOSE_H

#include "neighbours/tiles.h"

enum { BALL_POINTS = 5000 }; /* up to here dm and vdm use the ball graph */

/* knn: n/100 within 12..50, at least 2d+2 if d is given, at most n-1. */
void choose_neighbours(run_t *run, int64_t n);

/* knn once more, where many points are copies of each other: doubled until the
 * knn-th neighbour of a typical point is in another place, or is hopeless. */
int choose_past_copies(run_t *run, const tiles_t *points);

/* landmarks: 2 sqrt(n). */
void choose_landmarks(run_t *run, int64_t n);

/* dim, by local PCA; only if frames or beta need it. */
int choose_dimension(run_t *run, const tiles_t *points);

/* alpha and beta, from the method, the design and d. Landmarks that are all n
 * points have their density, whatever the design. */
void choose_normalisation(run_t *run, int64_t n);

/* The radius of local PCA: the median over a sample of points of the distance to
 * the knn-th neighbour. */
int choose_radius(run_t *run, const tiles_t *points, double *radius);

/*
 * epsilon: the median over a sample of points of the squared distance to the
 * knn-th neighbour; on the k-NN graph, where it only evens out the weights, what
 * 99 of 100 points are within. With landmarks it is at least so large that
 * sqrt(epsilon) reaches two landmarks from a typical point and one from nearly
 * every point, and, if d is not given and distances concentrate (many
 * dimensions), the squared distance of a typical point and landmark.
 */
int choose_bandwidth(run_t *run, const tiles_t *points, const tiles_t *landmarks);

/* edges and cutoff, for n points. */
void choose_edges(run_t *run, int64_t n);

/* components: 20 or `most`, whichever is less; an error if more were asked for. */
int choose_components(run_t *run, int64_t most);

#endif
