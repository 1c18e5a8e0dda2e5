/*
 * Layout. Small p: the p x p covariances of PCA_LANES places are kept entry by
 * entry, a[(i*p + j)*LANES + lane], so that one sequence of Jacobi rotations
 * runs over all lanes in SIMD. Large p: with k < p neighbours the k x k Gram
 * matrix Z Z' (rows of Z are the weighted differences) has the same non-zero
 * spectrum, and v = Z' u / |Z' u|; LAPACK solves it.
 */
#include "frames/pca.h"

#include "base/memory.h"

#include <cblas.h>
#include <lapacke.h>
#include <tgmath.h>
#include <stdbool.h>
#include <string.h>

enum { L = PCA_LANES, SMALL = 12, SWEEPS = 12 };

/* Neighbours in whole groups of L. */
#define PADDED(k) (((k) + L - 1) / L * L)

struct pca_work {
  int64_t p, k, rank;
  int small;     /* Jacobi on covariances */
  real_t *a, *v; /* small: p*p*L each. Large: side*side matrix, eigenvalues */
  real_t *z;     /* differences: small p x k (padded), large k x p and weighted */
  real_t *h;     /* weights of the neighbours */

  /* large: eigenvectors and workspaces of dsyevr */
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
  w->small = p <= SMALL;
  int64_t s = side(w);
  w->z = NEW(real_t, PADDED(k) * p);
  w->h = NEW(real_t, PADDED(k));
  w->a = NEW(real_t, w->small ? p * p * L : s * s);
  w->v = NEW(real_t, w->small ? p * p * L : s);
  bool whole = w->z && w->h && w->a && w->v;
  if (!w->small) {
    w->size = (lapack_int)(26 * s),
    w->integer_size = (lapack_int)(10 * s); /* what dsyevr asks for at least */
    w->vectors = NEW(real_t, s * s);
    w->lapack = NEW(real_t, w->size);
    w->support = NEW(lapack_int, 2 * s);
    w->integers = NEW(lapack_int, w->integer_size);
    whole = whole && w->vectors && w->lapack && w->support && w->integers;
  }
  if (whole) return w;
  pca_work_free(w);
  return NULL;
}

