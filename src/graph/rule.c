#include "graph/rule.h"

#include "base/memory.h"
#include "neighbours/neighbours.h"

#include <math.h>
#include <stdlib.h>

/* Radii beyond those of this share of the references are looked at one by one. */
static const double USUAL = 0.99;

static int ascending(const void *a, const void *b) {
  const real_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* From radius2: the usual radius and the references with a larger one; sorted: m. */
static void find_wide(rule_t *rule, real_t *sorted) {
  int64_t m = rule->others->n;
  for (int64_t c = 0; c < m; c++) sorted[c] = rule->radius2[c];
  qsort(sorted, (size_t)m, sizeof *sorted, ascending);
  real_t usual = sorted[(int64_t)(USUAL * (double)(m - 1))];
  for (int64_t c = 0; c < m; c++)
    if (rule->radius2[c] > usual) rule->wide[rule->wides++] = c;
  rule->usual = sqrt((double)usual) * (1 + 16 * (double)REAL_EPSILON);
}

int REAL(rule_new)(run_t *run, const tiles_t *references, int64_t k, const double *reach2, rule_t *out) {
  enum { BATCH = 1 << 14 };
  int64_t m = references->n, p = references->p;
  *out = (rule_t){.k = k, .radius2 = NEW(real_t, m), .wide = NEW(int64_t, m), .others = references};
  int64_t *index = NEW(int64_t, BATCH * k);
  real_t *d2 = NEW(real_t, BATCH * k), *sorted = NEW(real_t, m);
  int status = out->radius2 && out->wide && index && d2 && sorted
                   ? LAVDM_OK
                   : fail_memory(run->error, "the radii of the neighbours");
  for (int64_t i = 0; i < m && !status && reach2; i++) out->radius2[i] = (real_t)reach2[i];
  for (int64_t first = 0; first < m && !status && !reach2; first += BATCH) {
    int64_t count = m - first < BATCH ? m - first : BATCH;
    status = REAL(nearest_all)(run, references, references->x + first * p, count, k, index, d2);
    for (int64_t i = 0; i < count && !status; i++) out->radius2[first + i] = d2[(i + 1) * k - 1];
  }
  if (!status) find_wide(out, sorted);
  mem_free(index);
  mem_free(d2);
  mem_free(sorted);
  if (status < 0) REAL(rule_free)(out);
  return status;
}

void REAL(rule_free)(rule_t *rule) {
  mem_free(rule->radius2);
  mem_free(rule->wide);
  *rule = (rule_t){0};
}

bool REAL(rule_joins)(const rule_t *rule, const real_t *x, int64_t c, real_t d2, real_t own2) {
  const real_t unsure = 1 / (real_t)512; /* d2 may stand for |x|^2 + |y|^2 - 2 x'y */
  real_t limit = own2 > rule->radius2[c] ? own2 : rule->radius2[c];
  if (d2 > limit * (1 + unsure)) return false;
  if (d2 < limit * (1 - unsure)) return true;
  REAL(distances2)(rule->others, x, &c, 1, &d2);
  return d2 <= limit;
}
