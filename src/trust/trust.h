/*
 * How far the result of a run can be believed. Two disjoint samples of the points are fitted
 * with what the run chose, and one of them once more with a wider kernel:
 *     groups of eigenvalues   -> spread and bias of their rates, an interval for each
 *     eigenspaces             -> angles between those of the two samples
 *     neighbours of a sample  -> trustworthiness and continuity of the embedding
 *     paths through a sample  -> edges that are short cuts
 * What is found goes to arrays of the model (model/trust.c), and what a user should know to the
 * warnings of the run. The result itself stays as it is, to the bit.
 */
#ifndef LAVDM_TRUST_TRUST_H
#define LAVDM_TRUST_TRUST_H

#include "model/model.h"

/* A fit of some of the points; frames (n x p x d reals of the run) are theirs, or NULL, and so are weights.
 */
typedef int (*trust_fit)(const lavdm_data *data, const lavdm_options *options, const void *frames,
                         const double *weights, lavdm_model **model, lavdm_error *error);

/* After the fit, with the data that it saw. Does nothing where there is nothing to be said: images, signals,
 * edges of the user's own, several ranks, fewer than TRUST_LEAST points. */
int trust_run(run_t *run, const lavdm_data *data, lavdm_model *model, trust_fit fit);

enum { TRUST_LEAST = 200 };

#endif
