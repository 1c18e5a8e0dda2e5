/*
 * What the points tell of orientability: signs around cycles (parity.h) of planes at the best scale
 * (planes.h), looked at five times: at that scale, the one below and the one above, and in
 * either half of the points, where everything is chosen again. What is seen but now and then cannot be
 * told. From that log-odds are made, whose coefficients a regression found (studies/real/orient.py).
 */
#ifndef LAVDM_ORIENT_EVIDENCE_H
#define LAVDM_ORIENT_EVIDENCE_H

#include "lavdm.h"

typedef struct {
  double odd;         /* mean of the five looks: 0 if orientable, 1 if not */
  double spread;      /* the largest of them less the least */
  double frustrated;  /* share of triangles of neighbours whose signs disagree */
  double turn;        /* mean of 1 - |det| over neighbours: how far planes turn from one to the next */
  double gap, margin; /* of the planes, at the best scale */
  double growth;      /* the dimension by which numbers of neighbours grow with the radius */
  int64_t neighbours; /* of a plane, among all points */
  int64_t looked;     /* points that were looked at */
} evidence_t;

enum { EVIDENCE_LEAST = 20 }; /* points, and more than dimensions */

/*
 * As a set of d < p dimensions, p those of the points or of the principal coordinates of `model`, if it has
 * any; k > 0: planes of that many neighbours. Threads, seed and progress are those of `how`.
 */
int evidence_find(const lavdm_data *data, const lavdm_model *model, const lavdm_options *how, int64_t d,
                  int64_t k, evidence_t *out, lavdm_error *error);

/* Log-odds of "orientable". */
double evidence_odds(const evidence_t *e);

#endif
