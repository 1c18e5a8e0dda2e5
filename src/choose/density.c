/*
 * What the density of the points is met with: normalise and bandwidth, and how wide each bandwidth is.
 * Neither a balanced diffusion nor a bandwidth of each point's own is taken unless it is asked for: without
 * uneven noise the former is less accurate.
 */
#include "choose/choose.h"

#include <math.h>

/* Points with so many copies that their knn-th neighbour is one of them would have no bandwidth, and the
 * diffusion, whose steps are those of the least, would not move. The densest part of a circle, sphere or
 * torus whose density varies fiftyfold has .4 and more. */
static const double LEAST_RHO = 0.05;

void choose_density(lavdm_options *o) {
  if (o->normalise == LAVDM_NORMALISE_AUTO) o->normalise = LAVDM_NORMALISE_DEGREE;
  if (o->bandwidth == LAVDM_BANDWIDTH_AUTO) o->bandwidth = LAVDM_BANDWIDTH_GLOBAL;
  if (o->normalise == LAVDM_NORMALISE_SINKHORN && o->alpha == LAVDM_AUTO) o->alpha = 0;
}

double bandwidth_of(const bandwidths_t *bandwidths, double reach) {
  return fmax(reach / bandwidths->unit, LEAST_RHO);
}

int choose_bandwidths(run_t *run, const double *reach, int64_t n, double *rho, bandwidths_t *out) {
  double sum = 0;
  int64_t positive = 0;
  for (int64_t i = 0; i < n; i++)
    if (reach[i] > 0) sum += log(reach[i]), positive++;
  if (!positive)
    return fail(run->error, LAVDM_ERROR_DATA,
                "bandwidth is local, but the knn-th neighbour of every point is a copy of it");
  out->unit = exp(sum / (double)positive);
  out->step = INFINITY, out->most = 0;
  for (int64_t i = 0; i < n; i++) {
    rho[i] = bandwidth_of(out, reach[i]);
    out->step = fmin(out->step, rho[i] * rho[i]);
    out->most = fmax(out->most, rho[i]);
  }
  return LAVDM_OK;
}
