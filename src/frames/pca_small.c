/*
 * Layout. LANES places go together: entry (i,j), i <= j, of all their moments is
 * one vector of numbers, and one sequence of Jacobi rotations runs over all of
 * them:
 *
 *     a' = J' a J,  v' = J' v,  J = [c s; -s c] in rows and columns i, j
 *
 * Every function below that takes p first is inlined for each small p, so that
 * loops over coordinates unroll.
 */
#include "frames/pca_small.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { ENTRIES = PCA_SMALL * (PCA_SMALL + 1) / 2, SWEEPS = 12 };

/* The place of entry (i,j), i <= j, of a symmetric matrix. */
#define AT(p, i, j) ((i) * (p) - (i) * ((i)-1) / 2 + (j) - (i))

struct pca_small {
  int64_t p, pairs;
  void *block;
  unsigned char pair[ENTRIES][2]; /* of a sweep: one after the other does not wait for it */
  lanes_t a[ENTRIES], v[PCA_SMALL * PCA_SMALL];
};

/* Vectors are aligned to their size. */
static void *aligned(void *block) {
  return (void *)(((uintptr_t)block + sizeof(lanes_t) - 1) / sizeof(lanes_t) * sizeof(lanes_t));
}

pca_small *pca_small_new(int64_t p) {
  void *block = mem_new((int64_t)(sizeof(pca_small) + sizeof(lanes_t)), 1);
  if (!block) return NULL;
  pca_small *w = aligned(block);
  w->p = p;
  w->block = block;
  /* as in a tournament: in round r, i meets j if i + j = r modulo an odd number */
  for (int64_t odd = p - 1 + p % 2, r = 0; r < odd; r++)
    for (int64_t i = 0; i < p; i++)
      for (int64_t j = i + 1; j < p; j++)
        if ((j < odd ? i + j : 2 * i) % odd == r) {
          w->pair[w->pairs][0] = (unsigned char)i;
          w->pair[w->pairs++][1] = (unsigned char)j;
        }
  return w;
}

void pca_small_free(pca_small *work) {
  if (work) mem_free(work->block);
}

/* Every lane divided by its trace, which no scale of the data under- or overflows. */
INLINE void scale_to_trace(int64_t p, lanes_t *a) {
  lanes_t trace = {0}, factor;
  for (int64_t i = 0; i < p; i++) trace += a[AT(p, i, i)];
  for (int l = 0; l < LANES; l++) factor[l] = trace[l] > REAL_LEAST ? 1 / trace[l] : 0;
  for (int64_t s = 0; s < AT(p, p, p); s++) a[s] *= factor;
}

/*
 * Cosine and sine that make entry (i,j) vanish. The tangent need not be exact:
 * the next sweep corrects it. But the rotation must be orthogonal, so Newton's
 * steps follow for c = 1 / sqrt(1 + t^2).
 */
INLINE void angle(lanes_t aii, lanes_t ajj, lanes_t aij, lanes_t *c, lanes_t *s) {
  float off[LANES], gap[LANES], t[LANES], y[LANES];
  for (int l = 0; l < LANES; l++) off[l] = (float)(2 * aij[l]), gap[l] = (float)(ajj[l] - aii[l]);
#pragma omp simd
  for (int l = 0; l < LANES; l++) {
    t[l] =
        (gap[l] < 0 ? -off[l] : off[l]) / (fabsf(gap[l]) + sqrtf(gap[l] * gap[l] + off[l] * off[l]) + 1e-30f);
    y[l] = 1 / sqrtf(1 + t[l] * t[l]);
  }
  lanes_t tangent, cosine;
  for (int l = 0; l < LANES; l++) tangent[l] = t[l], cosine[l] = y[l];
  lanes_t square = 1 + tangent * tangent;
  for (int times = 0; times < 2; times++) cosine += cosine * (1 - square * cosine * cosine) / 2;
  *c = cosine;
  *s = cosine * tangent;
}

