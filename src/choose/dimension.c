/*
 * The dimension d, the neighbours of a frame, and the noise, from local spectra: the
 * variances l_1 >= l_2 >= ... of the k nearest of a point along their principal axes,
 * averaged over a sample of points, at several k.
 *
 *   d           the largest sum over k of log (l_i + c l_1) / (l_{i+1} + c l_1), i = d. Along the
 *               manifold variances grow as the squared radius r^2, across it noise adds the same at
 *               every scale and curvature r^4: at most scales the gap is at d.
 *   frame_knn   the k with the largest l_d / l_{d+1} k / (k + 2 d^2): among fewer points noise turns the
 * planes, among more of them curvature. noise       what is left across the manifold, l_{d+1} .. l_p on
 * average, at r = 0: the part that grows as r^4 is taken away by comparing two scales. bend        what is
 * across the manifold by what is along it, less the noise: that of k points is about the squared ratio of
 * their radius and the radius of curvature, and more where they lie on several sheets.
 */
#include "base/memory.h"
#include "base/options.h"
#include "choose/choose.h"

#include <inttypes.h>
#include <math.h>

enum {
  MOST_DIM = 10, /* the largest d that is chosen without being asked */
  ROWS = 300,    /* points looked at */
  WIDE_ROWS = 40,
  WIDE = 64, /* coordinates from which fewer points are */
  SCALES = 11,
  WIDE_SCALES = 5, /* of these two */
  WIDE_GAPS = 3,
  GAP_PART = 10 /* d is taken from scales of no more than this part of the points */
};

/* Neighbours, a factor of sqrt(2) apart; those that d is taken from. */
static const int64_t scale_knn[SCALES] = {12, 17, 25, 35, 50, 70, 100, 140, 200, 280, 400};
static const int64_t wide_knn[] = {12, 17, 25, 50, 100}; /* where it takes long */
static const int64_t gap_knn[] = {25, 50, 100, 200, 400};

/* c: variances below this share of the largest are all the same to us. */
static const double FLOOR = 0.02;

/* A gap below this, on average over the scales, is none: in a cube and in a Gaussian cloud l_i / l_{i+1}
 * stays below it. */
static const double LEAST_GAP = 0.52;

/* A gap of this share of the largest puts d in doubt. */
static const double DOUBT = 0.7;

/* Variances below this share of the largest are none. */
static const double NOTHING = 1e-9;

typedef struct {
  int count;
  int64_t most;                   /* variances at each scale */
  int64_t knn[SCALES];            /* neighbours */
  double l[SCALES][MOST_DIM + 2]; /* means: the largest ones, and the sum of all */
} spectra_t;

/* l (width): the means of shares of the last entry of a row, times the mean of that: dense parts of the data,
 * where all variances are small, count as much as sparse ones. */
static void average(const double *values, int64_t rows, int64_t width, double *l) {
  double whole = 0;
  for (int64_t s = 0; s < rows; s++) {
    const double *row = values + s * width;
    whole += row[width - 1] / (double)rows;
    for (int64_t i = 0; i < width && row[width - 1] > 0; i++) l[i] += row[i] / row[width - 1] / (double)rows;
  }
  for (int64_t i = 0; i < width; i++) l[i] *= whole;
}

/* Neighbours are no longer near if they are more than one in `part`. */
static int look(engine_t *engine, const rows_t *rows, const int64_t *knn, int count, int64_t part,
                spectra_t *out) {
  int64_t n = rows->n, most = rows->p < MOST_DIM + 1 ? rows->p : MOST_DIM + 1;
  int64_t asked = rows->p < WIDE ? ROWS : WIDE_ROWS, sample = n < asked ? n : asked;
  double *values = NEW(double, sample *(most + 1));
  int status = values ? LAVDM_OK : fail_memory(engine->run->error, "the local spectra");
  *out = (spectra_t){.most = most};
  for (int s = 0; s < count && !status; s++) {
    if (s > 0 && knn[s] > n / part) break;
    double *l = out->l[out->count];
    out->knn[out->count] = knn[s] < n - 1 ? knn[s] : n - 1;
    status = engine->ops->spectra(engine, rows, sample, out->knn[out->count++], most, values);
    average(values, sample, most + 1, l);
  }
  mem_free(values);
  return status;
}

