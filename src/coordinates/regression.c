/*
 * For each point i, with rows a_j = (1, x_j) and weights w_j = exp(-|x_i - x_j|^2 / h^2), w_i = 0,
 *     (sum_j w_j a_j a_j' + ridge sum_j w_j) b = sum_j w_j a_j y_j,   fit_i = a_i' b.
 */
#include "coordinates/coordinates.h"

#include "base/memory.h"
#include "base/sort.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <omp.h>
#include <string.h>

static const double BANDWIDTH = 1.0 / 3; /* of the median distance, as published */
static const double RIDGE = 1e-8;        /* columns may be functions of each other nearby */
static const double ALONE = 1e-8;        /* a sum of weights that no fit can be made from */

static double distance2(const double *const *x, int64_t width, int64_t i, int64_t j) {
  double sum = 0;
  for (int64_t c = 0; c < width; c++) {
    double d = x[c][i] - x[c][j];
    sum += d * d;
  }
  return sum;
}

/* h^2, from the pairs that lie 1 .. OFFSETS rows apart; d2: count x OFFSETS. */
enum { OFFSETS = 31 };
static double bandwidth2(const double *const *x, int64_t width, int64_t count, double *d2) {
  int64_t pairs = 0;
  for (int64_t i = 0; i < count; i++)
    for (int64_t s = 1; s <= OFFSETS && s < count; s++) d2[pairs++] = distance2(x, width, i, (i + s) % count);
  return BANDWIDTH * BANDWIDTH * smallest_real(d2, pairs, pairs / 2);
}

/* What one thread needs: weights, weighted rows, the equations twice, the solution. */
static int64_t work_size(int64_t width, int64_t count) {
  return count + (width + 1) * count + (width + 1) * (2 * width + 3) + (width + 1);
}

/* Cholesky of the lower triangle of the first `size` columns of g (size x (size + 1)), whose last column is
 * the right-hand side; the solution goes to b. False if it is not positive definite. The triangle goes to l
 * by columns: LAPACKE takes memory of its own for rows. */
static bool solve(const double *g, int64_t size, double *l, double *b) {
  int64_t stride = size + 1;
  for (int64_t i = 0; i < size; i++) {
    for (int64_t k = 0; k <= i; k++) l[k * size + i] = g[i * stride + k];
    b[i] = g[i * stride + size];
  }
  int n = (int)size;
  return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, l, n) == 0 &&
         LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, 1, l, n, b, n) == 0;
}

/* a: width + 2 rows of `count`: ones, the columns, y. */
static double fit_at(const double *const *x, const double *a, int64_t width, int64_t count, double h2,
                     int64_t i, double *work) {
  int64_t size = width + 1;
  double *w = work, *wa = w + count, *g = wa + size * count, *l = g + size * (size + 1), *b = l + size * size,
         sum = 0;
  memset(w, 0, (size_t)count * sizeof *w);
  for (int64_t c = 0; c < width; c++)
    for (int64_t j = 0; j < count; j++) w[j] += (x[c][i] - x[c][j]) * (x[c][i] - x[c][j]);
  for (int64_t j = 0; j < count; j++) w[j] = exp(-w[j] / h2);
  w[i] = 0;
  for (int64_t j = 0; j < count; j++) sum += w[j];
  if (!(sum > ALONE)) return 0;
  for (int64_t c = 0; c < size; c++)
    for (int64_t j = 0; j < count; j++) wa[c * count + j] = w[j] * a[c * count + j];
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)size, (int)(size + 1), (int)count, 1, wa,
              (int)count, a, (int)count, 0, g, (int)(size + 1));
  for (int64_t c = 0; c < size; c++) g[c * (size + 1) + c] += RIDGE * sum;
  if (!solve(g, size, l, b)) return 0;
  double fit = b[0];
  for (int64_t c = 0; c < width; c++) fit += b[c + 1] * x[c][i];
  return fit;
}

int regression_residual(run_t *run, const double *const *x, int64_t width, const double *y, int64_t count,
                        double *fit, double *r) {
  memset(fit, 0, (size_t)count * sizeof *fit);
  *r = 1;
  if (!width) return LAVDM_OK;
  int64_t size = work_size(width, count);
  double *a = NEW(double, (width + 2) * count), *work = NEW(double, run->threads *size),
         *d2 = NEW(double, count *OFFSETS);
  bool room = a && work && d2;
  double h2 = room ? bandwidth2(x, width, count, d2) : 0, left = 0, all = 0;
  if (h2 > 0) {
    for (int64_t j = 0; j < count; j++) a[j] = 1;
    for (int64_t c = 0; c < width; c++) memcpy(a + (c + 1) * count, x[c], (size_t)count * sizeof *a);
    memcpy(a + (width + 1) * count, y, (size_t)count * sizeof *a);
    int before = blas_threads(1);
#pragma omp parallel for num_threads(run->threads) schedule(static)
    for (int64_t i = 0; i < count; i++)
      fit[i] = fit_at(x, a, width, count, h2, i, work + omp_get_thread_num() * size);
    blas_threads(before);
    for (int64_t i = 0; i < count; i++) {
      left += (y[i] - fit[i]) * (y[i] - fit[i]);
      all += y[i] * y[i];
    }
    *r = sqrt(left / all);
  }
  mem_free(a);
  mem_free(work);
  mem_free(d2);
  return room ? LAVDM_OK : fail_memory(run->error, "the choice of coordinates");
}
