/*
 * The k-NN graph for points that are not in it: a point and a reference are
 * joined if the reference is among the k nearest of the point, or no further
 * from it than from the k-th nearest of its own.
 */
#ifndef LAVDM_GRAPH_RULE_H
#define LAVDM_GRAPH_RULE_H

#include "neighbours/tiles.h"

#include <stdbool.h>

typedef struct {
  int64_t k;             /* a reference finds itself, and is one of them */
  real_t *radius2;       /* m: squared distance to the k-th nearest reference */
  double usual;          /* no radius is larger, but for those of ... */
  int64_t *wide, wides;  /* ... these, ascending */
  const tiles_t *others; /* the references */
} rule_t;

/* reach2 (m): radius2, where it is known; or NULL. */
int REAL(rule_new)(run_t *run, const tiles_t *references, int64_t k, const double *reach2, rule_t *out);
void REAL(rule_free)(rule_t *rule); /* accepts a zeroed one */

/* Whether x may keep the reference c, at squared distance d2 to rounding; own2 is
 * that of the k-th nearest of x. */
bool REAL(rule_joins)(const rule_t *rule, const real_t *x, int64_t c, real_t d2, real_t own2);

#endif
