/* Local PCA of a batch of places that lie close together. */
#ifndef LAVDM_FRAMES_PCA_H
#define LAVDM_FRAMES_PCA_H

#include "frames/frames.h"
#include "neighbours/neighbours.h"

typedef struct pca_work pca_work;

/* Scratch of one thread, for batches of up to `batch` places; NULL if out of memory. */
pca_work *pca_work_new(const tiles_t *points, hood_t hood, int64_t batch);
void pca_work_free(pca_work *work); /* accepts NULL */

/* How many principal values a place has at most. */
int64_t pca_rank(const pca_work *work);

/*
 * Row i of values (count x rank) receives the d leading principal values at place
 * i (row-major, count x p), descending; basis (count x d x p) their directions,
 * orthonormal even where the values vanish. Returns 0 or LAVDM_ERROR_MEMORY.
 */
int pca_local(pca_work *work, const real_t *places, int64_t count, int64_t d, real_t *values, real_t *basis);

#endif
