/*
 * Group synchronisation by eigenvectors, in the order of the work on one connected component:
 *
 *     part        its edges, by node                                graph.c
 *     matrix      D^-1/2 S D^-1/2, and a multigrid for 1 minus it   matrix.c, multigrid.c, coarsen.c
 *     plain       multigrid for the weights alone                   plain.c, plain_new.c
 *     leading     eigenvectors by preconditioned block iteration    leading.c, gauge.c
 *     round       blocks of them to elements of the group           round.c, spectral.c
 *     refine      best fit near those, rotations and discrete       refine.c, vote.c
 *     trust       weights that turn wrong edges down                trust.c
 *
 * Blocks of vectors are row-major: n nodes of q rows and c columns each.
 */
#ifndef LAVDM_SYNC_SYNC_H
#define LAVDM_SYNC_SYNC_H

#include "lavdm/sync.h"

#include "base/run.h"
#include "graph/bsr.h"
#include "spectrum/panel.h"

/* A connected component: edge e says R_row R_col' = O. Nodes are numbered from 0. */
typedef struct {
  int64_t n, m, q;
  const int32_t *row, *col; /* m */
  const double *o;          /* m x q x q, orthogonal */
  double *weight;           /* m, as used: re-weighting changes them */
  int64_t *start;           /* n + 1 */
  int64_t *link; /* 2 m: those of node i are 2 e where it is the row of edge e, 2 e + 1 where the col */
} part_t;

/* start and link from row and col. */
int part_links(run_t *run, part_t *part);
void part_free(part_t *part); /* start and link */

/* The other end of a link. */
static inline int64_t link_node(const part_t *part, int64_t link) {
  return link & 1 ? part->row[link / 2] : part->col[link / 2];
}

/* ------------------------------------------------------------ matrix.c */

/* L = C - B: blocks C on the diagonal (NULL: ones) and a stored symmetric B beside it. Products
 * and steps of Jacobi are with L - shift. */
typedef struct {
  bsr_t beside;
  double *diagonal, *inverse; /* n x q x q each */
  double *size;               /* n: constant vectors have this length at a node */
  double shift;
} laplacian_t;

/* 1 - D^-1/2 S D^-1/2 of the part, with size = sqrt(D), for these weights; `plain`: of the
 * weights alone, with q = 1. */
int laplacian_new(run_t *run, const part_t *part, bool plain, const double *weight, laplacian_t *out);
void laplacian_free(laplacian_t *matrix);

/* Y = (L - shift) X, or Y = (1 - L) X. */
typedef enum { WHOLE, COMPLEMENT } laplacian_side;
void laplacian_product(const run_t *run, const laplacian_t *matrix, laplacian_side side, panel_t x,
                       panel_t y);

/* inverse = (C - shift)^-1, where there is a C. */
void laplacian_invert(const run_t *run, laplacian_t *matrix);

/* Y = Y + factor (C - shift)^-1 (R - T), a step of block Jacobi; T may have no data: zero. */
void laplacian_relax(const run_t *run, const laplacian_t *matrix, double factor, panel_t r, panel_t t,
                     panel_t y);

/* --------------------------------------------- coarsen.c, multigrid.c */

/* Nodes in groups: a vector at i is that of its group, brought over: x_i = carry_i x_group. */
typedef struct {
  int64_t groups;
  int32_t *group; /* n */
  double *carry;  /* n x q x q */
} groups_t;

/* Groups around nodes, along heavy edges. With a `candidate` (n x q x q) they hold it: carry_i =
 * candidate_i C^-1, and `coarse` (n x q x q at most) gets the C of each group. Without, carry is
 * by the polar factors of blocks, so that groups hold what is constant along their edges. */
int groups_new(run_t *run, const laplacian_t *fine, const double *candidate, double *coarse, groups_t *out);
void groups_free(groups_t *groups);

/* The coarse matrix P' L P. Refused, with out->beside.rows = 0, if it is hardly smaller. */
int laplacian_coarse(run_t *run, const laplacian_t *fine, const groups_t *groups, laplacian_t *out);

typedef struct multigrid multigrid_t;

