/* Principal directions of a few weighted vectors, several places at a time. */
#ifndef LAVDM_FRAMES_PCA_H
#define LAVDM_FRAMES_PCA_H

#include "base/real.h"

enum { PCA_LANES = LANES }; /* places handled at once, one SIMD lane each */

typedef struct pca_work pca_work;

/* Scratch for places in R^p with up to k neighbours; NULL if out of memory. */
pca_work *pca_work_new(int64_t p, int64_t k);
void pca_work_free(pca_work *work); /* accepts NULL */

/* How many principal values exist at most: min(p, k). */
int64_t pca_rank(const pca_work *work);

/*
 * For each of `lanes` places: neighbours x + index[lane*k + j]*p around
 * centre[lane*p ...], squared distances d2, in any order. Row `lane` of values
 * (lanes x rank) receives the d leading principal values, descending; basis
 * (lanes x d x p) their directions, orthonormal even where the values vanish.
 */
void pca_local(pca_work *work, int64_t lanes, const real_t *x, const int64_t *index, const real_t *d2,
               const real_t *centre, int64_t d, real_t *values, real_t *basis);

#endif
