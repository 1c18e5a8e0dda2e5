/*
 * Polar factors of 3 x 3 matrices by Newton's iteration, a SIMD lane each:
 *     X <- (g X + X^-T / g) / 2,   g^2 = |X^-1| / |X|,
 * which squares the error at every step. X^-T = cofactors / determinant. Lanes
 * that are singular go through polar_factor one by one.
 */
#include "frames/polar.h"

#include <tgmath.h>
#include <string.h>

enum { L = POLAR_LANES, STEPS = 20 };

/* c = det(x) x^-T, and det(x). */
static inline void cofactors(real_t x[9][L], real_t c[9][L], real_t det[L]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int a = 3 * ((i + 1) % 3), b = 3 * ((i + 2) % 3), u = (j + 1) % 3, v = (j + 2) % 3;
#pragma omp simd
      for (int l = 0; l < L; l++) c[3 * i + j][l] = x[a + u][l] * x[b + v][l] - x[a + v][l] * x[b + u][l];
    }
#pragma omp simd
  for (int l = 0; l < L; l++) det[l] = x[0][l] * c[0][l] + x[1][l] * c[1][l] + x[2][l] * c[2][l];
}

/* One step; returns the largest change of an entry over the lanes. */
static real_t step(real_t x[9][L]) {
  real_t c[9][L], det[L], squares[L] = {0}, inverse[L] = {0}, keep[L], add[L], change[L] = {0}, worst = 0;
  cofactors(x, c, det);
  for (int i = 0; i < 9; i++)
#pragma omp simd
    for (int l = 0; l < L; l++) squares[l] += x[i][l] * x[i][l], inverse[l] += c[i][l] * c[i][l];
#pragma omp simd
  for (int l = 0; l < L; l++) {
    real_t g = sqrt(sqrt(inverse[l] / squares[l]) / fabs(det[l]));
    keep[l] = g / 2;
    add[l] = 1 / (2 * g * det[l]);
  }
  for (int i = 0; i < 9; i++)
#pragma omp simd
    for (int l = 0; l < L; l++) {
      real_t next = keep[l] * x[i][l] + add[l] * c[i][l], moved = fabs(next - x[i][l]);
      change[l] = moved > change[l] ? moved : change[l];
      x[i][l] = next;
    }
  for (int l = 0; l < L; l++) worst = change[l] > worst ? change[l] : worst;
  return worst;
}

/* Is O'M - ILL_COSINE I positive definite? Then every singular value is larger. */
static void judge(const real_t m[9][L], real_t o[9][L], int ill[L]) {
  real_t h[9][L] = {{0}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
#pragma omp simd
        for (int l = 0; l < L; l++) h[3 * i + j][l] += o[3 * k + i][l] * m[3 * k + j][l];
  for (int l = 0; l < L; l++) {
    real_t a = h[0][l] - ILL_COSINE, b = h[4][l] - ILL_COSINE, c = h[8][l] - ILL_COSINE;
    real_t d = h[1][l], e = h[2][l], f = h[5][l];
    ill[l] =
        !(a > 0 && a * b - d * d > 0 && a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e) > 0);
  }
}

void REAL(polar_lanes)(const real_t m[9][L], real_t o[9][L], int ill[L]) {
  real_t c[9][L], det[L];
  memcpy(o, m, sizeof c);
  cofactors(o, c, det);
  int singular[L];
  for (int l = 0; l < L; l++) { /* such lanes run along as the identity */
    singular[l] = !(fabs(det[l]) > 1e-9);
    for (int i = 0; singular[l] && i < 9; i++) o[i][l] = i % 4 == 0;
  }
  for (int times = 0; times < STEPS && step(o) > sqrt(REAL_EPSILON) / 2; times++) {
  } /* the error is now the square of that */
  judge(m, o, ill);
  for (int l = 0; l < L; l++) {
    if (!singular[l]) continue;
    real_t one[9], factor[9], scratch[POLAR_SCRATCH(3)];
    for (int i = 0; i < 9; i++) one[i] = m[i][l];
    ill[l] = REAL(polar_factor)(3, one, factor, scratch) < ILL_COSINE;
    for (int i = 0; i < 9; i++) o[i][l] = factor[i];
  }
}
