/*
 * Shifts that are wrong, where elements are known: residuals of p_k - p_i = R_i' shift are Gaussian with
 * variance sigma^2 / tau in each direction, or, with probability wrong, of one that is much wider and the
 * same for all. Both scales and the share come by expectation and maximisation; trust becomes what it was
 * times the probability of the narrow kind. Positions follow, and the next round. The narrow kind is taken
 * for wide at first, and by degrees for what it is: a wrong shift draws its nodes away, and the right edges
 * there do not fit either until it is out.
 */
#include "robust/robust.h"

#include "base/memory.h"

#include <math.h>

enum { ROUNDS = 9, STEPS = 20 };

static const double least_trust = 1e-8, apart = 4, calm = 1e-4, least_free = 0.02, tiny = 1e-300;
static const double first_widened = 1024; /* of variances */

typedef struct {
  double narrow, wide; /* variances, narrow that of tau = 1 */
  double wrong;
} scales_t;

/* length (m): |p_k - p_i - R_i' shift|^2. */
static void lengths(const part_t *part, const double *shift, const double *r, const double *p,
                    double *length) {
  int64_t q = part->q;
  for (int64_t e = 0; e < part->m; e++) {
    int64_t i = part->row[e], k = part->col[e];
    length[e] = 0;
    for (int64_t b = 0; b < q; b++) {
      double x = p[k * q + b] - p[i * q + b];
      for (int64_t a = 0; a < q; a++) x -= r[(i * q + a) * q + b] * shift[e * q + a];
      length[e] += x * x;
    }
  }
}

/* Probability of the narrow kind. */
static double narrow_of(const scales_t *s, int64_t q, double length, double tau) {
  double ratio = (double)q / 2 * log(tau * s->wide / s->narrow) - tau * length / (2 * s->narrow) +
                 length / (2 * s->wide);
  return 1 / (1 + exp(log(s->wrong) - log1p(-s->wrong) - ratio));
}

/* From medians on. scratch: m. */
static scales_t fit_scales(const robust_t *problem, const double *tau, const double *length,
                           const double *before, double *scratch) {
  const part_t *part = problem->part;
  double d = (double)part->q, total = 0;
  for (int64_t e = 0; e < part->m; e++) scratch[e] = tau[e] * length[e];
  scales_t s = {.narrow = residual_quantile(scratch, part->m, 0.5) / d + tiny, .wrong = 0.1};
  for (int64_t e = 0; e < part->m; e++) scratch[e] = length[e];
  s.wide = residual_quantile(scratch, part->m, 0.98) / d * 4 + tiny;
  for (int step = 0; step < STEPS; step++) {
    double narrow = 0, count = 0, wide = 0;
    total = 0;
    for (int64_t e = 0; e < part->m; e++) {
      double p = narrow_of(&s, part->q, length[e], tau[e]), v = before[e];
      count += v * p, narrow += v * p * tau[e] * length[e], wide += v * (1 - p) * length[e], total += v;
    }
    double others = fmax(total - count, tiny);
    s.narrow = narrow / fmax(d * count, tiny) + tiny, s.wrong = fmin(fmax(others / total, 1e-6), 0.9);
    if (others > 1) s.wide = wide / (d * others) + tiny;
  }
  double free = fmax(1 - (double)(part->n - 1) / fmax(total * (1 - s.wrong), 1), least_free);
  s.narrow /= free;
  return s;
}

/* trust = before * probability; the mean change. Kinds that are hardly apart are one. The narrow kind is
 * taken for `widened` times as wide, up to what sets the two apart. */
static double believe(const robust_t *problem, scales_t *s, const double *tau, const double *length,
                      const double *before, double middle, double widened, double *trust) {
  const part_t *part = problem->part;
  double change = 0, most = s->wide * middle / (apart * apart);
  bool two = s->narrow < most;
  s->narrow = fmax(s->narrow, fmin(s->narrow * widened, most));
  for (int64_t e = 0; e < part->m; e++) {
    double p = two ? narrow_of(s, part->q, length[e], tau[e]) : 1;
    double now = fmax(before[e] * p, least_trust);
    change += fabs(now - trust[e]) / (double)part->m;
    trust[e] = now;
  }
  return change;
}

/* Positions for the weights as they are now. */
static int place(run_t *run, const robust_t *problem, const robust_shifts *shifts, const double *trust,
                 double *tau, const double *r, double *p) {
  part_t *part = problem->part;
  bool exact;
  for (int64_t e = 0; e < part->m; e++) {
    part->weight[e] = problem->given[e] * trust[e];
    tau[e] = shifts->tau[e] * fmax(trust[e], least_trust);
  }
  const likelihood_t likelihood = {part, shifts->shift, tau};
  return likelihood_place(run, &likelihood, r, p, &exact);
}

int robust_positions(run_t *run, const robust_t *problem, const robust_shifts *shifts, const double *r,
                     double *p, double *trust) {
  int64_t m = problem->part->m;
  double *length = NEW(double, m), *before = NEW(double, m), *tau = NEW(double, m), *scratch = NEW(double, m);
  bool whole = length && before && tau && scratch;
  int status = whole ? LAVDM_OK : fail_memory(run->error, "the weights of positions");
  double middle = 1, change = 1, widened = first_widened;
  run_stage(run, "weights");
  for (int64_t e = 0; e < m && !status; e++) before[e] = trust[e], scratch[e] = shifts->tau[e];
  if (!status) middle = residual_quantile(scratch, m, 0.5);
  for (int round = 0; round < ROUNDS && change > calm && !status; round++) {
    status = place(run, problem, shifts, trust, tau, r, p);
    if (status) break;
    lengths(problem->part, shifts->shift, r, p, length);
    scales_t s = fit_scales(problem, shifts->tau, length, before, scratch);
    change = believe(problem, &s, shifts->tau, length, before, middle, widened, trust);
    if (widened > 1 && change > 0) change = 1, widened = fmax(widened / 4, 1);
  }
  for (int64_t e = 0; e < m && !status; e++) problem->part->weight[e] = problem->given[e] * trust[e];
  mem_free(length);
  mem_free(before);
  mem_free(tau);
  mem_free(scratch);
  return status;
}
