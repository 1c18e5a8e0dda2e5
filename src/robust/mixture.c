/*
 * Edges of two kinds. Those that are right are off by x of d = q(q-1)/2 numbers, of deviation sigma / sqrt(w)
 * each, by the distribution of langevin.c; the others are drawn evenly from the group. With |x|^2 =
 * |M - 1|^2 / 2, the density of the first kind over that of the second is g = e^(-kappa |x|^2) / Z, kappa =
 * w / 2 sigma^2. sigma and the share of wrong edges are those of greatest likelihood, by expectation and
 * maximisation from several starts, so that more than half of all edges may be wrong.
 */
#include "robust/robust.h"

#include "graph/given.h"

#include <math.h>

enum { SAMPLE = 400, SHORT = 12, LONG = 4 };

static const double starts[] = {0.03, 0.1, 0.25, 0.5, 0.9};
static const double least_sigma = 1e-5, least_wrong = 1e-6, most_wrong = 0.999;
static const double still = 0.005; /* change of a step after which no more are worth while */

static double dimension(const group_t *group) {
  return (double)(group->q * (group->q - 1)) / 2;
}

double mixture_ratio(const mixture_t *x, double square, double weight) {
  double level = x->level; /* of weight 1, which most have */
  if (weight != 1) level = x->flat + x->half * log(weight) - langevin_bend(x->group, weight * x->inverse);
  return level - square * x->inverse;
}

double mixture_right(const mixture_t *x, double square, double weight) {
  return 1 / (1 + exp(x->log_wrong - x->log_right - mixture_ratio(x, square, weight)));
}

double mixture_density(const mixture_t *x, double square, double weight) {
  double right = mixture_ratio(x, square, weight) + x->log_right;
  return fmax(right, x->log_wrong) + log1p(exp(-fabs(right - x->log_wrong)));
}

/* What follows from sigma and wrong. */
static void complete(const group_t *group, mixture_t *x) {
  double variance = x->sigma * x->sigma;
  x->group = group;
  x->half = dimension(group) / 2;
  x->inverse = 1 / (2 * variance);
  x->flat = -langevin_flat(group, x->inverse);
  x->level = x->flat - langevin_bend(group, x->inverse);
  x->log_right = log1p(-x->wrong), x->log_wrong = log(x->wrong);
}

/* One step over every stride-th edge; how much it changed. */
static double improve(const group_t *group, const double *square, const double *weight, int64_t count,
                      int64_t stride, mixture_t *x) {
  double right = 0, sum = 0, total = 0, sigma = x->sigma, wrong = x->wrong;
  complete(group, x);
  for (int64_t e = 0; e < count; e += stride) {
    double p = mixture_right(x, square[e], weight[e]);
    right += p, sum += p * square[e], total += 1;
  }
  x->sigma = fmax(sqrt(sum / fmax(2 * x->half * right, 1e-300)), least_sigma);
  x->wrong = fmin(fmax(1 - right / total, least_wrong), most_wrong);
  return fmax(fabs(x->sigma / sigma - 1), fabs(x->wrong - wrong));
}

static double likelihood_of(const group_t *group, const double *square, const double *weight, int64_t count,
                            int64_t stride, mixture_t *x) {
  double sum = 0, total = 0;
  complete(group, x);
  for (int64_t e = 0; e < count; e += stride) sum += mixture_density(x, square[e], weight[e]), total += 1;
  return sum / total;
}

mixture_t mixture_of(const group_t *group, double sigma, double wrong) {
  mixture_t x = {.sigma = sigma, .wrong = wrong};
  complete(group, &x);
  return x;
}

mixture_t mixture_fit(const group_t *group, const double *square, const double *weight, int64_t count,
                      double free) {
  mixture_t best = {.sigma = 1, .wrong = 0.5, .likelihood = -INFINITY};
  double some[SAMPLE];
  int64_t stride = count / SAMPLE + 1, size = 0;
  for (int64_t e = 0; e < count; e += stride) some[size++] = square[e];
  for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) {
    double at = residual_quantile(some, size, starts[s]);
    mixture_t x = {.sigma = fmax(sqrt(at / dimension(group)), least_sigma),
                   .wrong = fmin(1 - starts[s], 0.5)};
    for (int step = 0; step < SHORT; step++)
      if (improve(group, square, weight, count, stride, &x) < still) break;
    x.likelihood = likelihood_of(group, square, weight, count, stride, &x);
    if (x.likelihood > best.likelihood) best = x;
  }
  for (int step = 0; step < LONG; step++) improve(group, square, weight, count, 1, &best);
  best.sigma /= sqrt(free);
  complete(group, &best);
  return best;
}

double mixture_square(const robust_t *problem, const double *r, int64_t e) {
  double m[GIVEN_MOST_Q * GIVEN_MOST_Q], sum = 0;
  int64_t q = problem->part->q;
  part_defect(problem->part, r, e, m);
  for (int64_t i = 0; i < q * q; i++) sum += (m[i] - (i % (q + 1) ? 0 : 1)) * (m[i] - (i % (q + 1) ? 0 : 1));
  return problem->given[e] * sum / 2;
}

void mixture_squares(const run_t *run, const robust_t *problem, const double *r, double *square) {
  const part_t *part = problem->part;
#pragma omp parallel for num_threads(part->m > 5000 ? run->threads : 1) schedule(static)
  for (int64_t e = 0; e < part->m; e++) square[e] = mixture_square(problem, r, e);
}
