/*
 * Steps of Gauss and Newton, H x = -g; where one does not lower chi2, the diagonal of H grows by a share of
 * itself (Levenberg, Marquardt). The end is where a step promises (g'x, that is x'H x) no more than 1e-10 of
 * chi2, or than rounding of poses makes of it. Where weights are far apart a straight line of places soon
 * leaves what heavy edges hold together: a step that does not lower chi2 is tried again with places found
 * anew for its rotations, of which chi2 is a square.
 */
#include "survey/problem.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 100 };

static const double enough = 1e-10, rounding = 1e-14, first_share = 1e-6, most_share = 1e8;

typedef struct {
  double *diagonal, *step, *r, *p, *l;
  double share;    /* by which the diagonal has grown */
  double least;    /* what rounding leaves of chi2 */
  double promise;  /* of the step */
  normal_t places; /* where rotations stay; empty until it is needed */
} descend_t;

static void descend_free(descend_t *w) {
  double *all[] = {w->diagonal, w->step, w->r, w->p, w->l};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
  normal_free(&w->places);
}

/* chi2 where every place is off by the rounding of the largest, every rotation by that of 1. */
static double rounding_of(const problem_t *problem) {
  int64_t q = problem->q;
  double size = 0, sum = 0;
  for (int64_t i = 0; i < problem->nodes * q; i++) size = fmax(size, fabs(problem->p[i]));
  for (int64_t e = 0; e < problem->count; e++) {
    double information[MOST_D * MOST_D];
    int64_t d = error_size(problem, &problem->error[e]);
    error_information(problem, &problem->error[e], information);
    for (int64_t k = 0; k < d; k++)
      sum += information[k * (d + 1)] * rounding * rounding * (k < q ? 1 + size * size : 1);
  }
  return sum;
}

/* Numbers without any information count for nothing. */
static double spread_of(const problem_t *problem) {
  double least = INFINITY, most = 0;
  for (int64_t e = 0; e < problem->count; e++) {
    double information[MOST_D * MOST_D];
    int64_t d = error_size(problem, &problem->error[e]);
    error_information(problem, &problem->error[e], information);
    for (int64_t k = 0; k < d; k++) {
      double own = information[k * (d + 1)];
      if (own > 0) least = fmin(least, own), most = fmax(most, own);
    }
  }
  return most > 0 ? most / least : 1;
}

static int descend_new(run_t *run, const problem_t *problem, const normal_t *normal, descend_t *w) {
  int64_t q = problem->q;
  *w = (descend_t){.diagonal = NEW(double, normal->h.n),
                   .step = NEW(double, normal->h.n),
                   .r = NEW(double, problem->nodes *q *q),
                   .p = NEW(double, problem->nodes *q),
                   .l = NEW(double, problem->points *q)};
  w->least = rounding_of(problem);
  return w->diagonal && w->step && w->r && w->p && w->l ? LAVDM_OK
                                                        : fail_memory(run->error, "the least squares");
}

/* The step for the present share, which grows until there is a factor. *found: there is one. */
static int find_step(run_t *run, normal_t *normal, factor_t *factor, descend_t *w, bool *found) {
  int64_t n = normal->h.n;
  double most = 0;
  for (int64_t i = 0; i < n; i++) most = fmax(most, w->diagonal[i]);
  *found = false;
  while (!*found && w->share <= most_share) {
    for (int64_t i = 0; i < n; i++)
      normal->h.value[normal->h.start[i]] = w->diagonal[i] + w->share * fmax(w->diagonal[i], 1e-12 * most);
    int status = factor_compute(run, factor, &normal->h, found);
    if (status < 0) return status;
    if (!*found) w->share = fmax(10 * w->share, first_share);
  }
  if (!*found) return LAVDM_OK;
  for (int64_t i = 0; i < n; i++) w->step[i] = -normal->g[i];
  int status = factor_solve(run, factor, 1, w->step);
  w->promise = 0;
  for (int64_t i = 0; i < n; i++) w->promise -= normal->g[i] * w->step[i];
  if (!isfinite(w->promise)) *found = false;
  return status;
}

static void copy_state(problem_t *problem, descend_t *w, bool back) {
  int64_t q = problem->q, counts[] = {problem->nodes * q * q, problem->nodes * q, problem->points * q};
  double *now[] = {problem->r, problem->p, problem->l}, *kept[] = {w->r, w->p, w->l};
  for (int k = 0; k < 3; k++)
    if (counts[k])
      memcpy(back ? now[k] : kept[k], back ? kept[k] : now[k], (size_t)counts[k] * sizeof(double));
}

