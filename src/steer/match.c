/*
 * C_k = sum over c in band k of a_c conj(b_c) for four rows and LANES references at a
 * time, then the top f of the correlation (grid.c), and
 *     d^2 = |a|^2 + |b|^2 - 2 f.
 * With reflections b is conjugated as well; the four sums of products give both. Where
 * d^2 is small beside the norms it is found again, from the difference of the coefficients.
 */
#include "steer/steer.h"

#include "base/memory.h"
#include "steer/grid.h"

#include <math.h>
#include <string.h>

enum { ROWS = 4 };

/* Below this share of the norms, the difference of large numbers is not trusted. */
static const double NEAR = sizeof(real_t) == sizeof(float) ? 1.0 / 32 : 1e-4;

/* References side by side: value[(g 2 size + 2 c + part) LANES + l] is that of object g LANES + l. */
struct steer_packed {
  const steer_stack *stack;
  int64_t count;
  int64_t *index; /* count: rows of the stack */
  void *memory;
  lanes_t *value;
};

struct steer_work {
  steer_grid grid;
  steer_packed own;
  int64_t most;
  void *memory;
  lanes_t *spectrum; /* ROWS x 2 (plain, reflected) x 2 bands */
};

static lanes_t *align(void *memory) {
  return (lanes_t *)(((uintptr_t)memory + sizeof(lanes_t) - 1) / sizeof(lanes_t) * sizeof(lanes_t));
}

static bool room_of(steer_packed *packed, const steer_bands *bands, int64_t count) {
  packed->index = NEW(int64_t, count);
  packed->memory = NEW(lanes_t, (count + LANES - 1) / LANES * 2 * bands->size + 1);
  packed->value = align(packed->memory);
  return packed->index && packed->memory;
}

static void fill(steer_packed *packed, const steer_stack *stack, const int64_t *cols, int64_t count) {
  int64_t width = 2 * stack->bands->size, groups = (count + LANES - 1) / LANES;
  packed->stack = stack;
  packed->count = count;
  for (int64_t j = 0; j < count; j++) packed->index[j] = cols ? cols[j] : j;
  for (int64_t g = 0; g < groups; g++) {
    lanes_t *out = packed->value + g * width;
    int some = (int)(count - g * LANES < LANES ? count - g * LANES : LANES);
    if (some < LANES) memset(out, 0, (size_t)width * sizeof *out);
    for (int l = 0; l < some; l++) {
      const real_t *b = stack->value + packed->index[g * LANES + l] * width;
      real_t *to = (real_t *)out + l;
      for (int64_t c = 0; c < width; c++) to[c * LANES] = b[c];
    }
  }
}

steer_packed *REAL(steer_pack)(const steer_stack *stack, const int64_t *cols, int64_t count) {
  steer_packed *packed = NEW(steer_packed, 1);
  if (packed && room_of(packed, stack->bands, count)) {
    fill(packed, stack, cols, count);
    return packed;
  }
  REAL(steer_packed_free)(packed);
  return NULL;
}

void REAL(steer_packed_free)(steer_packed *packed) {
  if (!packed) return;
  mem_free(packed->index);
  mem_free(packed->memory);
  mem_free(packed);
}

steer_work *REAL(steer_work_new)(const steer_bands *bands, int64_t rows, int64_t count) {
  (void)rows;
  steer_work *work = NEW(steer_work, 1);
  if (!work) return NULL;
  work->most = count;
  work->memory = NEW(lanes_t, 4 * ROWS * bands->bands + 1);
  work->spectrum = align(work->memory);
  bool made = REAL(steer_grid_start)(&work->grid, bands->bands) && work->memory;
  if (made && count > 0) made = room_of(&work->own, bands, count);
  if (made) return work;
  REAL(steer_work_free)(work);
  return NULL;
}

void REAL(steer_work_free)(steer_work *work) {
  if (!work) return;
  REAL(steer_grid_free)(&work->grid);
  mem_free(work->own.index);
  mem_free(work->own.memory);
  mem_free(work->memory);
  mem_free(work);
}

