/*
 * L = C - B in blocks of q x q. On the finest level C = 1 and block (i,k) of B is the
 * sum over the edges between i and k of w O / sqrt(D_i D_k), D_i = sum of w: L is then
 * the normalised connection Laplacian, and its spectrum lies in [0,2].
 */
#include "sync/sync.h"

#include "base/memory.h"
#include "graph/given.h"

#include <math.h>
#include <string.h>

/* Below this many multiplications a second thread costs more than it brings. */
enum { PARALLEL_WORK = 500000, REGISTERS = 18 };

static int workers(const run_t *run, const laplacian_t *matrix, int64_t columns) {
  const bsr_t *b = &matrix->beside;
  return b->start[b->rows] * b->q * b->q * columns < PARALLEL_WORK ? 1 : run->threads;
}

static void fill_row(const part_t *part, bool plain, const double *weight, int64_t i, laplacian_t *out) {
  bsr_t *b = &out->beside;
  int64_t q = b->q;
  for (int64_t at = part->start[i]; at < part->start[i + 1]; at++) {
    int64_t e = part->link[at] / 2, k = link_node(part, part->link[at]);
    bool back = part->link[at] & 1;
    double share = weight[e] / (out->size[i] * out->size[k]), *block = b->block + at * q * q;
    b->col[at] = (int32_t)k;
    if (plain) {
      block[0] = share;
      continue;
    }
    const double *o = part->o + e * q * q;
    for (int64_t x = 0; x < q; x++)
      for (int64_t y = 0; y < q; y++) block[x * q + y] = share * (back ? o[y * q + x] : o[x * q + y]);
  }
}

int laplacian_new(run_t *run, const part_t *part, bool plain, const double *weight, laplacian_t *out) {
  memset(out, 0, sizeof *out);
  int64_t n = part->n;
  int status = bsr_new(run, n, n, plain ? 1 : part->q, 2 * part->m, false, &out->beside);
  if (status < 0) return status;
  out->size = NEW(double, n);
  if (!out->size) {
    laplacian_free(out);
    return fail_memory(run->error, "the degrees");
  }
  memcpy(out->beside.start, part->start, (size_t)(n + 1) * sizeof *part->start);
#pragma omp parallel for num_threads(run->threads) schedule(static)
  for (int64_t i = 0; i < n; i++) {
    double degree = 0;
    for (int64_t at = part->start[i]; at < part->start[i + 1]; at++) degree += weight[part->link[at] / 2];
    out->size[i] = sqrt(degree);
  }
#pragma omp parallel for num_threads(run->threads) schedule(static)
  for (int64_t i = 0; i < n; i++) fill_row(part, plain, weight, i, out);
  return LAVDM_OK;
}

void laplacian_free(laplacian_t *matrix) {
  bsr_free(&matrix->beside);
  mem_free(matrix->diagonal);
  mem_free(matrix->inverse);
  mem_free(matrix->size);
  memset(matrix, 0, sizeof *matrix);
}

/* y (q x c) = y + sign a x, rows of x and y being apart by their strides. */
static inline __attribute__((always_inline)) void add_product(int64_t q, int64_t c, double sign,
                                                              const double *a, const double *x,
                                                              int64_t x_stride, double *y, int64_t y_stride) {
  for (int64_t i = 0; i < q; i++)
    for (int64_t k = 0; k < q; k++) {
      double f = sign * a[i * q + k];
      for (int64_t l = 0; l < c; l++) y[i * y_stride + l] += f * x[k * x_stride + l];
    }
}

/* Rows of node i. */
static inline __attribute__((always_inline)) void product_row(const laplacian_t *m, laplacian_side side,
                                                              int64_t q, int64_t c, int64_t i, panel_t x,
                                                              panel_t y) {
  const bsr_t *b = &m->beside;
  double *to = y.data + i * q * y.stride, sign = side == WHOLE ? -1 : 1;
  const double *from = x.data + i * q * x.stride;
  double own = (m->diagonal ? 0 : sign * -1) + (side == WHOLE ? -m->shift : 1);
  for (int64_t a = 0; a < q; a++)
    for (int64_t l = 0; l < c; l++) to[a * y.stride + l] = own * from[a * x.stride + l];
  if (m->diagonal) add_product(q, c, -sign, m->diagonal + i * q * q, from, x.stride, to, y.stride);
  for (int64_t at = b->start[i]; at < b->start[i + 1]; at++)
    add_product(q, c, sign, b->block + at * q * q, x.data + b->col[at] * q * x.stride, x.stride, to,
                y.stride);
}

