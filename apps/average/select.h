/*
 * Neighbours by what the top eigenvectors of a connection agree on. With e_i (2 x r),
 * the rows of node i in the eigenvectors, weighted by lambda^t,
 *     P_ij = e_i e_j'  (2 x 2),
 *     a_ij = (P_00 + P_11) + i (P_10 - P_01),  b_ij = (P_00 - P_11) + i (P_10 + P_01):
 * P_ij = |a|/2 rotation by arg a + |b|/2 rotation by arg b times diag(1,-1). The affinity
 * of i and j is |a_ij| / sqrt(a_ii a_jj), 0 to 1, and the turn of j is arg a_ij; with
 * reflections, those of b_ij where |b_ij| is larger. It falls with vector diffusion
 * distance between the e_i of unit length.
 */
#ifndef LAVDM_AVERAGE_SELECT_H
#define LAVDM_AVERAGE_SELECT_H

#include "lavdm.h"

#include <stdbool.h>

typedef struct {
  int64_t n, q, r;
  int threads;
  float *value; /* n x 2 x r, of unit length for each node; 0 for a node without eigenvectors */
} select_space;

/* From the eigenvectors first .. first+rank-1 of a model with q = 2; or with q = 1, when the
 * second row is 0, the affinity the cosine, and that of an obtuse angle 0. */
int select_space_new(const lavdm_model *model, double t, int64_t first, int64_t rank, select_space *out,
                     lavdm_error *error);
void select_space_free(select_space *space); /* accepts a zeroed one */

/*
 * The k nodes of greatest affinity to each of `count` nodes (NULL: all), itself left out,
 * descending: index, affinity, angle and reflected (each count x k; the last NULL without
 * reflections). Where fewer are left: -1, NaN, NaN and 0.
 */
int select_nearest(const select_space *space, const int64_t *nodes, int64_t count, int64_t k,
                   const lavdm_options *how, int64_t *index, double *affinity, double *angle,
                   signed char *reflected, lavdm_error *error);

/* How far edges agree with the eigenvectors: out (count) = Re(a_ij conj O_ij) / sqrt(a_ii a_jj), -1 to
 * 1, of the edge that turns a vector at col by `angle` at row; with b_ij where it is reflected (NULL:
 * none is). NaN where col is -1. */
void select_agreement(const select_space *space, const int64_t *row, const int64_t *col, const double *angle,
                      const signed char *reflected, int64_t count, double *out);

#endif
