#include "spectrum/rates.h"

#include <math.h>

static const double GAP = 0.12; /* share of a rate that parts it from the one before */

double rate_of(double value) {
  double rate = value > 0 ? -log(value) : INFINITY;
  return rate > RATE_NOTHING ? rate : 0;
}

bool rates_part(double rate, double next) {
  return !isfinite(next) || next - rate > GAP * next;
}

int64_t rates_groups(const double *values, int64_t count, int64_t *first) {
  int64_t groups = 0;
  first[0] = 0;
  for (int64_t l = 0; l < count; l++) {
    double rate = rate_of(values[l]), next = l + 1 < count ? rate_of(values[l + 1]) : INFINITY;
    if (!isfinite(rate)) break;
    if (rates_part(rate, next)) first[++groups] = l + 1;
  }
  return groups;
}
