/*
 * How likely residuals are, whatever their distribution, as long as it falls: the density is a mixture of
 * Gaussians whose deviations are those of a ladder, doubling from rung to rung, and of the even one. Only the
 * shares are fitted, which has one optimum. Solutions that are right in places show in it, where a mixture of
 * one Gaussian would see a single wide one.
 */
#include "robust/robust.h"

#include "base/memory.h"

#include <math.h>

enum { RUNGS = 24, STEPS = 60 };

static const double low_share = 0.02, least = 1e-5, top = 2;

/* The greatest log density of an edge, and density (RUNGS): all of them over that; the last is the even one.
 */
static double fill(const mixture_t *rung, int rungs, double square, double weight, double *density) {
  double most = 0;
  for (int k = 0; k < rungs; k++) most = fmax(most, density[k] = mixture_ratio(&rung[k], square, weight));
  density[rungs] = 0;
  for (int k = 0; k <= rungs; k++) density[k] = exp(density[k] - most);
  return most;
}

/* share (rungs + 1) of greatest likelihood, from even ones on. */
static void fit(const double *density, int64_t count, int rungs, double *share) {
  double next[RUNGS + 1];
  for (int k = 0; k <= rungs; k++) share[k] = 1 / (double)(rungs + 1);
  for (int step = 0; step < STEPS; step++) {
    for (int k = 0; k <= rungs; k++) next[k] = 0;
    for (int64_t h = 0; h < count; h++) {
      const double *own = density + h * (RUNGS + 1);
      double sum = 0;
      for (int k = 0; k <= rungs; k++) sum += share[k] * own[k];
      for (int k = 0; k <= rungs; k++) next[k] += share[k] * own[k] / (sum * (double)count);
    }
    for (int k = 0; k <= rungs; k++) share[k] = next[k];
  }
}

double score_least(const double *square, int64_t count, double *scratch) {
  for (int64_t h = 0; h < count; h++) scratch[h] = square[h];
  return sqrt(residual_quantile(scratch, count, low_share));
}

int score_edges(run_t *run, const group_t *group, double from, const double *weight, int64_t count,
                double *square) {
  mixture_t rung[RUNGS];
  double share[RUNGS + 1], *density = NEW(double, count *(RUNGS + 1)), *most = NEW(double, count), unit = 1;
  int rungs = 0,
      status = density && most ? LAVDM_OK : fail_memory(run->error, "the edges that are held back");
  if (!status) {
    for (int64_t h = 0; h < count; h++) most[h] = weight[h];
    unit = sqrt(residual_quantile(most, count, 0.5));
    for (double s = fmax(from, least * unit); rungs < 1 || (s < top * unit && rungs < RUNGS); s *= 2)
      rung[rungs++] = mixture_of(group, s, 0.5);
    for (int64_t h = 0; h < count; h++)
      most[h] = fill(rung, rungs, square[h], weight[h], density + h * (RUNGS + 1));
    fit(density, count, rungs, share);
    for (int64_t h = 0; h < count; h++) {
      double sum = 0;
      for (int k = 0; k <= rungs; k++) sum += share[k] * density[h * (RUNGS + 1) + k];
      square[h] = most[h] + log(fmax(sum, 1e-300));
    }
  }
  mem_free(density);
  mem_free(most);
  return status;
}
