/*
 * y = A x for a block of `count` vectors, row-major: the rows of x that belong
 * to a block column are contiguous, and the inner loops run over the vectors.
 */
#include "operator/product.h"

#include "base/memory.h"

#include <cblas.h>
#include <string.h>

void symmetric_free(symmetric_t *matrix) {
  mem_free(matrix->dense);
  bsr_free(&matrix->sparse);
  memset(matrix, 0, sizeof *matrix);
}

/* y (q x count) += block (q x q) x (q x count) */
static inline void add_block(int64_t q, const double *restrict block, const double *restrict x,
                             double *restrict y, int64_t count) {
  if (q == 1) {
    for (int64_t v = 0; v < count; v++) y[v] += block[0] * x[v];
  } else if (q == 2) {
    const double a = block[0], b = block[1], c = block[2], d = block[3];
    for (int64_t v = 0; v < count; v++) {
      y[v] += a * x[v] + b * x[count + v];
      y[count + v] += c * x[v] + d * x[count + v];
    }
  } else {
    for (int64_t i = 0; i < q; i++)
      for (int64_t j = 0; j < q; j++)
        for (int64_t v = 0; v < count; v++) y[i * count + v] += block[i * q + j] * x[j * count + v];
  }
}

static int apply(run_t *run, const void *context, const double *x, double *y, int64_t count) {
  const symmetric_t *matrix = context;
  if (matrix->dense) {
    int n = (int)matrix->size, before = blas_threads(run->threads);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, (int)count, n, 1, matrix->dense, n, x,
                (int)count, 0, y, (int)count);
    blas_threads(before);
    return run_status(run);
  }
  const bsr_t *a = &matrix->sparse;
  int64_t q = a->q;
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 256)
  for (int64_t i = 0; i < a->rows; i++) {
    double *row = y + i * q * count;
    memset(row, 0, (size_t)(q * count) * sizeof *row);
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
      add_block(q, a->block + e * q * q, x + a->col[e] * q * count, row, count);
  }
  return run_status(run);
}

operator_t symmetric_operator(const symmetric_t *matrix) {
  return (operator_t){.size = matrix->size, .apply = apply, .context = matrix};
}

double *symmetric_dense(const symmetric_t *matrix) {
  int64_t n = matrix->size;
  double *out = NEW(double, n *n);
  if (!out) return NULL;
  if (matrix->dense) {
    memcpy(out, matrix->dense, (size_t)(n * n) * sizeof *out);
    return out;
  }
  const bsr_t *a = &matrix->sparse;
  for (int64_t i = 0; i < a->rows; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
      for (int64_t r = 0; r < a->q; r++)
        memcpy(out + (i * a->q + r) * n + a->col[e] * a->q, a->block + (e * a->q + r) * a->q,
               (size_t)a->q * sizeof *out);
  return out;
}
