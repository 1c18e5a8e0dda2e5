/* The best positions for the rotations of a point of the relaxation, by a factor of the graph's Laplacian. */
#ifndef LAVDM_CERTIFY_POSITIONS_H
#define LAVDM_CERTIFY_POSITIONS_H

#include "certify/relaxation.h"

typedef struct {
  triangle_t matrix; /* the rows of positions in M; n = 0 without */
  factor_t *factor;  /* NULL: there is none, and positions are left as they are */
  double *side;      /* n x (q + MOST_CLIMB) */
} positions_t;

int positions_new(run_t *run, const relaxation_t *t, double bytes, positions_t *out);
void positions_free(positions_t *p);

/* x (rank r) gets them; work: n x rows x r. */
int positions_place(run_t *run, const relaxation_t *t, positions_t *p, int64_t r, double *x, double *work);

#endif
