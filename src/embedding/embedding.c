/*
 * Coordinates of all points from eigenpairs: the embedding (view.h), with q = 1
 * the classical coordinates y_l[i], and the fields in space, B_i u_l[i].
 */
#include "base/memory.h"
#include "base/threads.h"
#include "embedding/view.h"

#include <math.h>
#include <omp.h>

int64_t lavdm_embedding_rank(const lavdm_model *model, double t, double delta) {
  const double *lambda = model->info.eigenvalues;
  int64_t r = model->chosen.components, rank = 0;
  while (rank < r && lambda[0] > 0 && pow(fmax(lambda[rank], 0) / lambda[0], 2 * t) > delta) rank++;
  if (delta <= 0) return r;
  return rank ? rank : 1;
}

/* out (n, width): all rows. */
static int all_rows(const lavdm_model *model, double t, int64_t rank, bool coordinates, double *out,
                    lavdm_error *error) {
  view_t view;
  int status = view_new(model, t, rank, coordinates, &view, error);
  if (status < 0) return status;
  int64_t size = view.q * view.r;
  double *space = NEW(double, view.threads *size);
  if (space) {
#pragma omp parallel for num_threads(view.threads) schedule(static)
    for (int64_t i = 0; i < view.n; i++)
      view_row(&view, i, space + omp_get_thread_num() * size, out + i * view.width);
  }
  view_free(&view);
  if (!space) return fail_memory(error, coordinates ? "the coordinates" : "the embedding");
  mem_free(space);
  return LAVDM_OK;
}

int lavdm_embedding(const lavdm_model *model, double t, int64_t rank, double *out, lavdm_error *error) {
  return all_rows(model, t, rank, false, out, error);
}

int lavdm_coordinates(const lavdm_model *model, double t, int64_t rank, double *out, lavdm_error *error) {
  return all_rows(model, t, rank, true, out, error);
}

int lavdm_ambient(const lavdm_model *model, double *out, lavdm_error *error) {
  if (model->chosen.bundle != LAVDM_BUNDLE_TANGENT)
    return fail(error, LAVDM_ERROR_ARGUMENT, "ambient vectors exist for the tangent bundle only");
  const lavdm_array *u = model_need(model, "eigenvectors", error), *b = model_need(model, "frames", error);
  if (!u || !b) return LAVDM_ERROR_ARGUMENT;
  int64_t n = model->info.n, p = model->info.p, q = model->info.q, r = model->chosen.components;
  int threads = threads_startable(model->chosen.threads);
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
