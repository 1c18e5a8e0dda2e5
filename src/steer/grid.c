/*
 * The constant C_0 is left out until the end. f on the grid t_g = 2 pi g/G: with
 * F_k = C_k/2 and F_G-k its conjugate,
 * z_g = f_2g + i f_2g+1 is the transform of length H = G/2 of
 *     Z_k = (F_k + F_k+H) + i e^(2 pi i k/G) (F_k - F_k+H),
 * by radix 4, in place, with the values left in digit-reversed places.
 *
 * The highest value of f is within half a step h/2 of a grid point where f is lower by
 * no more than h^2/8 sum of k^2 |C_k|; there the parabola through three points of the
 * grid is off by no more than h^3/16 sum of k^3 |C_k|. The cells, each half a step to
 * both sides, that may hold it by both bounds are searched.
 */
#include "steer/grid.h"

#include "base/memory.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <tgmath.h>

/* Where a radix-4 transform of `length` leaves frequency f. */
static int64_t place_of(int64_t length, int64_t f) {
  if (length <= 2) return f;
  return f % 4 * (length / 4) + place_of(length / 4, f / 4);
}

static int64_t grid_size(int64_t bands) {
  int64_t size = 16;
  while (size < 4 * bands) size *= 2;
  return size;
}

bool steer_grid_start(steer_grid *grid, int64_t bands) {
  int64_t size = grid_size(bands), half = size / 2;
  *grid = (steer_grid){.bands = bands,
                       .size = size,
                       .place = NEW(int64_t, half),
                       .root = NEW(real_t, size),
                       .turn = NEW(real_t, 2 * size),
                       .memory = NEW(lanes_t, 2 * size + 3),
                       .peak = NEW(int32_t, LANES * size),
                       .height = NEW(real_t, LANES * size)};
  if (!grid->place || !grid->root || !grid->turn || !grid->memory || !grid->peak || !grid->height) {
    steer_grid_free(grid);
    return false;
  }
  grid->buffer =
      (lanes_t *)(((uintptr_t)grid->memory + sizeof(lanes_t) - 1) / sizeof(lanes_t) * sizeof(lanes_t));
  grid->value = grid->buffer + size;
  for (int64_t j = 0; j < half; j++) grid->place[j] = place_of(half, j);
  for (int64_t j = 0; j < size; j++) {
    double phase = 2 * M_PI * (double)j / (double)size;
    grid->turn[2 * j] = (real_t)cos(phase), grid->turn[2 * j + 1] = (real_t)sin(phase);
  }
  for (int64_t j = 0; j < half; j++)
    grid->root[2 * j] = grid->turn[4 * j], grid->root[2 * j + 1] = grid->turn[4 * j + 1];
  return true;
}

void steer_grid_free(steer_grid *grid) {
  mem_free(grid->place);
  mem_free(grid->root);
  mem_free(grid->turn);
  mem_free(grid->memory);
  mem_free(grid->peak);
  mem_free(grid->height);
  *grid = (steer_grid){0};
}

/* buffer = Z, without C_0. */
static void fill(steer_grid *grid, const lanes_t *c) {
  int64_t half = grid->size / 2, bands = grid->bands;
  lanes_t *z = grid->buffer;
  z[0] = z[1] = (lanes_t){0};
  for (int64_t k = 1; k < half; k++) {
    lanes_t ar = {0}, ai = {0}, br = {0}, bi = {0};
    if (k < bands) ar = (real_t)0.5 * c[2 * k], ai = (real_t)0.5 * c[2 * k + 1];
    if (half - k < bands) br = (real_t)0.5 * c[2 * (half - k)], bi = (real_t)-0.5 * c[2 * (half - k) + 1];
    real_t cosine = grid->turn[2 * k], sine = grid->turn[2 * k + 1];
    lanes_t dr = ar - br, di = ai - bi;
    z[2 * k] = ar + br - (dr * sine + di * cosine);
    z[2 * k + 1] = ai + bi + (dr * cosine - di * sine);
  }
}