static void take_step(const problem_t *problem, const normal_t *normal, const double *step) {
  int64_t q = problem->q;
  for (int64_t i = 0; i < problem->nodes + problem->points; i++) {
    int64_t b = normal->block[i], l = i - problem->nodes;
    if (b < 0) continue;
    const double *x = step + normal->first[b];
    if (l < 0)
      pose_move(q, x, problem->r + i * q * q, problem->p + i * q);
    else
      for (int64_t k = 0; k < q; k++) problem->l[l * q + k] += x[k];
  }
}

/* Leaves of H and g what is of places; each rotation stays. */
static void hold_turns(const problem_t *problem, normal_t *n, double *turns) {
  triangle_t *h = &n->h;
  memset(turns, 0, (size_t)h->n * sizeof *turns);
  for (int64_t i = 0; i < problem->nodes; i++)
    for (int64_t k = problem->q; k < problem->d && n->block[i] >= 0; k++)
      turns[n->first[n->block[i]] + k] = 1;
  for (int64_t j = 0; j < h->n; j++) {
    for (int64_t k = h->start[j]; k < h->start[j + 1]; k++)
      if (turns[j] > 0 || turns[h->row[k]] > 0) h->value[k] = h->row[k] == j;
    if (turns[j] > 0) n->g[j] = 0;
  }
}

/* Places, of points too, to the least chi2 that the rotations allow. The factor is then of that. */
static int place_anew(run_t *run, problem_t *problem, factor_t *factor, descend_t *w) {
  normal_t *n = &w->places;
  double chi2;
  bool found = false;
  int status = n->blocks ? LAVDM_OK : normal_new(run, problem, n);
  if (!status) status = normal_fill(run, problem, n, &chi2);
  if (status < 0) return status;
  normal_hold(problem, n);
  hold_turns(problem, n, w->step);
  status = factor_compute(run, factor, &n->h, &found);
  if (status < 0 || !found) return status;
  for (int64_t i = 0; i < n->h.n; i++) w->step[i] = -n->g[i];
  status = factor_solve(run, factor, 1, w->step);
  if (!status) take_step(problem, n, w->step);
  return status;
}

/* Goes the step; *next: chi2 there. */
static int try_step(run_t *run, problem_t *problem, normal_t *normal, factor_t *factor, descend_t *w,
                    double chi2, bool small, double *next) {
  take_step(problem, normal, w->step);
  *next = survey_chi2(run, problem, normal->work);
  if (small || *next <= chi2) return LAVDM_OK;
  int status = place_anew(run, problem, factor, w);
  if (!status) *next = survey_chi2(run, problem, normal->work);
  return status;
}

/* One step down from *chi2; *end: none is left. */
static int step_down(run_t *run, problem_t *problem, normal_t *normal, factor_t *factor, descend_t *w,
                     double *chi2, bool *end, survey_t *out) {
  copy_state(problem, w, false);
  for (;;) {
    bool found;
    int status = find_step(run, normal, factor, w, &found);
    if (status < 0) return status;
    bool small = found && w->promise <= enough * *chi2 + w->least;
    double next = INFINITY;
    if (found) status = try_step(run, problem, normal, factor, w, *chi2, small, &next);
    if (status < 0) return status;
    if (next <= *chi2) {
      *chi2 = next;
      *end = out->converged = small && w->share < 1;
      w->share = w->share > first_share ? w->share / 10 : 0;
      return LAVDM_OK;
    }
    copy_state(problem, w, true);
    *end = true;
    if (small && w->share < 1) out->converged = true;
    if (small || w->share > most_share) return LAVDM_OK;
    *end = false;
    w->share = fmax(10 * w->share, first_share);
  }
}

int survey_descend(run_t *run, problem_t *problem, normal_t *normal, factor_t *factor, survey_t *out) {
  descend_t w = {0};
  bool end = normal->h.n == 0;
  int status = descend_new(run, problem, normal, &w);
  out->converged = end;
  out->spread = spread_of(problem);
  if (!status) out->chi2 = survey_chi2(run, problem, normal->work);
  for (; out->steps < MOST_STEPS && !end && !status; out->steps++) {
    double chi2;
    status = normal_fill(run, problem, normal, &chi2);
    if (status < 0) break;
    normal_hold(problem, normal);
    for (int64_t i = 0; i < normal->h.n; i++) w.diagonal[i] = normal->h.value[normal->h.start[i]];
    status = step_down(run, problem, normal, factor, &w, &out->chi2, &end, out);
  }
  descend_free(&w);
  return status;
}
