/*
 * Each thread hands BLAS a few rows at a time (CHUNK), which keeps them in its
 * cache; sums over rows are kept apart for each slab of rows and then added.
 */
#include "spectrum/panel.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { SLAB_ROWS = 512, MOST_SLABS = 64, CHUNK = 128, GROUP = 8 };

/* Below this many multiplications a second thread costs more than it brings. */
static const double PARALLEL_WORK = 4e6;

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* Slabs of rows that keep a partial sum each. */
static int64_t slabs(int64_t rows) {
  int64_t count = (rows + SLAB_ROWS - 1) / SLAB_ROWS;
  return count < 1 ? 1 : least(count, MOST_SLABS);
}

static int workers(int threads, int64_t rows, int64_t a, int64_t b) {
  return (double)rows * (double)a * (double)b < PARALLEL_WORK ? 1 : threads;
}

/* The sum of the partial matrices, in their order. */
static void add_up(const double *partial, int64_t parts, int64_t length, double *sum) {
  memcpy(sum, partial, (size_t)length * sizeof *sum);
  for (int64_t s = 1; s < parts; s++)
    for (int64_t i = 0; i < length; i++) sum[i] += partial[s * length + i];
}

panel_t panel_columns(panel_t x, int64_t first, int64_t count) {
  return (panel_t){x.data + first, x.rows, count, x.stride};
}

int64_t panel_inner_scratch(int64_t rows, int64_t a, int64_t b) {
  return slabs(rows) * a * b;
}

int64_t panel_rotate_scratch(int64_t a, int threads) {
  return CHUNK * a * threads;
}

void panel_inner(int threads, panel_t x, panel_t y, double *c, double *scratch) {
  int64_t rows = x.rows, a = x.columns, b = y.columns, parts = slabs(rows);
  if (a == 0 || b == 0) return;
#pragma omp parallel for num_threads(workers(threads, rows, a, b)) schedule(static)
  for (int64_t s = 0; s < parts; s++) {
    int64_t end = rows * (s + 1) / parts;
    double beta = 0;
    for (int64_t i = rows * s / parts; i < end; i += CHUNK, beta = 1)
      cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)a, (int)b, (int)least(CHUNK, end - i), 1,
                  x.data + i * x.stride, (int)x.stride, y.data + i * y.stride, (int)y.stride, beta,
                  scratch + s * a * b, (int)b);
  }
  add_up(scratch, parts, a * b, c);
}

void panel_combine(int threads, double alpha, panel_t x, const double *s, double beta, panel_t y) {
  int64_t rows = x.rows, a = x.columns, b = y.columns;
  if (a == 0 || b == 0) return;
#pragma omp parallel for num_threads(workers(threads, rows, a, b)) schedule(static)
  for (int64_t i = 0; i < rows; i += CHUNK)
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)least(CHUNK, rows - i), (int)b, (int)a, alpha,
                x.data + i * x.stride, (int)x.stride, s, (int)b, beta, y.data + i * y.stride, (int)y.stride);
}

void panel_rotate(int threads, panel_t x, const double *s, int64_t count, double *scratch) {
  int64_t rows = x.rows, a = x.columns;
  int team = workers(threads, rows, a, count);
#pragma omp parallel for num_threads(team) schedule(static)
  for (int t = 0; t < team; t++) {
    double *chunk = scratch + t * CHUNK * count;
    int64_t chunks = (rows + CHUNK - 1) / CHUNK, end = least(rows, chunks * (t + 1) / team * CHUNK);
    for (int64_t i = chunks * t / team * CHUNK; i < end; i += CHUNK) {
      int64_t height = least(CHUNK, end - i);
      double *top = x.data + i * x.stride;
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)height, (int)count, (int)a, 1, top,
                  (int)x.stride, s, (int)count, 0, chunk, (int)count);
      for (int64_t j = 0; j < height; j++)
        memcpy(top + j * x.stride, chunk + j * count, (size_t)count * sizeof *chunk);
    }
  }
}

void panel_copy(int threads, panel_t x, panel_t y) {
#pragma omp parallel for num_threads(workers(threads, x.rows, x.columns, 1)) schedule(static)
  for (int64_t i = 0; i < x.rows; i++)
    memcpy(y.data + i * y.stride, x.data + i * x.stride, (size_t)x.columns * sizeof *x.data);
}

