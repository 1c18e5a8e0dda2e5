/* Principal directions from second moments of few coordinates, LANES places at a time. */
#ifndef LAVDM_FRAMES_PCA_SMALL_H
#define LAVDM_FRAMES_PCA_SMALL_H

#include "base/real.h"

enum { PCA_SMALL = 12 }; /* coordinates, at most */

typedef struct pca_small pca_small;

pca_small *pca_small_new(int64_t p);  /* NULL if out of memory */
void pca_small_free(pca_small *work); /* accepts NULL */

/*
 * For `lanes` <= LANES places with moments (lanes x p(p+1)/2, neighbours.h), d <= p:
 * row `lane` of values (lanes x p) receives the d leading principal values,
 * descending, as shares of their sum; basis (lanes x d x p) their directions.
 */
void pca_small_solve(pca_small *work, int64_t lanes, const real_t *moments, int64_t d, real_t *values,
                     real_t *basis);

#endif
