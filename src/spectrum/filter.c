/*
 * p(t) = T_d(x(t)) / T_d(x(top)) with the Chebyshev polynomial T_d and
 * x(t) = (t - c) / e, where c and e are the centre and the half width of
 * [low, edge]. By the three-term recurrence, scaled at every step:
 *   Y_1     = s_1 (A - c) X / e,                       s_1 = e / (top - c)
 *   Y_{k+1} = 2 s_{k+1} (A - c) Y_k / e - s_k s_{k+1} Y_{k-1},
 *                                                  1 / s_{k+1} = 2 / s_1 - s_k.
 */
#include "spectrum/filter.h"

#include <math.h>

static double centre(const filter_t *f) {
  return (f->low + f->edge) / 2;
}

static double half(const filter_t *f) {
  return (f->edge - f->low) / 2;
}

/* T_d(x), d odd */
static double chebyshev(const filter_t *f, double x) {
  double d = (double)f->degree;
  return fabs(x) > 1 ? copysign(cosh(d * acosh(fabs(x))), x) : cos(d * acos(x));
}

static double height(const filter_t *f) {
  return chebyshev(f, (f->top - centre(f)) / half(f));
}

double filter_value(const filter_t *f, double value) {
  if (f->degree == 1) return value;
  return chebyshev(f, (value - centre(f)) / half(f)) / height(f);
}

double filter_inverse(const filter_t *f, double image) {
  if (f->degree == 1) return image;
  double y = image * height(f);
  if (fabs(y) <= 1) return f->edge;
  return centre(f) + half(f) * copysign(cosh(acosh(fabs(y)) / (double)f->degree), y);
}

double filter_contrast(const filter_t *f, double value) {
  if (f->degree == 1) return 1;
  return fmax(filter_value(f, value) - 1 / height(f), 0) / (value - f->low);
}

double filter_rate(double low, double edge, double value) {
  return acosh(fmax(1, 1 + 2 * (value - edge) / (edge - low)));
}

/* y = a y - b x - c w */
static void three_terms(int threads, int64_t length, double a, double *y, double b, const double *x, double c,
                        const double *w) {
#pragma omp parallel for simd num_threads(length < 200000 ? 1 : threads) schedule(static)
  for (int64_t i = 0; i < length; i++) y[i] = a * y[i] - b * x[i] - c * w[i];
}

int filter_apply(run_t *run, const operator_t *op, const filter_t *f, double *block[3], int64_t count,
                 int64_t done, int64_t total) {
  bool plain = f->degree == 1;
  double first = plain ? 1 : half(f) / (f->top - centre(f)), scale = first;
  double *before = block[2], *now = block[0], *next = block[1];
  for (int64_t k = 0; k < f->degree; k++) {
    if (operator_stopped(run, op, done, total)) return run_status(run);
    int status = op->apply(run, op->context, now, next, count);
    if (status < 0) return status;
    if (!plain) {
      double following = k ? 1 / (2 / first - scale) : first, a = (k ? 2 : 1) * following / half(f);
      three_terms(run->threads, op->size * count, a, next, a * centre(f), now, k ? scale * following : 0,
                  k ? before : now);
      scale = following;
    }
    double *oldest = before;
    before = now;
    now = next;
    next = oldest;
  }
  block[0] = now;
  block[1] = next;
  block[2] = before;
  return LAVDM_OK;
}
