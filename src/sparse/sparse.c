/*
 * With few columns X'X is written out; else it, or X X' where there are fewer rows, is known by its
 * products alone. Both are divided by the sum of their eigenvalues, so that these lie in [0,1].
 */
#include "sparse/sparse.h"

#include "base/memory.h"
#include "sparse/products.h"
#include "spectrum/solver.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum {
  WRITTEN = 4000, /* columns up to which X'X is written out: 128 MB */
  DENSE = 1000,   /* and decomposed as a whole */
  FEW = 5,        /* pairs are few if no more than one in so many: then Lanczos finds them */
};

/* Residuals of the eigenpairs, as a share of the sum of the eigenvalues. */
static const double TOLERANCE = 1e-13;

/* An eigenvalue below this share of the largest is rounding. */
static const double NOTHING = 1e-14;

typedef struct {
  centred_t x;
  double total;       /* the sum of the eigenvalues */
  bool transpose;     /* X X' is meant */
  const double *gram; /* X'X, or NULL */
} problem_t;

/* ------------------------------------------------------------------ products */

static void find_mean(const lavdm_sparse *s, double *mean) {
  for (int64_t e = 0; e < s->start[s->rows]; e++) mean[s->index[e]] += s->value[e];
  for (int64_t j = 0; j < s->cols; j++) mean[j] /= (double)s->rows;
}

/* The sum of squares of the centred entries, by columns: the zeros of column j are -mean_j. */
static int find_total(run_t *run, const lavdm_sparse *s, const double *mean, double *total) {
  int64_t *listed = NEW(int64_t, s->cols);
  if (!listed) return fail_memory(run->error, "the variances");
  *total = 0;
  for (int64_t e = 0; e < s->start[s->rows]; e++) {
    double d = s->value[e] - mean[s->index[e]];
    *total += d * d;
    listed[s->index[e]]++;
  }
  for (int64_t j = 0; j < s->cols; j++) *total += (double)(s->rows - listed[j]) * mean[j] * mean[j];
  mem_free(listed);
  return LAVDM_OK;
}

static int apply_gram(run_t *run, const void *context, const double *x, double *y, int64_t count) {
  const problem_t *p = context;
  int size = (int)p->x.rows->cols;
  int before = blas_threads(run->threads);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, (int)count, size, 1 / p->total, p->gram, size,
              x, (int)count, 0, y, (int)count);
  blas_threads(before);
  return run_status(run);
}

static int apply_products(run_t *run, const void *context, const double *x, double *y, int64_t count) {
  const problem_t *p = context;
  const lavdm_sparse *s = p->x.rows;
  int64_t size = p->transpose ? s->rows : s->cols, other = p->transpose ? s->cols : s->rows;
  double *z = NEW(double, other *count), *sums = NEW(double, count), scale = 1 / p->total;
  int status = z && sums ? LAVDM_OK : fail_memory(run->error, "the principal axes");
  if (!status && p->transpose) {
    centred_back(run, &p->x, x, count, sums, z);
    centred_forward(run, &p->x, z, count, sums, y);
  } else if (!status) {
    centred_forward(run, &p->x, x, count, sums, z);
    centred_back(run, &p->x, z, count, sums, y);
  }
  for (int64_t i = 0; i < size * count && !status; i++) y[i] *= scale;
  mem_free(z);
  mem_free(sums);
  return status < 0 ? status : run_status(run);
}

/* ------------------------------------------------------------------ the axes */

/* values (k) and vectors (cols x k) of X'X / total, written out. */
static int solve_written(run_t *run, problem_t *p, int64_t k, double *values, double *vectors,
                         double *residuals) {
  int64_t size = p->x.rows->cols;
  double *gram = NEW(double, size *size);
  if (!gram) return fail_memory(run->error, "the covariance");
  centred_gram(run, &p->x, gram);
  p->gram = gram;
  operator_t op = {.size = size, .apply = apply_gram, .context = p};
  int status = run_status(run);
  if (!status && (size <= DENSE || k > size / FEW)) {
    status = solve_dense(run, gram, size, k, values, vectors);
    for (int64_t l = 0; l < k; l++) values[l] /= p->total;
  } else if (!status) {
    status = solve_iterative(run, &op, k, TOLERANCE, values, vectors, residuals);
  }
  mem_free(gram);
  return status;
}

