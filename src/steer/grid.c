/*
 * The constant C_0 is left out until the end. f on the grid t_g = 2 pi g/G: with
 * F_k = C_k/2 and F_G-k its conjugate,
 * z_g = f_2g + i f_2g+1 is the transform of length H = G/2 of
 *     Z_k = (F_k + F_k+H) + i e^(2 pi i k/G) (F_k - F_k+H),
 * by radix 4, in place, with the values left in digit-reversed places.
 *
 * The highest value of f is within half a step h/2 of a grid point where f is lower by
 * no more than h^2/8 sum of k^2 |C_k|; there the quartic through five points of the
 * grid is off by no more than 0.0118 h^5 sum of k^5 |C_k|. The cells, each half a step to
 * both sides, that may hold it by both bounds are searched.
 */
#include "steer/grid.h"

#include "base/memory.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <tgmath.h>

enum { AT_ONCE = 8 }; /* values of the grid that are looked at together */

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

bool REAL(steer_grid_start)(steer_grid *grid, int64_t bands) {
  int64_t size = grid_size(bands), half = size / 2;
  *grid = (steer_grid){.bands = bands,
                       .size = size,
                       .place = NEW(int64_t, half),
                       .root = NEW(real_t, size),
                       .turn = NEW(real_t, 2 * size),
                       .memory = NEW(lanes_t, 4 * size + size / AT_ONCE + 5),
                       .cell = NEW(int64_t, size)};
  if (!grid->place || !grid->root || !grid->turn || !grid->memory || !grid->cell) {
    REAL(steer_grid_free)(grid);
    return false;
  }
  grid->buffer =
      (lanes_t *)(((uintptr_t)grid->memory + sizeof(lanes_t) - 1) / sizeof(lanes_t) * sizeof(lanes_t));
  grid->value = grid->buffer + size;
  grid->height = grid->value + size + 4;
  grid->start = grid->height + size;
  grid->most = grid->start + size;
  for (int64_t j = 0; j < half; j++) grid->place[j] = place_of(half, j);
  for (int64_t j = 0; j < size; j++) {
    double phase = 2 * M_PI * (double)j / (double)size;
    grid->turn[2 * j] = (real_t)cos(phase), grid->turn[2 * j + 1] = (real_t)sin(phase);
  }
  for (int64_t j = 0; j < half; j++)
    grid->root[2 * j] = grid->turn[4 * j], grid->root[2 * j + 1] = grid->turn[4 * j + 1];
  return true;
}

