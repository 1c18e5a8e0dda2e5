/*
 * What no measurement tells: a frame without fixed nodes and priors can move as a whole, and its first node
 * is held. Priors may leave a part of that open (heights and headings, say, where only gravity is known):
 * with N_i = d(unknowns of i)/d(motion) at a prior, the null space of G = sum of N_i' J' I J N_i,   J at an
 * error of zero, is open. There is none if a node is fixed. Motions are (s, w): x -> exp(w) (x - c) + c + s,
 * c being the first node, at which N = 1.
 */
#include "survey/problem.h"

#include "base/memory.h"

#include <inttypes.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is open is 0 but for rounding: of the largest eigenvalue of G, scaled to a diagonal of 1; and of what
 * a diagonal entry is a sum of. */
static const double open_share = 1e-13, open_diagonal = 1e-14;

typedef struct {
  int64_t first; /* node, or -1: no node as yet */
  bool fixed;
  int64_t priors, place; /* its G is the place-th */
  double terms[MOST_D];  /* of each diagonal entry of G, the sum without signs of what it is a sum of */
} frame_t;

/* J N (d x d) of a prior whose node is at p and c the centre: as the derivative of a prior that is met.
 * without_signs: the same from absolute values. */
static void prior_motion(const problem_t *problem, const error_t *error, const double *c, double *out,
                         double *without_signs) {
  int64_t q = problem->q, d = problem->d;
  double r[MOST_Q * MOST_Q], p[MOST_Q], e[MOST_D], j[MOST_D * MOST_D], u[MOST_Q];
  memcpy(r, error->turn, (size_t)(q * q) * sizeof *r);
  memcpy(p, error->shift, (size_t)q * sizeof *p);
  problem_t met = {.q = q, .d = d, .r = r, .p = p};
  error_t same = *error;
  same.to = 0;
  error_of(&met, &same, e, NULL, j);
  for (int64_t k = 0; k < q; k++) u[k] = problem->p[error->to * q + k] - c[k];
  memcpy(out, j, (size_t)(d * d) * sizeof *j);
  for (int64_t i = 0; i < d * d; i++) without_signs[i] = fabs(j[i]);
  for (int64_t i = 0; i < d; i++)
    for (int64_t w = q; w < d; w++) { /* s_i = s + w x u */
      int64_t a = q == 2 ? 0 : (w + 1) % 3, b = q == 2 ? 1 : (w + 2) % 3;
      double plus = j[i * d + b] * u[a], minus = j[i * d + a] * u[b];
      out[i * d + w] += plus - minus;
      without_signs[i * d + w] += fabs(plus) + fabs(minus);
    }
}

static void add_prior(const problem_t *problem, const error_t *error, const double *c, double *g,
                      double *terms) {
  int64_t d = problem->d;
  double j[MOST_D * MOST_D], whole[MOST_D * MOST_D], info[MOST_D * MOST_D], ij[MOST_D * MOST_D];
  prior_motion(problem, error, c, j, whole);
  error_information(problem, error, info);
  for (int64_t i = 0; i < d * d; i++)
    for (int64_t l = 0; l < d; l++) terms[l] += whole[i / d * d + l] * fabs(info[i]) * whole[i % d * d + l];
  for (int64_t i = 0; i < d * d; i++) {
    ij[i] = 0;
    for (int64_t k = 0; k < d; k++) ij[i] += info[i / d * d + k] * j[k * d + i % d];
  }
  for (int64_t i = 0; i < d * d; i++)
    for (int64_t k = 0; k < d; k++) g[i] += j[k * d + i / d] * ij[k * d + i % d];
}

/* basis: the null space of G in its first columns; returns their number. */
static int64_t open_directions(const problem_t *problem, const double *terms, double *g, double *basis) {
  int64_t d = problem->d, q = problem->q, count = 0;
  double size[MOST_D], most[2] = {0}, value[MOST_D], work[8 * MOST_D];
  for (int64_t k = 0; k < d; k++) most[k >= q] = fmax(most[k >= q], g[k * (d + 1)]);
  for (int64_t k = 0; k < d; k++) {
    double own = g[k * (d + 1)], all = most[k >= q] > 0 ? most[k >= q] : 1;
    size[k] = sqrt(own > open_diagonal * terms[k] ? own : all);
  }
  for (int64_t i = 0; i < d * d; i++) g[i] /= size[i / d] * size[i % d];
  int n = (int)d;
  if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', n, g, n, value, work, 8 * n)) return 0;
  while (count < d && value[count] <= open_share * fmax(value[d - 1], 0)) count++;
  if (!(value[d - 1] > 0)) count = d;
  for (int64_t c = 0; c < count; c++)
    for (int64_t i = 0; i < d; i++) basis[i * d + c] = g[c * d + i] / size[i];
  return count;
}

