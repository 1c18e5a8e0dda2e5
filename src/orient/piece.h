/* One set of points: its fits, what they measure, and the verdict. */
#ifndef LAVDM_ORIENT_PIECE_H
#define LAVDM_ORIENT_PIECE_H

#include "lavdm.h"

typedef struct {
  lavdm_orientation found;
  double odds;     /* log-odds of "orientable" */
  double *leading; /* n: the top eigenvector with mean square 1 over the points that are not isolated */
  lavdm_model *model;
} piece_t;

/* Fits the orientation bundle and its trivial twin, and measures them. `leading` is the caller's. */
int piece_fit(const lavdm_data *data, const lavdm_options *options, piece_t *piece, lavdm_error *error);

/* The verdict on what was fitted; where the fit sees something else, another that agrees is looked for. */
int piece_judge(const lavdm_data *data, const lavdm_options *options, piece_t *piece, lavdm_error *error);

#endif
