#include "poses/likelihood.h"

#include <math.h>

/* Sums are made chunk by chunk, so that they are the same for any number of threads. */
enum { CHUNKS = 128, FEW = 2000 };

void likelihood_miss(const likelihood_t *problem, const double *r, const double *p, int64_t e, double *turned,
                     double *moved) {
  const part_t *part = problem->part;
  int64_t q = part->q, i = part->row[e], k = part->col[e];
  const double *o = part->o + e * q * q, *ri = r + i * q * q, *rk = r + k * q * q;
  double turn = 0, move = 0;
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = 0; b < q; b++) {
      double x = o[a * q + b];
      for (int64_t l = 0; l < q; l++) x -= ri[a * q + l] * rk[b * q + l];
      turn += x * x;
    }
  for (int64_t b = 0; b < q && problem->shift; b++) {
    double x = p[k * q + b] - p[i * q + b];
    for (int64_t a = 0; a < q; a++) x -= ri[a * q + b] * problem->shift[e * q + a];
    move += x * x;
  }
  *turned = turn, *moved = move;
}

static double edge_cost(const likelihood_t *problem, const double *r, const double *p, int64_t e) {
  double turn, move;
  likelihood_miss(problem, r, p, e, &turn, &move);
  return problem->part->weight[e] * turn + (problem->shift ? problem->tau[e] * move : 0);
}

double likelihood_cost(const run_t *run, const likelihood_t *problem, const double *r, const double *p) {
  int64_t m = problem->part->m;
  double of_chunk[CHUNKS] = {0}, sum = 0, lost = 0;
#pragma omp parallel for num_threads(m > FEW ? run->threads : 1) schedule(static)
  for (int64_t chunk = 0; chunk < CHUNKS; chunk++)
    for (int64_t e = m * chunk / CHUNKS; e < m * (chunk + 1) / CHUNKS; e++)
      of_chunk[chunk] += edge_cost(problem, r, p, e);
  for (int64_t chunk = 0; chunk < CHUNKS; chunk++) { /* compensated */
    double term = of_chunk[chunk] - lost, next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
  return sum;
}
