/* The Riemannian staircase: from a critical point that is not the solution to one at a higher rank, and from
 * the solution back to elements of the group. */
#ifndef LAVDM_CERTIFY_STAIRCASE_H
#define LAVDM_CERTIFY_STAIRCASE_H

#include "certify/descend.h"

typedef struct {
  const relaxation_t *t;
  proof_t *proof;
  descent_t descent;
  int64_t rank;
  double *x, *other, *v; /* n x rows x (q + MOST_CLIMB); v: n x rows */
  double f, fell;        /* the cost of x; what the last rank brought */
  double bound;          /* the highest so far, NaN before there is one */
  double rounding;       /* what that bound allows for rounding */
  bool fresh;            /* the proof's factor is that of x */
  bool solved;           /* x is the solution of the relaxation */
  bool loose;            /* the relaxation is below what can be proved of the poses */
  bool short_of;         /* operations ran out */
} stairs_t;

/* bytes: of a factor; patience: operations for poses that cannot be proved. */
int stairs_new(run_t *run, proof_t *proof, double bytes, double patience, stairs_t *out);
void stairs_free(stairs_t *s);

/* The bound at x of rank q, whose cost is f, as it is. */
int stairs_prove(run_t *run, stairs_t *s);

/* Down at this rank, and the bound there. Costs below floor prove nothing of the poses that there are. */
int stairs_descend(run_t *run, stairs_t *s, double floor);

/* The same at the next rank, from x along the direction of least curvature. *moved: there was a way. */
int stairs_up(run_t *run, stairs_t *s, double floor, bool *moved);

/* A higher bound at x, if it is not the solution. */
int stairs_tighten(run_t *run, stairs_t *s);

/* r and p: elements near x, and best near there. cost: theirs. */
int stairs_round(run_t *run, stairs_t *s, const group_t *group, double *r, double *p, double *cost);

#endif
