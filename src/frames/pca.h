/* Local PCA of a batch of places that lie close together. */
#ifndef LAVDM_FRAMES_PCA_H
#define LAVDM_FRAMES_PCA_H

#include "frames/frames.h"
#include "neighbours/neighbours.h"

typedef struct pca_work pca_work;

/* Scratch of one thread, for batches of up to `batch` places; NULL if out of memory. */
pca_work *REAL(pca_work_new)(const tiles_t *points, hood_t hood, int64_t batch);
void REAL(pca_work_free)(pca_work *work); /* accepts NULL */

/*
 * basis (count x d x p) receives d orthonormal directions of the largest moments
 * at each place (row-major, count x p). Returns how many places have neighbours
 * that span fewer than d dimensions, or LAVDM_ERROR_MEMORY.
 */
int64_t REAL(pca_frames)(pca_work *work, const real_t *places, int64_t count, int64_t d, real_t *basis);

/* The principal values at one place, descending: values (p) receives them, and *rank
 * how many there are. */
int REAL(pca_values)(pca_work *work, const real_t *place, real_t *values, int64_t *rank);

#endif
