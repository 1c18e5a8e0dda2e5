/*
 * Principal axes of points, from at most 1000 of them: with X their differences from the mean (rows), those
 * of X'X = V L V', or, where there are fewer points than coordinates, of XX' = U L U' as V = X'U L^-1/2.
 */
#include "report/rows.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 3, SAMPLED = 1000, MOST_NUMBERS = 1 << 23 };

typedef struct {
  double *x;
  int64_t width;
} sample;

/* What is no finite number becomes the mean, below. */
static void keep_row(void *user, int64_t k, const double *x) {
  sample *s = user;
  memcpy(s->x + k * s->width, x, (size_t)s->width * sizeof *x);
}

static void centre(sample *s, int64_t count, double *mean) {
  for (int64_t j = 0; j < s->width; j++) {
    double sum = 0;
    int64_t used = 0;
    for (int64_t i = 0; i < count; i++) {
      double x = s->x[i * s->width + j];
      if (isfinite(x)) sum += x, used++;
    }
    mean[j] = used && isfinite(sum) ? sum / (double)used : 0;
    for (int64_t i = 0; i < count; i++) {
      double *x = &s->x[i * s->width + j];
      *x = isfinite(*x) && fabs(*x - mean[j]) < 1e150 ? *x - mean[j] : 0;
    }
  }
}

/* g (side,side) = X'X or XX'. */
static void products(const sample *s, int64_t count, bool dual, int threads, double *g) {
  int64_t side = dual ? count : s->width, length = dual ? s->width : count;
  int64_t step = dual ? s->width : 1, inner = dual ? 1 : s->width;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 8) if (side > 64)
  for (int64_t a = 0; a < side; a++)
    for (int64_t b = 0; b <= a; b++) {
      double sum = 0;
      for (int64_t k = 0; k < length; k++) sum += s->x[a * step + k * inner] * s->x[b * step + k * inner];
      g[a * side + b] = g[b * side + a] = sum;
    }
}

/* Axis `a` from the eigenvector v of either matrix; zero if nothing varies along it. */
static void put_axis(const sample *s, int64_t count, bool dual, const double *v, int64_t stride,
                     double *axis) {
  double norm = 0;
  memset(axis, 0, (size_t)s->width * sizeof *axis);
  for (int64_t i = 0; i < (dual ? count : s->width); i++)
    for (int64_t j = 0; j < s->width && dual; j++) axis[j] += v[i * stride] * s->x[i * s->width + j];
  for (int64_t j = 0; j < s->width && !dual; j++) axis[j] = v[j * stride];
  for (int64_t j = 0; j < s->width; j++) norm += axis[j] * axis[j];
  for (int64_t j = 0; j < s->width && norm > 0; j++) axis[j] /= sqrt(norm);
  /* the same sign on every machine: the largest entry is positive */
  int64_t most = 0;
  for (int64_t j = 1; j < s->width; j++)
    if (fabs(axis[j]) > fabs(axis[most]) * (1 + 1e-9)) most = j;
  double sign = axis[most] < 0 ? -1 : 1;
  for (int64_t j = 0; j < s->width; j++) axis[j] *= sign;
}

static void solve(report_page *p, const sample *s, int64_t count, double *axes) {
  bool dual = count < s->width;
  int64_t side = dual ? count : s->width, wanted = side < AXES ? side : AXES;
  double *g = malloc((size_t)(side * side) * sizeof *g + 1),
         *value = malloc((size_t)side * sizeof *value + 1);
  double *vectors = malloc((size_t)(side * wanted) * sizeof *vectors + 1);
  lapack_int *support = malloc(2 * (size_t)side * sizeof *support + 1), found = 0, done = 1;
  if (g && value && vectors && support) {
    products(s, count, dual, p->threads, g);
    done = LAPACKE_dsyevr(LAPACK_ROW_MAJOR, 'V', 'I', 'U', (lapack_int)side, g, (lapack_int)side, 0, 0,
                          (lapack_int)(side - wanted + 1), (lapack_int)side, 0, &found, value, vectors,
                          (lapack_int)wanted, support);
  }
  if (!g || !value || !vectors || !support || done == LAPACK_WORK_MEMORY_ERROR)
    report_no_memory(p, "the principal axes");
  else if (done || found != wanted)
    report_fail(p, LAVDM_ERROR_NUMERICS, "the principal axes of the points could not be found");
  for (int64_t a = 0; a < wanted && p->status >= 0; a++)
    put_axis(s, count, dual, vectors + (wanted - 1 - a), wanted, axes + a * s->width);
  free(g);
  free(value);
  free(vectors);
  free(support);
}

bool report_axes(report_page *p, const report_rows *from, double *mean, double *axes) {
  int64_t width = from->data.p, count = MOST_NUMBERS / width;
  if (count > SAMPLED) count = SAMPLED;
  if (count < 2 * AXES) count = 2 * AXES;
  if (count > p->rows) count = p->rows;
  sample s = {malloc((size_t)(count * width) * sizeof *s.x), width};
  int64_t *row = malloc((size_t)count * sizeof *row);
  if (!s.x || !row) report_no_memory(p, "the principal axes");
  for (int64_t k = 0; k < count && row; k++) row[k] = report_row(p, k * p->rows / count);
  if (p->status >= 0) report_rows_each(p, from, row, count, keep_row, &s);
  memset(axes, 0, (size_t)(AXES * width) * sizeof *axes);
  if (p->status >= 0) {
    centre(&s, count, mean);
    solve(p, &s, count, axes);
  }
  free(s.x);
  free(row);
  return p->status >= 0;
}
