/*
 * Signs agree or not, so that a residual says little of one edge; those of a node together say how good the
 * node is. With c_i the mean of O x_i x_k over the edges of node i, shrunk to the mean c of all by as much as
 * chance alone spreads them, an edge is right with probability (1 + rho)/2, rho = c_i c_k / c, and counts
 * atanh(rho) / atanh(c) times: the log odds, over those of an edge between usual nodes.
 */
#include "robust/robust.h"

#include "base/memory.h"

#include <math.h>

enum { ROUNDS = 4 };

static const double least_rho = 0.01, most_rho = 0.99;

static double agrees(const part_t *part, const double *r, int64_t e) {
  return part->o[e] * r[part->row[e]] * r[part->col[e]] < 0 ? -1 : 1;
}

/* good (n): how well the edges of each node agree, shrunk. Returns the mean over edges. */
static double rate_nodes(const part_t *part, const double *r, double *good) {
  double all = 0, spread = 0, chance = 0;
  for (int64_t e = 0; e < part->m; e++) all += agrees(part, r, e) / (double)part->m;
  for (int64_t i = 0; i < part->n; i++) {
    double sum = 0, degree = (double)(part->start[i + 1] - part->start[i]);
    for (int64_t at = part->start[i]; at < part->start[i + 1]; at++)
      sum += agrees(part, r, part->link[at] / 2);
    good[i] = sum / degree;
    spread += (good[i] - all) * (good[i] - all) * degree;
    chance += 1 - all * all;
  }
  double edges = 2 * (double)part->m, own = fmax(spread - chance, 0) / edges;
  for (int64_t i = 0; i < part->n; i++) {
    double by_chance = (1 - all * all) / (double)(part->start[i + 1] - part->start[i]);
    good[i] = all + (own > 0 ? own / (own + by_chance) : 0) * (good[i] - all);
  }
  return all;
}

static double clip(double rho) {
  return fmin(fmax(rho, least_rho), most_rho);
}

/* rho of edge e. */
static double right_of(const part_t *part, const double *good, double all, int64_t e) {
  return clip(fmax(good[part->row[e]], 0) * fmax(good[part->col[e]], 0) / clip(all));
}

/* An edge is right, or with probability 1 - rho a coin was tossed. */
static void believe(const robust_t *problem, const double *r, const double *good, double all, double *trust) {
  const part_t *part = problem->part;
  for (int64_t e = 0; e < part->m; e++) {
    double rho = right_of(part, good, all, e);
    trust[e] = agrees(part, r, e) > 0 ? rho / (rho + (1 - rho) / 2) : 0;
    part->weight[e] = problem->given[e] * trust[e];
  }
}

int robust_signs(run_t *run, const robust_t *problem, leading_t *leading, double *r, double *trust) {
  part_t *part = problem->part;
  double *good = NEW(double, part->n), all = 0;
  int64_t changed = 0;
  int status = good ? LAVDM_OK : fail_memory(run->error, "the weights");
  if (!status) status = vote_elements(run, problem->group, part, false, r, &changed);
  for (int round = 0; round < ROUNDS && !status; round++) {
    all = rate_nodes(part, r, good);
    for (int64_t e = 0; e < part->m; e++)
      part->weight[e] = problem->given[e] * atanh(right_of(part, good, all, e)) / atanh(clip(all));
    status = robust_spectrum(run, problem, leading, r);
    if (!status) status = vote_elements(run, problem->group, part, false, r, &changed);
  }
  if (!status) {
    all = rate_nodes(part, r, good);
    believe(problem, r, good, all, trust);
  }
  mem_free(good);
  return status;
}
