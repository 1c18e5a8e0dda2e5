/* A model applied to new points. */
#ifndef LAVDM_EXTEND_EXTEND_H
#define LAVDM_EXTEND_EXTEND_H

#include "model/model.h"
#include "reduce/reduce.h"

/*
 * Fills `out` with eigenvectors, degrees and frames of the points of `data`, which
 * were checked. Frames are estimated from `reference`, or, if it is NULL, from the
 * points of the model. Both are in the coordinates of the data, which `reduce`, if
 * not NULL, takes to those of the model.
 */
int extend_run(run_t *run, const lavdm_model *model, const lavdm_data *data, const lavdm_data *reference,
               const reduce_t *reduce, lavdm_model *out);

#endif
