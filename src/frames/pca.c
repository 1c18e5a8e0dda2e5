/*
 * Few coordinates: second moments straight from the search, and pca_small.c.
 * Many: lists of neighbours. With k < p of them the k x k Gram matrix Z Z' (rows
 * of Z are the weighted differences) has the same non-zero spectrum as the
 * covariance Z' Z, and v = Z' u / |Z' u|; LAPACK solves it.
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
  const tiles_t *points;
  hood_t hood;
  int64_t rank;
  neighbour_work *search;

  /* few coordinates */
  pca_small *small;
  real_t *moments; /* batch x p(p+1)/2 */

  /* many: lists of neighbours, batch x k, or the limits of those within the radius */
  int64_t *index, *start;
  real_t *d2;
  int64_t room;  /* neighbours of one place that the rest is made for */
  real_t *z, *h; /* k x p weighted differences, weights */
  real_t *a, *v; /* side x side matrix, eigenvalues; side = min(p, k) */
  real_t *vectors, *lapack;
  lapack_int *support, *integers;
};

int64_t pca_rank(const pca_work *work) {
  return work->rank;
}

static void free_large(pca_work *w) {
  mem_free(w->a);
  mem_free(w->v);
  mem_free(w->z);
  mem_free(w->h);
  mem_free(w->vectors);
  mem_free(w->lapack);
  mem_free(w->support);
  mem_free(w->integers);
}

/* Room for places with k neighbours. */
static int large_room(pca_work *w, int64_t k) {
  if (k <= w->room) return LAVDM_OK;
  free_large(w);
  int64_t p = w->points->p, s = p < k ? p : k;
  w->z = NEW(real_t, k * p);
  w->h = NEW(real_t, k);
  w->a = NEW(real_t, s * s);
  w->v = NEW(real_t, s);
  w->vectors = NEW(real_t, s * s);
  w->lapack = NEW(real_t, 26 * s); /* what syevr asks for at least */
  w->support = NEW(lapack_int, 2 * s);
  w->integers = NEW(lapack_int, 10 * s);
  bool whole = w->z && w->h && w->a && w->v && w->vectors && w->lapack && w->support && w->integers;
  w->room = whole ? k : 0;
  return whole ? LAVDM_OK : LAVDM_ERROR_MEMORY;
}

pca_work *pca_work_new(const tiles_t *points, hood_t hood, int64_t batch) {
  pca_work *w = NEW(pca_work, 1);
  if (!w) return NULL;
  int64_t p = points->p;
  w->points = points;
  w->hood = hood;
  w->rank = p <= PCA_SMALL || hood.radius > 0 || p < hood.k ? p : hood.k;
  w->search = neighbour_work_new();
  bool whole = w->search;
  if (p <= PCA_SMALL) {
    w->small = pca_small_new(p);
    w->moments = NEW(real_t, batch * p * (p + 1) / 2);
    whole = whole && w->small && w->moments;
  } else if (hood.radius > 0) {
    w->start = NEW(int64_t, batch + 1);
    whole = whole && w->start;
  } else {
    w->index = NEW(int64_t, batch * hood.k);
    w->d2 = NEW(real_t, batch * hood.k);
    whole = whole && w->index && w->d2 && large_room(w, hood.k) == LAVDM_OK;
  }
  if (whole) return w;
  pca_work_free(w);
  return NULL;
}

void pca_work_free(pca_work *w) {
  if (!w) return;
  neighbour_work_free(w->search);
  pca_small_free(w->small);
  mem_free(w->moments);
  mem_free(w->index);
  mem_free(w->start);
  mem_free(w->d2);
  free_large(w);
  mem_free(w);
}

/* h(r) for every neighbour, see frames.h; 1 where all of them coincide. */
static void taper(const real_t *restrict d2, int64_t k, double radius, real_t *restrict h) {
  real_t reach = (real_t)(radius * radius);
  for (int64_t j = 0; j < k && radius <= 0; j++) reach = d2[j] > reach ? d2[j] : reach;
  if (radius <= 0) reach *= 1 + 1 / (real_t)k;
  for (int64_t j = 0; j < k; j++) h[j] = reach > 0 ? 1 - d2[j] / reach : 1;
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

/* One place with k neighbours. */
static void large_pca(pca_work *w, int64_t k, const int64_t *index, const real_t *d2, const real_t *centre,
                      int64_t d, real_t *values, real_t *basis) {
  const real_t *x = w->points->x;
  int64_t p = w->points->p, s = p < k ? p : k, found = d < s ? d : s;
  taper(d2, k, w->hood.radius, w->h);
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
             w->support, w->lapack, (lapack_int)(26 * s), w->integers, (lapack_int)(10 * s));
  for (int64_t i = 0; i < d && i < w->rank; i++)
    values[i] = i < found && w->v[found - 1 - i] > 0 ? w->v[found - 1 - i] : 0;
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

static int small_local(pca_work *w, const real_t *places, int64_t count, int64_t d, real_t *values,
                       real_t *basis) {
  int64_t p = w->points->p, entries = p * (p + 1) / 2;
  int status = w->hood.radius > 0
                   ? radius_moments(w->points, places, count, w->hood.radius, w->search, w->moments)
                   : nearest_moments(w->points, places, count, w->hood.k, w->search, w->moments);
  for (int64_t i = 0; i < count && status >= 0; i += LANES)
    pca_small_solve(w->small, count - i < LANES ? count - i : LANES, w->moments + i * entries, d,
                    values + i * p, basis + i * d * p);
  return status;
}

static int large_local(pca_work *w, const real_t *places, int64_t count, int64_t d, real_t *values,
                       real_t *basis) {
  int64_t p = w->points->p, k = w->hood.k;
  const int64_t *index = w->index;
  const real_t *d2 = w->d2;
  bool radius = w->hood.radius > 0;
  int status = radius ? within(w->points, places, count, w->hood.radius, w->search, w->start, &index, &d2)
                      : nearest_set(w->points, places, count, k, w->search, w->index, w->d2);
  for (int64_t i = 0; i < count && status >= 0; i++) {
    int64_t first = radius ? w->start[i] : i * k, found = radius ? w->start[i + 1] - first : k;
    status = large_room(w, found < 1 ? 1 : found);
    if (status < 0) break;
    if (found == 0) { /* no point here: any frame is as good */
      memset(values + i * w->rank, 0, (size_t)w->rank * sizeof *values);
      memset(basis + i * d * p, 0, (size_t)(d * p) * sizeof *basis);
      for (int64_t a = 0; a < d; a++) basis[(i * d + a) * p + a] = 1;
      continue;
    }
    large_pca(w, found, index + first, d2 + first, places + i * p, d, values + i * w->rank,
              basis + i * d * p);
  }
  return status;
}

int pca_local(pca_work *w, const real_t *places, int64_t count, int64_t d, real_t *values, real_t *basis) {
  return (w->small ? small_local : large_local)(w, places, count, d, values, basis);
}
