/*
 * The top of f(t) = Re sum over k > 0 of C_k e^(ikt) in a cell by Newton's method on f', LANES at
 * once. It stays between bounds that f' keeps: where a step would leave them, or f bends
 * upwards, the end of the cell is tried, and then half of the way. e^(ikt) are powers of w = e^(it), and w is
 * turned with t.
 */
#include "steer/grid.h"

#include <math.h>
#include <tgmath.h>

enum { MOST_STEPS = 40 };

/* cos x and sin x by their series, |x| < 1. */
static void small_angle(lanes_t x, lanes_t *cosine, lanes_t *sine) {
  static const double c[] = {1,
                             -1. / 2,
                             1. / 24,
                             -1. / 720,
                             1. / 40320,
                             -1. / 3628800,
                             1. / 479001600,
                             -1. / 87178291200.,
                             1. / 20922789888000.};
  static const double s[] = {1,
                             -1. / 6,
                             1. / 120,
                             -1. / 5040,
                             1. / 362880,
                             -1. / 39916800,
                             1. / 6227020800.,
                             -1. / 1307674368000.,
                             1. / 355687428096000.};
  lanes_t x2 = x * x, even = lanes_of((real_t)c[8]), odd = lanes_of((real_t)s[8]);
  for (int i = 7; i >= 0; i--) even = even * x2 + (real_t)c[i], odd = odd * x2 + (real_t)s[i];
  *cosine = even;
  *sine = odd * x;
}

/* w = e^(it) turned on by x. */
static void turn_by(lanes_t *wr, lanes_t *wi, lanes_t x) {
  lanes_t c, s;
  small_angle(x, &c, &s);
  lanes_t r = *wr * c - *wi * s;
  *wi = *wr * s + *wi * c;
  *wr = r;
}

typedef struct {
  lanes_t f, slope, bend;
} local_t;

static local_t evaluate(int64_t bands, const lanes_t *c, lanes_t wr, lanes_t wi) {
  lanes_t f = {0}, slope = {0}, bend = {0}, pr = wr, pi = wi;
  for (int64_t k = 1; k < bands; k++) {
    lanes_t re = c[2 * k] * pr - c[2 * k + 1] * pi, im = c[2 * k] * pi + c[2 * k + 1] * pr;
    real_t order = (real_t)k;
    f += re, slope -= order * im, bend -= order * order * re;
    lanes_t next = pr * wr - pi * wi;
    pi = pr * wi + pi * wr;
    pr = next;
  }
  return (local_t){f, slope, bend};
}

void REAL(steer_refine)(const steer_grid *grid, const lanes_t *spectrum, const int64_t *at, lanes_t start,
                        lanes_t *top, lanes_t *angle) {
  const double step = 2 * M_PI / (double)grid->size;
  const real_t enough = (real_t)sqrt((double)REAL_EPSILON) / (real_t)grid->bands;
  const lanes_t end = lanes_of((real_t)(0.505 * step));
  lanes_t wr, wi, t = start, low = -end, high = end, origin;
  for (int l = 0; l < LANES; l++) {
    wr[l] = grid->turn[2 * at[l]], wi[l] = grid->turn[2 * at[l] + 1];
    double theta = step * (double)at[l];
    origin[l] = (real_t)(theta >= M_PI ? theta - 2 * M_PI : theta);
  }
  turn_by(&wr, &wi, start);
  for (int i = 0; i < MOST_STEPS; i++) {
    local_t here = evaluate(grid->bands, spectrum, wr, wi);
    lane_mask_t up = here.slope > 0, down = here.slope < 0, concave = here.bend < 0;
    low = lanes_pick(up, t, low), high = lanes_pick(down, t, high);
    lanes_t newton = t - here.slope / here.bend;
    lane_mask_t fine = concave & (newton >= low) & (newton <= high);
    lanes_t middle = (real_t)0.5 * (low + high);
    lanes_t right = lanes_pick(high == end, high, middle), left = lanes_pick(low == -end, low, middle);
    lanes_t next = lanes_pick(fine, newton, lanes_pick(up, right, left));
    next = lanes_pick(up | down, next, t);
    lanes_t move = next - t;
    *top = here.f + (real_t)0.5 * here.slope * move;
    t = next;
    if (!lanes_any((move > enough) | (move < -enough))) break;
    turn_by(&wr, &wi, move);
  }
  *angle = origin + t;
}
