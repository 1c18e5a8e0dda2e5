/* Local PCA of points with few coordinates, LANES places at a time. */
#ifndef LAVDM_FRAMES_PCA_SMALL_H
#define LAVDM_FRAMES_PCA_SMALL_H

#include "base/real.h"

enum { PCA_SMALL = 12 }; /* coordinates, at most */

typedef struct pca_small pca_small;

pca_small *pca_small_new(int64_t p, int64_t k); /* NULL if out of memory */
void pca_small_free(pca_small *work);           /* accepts NULL */

/* As pca_local. */
void pca_small_local(pca_small *work, int64_t lanes, const real_t *x, const int64_t *index, const real_t *d2,
                     const real_t *centre, int64_t d, real_t *values, real_t *basis);

/* h(r) for the k neighbours of a place (frames.h); 1 where all of them coincide. */
void pca_taper(const real_t *d2, int64_t k, real_t *h);

#endif
