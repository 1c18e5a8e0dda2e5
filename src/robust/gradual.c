/*
 * Truncated least squares, min(z, c^2) summed over edges with z = w |x|^2 / sigma^2, by graduated
 * non-convexity (Yang et al. 2020): weights
 *     1 for z < c^2 mu / (mu + 1),  0 for z > c^2 (mu + 1) / mu,  c sqrt(mu (mu + 1) / z) - mu between,
 * mu growing from nearly convex to sharp, a step of the fit for each; sigma is that of the mixture, anew each
 * time. Then rounds in which the weight of an edge is the probability that it is right.
 */
#include "robust/robust.h"

#include "base/memory.h"

#include <math.h>

enum { FIRST_ROUNDS = 3, SHARPEN = 8, SETTLE = 10, MOVES = 3 };

static const double least_trust = 1e-8, sharp = 16, normal_quantile = 2.33;
static const double calm = 1e-3, least_free = 0.02;

/* The square that noise of d numbers stays below, 99 times of 100 (Wilson and Hilferty). */
static double usual_limit(int64_t q) {
  double d = (double)(q * (q - 1)) / 2, a = 2 / (9 * d), x = 1 - a + normal_quantile * sqrt(a);
  return d * x * x * x;
}

/* The share of squares that a fit to edges of this trust leaves. */
static double freedom(const part_t *part, const double *trust) {
  double sum = 0;
  for (int64_t e = 0; e < part->m; e++) sum += trust[e];
  return fmax(1 - (double)(part->n - 1) / fmax(sum, 1), least_free);
}

static mixture_t look(const run_t *run, const robust_t *problem, const double *r, const double *trust,
                      double *square) {
  mixture_squares(run, problem, r, square);
  return mixture_fit(problem->group, square, problem->given, problem->part->m, freedom(problem->part, trust));
}

/* trust = probability of being right; returns the mean change. */
static double believe(const robust_t *problem, const mixture_t *x, const double *square, double *trust) {
  double change = 0;
  const part_t *part = problem->part;
  for (int64_t e = 0; e < part->m; e++) {
    double p = fmax(mixture_right(x, square[e], problem->given[e]), least_trust);
    change += fabs(p - trust[e]);
    trust[e] = p;
    part->weight[e] = problem->given[e] * p;
  }
  return change / (double)part->m;
}

static double truncated(double z, double limit, double mu) {
  if (z <= limit * mu / (mu + 1)) return 1;
  if (z >= limit * (mu + 1) / mu) return 0;
  return sqrt(limit * mu * (mu + 1) / z) - mu;
}

/* From mu at which the largest residual still counts to `sharp`. */
static int sharpen(run_t *run, const robust_t *problem, double *square, double *r, double *trust) {
  const part_t *part = problem->part;
  double limit = usual_limit(part->q), mu = 0, factor = 1;
  int status = LAVDM_OK;
  for (int round = 0; round < SHARPEN && !status; round++) {
    mixture_t x = look(run, problem, r, trust, square);
    double unit = 1 / (x.sigma * x.sigma), most = 0;
    for (int64_t e = 0; e < part->m; e++) most = fmax(most, square[e] * unit);
    if (!round) {
      if (most <= limit) break;
      mu = fmin(limit / (2 * most - limit), sharp), factor = pow(sharp / mu, 1.0 / (SHARPEN - 1));
    }
    for (int64_t e = 0; e < part->m; e++) {
      trust[e] = fmax(truncated(square[e] * unit, limit, mu), least_trust);
      part->weight[e] = problem->given[e] * trust[e];
    }
    status = refine_rotations(run, part, 1, r);
    mu *= factor;
    if (!status && run_stopped(run, round, SHARPEN + SETTLE)) status = run_status(run);
  }
  return status;
}

int robust_settle(run_t *run, const robust_t *problem, double *r, double *trust) {
  double *square = NEW(double, problem->part->m), change = 1;
  int64_t moved = 0;
  int status = square ? LAVDM_OK : fail_memory(run->error, "the weights");
  for (int round = 0; round < SETTLE && (change > calm || round < MOVES) && !status; round++) {
    mixture_t x = look(run, problem, r, trust, square);
    change = believe(problem, &x, square, trust);
    bool movable = round < MOVES || moved > 0 || change <= calm; /* some wait for others to be right */
    moved = 0;
    if (movable) status = move_nodes(run, problem, &x, round, trust, r, &moved);
    if (moved) mixture_squares(run, problem, r, square), believe(problem, &x, square, trust), change = 1;
    if (!status) status = refine_rotations(run, problem->part, 1, r);
    if (!status && run_stopped(run, SHARPEN + round, SHARPEN + SETTLE)) status = run_status(run);
  }
  mem_free(square);
  return status;
}

int robust_sharpen(run_t *run, const robust_t *problem, double *r, double *trust) {
  double *square = NEW(double, problem->part->m);
  int status = square ? LAVDM_OK : fail_memory(run->error, "the weights");
  run_stage(run, "weights");
  if (!status) status = sharpen(run, problem, square, r, trust);
  mem_free(square);
  return status ? status : robust_settle(run, problem, r, trust);
}

int robust_gradual(run_t *run, const robust_t *problem, leading_t *leading, double *r, double *trust) {
  int status = robust_weights(run, problem, FIRST_ROUNDS, leading, r, trust);
  return status ? status : robust_sharpen(run, problem, r, trust);
}
