/* Positions for elements that are known, again and again. */
#ifndef LAVDM_POSES_PLACE_H
#define LAVDM_POSES_PLACE_H

#include "poses/likelihood.h"

typedef struct placer placer_t;

/* For the weights as they are now. Half-built on a negative status: to be freed. */
int placer_new(run_t *run, const likelihood_t *problem, placer_t **out);
void placer_free(placer_t *placer); /* accepts NULL */

/* Whether it has a factor, so that a round is cheap and nearly exact. */
bool placer_factored(const placer_t *placer);

/* p goes to the best positions for r, from where it is, in so many rounds at most. *exact: no further round
 * would change anything. */
int placer_find(run_t *run, placer_t *placer, int rounds, const double *r, double *p, bool *exact);

#endif
