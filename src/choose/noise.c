/*
 * pca and noise, from the spectrum of the covariance of a sample of points. If noise of
 * variance s^2 in each coordinate is all that there is beyond k principal components, the rest
 * of the eigenvalues lies below the edge of Marchenko and Pastur,
 *
 *     s^2 (1 + sqrt((p - k) / n))^2,
 *
 * and s^2 is their mean. The smallest k for which it does is taken; without noise, the rank.
 */
#include "base/memory.h"
#include "base/options.h"
#include "choose/choose.h"
#include "reduce/reduce.h"
#include "sparse/sparse.h"

#include <inttypes.h>
#include <math.h>

enum {
  FEWEST = 6,      /* coordinates from which a noise level can be told from few directions */
  LEAST_NOISE = 4, /* components that are noise, at least: two or three equal ones may be the shape's */
  ROWS = 4000,     /* looked at */
  FEW_ROWS = 500,
};

/* How far above the edge a component stands out of the noise: a margin for rows that are not independent and
 * noise that is not quite the same everywhere. */
static const double ABOVE = 1.3;

/* Noise of less than this share of the variance is rounding. */
static const double ROUNDING = 1e-10;

/* Rows whose covariance takes no longer than a few tenths of a second. */
static int64_t rows_looked_at(const lavdm_data *data) {
  double most = 4e9 / ((double)data->p * (double)data->p);
  int64_t rows = most > ROWS ? ROWS : most < FEW_ROWS ? FEW_ROWS : (int64_t)most;
  return rows < data->n ? rows : data->n;
}

/* The number of components that stand out of the noise, whose deviation is *noise; p if there is none to be
 * seen. */
static int64_t stand_out(const double *l, int64_t p, int64_t rows, double *noise) {
  double rest = 0, all = 0;
  for (int64_t k = 0; k < p; k++) all += l[k];
  rest = all;
  *noise = 0;
  for (int64_t k = 0; k <= p - LEAST_NOISE; rest -= l[k++]) {
    double mean = rest / (double)(p - k), root = 1 + sqrt((double)(p - k) / (double)rows);
    if (mean < ROUNDING * all / (double)p) return k; /* the points lie in a subspace */
    if (l[k] > ABOVE * mean * root * root) continue;
    if (k == 0) return p; /* nothing stands out: no telling what is noise */
    *noise = sqrt(mean);
    return k;
  }
  return p;
}

int choose_principal(run_t *run, const lavdm_data *data) {
  lavdm_options *o = &run->options;
  int64_t p = data->p, rows = rows_looked_at(data);
  if (o->pca != LAVDM_AUTO) return LAVDM_OK;
  o->pca = 0;
  if (has_turns(o) || data->edges || o->metric != LAVDM_METRIC_EUCLIDEAN || !data->points || p < FEWEST ||
      run->team || data->n < 2 * FEWEST)
    return LAVDM_OK;
  double *l = NEW(double, p), noise = 0;
  int status = l ? reduce_spectrum(run, data, rows, l) : fail_memory(run->error, "the covariance");
  int64_t k = status < 0 ? p : stand_out(l, p, rows, &noise);
  mem_free(l);
  if (status < 0 || k == p || k == 0) return status;
  if (o->dim > k) k = o->dim;
  o->pca = k;
  if (o->noise == LAVDM_AUTO && noise > 0) o->noise = noise;
  if (!(noise > 0)) {
    run_reason(run, "pca", "%" PRId64 ": the points lie in a space of so many dimensions", k);
    return LAVDM_OK;
  }
  run_reason(run, "pca",
             "%" PRId64 ": the other %" PRId64 " principal components are noise of deviation %.3g", k, p - k,
             noise);
  return LAVDM_OK;
}

int64_t usual_principal(const lavdm_sparse *s) {
  const int64_t usual = 50;
  int64_t most = s->rows < s->cols ? s->rows : s->cols;
  return most < usual ? most : usual;
}

int choose_sparse_principal(run_t *run, const lavdm_sparse *s) {
  enum { WIDE = 100000 }; /* columns of which a sample is not written out */
  lavdm_options *o = &run->options;
  if (o->pca != LAVDM_AUTO) return LAVDM_OK;
  lavdm_data sample = {.n = s->rows, .p = s->cols};
  int status = LAVDM_OK;
  o->pca = 0;
  if (s->cols <= WIDE) {
    sample.n = rows_looked_at(&sample);
    double *x = NEW(double, sample.n * s->cols);
    if (!x) return fail_memory(run->error, "a sample of the sparse points");
    sparse_sample(s, sample.n, x);
    sample.points = x;
    o->pca = LAVDM_AUTO;
    status = choose_principal(run, &sample);
    mem_free(x);
  }
  int64_t usual = usual_principal(s);
  if (status < 0 || (o->pca > 0 && o->pca <= s->rows)) return status;
  o->pca = o->dim > usual ? o->dim : usual;
  run_reason(run, "pca", "%" PRId64 ", the usual number for sparse points: no fewer stand out", o->pca);
  return LAVDM_OK;
}
