/* Every entry of a product is added up by one thread, in the order of the rows: its bits do not depend on the
 * number of threads. */
#include "sparse/products.h"

#include "base/memory.h"

#include <string.h>

enum { PANEL = 64 }; /* columns of a Gram matrix that one thread makes at a time */

int centred_transpose(run_t *run, centred_t *c) {
  const lavdm_sparse *s = c->rows;
  int64_t count = s->start[s->rows], *start = NEW(int64_t, s->cols + 1), *index = NEW(int64_t, count);
  double *value = NEW(double, count);
  c->columns =
      (lavdm_sparse){.rows = s->cols, .cols = s->rows, .start = start, .index = index, .value = value};
  if (!start || !index || !value) return fail_memory(run->error, "the sparse points");
  for (int64_t e = 0; e < count; e++) start[s->index[e] + 1]++;
  for (int64_t j = 0, sum = 0; j < s->cols; j++) { /* where each begins, one too far */
    int64_t here = start[j + 1];
    start[j + 1] = sum;
    sum += here;
  }
  for (int64_t i = 0; i < s->rows; i++)
    for (int64_t e = s->start[i]; e < s->start[i + 1]; e++) {
      int64_t at = start[s->index[e] + 1]++;
      index[at] = i;
      value[at] = s->value[e];
    }
  return LAVDM_OK;
}

void centred_free(centred_t *c) {
  mem_free((void *)(uintptr_t)c->columns.start);
  mem_free((void *)(uintptr_t)c->columns.index);
  mem_free((void *)(uintptr_t)c->columns.value);
  c->columns = (lavdm_sparse){0};
}

/* y = S x - a shift of every row by w_i sums: w NULL stands for ones. */
static void multiply(run_t *run, const lavdm_sparse *s, const double *w, const double *sums, const double *x,
                     int64_t count, double *y) {
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 256)
  for (int64_t i = 0; i < s->rows; i++) {
    double *restrict to = y + i * count, weight = w ? w[i] : 1;
    for (int64_t l = 0; l < count; l++) to[l] = -weight * sums[l];
    for (int64_t e = s->start[i]; e < s->start[i + 1]; e++) {
      const double *restrict from = x + s->index[e] * count;
      double value = s->value[e];
      for (int64_t l = 0; l < count; l++) to[l] += value * from[l];
    }
  }
}

/* sums = w'x, of `rows` rows. */
static void add_rows(const double *w, const double *x, int64_t rows, int64_t count, double *sums) {
  memset(sums, 0, (size_t)count * sizeof *sums);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t l = 0; l < count; l++) sums[l] += (w ? w[i] : 1) * x[i * count + l];
}

void centred_forward(run_t *run, const centred_t *c, const double *v, int64_t count, double *sums,
                     double *z) {
  add_rows(c->mean, v, c->rows->cols, count, sums);
  multiply(run, c->rows, NULL, sums, v, count, z);
}

void centred_back(run_t *run, const centred_t *c, const double *z, int64_t count, double *sums, double *y) {
  add_rows(NULL, z, c->rows->rows, count, sums);
  multiply(run, &c->columns, c->mean, sums, z, count, y);
}

/* Where the entries of row i from column j on begin. */
static int64_t entry_from(const lavdm_sparse *s, int64_t i, int64_t j) {
  int64_t low = s->start[i], high = s->start[i + 1];
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (s->index[middle] < j)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* X'X = S'S - n m m': the upper triangle, then the lower. */
void centred_gram(run_t *run, const centred_t *c, double *g) {
  const lavdm_sparse *s = c->rows;
  int64_t p = s->cols, panels = (p + PANEL - 1) / PANEL;
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 1)
  for (int64_t panel = 0; panel < panels; panel++) {
    int64_t begin = panel * PANEL, end = begin + PANEL < p ? begin + PANEL : p;
    memset(g + begin * p, 0, (size_t)((end - begin) * p) * sizeof *g);
    for (int64_t i = 0; i < s->rows; i++) {
      int64_t last = s->start[i + 1];
      for (int64_t e = entry_from(s, i, begin); e < last && s->index[e] < end; e++) {
        double *row = g + s->index[e] * p, value = s->value[e];
        for (int64_t f = e; f < last; f++) row[s->index[f]] += value * s->value[f];
      }
    }
    for (int64_t j = begin; j < end; j++)
      for (int64_t k = j; k < p; k++) g[j * p + k] -= (double)s->rows * c->mean[j] * c->mean[k];
  }
  for (int64_t j = 0; j < p; j++)
    for (int64_t k = 0; k < j; k++) g[j * p + k] = g[k * p + j];
}
