/*
 * The state of a search for the top eigenpairs, and its decisions: what the
 * Ritz pairs of p(A) say of A, whether copies of a multiple eigenvalue may be
 * missing, and which filter p to use.
 */
#ifndef LAVDM_SPECTRUM_SEARCH_H
#define LAVDM_SPECTRUM_SEARCH_H

#include "base/random.h"
#include "spectrum/filter.h"
#include "spectrum/lanczos.h"
#include "spectrum/solver.h"

typedef struct {
  run_t *run;
  const operator_t *op;
  int64_t wanted, keep; /* pairs wanted, and Ritz vectors kept at a restart */
  double tolerance;
  random_t random;
  lanczos_t basis;
  filter_t filter;
  int64_t restarts; /* sweeps included */

  double *lambda, *error; /* the eigenvalue of A a Ritz pair stands for, and a bound of its residual */
  double goal;            /* what these bounds are to reach: the tolerance, unless that proves too little */
  int64_t converged;      /* leading pairs within the goal, */
  int64_t solid;          /* and so well within that they can be locked */
  double low;             /* the lowest eigenvalue met */
  int64_t patience;       /* steps to come before the Ritz pairs are worth another look */

  /* A sweep is what grows from one start block. */
  int64_t locked, width; /* pairs it began with, and columns of its start block */
  double *locked_value;  /* descending */
  double *weights;       /* of a start block made of Ritz vectors */
  int64_t depth;         /* degree of the polynomials of A it has reached */
  double suspect;        /* the eigenvalue whose copies it looks for; INFINITY if none */

  /* Its progress from restart to restart. */
  double distance; /* sum of log(error / goal) over the wanted pairs, when there was progress last */
  int64_t stalled; /* restarts since then */
  int64_t jumps;   /* restarts at which the distance grew */
  double nearest;  /* the largest error of a wanted pair, its least so far */
} search_t;

/* Vectors of the basis of a search for r pairs; with those of a block besides, search_vectors. */
int64_t search_basis(int64_t size, int64_t r);
int64_t search_vectors(int64_t size, int64_t r);
int64_t search_width(void); /* of a block */

/* On failure it is still to be freed. */
int search_new(search_t *s, run_t *run, const operator_t *op, int64_t r, double tolerance);
void search_free(search_t *s);

/* A random block for the basis to start with: of one that all ranks share, the rows of this one. */
void search_random(search_t *s);

/* Reads the Ritz pairs of the basis. */
void search_assess(search_t *s);

/*
 * Lanczos finds as many copies of an eigenvalue as the start block has columns.
 * The lowest eigenvalue above the last wanted, among `count` leading pairs, of
 * which the sweep found that many, so that there may be more; INFINITY if none.
 */
double search_saturated(const search_t *s, int64_t count);

/* Whether the highest eigenvalue is one of these, and solid. */
bool search_top_saturated(const search_t *s);

/* Whether the sweep has come far enough to show another copy of its suspect. */
bool search_cleared(const search_t *s);

/* Locks the solid pairs and starts a sweep from a random block. */
void search_sweep(search_t *s, double suspect);

/* With a basis that grew from one random block under A itself: whether a filter
 * is called for; if so, a sweep with it starts from the Ritz vectors. */
bool search_probe(search_t *s);

/* Whether more restarts would not reach the goal. */
bool search_stalled(const search_t *s);

/* Sets another goal. */
void search_aim(search_t *s, double goal);

/* Makes room in a full basis: true if by a better filter and a sweep that
 * starts from the Ritz vectors, false if by keeping the leading ones. */
bool search_restart(search_t *s);

#endif
