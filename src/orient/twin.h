/* The trivial twin of an orientation-bundle model: the same graph without its signs. */
#ifndef LAVDM_ORIENT_TWIN_H
#define LAVDM_ORIENT_TWIN_H

#include "lavdm.h"

/*
 * Fits the trivial bundle to the data of `model` with what it chose: the same
 * landmarks, bandwidth, graph and normalisation, but `components` eigenpairs (at
 * most as many as there are). Threads, memory and progress are those of `how`;
 * if NULL, the model's threads, the free memory, and no progress.
 */
int fit_twin(const lavdm_data *data, const lavdm_model *model, const lavdm_options *how, int64_t components,
             lavdm_model **twin, lavdm_error *error);

/* How many eigenpairs a model with q = 1 has at most: min(n, m). */
int64_t most_pairs(const lavdm_model *model);

#endif
