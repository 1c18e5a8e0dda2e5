/*
 * Block Lanczos with full orthogonalisation for a symmetric B: an orthonormal
 * basis V that grows by one block at a time, the projection H = V' B V, and
 * the Ritz pairs H s = mu s, whose vectors V s approximate eigenvectors of B.
 *
 * One step:  block[0] holds Q, the last block of V
 *            the caller replaces it with B Q
 *            lanczos_absorb    H grows, block[0] becomes the residual block
 *            lanczos_ritz      if wanted
 *            lanczos_shrink    if V is full
 *            lanczos_append    the residual block, made orthonormal, joins V
 *
 * With a team each rank has rows of V and of the blocks. What is added up over rows, and the Ritz pairs, are
 * the same bits on all ranks.
 */
#ifndef LAVDM_SPECTRUM_LANCZOS_H
#define LAVDM_SPECTRUM_LANCZOS_H

#include "operator/operator.h"
#include "spectrum/panel.h"

#include <stdbool.h>

typedef struct {
  run_t *run;
  const team_t *team;    /* or NULL */
  int64_t total;         /* rows of V on all ranks */
  int lost;              /* the status of a team that failed where none could be returned */
  int64_t limit, widest; /* most columns of V, and of a block */
  int64_t width;         /* columns of the block at hand */
  panel_t basis;         /* V (N x size) in N x limit */
  double *block[3];      /* N x width, packed; the last two are spare */
  double *blocks;        /* where they are stored */
  int64_t ready;         /* columns of V that H knows */
  bool *frozen;          /* columns of V taken for exact: H does not couple them with others */
  double *h;             /* H (limit x limit) */
  double *tail;          /* R'R of the residual block R (width x width) */
  double *mu;            /* Ritz values, descending (ready) */
  double *ritz;          /* row j: the coefficients s of the j-th (ready x ready) */
  double *residual;      /* |B V s - mu V s| (ready) */
  double same;           /* Ritz values this close are taken for copies of one */

  double *inner, *turn, *gram, *scale, *scratch, *work;
  int *iwork;
  int64_t work_size, iwork_size;
} lanczos_t;

/* An empty basis for vectors of `op`; on failure it is still to be freed. */
int lanczos_new(lanczos_t *l, run_t *run, const operator_t *op, int64_t limit, int64_t widest);
void lanczos_free(lanczos_t *l);

/* Takes block[0] = B Q, for Q the last block of V. */
int lanczos_absorb(lanczos_t *l);

/*
 * The Ritz pairs of all that was absorbed. Among copies of one Ritz value the
 * vectors are those with the smallest residuals, ascending: rounding mixes
 * copies that have converged with others that have not.
 */
int lanczos_ritz(lanczos_t *l);

/*
 * The value above which about `count` eigenvalues of B lie, from the Ritz pairs
 * of a basis that grew from one random block and was never shrunk; `top` is an
 * estimate of the largest.
 */
double lanczos_quantile(const lanczos_t *l, double count, double top);

/* V becomes its leading `count` Ritz vectors, `frozen` as the caller has set
 * it for them; the residual block stays valid. */
void lanczos_shrink(lanczos_t *l, int64_t count);

/* All of V is frozen, and H = diag(values). */
void lanczos_freeze(lanczos_t *l, const double *values);

/* Makes block[0] orthonormal and orthogonal to V and adds it to V; `width`
 * becomes the number of independent columns, 0 if V is invariant under B. */
int lanczos_append(lanczos_t *l);

/* block[0] (N x widest) = `count` Ritz vectors from `first` on, times weights
 * (count x widest, row-major): a block to start again with. */
void lanczos_mix(lanczos_t *l, int64_t first, int64_t count, const double *weights);

/* x = the Ritz vectors first .. first+x.columns-1. */
void lanczos_vectors(lanczos_t *l, int64_t first, panel_t x);

#endif
