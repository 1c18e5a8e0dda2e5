/*
 * The interface, and large p: with k < p neighbours the k x k Gram matrix Z Z'
 * (rows of Z are the weighted differences) has the same non-zero spectrum as
 * the covariance Z' Z, and v = Z' u / |Z' u|; LAPACK solves it. Small p is in
 * pca_small.c.
 */
#include "frames/pca.h"

#include "base/memory.h"
#include "frames/pca_small.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdbool.h>
#include <string.h>
#include <tgmath.h>

struct pca_work {
  int64_t p, k, rank;
  pca_small *small; /* if p is small, and then nothing else */

  real_t *a, *v; /* side x side matrix, eigenvalues */
  real_t *z, *h; /* k x p weighted differences, weights */

  /* eigenvectors and workspaces of syevr */
  real_t *vectors, *lapack;
  lapack_int *support, *integers, size, integer_size;
};

int64_t pca_rank(const pca_work *work) {
  return work->rank;
}

static int64_t side(const pca_work *w) {
  return w->p <= w->k ? w->p : w->k;
}

pca_work *pca_work_new(int64_t p, int64_t k) {
  pca_work *w = NEW(pca_work, 1);
  if (!w) return NULL;
  w->p = p, w->k = k, w->rank = p < k ? p : k;
  bool whole;
  if (p <= PCA_SMALL) {
    w->small = pca_small_new(p, k);
    whole = w->small;
  } else {
    int64_t s = side(w);
    w->size = (lapack_int)(26 * s), w->integer_size = (lapack_int)(10 * s); /* what syevr asks for at least */
    w->z = NEW(real_t, k * p);
    w->h = NEW(real_t, k);
    w->a = NEW(real_t, s * s);
    w->v = NEW(real_t, s);
    w->vectors = NEW(real_t, s * s);
    w->lapack = NEW(real_t, w->size);
    w->support = NEW(lapack_int, 2 * s);
    w->integers = NEW(lapack_int, w->integer_size);
    whole = w->z && w->h && w->a && w->v && w->vectors && w->lapack && w->support && w->integers;
  }
  if (whole) return w;
  pca_work_free(w);
  return NULL;
}

void pca_work_free(pca_work *w) {
  if (!w) return;
  pca_small_free(w->small);
  mem_free(w->a);
  mem_free(w->v);
  mem_free(w->z);
  mem_free(w->h);
  mem_free(w->vectors);
  mem_free(w->lapack);
  mem_free(w->support);
  mem_free(w->integers);
  mem_free(w);
}

void pca_taper(const real_t *restrict d2, int64_t k, real_t *restrict h) {
  real_t most = 0;
#pragma omp simd reduction(max : most)
  for (int64_t j = 0; j < k; j++) most = d2[j] > most ? d2[j] : most;
  real_t reach = most * (1 + 1 / (real_t)k), inverse = reach > 0 ? 1 / reach : 0;
  for (int64_t j = 0; j < k; j++) h[j] = 1 - d2[j] * inverse;
}

/* Makes row i of b (rows of length p) a unit vector orthogonal to rows 0..i-1;
 * falls back on the axes where it vanishes. */
static void orthonormalise(real_t *b, int64_t i, int64_t p) {
  real_t *row = b + i * p;
  for (int64_t axis = -1; axis < p; axis++) {
    if (axis >= 0)
      for (int64_t k = 0; k < p; k++) row[k] = k == axis;
    real_t before = cblas_nrm2((int)p, row, 1);
    for (int pass = 0; pass < 2; pass++)
      for (int64_t j = 0; j < i; j++)
        cblas_axpy((int)p, -cblas_dot((int)p, row, 1, b + j * p, 1), b + j * p, 1, row, 1);
    real_t norm = cblas_nrm2((int)p, row, 1);
    if (!(norm > 1e-7 * before) || norm == 0) continue;
    cblas_scal((int)p, 1 / norm, row, 1);
    return;
  }
}

static void large_pca(pca_work *w, const real_t *x, const int64_t *index, const real_t *d2,
                      const real_t *centre, int64_t d, real_t *values, real_t *basis) {
  int64_t p = w->p, k = w->k, s = side(w), found = d < s ? d : s;
  pca_taper(d2, k, w->h);
  for (int64_t j = 0; j < k; j++) {
    real_t weight = sqrt(w->h[j]), *z = w->z + j * p;
    const real_t *y = x + index[j] * p;
    for (int64_t i = 0; i < p; i++) z[i] = weight * (y[i] - centre[i]);
  }
  /* row-major Z (k x p): A = Z'Z if p is the smaller side, Z Z' otherwise */
  cblas_syrk(CblasColMajor, CblasUpper, p <= k ? CblasNoTrans : CblasTrans, (int)s, (int)(p <= k ? k : p), 1,
             w->z, (int)p, 0, w->a, (int)s);
  lapack_int n = (lapack_int)s, first = (lapack_int)(s - found + 1), count;
  syevr_work(LAPACK_COL_MAJOR, 'V', 'I', 'U', n, w->a, n, 0, 0, first, n, 0, &count, w->v, w->vectors, n,
             w->support, w->lapack, w->size, w->integers, w->integer_size);
  for (int64_t i = 0; i < found; i++) values[i] = w->v[found - 1 - i] > 0 ? w->v[found - 1 - i] : 0;
  for (int64_t i = 0; i < d; i++) {
    real_t *row = basis + i * p;
    const real_t *u = w->vectors + (found - 1 - i) * s;
    if (i >= found)
      memset(row, 0, (size_t)p * sizeof *row);
    else if (p <= k)
      memcpy(row, u, (size_t)p * sizeof *row);
    else
      cblas_gemv(CblasColMajor, CblasNoTrans, (int)p, (int)k, 1, w->z, (int)p, u, 1, 0, row, 1);
    orthonormalise(basis, i, p);
  }
}

void pca_local(pca_work *w, int64_t lanes, const real_t *x, const int64_t *index, const real_t *d2,
               const real_t *centre, int64_t d, real_t *values, real_t *basis) {
  if (w->small) {
    pca_small_local(w->small, lanes, x, index, d2, centre, d, values, basis);
    return;
  }
  for (int64_t lane = 0; lane < lanes; lane++)
    large_pca(w, x, index + lane * w->k, d2 + lane * w->k, centre + lane * w->p, d, values + lane * w->rank,
              basis + lane * d * w->p);
}