void panel_dots(int threads, panel_t x, panel_t y, double *dots, double *scratch) {
  int64_t rows = x.rows, b = x.columns, parts = slabs(rows);
#pragma omp parallel for num_threads(workers(threads, rows, b, 1)) schedule(static)
  for (int64_t s = 0; s < parts; s++) {
    double *sum = scratch + s * b;
    memset(sum, 0, (size_t)b * sizeof *sum);
    for (int64_t i = rows * s / parts; i < rows * (s + 1) / parts; i++)
      for (int64_t l = 0; l < b; l++) sum[l] += x.data[i * x.stride + l] * y.data[i * y.stride + l];
  }
  add_up(scratch, parts, b, dots);
}

void panel_distances(int threads, const double *values, panel_t x, panel_t y, double *distances,
                     double *scratch) {
  int64_t rows = x.rows, b = x.columns, parts = slabs(rows);
#pragma omp parallel for num_threads(workers(threads, rows, b, 1)) schedule(static)
  for (int64_t s = 0; s < parts; s++) {
    double *sum = scratch + s * b;
    memset(sum, 0, (size_t)b * sizeof *sum);
    for (int64_t i = rows * s / parts; i < rows * (s + 1) / parts; i++)
      for (int64_t l = 0; l < b; l++) {
        double d = y.data[i * y.stride + l] - values[l] * x.data[i * x.stride + l];
        sum[l] += d * d;
      }
  }
  add_up(scratch, parts, b, distances);
  for (int64_t l = 0; l < b; l++) distances[l] = sqrt(distances[l]);
}

/* Flips the columns of a group of at most GROUP as panel_fix_signs says. */
static void fix_signs(panel_t x) {
  double largest[GROUP] = {0}, sign[GROUP] = {0};
  for (int64_t i = 0; i < x.rows; i++)
    for (int64_t l = 0; l < x.columns; l++) largest[l] = fmax(largest[l], fabs(x.data[i * x.stride + l]));
  for (int64_t i = 0; i < x.rows; i++)
    for (int64_t l = 0; l < x.columns; l++) {
      double entry = x.data[i * x.stride + l];
      if (sign[l] == 0 && fabs(entry) >= largest[l] * (1 - 1e-6)) sign[l] = entry < 0 ? -1 : 1;
    }
  for (int64_t i = 0; i < x.rows; i++)
    for (int64_t l = 0; l < x.columns; l++) x.data[i * x.stride + l] *= sign[l];
}

void panel_fix_signs(int threads, panel_t x) {
#pragma omp parallel for num_threads(workers(threads, x.rows, x.columns, 1)) schedule(static)
  for (int64_t first = 0; first < x.columns; first += GROUP)
    fix_signs(panel_columns(x, first, least(GROUP, x.columns - first)));
}

/* Every rank tells the sign of its first such entry; the first rank that has one is heard. */
int panel_fix_shared_signs(const team_t *team, panel_t x, double *scratch) {
  double *largest = scratch, *told = scratch + x.columns;
  memset(scratch, 0, (size_t)(2 * x.columns) * sizeof *scratch);
  for (int64_t i = 0; i < x.rows; i++)
    for (int64_t l = 0; l < x.columns; l++) largest[l] = fmax(largest[l], fabs(x.data[i * x.stride + l]));
  int status = team_extreme(team, largest, x.columns, true);
  if (status < 0) return status;
  double loud = team->ranks - team->rank;
  for (int64_t i = 0; i < x.rows; i++)
    for (int64_t l = 0; l < x.columns; l++) {
      double entry = x.data[i * x.stride + l];
      if (told[l] == 0 && fabs(entry) >= largest[l] * (1 - 1e-6)) told[l] = 2 * loud + (entry < 0 ? 1 : 0);
    }
  status = team_extreme(team, told, x.columns, true);
  for (int64_t i = 0; i < x.rows; i++)
    for (int64_t l = 0; l < x.columns; l++) x.data[i * x.stride + l] *= fmod(told[l], 2) > 0 ? -1 : 1;
  return status;
}
