/* The least squares problem of survey.h, its unknowns in blocks: a node has its place and a rotation about
 * the axes of the world (X_i -> (exp(w) R_i', p_i + s)), a point its place. */
#ifndef LAVDM_SURVEY_PROBLEM_H
#define LAVDM_SURVEY_PROBLEM_H

#include "factor/factor.h"
#include "survey/survey.h"

enum { MOST_D = 6, MOST_Q = 3, MOST_HALF = MOST_D * (MOST_D + 1) / 2 };

typedef enum { EDGE, CHORDAL, PRIOR, SIGHTING } error_kind;

/* One error: between blocks `from` (-1: the world) and `to`. */
typedef struct {
  error_kind kind;
  int64_t from, to;
  const double *turn, *shift; /* Z as (turn, shift), turn being q x q (for priors its transpose); or z */
  const double *information;  /* upper half, row by row; NULL: kappa and tau */
  double kappa, tau, trust;
} error_t;

/* Unknowns of each node: none where it is held. */
typedef struct {
  int64_t q, d, nodes, points;
  int64_t count;
  error_t *error;         /* count */
  double *r, *p, *l;      /* r and p: those of the survey; l: points x q */
  int64_t *frame;         /* nodes + points: which belong together, a number below nodes + points */
  bool *held;             /* nodes: their pose stays */
  int64_t loose;          /* frames that priors hold in part */
  int64_t *loose_node;    /* the node at which the rest is held, */
  int64_t *loose_count;   /* in so many directions, */
  double *loose_basis;    /* d x d each: the first columns, of its unknowns */
} problem_t;

void problem_free(problem_t *problem);

/* Errors, and the frames. */
int problem_new(run_t *run, const arranged_t *a, const lavdm_sync_options *options, survey_t *survey,
                problem_t *out);

/* What stays where it is: fixed nodes, the first of a frame that nothing holds, directions of that node where
 * priors hold a part. */
int problem_hold(run_t *run, const lavdm_sync_options *options, const arranged_t *a, problem_t *problem);

/* The place of a node of the user's in a->node, or -1. */
int64_t node_place(const arranged_t *a, int64_t node);
int64_t point_place(const survey_t *survey, int64_t point);

/* ------------------------------------------------------------ errors.c */

/* The size of an error: d, or q for a sighting. */
static inline int64_t error_size(const problem_t *problem, const error_t *error) {
  return error->kind == SIGHTING ? problem->q : problem->d;
}

/* e, and if `from` and `to` are not NULL its derivatives (size x d, row-major; to: size x q for a point). */
void error_of(const problem_t *problem, const error_t *error, double *e, double *from, double *to);

/* The information as a whole matrix, trust included. */
void error_information(const problem_t *problem, const error_t *error, double *information);

/* X_i -> (exp(w) R_i', p_i + s) with x = (s, w). */
void pose_move(int64_t q, const double *x, double *r, double *p);

/* ------------------------------------------------------------- start.c */

/* x -> G x + t that is best for pairs of places and rotations that are added one by one. */
typedef struct {
  double weight, from[MOST_Q], to[MOST_Q], cross[MOST_Q * MOST_Q]; /* sums of places */
  double turn[MOST_Q * MOST_Q];
  double g[MOST_Q * MOST_Q], t[MOST_Q]; /* once found */
} motion_t;

void motion_place(int64_t q, double weight, const double *from, const double *to, motion_t *sum);
void motion_turn(int64_t q, double weight, const double *from, const double *to, motion_t *sum);

/* The motion of the sums; returns how well it is determined, 0 to 1: its second singular value to its
 * first (q = 3), or 1 if there is any (q = 2). */
double motion_find(int64_t q, motion_t *sum);
void motion_apply(int64_t q, const motion_t *motion, double *r, double *p);

/* Every part (label: its number by node) goes to where fixed nodes and priors want it. placed: whether any
 * did. */
int start_parts(run_t *run, const arranged_t *a, const lavdm_sync_options *options, problem_t *problem,
                const int64_t *label, int64_t parts, bool *placed);

/* Parts of a frame that are not placed go to where the points they saw are; then all points are placed. */
int start_points(run_t *run, problem_t *problem, const int64_t *label, int64_t parts, bool *placed);

/* ------------------------------------------------------------ normal.c */

/* The normal equations H x = -g, in the lower triangle. */
typedef struct {
  int64_t blocks, *first; /* blocks + 1: rows of a block */
  int64_t *block;         /* of node, then of point; -1: held */
  int64_t pairs, *key;    /* blocks that meet: col * blocks + row, ascending */
  int64_t *rise;          /* pairs: rows of the same columns above */
  int64_t *diagonal;      /* blocks: their own pair */
  int64_t *place;         /* of each error: its pair of two blocks, or -1 */
  triangle_t h;
  double *g;
  double *work;
  double *hold; /* loose x d x d */
} normal_t;

int normal_new(run_t *run, const problem_t *problem, normal_t *out);
void normal_free(normal_t *normal);

/* H, g and chi2 at the present poses. */
int normal_fill(run_t *run, const problem_t *problem, normal_t *normal, double *chi2);

/* Adds hold hold' at the nodes that hold what priors leave open. */
void normal_hold(const problem_t *problem, normal_t *normal);

/* scratch: normal->work. */
double survey_chi2(const run_t *run, const problem_t *problem, double *scratch);

/* ------------------------------------------------- descend.c, spread.c */

int survey_descend(run_t *run, problem_t *problem, normal_t *normal, factor_t *factor, survey_t *out);
int survey_spread(run_t *run, const problem_t *problem, normal_t *normal, factor_t *factor, bool *known,
                  survey_t *out);

#endif
