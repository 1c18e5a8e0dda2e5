/*
 * Planes are judged by planes that know nothing of their noise. The rows of the data are dealt out to two
 * halves, A and B. Every candidate makes planes P at some points of A from A alone, and a witness makes
 * planes Q at the same places from B alone, by local PCA of so few neighbours that curvature hardly turns
 * them. The errors of Q are large, but as likely to one side as to the other: the candidate that is
 * nearest to the true planes is the one with the largest mean of |P'Q|^2, and neither noise that a plane
 * follows nor curvature that it blurs is rewarded. k neighbours among half of the points are 2k among all,
 * and n points want n^(6/(d+6)) of them: planes over the distance h err by noise / (k^1/2 h) and by h^2.
 */
#ifndef LAVDM_CHOOSE_JUDGE_H
#define LAVDM_CHOOSE_JUDGE_H

#include "lowpass/lowpass.h"

typedef struct {
  engine_t *engine;
  const engine_ops *ops;
  const double *centre;
  int64_t p, d;
  double radius;
  bool free_k;
  lavdm_data a, b, places; /* of the data: even rows, odd rows, and the rows of A that are looked at */
  int64_t step;            /* every step-th row of A is a place */
  void *witness, *planes;  /* places x p x d reals */
  double *best, *other;    /* places: |P'Q|^2 / d, of the best local frames and of a candidate */
} judge_t;

/* A candidate, and what came of it. */
typedef struct {
  int64_t r, k;  /* eigenvectors, 0: local; neighbours among all points */
  double score;  /* the mean of |P'Q|^2 / d */
  double margin; /* of lowpass over local, in standard errors */
} verdict_t;

/* Of data in memory, with frames of run->options.dim dimensions. */
judge_t judge_start(engine_t *engine, const lavdm_data *data, const double *centre, double radius,
                    bool free_k);

/* The witness. Released by judge_end, whatever came of it. */
int judge_witness(judge_t *j);
void judge_end(judge_t *j);

/* The best k of local frames, or how good the given one is, unless free_k. */
int judge_local(judge_t *j, int64_t given, verdict_t *out);

/* The best r and k of lowpass, against the best local frames. */
int judge_lowpass(judge_t *j, const verdict_t *local, verdict_t *out);

/* k neighbours that were best among half of the points (k/2 there), for all of them. */
int64_t judge_neighbours(const judge_t *j, int64_t k);

#endif
