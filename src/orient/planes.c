#include "orient/planes.h"

#include "base/memory.h"
#include "base/sort.h"
#include "neighbours/neighbours.h"

#include <lapacke.h>
#include <math.h>
#include <omp.h>
#include <string.h>

enum {
  LEAST_NEAR = 8, /* neighbours at the smallest scale; the next has sqrt(2) times as many */
  MOST_NEAR = 256,
  WIDEST = 5,  /* no plane is that of more than this part of the points */
  SMOOTH = 16, /* neighbours that gaps are averaged over */
  GROWTH = 20  /* and that their growth is taken from */
};

/* Eigenvalues below this share of the first are taken to be as large: rounding, or next to nothing. */
static const double floor_share = 1e-3;

/* Scratch of one thread. */
typedef struct {
  double *h, *mean, *a, *values, *vectors, *work;
  int *integers, *support;
} local_t;

static void local_free(local_t *w) {
  mem_free(w->h);
  mem_free(w->mean);
  mem_free(w->a);
  mem_free(w->values);
  mem_free(w->vectors);
  mem_free(w->work);
  mem_free(w->integers);
  mem_free(w->support);
}

static bool local_new(local_t *w, int64_t p, int64_t reach) {
  w->h = NEW(double, reach), w->mean = NEW(double, p), w->a = NEW(double, p *p);
  w->values = NEW(double, p), w->vectors = NEW(double, p *p), w->work = NEW(double, 26 * p);
  w->integers = NEW(int, 10 * p), w->support = NEW(int, 2 * p);
  return w->h && w->mean && w->a && w->values && w->vectors && w->work && w->integers && w->support;
}

/* The covariance of the k nearest points of point i and it, weights 1 - r^2 / (r_k^2 (1 + 1/k)). */
static void covariance(const planes_t *planes, local_t *w, int64_t i, int64_t k) {
  int64_t p = planes->p, count = k + 1;
  const double *x = planes->points.x, *centre = x + i * p;
  const int64_t *near = planes->near + i * planes->reach;
  double sum = 0, reach = 0;
  for (int64_t j = 0; j < count; j++) {
    const double *y = x + near[j] * p;
    w->h[j] = 0;
    for (int64_t a = 0; a < p; a++) w->h[j] += (y[a] - centre[a]) * (y[a] - centre[a]);
    reach = fmax(reach, w->h[j]);
  }
  reach *= 1 + 1 / (double)k;
  memset(w->mean, 0, (size_t)p * sizeof *w->mean);
  memset(w->a, 0, (size_t)(p * p) * sizeof *w->a);
  for (int64_t j = 0; j < count; j++) {
    const double *y = x + near[j] * p;
    w->h[j] = reach > 0 ? 1 - w->h[j] / reach : 1;
    sum += w->h[j];
    for (int64_t a = 0; a < p; a++) w->mean[a] += w->h[j] * y[a];
  }
  for (int64_t a = 0; a < p; a++) w->mean[a] /= sum;
  for (int64_t j = 0; j < count; j++) {
    const double *y = x + near[j] * p;
    for (int64_t a = 0; a < p; a++) {
      double left = w->h[j] * (y[a] - w->mean[a]);
      for (int64_t b = 0; b <= a; b++) w->a[a * p + b] += left * (y[b] - w->mean[b]);
    }
  }
}

/* log(l_j / (l_{j+1} + floor)) of the eigenvalues, ascending in `values`; 0 where there are none. */
static double gap_of(const double *values, int found, int64_t j) {
  if (j < 1 || j >= found || !(values[found - 1] > 0)) return 0;
  double least = floor_share * values[found - 1];
  return log((fmax(values[found - j], 0) + 1e-12 * least) / (fmax(values[found - j - 1], 0) + least));
}

/* The plane of scale s at point i; an error of LAPACK leaves any frame, and no gap. */
static void plane_at(planes_t *planes, local_t *w, int64_t i, int s) {
  int64_t p = planes->p, d = planes->d, wanted = d + 2 < p ? d + 2 : p;
  lapack_int n = (lapack_int)p, found = 0, first = (lapack_int)(p - wanted + 1);
  covariance(planes, w, i, planes->k[s]);
  lapack_int bad = LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, 'V', 'I', 'U', n, w->a, n, 0, 0, first, n, 0, &found,
                                       w->values, w->vectors, n, w->support, w->work, (lapack_int)(26 * p),
                                       w->integers, (lapack_int)(10 * p));
  double *frame = planes->frame[s] + i * d * p;
  if (bad || found < wanted) {
    for (int64_t a = 0; a < d; a++) frame[a * p + a] = 1;
    return;
  }
  for (int64_t a = 0; a < d; a++)
    memcpy(frame + a * p, w->vectors + (found - 1 - a) * p, (size_t)p * sizeof *frame);
  planes->gap[s * planes->n + i] = gap_of(w->values, found, d);
  planes->beside[s * planes->n + i] = fmax(gap_of(w->values, found, d - 1), gap_of(w->values, found, d + 1));
}

/* Scales from LEAST_NEAR, and enough for d dimensions, to a part of the points. */
static void choose_scales(planes_t *planes, int64_t asked) {
  int64_t n = planes->n, least = 2 * planes->d + 3;
  int64_t most = n / WIDEST < MOST_NEAR ? n / WIDEST : MOST_NEAR;
  double k = LEAST_NEAR;
  for (; !asked && planes->scales < MOST_SCALES && (int64_t)k <= most; k *= M_SQRT2)
    if ((int64_t)k >= least) planes->k[planes->scales++] = (int64_t)k;
  if (planes->scales) return;
  if (!asked || asked > MOST_NEAR) asked = asked ? MOST_NEAR : least;
  planes->k[planes->scales++] = asked < n - 1 ? asked : n - 1;
}

