/* Alignment of two frames: the orthogonal matrix nearest to M = B_i' B_k. */
#ifndef LAVDM_FRAMES_POLAR_H
#define LAVDM_FRAMES_POLAR_H

#include "base/real.h"

/* An alignment is called ill when some principal angle between the two planes
 * has a cosine (a singular value of M) below this. */
#define ILL_COSINE ((real_t)0.1)

/* Ill alignments are counted on edges of at least this weight; the tails of a
 * kernel join planes that differ, and matter little. */
#define ILL_WEIGHT ((real_t)0.1)

/* Doubles of scratch that polar_factor needs. */
#define POLAR_SCRATCH(q) (2 * (q) * (q))

/*
 * o (q x q) = U V' where m = U diag(s) V'; row-major; m is left alone. Where m
 * is singular the missing directions are completed to an orthogonal matrix.
 * Returns the smallest singular value.
 */
real_t REAL(polar_factor)(int64_t q, const real_t *m, real_t *o, real_t *scratch);

enum { POLAR_LANES = 8 };

/*
 * The same for POLAR_LANES matrices of size 3 at once, entry by entry:
 * m[3 i + j][lane]. ill[lane] is 1 where a singular value is below ILL_COSINE.
 */
void REAL(polar_lanes)(const real_t m[9][POLAR_LANES], real_t o[9][POLAR_LANES], int ill[POLAR_LANES]);

/* The same for LANES matrices of size q <= POLAR_MANY whose singular values are at
 * most 1: m[i q + j] holds entry (i,j) of all of them. */
enum { POLAR_MANY = 10 };
void REAL(polar_schulz)(int64_t q, const lanes_t *m, lanes_t *o, int ill[LANES]);

/* The determinant of m (q x q). scratch: q*q. */
real_t REAL(determinant)(int64_t q, const real_t *m, real_t *scratch);

#endif
