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

/* Vectors are taken LANES at a time, and these in strips, so that the sums of a
 * row of blocks stay in registers. */
enum { LANES = 8, STRIP = 3, STRIP_Q = 4 };
typedef double lanes_t __attribute__((vector_size(LANES * sizeof(double))));

/* sum (q x lanes) += block e of a times its rows of x. */
static inline __attribute__((always_inline)) void strip_block(int64_t q, int64_t lanes, const bsr_t *a,
                                                              int64_t e, const double *x, int64_t count,
                                                              lanes_t sum[STRIP_Q][STRIP]) {
  const double *block = a->block + e * q * q, *from = x + a->col[e] * q * count;
  for (int64_t c = 0; c < q; c++)
    for (int64_t l = 0; l < lanes; l++) {
      lanes_t entries;
      memcpy(&entries, from + c * count + l * LANES, sizeof entries);
      for (int64_t r = 0; r < q; r++) sum[r][l] += block[r * q + c] * entries;
    }
}

/* Row i of y = A x for the vectors of a strip of `lanes`; inlined for each small q.
 * A narrow strip has two sums, so that one product need not wait for the one before it. */
static inline __attribute__((always_inline)) void
strip_row(int64_t q, int64_t lanes, const bsr_t *a, int64_t i, const double *x, double *y, int64_t count) {
  lanes_t sum[STRIP_Q][STRIP] = {0}, other[STRIP_Q][STRIP] = {0};
  int64_t e = a->start[i], end = a->start[i + 1];
  if (lanes == 1)
    for (; e + 1 < end; e += 2) {
      strip_block(q, lanes, a, e, x, count, sum);
      strip_block(q, lanes, a, e + 1, x, count, other);
    }
  for (; e < end; e++) strip_block(q, lanes, a, e, x, count, sum);
  for (int64_t r = 0; r < q; r++)
    for (int64_t l = 0; l < lanes; l++) {
      if (lanes == 1) sum[r][l] += other[r][l];
      memcpy(y + (i * q + r) * count + l * LANES, &sum[r][l], sizeof sum[r][l]);
    }
}

/* The same for all vectors, `count` a multiple of LANES. */
static inline __attribute__((always_inline)) void strips_row(int64_t q, const bsr_t *a, int64_t i,
                                                             const double *x, double *y, int64_t count) {
  int64_t v = 0;
  for (; v + 3 * LANES <= count; v += 3 * LANES) strip_row(q, 3, a, i, x + v, y + v, count);
  for (; v + 2 * LANES <= count; v += 2 * LANES) strip_row(q, 2, a, i, x + v, y + v, count);
  for (; v < count; v += LANES) strip_row(q, 1, a, i, x + v, y + v, count);
}

static void product_row(const bsr_t *a, int64_t i, const double *x, double *y, int64_t count) {
  int64_t q = a->q;
  if (count % LANES == 0 && q <= STRIP_Q) {
    if (q == 1) strips_row(1, a, i, x, y, count);
    if (q == 2) strips_row(2, a, i, x, y, count);
    if (q == 3) strips_row(3, a, i, x, y, count);
    if (q == 4) strips_row(4, a, i, x, y, count);
    return;
  }
  double *row = y + i * q * count;
  memset(row, 0, (size_t)(q * count) * sizeof *row);
  for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
    add_block(q, a->block + e * q * q, x + a->col[e] * q * count, row, count);
}

static void sparse_product(const run_t *run, const bsr_t *a, const double *x, double *y, int64_t count) {
  int64_t share = 1 + a->rows / (16 * run->threads), chunk = share < 256 ? share : 256;
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, chunk)
  for (int64_t i = 0; i < a->rows; i++) product_row(a, i, x, y, count);
}

/* The rows of this rank, from the vectors of all ranks. */
static int shared_product(run_t *run, const symmetric_t *matrix, const double *x, double *y, int64_t count) {
  int64_t first, total;
  int status = team_agree(matrix->team, run_status(run));
  if (status < 0) return status;
  double *all = team_rows(matrix->team, x, matrix->size, (size_t)count * sizeof *x, &first, &total);
  if (!all) return fail_memory(run->error, "the vectors of all ranks");
  sparse_product(run, &matrix->sparse, all, y, count);
  mem_free(all);
  return LAVDM_OK;
}

static int apply(run_t *run, const void *context, const double *x, double *y, int64_t count) {
  const symmetric_t *matrix = context;
  if (matrix->team) return shared_product(run, matrix, x, y, count);
  if (matrix->dense) {
    int n = (int)matrix->size, before = blas_threads(run->threads);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, (int)count, n, 1, matrix->dense, n, x,
                (int)count, 0, y, (int)count);
    blas_threads(before);
  } else {
    sparse_product(run, &matrix->sparse, x, y, count);
  }
  return run_status(run);
}

operator_t symmetric_operator(const symmetric_t *matrix) {
  return (operator_t){.size = matrix->size,
                      .apply = apply,
                      .context = matrix,
                      .team = matrix->team,
                      .before = matrix->before,
                      .after = matrix->after};
}

double *symmetric_dense(const symmetric_t *matrix) {
  int64_t n = matrix->before + matrix->size + matrix->after;
  double *out = NEW(double, matrix->size *n);
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
