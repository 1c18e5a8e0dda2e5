#include "certify/positions.h"

#include "base/memory.h"

void positions_free(positions_t *p) {
  factor_free(p->factor);
  triangle_free(&p->matrix);
  mem_free(p->side);
}

/* Entry (q, q) of every block of M. */
static void take_rows(const relaxation_t *t, triangle_t *out) {
  int64_t b = t->rows, at = 0;
  for (int64_t i = 0; i < t->n; i++) {
    int64_t first = t->m.start[i * b + b - 1], end = t->m.start[i * b + b];
    for (int64_t k = first; k < end; k += b) { /* of itself one row, of others b, the last of which counts */
      out->row[at] = t->m.row[k] / b;
      out->value[at++] = t->m.value[k];
    }
    out->start[i + 1] = at;
  }
}

int positions_new(run_t *run, const relaxation_t *t, double bytes, positions_t *p) {
  int64_t n = t->n, entries = t->m.start[t->m.n];
  bool positive = false;
  *p = (positions_t){0};
  if (t->rows == t->q) return LAVDM_OK;
  p->matrix = (triangle_t){n, NEW(int64_t, n + 1), NEW(int64_t, entries), NEW(double, entries)};
  p->side = NEW(double, n *(t->q + MOST_CLIMB));
  if (!p->matrix.start || !p->matrix.row || !p->matrix.value || !p->side)
    return fail_memory(run->error, "the staircase");
  take_rows(t, &p->matrix);
  int status = factor_analyse(run, &p->matrix, NULL, n, bytes, &p->factor);
  if (!status && p->factor) status = factor_compute(run, p->factor, &p->matrix, &positive);
  if (positive) return status;
  factor_free(p->factor);
  p->factor = NULL;
  return status;
}

int positions_place(run_t *run, const relaxation_t *t, positions_t *p, int64_t r, double *x, double *work) {
  int64_t n = t->n, b = t->rows, q = t->q;
  if (!p->factor) return LAVDM_OK;
  relaxation_product(run, t, r, x, work);
  for (int64_t i = 0; i < n * r; i++) p->side[i % r * n + i / r] = -work[(i / r * b + q) * r + i % r];
  int status = factor_solve(run, p->factor, r, p->side);
  for (int64_t i = 0; i < n * r; i++) x[(i / r * b + q) * r + i % r] += p->side[i % r * n + i / r];
  return status;
}
