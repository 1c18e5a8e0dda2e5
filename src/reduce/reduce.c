/*
 * With X the centred rows, count x p, the smaller of two matrices is decomposed:
 *
 *     p <= count   X'X = V L V'
 *     p >  count   X X' = U L U',  V = X'U L^-1/2
 *
 * Products are made in panels of columns, one thread each, so that their bits
 * do not depend on the number of threads.
 */
#include "reduce/reduce.h"

#include "base/memory.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <omp.h>
#include <string.h>

enum { BLOCK = 512, PANEL = 64 }; /* rows centred together, at least; columns of a product */

/* An eigenvalue below this share of the largest is rounding. */
static const double NOTHING = 1e-14;

static inline double value(const lavdm_data *data, int64_t i, int64_t j) {
  int64_t at =
      i * (data->row_stride ? data->row_stride : data->p) + j * (data->col_stride ? data->col_stride : 1);
  return data->type == LAVDM_F32 ? (double)((const float *)data->points)[at]
                                 : ((const double *)data->points)[at];
}

/* Where the s-th of `count` evenly spaced rows stands. */
static int64_t row_of(const lavdm_data *data, int64_t s, int64_t count) {
  return (int64_t)((double)s * (double)data->n / (double)count);
}

/* out += columns begin .. end-1 of row i. */
static void add_row(const lavdm_data *data, int64_t i, int64_t begin, int64_t end, double *restrict out) {
  if (data->type == LAVDM_F64 &&
      (data->col_stride == 0 || data->col_stride == 1)) { /* next to each other, as nearly always */
    const double *x = (const double *)data->points + i * (data->row_stride ? data->row_stride : data->p);
    for (int64_t j = begin; j < end; j++) out[j] += x[j];
  } else {
    for (int64_t j = begin; j < end; j++) out[j] += value(data, i, j);
  }
}

static void centred_row(const lavdm_data *data, int64_t i, const double *restrict mean,
                        double *restrict out) {
  for (int64_t j = 0; j < data->p; j++) out[j] = -mean[j];
  add_row(data, i, 0, data->p, out);
}

/* mean (p) of the rows; columns over the threads, each summed from first row to last. */
static void find_mean(run_t *run, const lavdm_data *data, int64_t count, double *mean) {
  int64_t p = data->p, panels = (p + PANEL - 1) / PANEL;
#pragma omp parallel for num_threads(run->threads) schedule(static)
  for (int64_t panel = 0; panel < panels; panel++) {
    int64_t begin = panel * PANEL, end = begin + PANEL < p ? begin + PANEL : p;
    for (int64_t s = 0; s < count; s++) add_row(data, row_of(data, s, count), begin, end, mean);
    for (int64_t j = begin; j < end; j++) mean[j] /= (double)count;
  }
}

/* The lower triangle of c (size x size) += x'x, or x x' if size are the rows;
 * `other` is the other side of x. */
static void add_product(run_t *run, const double *x, int64_t size, int64_t other, bool rows, double *c) {
  int64_t panels = (size + PANEL - 1) / PANEL;
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 1)
  for (int64_t panel = 0; panel < panels; panel++) {
    int64_t j = panel * PANEL, width = j + PANEL < size ? PANEL : size - j;
    const double *from = x + (rows ? j * other : j);
    int stride = (int)(rows ? other : size);
    cblas_dgemm(CblasRowMajor, rows ? CblasNoTrans : CblasTrans, rows ? CblasTrans : CblasNoTrans,
                (int)(size - j), (int)width, (int)other, 1, from, stride, from, stride, 1, c + j * size + j,
                (int)size);
  }
}

/* z (k x size) receives the top k eigenvectors of a, whose lower triangle is
 * read, largest last; w (size) the eigenvalues, of which k are set. */
static int top_eigenvectors(run_t *run, double *a, int64_t size, int64_t k, double *w, double *z) {
  int n = (int)size, found = 0, iwork_size = 0, first = (int)(size - k + 1);
  double work_size = 0;
  LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, 'V', 'I', 'U', n, a, n, 0, 0, first, n, 0, &found, NULL, NULL, n,
                      NULL, &work_size, -1, &iwork_size, -1);
  double *work = NEW(double, (int64_t)work_size);
  int *iwork = NEW(int, iwork_size), *support = NEW(int, 2 * k);
  int status = LAVDM_OK;
  if (!work || !iwork || !support)
    status = fail_memory(run->error, "the principal axes");
  else if (LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, 'V', 'I', 'U', n, a, n, 0, 0, first, n, 0, &found, w, z, n,
                               support, work, (int)work_size, iwork, iwork_size) ||
           found != (int)k)
    status = fail(run->error, LAVDM_ERROR_NUMERICS, "the principal axes of the points did not converge");
  mem_free(work);
  mem_free(iwork);
  mem_free(support);
  return status;
}

/* The centred rows from the s-th on, `rows` of them. */
static void fill_rows(run_t *run, const lavdm_data *data, int64_t count, int64_t s, int64_t rows,
                      const double *mean, double *x) {
#pragma omp parallel for num_threads(run->threads) schedule(static)
  for (int64_t i = 0; i < rows; i++) centred_row(data, row_of(data, s + i, count), mean, x + i * data->p);
}

