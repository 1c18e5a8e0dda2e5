/*
 * Images and signals, in a fit and in an extension: what leads from their pixels to
 * the coefficients that distances are made of (steer/steer.h), a batch at a time.
 */
#ifndef LAVDM_STEER_OBJECTS_H
#define LAVDM_STEER_OBJECTS_H

#include "base/options.h"
#include "model/model.h"
#include "steer/steer.h"

typedef struct {
  int64_t height, width; /* height is 1 for signals */
  steer_basis *basis;
  steer_pca *pca;           /* or NULL: coefficients of the basis are compared */
  const steer_bands *bands; /* of those that are compared */
  double offset;            /* taken away from every pixel, which changes no distance but by rounding and
                               what the rim of the disk cuts off */
} objects_t;

/* A basis for height x width pixels; the bundle says of what kind. */
int REAL(objects_open)(run_t *run, int64_t height, int64_t width, objects_t *out);

/* Bytes that it takes; and those of pixels and raw coefficients while objects are expanded, or their
 * principal components taken from a sample. */
double REAL(objects_basis_bytes)(int64_t height, int64_t width);
double REAL(objects_batch_bytes)(int64_t n, int64_t p, bool sampled, int64_t limit);

void REAL(objects_free)(objects_t *objects); /* accepts a zeroed or half-built one */

/* Principal components, if noise or pca ask for them, from a sample of the data;
 * noise becomes what was used. And the offset. */
int REAL(objects_reduce)(run_t *run, const lavdm_data *data, objects_t *objects);

/* What the model keeps of both, and the objects as it has them. */
int REAL(objects_keep)(run_t *run, const objects_t *objects, lavdm_model *model);
int REAL(objects_restore)(run_t *run, const lavdm_model *model, objects_t *out);

/* Rows first .. first+count-1 of the data as plain pixels. */
int REAL(objects_pixels)(run_t *run, const objects_t *objects, const lavdm_data *data, int64_t first,
                         int64_t count, real_t *out);

/* The coefficients of all rows of the data. */
int REAL(objects_expand)(run_t *run, const objects_t *objects, const lavdm_data *data, steer_stack *out);

/* A stack of n objects without values, and one of count objects of another. */
int REAL(stack_new)(run_t *run, const steer_bands *bands, int64_t n, steer_stack *out);
int REAL(stack_take)(run_t *run, const steer_stack *from, const int64_t *index, int64_t count,
                     steer_stack *out);
void REAL(stack_norms)(run_t *run, steer_stack *stack);
void REAL(stack_free)(steer_stack *stack); /* accepts a zeroed one */

/*
 * Coordinates (n x p, plain) that no turn or reflection changes: |a| of the p
 * coefficients that are largest on the whole. Euclidean distance in them is at most
 * that of the objects.
 */
int REAL(stack_invariants)(run_t *run, const steer_stack *stack, real_t **out, int64_t *p);

#endif
