#include "output/novel.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLED = 600, MOST = 4 };

static const double enough = 0.5; /* of the standard deviation, left by the regression */

/* Solves the symmetric system a y = b (size x size) by elimination; b receives y. */
static void solve(int size, double a[MOST + 1][MOST + 1], double *b) {
  for (int k = 0; k < size; k++) {
    double pivot = a[k][k] > 1e-12 ? a[k][k] : 1e-12;
    for (int i = k + 1; i < size; i++) {
      double f = a[i][k] / pivot;
      for (int j = k; j < size; j++) a[i][j] -= f * a[k][j];
      b[i] -= f * b[k];
    }
    a[k][k] = pivot;
  }
  for (int k = size - 1; k >= 0; k--) {
    for (int j = k + 1; j < size; j++) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
}

/* Columns of mean 0 and variance 1, z (width x count), and those taken of them. */
typedef struct {
  const double *z;
  int64_t count;
  const int64_t *taken;
  int used;
  double *square; /* count: space */
} fit_t;

static double offset(const fit_t *f, int k, int64_t i, int64_t j) {
  const double *column = f->z + f->taken[k] * f->count;
  return column[j] - column[i];
}

/* The square of the distance to the k-th nearest of the other points, in the columns
 * taken; all squares are left in the space. */
static double nearest(const fit_t *f, int64_t i, int k) {
  double smallest[8 * (MOST + 1)];
  for (int a = 0; a < k; a++) smallest[a] = INFINITY;
  for (int64_t j = 0; j < f->count; j++) {
    double square = 0;
    for (int c = 0; c < f->used; c++) square += offset(f, c, i, j) * offset(f, c, i, j);
    f->square[j] = square;
    if (j == i) continue;
    int a = k - 1;
    if (square >= smallest[a]) continue;
    for (; a > 0 && smallest[a - 1] > square; a--) smallest[a] = smallest[a - 1];
    smallest[a] = square;
  }
  return smallest[k - 1];
}

/* The value of column l at point i as a linear function of the columns taken, fitted to
 * its neighbours, with weights that reach as far as there are enough of them, and a
 * quarter of a standard deviation at least: a thin band is taken for a curve. */
static double predicted(const fit_t *f, int64_t l, int64_t i) {
  double a[MOST + 1][MOST + 1] = {{0}}, b[MOST + 1] = {0}, at[MOST + 1] = {1};
  double reach = fmax(nearest(f, i, 4 * (f->used + 1)), f->used / 16.0);
  for (int64_t j = 0; j < f->count; j++) {
    double w = exp(-2 * f->square[j] / reach);
    if (j == i || !(w > 1e-4)) continue;
    for (int k = 0; k < f->used; k++) at[k + 1] = offset(f, k, i, j);
    for (int p = 0; p <= f->used; p++) {
      for (int q = 0; q <= f->used; q++) a[p][q] += w * at[p] * at[q];
      b[p] += w * at[p] * f->z[l * f->count + j];
    }
  }
  for (int p = 1; p <= f->used; p++) a[p][p] += 1e-3 * a[0][0] * reach;
  solve(f->used + 1, a, b);
  return b[0];
}

static bool is_novel(const fit_t *f, int64_t l) {
  double left = 0;
  for (int64_t i = 0; i < f->count; i++) {
    double miss = f->z[l * f->count + i] - predicted(f, l, i);
    left += miss * miss / (double)f->count;
  }
  return left > enough * enough;
}

int novel_columns(const double *x, int64_t n, int64_t width, int most, int64_t *taken) {
  int64_t count = n < SAMPLED ? n : SAMPLED;
  double *z = calloc((size_t)((width + 1) * count), sizeof *z);
  fit_t f = {.z = z, .count = count, .taken = taken, .square = z + width * count};
  if (!z) return -1;
  for (int64_t l = 0; l < width; l++) {
    double *column = z + l * count, mean = 0, square = 0;
    for (int64_t i = 0; i < count; i++) {
      column[i] = x[(int64_t)((double)i * (double)n / (double)count) * width + l];
      mean += column[i] / (double)count;
    }
    for (int64_t i = 0; i < count; i++) square += (column[i] - mean) * (column[i] - mean) / (double)count;
    for (int64_t i = 0; i < count; i++) column[i] = square > 0 ? (column[i] - mean) / sqrt(square) : 0;
  }
  for (int64_t l = 0; l < width && f.used < most && f.used < MOST; l++)
    if (!f.used || is_novel(&f, l)) taken[f.used++] = l;
  free(z);
  return f.used;
}