/* The same with sizes that the compiler knows: sums stay in registers. */
static inline __attribute__((always_inline)) void
product_fixed(const laplacian_t *m, laplacian_side side, int q, int c, int64_t i, panel_t x, panel_t y) {
  const bsr_t *b = &m->beside;
  double sum[REGISTERS] = {0}, sign = side == WHOLE ? -1 : 1;
  double own = (m->diagonal ? 0 : sign * -1) + (side == WHOLE ? -m->shift : 1);
  for (int64_t at = b->start[i]; at < b->start[i + 1]; at++) {
    const double *o = b->block + at * q * q, *from = x.data + b->col[at] * q * x.stride;
    for (int k = 0; k < q; k++)
      for (int a = 0; a < q; a++)
        for (int l = 0; l < c; l++) sum[a * c + l] += o[a * q + k] * from[k * x.stride + l];
  }
  const double *from = x.data + i * q * x.stride;
  for (int a = 0; a < q; a++)
    for (int l = 0; l < c; l++) {
      double diagonal = own * from[a * x.stride + l];
      for (int k = 0; k < q && m->diagonal; k++)
        diagonal -= sign * m->diagonal[(i * q + a) * q + k] * from[k * x.stride + l];
      y.data[(i * q + a) * y.stride + l] = diagonal + sign * sum[a * c + l];
    }
}

#define PRODUCT(function, Q, C)                                                                              \
  _Pragma("omp parallel for num_threads(threads) schedule(static)") for (int64_t i = 0; i < n; i++)          \
      function(m, side, Q, C, i, x, y)

void laplacian_product(const run_t *run, const laplacian_t *m, laplacian_side side, panel_t x, panel_t y) {
  int64_t n = m->beside.rows, q = m->beside.q, c = x.columns;
  int threads = workers(run, m, c);
  if (q == 1 && c == 1) {
    PRODUCT(product_fixed, 1, 1);
  } else if (q == 1 && c == 3) {
    PRODUCT(product_fixed, 1, 3);
  } else if (q == 2 && c == 4) {
    PRODUCT(product_fixed, 2, 4);
  } else if (q == 3 && c == 6) {
    PRODUCT(product_fixed, 3, 6);
  } else {
    PRODUCT(product_row, q, c);
  }
}

void laplacian_relax(const run_t *run, const laplacian_t *m, double factor, panel_t r, panel_t t, panel_t y) {
  int64_t n = m->beside.rows, q = m->beside.q, c = r.columns;
  int threads = workers(run, m, c);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t i = 0; i < n; i++)
    for (int64_t a = 0; a < q; a++)
      for (int64_t k = m->inverse ? 0 : a; k < (m->inverse ? q : a + 1); k++) {
        double f = factor * (m->inverse ? m->inverse[(i * q + a) * q + k] : 1 / (1 - m->shift));
        const double *from = r.data + (i * q + k) * r.stride;
        const double *less = t.data ? t.data + (i * q + k) * t.stride : NULL;
        double *to = y.data + (i * q + a) * y.stride;
        for (int64_t l = 0; l < c; l++) to[l] += f * (from[l] - (less ? less[l] : 0));
      }
}

/* The inverse of a symmetric positive matrix a (q x q), by Gauss and Jordan without pivots;
 * what is next to nothing counts as `least`. a is destroyed. */
static void invert(int64_t q, double *a, double least, double *out) {
  for (int64_t i = 0; i < q * q; i++) out[i] = i % (q + 1) ? 0 : 1;
  for (int64_t k = 0; k < q; k++) {
    double pivot = 1 / fmax(a[k * q + k], least);
    for (int64_t j = 0; j < q; j++) a[k * q + j] *= pivot, out[k * q + j] *= pivot;
    for (int64_t i = 0; i < q; i++) {
      double f = a[i * q + k];
      if (i == k) continue;
      for (int64_t j = 0; j < q; j++) a[i * q + j] -= f * a[k * q + j], out[i * q + j] -= f * out[k * q + j];
    }
  }
}

void laplacian_invert(const run_t *run, laplacian_t *m) {
  int64_t q = m->beside.q, q2 = q * q;
#pragma omp parallel for num_threads(m->beside.rows > 5000 ? run->threads : 1) schedule(static)
  for (int64_t i = 0; i < (m->diagonal ? m->beside.rows : 0); i++) {
    double copy[GIVEN_MOST_Q * GIVEN_MOST_Q];
    for (int64_t k = 0; k < q2; k++) copy[k] = m->diagonal[i * q2 + k] - (k % (q + 1) ? 0 : m->shift);
    invert(q, copy, 1e-9, m->inverse + i * q2);
  }
}
