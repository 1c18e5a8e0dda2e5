/* The parts of a test, for each other. */
#ifndef LAVDM_TRUST_PARTS_H
#define LAVDM_TRUST_PARTS_H

#include "base/random.h"
#include "model/trust.h"
#include "trust/trust.h"

enum {
  MOST_PAIRS = 40, /* leading eigenpairs that are put to the test */
  COMMON = 120,    /* points that the eigenspaces of both samples are compared at */
  EMBEDDED = 250,  /* points whose neighbours are compared */
  NEIGHBOURS = 10, /* of each of them */
  PATHS = 400,     /* points that paths lead through */
};

/* Some of the points: rows of the data, coordinates, frames. */
typedef struct {
  int64_t n;
  int64_t *row;
  double *x;      /* n x p */
  void *frames;   /* n x p x d reals, or NULL */
  double *weight; /* n: how many points each stands for, or NULL */
} some_t;

typedef struct {
  run_t *run;
  const lavdm_data *data;
  lavdm_model *model;
  trust_fit fit;
  int64_t n, p, q, r, d, m; /* d: 0 without frames */
  int64_t pairs;            /* eigenpairs that are looked at */
  const double *values;
  const lavdm_array *vectors, *frames;
  const double *degrees;
  random_t random;
  uint64_t *taken; /* a bit for every row */

  some_t half[2], common;
  lavdm_model *fitted[2], *wide; /* of the halves, and of the first with a wider kernel; or NULL */
  int64_t landmarks;             /* of each half, or 0 */

  int64_t groups;
  int64_t first[MOST_PAIRS + 1];
  int64_t unit; /* the first group whose rate is not zero */
  double table[TRUST_COLUMNS][MOST_PAIRS];
  double lost[MOST_PAIRS]; /* what chance takes of an eigenspace of the run: 0 nothing, 1/2 all */
  double facts[TRUST_FACTS];
} trust_t;

/* ------------------------------------------------------------------ samples */

/* Up to `count` rows that no sample has yet; isolated ones are passed over. */
int some_take(trust_t *t, int64_t count, some_t *out);
void some_forget(trust_t *t); /* all rows can be taken again */
void some_free(some_t *some);
double some_distance(const trust_t *t, const double *a, const double *b); /* squared */

/* Fits the halves. Positive: there is nothing to compare. */
int halves_fit(trust_t *t);

/* ------------------------------------------------------------------- values */

/* Groups of the run's eigenvalues by gaps of their rates -log lambda. */
void groups_find(trust_t *t);
/* Their rates, the unit, and ratios by it. */
void groups_measure(trust_t *t);
/* Mean rate of a group among `values`. */
double groups_rate(const trust_t *t, const double *values, int64_t g);
/* Spread, bias and interval of every group. */
void groups_judge(trust_t *t);
/* Whether planes of neighbours disagree by noise, whatever the scale. */
bool planes_hidden(const trust_t *t);

/* --------------------------------------------------------------- eigenspaces */

/* Principal angles between the eigenspaces of the halves; groups that they cannot tell apart become one. */
int angles_find(trust_t *t);
/* *mean: of the squared cosines of the principal angles between the spans of the `width` columns of a and b
 * (one after the other), which are orthonormalised; the largest angle in degrees is returned. */
double angles_between(double *a, double *b, int64_t rows, int64_t width, double *mean);

/* ----------------------------------------------------------------- embedding */

/* Trustworthiness and continuity of `d2` (n x n squared distances) for `truth`, with k neighbours. */
double trustworthiness(const double *truth, const double *d2, int64_t n, int64_t k, double *continuity);
int embedding_judge(trust_t *t);

/* --------------------------------------------------------------- short cuts */

int shortcuts_find(trust_t *t);
bool shortcuts_matter(const trust_t *t); /* to the rates */

/* ----------------------------------------------------------------- warnings */

void trust_tell(trust_t *t);

/* The noise of a coordinate, from what frames leave of the differences of near points; NaN if unknown. */
double noise_of(const trust_t *t, const some_t *some);

#endif