/* spectrum (ROWS x 2 x 2 bands) of ROWS rows and the references b; the reflected one if asked for. */
static void products(const steer_bands *bands, const real_t *const *a, const lanes_t *b, bool reflections,
                     lanes_t *spectrum) {
  int64_t width = 2 * bands->bands;
  for (int64_t k = 0; k < bands->bands; k++) {
    lanes_t rr[ROWS] = {0}, ii[ROWS] = {0}, ir[ROWS] = {0}, ri[ROWS] = {0};
    for (int64_t c = bands->first[k]; c < bands->first[k + 1]; c++) {
      lanes_t br = b[2 * c], bi = b[2 * c + 1];
      for (int r = 0; r < ROWS; r++) {
        real_t ar = a[r][2 * c], ai = a[r][2 * c + 1];
        rr[r] += ar * br, ii[r] += ai * bi, ir[r] += ai * br, ri[r] += ar * bi;
      }
    }
    for (int r = 0; r < ROWS; r++) {
      lanes_t *out = spectrum + r * 2 * width + 2 * k;
      out[0] = rr[r] + ii[r], out[1] = ir[r] - ri[r];
      if (reflections) out[width] = rr[r] - ii[r], out[width + 1] = ir[r] + ri[r];
    }
  }
}

/* |a - O b|^2, O turning by theta after a reflection, if any. */
static double difference2(const steer_bands *bands, const real_t *a, const real_t *b, double theta,
                          bool reflected) {
  double sum = 0, sign = reflected ? -1 : 1, one = cos(theta), other = -sin(theta), cosine = 1, sine = 0;
  for (int64_t k = 0; k < bands->bands; k++) {
    if (k % 64 == 0) cosine = cos((double)k * theta), sine = -sin((double)k * theta);
    for (int64_t c = bands->first[k]; c < bands->first[k + 1]; c++) {
      double br = (double)b[2 * c], bi = sign * (double)b[2 * c + 1];
      double re = (double)a[2 * c] - (br * cosine - bi * sine);
      double im = (double)a[2 * c + 1] - (br * sine + bi * cosine);
      sum += re * re + im * im;
    }
    double turned = cosine * one - sine * other;
    sine = cosine * other + sine * one;
    cosine = turned;
  }
  return sum;
}

/* LANES pairs: which object of x and of y each is of, and beyond which distance it does not count. */
typedef struct {
  const steer_stack *x, *y;
  int count;
  int64_t i[LANES], j[LANES];
  double limit2;
} pairs_t;

static double pair_distance2(const pairs_t *pairs, int l, double top, double angle, bool reflected) {
  const steer_stack *x = pairs->x, *y = pairs->y;
  int64_t width = 2 * x->bands->size, i = pairs->i[l], j = pairs->j[l];
  double scale = x->norm2[i] + y->norm2[j], d2 = scale - 2 * top;
  if (d2 < NEAR * scale)
    d2 = difference2(x->bands, x->value + i * width, y->value + j * width, angle, reflected);
  return d2 > 0 ? d2 : 0;
}

static double wrapped(double angle) {
  if (angle >= M_PI) angle -= 2 * M_PI;
  return angle < -M_PI ? angle + 2 * M_PI : angle;
}

/* Distances and angles of the pairs from their spectra, plain and reflected. */
static void finish(const pairs_t *pairs, steer_work *work, const lanes_t *spectrum, real_t *distance2,
                   real_t *angle, signed char *reflected) {
  steer_top top = {.spectrum = spectrum, .need = lanes_of(INFINITY)}, other;
  for (int l = 0; l < pairs->count; l++) {
    double scale = pairs->x->norm2[pairs->i[l]] + pairs->y->norm2[pairs->j[l]];
    top.need[l] = (real_t)(0.5 * (scale - pairs->limit2) - 4 * (double)REAL_EPSILON * scale);
  }
  other = top;
  REAL(steer_grid_top)(&work->grid, &top);
  if (reflected) {
    other.spectrum = spectrum + 2 * work->grid.bands;
    REAL(steer_grid_top)(&work->grid, &other);
  }
  for (int l = 0; l < pairs->count; l++) {
    bool mirror = reflected && other.top[l] > top.top[l];
    double f = (double)(mirror ? other.top[l] : top.top[l]);
    double theta = wrapped((double)(mirror ? other.angle[l] : top.angle[l]));
    distance2[l] = f > -INFINITY ? (real_t)pair_distance2(pairs, l, f, theta, mirror) : (real_t)INFINITY;
    angle[l] = (real_t)theta;
    if (angle[l] >= (real_t)M_PI) angle[l] = (real_t)-M_PI;
    if (reflected) reflected[l] = mirror;
  }
}

