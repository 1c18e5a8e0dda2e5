#include "trust/trust.h"

#include "base/memory.h"
#include "base/options.h"
#include "trust/parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool applies(const run_t *run, const lavdm_data *data, const lavdm_model *model) {
  return run->options.trust == LAVDM_TRUST_YES && !run->team && !data->edges &&
         !(data->distances && data->distances->index) && !has_turns(&run->options) &&
         data->n >= TRUST_LEAST && lavdm_get(model, "eigenvectors");
}

static void start(trust_t *t, run_t *run, const lavdm_data *data, lavdm_model *model, trust_fit fit) {
  const lavdm_options *o = &run->options;
  *t = (trust_t){.run = run, .data = data, .model = model, .fit = fit, .n = data->n, .p = data->p};
  t->vectors = lavdm_get(model, "eigenvectors");
  t->frames = has_frames(o) ? lavdm_get(model, "frames") : NULL;
  t->degrees = model_data(model, "degrees");
  t->values = model_data(model, "eigenvalues");
  t->q = t->vectors->shape[1];
  t->r = t->vectors->shape[2];
  t->d = t->frames ? t->frames->shape[2] : 0;
  t->m = o->landmarks;
  t->pairs = t->r < MOST_PAIRS ? t->r : MOST_PAIRS;
  t->random = random_start(o->seed, 0x7275);
  for (int k = 0; k < TRUST_FACTS; k++) t->facts[k] = 0;
  t->facts[FACT_SHORTCUT_ROW] = -1;
  t->facts[FACT_NOISE] = t->facts[FACT_SHORTCUTS] = NAN;
  t->facts[FACT_TRUSTWORTHINESS] = t->facts[FACT_CONTINUITY] = NAN;
}

static void release(trust_t *t) {
  for (int h = 0; h < 2; h++) {
    lavdm_free(t->fitted[h]);
    some_free(&t->half[h]);
  }
  lavdm_free(t->wide);
  some_free(&t->common);
  mem_free(t->taken);
}

/* Eigenvalues before the first group that the samples do not agree on. */
static int64_t reproduced(const trust_t *t) {
  const double enough = 0.5;
  int64_t g = 0;
  while (g < t->groups && t->table[TRUST_AGREEMENT][g] >= enough) g++;
  return t->first[g];
}

static int keep(trust_t *t) {
  large_t *large = &t->run->large;
  int64_t *first = model_array(t->model, large, "trust_groups", LAVDM_I64, 1, t->groups + 1, 0, 0);
  double *table = model_array(t->model, large, "trust_table", LAVDM_F64, 2, TRUST_COLUMNS, t->groups, 0);
  double *facts = model_array(t->model, large, "trust_facts", LAVDM_F64, 1, TRUST_FACTS, 0, 0);
  if (!first || !table || !facts) return fail_memory(t->run->error, "the results");
  memcpy(first, t->first, (size_t)(t->groups + 1) * sizeof *first);
  for (int c = 0; c < TRUST_COLUMNS; c++)
    memcpy(table + c * t->groups, t->table[c], (size_t)t->groups * sizeof *table);
  memcpy(facts, t->facts, sizeof t->facts);
  return LAVDM_OK;
}

static int test(trust_t *t) {
  groups_find(t);
  if (!t->groups) return LAVDM_OK;
  t->taken = NEW(uint64_t, t->n / 64 + 1);
  if (!t->taken) return fail_memory(t->run->error, "a sample");
  int status = halves_fit(t);
  if (status < 0) return status;
  if ((status = angles_find(t)) < 0) return status;
  if ((status = shortcuts_find(t)) < 0) return status;
  if ((status = embedding_judge(t)) < 0) return status;
  groups_measure(t);
  groups_judge(t);
  t->facts[FACT_SAMPLE] = t->fitted[1] ? (double)t->half[0].n : 0;
  t->facts[FACT_LANDMARKS] = t->fitted[1] ? (double)t->landmarks : 0;
  t->facts[FACT_UNIT] = (double)t->unit;
  t->facts[FACT_REPRODUCED] = (double)reproduced(t);
  trust_tell(t);
  return keep(t);
}

int trust_run(run_t *run, const lavdm_data *data, lavdm_model *model, trust_fit fit) {
  if (!applies(run, data, model)) return LAVDM_OK;
  trust_t *t = NEW(trust_t, 1);
  if (!t) return fail_memory(run->error, "the test of the result");
  run_stage(run, "trust");
  start(t, run, data, model, fit);
  int status = test(t);
  release(t);
  mem_free(t);
  return status;
}
