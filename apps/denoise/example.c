/*
 * A picture to try denoising on, made of shapes that repeat turned every way: above strokes with
 * an eye, on the left below disks with a cut, on the right below gratings. Edges are a pixel wide.
 */
#include "lavdm/denoise.h"

#include <math.h>

static uint64_t next(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static double uniform(uint64_t *state) {
  return ((double)(next(state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state) {
  const double r = sqrt(-2 * log(uniform(state)));
  return r * cos(6.283185307179586 * uniform(state));
}

/* 1 inside (d < 0), 0 outside, linear over a pixel. */
static double inside(double d) {
  return fmin(fmax(0.5 - d, 0), 1);
}

enum { CELL = 24 };

/* The shape of a cell, at (x,y) from its middle. */
static double shade(int kind, double x, double y) {
  const double r = hypot(x, y);
  if (kind == 2) return 128 + 80 * sin(6.283185307179586 * x / 6);
  if (kind == 1) return 60 + 130 * inside(r - 9) * (1 - inside(fabs(y) - 1.5) * inside(-x));
  const double stroke = fmin(fabs(hypot(x, y - 6) - 6), hypot(x - 4, y + 5) - 1.5);
  return 210 - 170 * inside(stroke - 1.2) * inside(r - 11);
}

void lavdm_denoise_example(int64_t height, int64_t width, uint64_t seed, double sigma, double *out) {
  for (int64_t y = 0; y < height; y++)
    for (int64_t x = 0; x < width; x++) {
      const int64_t row = y / CELL, column = x / CELL;
      uint64_t state = seed + (uint64_t)(row * 7919 + column) * 104729;
      const double angle = 6.283185307179586 * uniform(&state);
      const double v = (double)(y % CELL) - (CELL - 1) / 2.0, u = (double)(x % CELL) - (CELL - 1) / 2.0;
      const int kind = 2 * y < height ? 0 : 2 * x < width ? 1 : 2;
      out[y * width + x] = shade(kind, cos(angle) * u + sin(angle) * v, cos(angle) * v - sin(angle) * u);
    }
  uint64_t state = seed ^ 0x5bd1e995u;
  for (int64_t k = 0; k < height * width && sigma > 0; k++) out[k] += sigma * normal(&state);
}