/* ---------------------------------------------------------------- dimension */

/* The mean over scales of log (l_i + c l_1) / (l_{i+1} + c l_1). */
static double gap(const spectra_t *spectra, int64_t i) {
  double sum = 0;
  for (int s = 0; s < spectra->count; s++) {
    const double *l = spectra->l[s];
    sum += log((l[i - 1] + FLOOR * l[0]) / (l[i] + FLOOR * l[0]));
  }
  return sum / spectra->count;
}

/* Axes along which points lie at all. */
static int64_t rank_of(const spectra_t *spectra) {
  const double *l = spectra->l[spectra->count - 1];
  int64_t rank = 1;
  while (rank < spectra->most && l[rank] > NOTHING * l[0]) rank++;
  return rank;
}

/* No gap before the last axis: the points fill all that they lie in. */
static void fills(run_t *run, int64_t rank, int64_t p, double most) {
  int64_t d = rank < MOST_DIM ? rank : MOST_DIM;
  run->options.dim = d;
  run_reason(run, "dim", "%" PRId64 ": local variances fall by no more than %.2g from one axis to the next",
             d, exp(most));
  if (has_frames(&run->options) && p > 1 && rank >= p)
    run_warn(run,
             "no dimension stands out: the points seem to fill all their %" PRId64
             " coordinates, and dim was set to %" PRId64 ": give dim to decide",
             p, d);
}

static void find_dimension(run_t *run, const spectra_t *spectra, int64_t p) {
  int64_t d = 1, second = 0, rank = rank_of(spectra);
  double most = 0, next = 0;
  for (int64_t i = 1; i < rank && i < spectra->most; i++) {
    double g = gap(spectra, i);
    if (g > most)
      second = d, next = most, d = i, most = g;
    else if (g > next)
      second = i, next = g;
  }
  if (most < LEAST_GAP) {
    fills(run, rank, p, most);
    return;
  }
  run->options.dim = d;
  run_reason(run, "dim", "%" PRId64 ": local variances fall by %.2g after axis %" PRId64, d, exp(most), d);
  if (next > DOUBT * most && has_frames(&run->options))
    run_warn(run,
             "the dimension is in doubt: local variances fall by %.2g after axis %" PRId64
             " and by %.2g after axis %" PRId64 "; dim was set to %" PRId64 ": give dim to decide",
             exp(most), d, exp(next), second, d);
}

int choose_dimension(engine_t *engine, const rows_t *rows) {
  run_t *run = engine->run;
  const lavdm_options *o = &run->options;
  bool beta = o->method == LAVDM_METHOD_LAVDM && o->beta == LAVDM_AUTO && o->design == LAVDM_DESIGN_KMEANS;
  bool number = has_landmarks(o) && o->landmarks == LAVDM_AUTO && o->design != LAVDM_DESIGN_GIVEN;
  bool wanted = has_frames(o) || beta || number || o->epsilon == LAVDM_AUTO || has_local(o);
  if (o->dim != LAVDM_AUTO || !wanted) return LAVDM_OK;
  if (!has_shape(o)) return choose_growth(engine, rows);
  spectra_t spectra;
  int count = rows->p < WIDE ? (int)(sizeof gap_knn / sizeof *gap_knn) : WIDE_GAPS;
  int status = look(engine, rows, gap_knn, count, GAP_PART, &spectra);
  if (!status) find_dimension(run, &spectra, rows->p);
  return status;
}

/* ------------------------------------------------------ neighbours of frames */

/* l_d / l_{d+1} at one scale, less where a frame of d (d + 1) / 2 numbers and more is asked of few points. */
static double quality(const spectra_t *spectra, int s, int64_t d) {
  const double *l = spectra->l[s];
  double across = d < spectra->most ? l[d] : 0, along = l[d - 1];
  double k = (double)spectra->knn[s], own = 2 * (double)(d * d);
  return k / (k + own) * along / fmax(across, 1e-12 * along);
}

