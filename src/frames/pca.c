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

/* What is left of equal numbers that are taken from each other. */
#define ROUNDING (64 * REAL_EPSILON)

struct pca_work {
  const tiles_t *points;
  hood_t hood;
  neighbour_work *search;

  /* few coordinates */
  pca_small *small;
  real_t *moments; /* batch x p(p+1)/2 */

  /* many: lists of neighbours, those of place i beginning at start[i] */
  int64_t *index, *start;
  real_t *d2;
  int64_t room;  /* neighbours of one place that the rest is made for */
  real_t *z, *h; /* k x p weighted differences from the mean, weights */
  real_t *mean;  /* p */
  real_t *a, *v; /* side x side matrix, eigenvalues; side = min(p, k) */
  real_t *vectors, *lapack;
  lapack_int *support, *integers;
};

static void free_large(pca_work *w) {
  mem_free(w->a);
  mem_free(w->v);
  mem_free(w->z);
  mem_free(w->h);
  mem_free(w->mean);
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
  w->mean = NEW(real_t, p);
  w->a = NEW(real_t, s * s);
  w->v = NEW(real_t, s);
  w->vectors = NEW(real_t, s * s);
  w->lapack = NEW(real_t, 26 * s); /* what syevr asks for at least */
  w->support = NEW(lapack_int, 2 * s);
  w->integers = NEW(lapack_int, 10 * s);
  bool whole =
      w->z && w->h && w->mean && w->a && w->v && w->vectors && w->lapack && w->support && w->integers;
  w->room = whole ? k : 0;
  return whole ? LAVDM_OK : LAVDM_ERROR_MEMORY;
}

pca_work *REAL(pca_work_new)(const tiles_t *points, hood_t hood, int64_t batch) {
  pca_work *w = NEW(pca_work, 1);
  if (!w) return NULL;
  int64_t p = points->p;
  w->points = points;
  w->hood = hood;
  w->search = REAL(neighbour_work_new)();
  bool whole = w->search;
  if (p <= PCA_SMALL) {
    w->small = REAL(pca_small_new)(p);
    w->moments = NEW(real_t, batch * p * (p + 1) / 2);
    whole = whole && w->small && w->moments;
  } else {
    int64_t k = hood.radius > 0 ? 0 : hood.k;
    w->start = NEW(int64_t, batch + 1);
    w->index = NEW(int64_t, batch * k);
    w->d2 = NEW(real_t, batch * k);
    whole = whole && w->start && w->index && w->d2 && large_room(w, k + 1) == LAVDM_OK;
  }
  if (whole) return w;
  REAL(pca_work_free)(w);
  return NULL;
}

void REAL(pca_work_free)(pca_work *w) {
  if (!w) return;
  REAL(neighbour_work_free)(w->search);
  REAL(pca_small_free)(w->small);
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
    real_t before = BLAS(nrm2)((int)p, row, 1);
    for (int pass = 0; pass < 2; pass++)
      for (int64_t j = 0; j < i; j++)
        BLAS(axpy)((int)p, -BLAS(dot)((int)p, row, 1, b + j * p, 1), b + j * p, 1, row, 1);
    real_t norm = BLAS(nrm2)((int)p, row, 1);
    if (!(norm > 1e-7 * before) || norm == 0) continue;
    BLAS(scal)((int)p, 1 / norm, row, 1);
    return;
  }
}

/* w->a = Z'Z, the covariance, if p is the smaller side, Z Z' otherwise, for a place with k neighbours. */
static void large_moments(pca_work *w, int64_t k, const int64_t *index, const real_t *d2,
                          const real_t *centre) {
  int64_t p = w->points->p, s = p < k ? p : k;
  taper(d2, k, w->hood.radius, w->h);
  real_t sum = 0;
  memset(w->mean, 0, (size_t)p * sizeof *w->mean);
  for (int64_t j = 0; j < k; j++) {
    real_t *z = w->z + j * p;
    const real_t *y = w->points->x + index[j] * p;
    for (int64_t i = 0; i < p; i++) z[i] = y[i] - centre[i];
    BLAS(axpy)((int)p, w->h[j], z, 1, w->mean, 1);
    sum += w->h[j];
  }
  if (!(sum > 0)) sum = 1; /* all at the rim of the radius */
  real_t about = 0, left = 0;
  for (int64_t j = 0; j < k; j++) {
    real_t weight = sqrt(w->h[j] / sum), *z = w->z + j * p;
    about += weight * weight * BLAS(dot)((int)p, z, 1, z, 1);
    for (int64_t i = 0; i < p; i++) z[i] = weight * (z[i] - w->mean[i] / sum);
    left += BLAS(dot)((int)p, z, 1, z, 1);
  }
  if (!(left > ROUNDING * ROUNDING * about)) /* all in one place */
    memset(w->z, 0, (size_t)(k * p) * sizeof *w->z);
  if (k > 0) /* Z is row-major, k x p */
    BLAS(syrk)
  (CblasColMajor, CblasUpper, p <= k ? CblasNoTrans : CblasTrans, (int)s, (int)(p <= k ? k : p), 1, w->z,
   (int)p, 0, w->a, (int)s);
}

