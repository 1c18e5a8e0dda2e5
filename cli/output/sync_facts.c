/* What is known of a synchronisation besides its arrays, in words and as JSON. */
#include "output/sync_result.h"
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

void sync_group_name(const lavdm_sync_t *sync, char name[32]) {
  switch (sync->group) {
  case LAVDM_GROUP_Z2:
    snprintf(name, 32, "Z2");
    break;
  case LAVDM_GROUP_CYCLIC:
    snprintf(name, 32, "C%" PRId64, sync->order);
    break;
  default:
    snprintf(name, 32, "%s(%" PRId64 ")", sync->group == LAVDM_GROUP_O ? "O" : "SO", sync->q);
  }
}

const char *sync_unit(const lavdm_sync_t *sync) {
  if (sync->q == 1) return "disagreements";
  return sync->q <= 3 && sync->group != LAVDM_GROUP_O ? "radians" : "Frobenius norm";
}

const char *const sync_robust_words[] = {"no", "auto", "weights", "cycles", "gradual"};

bool sync_trusts(const lavdm_sync_t *sync) {
  for (int64_t e = 0; e < sync->edges; e++)
    if (sync->trust[e] < 1) return true;
  return false;
}

int64_t sync_doubted(const lavdm_sync_t *sync) {
  int64_t doubted = 0;
  for (int64_t e = 0; e < sync->edges; e++) doubted += sync->trust[e] < 0.25;
  return doubted;
}

static void put_bool(json_builder *b, const char *name, int value) {
  json_put(b, name, json_boolean(value != 0));
}

/* gap: how far the cost may be from the least that is possible. What is certified agrees to 1e-3 or to
 * rounding; of rounding, no part is told. */
static void put_cost(json_builder *b, double cost, double bound, bool certified) {
  double share = cost > 0 ? (cost - bound) / cost : NAN;
  json_put_real(b, "cost", cost);
  json_put_real(b, "bound", bound);
  json_put_real(b, "gap", cost - bound);
  json_put_real(b, "relative_gap", certified && share > 1e-3 ? NAN : share);
}

void sync_put_outcome(json_builder *b, const lavdm_sync_t *sync) {
  int64_t rank = 0, iterations = 0;
  for (int64_t c = 0; c < sync->components; c++) {
    rank = sync->part[c]->rank > rank ? sync->part[c]->rank : rank;
    iterations += sync->part[c]->iterations;
  }
  put_cost(b, sync->cost, sync->bound, sync->certified);
  json_put_whole(b, "rank", rank);
  json_put_whole(b, "iterations", iterations);
  put_bool(b, "converged", sync->converged);
  put_bool(b, "certified", sync->certified);
  json_put_text(b, "verdict", sync->verdict);
  json_put_text(b, "robust", sync_robust_words[sync->robust]);
  json_put_text(b, "robust_reason", sync->robust_reason);
  json_put_real(b, "chi2", sync->chi2);
}

json_t *sync_part_json(const lavdm_sync_t *sync, int64_t c) {
  const lavdm_sync_component *part = sync->part[c];
  json_builder b = {0};
  int64_t values = 0;
  while (values < sync->values && isfinite(part->eigenvalues[values])) values++;
  json_start(&b);
  json_put_whole(&b, "nodes", part->nodes);
  json_put_whole(&b, "edges", part->edges);
  json_put_whole(&b, "first", part->first);
  json_put_reals(&b, "eigenvalues", part->eigenvalues, values);
  json_put_real(&b, "spectral_gap", part->gap);
  json_put_real(&b, "median_residual", part->median);
  json_put_real(&b, "residual_95", part->most);
  put_cost(&b, part->cost, part->bound, part->certified);
  json_put_whole(&b, "rank", part->rank);
  json_put_whole(&b, "iterations", part->iterations);
  put_bool(&b, "converged", part->converged);
  put_bool(&b, "certified", part->certified);
  json_put_text(&b, "verdict", part->verdict);
  json_put_text(&b, "robust", sync_robust_words[part->robust]);
  return b.object;
}
