/*
 * Residuals, and weights that turn edges down which do not fit: those of Geman and McClure,
 * 1 / (1 + (x/s)^2)^2 for the chord x = |O - R_i R_k'| / sqrt(2), with s in proportion to
 * the noise that the median of x speaks of, so that it shrinks as the fit gets better: x is
 * sigma times the length of a Gaussian vector of d = q(q-1)/2 numbers, whose median is nearly
 * sqrt(d) (1 - 2/(9d))^1.5. A fit of n - 1 elements to m
 * edges makes residuals sqrt(1 - (n-1)/m) times too small, which s makes up for.
 */
#include "sync/sync.h"

#include "base/memory.h"
#include "base/sort.h"
#include "graph/given.h"

#include <math.h>

static const double scale_of_noise = 3.2, least_scale = 1e-5, least_freedom = 1e-3;

static double trace_of(const part_t *part, const double *r, int64_t e) {
  double m[GIVEN_MOST_Q * GIVEN_MOST_Q], trace = 0;
  part_defect(part, r, e, m);
  for (int64_t a = 0; a < part->q; a++) trace += m[a * part->q + a];
  return trace;
}

double residual_of(const group_t *group, const part_t *part, const double *r, int64_t e) {
  double m[GIVEN_MOST_Q * GIVEN_MOST_Q], sum = 0;
  int64_t q = part->q;
  part_defect(part, r, e, m);
  if (q == 1) return m[0] < 0;
  for (int64_t i = 0; i < q * q; i++) {
    double x = m[i] - (i % (q + 1) ? 0 : 1);
    sum += x * x;
  }
  bool angle = q <= 3 && group->group != LAVDM_GROUP_O;
  return angle ? 2 * asin(fmin(sqrt(sum / 8), 1)) : sqrt(sum); /* |1 - rotation|^2 = 8 sin(theta/2)^2 */
}

double residual_quantile(double *x, int64_t count, double share) {
  int64_t k = (int64_t)ceil(share * (double)count) - 1;
  return count < 1 ? NAN : smallest_real(x, count, k < 0 ? 0 : k);
}

void trust_edges(const run_t *run, part_t *part, const double *r, const double *given, double *trust,
                 double *scratch) {
  double q = (double)part->q;
#pragma omp parallel for num_threads(part->m > 5000 ? run->threads : 1) schedule(static)
  for (int64_t e = 0; e < part->m; e++) trust[e] = scratch[e] = sqrt(fmax(q - trace_of(part, r, e), 0));
  double free = fmax(1 - (double)(part->n - 1) / (double)part->m, least_freedom);
  double d = q * (q - 1) / 2, usual = sqrt(d) * pow(1 - 2 / (9 * d), 1.5);
  double noise = residual_quantile(scratch, part->m, 0.5) / (usual * sqrt(free));
  double scale = fmax(scale_of_noise * noise, least_scale);
  for (int64_t e = 0; e < part->m; e++) {
    double x = trust[e] / scale, f = 1 / (1 + x * x);
    trust[e] = f * f;
    part->weight[e] = given[e] * trust[e];
  }
}