static inline void times(lanes_t *re, lanes_t *im, real_t cosine, real_t sine) {
  lanes_t r = *re * cosine - *im * sine;
  *im = *re * sine + *im * cosine;
  *re = r;
}

/* One butterfly over z[0], z[quarter], ...; w, if not NULL, is the root of unity for each. */
static inline void butterfly(lanes_t *z, int64_t quarter, const real_t *w1, const real_t *w2,
                             const real_t *w3) {
  lanes_t *a = z, *b = z + 2 * quarter, *c = z + 4 * quarter, *d = z + 6 * quarter;
  lanes_t sr = a[0] + c[0], si = a[1] + c[1], tr = a[0] - c[0], ti = a[1] - c[1];
  lanes_t ur = b[0] + d[0], ui = b[1] + d[1], vr = b[0] - d[0], vi = b[1] - d[1];
  lanes_t xr = tr - vi, xi = ti + vr, yr = sr - ur, yi = si - ui, zr = tr + vi, zi = ti - vr;
  a[0] = sr + ur, a[1] = si + ui;
  if (w1) {
    times(&xr, &xi, w1[0], w1[1]);
    times(&yr, &yi, w2[0], w2[1]);
    times(&zr, &zi, w3[0], w3[1]);
  }
  b[0] = xr, b[1] = xi, c[0] = yr, c[1] = yi, d[0] = zr, d[1] = zi;
}

static void transform(steer_grid *grid) {
  int64_t half = grid->size / 2, length = half;
  lanes_t *z = grid->buffer;
  for (; length >= 4; length /= 4) {
    int64_t quarter = length / 4, stride = 2 * (half / length);
    for (int64_t base = 0; base < half; base += length) {
      butterfly(z + 2 * base, quarter, NULL, NULL, NULL);
      for (int64_t j = 1; j < quarter; j++)
        butterfly(z + 2 * (base + j), quarter, grid->root + j * stride, grid->root + 2 * j * stride,
                  grid->root + 3 * j * stride);
    }
  }
  for (int64_t j = 0; length == 2 && j < half; j += 2) {
    lanes_t r = z[2 * j + 2], i = z[2 * j + 3];
    z[2 * j + 2] = z[2 * j] - r, z[2 * j + 3] = z[2 * j + 1] - i;
    z[2 * j] += r, z[2 * j + 1] += i;
  }
}

/* value = f in order; returns its maximum. */
static lanes_t in_order(steer_grid *grid) {
  int64_t size = grid->size;
  lanes_t *f = grid->value + 1, top = lanes_of(-INFINITY);
  for (int64_t g = 0; g < size / 2; g++) {
    const lanes_t *z = grid->buffer + 2 * grid->place[g];
    f[2 * g] = z[0], f[2 * g + 1] = z[1];
    top = lanes_pick(z[0] > top, z[0], top);
    top = lanes_pick(z[1] > top, z[1], top);
  }
  f[-1] = f[size - 1], f[size] = f[0];
  return top;
}

/* Sums of |C_k|, k^2 |C_k| and k^3 |C_k| over k > 0. */
typedef struct {
  lanes_t plain, second, third;
} sums_t;

static sums_t sums_of(const steer_grid *grid, const lanes_t *c) {
  sums_t s = {0};
  for (int64_t k = 1; k < grid->bands; k++) {
    lanes_t size2 = c[2 * k] * c[2 * k] + c[2 * k + 1] * c[2 * k + 1], size;
    for (int l = 0; l < LANES; l++) size[l] = sqrt(size2[l]);
    real_t order = (real_t)k, square = order * order;
    s.plain += size, s.second += square * size, s.third += square * order * size;
  }
  return s;
}

/* The top of the parabola through three values within half a step of the middle one, and where. */
static inline real_t parabola(real_t before, real_t here, real_t after, real_t *at) {
  const real_t half = (real_t)0.5;
  real_t slope = (after - before) * half, bend = before - 2 * here + after;
  real_t rise = slope < 0 ? -slope : slope, far = bend < 0 && rise < -half * bend ? rise / -bend : half;
  *at = slope < 0 ? -far : slope > 0 ? far : 0;
  return here + *at * (slope + *at * bend * half);
}

