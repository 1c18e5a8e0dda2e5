/* Synchronisation of one connected component. */
#ifndef LAVDM_SOLVE_SOLVE_H
#define LAVDM_SOLVE_SOLVE_H

#include "certify/certify.h"
#include "robust/robust.h"
#include "sync/sync.h"

/* What is given of a component besides its part, and what is found. */
typedef struct {
  const double *weight;               /* m: kappa as given; part->weight is that times trust, afterwards */
  const double *shift, *shift_weight; /* m x q, and m: tau as given; or both NULL */
  double *trust;                      /* m: ones, and then what the robust ways make of them */
  double *tau;                        /* m: shift_weight times trust; or NULL */
  double *r, *p;                      /* n x q x q, n x q; p is NULL without shifts */
  double *values;                     /* count */
  int64_t count;
  int64_t *flips;              /* nodes that votes changed are added */
  lavdm_sync_component *shown; /* gap, steps and all that concerns the likelihood */
  char *verdict;               /* VERDICT_SIZE, which shown->verdict points to */
  robust_choice choice;        /* what was done against wrong edges */
} solve_t;

/* What is proved of all components together. */
enum { SOLVE_VERDICT_SIZE = 2 * VERDICT_SIZE };
void solve_verdict(const lavdm_sync_component *part, int64_t count, char *verdict);

int solve_part(run_t *run, const group_t *group, const lavdm_sync_options *options, part_t *part,
               solve_t *to);

#endif
