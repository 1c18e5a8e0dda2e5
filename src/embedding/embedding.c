/*
 * Coordinates from eigenpairs. With a_l = max(lambda_l, 0)^t:
 *     embedding     a_l a_s <u_l[i], u_s[i]>, l <= s, times sqrt(2) if l < s
 *     coordinates   a_l u_l[i]                                       (q = 1)
 *     ambient       B_i u_l[i]
 */
#include "base/memory.h"
#include "base/status.h"
#include "model/model.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>

/* a_l for l < rank; NULL if out of memory. */
static double *damping(const lavdm_model *model, double t, int64_t rank) {
  double *a = NEW(double, rank);
  for (int64_t l = 0; a && l < rank; l++) a[l] = pow(fmax(model->info.eigenvalues[l], 0), t);
  return a;
}

static int check(const lavdm_model *model, double t, int64_t rank, lavdm_error *error) {
  int64_t r = model->info.chosen.components;
  if (rank < 1 || rank > r)
    return fail(error, LAVDM_ERROR_ARGUMENT, "rank is %" PRId64 ": it must be from 1 to %" PRId64, rank, r);
  if (!(t >= 0 && t < INFINITY))
    return fail(error, LAVDM_ERROR_ARGUMENT, "time is %g: it must be 0 or more", t);
  return LAVDM_OK;
}

int64_t lavdm_embedding_rank(const lavdm_model *model, double t, double delta) {
  const double *lambda = model->info.eigenvalues;
  int64_t r = model->info.chosen.components, rank = 0;
  while (rank < r && lambda[0] > 0 && pow(fmax(lambda[rank], 0) / lambda[0], 2 * t) > delta) rank++;
  if (delta <= 0) return r;
  return rank ? rank : 1;
}

int lavdm_embedding(const lavdm_model *model, double t, int64_t rank, double *out, lavdm_error *error) {
  int status = check(model, t, rank, error);
  if (status < 0) return status;
  const lavdm_array *u = model_need(model, "eigenvectors", error);
  if (!u) return LAVDM_ERROR_ARGUMENT;
  double *a = damping(model, t, rank);
  if (!a) return fail_memory(error, "the embedding");
  int64_t n = model->info.n, q = model->info.q, r = model->info.chosen.components,
          width = rank * (rank + 1) / 2;
  int threads = (int)model->info.chosen.threads;
  double *space = NEW(double, threads *q *r);
  if (!space) {
    mem_free(a);
    return fail_memory(error, "the embedding");
  }
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t i = 0; i < n; i++) {
    const double *ui = model_row(u, i, q * r, space + omp_get_thread_num() * q * r);
    double *to = out + i * width;
    for (int64_t l = 0; l < rank; l++)
      for (int64_t s = l; s < rank; s++) {
        double dot = 0;
        for (int64_t c = 0; c < q; c++) dot += ui[c * r + l] * ui[c * r + s];
        *to++ = a[l] * a[s] * dot * (l < s ? M_SQRT2 : 1);
      }
  }
  mem_free(a);
  mem_free(space);
  return LAVDM_OK;
}

int lavdm_coordinates(const lavdm_model *model, double t, int64_t rank, double *out, lavdm_error *error) {
  int status = check(model, t, rank, error);
  if (status < 0) return status;
  if (model->info.q != 1)
    return fail(error, LAVDM_ERROR_ARGUMENT,
                "coordinates need a fibre of dimension 1; this model has %" PRId64, model->info.q);
  const lavdm_array *u = model_need(model, "eigenvectors", error);
  if (!u) return LAVDM_ERROR_ARGUMENT;
  double *a = damping(model, t, rank);
  if (!a) return fail_memory(error, "the coordinates");
  int64_t r = model->info.chosen.components;
  double *space = NEW(double, r);
  if (!space) {
    mem_free(a);
    return fail_memory(error, "the coordinates");
  }
  for (int64_t i = 0; i < model->info.n; i++) {
    const double *row = model_row(u, i, r, space);
    for (int64_t l = 0; l < rank; l++) out[i * rank + l] = a[l] * row[l];
  }
  mem_free(a);
  mem_free(space);
  return LAVDM_OK;
}

double lavdm_distance(const lavdm_model *model, int64_t i, int64_t j, double t, int64_t rank) {
  int64_t n = model->info.n, q = model->info.q, r = model->info.chosen.components;
  if (i < 0 || j < 0 || i >= n || j >= n || check(model, t, rank, NULL) < 0) return NAN;
  const lavdm_array *u = lavdm_get(model, "eigenvectors");
  double *space = u ? NEW(double, 2 * q * r) : NULL, sum = 0;
  if (!space) return NAN;
  const double *x = model_row(u, i, q * r, space), *y = model_row(u, j, q * r, space + q * r);
  for (int64_t l = 0; l < rank; l++) {
    double al = pow(fmax(model->info.eigenvalues[l], 0), t);
    for (int64_t s = l; s < rank; s++) {
      double as = pow(fmax(model->info.eigenvalues[s], 0), t), dot_x = 0, dot_y = 0;
      for (int64_t c = 0; c < q; c++) { /* rounded alike, so that the distance of i and i is 0 */
        dot_x += x[c * r + l] * x[c * r + s];
        dot_y += y[c * r + l] * y[c * r + s];
      }
      double difference = dot_x - dot_y;
      sum += (l < s ? 2 : 1) * al * al * as * as * difference * difference;
    }
  }
  mem_free(space);
  return sqrt(sum);
}

int lavdm_ambient(const lavdm_model *model, double *out, lavdm_error *error) {
  if (model->info.chosen.bundle != LAVDM_BUNDLE_TANGENT)
    return fail(error, LAVDM_ERROR_ARGUMENT, "ambient vectors exist for the tangent bundle only");
  const lavdm_array *u = model_need(model, "eigenvectors", error), *b = model_need(model, "frames", error);
  if (!u || !b) return LAVDM_ERROR_ARGUMENT;
  int64_t n = model->info.n, p = model->info.p, q = model->info.q, r = model->info.chosen.components;
  int threads = (int)model->info.chosen.threads;
  double *space = NEW(double, threads *(q * r + p * q));
  if (!space) return fail_memory(error, "the ambient vectors");
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t i = 0; i < n; i++) {
    double *own = space + omp_get_thread_num() * (q * r + p * q);
    const double *ui = model_row(u, i, q * r, own), *bi = model_row(b, i, p * q, own + q * r);
    for (int64_t j = 0; j < p; j++)
      for (int64_t l = 0; l < r; l++) {
        double sum = 0;
        for (int64_t a = 0; a < q; a++) sum += bi[j * q + a] * ui[a * r + l];
        out[(i * p + j) * r + l] = sum;
      }
  }
  mem_free(space);
  return LAVDM_OK;
}
