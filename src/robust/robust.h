/*
 * Elements in spite of wrong edges, for one component:
 *
 *     triangles   cycles of three edges, and how far each is from closing   triangles.c
 *     cycles      how corrupt edges are, by the triangles they are in       cycles.c
 *     langevin    densities of noise on a group                            langevin.c
 *     mixture     noise and share of wrong edges; what each edge then is    mixture.c
 *     weights     rounds of re-weighting by residuals                       weights.c
 *     gradual     truncated least squares by graduated non-convexity        gradual.c
 *     move        nodes whose edges are mostly wrong                        move.c
 *     signs       weights of signs, by how well their nodes agree           signs.c
 *     shifts      positions in spite of wrong shifts                        shifts.c
 *     hold        a graph without some of its edges                         hold.c
 *     score       how likely residuals are                                score.c
 *     choose      what predicts best the edges that were held back          choose.c
 */
#ifndef LAVDM_ROBUST_ROBUST_H
#define LAVDM_ROBUST_ROBUST_H

#include "poses/likelihood.h"
#include "sync/sync.h"

typedef struct {
  const group_t *group;
  const lavdm_sync_options *options;
  part_t *part;        /* its weights are those in use */
  const double *given; /* m: and these the ones that were given */
} robust_t;

/* What was done, and why if it was chosen. */
typedef struct {
  lavdm_robust used;
  char reason[WARNING_SIZE];
} robust_choice;

/* r (n x q x q) and trust (m) by options->robust; part->weight = given * trust. `leading` and r are those of
 * the weights as given, and may be changed. Signs and cyclic groups are not yet of the group. */
int robust_solve(run_t *run, const robust_t *problem, leading_t *leading, double *r, double *trust,
                 robust_choice *out);

/* Shifts as given: m x q, and m. */
typedef struct {
  const double *shift, *tau;
} robust_shifts;

/* After robust_solve: trust falls where a shift is wrong, and p (n x q) are positions for it. */
int robust_positions(run_t *run, const robust_t *problem, const robust_shifts *shifts, const double *r,
                     double *p, double *trust);

/* As it was asked for: rounds > 0 without a word stands for WEIGHTS. */
lavdm_robust robust_asked(const lavdm_sync_options *options);

/* ------------------------------------------------- triangles.c, cycles.c */

/* Those of edge e are start[e] .. start[e+1]-1: its two other edges, and d = |O_ij O_jk O_ki - 1| in [0,1].
 */
typedef struct {
  int64_t *start;  /* m + 1 */
  int32_t *beside; /* 2 each */
  float *distance;
  int64_t lone; /* edges in no triangle */
} triangles_t;

/* At most `most` of each edge, spread evenly over all that it has. */
int triangles_find(run_t *run, const part_t *part, int64_t most, triangles_t *out);
void triangles_free(triangles_t *triangles);

/* How many of each edge are worth their time in a graph of m edges. */
int64_t triangles_most(int64_t m);

/* corrupt (m): 0 for an edge that agrees with those about it, to 1; edges in no triangle get the median. */
int cycles_corruption(run_t *run, const part_t *part, const triangles_t *triangles, double *corrupt);

/* weight = given * a factor that falls with corruption, from 1 to 0.001. */
void cycles_weights(const part_t *part, const double *given, double *corrupt);

/* -------------------------------------------------- langevin.c, mixture.c */

/* Log of Z in flat space, and log of Z over that. */
double langevin_flat(const group_t *group, double kappa);
double langevin_bend(const group_t *group, double kappa);

/* An edge is right, with noise of deviation sigma / sqrt(weight) in each direction, or, with
 * probability wrong, drawn evenly from the group. */
typedef struct {
  double sigma, wrong;
  double likelihood; /* mean of log density against the even one, roughly */
  const group_t *group;
  double flat, level, half, inverse, log_right, log_wrong; /* what densities need */
} mixture_t;

/* From squares (count): weight |x|^2 of each edge, and its weight. `free`: residuals are those of a fit,
 * which leaves this share of their squares. group: for its dimension and volume. */
mixture_t mixture_fit(const group_t *group, const double *square, const double *weight, int64_t count,
                      double free);

/* With these numbers. */
mixture_t mixture_of(const group_t *group, double sigma, double wrong);

/* Log of density of an edge that is right against the even one. */
double mixture_ratio(const mixture_t *mixture, double square, double weight);

/* Log of density of an edge of either kind against the even one. */
double mixture_density(const mixture_t *mixture, double square, double weight);

/* Probability that it is right. */
double mixture_right(const mixture_t *mixture, double square, double weight);

/* given |M - 1|^2 / 2 of edge e; square (m): of every edge. */
double mixture_square(const robust_t *problem, const double *r, int64_t e);
void mixture_squares(const run_t *run, const robust_t *problem, const double *r, double *square);

/* ------------------------------------------ weights.c, gradual.c, signs.c */

/* Rounds of re-weighting by Geman and McClure, the first ones with eigenvectors. */
int robust_weights(run_t *run, const robust_t *problem, int64_t rounds, leading_t *leading, double *r,
                   double *trust);

/* Weights of triangles, then eigenvectors: where robust_gradual may start from. *used: false if too few edges
 * are in triangles, and nothing was done. */
int robust_cycles(run_t *run, const robust_t *problem, leading_t *leading, double *r, bool *used);

/* From r on: three rounds of robust_weights, then robust_sharpen, which ends with robust_settle. Those go on
 * from trust too. */
int robust_gradual(run_t *run, const robust_t *problem, leading_t *leading, double *r, double *trust);
int robust_sharpen(run_t *run, const robust_t *problem, double *r, double *trust);
int robust_settle(run_t *run, const robust_t *problem, double *r, double *trust);

/* Nodes that few edges agree with go where one of their edges puts them, if that is likelier. Of many edges
 * some are tried, others every turn. */
int move_nodes(run_t *run, const robust_t *problem, const mixture_t *mixture, int turn, const double *trust,
               double *r, int64_t *moved);

/* Signs, from the vote on. */
int robust_signs(run_t *run, const robust_t *problem, leading_t *leading, double *r, double *trust);

/* Eigenvectors for part->weight, rounded. */
int robust_spectrum(run_t *run, const robust_t *problem, leading_t *leading, double *r);

/* -------------------------------------------------------------- score.c */

/* A deviation that few residuals are below. scratch: count. */
double score_least(const double *square, int64_t count, double *scratch);

/* square (count), as mixture_square has them, become log densities against the even one, under the likeliest
 * mixture of Gaussians whose deviations are from `from` on. */
int score_edges(run_t *run, const group_t *group, double from, const double *weight, int64_t count,
                double *square);

/* -------------------------------------------------------- hold.c, choose.c */

/* A part without the edges that are held back. */
typedef struct {
  part_t kept;
  int32_t *row, *col;
  double *o, *weight, *given;
  int64_t held, *edge; /* held back, as numbers of the whole part */
} hold_t;

/* Holds back a share of the edges, other ones in every fold, but none that joins what the others do not. */
int hold_new(run_t *run, const robust_t *problem, double share, int fold, hold_t *out);
void hold_free(hold_t *hold);

int robust_choose(run_t *run, const robust_t *problem, leading_t *leading, double *r, double *trust,
                  robust_choice *out);

/* One of the ways, not AUTO. *used: the way that was possible. */
int robust_by(run_t *run, const robust_t *problem, lavdm_robust way, leading_t *leading, double *r,
              double *trust, lavdm_robust *used);

#endif