/* Columns of length 1, those of rotations and places together. */
static void scale_columns(int64_t d, int64_t count, double *basis) {
  for (int64_t c = 0; c < count; c++) {
    double sum = 0;
    for (int64_t i = 0; i < d; i++) sum += basis[i * d + c] * basis[i * d + c];
    for (int64_t i = 0; i < d; i++) basis[i * d + c] /= sum > 0 ? sqrt(sum) : 1;
  }
}

/* The first node of a frame is held, as far as its priors leave it open; loose_basis has the G of all. */
static void hold_frame(problem_t *problem, const frame_t *frame) {
  int64_t d = problem->d;
  double g[MOST_D * MOST_D], *basis = problem->loose_basis + problem->loose * d * d;
  if (frame->fixed) return;
  if (frame->priors) memcpy(g, problem->loose_basis + frame->place * d * d, (size_t)(d * d) * sizeof *g);
  int64_t count = frame->priors ? open_directions(problem, frame->terms, g, basis) : d;
  if (count == d)
    problem->held[frame->first] = true;
  else if (count) {
    scale_columns(d, count, basis);
    problem->loose_node[problem->loose] = frame->first, problem->loose_count[problem->loose++] = count;
  }
}

/* A node that is held in part moves as if it were known there, and covariances are those of the others then.
 */
static void tell_loose(run_t *run, const arranged_t *a, const problem_t *problem) {
  if (!problem->loose) return;
  char others[60] = "";
  if (problem->loose > 1) snprintf(others, sizeof others, ", and of %" PRId64 " more", problem->loose - 1);
  run_warn(run,
           "priors leave %" PRId64 " direction%s of node %" PRId64
           "%s open: it is held there, as if that were known",
           problem->loose_count[0], problem->loose_count[0] == 1 ? "" : "s", a->node[problem->loose_node[0]],
           others);
}

/* Fixed nodes, numbers of priors, first nodes; returns how many frames have priors. */
static int64_t list_frames(const lavdm_survey *given, const arranged_t *a, problem_t *problem,
                           frame_t *frame) {
  int64_t with = 0;
  for (int64_t i = 0; i < problem->nodes + problem->points; i++) frame[i].first = -1;
  for (int64_t k = 0; given && k < given->fixed; k++) {
    int64_t i = node_place(a, given->fixed_node[k]);
    problem->held[i] = frame[problem->frame[i]].fixed = true;
  }
  for (int64_t e = 0; e < problem->count; e++)
    if (problem->error[e].kind == PRIOR) frame[problem->frame[problem->error[e].to]].priors++;
  for (int64_t i = 0; i < problem->nodes; i++) {
    frame_t *f = &frame[problem->frame[i]];
    if (f->first >= 0) continue;
    f->first = i;
    if (f->priors) f->place = with++;
  }
  return with;
}

int problem_hold(run_t *run, const lavdm_sync_options *options, const arranged_t *a, problem_t *problem) {
  int64_t d = problem->d, q = problem->q;
  frame_t *frame = NEW(frame_t, problem->nodes + problem->points);
  if (!frame) return fail_memory(run->error, "the frames");
  int64_t with = list_frames(options->survey, a, problem, frame);
  problem->loose_node = NEW(int64_t, with), problem->loose_count = NEW(int64_t, with);
  problem->loose_basis = NEW(double, with *d *d);
  bool whole = problem->loose_node && problem->loose_count && problem->loose_basis;
  for (int64_t e = 0; e < problem->count && whole; e++) {
    const error_t *error = &problem->error[e];
    frame_t *f = &frame[problem->frame[error->to]];
    if (error->kind == PRIOR)
      add_prior(problem, error, problem->p + f->first * q, problem->loose_basis + f->place * d * d, f->terms);
  }
  for (int64_t i = 0; i < problem->nodes && whole; i++)
    if (frame[problem->frame[i]].first == i) hold_frame(problem, &frame[problem->frame[i]]);
  if (whole) tell_loose(run, a, problem);
  mem_free(frame);
  return whole ? LAVDM_OK : fail_memory(run->error, "the frames");
}