void pca_work_free(pca_work *w) {
  if (!w) return;
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

/* h(r) for every neighbour, see frames.h; 1 where all of them coincide. */
static void taper(const real_t *restrict d2, int64_t k, real_t *restrict h) {
  real_t reach = d2[k - 1] * (1 + 1 / (real_t)k), inverse = reach > 0 ? 1 / reach : 0;
  for (int64_t j = 0; j < k; j++) h[j] = 1 - d2[j] * inverse;
}

/* c (p x p, upper triangle) = sum_j h_j z_j z_j', L neighbours at a time; z is laid
 * out coordinate by coordinate, `padded` apart. Inlined for each small p, where
 * all the sums stay in registers. */
static inline __attribute__((always_inline)) void outer_sums(int64_t p, int64_t padded,
                                                             const real_t *restrict z,
                                                             const real_t *restrict h, real_t *restrict c) {
  real_t sum[SMALL * (SMALL + 1) / 2][L];
  for (int64_t s = 0; s < p * (p + 1) / 2; s++)
    for (int v = 0; v < L; v++) sum[s][v] = 0;
  for (int64_t j = 0; j < padded; j += L)
    for (int64_t i = 0, s = 0; i < p; i++) {
      real_t weighted[L];
      for (int v = 0; v < L; v++) weighted[v] = h[j + v] * z[i * padded + j + v];
      for (int64_t l = i; l < p; l++, s++)
        for (int v = 0; v < L; v++) sum[s][v] += weighted[v] * z[l * padded + j + v];
    }
  for (int64_t i = 0, s = 0; i < p; i++)
    for (int64_t l = i; l < p; l++, s++) {
      real_t total = 0;
      for (int v = 0; v < L; v++) total += sum[s][v];
      c[i * p + l] = total;
    }
}

/* a(:,:,lane) = C. */
static void covariance(pca_work *w, int64_t lane, const real_t *x, const int64_t *index, const real_t *d2,
                       const real_t *centre) {
  int64_t p = w->p, k = w->k, padded = PADDED(k);
  real_t c[SMALL * SMALL], *z = w->z, *h = w->h, trace = 0; /* h and z are zero from k on */
  taper(d2, k, h);
  for (int64_t j = 0; j < k; j++) {
    const real_t *y = x + index[j] * p;
    for (int64_t i = 0; i < p; i++) z[i * padded + j] = y[i] - centre[i];
  }
  switch (p) {
  case 2:
    outer_sums(2, padded, z, h, c);
    break;
  case 3:
    outer_sums(3, padded, z, h, c);
    break;
  case 4:
    outer_sums(4, padded, z, h, c);
    break;
  case 5:
    outer_sums(5, padded, z, h, c);
    break;
  default:
    outer_sums(p, padded, z, h, c);
    break;
  }
  for (int64_t i = 0; i < p; i++) trace += c[i * p + i];
  /* a power of two near the trace, so that no scale of the data under- or overflows */
  int exponent = 0;
  frexp(trace, &exponent);
  real_t scale = trace > 0 ? ldexp((real_t)1, -exponent) : 0;
  for (int64_t i = 0; i < p; i++)
    for (int64_t l = i; l < p; l++)
      w->a[(i * p + l) * L + lane] = w->a[(l * p + i) * L + lane] = scale * c[i * p + l];
}

/* One Jacobi rotation of rows and columns i, j in every lane. */
static inline __attribute__((always_inline)) void rotate(real_t *restrict a, real_t *restrict v, int64_t p,
                                                         int64_t i, int64_t j) {
  real_t c[L], s[L];
  real_t *aii = a + (i * p + i) * L, *ajj = a + (j * p + j) * L, *aij = a + (i * p + j) * L;
#pragma omp simd
  for (int l = 0; l < L; l++) {
    /* tan of the angle, which need not be exact: another sweep corrects it ... */
    float off = (float)(2 * aij[l]), gap = (float)(ajj[l] - aii[l]), tiny = 1e-30f;
    float t = (gap < 0 ? -off : off) / (fabsf(gap) + sqrtf(gap * gap + off * off) + tiny);
    /* ... but the rotation must be orthogonal: Newton's steps for 1 / sqrt(1 + t^2) */
    real_t square = 1 + (real_t)t * (real_t)t, y = (real_t)(1 / sqrtf((float)square));
    y = y + y * (1 - square * y * y) / 2;
    y = y + y * (1 - square * y * y) / 2;
    c[l] = y;
    s[l] = y * (real_t)t;
  }
  for (int64_t k = 0; k < p; k++) { /* columns i and j of A and of V' */
    real_t *x = a + (k * p + i) * L, *y = a + (k * p + j) * L;
    real_t *f = v + (i * p + k) * L, *g = v + (j * p + k) * L;
#pragma omp simd
    for (int l = 0; l < L; l++) {
      real_t xl = x[l], yl = y[l], fl = f[l], gl = g[l];
      x[l] = c[l] * xl - s[l] * yl;
      y[l] = s[l] * xl + c[l] * yl;
      f[l] = c[l] * fl - s[l] * gl;
      g[l] = s[l] * fl + c[l] * gl;
    }
  }
  for (int64_t k = 0; k < p; k++) { /* rows i and j of A */
    real_t *x = a + (i * p + k) * L, *y = a + (j * p + k) * L;
#pragma omp simd
    for (int l = 0; l < L; l++) {
      real_t xl = x[l], yl = y[l];
      x[l] = c[l] * xl - s[l] * yl;
      y[l] = s[l] * xl + c[l] * yl;
    }
  }
}

static inline __attribute__((always_inline)) void sweep(real_t *a, real_t *v, int64_t p) {
  for (int64_t i = 0; i + 1 < p; i++)
    for (int64_t j = i + 1; j < p; j++) rotate(a, v, p, i, j);
}

static void jacobi_sweep(real_t *a, real_t *v, int64_t p) {
  switch (p) {
  case 2:
    sweep(a, v, 2);
    break;
  case 3:
    sweep(a, v, 3);
    break;
  case 4:
    sweep(a, v, 4);
    break;
  case 5:
    sweep(a, v, 5);
    break;
  default:
    sweep(a, v, p);
    break;
  }
}

/* The largest off-diagonal entry relative to the trace (which is near 1). */
static real_t off_diagonal(const real_t *a, int64_t p) {
  real_t most[L] = {0}, worst = 0;
  for (int64_t i = 0; i < p; i++)
    for (int64_t j = i + 1; j < p; j++)
      for (int l = 0; l < L; l++) {
        real_t off = fabs(a[(i * p + j) * L + l]);
        most[l] = off > most[l] ? off : most[l];
      }
  for (int l = 0; l < L; l++) worst = most[l] > worst ? most[l] : worst;
  return worst;
}

static void small_pca(pca_work *w, int64_t lanes, const real_t *x, const int64_t *index, const real_t *d2,
                      const real_t *centre, int64_t d, real_t *values, real_t *basis) {
  int64_t p = w->p;
  memset(w->a, 0, (size_t)(p * p * L) * sizeof(real_t));
  memset(w->v, 0, (size_t)(p * p * L) * sizeof(real_t));
  for (int64_t lane = 0; lane < lanes; lane++)
    covariance(w, lane, x, index + lane * w->k, d2 + lane * w->k, centre + lane * p);
  for (int64_t i = 0; i < p; i++)
    for (int l = 0; l < L; l++) w->v[(i * p + i) * L + l] = 1;
  for (int times = 0; times < SWEEPS && off_diagonal(w->a, p) > 32 * REAL_EPSILON; times++)
    jacobi_sweep(w->a, w->v, p);
  for (int64_t lane = 0; lane < lanes; lane++) {
    int64_t rank[SMALL];
    for (int64_t i = 0; i < p; i++) { /* insertion sort by value, descending */
      int64_t at = i;
      while (at > 0 && w->a[(rank[at - 1] * p + rank[at - 1]) * L + lane] < w->a[(i * p + i) * L + lane]) {
        rank[at] = rank[at - 1];
        at--;
      }
      rank[at] = i;
    }
    for (int64_t i = 0; i < d && i < w->rank; i++)
      values[lane * w->rank + i] = fmax(w->a[(rank[i] * p + rank[i]) * L + lane], (real_t)0);
    for (int64_t i = 0; i < d; i++)
      for (int64_t k = 0; k < p; k++) basis[(lane * d + i) * p + k] = w->v[(rank[i] * p + k) * L + lane];
  }
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
  taper(d2, k, w->h);
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
    small_pca(w, lanes, x, index, d2, centre, d, values, basis);
    return;
  }
  for (int64_t lane = 0; lane < lanes; lane++)
    large_pca(w, x, index + lane * w->k, d2 + lane * w->k, centre + lane * w->p, d, values + lane * w->rank,
              basis + lane * d * w->p);
}
