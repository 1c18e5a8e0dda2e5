#include "robust/robust.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

enum { STREAM = 91 };

static const double most_of_spare = 0.3; /* of the edges beyond a tree */

static int32_t root_of(int32_t *parent, int32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

void hold_free(hold_t *hold) {
  part_free(&hold->kept);
  void *all[] = {hold->row, hold->col, hold->o, hold->weight, hold->given, hold->edge};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
  *hold = (hold_t){0};
}

/* held (m): edges to hold back, those of this fold less what is needed to join the nodes. */
static int mark(run_t *run, const robust_t *problem, double share, int fold, bool *held, int64_t *count) {
  const part_t *part = problem->part;
  int32_t *parent = NEW(int32_t, part->n);
  if (!parent) return fail_memory(run->error, "the edges that are held back");
  double spare = (double)(part->m - part->n + 1) / (double)part->m, rate = fmin(share, most_of_spare * spare);
  random_t random = random_start(problem->options->seed, STREAM);
  for (int64_t i = 0; i < part->n; i++) parent[i] = (int32_t)i;
  *count = 0;
  for (int64_t e = 0; e < part->m; e++) {
    double at = random_uniform(&random);
    held[e] = at >= fold * rate && at < (fold + 1) * rate;
  }
  for (int chosen = 0; chosen < 2; chosen++) /* the others first, so that few of the chosen ones are needed */
    for (int64_t e = 0; e < part->m; e++) {
      if (held[e] != chosen) continue;
      int32_t a = root_of(parent, part->row[e]), b = root_of(parent, part->col[e]);
      if (a != b) parent[a] = b, held[e] = false;
      *count += held[e];
    }
  mem_free(parent);
  return LAVDM_OK;
}

static int copy_edges(run_t *run, const robust_t *problem, const bool *held, hold_t *out) {
  const part_t *part = problem->part;
  int64_t kept = part->m - out->held, q2 = part->q * part->q, at = 0, back = 0;
  out->row = NEW(int32_t, kept), out->col = NEW(int32_t, kept);
  out->o = NEW(double, kept *q2), out->weight = NEW(double, kept), out->given = NEW(double, kept);
  out->edge = NEW(int64_t, out->held);
  if (!out->row || !out->col || !out->o || !out->weight || !out->given || !out->edge)
    return fail_memory(run->error, "the edges that are held back");
  for (int64_t e = 0; e < part->m; e++) {
    if (held[e]) {
      out->edge[back++] = e;
      continue;
    }
    out->row[at] = part->row[e], out->col[at] = part->col[e];
    out->weight[at] = out->given[at] = problem->given[e];
    memcpy(out->o + at++ * q2, part->o + e * q2, (size_t)q2 * sizeof *out->o);
  }
  out->kept = (part_t){.n = part->n,
                       .m = kept,
                       .q = part->q,
                       .row = out->row,
                       .col = out->col,
                       .o = out->o,
                       .weight = out->weight};
  return part_links(run, &out->kept);
}

int hold_new(run_t *run, const robust_t *problem, double share, int fold, hold_t *out) {
  const part_t *part = problem->part;
  bool *held = NEW(bool, part->m);
  *out = (hold_t){0};
  int status = held ? LAVDM_OK : fail_memory(run->error, "the edges that are held back");
  if (!status) status = mark(run, problem, share, fold, held, &out->held);
  if (!status && out->held) status = copy_edges(run, problem, held, out);
  mem_free(held);
  if (status) hold_free(out);
  return status;
}
