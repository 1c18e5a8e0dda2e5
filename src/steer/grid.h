/*
 * Correlations f(t) = Re sum over k < bands of C_k e^(ikt) of LANES pairs at once: on a
 * grid of angles, their highest peaks, and the top of these to rounding.
 */
#ifndef LAVDM_STEER_GRID_H
#define LAVDM_STEER_GRID_H

#include "base/real.h"

#include <stdbool.h>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

typedef struct {
  int64_t bands, size; /* size: angles of the grid, a power of two > 2 bands */
  int64_t *place;      /* size/2: where the transform leaves its values */
  real_t *root;        /* size: e^(2 pi i j/(size/2)), complex */
  real_t *turn;        /* 2 size: e^(2 pi i j/size), complex */
  void *memory;
  lanes_t *buffer; /* size: complex values of half the grid */
  lanes_t *value;  /* size + 4: f, with the last two before the first and the first two after the last */
  lanes_t *most;   /* size/8: the largest of eight values */
  int64_t *cell;   /* size: points of the grid whose cells may hold the top of a lane */
  lanes_t *height; /* size: the tops there, by a quartic; -infinity in the other lanes */
  lanes_t *start;  /* size: and where, in radians from the point */
} steer_grid;

/* What is known of LANES correlations, and the top that was found. */
typedef struct {
  const lanes_t *spectrum; /* 2 bands: real and imaginary part of C_k, in turn */
  lanes_t need;            /* a top below may be left out: it is then -infinity */
  lanes_t top, angle;
} steer_top;

bool REAL(steer_grid_start)(steer_grid *grid, int64_t bands); /* false: no memory */
void REAL(steer_grid_free)(steer_grid *grid);

/* The tops of LANES correlations. */
void REAL(steer_grid_top)(steer_grid *grid, steer_top *top);

/* The top in the cell of point `at` of the grid, from `start` radians after it. */
void REAL(steer_refine)(const steer_grid *grid, const lanes_t *spectrum, const int64_t *at, lanes_t start,
                        lanes_t *top, lanes_t *angle);

static inline lanes_t lanes_of(real_t x) {
  return x - (lanes_t){0};
}

static inline lanes_t lanes_pick(lane_mask_t mask, lanes_t yes, lanes_t no) {
  return (lanes_t)((mask & (lane_mask_t)yes) | (~mask & (lane_mask_t)no));
}

/* The compiler sees the instruction behind the loop only where nothing is around it. */
static inline lanes_t lanes_max(lanes_t a, lanes_t b) {
#if defined(__AVX512F__) && defined(LAVDM_SINGLE)
  return (lanes_t)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX512F__)
  return (lanes_t)_mm512_max_pd((__m512d)a, (__m512d)b);
#else
  lanes_t most;
  for (int l = 0; l < LANES; l++) most[l] = a[l] > b[l] ? a[l] : b[l];
  return most;
#endif
}

static inline lanes_t lanes_min(lanes_t a, lanes_t b) {
  return -lanes_max(-a, -b);
}

static inline bool lanes_any(lane_mask_t mask) {
#ifdef __AVX512F__
  return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask);
#else
  real_bits_t any = 0;
  for (int l = 0; l < LANES; l++) any |= mask[l];
  return any != 0;
#endif
}

#endif
