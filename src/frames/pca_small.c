/*
 * Layout. LANES places go together: entry (i,j), i <= j, of all their moments a,
 * scaled to trace 1, is one vector of numbers.
 *
 * Frames need any basis of the space of the d largest moments. Subspace iteration
 * finds it in a few products: Q <- a^4 Q three times, then Q <- a Q, until
 *
 *     |a Q - Q h| is rounding, h = Q' a Q,  and  h - (1 - tr h) I is positive definite,
 *
 * the second of which proves that no moment left out is larger than one kept.
 * Where that does not come about, Jacobi rotations run:
 *
 *     a' = J' a J,  v' = J' v,  J = [c s; -s c] in rows and columns i, j
 *
 * A lane keeps what it had when it was done, so that a frame does not depend on the
 * places that it was computed with.
 *
 * Every function below that takes p first is inlined for each small p, so that
 * loops over coordinates unroll.
 */
#include "frames/pca_small.h"

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { ENTRIES = PCA_SMALL * (PCA_SMALL + 1) / 2, SWEEPS = 12, STEPS = 4 };

/* Off-diagonal entries and residuals, relative to the trace, that are rounding. */
#define ROUNDING (32 * REAL_EPSILON)

/* The place of entry (i,j), i <= j, of a symmetric matrix. */
#define AT(p, i, j) ((i) * (p) - (i) * ((i)-1) / 2 + (j) - (i))

struct pca_small {
  int64_t p, pairs;
  void *block;
  unsigned char pair[ENTRIES][2];               /* of a sweep: one after the other does not wait for it */
  lanes_t a[ENTRIES], v[PCA_SMALL * PCA_SMALL]; /* moments; directions, one a row */
  real_t start[PCA_SMALL * PCA_SMALL];          /* of subspace iteration: in general position */
};

/* Vectors are aligned to their size. */
static void *aligned(void *block) {
  return (void *)(((uintptr_t)block + sizeof(lanes_t) - 1) / sizeof(lanes_t) * sizeof(lanes_t));
}