INLINE void rotate(int64_t p, lanes_t *restrict a, lanes_t *restrict v, int64_t i, int64_t j) {
  lanes_t c, s, aii = a[AT(p, i, i)], ajj = a[AT(p, j, j)], aij = a[AT(p, i, j)];
  angle(aii, ajj, aij, &c, &s);
  lanes_t left = c * aii - s * aij, right = c * aij - s * ajj; /* row i of J' a */
  lanes_t below = s * aij + c * ajj;                           /* (j,j) of J' a */
  a[AT(p, i, i)] = c * left - s * right;
  a[AT(p, i, j)] = s * left + c * right;
  a[AT(p, j, j)] = s * (s * aii + c * aij) + c * below;
  for (int64_t k = 0; k < p; k++) {
    if (k != i && k != j) {
      lanes_t *x = &a[k < i ? AT(p, k, i) : AT(p, i, k)], *y = &a[k < j ? AT(p, k, j) : AT(p, j, k)];
      lanes_t old = *x;
      *x = c * old - s * *y;
      *y = s * old + c * *y;
    }
    lanes_t old = v[i * p + k];
    v[i * p + k] = c * old - s * v[j * p + k];
    v[j * p + k] = s * old + c * v[j * p + k];
  }
}

/* The largest off-diagonal entry; the trace is 1. */
INLINE real_t off_diagonal(int64_t p, const lanes_t *a) {
  lanes_t most = {0};
  real_t worst = 0;
  for (int64_t i = 0; i < p; i++)
    for (int64_t j = i + 1; j < p; j++) {
      lanes_t square = a[AT(p, i, j)] * a[AT(p, i, j)];
      lane_mask_t larger = square > most;
      most = (lanes_t)(((lane_mask_t)square & larger) | ((lane_mask_t)most & ~larger));
    }
  for (int l = 0; l < LANES; l++) worst = most[l] > worst ? most[l] : worst;
  return (real_t)sqrt((double)worst);
}

INLINE void diagonalise(int64_t p, pca_small *w) {
  lanes_t *a = w->a, *v = w->v;
  for (int64_t i = 0; i < p * p; i++) v[i] = (lanes_t){0} + (real_t)(i % (p + 1) == 0);
  scale_to_trace(p, a);
  for (int times = 0; times < SWEEPS && off_diagonal(p, a) > 32 * REAL_EPSILON; times++)
    for (int64_t s = 0; s < w->pairs; s++) rotate(p, a, v, w->pair[s][0], w->pair[s][1]);
}

/* The d leading pairs of one lane. */
INLINE void leading(int64_t p, const pca_small *w, int64_t lane, int64_t d, real_t *values, real_t *basis) {
  real_t value[PCA_SMALL];
  int64_t rank[PCA_SMALL] = {0};
  for (int64_t i = 0; i < p; i++) value[i] = w->a[AT(p, i, i)][lane];
  for (int64_t i = 0; i < p; i++) { /* descending, by how many come before */
    int64_t before = 0;
    for (int64_t j = 0; j < p; j++) before += value[j] > value[i] || (value[j] == value[i] && j < i);
    rank[before] = i;
  }
  for (int64_t i = 0; i < d; i++) values[i] = value[rank[i]] > 0 ? value[rank[i]] : 0;
  for (int64_t i = 0; i < d; i++)
    for (int64_t k = 0; k < p; k++) basis[i * p + k] = w->v[rank[i] * p + k][lane];
}

INLINE void solve(int64_t p, pca_small *w, int64_t lanes, const real_t *moments, int64_t d, real_t *values,
                  real_t *basis) {
  int64_t entries = AT(p, p, p);
  if (lanes < LANES) memset(w->a, 0, sizeof w->a);
  for (int64_t lane = 0; lane < lanes; lane++)
    for (int64_t s = 0; s < entries; s++) w->a[s][lane] = moments[lane * entries + s];
  diagonalise(p, w);
  for (int64_t lane = 0; lane < lanes; lane++)
    leading(p, w, lane, d, values + lane * p, basis + lane * d * p);
}

void pca_small_solve(pca_small *w, int64_t lanes, const real_t *moments, int64_t d, real_t *values,
                     real_t *basis) {
  switch (w->p) {
  case 2:
    solve(2, w, lanes, moments, d, values, basis);
    break;
  case 3:
    solve(3, w, lanes, moments, d, values, basis);
    break;
  case 4:
    solve(4, w, lanes, moments, d, values, basis);
    break;
  case 5:
    solve(5, w, lanes, moments, d, values, basis);
    break;
  default:
    solve(w->p, w, lanes, moments, d, values, basis);
    break;
  }
}
