/* Frames of new points by a model of frames=lowpass (lowpass/lowpass.h). */
#ifndef LAVDM_EXTEND_SMOOTH_H
#define LAVDM_EXTEND_SMOOTH_H

#include "lowpass/lowpass.h"

/* The function x^ of a model; an error names the array that it lacks. */
int smooth_field(const lavdm_model *model, lowpass_field *out, lavdm_error *error);

/* x^ at the points of the model as rows, or at those of `reference` (in the coordinates of the model, less
 * `centre`), if the model has them no more. */
int smooth_around(engine_t *engine, const lavdm_model *model, const lowpass_field *field,
                  const lavdm_data *reference, const double *centre, rows_t **out);

/* Frames at x^ of the points of `data` from their neighbours among `around`; they become those of `rows`. */
int smooth_frames(engine_t *engine, const lowpass_field *field, const lavdm_data *data, const double *centre,
                  const rows_t *around, double radius, rows_t *rows, int64_t *degenerate);

#endif
