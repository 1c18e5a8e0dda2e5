/* Copies of points: a fit of places (reduce/places.h), and its results at all points. */
#ifndef LAVDM_FIT_COPIES_H
#define LAVDM_FIT_COPIES_H

#include "model/model.h"
#include "reduce/places.h"

typedef struct {
  places_t places; /* zeroed: there are no copies, or they stay */
  double *points;
  int64_t *landmark_index;
} copies_t;

/*
 * Looks for copies among the points, as the user has them. They stay as they are in streamed runs and
 * where rows are shared; in images, signals and given edges; where the graph is balanced, since nothing is
 * joined to itself there; and where the operator itself is asked for (`blocks`).
 */
int copies_find(run_t *run, const lavdm_data *data, bool blocks, copies_t *out);

/* The data becomes one row for each place, with run->weights and run->rows. */
int copies_gather(run_t *run, lavdm_data *data, copies_t *copies);

/* The model of the places becomes that of the points. */
int copies_spread(run_t *run, const copies_t *copies, lavdm_model *model);

void copies_free(copies_t *copies); /* accepts a zeroed one */

#endif
