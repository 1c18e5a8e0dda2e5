/*
 * Distances and alignments of pairs of points, many at once or one.
 * Pairs next to each other that begin with the same point embed it once.
 */
#include "base/memory.h"
#include "embedding/view.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>

/* Space of one thread. */
static int64_t space_size(const view_t *view) {
  return 2 * view->width + VIEW_ALIGN(view);
}

static int check(const view_t *view, const int64_t *i, const int64_t *j, int64_t count, lavdm_error *error) {
  for (int64_t e = 0; e < count; e++) {
    int64_t bad = i[e] < 0 || i[e] >= view->n ? i[e] : j[e];
    if (bad < 0 || bad >= view->n)
      return fail(error, LAVDM_ERROR_ARGUMENT,
                  "pair %" PRId64 " names point %" PRId64 ": points are numbered from 0 to %" PRId64, e + 1,
                  bad, view->n - 1);
  }
  return LAVDM_OK;
}

/* Pairs begin .. end-1, by one thread. */
static void some_pairs(const view_t *view, const int64_t *i, const int64_t *j, int64_t begin, int64_t end,
                       double *space, double *distance, double *alignment) {
  int64_t q = view->q, last = -1;
  double *x = space, *y = x + view->width, *rest = y + view->width;
  for (int64_t e = begin; e < end; e++) {
    if (distance) {
      if (i[e] != last) view_row(view, i[e], rest, x);
      last = i[e];
      view_row(view, j[e], rest, y);
      distance[e] = sqrt(view_distance2(view, x, y));
    }
    if (alignment) view_align(view, i[e], j[e], rest, alignment + e * q * q);
  }
}

static int pairs(const lavdm_model *model, double t, int64_t rank, bool coordinates, const int64_t *i,
                 const int64_t *j, int64_t count, double *distance, double *alignment, lavdm_error *error) {
  enum { PIECES = 64 }; /* of the list, over the threads */
  if (error) *error = (lavdm_error){0};
  view_t view;
  int status = view_new(model, t, rank, coordinates, &view, error);
  if (status >= 0) status = check(&view, i, j, count, error);
  double *space = status < 0 ? NULL : NEW(double, view.threads *space_size(&view));
  if (status >= 0 && !space) status = fail_memory(error, "the distances");
  if (status >= 0) {
#pragma omp parallel for num_threads(view.threads) schedule(static) if (count >= PIECES)
    for (int64_t piece = 0; piece < PIECES; piece++)
      some_pairs(&view, i, j, count * piece / PIECES, count * (piece + 1) / PIECES,
                 space + omp_get_thread_num() * space_size(&view), distance, alignment);
  }
  mem_free(space);
  view_free(&view);
  return status;
}

int lavdm_pairs(const lavdm_model *model, double t, int64_t rank, const int64_t *i, const int64_t *j,
                int64_t count, double *distance, double *alignment, lavdm_error *error) {
  return pairs(model, t, rank, false, i, j, count, distance, alignment, error);
}

int lavdm_diffusion_pairs(const lavdm_model *model, double t, int64_t rank, const int64_t *i,
                          const int64_t *j, int64_t count, double *distance, double *alignment,
                          lavdm_error *error) {
  return pairs(model, t, rank, true, i, j, count, distance, alignment, error);
}

int lavdm_distance(const lavdm_model *model, int64_t i, int64_t j, double t, int64_t rank, double *distance,
                   lavdm_error *error) {
  if (distance) *distance = NAN;
  int status = lavdm_pairs(model, t, rank, &i, &j, 1, distance, NULL, error);
  if (status < 0 && distance) *distance = NAN;
  return status;
}
