#include "sync/sync.h"

#include "base/memory.h"
#include "graph/given.h"

#include <string.h>

int part_links(run_t *run, part_t *part) {
  part->start = NEW(int64_t, part->n + 1);
  part->link = NEW(int64_t, 2 * part->m);
  if (!part->start || !part->link) return fail_memory(run->error, "the edges by node");
  for (int64_t e = 0; e < part->m; e++) part->start[part->row[e] + 1]++, part->start[part->col[e] + 1]++;
  for (int64_t i = 0; i < part->n; i++) part->start[i + 1] += part->start[i];
  for (int64_t e = 0; e < part->m; e++) {
    part->link[part->start[part->row[e]]++] = 2 * e;
    part->link[part->start[part->col[e]]++] = 2 * e + 1;
  }
  memmove(part->start + 1, part->start, (size_t)part->n * sizeof *part->start);
  part->start[0] = 0;
  return LAVDM_OK;
}

void part_free(part_t *part) {
  mem_free(part->start);
  mem_free(part->link);
  part->start = part->link = NULL;
}

/* m = a' o b. */
static inline __attribute__((always_inline)) void sandwich(int64_t q, const double *a, const double *o,
                                                           const double *b, double *m) {
  double column[GIVEN_MOST_Q];
  for (int64_t j = 0; j < q; j++) {
    for (int64_t i = 0; i < q; i++) {
      double sum = 0;
      for (int64_t k = 0; k < q; k++) sum += o[i * q + k] * b[k * q + j];
      column[i] = sum;
    }
    for (int64_t i = 0; i < q; i++) {
      double sum = 0;
      for (int64_t k = 0; k < q; k++) sum += a[k * q + i] * column[k];
      m[i * q + j] = sum;
    }
  }
}

void part_defect(const part_t *part, const double *r, int64_t e, double *m) {
  int64_t q = part->q;
  const double *o = part->o + e * q * q, *a = r + part->row[e] * q * q, *b = r + part->col[e] * q * q;
  if (q == 2)
    sandwich(2, a, o, b, m);
  else if (q == 3)
    sandwich(3, a, o, b, m);
  else
    sandwich(q, a, o, b, m);
}
