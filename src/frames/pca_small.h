/* Principal directions from second moments of few coordinates, LANES places at a time. */
#ifndef LAVDM_FRAMES_PCA_SMALL_H
#define LAVDM_FRAMES_PCA_SMALL_H

#include "base/real.h"

enum { PCA_SMALL = 12 }; /* coordinates, at most */

/* Principal values below this share of their sum are none. */
#define PCA_NOTHING ((real_t)1e-10 + 4 * REAL_EPSILON)

typedef struct pca_small pca_small;

pca_small *REAL(pca_small_new)(int64_t p);  /* NULL if out of memory */
void REAL(pca_small_free)(pca_small *work); /* accepts NULL */

/* For `lanes` <= LANES places with moments (lanes x p(p+1)/2, neighbours.h): basis
 * (lanes x d x p) receives d <= p orthonormal directions of the largest moments.
 * Returns at how many places fewer than d moments are there. */
int64_t REAL(pca_small_frames)(pca_small *work, int64_t lanes, const real_t *moments, int64_t d,
                               real_t *basis);

/* The principal values (p, descending) of one place, as shares of their sum. */
void REAL(pca_small_values)(pca_small *work, const real_t *moments, real_t *values);

#endif