/* The same by products; vectors are those of X X' if there are fewer rows. */
static int solve_products(run_t *run, problem_t *p, int64_t k, double *values, double *vectors,
                          double *residuals) {
  int64_t size = p->transpose ? p->x.rows->rows : p->x.rows->cols;
  operator_t op = {.size = size, .apply = apply_products, .context = p};
  int status = centred_transpose(run, &p->x);
  return status < 0 ? status : solve_iterative(run, &op, k, TOLERANCE, values, vectors, residuals);
}

/* basis (cols x k): the vectors, or X'u / |X'u|; zero beyond the rank. */
static int fill_basis(run_t *run, const problem_t *p, int64_t k, const double *values, const double *vectors,
                      double *basis) {
  int64_t cols = p->x.rows->cols;
  double *sums = NEW(double, k);
  if (!sums) return fail_memory(run->error, "the principal axes");
  if (p->transpose)
    centred_back(run, &p->x, vectors, k, sums, basis);
  else
    memcpy(basis, vectors, (size_t)(cols * k) * sizeof *basis);
  for (int64_t l = 0; l < k; l++) {
    bool nothing = !(values[l] > NOTHING * values[0]);
    double scale = nothing ? 0 : p->transpose ? 1 / sqrt(values[l] * p->total) : 1;
    for (int64_t j = 0; j < cols; j++) basis[j * k + l] = nothing ? 0 : basis[j * k + l] * scale;
  }
  mem_free(sums);
  return LAVDM_OK;
}

int sparse_fit(run_t *run, const lavdm_sparse *s, int64_t k, reduce_t *out) {
  bool written = s->cols <= WRITTEN;
  problem_t p = {.x = {.rows = s}, .transpose = !written && s->rows < s->cols};
  int64_t size = p.transpose ? s->rows : s->cols;
  *out = (reduce_t){.p = s->cols, .k = k, .mean = NEW(double, s->cols), .basis = NEW(double, s->cols *k)};
  double *values = NEW(double, k), *residuals = NEW(double, k), *vectors = NEW(double, size *k);
  bool room = out->mean && out->basis && values && residuals && vectors;
  int status = room ? LAVDM_OK : fail_memory(run->error, "the principal axes");
  if (!status) {
    find_mean(s, out->mean);
    p.x.mean = out->mean;
    status = find_total(run, s, out->mean, &p.total);
  }
  if (!status && !(p.total > 0))
    status = fail(run->error, LAVDM_ERROR_DATA, "all sparse points are equal: there is nothing to embed");
  if (!status)
    status = written ? solve_written(run, &p, k, values, vectors, residuals)
                     : solve_products(run, &p, k, values, vectors, residuals);
  if (!status) status = fill_basis(run, &p, k, values, vectors, out->basis);
  centred_free(&p.x);
  mem_free(values);
  mem_free(residuals);
  mem_free(vectors);
  if (status < 0) reduce_free(out);
  return status;
}

int sparse_apply(run_t *run, const reduce_t *reduce, const lavdm_sparse *s, double *out) {
  const centred_t x = {.rows = s, .mean = reduce->mean};
  double *sums = NEW(double, reduce->k);
  if (!sums) return fail_memory(run->error, "the principal coordinates");
  centred_forward(run, &x, reduce->basis, reduce->k, sums, out);
  mem_free(sums);
  return run_status(run);
}

void sparse_sample(const lavdm_sparse *s, int64_t count, double *out) {
  memset(out, 0, (size_t)(count * s->cols) * sizeof *out);
  for (int64_t k = 0; k < count; k++) {
    int64_t i = (int64_t)((double)k * (double)s->rows / (double)count);
    for (int64_t e = s->start[i]; e < s->start[i + 1]; e++) out[k * s->cols + s->index[e]] = s->value[e];
  }
}

double sparse_bytes(const lavdm_sparse *s, int64_t k) {
  bool written = s->cols <= WRITTEN;
  double p = (double)s->cols, size = written || s->rows >= s->cols ? p : (double)s->rows;
  double vectors = 3 * (double)k + 128 + (double)k; /* spectrum/solver.h */
  return 8 * size * vectors + (written ? 8 * p * p : 16 * (double)s->start[s->rows]);
}
