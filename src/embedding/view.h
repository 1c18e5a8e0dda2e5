/*
 * A model at one diffusion time t, over its first `rank` components: with
 * y_l[i] = max(lambda_l, 0)^t u_l[i],
 *
 *     embedding of i      <y_l[i], y_s[i]>, l <= s, times sqrt(2) if l < s;
 *                         by coordinates (q = 1) the numbers y_l[i] themselves
 *     distance of i, j    between their rows of the embedding
 *     alignment of i, j   the orthogonal matrix nearest to sum_l y_l[i] y_l[j]'
 *
 * The only place where these are computed: the same points give the same bits
 * whoever asks. A point whose fields are NaN has NaN for all three.
 */
#ifndef LAVDM_EMBEDDING_VIEW_H
#define LAVDM_EMBEDDING_VIEW_H

#include "model/model.h"

typedef struct {
  const lavdm_array *u;         /* n x q x r */
  int64_t n, q, r, rank, width; /* width = rank (rank + 1) / 2, or rank */
  bool coordinates;
  int threads;
  double *damping; /* rank: max(lambda_l, 0)^t */
} view_t;

/* Checks t, rank, that the model has fields, and that q = 1 where it must be. */
int view_new(const lavdm_model *model, double t, int64_t rank, bool coordinates, view_t *out,
             lavdm_error *error);
void view_free(view_t *view); /* accepts a zeroed one */

/* y (q x rank; room for q x r): the fields y_l[i]. */
void view_fields(const view_t *view, int64_t i, double *y);

/* out (width): the embedding of point i. space: q r. */
void view_row(const view_t *view, int64_t i, double *space, double *out);

/* The squared distance between two rows. */
double view_distance2(const view_t *view, const double *a, const double *b);

/* o (q x q): takes a vector at j to one at i. space: VIEW_ALIGN(view). */
void view_align(const view_t *view, int64_t i, int64_t j, double *space, double *o);
#define VIEW_ALIGN(view) (2 * (view)->q * (view)->r + 3 * (view)->q * (view)->q)

#endif
