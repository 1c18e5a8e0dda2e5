/*
 * Best fit for Z2 and cyclic groups, node by node in their order, until none changes: node i
 * takes the element s for which the sum over its edges of w cos(angle between s and what
 * the edge and the other end say) is greatest. Each change raises the sum over all edges.
 *
 * Strictly, an edge counts for the elements next to what it says alone, by exp(-(x/h)^2)
 * for x steps from there: one that is wrong then pulls no other way.
 */
#include "sync/sync.h"

#include "base/memory.h"

#include <math.h>

enum { MOST_SWEEPS = 50 };

static const double width = 0.7;

typedef struct {
  const part_t *part;
  int64_t order;
  double *turn;  /* m: what an edge says, in steps */
  int64_t *step; /* n */
  double *count; /* order */
  double *cosine, *sine;
} vote_t;

static void vote_free(vote_t *v) {
  mem_free(v->turn);
  mem_free(v->step);
  mem_free(v->count);
  mem_free(v->cosine);
  mem_free(v->sine);
}

/* Where link `at` of a node puts it, in steps from 0 to order. */
static double said(const vote_t *v, int64_t link) {
  double k = (double)v->order, turn = v->turn[link / 2];
  double x = (double)v->step[link_node(v->part, link)] + (link & 1 ? -turn : turn);
  return x - k * floor(x / k);
}

/* Votes for each element that link gives, w being its weight. */
static void cast(vote_t *v, double x, double w, bool strict) {
  int64_t k = v->order, near = (int64_t)lround(x);
  if (strict) {
    for (int64_t s = near - 1; s <= near + 1; s++) {
      double away = (x - (double)s) / width;
      if (k > 2 || s == near) v->count[(s % k + k) % k] += w * exp(-away * away);
    }
    return;
  }
  double angle = 2 * M_PI * x / (double)k, c = w * cos(angle), s = w * sin(angle);
  for (int64_t j = 0; j < k; j++) v->count[j] += c * v->cosine[j] + s * v->sine[j];
}

static bool settle(vote_t *v, int64_t i, bool strict) {
  const part_t *part = v->part;
  int64_t best = v->step[i];
  double total = 0;
  for (int64_t j = 0; j < v->order; j++) v->count[j] = 0;
  for (int64_t at = part->start[i]; at < part->start[i + 1]; at++) {
    double w = part->weight[part->link[at] / 2];
    total += w;
    cast(v, said(v, part->link[at]), w, strict);
  }
  for (int64_t j = 0; j < v->order; j++)
    if (v->count[j] > v->count[best] + 1e-9 * total) best = j;
  bool changed = best != v->step[i];
  v->step[i] = best;
  return changed;
}

static int vote_new(run_t *run, const group_t *group, const part_t *part, const double *r, vote_t *v) {
  int64_t k = group->group == LAVDM_GROUP_Z2 ? 2 : group->order, q = part->q;
  *v = (vote_t){part,          k, NEW(double, part->m), NEW(int64_t, part->n), NEW(double, k), NEW(double, k),
                NEW(double, k)};
  if (!v->turn || !v->step || !v->count || !v->cosine || !v->sine)
    return fail_memory(run->error, "the votes");
  for (int64_t e = 0; e < part->m; e++) {
    const double *o = part->o + e * q * q;
    v->turn[e] = q == 1 ? o[0] < 0 : atan2(o[2], o[0]) * (double)k / (2 * M_PI);
  }
  for (int64_t i = 0; i < part->n; i++) v->step[i] = element_step(group, r + i * q * q);
  for (int64_t j = 0; j < k; j++) {
    v->cosine[j] = cos(2 * M_PI * (double)j / (double)k);
    v->sine[j] = sin(2 * M_PI * (double)j / (double)k);
  }
  return LAVDM_OK;
}

int vote_elements(run_t *run, const group_t *group, const part_t *part, bool strict, double *r,
                  int64_t *changed) {
  vote_t v = {0};
  int status = vote_new(run, group, part, r, &v);
  for (int64_t sweep = 0, moved = 1; sweep < MOST_SWEEPS && moved && !status; sweep++) {
    moved = 0;
    for (int64_t i = 0; i < part->n; i++) moved += settle(&v, i, strict);
    if (run_stopped(run, sweep, MOST_SWEEPS)) status = run_status(run);
  }
  for (int64_t i = 0; i < part->n && !status; i++) {
    double *own = r + i * part->q * part->q;
    if (element_step(group, own) != v.step[i]) ++*changed;
    element_of_step(group, v.step[i], own);
  }
  vote_free(&v);
  return status;
}
