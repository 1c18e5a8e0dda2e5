/*
 * M of relaxation.h as a triangle by columns. An edge from i to k adds
 *     kappa to the diagonals of R_i and R_k,  -kappa O at (R_i, R_k),  tau c c'
 * with c = -shift at R_i, -1 at p_i and 1 at p_k.
 */
#include "certify/relaxation.h"

#include "base/memory.h"
#include "base/sort.h"
#include "graph/given.h"

#include <string.h>

/* The neighbours of a node that come after it, ascending, each once. */
typedef struct {
  int64_t *start, *node; /* n + 1 */
} after_t;

static int after_new(run_t *run, const part_t *part, after_t *out) {
  int64_t at = 0;
  *out = (after_t){NEW(int64_t, part->n + 1), NEW(int64_t, part->m)};
  if (!out->start || !out->node) return fail_memory(run->error, "the proof");
  for (int64_t i = 0; i < part->n; i++) {
    int64_t first = at;
    for (int64_t l = part->start[i]; l < part->start[i + 1]; l++) {
      int64_t other = link_node(part, part->link[l]);
      if (other > i) out->node[at++] = other;
    }
    sort_integers(out->node + first, at - first);
    int64_t kept = first;
    for (int64_t k = first; k < at; k++)
      if (k == first || out->node[k] != out->node[k - 1]) out->node[kept++] = out->node[k];
    out->start[i + 1] = at = kept;
  }
  return LAVDM_OK;
}

static void after_free(after_t *after) {
  mem_free(after->start);
  mem_free(after->node);
}

/* Which of the neighbours after i is k. */
static int64_t after_find(const after_t *after, int64_t i, int64_t k) {
  int64_t low = after->start[i], high = after->start[i + 1] - 1;
  while (low < high) {
    int64_t mid = (low + high) / 2;
    if (after->node[mid] < k)
      low = mid + 1;
    else
      high = mid;
  }
  return low - after->start[i];
}

static int pattern(run_t *run, relaxation_t *t, const after_t *after) {
  int64_t b = t->rows, n = t->n, entries = n * b * (b + 1) / 2 + after->start[n] * b * b, at = 0;
  t->m = (triangle_t){n * b, NEW(int64_t, n * b + 1), NEW(int64_t, entries), NEW(double, entries)};
  t->first = NEW(int64_t, n + 1);
  if (!t->m.start || !t->m.row || !t->m.value || !t->first) return fail_memory(run->error, "the proof");
  for (int64_t i = 0; i <= n; i++) t->first[i] = i * b;
  for (int64_t i = 0; i < n; i++)
    for (int64_t a = 0; a < b; a++) {
      for (int64_t c = a; c < b; c++) t->m.row[at++] = i * b + c;
      for (int64_t k = after->start[i]; k < after->start[i + 1]; k++)
        for (int64_t c = 0; c < b; c++) t->m.row[at++] = after->node[k] * b + c;
      t->m.start[i * b + a + 1] = at;
    }
  return LAVDM_OK;
}

/* Entry (a, c), a >= c, of the block of node i on the diagonal. */
static double *on(const relaxation_t *t, int64_t i, int64_t a, int64_t c) {
  return t->m.value + t->m.start[i * t->rows + c] + (a - c);
}

static void add_turn(relaxation_t *t, int64_t e, int64_t slot) {
  const part_t *part = t->problem->part;
  int64_t q = t->q, b = t->rows, i = part->row[e], k = part->col[e], low = i < k ? i : k;
  double w = part->weight[e];
  for (int64_t a = 0; a < q; a++) {
    *on(t, i, a, a) += w;
    *on(t, k, a, a) += w;
    for (int64_t c = 0; c < q; c++) { /* column c of `low`, row a of the other */
      double o = part->o[e * q * q + (i > k ? a * q + c : c * q + a)];
      t->m.value[t->m.start[low * b + c] + (b - c) + slot * b + a] -= w * o;
    }
  }
}

static void add_move(relaxation_t *t, int64_t e, int64_t slot) {
  const part_t *part = t->problem->part;
  int64_t q = t->q, b = t->rows, i = part->row[e], k = part->col[e], low = i < k ? i : k;
  const double *s = t->problem->shift + e * q;
  double tau = t->problem->tau[e], at_i[GIVEN_MOST_Q + 1], at_k[GIVEN_MOST_Q + 1];
  for (int64_t a = 0; a < q; a++) at_i[a] = -s[a], at_k[a] = 0;
  at_i[q] = t->ground[i] ? 0 : -1;
  at_k[q] = t->ground[k] ? 0 : 1;
  const double *column = low == i ? at_i : at_k, *row = low == i ? at_k : at_i;
  for (int64_t c = 0; c < b; c++) {
    for (int64_t a = c; a < b; a++) *on(t, i, a, c) += tau * at_i[a] * at_i[c];
    for (int64_t a = 0; a < b; a++)
      t->m.value[t->m.start[low * b + c] + (b - c) + slot * b + a] += tau * row[a] * column[c];
  }
  *on(t, k, q, q) += tau * at_k[q] * at_k[q];
}

int relaxation_assemble(run_t *run, relaxation_t *t) {
  const part_t *part = t->problem->part;
  after_t after = {0};
  int status = after_new(run, part, &after);
  if (!status) status = pattern(run, t, &after);
  for (int64_t e = 0; e < part->m && !status; e++) {
    int64_t i = part->row[e], k = part->col[e];
    int64_t slot = i < k ? after_find(&after, i, k) : after_find(&after, k, i);
    add_turn(t, e, slot);
    if (t->problem->shift) add_move(t, e, slot);
  }
  for (int64_t i = 0; i < t->n && !status; i++)
    if (t->ground[i]) *on(t, i, t->q, t->q) = 1;
  after_free(&after);
  return status;
}

void relaxation_shifted(const relaxation_t *t, const double *lambda, double gap, double *value) {
  int64_t q = t->q;
  memcpy(value, t->m.value, (size_t)t->m.start[t->m.n] * sizeof *value);
  for (int64_t i = 0; i < t->n; i++)
    for (int64_t c = 0; c < q; c++) {
      double *column = value + t->m.start[i * t->rows + c];
      column[0] += gap / t->total * t->scale[i];
      for (int64_t a = c; a < q && lambda; a++) column[a - c] -= lambda[(i * q + a) * q + c];
    }
}
