#include "output/trust.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GROUPS_SHOWN = 6 };

/* Rows of trust_table and entries of trust_facts, as include/lavdm.h has them. */
enum { TABLE_ROWS = 9, FACTS = 11 };

/* "  stability    0 to 5: ...", eigenvalues counted from 0. */
static void print_group(const lavdm_trust_t *t, int64_t g) {
  int64_t from = t->first[g], to = t->first[g + 1] - 1;
  char name[64];
  snprintf(name, sizeof name, to > from ? "%" PRId64 " to %" PRId64 ":" : "%" PRId64 ":", from, to);
  printf("  %-12s %-9s", g ? "" : "stability", name);
  if (isfinite(t->ratio[g])) printf(" ratio %.4g", t->ratio[g]);
  if (g == t->unit)
    printf(" (the unit)");
  else if (isfinite(t->low[g]))
    printf(" (90 %%: %.4g to %.4g)", t->low[g], t->high[g]);
  if (isfinite(t->angle[g])) printf(", samples agree to %.2g degrees", t->angle[g]);
  printf("\n");
}

void trust_print(const lavdm_trust_t *t) {
  if (!t) return;
  int64_t shown = t->groups < GROUPS_SHOWN ? t->groups : GROUPS_SHOWN;
  for (int64_t g = 0; g < shown; g++) print_group(t, g);
  if (t->groups > shown) printf("  %-12s and %" PRId64 " more groups\n", "", t->groups - shown);
  if (t->rows > 0)
    printf("  %-12s trustworthiness %.4f, continuity %.4f (%" PRId64 " nearest among %" PRId64
           " of the points)\n",
           "embedding", t->trustworthiness, t->continuity, t->neighbours, t->rows);
  if (isfinite(t->shortcuts) && t->shortcuts > 0)
    printf("  %-12s %.2g %% of the near pairs are far along the data\n", "short cuts", 100 * t->shortcuts);
}

static void put_whole_list(json_builder *b, const char *name, const int64_t *values, int64_t count) {
  json_t *list = json_array();
  for (int64_t i = 0; list && i < count; i++)
    if (json_array_append_new(list, json_integer(values[i]))) b->failed = true;
  json_put(b, name, list);
}

void trust_put(json_builder *b, const lavdm_trust_t *t) {
  if (!t) {
    json_put(b, "trust", json_null());
    return;
  }
  json_builder o;
  json_start(&o);
  put_whole_list(&o, "first", t->first, t->groups + 1);
  json_put_whole(&o, "unit", t->unit);
  json_put_reals(&o, "rate", t->rate, t->groups);
  json_put_reals(&o, "ratio", t->ratio, t->groups);
  json_put_reals(&o, "low", t->low, t->groups);
  json_put_reals(&o, "high", t->high, t->groups);
  json_put_reals(&o, "spread", t->spread, t->groups);
  json_put_reals(&o, "drift", t->drift, t->groups);
  json_put_reals(&o, "bias", t->bias, t->groups);
  json_put_reals(&o, "angle", t->angle, t->groups);
  json_put_reals(&o, "agreement", t->agreement, t->groups);
  json_put_whole(&o, "sample", t->sample);
  json_put_whole(&o, "landmarks", t->landmarks);
  json_put_whole(&o, "reproduced", t->reproduced);
  json_put_whole(&o, "rows", t->rows);
  json_put_whole(&o, "neighbours", t->neighbours);
  json_put_real(&o, "trustworthiness", t->trustworthiness);
  json_put_real(&o, "continuity", t->continuity);
  json_put_real(&o, "shortcuts", t->shortcuts);
  json_put_whole(&o, "shortcut_row", t->shortcut_row);
  json_put_real(&o, "noise", t->noise);
  if (o.failed) b->failed = true;
  json_put(b, "trust", o.object);
}

static const io_array *named(const io_array *arrays, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (arrays[i].name && !strcmp(arrays[i].name, name)) return &arrays[i];
  return NULL;
}

/* A number that a file says is whole, within reason. */
static int64_t whole(double x) {
  return x >= -1 && x < 1e15 ? (int64_t)x : -1;
}

bool trust_of(const io_array *arrays, int count, lavdm_trust_t *t) {
  const io_array *groups = named(arrays, count, "trust_groups"), *table = named(arrays, count, "trust_table"),
                 *facts = named(arrays, count, "trust_facts");
  if (!groups || !table || !facts || groups->type != IO_INTEGER || table->type != IO_REAL ||
      facts->type != IO_REAL)
    return false;
  int64_t g = io_array_count(groups) - 1;
  if (g < 1 || table->rank != 2 || table->shape[0] < TABLE_ROWS || table->shape[1] != g ||
      io_array_count(facts) < FACTS)
    return false;
  const double *row = table->data, *f = facts->data;
  *t = (lavdm_trust_t){.groups = g,
                       .first = groups->data,
                       .rate = row,
                       .ratio = row + g,
                       .low = row + 2 * g,
                       .high = row + 3 * g,
                       .spread = row + 4 * g,
                       .drift = row + 5 * g,
                       .bias = row + 6 * g,
                       .angle = row + 7 * g,
                       .agreement = row + 8 * g,
                       .sample = whole(f[0]),
                       .landmarks = whole(f[1]),
                       .unit = whole(f[2]),
                       .reproduced = whole(f[3]),
                       .rows = whole(f[4]),
                       .neighbours = whole(f[5]),
                       .trustworthiness = f[6],
                       .continuity = f[7],
                       .shortcuts = f[8],
                       .shortcut_row = whole(f[9]),
                       .noise = f[10]};
  return true;
}
