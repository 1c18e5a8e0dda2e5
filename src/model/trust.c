#include "model/trust.h"

#include <math.h>

static const double *column(const lavdm_array *table, int k) {
  return (const double *)table->data + k * table->shape[1];
}

/* A fact that is a whole number, -1 (none) or more, below `below`. */
static bool whole(const double *facts, int k, int64_t below, int64_t *out) {
  double x = facts[k];
  if (!(x >= -1 && x < (double)below) || x != floor(x)) return false;
  *out = (int64_t)x;
  return true;
}

static bool ascending(const lavdm_array *groups, int64_t r) {
  const int64_t *first = groups->data;
  for (int64_t g = 0; g + 1 < groups->shape[0]; g++)
    if (first[g] >= first[g + 1]) return false;
  return first[0] == 0 && first[groups->shape[0] - 1] <= r;
}

bool model_trust(lavdm_model *model) {
  const lavdm_array *groups = lavdm_get(model, "trust_groups"), *table = lavdm_get(model, "trust_table"),
                    *facts = lavdm_get(model, "trust_facts");
  model->info.trust = NULL;
  if (!groups && !table && !facts) return true;
  if (!groups || !table || !facts) return false; /* ranks and types are checked with all other arrays */
  int64_t count = groups->shape[0] - 1;
  if (count < 1 || table->shape[0] < TRUST_COLUMNS || table->shape[1] != count ||
      facts->shape[0] < TRUST_FACTS || !ascending(groups, model->chosen.components))
    return false;
  const double *f = facts->data;
  lavdm_trust_t *t = &model->trust;
  *t = (lavdm_trust_t){.groups = count,
                       .first = groups->data,
                       .rate = column(table, TRUST_RATE),
                       .ratio = column(table, TRUST_RATIO),
                       .low = column(table, TRUST_LOW),
                       .high = column(table, TRUST_HIGH),
                       .spread = column(table, TRUST_SPREAD),
                       .drift = column(table, TRUST_DRIFT),
                       .bias = column(table, TRUST_BIAS),
                       .angle = column(table, TRUST_ANGLE),
                       .agreement = column(table, TRUST_AGREEMENT),
                       .trustworthiness = f[FACT_TRUSTWORTHINESS],
                       .continuity = f[FACT_CONTINUITY],
                       .shortcuts = f[FACT_SHORTCUTS],
                       .noise = f[FACT_NOISE]};
  int64_t most = (int64_t)1 << 40;
  if (!whole(f, FACT_SAMPLE, most, &t->sample) || !whole(f, FACT_LANDMARKS, most, &t->landmarks) ||
      !whole(f, FACT_UNIT, count, &t->unit) || !whole(f, FACT_REPRODUCED, most, &t->reproduced) ||
      !whole(f, FACT_ROWS, most, &t->rows) || !whole(f, FACT_NEIGHBOURS, most, &t->neighbours) ||
      !whole(f, FACT_SHORTCUT_ROW, most, &t->shortcut_row))
    return false;
  model->info.trust = t;
  return true;
}