/* basis (p x k) from z (k x size), largest last: z itself, or X'z / |X'z|. */
static void fill_basis(const reduce_t *reduce, const double *x, const double *w, const double *z,
                       int64_t size, int64_t k) {
  int64_t p = reduce->p, width = reduce->k;
  if (x)
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasTrans, (int)p, (int)k, (int)size, 1, x, (int)p, z, (int)size,
                0, reduce->basis, (int)width);
  for (int64_t j = 0; j < p; j++) {
    double *row = reduce->basis + j * width;
    for (int64_t a = 0; !x && a < k; a++) row[a] = z[a * size + j];
    for (int64_t a = 0; a < k / 2; a++) {
      double swap = row[a];
      row[a] = row[k - 1 - a];
      row[k - 1 - a] = swap;
    }
    for (int64_t a = 0; a < k; a++) {
      double l = w[k - 1 - a];
      row[a] = l > NOTHING * w[k - 1] ? row[a] / (x ? sqrt(l) : 1) : 0;
    }
  }
}

/* Rows of a block of about 32 MB; all of them if their products are wanted. */
static int64_t block_rows(int64_t count, int64_t p) {
  int64_t rows = ((int64_t)1 << 22) / p;
  return p > count || rows > count ? count : rows > BLOCK ? rows : count < BLOCK ? count : BLOCK;
}

/* The mean, and the smaller of the two products, c (size x size, lower triangle); x: space for a block of
 * rows, which receives them all if size is their number. */
static int find_products(run_t *run, const lavdm_data *data, int64_t count, double *mean, double *x,
                         double *c) {
  int64_t p = data->p, size = p < count ? p : count, block = block_rows(count, p);
  bool rows = p > count; /* which matrix */
  find_mean(run, data, count, mean);
  for (int64_t s = 0; s < count && !run_stopped(run, s, 2 * count); s += block) {
    int64_t have = count - s < block ? count - s : block;
    fill_rows(run, data, count, s, have, mean, x);
    add_product(run, x, size, rows ? p : have, rows, c);
  }
  return run_status(run);
}

int reduce_spectrum(run_t *run, const lavdm_data *data, int64_t count, double *l) {
  int64_t p = data->p, size = p < count ? p : count;
  double *mean = NEW(double, p), *x = NEW(double, block_rows(count, p) * p), *c = NEW(double, size *size);
  int status = mean && x && c ? LAVDM_OK : fail_memory(run->error, "the covariance");
  int before = blas_threads(1);
  if (!status) status = find_products(run, data, count, mean, x, c);
  if (size > ONE_THREAD) blas_threads(run->threads);
  if (!status && LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'N', 'U', (int)size, c, (int)size, l))
    status = fail(run->error, LAVDM_ERROR_NUMERICS, "the variances of the points did not converge");
  blas_threads(before);
  for (int64_t i = 0; i < size / 2 && !status; i++) {
    double swap = l[i];
    l[i] = l[size - 1 - i];
    l[size - 1 - i] = swap;
  }
  for (int64_t i = 0; i < p && !status; i++) l[i] = i < size && l[i] > 0 ? l[i] / (double)count : 0;
  mem_free(mean);
  mem_free(x);
  mem_free(c);
  return status;
}

int reduce_fit(run_t *run, const lavdm_data *data, int64_t count, int64_t k, reduce_t *out) {
  int64_t p = data->p, size = p < count ? p : count, pairs = k < size ? k : size;
  bool rows = p > count; /* which matrix */
  *out = (reduce_t){.p = p, .k = k, .mean = NEW(double, p), .basis = NEW(double, p *k)};
  double *x = NEW(double, block_rows(count, p) * p), *c = NEW(double, size *size), *w = NEW(double, size),
         *z = NEW(double, pairs *size);
  int status = LAVDM_OK, before = blas_threads(1);
  if (!out->mean || !out->basis || !x || !c || !w || !z) {
    status = fail_memory(run->error, "the principal axes");
    goto done;
  }
  if ((status = find_products(run, data, count, out->mean, x, c)) < 0) goto done;
  if (size > ONE_THREAD) blas_threads(run->threads);
  status = top_eigenvectors(run, c, size, pairs, w, z);
  if (!status) fill_basis(out, rows ? x : NULL, w, z, size, pairs);
done:
  blas_threads(before);
  mem_free(x);
  mem_free(c);
  mem_free(w);
  mem_free(z);
  if (status < 0) reduce_free(out);
  return status;
}

int reduce_apply(run_t *run, const reduce_t *reduce, const lavdm_data *data, double *out) {
  int64_t n = data->n, p = reduce->p, k = reduce->k, blocks = (n + BLOCK - 1) / BLOCK;
  double *x = NEW(double, run->threads *BLOCK *p);
  if (!x) return fail_memory(run->error, "the principal coordinates");
  int before = blas_threads(1);
#pragma omp parallel for num_threads(run->threads) schedule(static)
  for (int64_t b = 0; b < blocks; b++) {
    if (run_stopped(run, b, blocks)) continue;
    int64_t first = b * BLOCK, rows = n - first < BLOCK ? n - first : BLOCK;
    double *own = x + omp_get_thread_num() * BLOCK * p;
    for (int64_t i = 0; i < rows; i++) centred_row(data, first + i, reduce->mean, own + i * p);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)k, (int)p, 1, own, (int)p,
                reduce->basis, (int)k, 0, out + first * k, (int)k);
  }
  blas_threads(before);
  mem_free(x);
  return run_status(run);
}

double reduce_bytes(int64_t count, int64_t p) {
  double size = (double)(p < count ? p : count);
  return 8 * (size * size + (double)block_rows(count, p) * (double)p);
}

void reduce_free(reduce_t *reduce) {
  mem_free(reduce->mean);
  mem_free(reduce->basis);
  *reduce = (reduce_t){0};
}
