/* Groups of eigenvalues, and how far their rates can be believed. */
#include "spectrum/rates.h"
#include "trust/parts.h"

#include <math.h>

/* Share of the next rate: less is that of fields which are parallel but for the bending of the planes (0.12
 * at most on the flat bottles and tori of studies/real/shapes.py, 0.2 the least that is not zero). */
static const double ZERO = 0.15;
/*
 * The interval reaches from the ratio to both sides by the root of a sum of squares: LEAST, and WIDTH times
 * what the samples differ by and what they and the run differ by; and by RICHARDSON times what twice the
 * epsilon changes to the other side of that change, where the limit lies. An edge changes rates
 * by a multiple of sqrt(epsilon), for which half of that change is too little. So chosen that 93 in 100 hold
 * the truth on the shapes "tune" of studies/real/shapes.py, 1,000 to 3,000 points, noise 0 to .05 of the
 * smallest radius in 20 dimensions, all methods (studies/real/trust.py --half tune).
 */
static const double LEAST = 0.015, WIDTH = 1.2, RICHARDSON = 1;

/* A rate that is zero in the limit goes with epsilon^2 or not at all: doubling epsilon then changes the
 * ratios of the next groups to it by more than from FALL to RISE, of the same shapes. */
static const double FALL = -0.2, RISE = 0.6;

static const double SMALL = 1e-3; /* a rate that says nothing of noise */

void groups_find(trust_t *t) {
  t->groups = rates_groups(t->values, t->pairs, t->first);
}

static double ratio_of(const trust_t *t, const lavdm_model *fitted, int64_t g) {
  if (!fitted || t->first[g + 1] > fitted->info.chosen->components) return NAN;
  const double *values = fitted->info.eigenvalues;
  return groups_rate(t, values, g) / groups_rate(t, values, t->unit);
}

/* Whether the unit is a group of parallel fields after all. */
static bool vanishes(const trust_t *t) {
  enum { NEXT = 3 };
  for (int64_t g = t->unit + 1; g < t->groups && g <= t->unit + NEXT; g++) {
    double change = ratio_of(t, t->wide, g) / ratio_of(t, t->fitted[0], g) - 1;
    if (change < FALL || change > RISE) return true;
  }
  return false;
}

void groups_measure(trust_t *t) {
  double *rate = t->table[TRUST_RATE];
  bool tangent = t->run->options.bundle == LAVDM_BUNDLE_TANGENT;
  double zero = tangent ? ZERO : RATE_NOTHING;
  for (int64_t g = 0; g < t->groups; g++) rate[g] = groups_rate(t, t->values, g);
  t->unit = 0;
  while (t->unit + 1 < t->groups && !(rate[t->unit] > zero * rate[t->unit + 1])) t->unit++;
  while (tangent && t->unit + 2 < t->groups && vanishes(t)) t->unit++;
  if (!t->groups || !(rate[t->unit] > 0)) t->unit = -1;
  for (int64_t g = 0; g < t->groups; g++) {
    for (int c = TRUST_RATIO; c < TRUST_ANGLE; c++) t->table[c][g] = NAN;
    if (t->unit >= 0) t->table[TRUST_RATIO][g] = rate[g] / rate[t->unit];
  }
}

double groups_rate(const trust_t *t, const double *values, int64_t g) {
  double sum = 0;
  for (int64_t l = t->first[g]; l < t->first[g + 1]; l++) sum += rate_of(values[l]);
  return sum / (double)(t->first[g + 1] - t->first[g]);
}

/*
 * The rate of a mode goes with epsilon, that of planes which noise turns does not depend on it: doubling
 * epsilon doubles the slowest rate, or leaves it as it is. On the shapes "tune" of studies/real/shapes.py it
 * grows by 1.46 and more with the frames of the automatic choice; with 10 neighbours in place of them and
 * noise of .05 to .2 in 20 dimensions by 1.04 to 1.37 where the ratios are gone.
 */
bool planes_hidden(const trust_t *t) {
  const double grown = 1.4;
  if (!t->wide || t->run->options.bundle != LAVDM_BUNDLE_TANGENT) return false;
  double near = rate_of(t->fitted[0]->info.eigenvalues[0]), wide = rate_of(t->wide->info.eigenvalues[0]);
  return near > SMALL && wide < grown * near;
}

/* Nothing is said of the last group, which may go on beyond what was computed, of groups that the samples do
 * not agree on, and where the graph takes short cuts or planes are hidden. */
static bool can_tell(const trust_t *t, int64_t g) {
  const double enough = 0.5;
  const double *agreement = t->table[TRUST_AGREEMENT];
  return g + 1 < t->groups && agreement[g] >= enough && agreement[t->unit] >= enough &&
         !shortcuts_matter(t) && !planes_hidden(t);
}

void groups_judge(trust_t *t) {
  if (t->unit < 0) return;
  for (int64_t g = t->unit; g < t->groups; g++) {
    double ratio = t->table[TRUST_RATIO][g], a = ratio_of(t, t->fitted[0], g),
           b = ratio_of(t, t->fitted[1], g), wide = ratio_of(t, t->wide, g);
    double spread = fabs(a - b) / sqrt(2) / ratio, drift = (a + b) / 2 / ratio - 1, bias = wide / a - 1;
    t->table[TRUST_SPREAD][g] = spread;
    t->table[TRUST_DRIFT][g] = drift;
    t->table[TRUST_BIAS][g] = bias;
    if (!can_tell(t, g)) continue;
    double half = sqrt(LEAST * LEAST + WIDTH * WIDTH * (spread * spread + drift * drift));
    if (g == t->unit) half = bias = 0;
    t->table[TRUST_LOW][g] = fmax(ratio * (1 - half - RICHARDSON * fmax(bias, 0)), 0);
    t->table[TRUST_HIGH][g] = ratio * (1 + half + RICHARDSON * fmax(-bias, 0));
  }
}