/* w->v, w->vectors (job V): the `found` largest eigenvalues of w->a (s x s), ascending. */
static void large_solve(pca_work *w, char job, int64_t s, int64_t found) {
  lapack_int n = (lapack_int)s, first = (lapack_int)(s - found + 1), count;
  LAPACK(syevr_work)
  (LAPACK_COL_MAJOR, job, 'I', 'U', n, w->a, n, 0, 0, first, n, 0, &count, w->v, w->vectors, n, w->support,
   w->lapack, (lapack_int)(26 * s), w->integers, (lapack_int)(10 * s));
}

/* The frame of a place with k neighbours; true if they span fewer than d dimensions. */
static bool large_pca(pca_work *w, int64_t k, const int64_t *index, const real_t *d2, const real_t *centre,
                      int64_t d, real_t *basis) {
  int64_t p = w->points->p, s = p < k ? p : k, found = d < s ? d : s;
  large_moments(w, k, index, d2, centre);
  if (found > 0) large_solve(w, 'V', s, found);
  for (int64_t i = 0; i < d; i++) {
    real_t *row = basis + i * p;
    const real_t *u = w->vectors + (found - 1 - i) * s;
    if (i >= found)
      memset(row, 0, (size_t)p * sizeof *row);
    else if (p <= k)
      memcpy(row, u, (size_t)p * sizeof *row);
    else
      BLAS(gemv)(CblasColMajor, CblasNoTrans, (int)p, (int)k, 1, w->z, (int)p, u, 1, 0, row, 1);
    orthonormalise(basis, i, p);
  }
  return found < d || !(w->v[0] > PCA_NOTHING * w->v[found - 1]);
}

static int moments_at(pca_work *w, const real_t *places, int64_t count) {
  return w->hood.radius > 0
             ? REAL(radius_moments)(w->points, places, count, w->hood.radius, w->search, w->moments)
             : REAL(nearest_moments)(w->points, places, count, w->hood.k, w->search, w->moments);
}

static int64_t small_frames(pca_work *w, const real_t *places, int64_t count, int64_t d, real_t *basis) {
  int64_t p = w->points->p, entries = p * (p + 1) / 2, degenerate = 0;
  if (moments_at(w, places, count) < 0) return LAVDM_ERROR_MEMORY;
  for (int64_t i = 0; i < count; i += LANES)
    degenerate += REAL(pca_small_frames)(w->small, count - i < LANES ? count - i : LANES,
                                         w->moments + i * entries, d, basis + i * d * p);
  return degenerate;
}

/* Neighbours of the places, in lists: those of place i begin at first[i]. */
static int lists_at(pca_work *w, const real_t *places, int64_t count, const int64_t **index,
                    const real_t **d2) {
  *index = w->index;
  *d2 = w->d2;
  if (w->hood.radius > 0)
    return REAL(within)(w->points, places, count, w->hood.radius, w->search, w->start, index, d2);
  for (int64_t i = 0; i <= count; i++) w->start[i] = i * w->hood.k;
  return REAL(nearest_set)(w->points, places, count, w->hood.k, w->search, w->index, w->d2);
}

static int64_t large_frames(pca_work *w, const real_t *places, int64_t count, int64_t d, real_t *basis) {
  int64_t p = w->points->p, degenerate = 0;
  const int64_t *index;
  const real_t *d2;
  int status = lists_at(w, places, count, &index, &d2);
  for (int64_t i = 0; i < count && status >= 0; i++) {
    int64_t first = w->start[i], found = w->start[i + 1] - first;
    status = large_room(w, found);
    if (status >= 0)
      degenerate += large_pca(w, found, index + first, d2 + first, places + i * p, d, basis + i * d * p);
  }
  return status < 0 ? status : degenerate;
}

int64_t REAL(pca_frames)(pca_work *w, const real_t *places, int64_t count, int64_t d, real_t *basis) {
  return (w->small ? small_frames : large_frames)(w, places, count, d, basis);
}

int REAL(pca_values)(pca_work *w, const real_t *place, real_t *values, int64_t *rank) {
  int64_t p = w->points->p;
  if (w->small) {
    int status = moments_at(w, place, 1);
    real_t trace = 0;
    for (int64_t i = 0, at = 0; i < p; at += p - i++) trace += w->moments[at];
    if (status >= 0) REAL(pca_small_values)(w->small, w->moments, values);
    for (int64_t i = 0; i < p && status >= 0; i++) values[i] *= trace;
    *rank = p;
    return status;
  }
  const int64_t *index;
  const real_t *d2;
  int status = lists_at(w, place, 1, &index, &d2);
  if (status < 0 || (status = large_room(w, w->start[1])) < 0) return status;
  *rank = p < w->start[1] ? p : w->start[1];
  large_moments(w, w->start[1], index, d2, place);
  large_solve(w, 'N', *rank, *rank);
  for (int64_t i = 0; i < *rank; i++) values[i] = w->v[*rank - 1 - i] > 0 ? w->v[*rank - 1 - i] : 0;
  return status;
}