pca_small *REAL(pca_small_new)(int64_t p) {
  void *block = mem_new((int64_t)(sizeof(pca_small) + sizeof(lanes_t)), 1);
  if (!block) return NULL;
  pca_small *w = aligned(block);
  w->p = p;
  w->block = block;
  for (int64_t i = 0; i < p * p; i++)
    w->start[i] = (real_t)cos(0.7 + 1.9 * (double)i + 0.3 * (double)(i * i % 7));
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

void REAL(pca_small_free)(pca_small *work) {
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

/* Lanes whose off-diagonal entries are rounding; the trace is 1. */
INLINE lane_mask_t diagonal(int64_t p, const lanes_t *a) {
  lane_mask_t good = ~(lane_mask_t){0};
  for (int64_t i = 0; i < p; i++)
    for (int64_t j = i + 1; j < p; j++) good &= a[AT(p, i, j)] * a[AT(p, i, j)] <= ROUNDING * ROUNDING;
  return good;
}

INLINE bool all_lanes(lane_mask_t mask) {
  for (int l = 0; l < LANES; l++)
    if (!mask[l]) return false;
  return true;
}

/* The lanes of the mask from x to y. */
INLINE void blend(lane_mask_t mask, int64_t count, const lanes_t *restrict x, lanes_t *restrict y) {
  for (int64_t i = 0; i < count; i++)
    y[i] = (lanes_t)(((lane_mask_t)x[i] & mask) | ((lane_mask_t)y[i] & ~mask));
}

INLINE void diagonalise(int64_t p, pca_small *w) {
  lanes_t *v = w->v, a[ENTRIES], turned[PCA_SMALL * PCA_SMALL];
  for (int64_t i = 0; i < p * p; i++) v[i] = (lanes_t){0} + (real_t)(i % (p + 1) == 0);
  memcpy(turned, v, (size_t)(p * p) * sizeof *v);
  memcpy(a, w->a, (size_t)AT(p, p, p) * sizeof *a);
  lane_mask_t done = diagonal(p, a);
  for (int times = 0; times < SWEEPS && !all_lanes(done); times++) {
    for (int64_t s = 0; s < w->pairs; s++) rotate(p, a, turned, w->pair[s][0], w->pair[s][1]);
    blend(~done, AT(p, p, p), a, w->a);
    blend(~done, p * p, turned, v);
    done |= diagonal(p, a);
  }
}

/* Entry (i,j) of a symmetric matrix. */
#define ENTRY(p, a, i, j) ((i) <= (j) ? (a)[AT(p, i, j)] : (a)[AT(p, j, i)])

/* out = a a */
INLINE void square(int64_t p, const lanes_t *restrict a, lanes_t *restrict out) {
  for (int64_t i = 0; i < p; i++)
    for (int64_t j = i; j < p; j++) {
      lanes_t sum = {0};
      for (int64_t k = 0; k < p; k++) sum += ENTRY(p, a, i, k) * ENTRY(p, a, k, j);
      out[AT(p, i, j)] = sum;
    }
}

/* y (d rows of p) = q a */
INLINE void product(int64_t p, const lanes_t *restrict a, int64_t d, const lanes_t *restrict q,
                    lanes_t *restrict y) {
  for (int64_t r = 0; r < d; r++)
    for (int64_t i = 0; i < p; i++) {
      lanes_t sum = {0};
      for (int64_t k = 0; k < p; k++) sum += q[r * p + k] * ENTRY(p, a, k, i);
      y[r * p + i] = sum;
    }
}

INLINE lanes_t dot(int64_t p, const lanes_t *x, const lanes_t *y) {
  lanes_t sum = {0};
  for (int64_t i = 0; i < p; i++) sum += x[i] * y[i];
  return sum;
}

/* Makes the rows of q orthogonal, and of unit length if `unit`. */
INLINE void orthogonalise(int64_t p, int64_t d, lanes_t *q, bool unit) {
  for (int64_t r = 0; r < d; r++) {
    for (int64_t before = 0; before < r; before++) {
      lanes_t share = dot(p, q + r * p, q + before * p);
      if (!unit) share /= dot(p, q + before * p, q + before * p);
      for (int64_t i = 0; i < p; i++) q[r * p + i] -= share * q[before * p + i];
    }
    if (!unit) continue;
    lanes_t length = dot(p, q + r * p, q + r * p), factor;
    for (int l = 0; l < LANES; l++) factor[l] = 1 / (real_t)sqrt(length[l]);
    for (int64_t i = 0; i < p; i++) q[r * p + i] *= factor;
  }
}

/* The lanes in which the rows of q, y = q a, are what was looked for. */
INLINE lane_mask_t certain(int64_t p, int64_t d, const lanes_t *q, const lanes_t *y) {
  lanes_t h[PCA_SMALL][PCA_SMALL], rest = {0}, worst = {0};
  rest += 1;
  for (int64_t r = 0; r < d; r++) {
    for (int64_t s = 0; s <= r; s++) h[r][s] = h[s][r] = dot(p, q + r * p, y + s * p);
    rest -= h[r][r];
  }
  for (int64_t r = 0; r < d; r++)
    for (int64_t i = 0; i < p; i++) {
      lanes_t left = y[r * p + i];
      for (int64_t s = 0; s < d; s++) left -= h[r][s] * q[s * p + i];
      worst += left * left;
    }
  lane_mask_t good = worst <= ROUNDING * ROUNDING;
  lane_mask_t more = rest > PCA_NOTHING;
  lanes_t shift = (lanes_t)(((lane_mask_t)rest & more) | ((lane_mask_t)((lanes_t){0} + PCA_NOTHING) & ~more));
  for (int64_t r = 0; r < d; r++) h[r][r] -= shift;
  for (int64_t r = 0; r < d; r++) { /* elimination: all pivots are positive */
    good &= h[r][r] > 0;
    for (int64_t s = r + 1; s < d; s++) {
      lanes_t factor = h[s][r] / h[r][r];
      for (int64_t t = s; t < d; t++) h[t][s] -= factor * h[t][r];
    }
  }
  return good;
}

INLINE void copy(int64_t count, const lanes_t *from, lanes_t *to) {
  for (int64_t i = 0; i < count; i++) to[i] = from[i];
}

/* The d rows of w->v span the space of the largest moments in the lanes that are returned. */
INLINE lane_mask_t iterate(int64_t p, pca_small *w, int64_t d) {
  lanes_t second[ENTRIES], fourth[ENTRIES], q[PCA_SMALL * PCA_SMALL], y[PCA_SMALL * PCA_SMALL];
  lane_mask_t done = {0};
  square(p, w->a, second);
  square(p, second, fourth);
  for (int64_t i = 0; i < d * p; i++) q[i] = (lanes_t){0} + w->start[i];
  for (int times = 0; times < 3; times++) {
    product(p, fourth, d, q, y);
    orthogonalise(p, d, y, false);
    copy(d * p, y, q);
  }
  for (int times = 0; times < STEPS; times++) {
    orthogonalise(p, d, q, true);
    product(p, w->a, d, q, y);
    if (times > 0) {
      lane_mask_t good = certain(p, d, q, y);
      blend(good & ~done, d * p, q, w->v);
      done |= good;
      if (all_lanes(done)) break;
    }
    copy(d * p, y, q);
  }
  return done;
}

/* Moments to w->a; lanes without a place repeat the first. */
INLINE void load(int64_t p, pca_small *w, int64_t lanes, const real_t *moments) {
  int64_t entries = AT(p, p, p);
  for (int64_t lane = 0; lane < LANES; lane++)
    for (int64_t s = 0; s < entries; s++) w->a[s][lane] = moments[(lane < lanes ? lane : 0) * entries + s];
  scale_to_trace(p, w->a);
}

/* Ranks of the diagonal of lane `lane`, descending. */
INLINE void rank_values(int64_t p, const pca_small *w, int64_t lane, real_t *value, int64_t *rank) {
  for (int64_t i = 0; i < p; i++) value[i] = w->a[AT(p, i, i)][lane];
  for (int64_t i = 0; i < p; i++) {
    int64_t before = 0;
    for (int64_t j = 0; j < p; j++) before += value[j] > value[i] || (j < i && value[j] == value[i]);
    rank[before] = i;
  }
}

INLINE int64_t frames(int64_t p, pca_small *w, int64_t lanes, const real_t *moments, int64_t d,
                      real_t *basis) {
  int64_t degenerate = 0;
  load(p, w, lanes, moments);
  lane_mask_t done = {0};
  if (d < p) done = iterate(p, w, d);
  for (int64_t lane = 0; lane < lanes; lane++)
    for (int64_t i = 0; i < d * p && done[lane]; i++) basis[lane * d * p + i] = w->v[i][lane];
  if (all_lanes(done)) return 0;
  diagonalise(p, w);
  for (int64_t lane = 0; lane < lanes; lane++) {
    if (done[lane]) continue;
    real_t value[PCA_SMALL] = {0};
    int64_t rank[PCA_SMALL] = {0};
    rank_values(p, w, lane, value, rank);
    degenerate += !(value[rank[d - 1]] > PCA_NOTHING);
    for (int64_t i = 0; i < d; i++)
      for (int64_t k = 0; k < p; k++) basis[(lane * d + i) * p + k] = w->v[rank[i] * p + k][lane];
  }
  return degenerate;
}

int64_t REAL(pca_small_frames)(pca_small *w, int64_t lanes, const real_t *moments, int64_t d, real_t *basis) {
  switch (w->p) {
  case 2:
    return frames(2, w, lanes, moments, d, basis);
  case 3:
    return frames(3, w, lanes, moments, d, basis);
  case 4:
    return frames(4, w, lanes, moments, d, basis);
  case 5:
    return frames(5, w, lanes, moments, d, basis);
  default:
    return frames(w->p, w, lanes, moments, d, basis);
  }
}

void REAL(pca_small_values)(pca_small *w, const real_t *moments, real_t *values) {
  int64_t rank[PCA_SMALL] = {0};
  real_t value[PCA_SMALL] = {0};
  load(w->p, w, 1, moments);
  diagonalise(w->p, w);
  rank_values(w->p, w, 0, value, rank);
  for (int64_t i = 0; i < w->p; i++) values[i] = value[rank[i]] > 0 ? value[rank[i]] : 0;
}
