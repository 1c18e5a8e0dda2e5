/*
 * Nodes that sit in the wrong place for good: most of their edges are wrong, and those that are right are too
 * few to draw them over. Such a node is tried wherever one of its edges puts it, and stays where its edges
 * are likeliest, sum of log((1 - wrong) g + wrong) as in mixture.c.
 */
#include "robust/robust.h"

#include "base/memory.h"
#include "graph/given.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { MOST_TRIED = 40 };

static const double content = 0.7; /* share of trust in the edges of a node that is left alone */

/* to (q x q): where link puts its node. */
static void put(const part_t *part, const double *r, int64_t link, double *to) {
  int64_t q = part->q, q2 = q * q;
  const double *o = part->o + link / 2 * q2, *other = r + link_node(part, link) * q2;
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = 0; b < q; b++) {
      double sum = 0;
      for (int64_t k = 0; k < q; k++) sum += (link & 1 ? o[k * q + a] : o[a * q + k]) * other[k * q + b];
      to[a * q + b] = sum;
    }
}

/* The likelihood of node i at `here`, `said` being what each of its links says. */
static double likely(const robust_t *problem, const mixture_t *x, int64_t i, const double *here,
                     const double *said) {
  const part_t *part = problem->part;
  int64_t q2 = part->q * part->q, first = part->start[i];
  double sum = 0;
  for (int64_t at = first; at < part->start[i + 1]; at++, said += q2) {
    double square = 0, w = problem->given[part->link[at] / 2];
    for (int64_t k = 0; k < q2; k++) square += (here[k] - said[k]) * (here[k] - said[k]);
    sum += mixture_density(x, w * square / 2, w);
  }
  return sum;
}

static void hear(const part_t *part, const double *r, int64_t i, double *said) {
  for (int64_t at = part->start[i]; at < part->start[i + 1]; at++)
    put(part, r, part->link[at], said + (at - part->start[i]) * part->q * part->q);
}

/* Of some links, others every turn, the one that puts node i best, or -1 if none is better than where it is.
 */
static int64_t best_link(const robust_t *problem, const mixture_t *x, const double *r, int64_t i, int turn,
                         double *said) {
  const part_t *part = problem->part;
  int64_t q2 = part->q * part->q, degree = part->start[i + 1] - part->start[i], best = -1;
  int64_t stride = degree / MOST_TRIED + 1;
  hear(part, r, i, said);
  double most = likely(problem, x, i, r + i * q2, said) + 1;
  for (int64_t l = turn % stride; l < degree; l += stride) {
    double value = likely(problem, x, i, said + l * q2, said);
    if (value > most) most = value, best = l;
  }
  return best;
}

static bool is_content(const part_t *part, const double *trust, int64_t i) {
  double sum = 0;
  for (int64_t at = part->start[i]; at < part->start[i + 1]; at++) sum += trust[part->link[at] / 2];
  return sum >= content * (double)(part->start[i + 1] - part->start[i]);
}

int move_nodes(run_t *run, const robust_t *problem, const mixture_t *x, int turn, const double *trust,
               double *r, int64_t *moved) {
  const part_t *part = problem->part;
  int64_t q2 = part->q * part->q, most = 0;
  for (int64_t i = 0; i < part->n; i++)
    most = part->start[i + 1] - part->start[i] > most ? part->start[i + 1] - part->start[i] : most;
  int64_t *best = NEW(int64_t, part->n);
  double *said = NEW(double, (int64_t)run->threads *most *q2);
  *moved = 0;
  int status = best && said ? LAVDM_OK : fail_memory(run->error, "the weights");
  if (!status) {
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 64)
    for (int64_t i = 0; i < part->n; i++)
      best[i] = is_content(part, trust, i)
                    ? -1
                    : best_link(problem, x, r, i, turn, said + omp_get_thread_num() * most * q2);
    for (int64_t i = 0; i < part->n; i++) { /* once more, for those that moved before it */
      if (best[i] < 0) continue;
      hear(part, r, i, said);
      double *here = r + i * q2, *there = said + best[i] * q2;
      if (likely(problem, x, i, there, said) <= likely(problem, x, i, here, said)) continue;
      memcpy(here, there, (size_t)q2 * sizeof *r);
      ++*moved;
    }
  }
  mem_free(best);
  mem_free(said);
  return status;
}
