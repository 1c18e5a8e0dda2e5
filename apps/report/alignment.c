/*
 * How well the frame B of a point agrees with that of the nearest landmark, or without landmarks of the
 * nearest other point: the least singular value of B'C, 1 if they span the same plane, 0 if one has a
 * direction at right angles to the other. All pairs of distances: left out where these are too many.
 */
#include "report/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIM = 16 };
static const double MOST_WORK =
    5e9; /* n m p: some five seconds of a processor (lavdm report of 10^6 points) */

typedef struct {
  float *x; /* rows x p */
  int64_t rows, p;
} cloud;

static void keep_row(void *user, int64_t k, const double *x) {
  cloud *c = user;
  for (int64_t j = 0; j < c->p; j++) c->x[k * c->p + j] = (float)x[j];
}

/* The least eigenvalue of a symmetric matrix, by Jacobi's rotations. */
static double least_eigenvalue(double a[MOST_DIM][MOST_DIM], int64_t d) {
  for (int sweep = 0; sweep < 30; sweep++) {
    double off = 0;
    for (int64_t i = 0; i < d; i++)
      for (int64_t j = 0; j < i; j++) {
        if (!(fabs(a[i][j]) > 1e-14)) continue;
        double t = (a[j][j] - a[i][i]) / (2 * a[i][j]);
        t = (t < 0 ? -1 : 1) / (fabs(t) + sqrt(t * t + 1));
        double c = 1 / sqrt(t * t + 1), s = t * c;
        off += fabs(a[i][j]);
        for (int64_t k = 0; k < d; k++) {
          double x = a[i][k], y = a[j][k];
          a[i][k] = c * x - s * y, a[j][k] = s * x + c * y;
        }
        for (int64_t k = 0; k < d; k++) {
          double x = a[k][i], y = a[k][j];
          a[k][i] = c * x - s * y, a[k][j] = s * x + c * y;
        }
      }
    if (off < 1e-12) break;
  }
  double least = a[0][0];
  for (int64_t i = 1; i < d; i++)
    if (a[i][i] < least) least = a[i][i];
  return least;
}

/* The least singular value of B'C, both p x d. */
static double agreement(const lavdm_item *b, int64_t i, const lavdm_item *c, int64_t k) {
  int64_t p = b->shape[1], d = b->shape[2];
  double m[MOST_DIM][MOST_DIM], square[MOST_DIM][MOST_DIM] = {{0}};
  for (int64_t u = 0; u < d; u++)
    for (int64_t v = 0; v < d; v++) {
      m[u][v] = 0;
      for (int64_t j = 0; j < p; j++)
        m[u][v] += report_value(b, (i * p + j) * d + u) * report_value(c, (k * p + j) * d + v);
    }
  for (int64_t u = 0; u < d; u++)
    for (int64_t v = 0; v < d; v++) {
      square[u][v] = 0;
      for (int64_t w = 0; w < d; w++) square[u][v] += m[w][u] * m[w][v];
    }
  double least = least_eigenvalue(square, d);
  return !isfinite(least) ? NAN : least <= 0 ? 0 : fmin(1, sqrt(least));
}

/* The nearest of z (p x m, by column) to x, but for number `self`. */
static int64_t nearest(const float *x, const float *z, int64_t p, int64_t m, int64_t self, float *square) {
  int64_t best = -1;
  for (int64_t k = 0; k < m; k++) square[k] = 0;
  for (int64_t j = 0; j < p; j++)
    for (int64_t k = 0; k < m; k++) square[k] += (z[j * m + k] - x[j]) * (z[j * m + k] - x[j]);
  for (int64_t k = 0; k < m; k++)
    if (k != self && square[k] <= INFINITY && (best < 0 || square[k] < square[best])) best = k;
  return best;
}

/* `marks` are the references: landmarks, or NULL for the rows themselves. */
static void compare(report_page *p, const cloud *c, const lavdm_item *frames, const lavdm_item *marks,
                    const lavdm_item *mark_frames, float *out) {
  int64_t m = marks ? marks->shape[0] : c->rows;
  float *z = malloc((size_t)(m * c->p) * sizeof *z + 1);
  bool failed = !z;
  for (int64_t k = 0; k < m && z; k++)
    for (int64_t j = 0; j < c->p; j++)
      z[j * m + k] = marks ? (float)report_value(marks, k * c->p + j) : c->x[k * c->p + j];
#pragma omp parallel num_threads(p->threads) if (c->rows > 1000)
  {
    float *square = malloc((size_t)m * sizeof *square + 1);
    if (!square || !z) {
#pragma omp atomic write
      failed = true;
    }
#pragma omp for schedule(static)
    for (int64_t i = 0; i < c->rows; i++) {
      if (!square || !z) continue;
      int64_t k = nearest(c->x + i * c->p, z, c->p, m, marks ? -1 : i, square);
      out[i] =
          k < 0 ? NAN : (float)agreement(frames, report_row(p, i), mark_frames, marks ? k : report_row(p, k));
    }
    free(square);
  }
  free(z);
  if (failed) report_no_memory(p, "alignment");
}

void report_alignment(report_page *p, const report_rows *data) {
  lavdm_item a, b, c;
  report_rows from = *data;
  const lavdm_item *frames = report_array(p, "frames", 3, p->n, &a);
  const lavdm_item *marks = report_array(p, "landmarks", 2, -1, &b);
  const lavdm_item *mark_frames = report_array(p, "landmark_frames", 3, marks ? marks->shape[0] : -1, &c);
  if (!frames || frames->shape[2] < 1 || frames->shape[2] > MOST_DIM || p->status < 0) return;
  if (marks && (!mark_frames || marks->shape[1] != frames->shape[1] ||
                mark_frames->shape[1] != frames->shape[1] || mark_frames->shape[2] != frames->shape[2]))
    return;
  int64_t m = marks ? marks->shape[0] : p->rows, width = frames->shape[1];
  if ((double)p->rows * (double)m * (double)width > MOST_WORK) {
    report_note(p, "how well frames agree is left out: of %lld points it would take long",
                (long long)p->rows);
    return;
  }
  if (from.data.p != width && !(report_kept_points(p, &from) && from.data.p == width)) return;
  cloud all = {malloc((size_t)(p->rows * width) * sizeof *all.x + 1), p->rows, width};
  float *out = malloc((size_t)p->rows * sizeof *out + 1);
  if (!all.x || !out) report_no_memory(p, "alignment");
  report_rows_each(p, &from, p->row, p->rows, keep_row, &all);
  if (p->status >= 0) compare(p, &all, frames, marks, marks ? mark_frames : frames, out);
  free(all.x);
  if (p->status >= 0) report_put_floats(p, "alignment", &(report_floats){out, p->rows}, 0, NULL);
  free(out);
}