/* The variance of a coordinate's noise, see above, from the best scale and a wider one: among fewer points
 * all directions are noise. 0 if there is none to be seen. */
static double noise_across(const spectra_t *spectra, int best, int64_t d, int64_t p) {
  double r4[2], across[2];
  int first = best + 2 < spectra->count ? best : spectra->count - 3;
  if (d >= p || spectra->count < 3) return 0;
  for (int s = 0; s < 2; s++) {
    const double *l = spectra->l[first + 2 * s];
    double along = 0;
    for (int64_t i = 0; i < d; i++) along += l[i];
    across[s] = (l[spectra->most] - along) / (double)(p - d);
    r4[s] = (along - (double)d * across[s]) * (along - (double)d * across[s]);
  }
  double least = (across[0] * r4[1] - across[1] * r4[0]) / (r4[1] - r4[0]);
  return r4[1] > r4[0] && least > 0 ? least : 0;
}

int choose_frame_neighbours(engine_t *engine, const rows_t *rows) {
  run_t *run = engine->run;
  lavdm_options *o = &run->options;
  bool wanted = has_frames(o) && o->frame_knn == LAVDM_AUTO, wide = rows->p >= WIDE;
  if (o->dim == LAVDM_AUTO || o->metric != LAVDM_METRIC_EUCLIDEAN ||
      (!wanted && (wide || o->noise != LAVDM_AUTO || o->epsilon != LAVDM_AUTO)))
    return LAVDM_OK;
  spectra_t spectra;
  int64_t d = o->dim < MOST_DIM ? o->dim : MOST_DIM, n = rows->n;
  int best = 0;
  int status = look(engine, rows, wide ? wide_knn : scale_knn, wide ? WIDE_SCALES : SCALES, 4, &spectra);
  if (status < 0) return status;
  for (int s = 1; s < spectra.count; s++)
    if (spectra.knn[best] < 2 * d + 2 || quality(&spectra, s, d) > quality(&spectra, best, d)) best = s;
  if (o->noise == LAVDM_AUTO) o->noise = sqrt(noise_across(&spectra, best, d, rows->p));
  if (!wanted) return LAVDM_OK;
  o->frame_knn = spectra.knn[best];
  if (o->frame_knn < 2 * d + 2) o->frame_knn = 2 * d + 2 < n - 1 ? 2 * d + 2 : n - 1;
  double along = spectra.l[best][d - 1], across = d < spectra.most ? spectra.l[best][d] : 0;
  if (across > 1e-12 * along)
    run_reason(run, "frame_knn",
               "%" PRId64 ": along the tangent planes their variance is %.3g times that across", o->frame_knn,
               along / across);
  else
    run_reason(run, "frame_knn", "%" PRId64 ": none of their variance is across the tangent planes",
               o->frame_knn);
  return LAVDM_OK;
}

/* ------------------------------------------------------------------- bend */

/* Between the bends of shapes whose eigenvalues were within 10% and of those where they were not, of 500 to
 * 3000 points: .105 and more at d = 2, .15 and less at d = 3 and 4, where few points leave no other choice.
 */
double most_bend(int64_t d) {
  return 0.04 * (double)(d > 2 ? d : 2);
}

int choose_bend(engine_t *engine, const rows_t *rows, int64_t k, double *bend) {
  const lavdm_options *o = &engine->run->options;
  int64_t d = o->dim < MOST_DIM ? o->dim : MOST_DIM;
  spectra_t spectra;
  *bend = 0;
  if (d >= rows->p || !has_shape(o)) return LAVDM_OK;
  const int64_t alone[1] = {k};
  int status = look(engine, rows, alone, 1, 1, &spectra);
  if (status < 0) return status;
  double edge = 1 + sqrt((double)(rows->p - d) / (double)spectra.knn[0]); /* of the spectrum of noise */
  double noise = o->noise > 0 ? o->noise * o->noise * edge * edge : 0, along = spectra.l[0][d - 1],
         across = spectra.l[0][d];
  if (across > noise) *bend = (across - noise) / fmax(along - noise, 1e-3 * along);
  return LAVDM_OK;
}
