/*
 * Cycle-edge message passing (Lerman and Shi 2021): with d_ijk the distance of a triangle from closing, how
 * corrupt edge ij is comes from the triangles whose other edges are not,
 *     s_ij <- sum_k e^(-beta (s_ik + s_jk)) d_ijk / sum_k e^(-beta (s_ik + s_jk)),
 * from plain means on, with beta = 1, 2, 4, ... 32.
 */
#include "robust/robust.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { MOST_BETA = 32 };

static const double least_weight = 1e-3, low_share = 0.1, at_low = 1.0;

/* next from s; beta 0 gives the plain means. */
static void pass(const run_t *run, const triangles_t *t, int64_t m, double beta, const double *s,
                 double *next) {
#pragma omp parallel for num_threads(m > 5000 ? run->threads : 1) schedule(static)
  for (int64_t e = 0; e < m; e++) {
    double sum = 0, norm = 0, least = 2;
    for (int64_t at = t->start[e]; at < t->start[e + 1]; at++)
      least = fmin(least, s[t->beside[2 * at]] + s[t->beside[2 * at + 1]]);
    for (int64_t at = t->start[e]; at < t->start[e + 1]; at++) {
      double w = exp(-beta * (s[t->beside[2 * at]] + s[t->beside[2 * at + 1]] - least));
      sum += w * (double)t->distance[at], norm += w;
    }
    next[e] = norm > 0 ? sum / norm : NAN;
  }
}

/* The median of those that are in triangles, in place of NaN. */
static void fill_lone(const triangles_t *t, int64_t m, double *s, double *scratch) {
  int64_t count = 0;
  for (int64_t e = 0; e < m; e++)
    if (t->start[e + 1] > t->start[e]) scratch[count++] = s[e];
  double middle = count ? residual_quantile(scratch, count, 0.5) : 0;
  for (int64_t e = 0; e < m; e++)
    if (t->start[e + 1] == t->start[e]) s[e] = middle;
}

int cycles_corruption(run_t *run, const part_t *part, const triangles_t *t, double *corrupt) {
  int64_t m = part->m;
  double *next = NEW(double, m), *scratch = NEW(double, m);
  int status = next && scratch ? LAVDM_OK : fail_memory(run->error, "the triangles");
  for (int beta = 0; beta <= MOST_BETA && !status; beta = beta ? 2 * beta : 1) {
    pass(run, t, m, beta, corrupt, next);
    fill_lone(t, m, next, scratch);
    memcpy(corrupt, next, (size_t)m * sizeof *next);
  }
  mem_free(next);
  mem_free(scratch);
  return status;
}

/* e^(-beta s), with beta such that noise alone, which the lower end of s tells, leaves differences of e. */
void cycles_weights(const part_t *part, const double *given, double *corrupt) {
  memcpy(part->weight, corrupt, (size_t)part->m * sizeof *corrupt);
  double low = residual_quantile(part->weight, part->m, low_share);
  double beta = fmin(at_low / fmax(low, 1e-6), MOST_BETA);
  for (int64_t e = 0; e < part->m; e++)
    part->weight[e] = given[e] * fmax(exp(-beta * fmax(corrupt[e] - low, 0)), least_weight);
}
