/*
 * Axes from a sample of the points; then all points, some thousand rows of the
 * embedding at a time.
 */
#include "embedding/space.h"

#include "base/memory.h"
#include "reduce/reduce.h"

#include <float.h>
#include <math.h>
#include <omp.h>

/* Fields beyond this may have squared distances beyond all bounds. */
static const double LARGEST = 1e70;

/* Rows of the embedding in memory at a time, about 32 MB of them. */
static int64_t chunk_rows(const view_t *view) {
  int64_t rows = ((int64_t)1 << 22) / view->width;
  return rows < 64 ? 64 : rows;
}

double space_bytes(const view_t *view) {
  int64_t k = view->width < SPACE_COORDINATES ? view->width : SPACE_COORDINATES;
  return 8 * ((double)view->n * (double)(2 * k + 3));
}

/* Which points have a place. space: q r for each thread. */
static int find_rows(run_t *run, space_t *out, double *space) {
  const view_t *view = out->view;
  int64_t size = view->q * view->r;
  out->row = NEW(int64_t, view->n);
  out->stored = NEW(int64_t, view->n);
  if (!out->row || !out->stored) return fail_memory(run->error, "the neighbours");
  double most = 0;
#pragma omp parallel for num_threads(run->threads) schedule(static) reduction(max : most)
  for (int64_t i = 0; i < view->n; i++) {
    double *y = space + omp_get_thread_num() * size, sum = 0;
    view_fields(view, i, y);
    for (int64_t l = 0; l < view->q * view->rank; l++) sum += fabs(y[l]);
    out->stored[i] = isnan(sum) ? -1 : 0;
    most = fmax(most, sum);
  }
  if (most > LARGEST)
    return fail(run->error, LAVDM_ERROR_NUMERICS,
                "the embedding is too large for distances between its points");
  for (int64_t i = 0; i < view->n; i++)
    if (!out->stored[i]) out->row[out->count++] = i;
  return LAVDM_OK;
}

/* x (count x width): embeddings of the places first, first + step, ... in out->row. */
static void embed(run_t *run, const space_t *out, double first, double step, int64_t count, double *space,
                  double *x) {
  const view_t *view = out->view;
#pragma omp parallel for num_threads(run->threads) schedule(static)
  for (int64_t i = 0; i < count; i++)
    view_row(view, out->row[(int64_t)(first + step * (double)i)],
             space + omp_get_thread_num() * view->q * view->r, x + i * view->width);
}

/*
 * Divides the basis V by sqrt(|V'V|) in the norm of largest row sums, which is 1
 * but for rounding if its columns are orthonormal: then |V'x| <= |x|.
 */
static void shorten(const reduce_t *axes) {
  double most = 0;
  for (int64_t a = 0; a < axes->k; a++) {
    double sum = 0;
    for (int64_t b = 0; b < axes->k; b++) {
      double dot = 0;
      for (int64_t j = 0; j < axes->p; j++)
        dot += axes->basis[j * axes->k + a] * axes->basis[j * axes->k + b];
      sum += fabs(dot);
    }
    most = fmax(most, sum);
  }
  for (int64_t j = 0; j < axes->p * axes->k && most > 1; j++) axes->basis[j] /= sqrt(most);
}

/* coordinates (count x k) of all places, and how far the farthest lies from the mean. */
static int project(run_t *run, space_t *out, const reduce_t *axes, int64_t chunk, double *space, double *x,
                   double *coordinates) {
  int64_t width = out->view->width;
  double farthest = 0;
  int status = LAVDM_OK;
  for (int64_t first = 0; first < out->count && !status; first += chunk) {
    if (run_stopped(run, first, out->count)) return run_status(run);
    int64_t rows = out->count - first < chunk ? out->count - first : chunk;
    embed(run, out, (double)first, 1, rows, space, x);
#pragma omp parallel for num_threads(run->threads) schedule(static) reduction(max : farthest)
    for (int64_t i = 0; i < rows; i++)
      farthest = fmax(farthest, view_distance2(out->view, x + i * width, axes->mean));
    lavdm_data data = {.points = x, .n = rows, .p = width};
    status = reduce_apply(run, axes, &data, coordinates + first * axes->k);
  }
  out->slack = sqrt(farthest) * 8 * (double)(width + 16) * DBL_EPSILON;
  return status;
}

int space_new(run_t *run, const view_t *view, space_t *out) {
  *out = (space_t){.view = view};
  int64_t k = view->width < SPACE_COORDINATES ? view->width : SPACE_COORDINATES, chunk = chunk_rows(view);
  if (chunk > view->n) chunk = view->n;
  reduce_t axes = {0};
  double *space = NEW(double, run->threads * view->q * view->r), *x = NEW(double, chunk * view->width),
         *coordinates = NULL;
  int status = space && x ? LAVDM_OK : fail_memory(run->error, "the neighbours");
  if (!status) status = find_rows(run, out, space);
  if (!status && out->count > 0) {
    int64_t sample = out->count < ONE_THREAD ? out->count : ONE_THREAD;
    if (sample > chunk) sample = chunk;
    embed(run, out, 0, (double)out->count / (double)sample, sample, space, x);
    lavdm_data data = {.points = x, .n = sample, .p = view->width};
    status = reduce_fit(run, &data, sample, k, &axes);
    coordinates = NEW(double, out->count *k);
    if (!status && !coordinates) status = fail_memory(run->error, "the neighbours");
    if (!status) shorten(&axes);
    if (!status) status = project(run, out, &axes, chunk, space, x, coordinates);
    data = (lavdm_data){.points = coordinates, .n = out->count, .p = k};
    if (!status) status = REAL(tiles_build)(run, &data, NULL, TILE_POINTS, &out->tiles);
    for (int64_t i = 0; i < out->count && !status; i++) out->stored[space_row(out, i)] = i;
  }
  reduce_free(&axes);
  mem_free(space);
  mem_free(x);
  mem_free(coordinates);
  return status;
}

void space_free(space_t *space) {
  REAL(tiles_free)(&space->tiles);
  mem_free(space->row);
  mem_free(space->stored);
  *space = (space_t){0};
}
