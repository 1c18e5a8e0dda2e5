/*
 * What the density of the points is met with: normalise and bandwidth. Neither a balanced diffusion nor a
 * bandwidth of each point's own is taken unless it is asked for: without uneven noise the former is less
 * accurate.
 */
#include "choose/choose.h"

void choose_density(lavdm_options *o) {
  if (o->normalise == LAVDM_NORMALISE_AUTO) o->normalise = LAVDM_NORMALISE_DEGREE;
  if (o->bandwidth == LAVDM_BANDWIDTH_AUTO) o->bandwidth = LAVDM_BANDWIDTH_GLOBAL;
  if (o->normalise == LAVDM_NORMALISE_SINKHORN && o->alpha == LAVDM_AUTO) o->alpha = 0;
}