/* Lists the points of the grid above `floor` of every lane; the number of them in found. */
static void list_peaks(steer_grid *grid, lanes_t floor, int32_t *found) {
  enum { AT_ONCE = 8 };
  const lanes_t *f = grid->value + 1;
  for (int64_t from = 0; from < grid->size; from += AT_ONCE) {
    lane_mask_t mask[AT_ONCE], any = {0};
    for (int64_t j = 0; j < AT_ONCE; j++) {
      int64_t g = from + j;
      mask[j] = f[g] >= floor;
      any |= mask[j];
    }
    if (!lanes_any(any)) continue;
    for (int j = 0; j < AT_ONCE; j++)
      for (int l = 0; l < LANES; l++)
        if (mask[j][l]) {
          int64_t g = from + j, at = l * grid->size + found[l]++;
          real_t where;
          grid->peak[at] = (int32_t)g;
          grid->height[at] = parabola(f[g - 1][l], f[g][l], f[g + 1][l], &where);
        }
  }
}

/* Leaves those cells of a lane that may hold the top; at least one. */
static int32_t prune(steer_grid *grid, int l, int32_t count, real_t error) {
  int32_t *peak = grid->peak + l * grid->size, kept = 0;
  real_t *height = grid->height + l * grid->size, best = -INFINITY;
  for (int32_t i = 0; i < count; i++) best = height[i] > best ? height[i] : best;
  for (int32_t i = 0; i < count; i++)
    if (height[i] >= best - 2 * error) peak[kept] = peak[i], height[kept++] = height[i];
  return kept;
}

/* Searches the cells of all lanes, one of each at a time. */
static void climb(steer_grid *grid, steer_top *top, const int32_t *found) {
  const lanes_t *f = grid->value + 1;
  int32_t rounds = 1;
  for (int l = 0; l < LANES; l++) rounds = found[l] > rounds ? found[l] : rounds;
  real_t step = (real_t)(2 * M_PI / (double)grid->size);
  top->top = lanes_of(-INFINITY);
  for (int32_t round = 0; round < rounds; round++) {
    int32_t at[LANES];
    lanes_t start, height, angle;
    for (int l = 0; l < LANES; l++) {
      at[l] = grid->peak[l * grid->size + (round < found[l] ? round : 0)];
      real_t where;
      parabola(f[at[l] - 1][l], f[at[l]][l], f[at[l] + 1][l], &where);
      start[l] = step * where;
    }
    steer_refine(grid, top->spectrum, at, start, &height, &angle);
    lane_mask_t higher = height > top->top;
    top->top = lanes_pick(higher, height, top->top);
    top->angle = lanes_pick(higher, angle, top->angle);
  }
}

void steer_grid_top(steer_grid *grid, steer_top *top) {
  if (grid->bands == 1) {
    top->top = top->spectrum[0], top->angle = (lanes_t){0};
    return;
  }
  double step = 2 * M_PI / (double)grid->size;
  sums_t sums = sums_of(grid, top->spectrum);
  lanes_t slack = sums.plain * (32 * REAL_EPSILON);
  top->top = lanes_of(-INFINITY), top->angle = (lanes_t){0};
  lanes_t need = top->need - top->spectrum[0];
  if (!lanes_any(sums.plain + slack >= need)) return;
  lanes_t first = sums.second * (real_t)(step * step / 8) + slack;
  lanes_t second = sums.third * (real_t)(step * step * step / 16) + slack;
  fill(grid, top->spectrum);
  transform(grid);
  lanes_t highest = in_order(grid);
  if (!lanes_any(highest + first >= need)) return;
  int32_t found[LANES] = {0};
  list_peaks(grid, highest - first, found);
  for (int l = 0; l < LANES; l++) found[l] = sums.plain[l] > 0 ? prune(grid, l, found[l], second[l]) : 1;
  climb(grid, top, found);
  top->top += top->spectrum[0];
}