void REAL(steer_match_packed)(const steer_stack *x, int64_t first, int64_t rows, const steer_packed *y,
                              const double *limit2, steer_work *work, real_t *distance2, real_t *angle,
                              signed char *reflected) {
  const steer_bands *bands = x->bands;
  int64_t width = 2 * bands->size, count = y->count;
  pairs_t pairs = {.x = x, .y = y->stack};
  for (int64_t from = 0; from < count; from += LANES) {
    const lanes_t *b = y->value + from / LANES * width;
    pairs.count = (int)(count - from < LANES ? count - from : LANES);
    for (int l = 0; l < pairs.count; l++) pairs.j[l] = y->index[from + l];
    for (int64_t i = 0; i < rows; i += ROWS) {
      int some = (int)(rows - i < ROWS ? rows - i : ROWS);
      const real_t *a[ROWS];
      for (int r = 0; r < ROWS; r++) a[r] = x->value + (first + i + (r < some ? r : 0)) * width;
      products(bands, a, b, reflected != NULL, work->spectrum);
      for (int r = 0; r < some; r++) {
        int64_t at = (i + r) * count + from;
        for (int l = 0; l < LANES; l++) pairs.i[l] = first + i + r;
        pairs.limit2 = limit2 ? limit2[i + r] : INFINITY;
        finish(&pairs, work, work->spectrum + r * 4 * bands->bands, distance2 + at, angle + at,
               reflected ? reflected + at : NULL);
      }
    }
  }
}

/* spectrum of pairs side by side: a and b are LANES objects each. */
static void products_of_pairs(const steer_bands *bands, const lanes_t *a, const lanes_t *b,
                              lanes_t *spectrum) {
  int64_t width = 2 * bands->bands;
  for (int64_t k = 0; k < bands->bands; k++) {
    lanes_t rr = {0}, ii = {0}, ir = {0}, ri = {0};
    for (int64_t c = bands->first[k]; c < bands->first[k + 1]; c++) {
      rr += a[2 * c] * b[2 * c], ii += a[2 * c + 1] * b[2 * c + 1];
      ir += a[2 * c + 1] * b[2 * c], ri += a[2 * c] * b[2 * c + 1];
    }
    spectrum[2 * k] = rr + ii, spectrum[2 * k + 1] = ir - ri;
    spectrum[width + 2 * k] = rr - ii, spectrum[width + 2 * k + 1] = ir + ri;
  }
}

void REAL(steer_match_pairs)(const steer_stack *x, const int64_t *i, const int64_t *j, int64_t count,
                             steer_work *work, real_t *distance2, real_t *angle, signed char *reflected) {
  int64_t width = 2 * x->bands->size;
  pairs_t pairs = {.x = x, .y = x, .limit2 = INFINITY};
  for (int64_t from = 0; from < count; from += LANES) {
    pairs.count = (int)(count - from < LANES ? count - from : LANES);
    int64_t both[2 * LANES] = {0};
    for (int l = 0; l < pairs.count; l++) {
      pairs.i[l] = both[l] = i[from + l];
      pairs.j[l] = both[LANES + l] = j[from + l];
    }
    fill(&work->own, x, both, 2 * LANES);
    products_of_pairs(x->bands, work->own.value, work->own.value + width, work->spectrum);
    finish(&pairs, work, work->spectrum, distance2 + from, angle + from, reflected ? reflected + from : NULL);
  }
}

void REAL(steer_match)(const steer_stack *x, int64_t first, int64_t rows, const steer_stack *y,
                       const int64_t *cols, int64_t count, double limit2, steer_work *work, real_t *distance2,
                       real_t *angle, signed char *reflected) {
  enum { AT_ONCE = 64 };
  double limit[AT_ONCE];
  for (int r = 0; r < AT_ONCE; r++) limit[r] = limit2;
  fill(&work->own, y, cols, count);
  for (int64_t i = 0; i < rows; i += AT_ONCE) REAL(steer_match_packed)
  (x, first + i, rows - i < AT_ONCE ? rows - i : AT_ONCE, &work->own, limit, work, distance2 + i * count,
   angle + i * count, reflected ? reflected + i * count : NULL);
}