static int make_room(run_t *run, planes_t *planes) {
  int64_t n = planes->n, last = planes->k[planes->scales - 1] + 1, joined = 4 * planes->d + 3;
  planes->reach = last > joined ? last : joined;
  if (planes->reach < GROWTH + 1) planes->reach = GROWTH + 1;
  if (planes->reach > n) planes->reach = n;
  planes->near = NEW(int64_t, n * planes->reach);
  planes->gap = NEW(double, planes->scales *n);
  planes->beside = NEW(double, planes->scales *n);
  planes->best = NEW(int, n);
  bool whole = planes->near && planes->gap && planes->beside && planes->best;
  for (int s = 0; s < planes->scales; s++) {
    planes->frame[s] = NEW(double, n * planes->d * planes->p);
    whole = whole && planes->frame[s];
  }
  return whole ? LAVDM_OK : fail_memory(run->error, "the planes");
}

static int find_planes(run_t *run, planes_t *planes) {
  local_t *w = NEW(local_t, run->threads);
  bool whole = w;
  for (int t = 0; whole && t < run->threads; t++) whole = local_new(w + t, planes->p, planes->reach);
  int status = whole ? LAVDM_OK : fail_memory(run->error, "the planes"), before = blas_threads(1);
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 16)
  for (int64_t i = 0; i < planes->n; i++) {
    if (status < 0 || run_stopped(run, i, planes->n)) continue;
    for (int s = 0; s < planes->scales; s++) plane_at(planes, w + omp_get_thread_num(), i, s);
  }
  blas_threads(before);
  for (int t = 0; w && t < run->threads; t++) local_free(w + t);
  mem_free(w);
  return status < 0 ? status : run_status(run);
}

/* The scale of the largest gap, on average over neighbours. */
static void choose_best(planes_t *planes) {
  int64_t count = planes->reach < SMOOTH ? planes->reach : SMOOTH;
  for (int64_t i = 0; i < planes->n; i++) {
    double most = -INFINITY;
    for (int s = 0; s < planes->scales; s++) {
      double sum = 0;
      for (int64_t j = 0; j < count; j++)
        sum += planes->gap[s * planes->n + planes->near[i * planes->reach + j]];
      if (sum > most) most = sum, planes->best[i] = s;
    }
  }
}

int planes_find(run_t *run, const lavdm_data *data, int64_t d, int64_t k, planes_t *out) {
  *out = (planes_t){.n = data->n, .p = data->p, .d = d};
  int status = REAL(tiles_build)(run, data, NULL, TILE_POINTS, &out->points);
  if (status < 0) return status;
  choose_scales(out, k);
  status = make_room(run, out);
  double *d2 = status < 0 ? NULL : NEW(double, out->n * out->reach);
  if (!status && !d2) status = fail_memory(run->error, "the neighbours");
  if (!status)
    status = REAL(nearest_all)(run, &out->points, out->points.x, out->n, out->reach, out->near, d2);
  mem_free(d2);
  if (!status) status = find_planes(run, out);
  if (!status) choose_best(out);
  return status;
}

void planes_free(planes_t *planes) {
  REAL(tiles_free)(&planes->points);
  mem_free(planes->near);
  mem_free(planes->gap);
  mem_free(planes->beside);
  mem_free(planes->best);
  for (int s = 0; s < planes->scales; s++) mem_free(planes->frame[s]);
  *planes = (planes_t){0};
}

const double *planes_frame(const planes_t *planes, int64_t i, int shift) {
  int s = planes->best[i] + shift;
  if (s < 0) s = 0;
  if (s >= planes->scales) s = planes->scales - 1;
  return planes->frame[s] + i * planes->d * planes->p;
}

double planes_gap(const planes_t *planes) {
  double sum = 0;
  for (int64_t i = 0; i < planes->n; i++) sum += planes->gap[planes->best[i] * planes->n + i];
  return sum / (double)planes->n;
}

double planes_margin(const planes_t *planes) {
  double sum = 0;
  for (int64_t i = 0; i < planes->n; i++) sum += planes->beside[planes->best[i] * planes->n + i];
  return planes_gap(planes) - sum / (double)planes->n;
}

int64_t planes_typical(const planes_t *planes) {
  int64_t below = 0, half = planes->n / 2;
  for (int s = 0; s < planes->scales; s++) {
    for (int64_t i = 0; i < planes->n; i++) below += planes->best[i] == s;
    if (below > half) return planes->k[s];
  }
  return planes->k[planes->scales - 1];
}

double planes_growth(const planes_t *planes) {
  int64_t last = planes->reach - 1 < GROWTH ? planes->reach - 1 : GROWTH, p = planes->p, count = 0;
  double sum = 0;
  for (int64_t i = 0; i < planes->n; i++) {
    const double *x = planes->points.x, *centre = x + i * p;
    double far = 0, d2;
    for (int64_t j = last; j > 0; j--) {
      const double *y = x + planes->near[i * planes->reach + j] * p;
      d2 = 0;
      for (int64_t a = 0; a < p; a++) d2 += (y[a] - centre[a]) * (y[a] - centre[a]);
      if (j == last) far = d2;
      if (j == last || !(d2 > 0)) continue; /* copies tell nothing */
      sum += log(far / d2) / 2;
      count++;
    }
  }
  return sum > 0 ? (double)count / sum : 0;
}
