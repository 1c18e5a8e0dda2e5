/* Landmark designs: the choice among them, and the uniform random subset. */
#include "landmarks/landmarks.h"
#include "base/memory.h"
#include "base/random.h"
#include "landmarks/designs.h"

#include <stdlib.h>

/*
 * Floyd's subset: for j = n-m .. n-1 take t, uniform in 0 .. j, or j itself if
 * t is taken already; then every subset of size m is equally likely.
 */
static int random_subset(run_t *run, int64_t n, int64_t m, int64_t *out) {
  char *taken = NEW(char, n);
  if (!taken) return fail_memory(run->error, "choosing landmarks");
  random_t random = random_start(run->options.seed, STREAM_SUBSET);
  int64_t have = 0;
  for (int64_t j = n - m; j < n; j++) {
    int64_t t = random_below(&random, j + 1);
    out[have] = taken[t] ? j : t;
    taken[out[have++]] = 1;
  }
  mem_free(taken);
  return LAVDM_OK;
}

real_t REAL(distance2)(int64_t p, const real_t *a, const real_t *b) {
  real_t sum[LANES] = {0}, rest = 0;
  int64_t j = 0;
  if (p >= 2 * LANES)
    for (; j + LANES <= p; j += LANES)
      for (int l = 0; l < LANES; l++) sum[l] += (a[j + l] - b[j + l]) * (a[j + l] - b[j + l]);
  for (; j < p; j++) rest += (a[j] - b[j]) * (a[j] - b[j]);
  for (int l = 0; l < LANES; l++) rest += sum[l];
  return rest;
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

int REAL(landmarks_choose)(run_t *run, const tiles_t *tiles, lavdm_design design, int64_t m, int64_t *out) {
  int status = LAVDM_OK;
  tiles_t plain = *tiles; /* k-means goes by coordinates */
  plain.metric = (metric_t){0};
  if (m == tiles->n)
    for (int64_t i = 0; i < m; i++) out[i] = i;
  else if (design == LAVDM_DESIGN_FARTHEST)
    status = REAL(farthest_points)(run, tiles, m, out);
  else if (design == LAVDM_DESIGN_KMEANS)
    status = REAL(kmeans_points)(run, &plain, m, out);
  else
    status = random_subset(run, tiles->n, m, out);
  if (status == LAVDM_OK) qsort(out, (size_t)m, sizeof *out, ascending);
  return status;
}
