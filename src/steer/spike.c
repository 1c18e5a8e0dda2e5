/*
 * Which components stand out of the noise (spiked covariance model). In a band with
 * noise covariance sigma^2 W, W = L L', the second moments of L^-1 a have eigenvalues
 * y sigma^2 of which noise alone makes none beyond (1 + sqrt g)^2, g = s/N, s coefficients
 * and N real samples (n in band 0, 2n elsewhere). One beyond is of a component of variance
 * l sigma^2 with
 *     l = ((y + 1 - g) + sqrt((y + 1 - g)^2 - 4 y))/2,
 * whose direction is found up to c^2 = (1 - g/(l-1)^2)/(1 + g/(l-1)), and the best multiple of
 * it is h = (l-1) c^2/((l-1) c^2 + 1). The denoised coefficients are L U h U' L^-1 a;
 * with L U = Q T, their coordinates T h U' L^-1 a have the same norm.
 *
 * The noise is estimated where s < N/4: the median eigenvalue of a band over that of the
 * Marchenko-Pastur law; of these, the one with a quarter of the coefficients
 * below it, since images can only add to it. If such bands have less than half of all
 * coefficients, it is taken as 0.
 */
#include "steer/steer.h"

#include "base/memory.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A band in whitened coordinates. */
typedef struct {
  int64_t size;
  double samples;
  double *factor; /* size x size: L, lower */
  double *vector; /* size x size: eigenvectors in columns, ascending */
  double *value;  /* size */
} spectrum_t;

/* A component: how much variance an object has along it, in the order that `keep` counts in. */
typedef struct {
  double variance;
  int64_t k, i;
} ranked_t;

static void spectrum_free(spectrum_t *band) {
  mem_free(band->factor);
  mem_free(band->vector);
  mem_free(band->value);
  band->factor = band->vector = band->value = NULL;
}

static bool decompose(spectrum_t *band, const double *moment, const double *white) {
  int n = (int)band->size;
  spectrum_free(band);
  band->factor = NEW(double, band->size * band->size);
  band->vector = NEW(double, band->size * band->size);
  band->value = NEW(double, band->size);
  double *work = NEW(double, 64 * band->size);
  bool made = band->factor && band->vector && band->value && work;
  if (made && n) {
    memcpy(band->vector, moment, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n * n; i++) band->factor[i] = white ? white[i] : i % (n + 1) == 0;
    made = !LAPACKE_dpotrf_work(LAPACK_ROW_MAJOR, 'L', n, band->factor, n);
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, n, 1, band->factor, n,
                band->vector, n);
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, n, 1, band->factor, n,
                band->vector, n);
    /* in column order, so that LAPACK needs no copy: vectors are rows */
    made = made &&
           !LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', n, band->vector, n, band->value, work, 64 * n);
  }
  mem_free(work);
  return made;
}

/* The median of the Marchenko-Pastur law of ratio g < 1 and variance 1. */
static double law_median(double g) {
  enum { STEPS = 2000 };
  double low = (1 - sqrt(g)) * (1 - sqrt(g)), high = (1 + sqrt(g)) * (1 + sqrt(g)), sum[STEPS], all = 0;
  for (int i = 0; i < STEPS; i++) { /* x = middle + radius cos u takes the ends of the density away */
    double u = M_PI * (i + 0.5) / STEPS, x = 0.5 * (low + high) - 0.5 * (high - low) * cos(u);
    all += sin(u) * sin(u) / x;
    sum[i] = all;
  }
  int i = 0;
  while (sum[i] < all / 2) i++;
  return 0.5 * (low + high) - 0.5 * (high - low) * cos(M_PI * (i + 0.5) / STEPS);
}

typedef struct {
  double variance, weight;
} vote_t;

static int by_variance(const void *a, const void *b) {
  const vote_t *x = a, *y = b;
  return x->variance < y->variance ? -1 : x->variance > y->variance;
}

/* sigma^2, or 0. */
static double estimate(const spectrum_t *band, int64_t bands, vote_t *vote) {
  double weight = 0, all = 0, below = 0;
  int64_t votes = 0;
  for (int64_t k = 0; k < bands; k++) {
    int64_t s = band[k].size;
    all += (double)s;
    if (!s || 4 * (double)s > band[k].samples) continue;
    double median = 0.5 * (band[k].value[(s - 1) / 2] + band[k].value[s / 2]);
    vote[votes++] = (vote_t){median / law_median((double)s / band[k].samples), (double)s};
    weight += (double)s;
  }
  if (!votes || weight < 0.5 * all) return 0;
  qsort(vote, (size_t)votes, sizeof *vote, by_variance);
  for (int64_t i = 0; i < votes; i++) {
    below += vote[i].weight;
    if (below >= 0.25 * weight) return fmax(vote[i].variance, 0);
  }
  return 0;
}

/* The factor h of an eigenvalue; 0 if noise alone may have made it. */
static double shrink(double value, double variance, double g) {
  if (!(variance > 0)) return value > 0;
  double y = value / variance, edge = (1 + sqrt(g)) * (1 + sqrt(g));
  if (y <= edge) return 0;
  double b = y + 1 - g, l = 0.5 * (b + sqrt(fmax(b * b - 4 * y, 0))), c2 = 1 - g / ((l - 1) * (l - 1));
  c2 = fmax(c2, 0) / (1 + g / (l - 1));
  return (l - 1) * c2 / ((l - 1) * c2 + 1);
}