void REAL(steer_grid_free)(steer_grid *grid) {
  mem_free(grid->place);
  mem_free(grid->root);
  mem_free(grid->turn);
  mem_free(grid->memory);
  mem_free(grid->cell);
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

/* value = f in order, and the most of every AT_ONCE; returns its maximum. */
static lanes_t in_order(steer_grid *grid) {
  int64_t size = grid->size;
  lanes_t *f = grid->value + 2, top = lanes_of(-INFINITY);
  for (int64_t from = 0; from < size; from += AT_ONCE) {
    lanes_t most = lanes_of(-INFINITY);
    for (int64_t g = from; g < from + AT_ONCE; g += 2) {
      const lanes_t *z = grid->buffer + 2 * grid->place[g / 2];
      f[g] = z[0], f[g + 1] = z[1];
      most = lanes_max(most, lanes_max(z[0], z[1]));
    }
    grid->most[from / AT_ONCE] = most;
    top = lanes_max(top, most);
  }
  f[-2] = f[size - 2], f[-1] = f[size - 1], f[size] = f[0], f[size + 1] = f[1];
  return top;
}

/* Sums of |C_k|, k^2 |C_k| and k^5 |C_k| over k > 0, with the larger part of C_k and sqrt 2 - 1 of the
 * smaller one for |C_k|, which is no less. */
typedef struct {
  lanes_t plain, second, fifth;
} sums_t;

static sums_t sums_of(const steer_grid *grid, const lanes_t *c) {
  sums_t s = {0};
  for (int64_t k = 1; k < grid->bands; k++) {
    lanes_t a = lanes_max(c[2 * k], -c[2 * k]), b = lanes_max(c[2 * k + 1], -c[2 * k + 1]);
    lanes_t size = lanes_max(a, b) + (real_t)(M_SQRT2 - 1) * lanes_min(a, b);
    real_t order = (real_t)k, square = order * order;
    s.plain += size, s.second += square * size, s.fifth += square * square * order * size;
  }
  return s;
}

/* Lists the points of the grid with a value above `floor` in some lane. */
static int64_t list_cells(steer_grid *grid, lanes_t floor) {
  const lanes_t *f = grid->value + 2;
  int64_t found = 0;
  for (int64_t from = 0; from < grid->size; from += AT_ONCE) {
    if (!lanes_any(grid->most[from / AT_ONCE] >= floor)) continue;
    for (int64_t g = from; g < from + AT_ONCE; g++)
      if (lanes_any(f[g] >= floor)) grid->cell[found++] = g;
  }
  return found;
}

/* The step of Newton's method from s to the top of a function with this slope and bend, within half a step
 * of the grid; where it bends upwards, uphill to the end. */
static inline lanes_t within_cell(lanes_t s, lanes_t slope, lanes_t bend) {
  const lanes_t half = lanes_of((real_t)0.5);
  lanes_t up = lanes_pick(slope < 0, -half, lanes_pick(slope > 0, half, s));
  lanes_t next = lanes_pick(bend < 0, s - slope / bend, up);
  return lanes_pick(next > half, half, lanes_pick(next < -half, -half, next));
}

/* What is known of the cells: the best, of each lane. */
typedef struct {
  lanes_t height, start;
  lane_mask_t number;
} best_t;

/* height and start of the cells: the top of the quartic, by two steps of Newton's method, with a quarter of
 * what the second gained added to be safe. */
static best_t quartics(steer_grid *grid, int64_t count, lanes_t floor) {
  const lanes_t *f = grid->value + 2, none = lanes_of(-INFINITY);
  const real_t step = (real_t)(2 * M_PI / (double)grid->size), half = (real_t)0.5;
  const real_t third = (real_t)(1.0 / 3), twelfth = (real_t)(1.0 / 12);
  best_t best = {.height = none};
  for (int64_t i = 0; i < count; i++) {
    const lanes_t *at = f + grid->cell[i];
    lanes_t odd = at[1] - at[-1], odd2 = at[2] - at[-2], even = at[1] + at[-1], even2 = at[2] + at[-2];
    lanes_t d1 = (8 * odd - odd2) * twelfth, d2 = (16 * even - even2 - 30 * at[0]) * twelfth;
    lanes_t d3 = half * odd2 - odd, d4 = even2 - 4 * even + 6 * at[0];
    lanes_t s = within_cell((lanes_t){0}, d1, d2);
    lanes_t slope = d1 + s * (d2 + half * s * (d3 + third * s * d4)), bend = d2 + s * (d3 + half * s * d4);
    lanes_t next = within_cell(s, slope, bend), gain = slope * (next - s);
    s = next;
    lanes_t top = at[0] + s * (d1 + half * s * (d2 + third * s * (d3 + (real_t)0.25 * s * d4)));
    lane_mask_t counts = at[0] >= floor, better = counts & (top > best.height);
    grid->start[i] = step * s;
    grid->height[i] = lanes_pick(counts, top + (real_t)0.25 * lanes_pick(gain < 0, -gain, gain), none);
    best.height = lanes_pick(better, top, best.height);
    best.start = lanes_pick(better, grid->start[i], best.start);
    best.number = (better & (real_bits_t)i) | (~better & best.number);
  }
  return best;
}

/* Searches one cell of each lane, and keeps what is higher. */
static void climb(const steer_grid *grid, steer_top *top, const int64_t *at, lanes_t start) {
  lanes_t height, angle;
  REAL(steer_refine)(grid, top->spectrum, at, start, &height, &angle);
  lane_mask_t higher = height > top->top;
  top->top = lanes_pick(higher, height, top->top);
  top->angle = lanes_pick(higher, angle, top->angle);
}

/* The cells but the best with a height of at least `least` in some lane, to the front; how many. */
static int64_t others(steer_grid *grid, int64_t count, const best_t *best, lanes_t least) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; i++) {
    lane_mask_t counts = (grid->height[i] >= least) & (best->number != (real_bits_t)i);
    if (!lanes_any(counts)) continue;
    grid->cell[kept] = grid->cell[i];
    grid->start[kept] = grid->start[i];
    grid->height[kept++] = lanes_pick(counts, grid->height[i], lanes_of(-INFINITY));
  }
  return kept;
}

/* The next cell of a lane, from number `from` on; count if there is none. */
static inline int64_t next_cell(const steer_grid *grid, int l, int64_t from, int64_t count) {
  while (from < count && !(grid->height[from][l] > -(real_t)INFINITY)) from++;
  return from;
}

/* Searches the best cell of each lane, and then, every round, the next one of each that has another with a
 * height of at least `least`. */
static void search(steer_grid *grid, steer_top *top, int64_t count, best_t best, lanes_t least) {
  int64_t next[LANES], at[LANES], left = 0;
  lanes_t start = best.start;
  for (int l = 0; l < LANES; l++) at[l] = grid->cell[best.number[l]];
  count = others(grid, count, &best, least);
  top->top = lanes_of(-INFINITY);
  climb(grid, top, at, start);
  if (!count) return;
  for (int l = 0; l < LANES; l++) next[l] = next_cell(grid, l, 0, count);
  do {
    left = 0;
    for (int l = 0; l < LANES; l++) {
      if (next[l] == count) continue;
      at[l] = grid->cell[next[l]];
      start[l] = grid->start[next[l]][l];
      next[l] = next_cell(grid, l, next[l] + 1, count);
      left += next[l] < count;
    }
    climb(grid, top, at, start);
  } while (left);
}

void REAL(steer_grid_top)(steer_grid *grid, steer_top *top) {
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
  lanes_t second = sums.fifth * (real_t)(0.0118 * pow(step, 5)) + slack;
  fill(grid, top->spectrum);
  transform(grid);
  lanes_t highest = in_order(grid);
  if (!lanes_any(highest + first >= need)) return;
  int64_t count = list_cells(grid, highest - first);
  best_t best = quartics(grid, count, highest - first);
  lanes_t flat = lanes_pick(sums.plain > 0, (lanes_t){0}, lanes_of(INFINITY)); /* any cell will do */
  search(grid, top, count, best, best.height - 2 * second + flat);
  top->top += top->spectrum[0];
}
