/*
 * Lower bounds of squared distances between points of many coordinates. With
 * y = x - centre of the batch, in single precision,
 *
 *     |x - q|^2 = |y_x|^2 + |y_q|^2 - 2 <y_x, y_q>,
 *
 * all inner products being one matrix product. A sum of p products of numbers
 * rounded once errs by at most (p + 3) u sum |y_x y_q| <= (p + 3) u (|y_x|^2 +
 * |y_q|^2) / 2 (times 1 / (1 - p u)), where u = 2^-24; take that away, and a
 * bound is left. Points are scaled by a power of 2 that brings coordinates
 * below 1: nothing overflows, and what underflows is less than p 2^-120.
 */
#include "neighbours/work.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* Relative to the centre, scaled, in single precision; returns the squared length. */
static double relative_row(int64_t p, const real_t *restrict x, const double *restrict centre, double scale,
                           float *restrict out) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t j = 0; j < p; j++) {
    double y = ((double)x[j] - centre[j]) * scale;
    sum += y * y;
    out[j] = (float)y;
  }
  return sum;
}

/* The centre of the batch and a scale that fits every point; 0 if there is none. */
static void choose_scale(neighbour_work *work, const tiles_t *tiles) {
  double *centre = AS(double, work->centre), largest = 0;
  const real_t *lower = AS(real_t, work->lower), *upper = AS(real_t, work->upper);
  for (int64_t j = 0; j < tiles->p; j++) {
    centre[j] = lower[j] / 2 + upper[j] / 2;
    double above = fmax(upper[j], tiles->upper[j]) - centre[j];
    double below = centre[j] - fmin(lower[j], tiles->lower[j]);
    largest = fmax(largest, fmax(above, below));
  }
  bool usable = largest > 1e-140 && largest < 1e140 && tiles->p < (1 << 20);
  work->scale = usable ? ldexp(1, -ilogb(largest) - 1) : 0;
}

int REAL(wide_queries)(neighbour_work *work, const tiles_t *tiles, const real_t *query, int64_t count) {
  int64_t p = tiles->p, size = count * p;
  double *centre = ROOM(double, &work->centre, p), *norm = ROOM(double, &work->query_norm, count);
  float *y = ROOM(float, &work->query32, size);
  if (!centre || !norm || !y) return LAVDM_ERROR_MEMORY;
  choose_scale(work, tiles);
  for (int64_t i = 0; i < count; i++)
    norm[i] = relative_row(p, query + i * p, centre, work->scale, y + i * p);
  return LAVDM_OK;
}

void REAL(wide_move)(neighbour_work *work, int64_t p, int64_t from, int64_t to) {
  if (from == to) return;
  float *y = AS(float, work->query32);
  memcpy(y + to * p, y + from * p, (size_t)p * sizeof *y);
  AS(double, work->query_norm)[to] = AS(double, work->query_norm)[from];
}

int REAL(wide_gather)(neighbour_work *work, const tiles_t *tiles, int64_t count) {
  int64_t p = tiles->p, size = work->count * p;
  float *y = ROOM(float, &work->x32, size), *dots = ROOM(float, &work->dots, count * work->count);
  double *norm = ROOM(double, &work->norm, work->count);
  if (!y || !dots || !norm) return LAVDM_ERROR_MEMORY;
  int64_t *at = AS(int64_t, work->at), have = 0;
  for (int64_t t = 0; t < work->tile_count; t++) {
    int64_t tile = AS(visit_t, work->tiles)[t].node;
    for (int64_t i = tiles->first[tile]; i < tiles->first[tile + 1]; i++) at[have++] = i;
  }
  if (work->scale == 0) return LAVDM_OK;
  for (int64_t l = 0; l < work->count; l++)
    norm[l] = relative_row(p, tiles->x + at[l] * p, AS(double, work->centre), work->scale, y + l * p);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)work->count, (int)p, 1,
              AS(float, work->query32), (int)p, y, (int)p, 0, dots, (int)work->count);
  return LAVDM_OK;
}

static inline double positive(double x) {
  return x > 0 ? x : 0;
}

int64_t REAL(wide_row)(neighbour_work *work, int64_t p, int64_t slot, real_t bound) {
  const float *restrict dots = AS(float, work->dots) + slot * work->count;
  const double *restrict norm = AS(double, work->norm);
  real_t *restrict row = AS(real_t, work->row);
  double unit = 1 / (work->scale * work->scale), own = AS(double, work->query_norm)[slot];
  double keep = 1 - 1.1 * (double)(p + 8) * 0x1p-24, least = (double)p * 0x1p-120;
  int64_t within = 0;
  if (work->scale > 0)
    for (int64_t l = 0; l < work->count; l++) {
      row[l] = (real_t)(positive((norm[l] + own) * keep - 2 * (double)dots[l] - least) * unit *
                        (1 - REAL_EPSILON));
      within += row[l] <= bound;
    }
  else
    for (int64_t l = 0; l < work->count; l++) row[l] = 0;
  for (int64_t l = work->count; l < work->padded; l++) row[l] = NAN;
  *AS(span_t, work->spans) = (span_t){0, work->padded};
  work->span_count = 1;
  return work->scale > 0 ? within : work->count;
}