/* Rows of the band's matrix: the components i >= from, largest first. False: no memory. */
static bool band_matrix(const spectrum_t *band, int64_t count, double variance, double **out) {
  int s = (int)band->size, r = (int)count;
  double *spread = NEW(double, band->size *count), *tau = NEW(double, count + 1),
         *work = NEW(double, 64 * (count + 1));
  double *matrix = *out = NEW(double, count * band->size);
  bool made = spread && tau && work && matrix;
  if (made && r) {
    for (int i = 0; i < r; i++) { /* column i of L U: row i of `spread` */
      const double *u = band->vector + (s - 1 - i) * s;
      memcpy(spread + i * s, u, (size_t)s * sizeof(double));
      cblas_dtrmv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, s, band->factor, s, spread + i * s,
                  1);
      double h = shrink(band->value[s - 1 - i], variance, s / band->samples);
      for (int c = 0; c < s; c++) matrix[i * s + c] = h * u[c];
      cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, s, band->factor, s, matrix + i * s, 1);
    }
    made = !LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, s, r, spread, s, tau, work, 64 * r);
    /* T is upper, T[a][b] at spread[b s + a] */
    cblas_dtrmm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, r, s, 1, spread, s, matrix,
                s);
  }
  mem_free(spread);
  mem_free(tau);
  mem_free(work);
  return made;
}

static int by_rank(const void *a, const void *b) {
  const ranked_t *x = a, *y = b;
  if (x->variance != y->variance) return x->variance > y->variance ? -1 : 1;
  return x->k < y->k ? -1 : x->k > y->k ? 1 : x->i < y->i ? -1 : x->i > y->i;
}

/* count[k] = components of band k that are kept. False: no memory. */
static bool count_kept(const spectrum_t *band, int64_t bands, int64_t size, double variance, int64_t keep,
                       int64_t *count) {
  ranked_t *list = NEW(ranked_t, size);
  int64_t found = 0;
  if (!list) return false;
  for (int64_t k = 0; k < bands; k++)
    for (int64_t i = 0; i < band[k].size; i++) {
      double value = band[k].value[i], g = (double)band[k].size / band[k].samples;
      if (shrink(value, variance, g) > 0) list[found++] = (ranked_t){(k ? 2 : 1) * value, k, i};
    }
  qsort(list, (size_t)found, sizeof *list, by_rank);
  for (int64_t i = 0; i < found && (!keep || i < keep); i++) count[list[i].k]++;
  if (!found) count[0] = 1;
  mem_free(list);
  return true;
}

static bool identities(steer_pca *pca) {
  bool made = true;
  for (int64_t k = 0; k < pca->from.bands && made; k++) {
    int64_t s = pca->from.first[k + 1] - pca->from.first[k];
    made = (pca->matrix[k] = NEW(double, s *s));
    for (int64_t i = 0; made && i < s; i++) pca->matrix[k][i * s + i] = 1;
    pca->to.first[k + 1] = pca->from.first[k + 1];
  }
  pca->to.size = pca->from.size;
  return made;
}

static bool matrices(steer_pca *pca, const spectrum_t *band, const int64_t *count, double variance) {
  bool made = true;
  int64_t bands = pca->from.bands;
  for (int64_t k = 0; k < bands && made; k++) {
    made = band_matrix(&band[k], count[k], variance, &pca->matrix[k]);
    pca->to.first[k + 1] = pca->to.first[k] + count[k];
  }
  pca->to.size = pca->to.first[bands];
  while (pca->to.bands > 1 && !count[pca->to.bands - 1]) pca->to.bands--;
  return made;
}

static bool decompose_all(const steer_pca *pca, spectrum_t *band, double **moment, const double *const *white,
                          int64_t n) {
  bool made = true;
  for (int64_t k = 0; k < pca->from.bands && made; k++) {
    band[k].size = pca->from.first[k + 1] - pca->from.first[k];
    band[k].samples = (k ? 2 : 1) * (double)n;
    made = decompose(&band[k], moment[k], white ? white[k] : NULL);
  }
  return made;
}

bool pca_choose(steer_pca *pca, double **moment, const double *const *white, int64_t n, double noise,
                int64_t keep) {
  int64_t bands = pca->from.bands;
  spectrum_t *band = NEW(spectrum_t, bands);
  vote_t *vote = NEW(vote_t, bands);
  int64_t *count = NEW(int64_t, bands);
  bool made = band && vote && count && decompose_all(pca, band, moment, white, n);
  if (made) {
    double variance = noise < 0 ? estimate(band, bands, vote) : noise * noise;
    pca->noise = sqrt(variance);
    if (!(variance > 0)) made = decompose_all(pca, band, moment, NULL, n); /* nothing to whiten */
    if (made && (variance > 0 || keep))
      made = count_kept(band, bands, pca->from.size, variance, keep, count) &&
             matrices(pca, band, count, variance);
    else if (made)
      made = identities(pca);
  }
  for (int64_t k = 0; band && k < bands; k++) spectrum_free(&band[k]);
  mem_free(band);
  mem_free(vote);
  mem_free(count);
  return made;
}
