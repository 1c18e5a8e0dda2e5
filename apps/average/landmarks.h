/* Landmarks that are averages of images. */
#ifndef LAVDM_AVERAGE_LANDMARKS_H
#define LAVDM_AVERAGE_LANDMARKS_H

#include "average/nearest.h"

/* `count` of 0 .. n-1, ascending, drawn from the seed. */
int average_draw(int64_t n, int64_t count, uint64_t seed, int64_t *out, lavdm_error *error);

/*
 * Averages each of the images `drawn` with its members, and joins every image to the
 * joined->k nearest of these: joined->index are n + the number of the landmark.
 */
int landmarks_join(const lavdm_data *images, const lavdm_stack *stack, const int64_t *drawn,
                   const nearest_t *members, const lavdm_options *how, nearest_t *joined, lavdm_error *error);

#endif
