/* Samples of the points, disjoint. */
#include "base/memory.h"
#include "neighbours/metric.h"
#include "neighbours/rows.h"
#include "trust/parts.h"

#include <string.h>

static size_t real_size(const lavdm_array *array) {
  return array->type == LAVDM_F32 ? sizeof(float) : sizeof(double);
}

/* Rows that were not taken before; a row that keeps being drawn ends the search. */
static int64_t draw(trust_t *t, int64_t count, int64_t *row) {
  int64_t found = 0;
  for (int64_t tries = 0; found < count && tries < 20 * count; tries++) {
    int64_t i = random_below(&t->random, t->n);
    uint64_t bit = (uint64_t)1 << i % 64;
    if (t->taken[i / 64] & bit || !(t->degrees[i] > 0)) continue;
    t->taken[i / 64] |= bit;
    row[found++] = i;
  }
  return found;
}

void some_forget(trust_t *t) {
  memset(t->taken, 0, (size_t)(t->n / 64 + 1) * sizeof *t->taken);
}

int some_take(trust_t *t, int64_t count, some_t *out) {
  size_t width = t->frames ? (size_t)(t->p * t->d) * real_size(t->frames) : 0;
  out->row = NEW(int64_t, count);
  out->x = NEW(double, count * t->p);
  out->frames = t->frames ? mem_new(count, width) : NULL;
  out->weight = t->run->weights ? NEW(double, count) : NULL;
  if (!out->row || !out->x || (t->frames && !out->frames) || (t->run->weights && !out->weight))
    return fail_memory(t->run->error, "a sample");
  out->n = draw(t, count, out->row);
  for (int64_t i = 0; i < out->n; i++) {
    int status = REAL(rows_one)(t->run, t->data, out->row[i], out->x + i * t->p);
    if (status < 0) return status;
    if (out->weight) out->weight[i] = t->run->weights[out->row[i]];
    if (out->frames)
      memcpy((char *)out->frames + (size_t)i * width,
             (const char *)t->frames->data + (size_t)out->row[i] * width, width);
  }
  return run_status(t->run);
}

void some_free(some_t *some) {
  mem_free(some->row);
  mem_free(some->x);
  mem_free(some->frames);
  mem_free(some->weight);
  *some = (some_t){0};
}

double some_distance(const trust_t *t, const double *a, const double *b) {
  metric_t metric = metric_of(t->run);
  double sum = 0;
  if (metric.kind == LAVDM_METRIC_EUCLIDEAN) {
    for (int64_t j = 0; j < t->p; j++) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
  }
  return REAL(metric_d2)(&metric, REAL(metric_r)(&metric, t->p, a, b));
}