/* An approximate inverse of L - shift for blocks of up to `columns` vectors: symmetric, positive.
 * `fine` stays the caller's, but for its shift. It is best for vectors near
 * those of the candidate (n x q x q), if there is one. */
int multigrid_new(run_t *run, laplacian_t *fine, int64_t columns, const double *candidate, multigrid_t **out);
void multigrid_free(multigrid_t *grid); /* accepts NULL */
void multigrid_apply(const run_t *run, multigrid_t *grid, int level, panel_t r, panel_t z);

/* Levels from the finest, 0; their matrices; and vectors of level l + 1 as such of level l. */
int multigrid_levels(const multigrid_t *grid);
const laplacian_t *multigrid_matrix(const multigrid_t *grid, int level);
void multigrid_prolong(const run_t *run, const multigrid_t *grid, int level, panel_t coarse, panel_t fine);

/* From now on with this shift, which is below the spectrum of L. */
int multigrid_shift(run_t *run, multigrid_t *grid, double shift);

/* Solves L X = R column by column to a relative residual, by conjugate gradients;
 * R lies in the range of L and is destroyed. */
int multigrid_solve(run_t *run, const laplacian_t *matrix, multigrid_t *grid, panel_t r, panel_t x,
                    double tolerance);

/* ----------------------------------------------------------- leading.c */

/* The eigenvectors of a part: n x q x count, row-major, with values. */
typedef struct {
  int64_t count;
  double *values, *vectors; /* owned */
  int64_t steps;
  double gap;
} leading_t;

/* The leading `count` > q eigenpairs of D^-1/2 S D^-1/2 (fewer if there are no more), the first q
 * to residuals of `share` of the gap; INFINITY: until eigenvalues stand still on the scale of the gap, which
 * is right to a few per cent then, or NAN where that took too long. Vectors that are there already are where
 * it starts from. */
int leading_find(run_t *run, const part_t *part, int64_t count, double share, uint64_t seed, leading_t *out);
void leading_free(leading_t *leading);

/* ------------------------------------------------- round, refine, vote */

typedef struct {
  lavdm_group group;
  int64_t order, q;
} group_t;

/* r (n x q x q): the first q vectors as orthogonal matrices, rotations but for O. */
int round_vectors(run_t *run, const group_t *group, const part_t *part, const leading_t *leading, double *r);

/* Rotations of the plane to the cyclic group, once the turn that all have in common is taken out. */
void round_cyclic(const group_t *group, int64_t n, double *r);

/* Elements of Z2 and cyclic groups as numbers 0 .. order-1. */
int64_t element_step(const group_t *group, const double *r);
void element_of_step(const group_t *group, int64_t s, double *r);

/* Eigenvectors, rounded to rotations (O: orthogonal matrices). `start`: a fit begins with them at once, so
 * that any residual will do. */
int spectral_elements(run_t *run, const group_t *group, const lavdm_sync_options *options, const part_t *part,
                      bool start, int64_t count, leading_t *leading, double *r);

/* Right factor of all: the first node gets the identity. */
void round_gauge(const group_t *group, int64_t n, double *r);

/* m (q x q) = R_row' O R_col of edge e, the identity if they agree. */
void part_defect(const part_t *part, const double *r, int64_t e, double *m);

/* r goes down to a minimum of sum w |O - R_row R_col'|^2, over rotations near it; at most
 * `steps` of Gauss-Newton. */
int refine_rotations(run_t *run, const part_t *part, int64_t steps, double *r);

/* The same for Z2 and cyclic groups, node by node; `strict` counts edges that agree,
 * whatever the others say. *changed: nodes. */
int vote_elements(run_t *run, const group_t *group, const part_t *part, bool strict, double *r,
                  int64_t *changed);

/* -------------------------------------------------------------- trust */

/* How far edge e is from agreeing, in the units of the public API. */
double residual_of(const group_t *group, const part_t *part, const double *r, int64_t e);

/* The element at share (0 to 1) of a list, which is put in another order. */
double residual_quantile(double *x, int64_t count, double share);

/* weight = given * trust, trust falling with the residual. scratch: m. */
void trust_edges(const run_t *run, part_t *part, const double *r, const double *given, double *trust,
                 double *scratch);

#endif
