/*
 * A = Q T Q' with T tridiagonal, T = Z diag(w) Z', by LAPACK: bisection and
 * inverse iteration for the pairs wanted if these are few, divide and conquer
 * for all if not.
 */
#include "spectrum/solver.h"

#include "base/memory.h"
#include "spectrum/panel.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Divide and conquer wants N^2 doubles of work, counted by an int. */
enum { MOST_CONQUERED = 40000 };

typedef struct {
  int n, r;
  double *w, *z; /* ascending, the last r are the pairs wanted; z column-major */
  double *diagonal, *beside, *reflectors, *work;
  int *iwork, *support;
} dense_t;

static void release(dense_t *d) {
  double *arrays[] = {d->w, d->z, d->diagonal, d->beside, d->reflectors, d->work};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(arrays[i]);
  mem_free(d->iwork);
  mem_free(d->support);
}

/* A copy of T in w and beside + n, where it is overwritten. */
static double *copy_tridiagonal(dense_t *d) {
  memcpy(d->w, d->diagonal, (size_t)d->n * sizeof *d->w);
  memcpy(d->beside + d->n, d->beside, (size_t)d->n * sizeof *d->w);
  return d->beside + d->n;
}

/* All of T's pairs, the wanted ones brought back to A; n x n in z. QR iteration
 * stands in where divide and conquer fails. */
static bool conquer(dense_t *d, double *a, bool *allocated) {
  int n = d->n, r = d->r, work_size = 1 + 4 * n + n * n, iwork_size = 3 + 5 * n;
  double reduce = 0, back = 0, *last;
  LAPACKE_dsytrd_work(LAPACK_COL_MAJOR, 'L', n, a, n, NULL, NULL, NULL, &reduce, -1);
  LAPACKE_dormtr_work(LAPACK_COL_MAJOR, 'L', 'L', 'N', n, r, a, n, NULL, NULL, n, &back, -1);
  work_size = (int)fmax(work_size, fmax(reduce, back));
  d->w = NEW(double, n);
  d->z = NEW(double, (int64_t)n *n);
  d->diagonal = NEW(double, n);
  d->beside = NEW(double, 2 * (int64_t)n);
  d->reflectors = NEW(double, n);
  d->work = NEW(double, work_size);
  d->iwork = NEW(int, iwork_size);
  *allocated = d->w && d->z && d->diagonal && d->beside && d->reflectors && d->work && d->iwork;
  if (!*allocated) return false;

  if (LAPACKE_dsytrd_work(LAPACK_COL_MAJOR, 'L', n, a, n, d->diagonal, d->beside, d->reflectors, d->work,
                          work_size))
    return false;
  double *beside = copy_tridiagonal(d);
  if (LAPACKE_dstedc_work(LAPACK_COL_MAJOR, 'I', n, d->w, beside, d->z, n, d->work, work_size, d->iwork,
                          iwork_size)) {
    beside = copy_tridiagonal(d);
    if (LAPACKE_dsteqr_work(LAPACK_COL_MAJOR, 'I', n, d->w, beside, d->z, n, d->work)) return false;
  }
  last = d->z + (int64_t)(n - r) * n;
  return LAPACKE_dormtr_work(LAPACK_COL_MAJOR, 'L', 'L', 'N', n, r, a, n, d->reflectors, last, n, d->work,
                             work_size) == 0;
}

/* The pairs wanted alone; n x r in z. */
static bool bisect(dense_t *d, double *a, bool *allocated) {
  int n = d->n, r = d->r, found = 0, iwork_size = 0;
  double work_size = 0;
  LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, 'V', 'I', 'L', n, a, n, 0, 0, n - r + 1, n, 0, &found, NULL, NULL, n,
                      NULL, &work_size, -1, &iwork_size, -1);
  d->w = NEW(double, n);
  d->z = NEW(double, (int64_t)n *r);
  d->work = NEW(double, (int64_t)work_size);
  d->iwork = NEW(int, iwork_size);
  d->support = NEW(int, 2 * (int64_t)r);
  *allocated = d->w && d->z && d->work && d->iwork && d->support;
  if (!*allocated) return false;
  int info = LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, 'V', 'I', 'L', n, a, n, 0, 0, n - r + 1, n, 0, &found,
                                 d->w, d->z, n, d->support, d->work, (int)work_size, d->iwork, iwork_size);
  return info == 0 && found == r;
}

int solve_dense(run_t *run, double *a, int64_t size, int64_t r, double *values, double *vectors) {
  if (size > INT32_MAX / 32)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "a matrix of %lld rows is too large to decompose",
                (long long)size);
  for (int64_t i = 0; i < size * size; i++)
    if (!isfinite(a[i]))
      return fail(run->error, LAVDM_ERROR_NUMERICS, "the matrix holds a NaN or an infinity");

  dense_t d = {.n = (int)size, .r = (int)r};
  bool many = 3 * r > size && size <= MOST_CONQUERED, allocated;
  int before = blas_threads(run->threads), status = LAVDM_OK;
  bool solved = many ? conquer(&d, a, &allocated) : bisect(&d, a, &allocated);
  blas_threads(before);
  if (solved) {
    int64_t top = many ? size - 1 : r - 1; /* where the largest eigenvalue is */
    for (int64_t l = 0; l < r; l++) values[l] = d.w[top - l];
#pragma omp parallel for num_threads(run->threads) schedule(static)
    for (int64_t i = 0; i < size; i++)
      for (int64_t l = 0; l < r; l++) vectors[i * r + l] = d.z[(top - l) * size + i];
    panel_fix_signs(run->threads, (panel_t){vectors, size, r, r});
  } else {
    status = allocated
                 ? fail(run->error, LAVDM_ERROR_NUMERICS, "the eigenvalues of a matrix did not converge")
                 : fail_memory(run->error, "the eigenvectors of a dense matrix");
  }
  release(&d);
  return status < 0 ? status : run_status(run);
}

int solve_rows(run_t *run, const operator_t *op, double *a, int64_t r, double *values, double *vectors) {
  const team_t *team = op->team;
  if (!team) return solve_dense(run, a, op->size, r, values, vectors);
  int64_t first, total, count = operator_total(op);
  double *all = team_rows(team, a, op->size, (size_t)count * sizeof *a, &first, &total);
  double *found = NEW(double, count *r);
  int status = all && found ? solve_dense(run, all, count, r, values, found)
                            : fail_memory(run->error, "the matrix of all ranks");
  status = team_agree(team, status);
  if (!status) status = team_share_first(team, values, r);
  if (!status) status = team_share_first(team, found, count * r);
  if (!status) memcpy(vectors, found + op->before * r, (size_t)(op->size * r) * sizeof *vectors);
  mem_free(all);
  mem_free(found);
  return status;
}
