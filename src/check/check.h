/* Data and options are validated once, here; the stages then trust them. */
#ifndef LAVDM_CHECK_CHECK_H
#define LAVDM_CHECK_CHECK_H

#include "base/run.h"

/* Settles the strides and the method's bundle and checks everything that can
 * be checked before work starts. */
int check_input(run_t *run, lavdm_data *data);

/* The same without a look at values or landmarks. */
int check_options(run_t *run, lavdm_data *data);

/* With edges: landmarks, and options that have no use. */
int check_given(run_t *run, const lavdm_data *data);

/* Every value must be finite, and small enough for the precision. */
int check_values(run_t *run, const lavdm_data *data);

/* Sparse points: what they go with, and their lists; and their values. */
int check_sparse(run_t *run, const lavdm_data *data);
int check_sparse_lists(run_t *run, const lavdm_sparse *sparse);
int check_sparse_values(run_t *run, const lavdm_sparse *sparse);
/* Whether the metric goes with the data and the other options; and whether distances can be used, `square`
 * ones as those of a fit, which settles knn and edges where they are lists. */
int check_metric(run_t *run, const lavdm_data *data);
int check_distances(run_t *run, const lavdm_distances *given, bool square);

/* Warns of points that are a matrix of distances. */
void check_for_distances(run_t *run, const lavdm_data *data);

/* Whether the points of a fit, whose values are such, are far enough apart for squares of their distances to
 * be numbers, unless all are equal. Every rank of a team calls it. */
int check_spread(run_t *run, const lavdm_data *data);

#endif
