/*
 * Tangent frames by local PCA, about the mean c_i of the neighbours with the weights h:
 *
 *     C_i = sum_j h(|x_j - x_i|) (x_j - c_i)(x_j - c_i)' / sum_j h(|x_j - x_i|),
 *     h(r) = 1 - r^2 / (r_K^2 (1 + 1/K))   over the K = k + 1 nearest, r_K the distance to the K-th;
 *     h(r) = 1 - r^2 / radius^2            over all within a radius.
 *
 * K counts the point itself. The columns of the frame B_i (p x d) are the eigenvectors of
 * C_i (p x p) with the d largest eigenvalues.
 */
#include "engine/reference/reference.h"

/* Eigenvalues below this share of their sum are none: the neighbours span fewer dimensions. */
static const double NOTHING = 1e-10;

/* What is left, squared, of equal numbers that are taken from each other. */
static const double ROUNDING = 1e-24;

/* What one place takes: its neighbours, C and the eigenvalues of C. */
typedef struct {
  const reference_rows *around;
  int64_t k; /* the point itself not counted; or all within ... */
  double radius;
  reference_near *near;
  double *c, *values, *mean;
} place_t;

static int place_new(run_t *run, const reference_rows *around, int64_t k, double radius, place_t *out) {
  int64_t n = around->base.n, p = around->base.p;
  *out =
      (place_t){around, k, radius, NEW(reference_near, n), NEW(double, p *p), NEW(double, p), NEW(double, p)};
  return out->near && out->c && out->values && out->mean ? LAVDM_OK : fail_memory(run->error, "the frames");
}

static void place_free(place_t *place) {
  mem_free(place->near);
  mem_free(place->c);
  mem_free(place->values);
  mem_free(place->mean);
}

/* C of row i, and its eigenvalues (ascending) and eigenvectors (rows of C then). */
static int local_pca(run_t *run, const reference_rows *rows, int64_t i, place_t *place) {
  const reference_rows *around = place->around;
  int64_t n = around->base.n, p = around->base.p, count = place->k + 1 < n ? place->k + 1 : n;
  reference_rows plain = *rows; /* planes are those of coordinates */
  plain.metric = (metric_t){0};
  reference_order(&plain, i, around, place->near);
  double reach = place->near[count - 1].d2 * (1 + 1 / (double)count);
  if (place->radius > 0) {
    reach = place->radius * place->radius;
    for (count = 0; count < n && place->near[count].d2 <= reach;) count++;
  }
  for (int64_t e = 0; e < p * p; e++) place->c[e] = 0;
  double sum = 0;
  for (int64_t a = 0; a < p; a++) place->mean[a] = 0;
  for (int64_t j = 0; j < count; j++) {
    const double *y = around->x + place->near[j].index * p;
    double h = reach > 0 ? 1 - place->near[j].d2 / reach : 1;
    for (int64_t a = 0; a < p; a++) place->mean[a] += h * y[a];
    sum += h;
  }
  if (!(sum > 0)) sum = 1; /* all at the rim of the radius */
  for (int64_t a = 0; a < p; a++) place->mean[a] /= sum;
  for (int64_t j = 0; j < count; j++) {
    const double *c = place->mean, *y = around->x + place->near[j].index * p;
    double h = reach > 0 ? 1 - place->near[j].d2 / reach : 1;
    for (int64_t a = 0; a < p; a++)
      for (int64_t b = 0; b < p; b++) place->c[a * p + b] += h / sum * (y[a] - c[a]) * (y[b] - c[b]);
  }
  double about = 0, left = 0;
  for (int64_t a = 0; a < p; a++) {
    double off = place->mean[a] - rows->x[i * p + a];
    left += place->c[a * p + a], about += off * off;
  }
  for (int64_t e = 0; e < p * p && left < ROUNDING * about; e++) place->c[e] = 0; /* all in one place */
  return reference_eigen(run, p, place->c, place->values);
}

int reference_frames(engine_t *engine, rows_t *given, const rows_t *around, int64_t d, int64_t knn,
                     double radius, int64_t *degenerate) {
  run_t *run = engine->run;
  reference_rows *rows = (reference_rows *)given;
  int64_t n = given->n, p = given->p;
  place_t place;
  int status = place_new(run, (const reference_rows *)around, knn, radius, &place);
  mem_free(rows->frames);
  rows->d = d;
  rows->frames = NEW(double, n *p *d);
  if (!status && !rows->frames) status = fail_memory(run->error, "the frames");
  *degenerate = 0;
  for (int64_t i = 0; i < n && !status && !run_stopped(run, i, n); i++) {
    status = local_pca(run, rows, i, &place);
    double sum = 0;
    for (int64_t a = 0; a < p; a++) sum += place.values[a];
    *degenerate += !(place.values[p - d] > NOTHING * sum);
    for (int64_t j = 0; j < p; j++)
      for (int64_t a = 0; a < d; a++) rows->frames[(i * p + j) * d + a] = place.c[(p - 1 - a) * p + j];
  }
  place_free(&place);
  return status < 0 ? status : run_status(run);
}

int reference_spectra(engine_t *engine, const rows_t *given, int64_t count, int64_t k, int64_t most,
                      double *values) {
  run_t *run = engine->run;
  const reference_rows *rows = (const reference_rows *)given;
  int64_t n = given->n, p = given->p;
  place_t place;
  int status = place_new(run, rows, k, 0, &place);
  for (int64_t s = 0; s < count && !status && !run_stopped(run, s, count); s++) {
    double *out = values + s * (most + 1);
    status = local_pca(run, rows, (int64_t)((double)s * (double)n / (double)count), &place);
    out[most] = 0;
    for (int64_t a = 0; a < p || a < most; a++) {
      double value = a < p ? fmax(place.values[p - 1 - a], 0) : 0;
      if (a < most) out[a] = value;
      out[most] += value;
    }
  }
  place_free(&place);
  return status < 0 ? status : run_status(run);
}
