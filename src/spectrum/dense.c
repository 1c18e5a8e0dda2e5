/*
 * A = Z diag(w) Z' by LAPACK: bisection and inverse iteration for the pairs
 * wanted (dsyevr) if these are few, divide and conquer for all (dsyevd) if not.
 */
#include "spectrum/solver.h"

#include "base/memory.h"
#include "spectrum/panel.h"

#include <lapacke.h>
#include <math.h>

/* dsyevd wants 2 N^2 doubles of work, counted by an int. */
enum { MOST_CONQUERED = 30000 };

typedef struct {
  double *z, *w, *work; /* N x r column-major, ascending */
  int *iwork, *support;
} dense_t;

static void release(dense_t *d) {
  mem_free(d->z);
  mem_free(d->w);
  mem_free(d->work);
  mem_free(d->iwork);
  mem_free(d->support);
}

/* All eigenpairs; the eigenvectors replace a. Returns LAPACK's info. */
static int conquer(dense_t *d, double *a, int n, bool *allocated) {
  int work_size = 1 + 6 * n + 2 * n * n, iwork_size = 3 + 5 * n;
  d->work = NEW(double, work_size);
  d->iwork = NEW(int, iwork_size);
  d->w = NEW(double, n);
  *allocated = d->work && d->iwork && d->w;
  if (!*allocated) return 0;
  return LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, a, n, d->w, d->work, work_size, d->iwork,
                             iwork_size);
}

/* The top r eigenpairs in w and z. Returns LAPACK's info. */
static int bisect(dense_t *d, double *a, int n, int r, bool *allocated) {
  int found = 0, iwork_size = 0;
  double work_size = 0;
  LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, 'V', 'I', 'L', n, a, n, 0, 0, n - r + 1, n, 0, &found, NULL, NULL, n,
                      NULL, &work_size, -1, &iwork_size, -1);
  d->work = NEW(double, (int64_t)work_size);
  d->iwork = NEW(int, iwork_size);
  d->w = NEW(double, n);
  d->z = NEW(double, (int64_t)n *r);
  d->support = NEW(int, 2 * (int64_t)r);
  *allocated = d->work && d->iwork && d->w && d->z && d->support;
  if (!*allocated) return 0;
  int info = LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, 'V', 'I', 'L', n, a, n, 0, 0, n - r + 1, n, 0, &found,
                                 d->w, d->z, n, d->support, d->work, (int)work_size, d->iwork, iwork_size);
  return info ? info : found - r;
}

int solve_dense(run_t *run, double *a, int64_t size, int64_t r, double *values, double *vectors) {
  if (size > INT32_MAX / 8)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "a matrix of %lld rows is too large to decompose",
                (long long)size);
  for (int64_t i = 0; i < size * size; i++)
    if (!isfinite(a[i]))
      return fail(run->error, LAVDM_ERROR_NUMERICS, "the matrix holds a NaN or an infinity");

  dense_t d = {0};
  bool all = 3 * r > size && size <= MOST_CONQUERED, allocated;
  int before = blas_threads(run->threads), status = LAVDM_OK;
  int info = all ? conquer(&d, a, (int)size, &allocated) : bisect(&d, a, (int)size, (int)r, &allocated);
  blas_threads(before);
  if (!allocated)
    status = fail_memory(run->error, "the eigenvectors of a dense matrix");
  else if (info)
    status = fail(run->error, LAVDM_ERROR_NUMERICS, "the eigenvalues of a matrix did not converge");
  else {
    const double *last = (all ? a + (size - r) * size : d.z) + (r - 1) * size; /* the largest */
    for (int64_t l = 0; l < r; l++) values[l] = d.w[(all ? size : r) - 1 - l];
#pragma omp parallel for num_threads(run->threads) schedule(static)
    for (int64_t i = 0; i < size; i++)
      for (int64_t l = 0; l < r; l++) vectors[i * r + l] = last[i - l * size];
    panel_fix_signs(run->threads, (panel_t){vectors, size, r, r});
  }
  release(&d);
  return status < 0 ? status : run_status(run);
}
