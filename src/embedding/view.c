#include "embedding/view.h"

#include "base/memory.h"
#include "base/threads.h"
#include "frames/polar.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static int check(const lavdm_model *model, double t, int64_t rank, bool coordinates, lavdm_error *error) {
  int64_t r = model->chosen.components;
  if (rank < 1 || rank > r)
    return fail(error, LAVDM_ERROR_ARGUMENT, "rank is %" PRId64 ": it must be from 1 to %" PRId64, rank, r);
  if (!(t >= 0 && t < INFINITY))
    return fail(error, LAVDM_ERROR_ARGUMENT, "time is %g: it must be 0 or more", t);
  if (!model_need(model, "eigenvectors", error)) return LAVDM_ERROR_ARGUMENT;
  if (coordinates && model->info.q != 1)
    return fail(error, LAVDM_ERROR_ARGUMENT,
                "coordinates need a fibre of dimension 1; this model has %" PRId64, model->info.q);
  return LAVDM_OK;
}

int view_new(const lavdm_model *model, double t, int64_t rank, bool coordinates, view_t *out,
             lavdm_error *error) {
  *out = (view_t){0};
  int status = check(model, t, rank, coordinates, error);
  int threads = status < 0 ? status : threads_find(model->chosen.threads, error);
  if (threads < 0) return threads;
  *out = (view_t){.u = lavdm_get(model, "eigenvectors"),
                  .n = model->info.n,
                  .q = model->info.q,
                  .r = model->chosen.components,
                  .rank = rank,
                  .width = coordinates ? rank : rank * (rank + 1) / 2,
                  .coordinates = coordinates,
                  .threads = threads,
                  .damping = NEW(double, rank)};
  for (int64_t l = 0; l < rank && out->damping; l++)
    out->damping[l] = pow(fmax(model->info.eigenvalues[l], 0), t);
  return out->damping ? LAVDM_OK : fail_memory(error, "the embedding");
}

void view_free(view_t *view) {
  mem_free(view->damping);
  *view = (view_t){0};
}

void view_fields(const view_t *view, int64_t i, double *y) {
  int64_t rank = view->rank, r = view->r;
  const double *u = model_row(view->u, i, view->q * r, y); /* y itself in single precision */
  for (int64_t c = 0; c < view->q; c++)
    for (int64_t l = 0; l < rank; l++) y[c * rank + l] = view->damping[l] * u[c * r + l];
}

void view_row(const view_t *view, int64_t i, double *space, double *out) {
  int64_t rank = view->rank;
  view_fields(view, i, space);
  if (view->coordinates) memcpy(out, space, (size_t)rank * sizeof *out);
  for (int64_t l = 0; l < rank && !view->coordinates; l++) {
    int64_t size = rank - l;
    for (int64_t s = 0; s < size; s++) out[s] = 0;
    for (int64_t c = 0; c < view->q; c++) {
      const double *restrict y = space + c * rank + l;
      double own = M_SQRT2 * y[0];
      for (int64_t s = 0; s < size; s++) out[s] += own * y[s];
    }
    double square = 0;
    for (int64_t c = 0; c < view->q; c++) square += space[c * rank + l] * space[c * rank + l];
    out[0] = square;
    out += size;
  }
}

double view_distance2(const view_t *view, const double *a, const double *b) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t j = 0; j < view->width; j++) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

void view_align(const view_t *view, int64_t i, int64_t j, double *space, double *o) {
  int64_t q = view->q, rank = view->rank;
  double *x = space, *y = x + q * view->r, *s = y + q * view->r, size = 0;
  view_fields(view, i, x);
  view_fields(view, j, y);
  for (int64_t c = 0; c < q; c++)
    for (int64_t d = 0; d < q; d++) {
      double sum = 0;
      for (int64_t l = 0; l < rank; l++) sum += x[c * rank + l] * y[d * rank + l];
      s[c * q + d] = sum;
      size += fabs(sum);
    }
  REAL(polar_factor)(q, s, o, s + q * q);
  for (int64_t e = 0; e < q * q && isnan(size); e++) o[e] = NAN;
}
