/* Local PCA over all places, a batch of nearby ones at a time. See frames.h. */
#include "frames/frames.h"

#include "base/memory.h"
#include "frames/pca.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

static void scratch_free(pca_work **s, int threads) {
  for (int t = 0; s && t < threads; t++) REAL(pca_work_free)(s[t]);
  mem_free(s);
}

/* One for each thread, for batches of up to `batch` places. */
static pca_work **scratch_new(int threads, const tiles_t *points, hood_t hood, int64_t batch) {
  pca_work **s = NEW(pca_work *, threads);
  bool whole = s != NULL;
  for (int t = 0; whole && t < threads; t++) {
    s[t] = REAL(pca_work_new)(points, hood, batch);
    whole = s[t];
  }
  if (whole) return s;
  scratch_free(s, threads);
  return NULL;
}

/* A point finds itself among its neighbours, which adds nothing. */
static hood_t with_itself(hood_t hood, int64_t n) {
  hood.k = hood.k + 1 < n ? hood.k + 1 : n;
  return hood;
}

/* How many of `count` places lie about as close together as the points of a tile. */
static int64_t places_together(const tiles_t *points, int64_t count) {
  double together = TILE_POINTS * (double)count / (double)points->n;
  return together < 1 ? 1 : together > TILE_POINTS ? TILE_POINTS : (int64_t)together;
}

int REAL(frames_estimate)(run_t *run, const tiles_t *points, const real_t *places, int64_t count, int64_t d,
                          hood_t hood, frames_t *out) {
  memset(out, 0, sizeof *out);
  int64_t p = points->p;
  out->n = places ? count : points->n;
  out->p = p, out->d = d;
  out->b = LARGE(&run->large, real_t, out->n * d * p);
  int64_t own = places_together(points, count), batch = 1,
          batches = places ? (count + own - 1) / own : points->tiles;
  for (int64_t t = 0; !places && t < points->tiles; t++)
    if (points->first[t + 1] - points->first[t] > batch) batch = points->first[t + 1] - points->first[t];
  if (places) batch = own;
  pca_work **scratch = scratch_new(run->threads, points, with_itself(hood, points->n), batch);
  if (!out->b || !scratch) {
    scratch_free(scratch, run->threads);
    return fail_memory(run->error, "the frames");
  }
  int64_t degenerate = 0;
  int status = 0;
  int before = blas_threads(1);
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 8) reduction(+ : degenerate) reduction(min : status)
  for (int64_t t = 0; t < batches; t++) {
    if (run_stopped(run, t, batches) || status < 0) continue;
    int64_t first = places ? t * own : points->first[t];
    int64_t end = places ? first + own : points->first[t + 1];
    if (end > out->n) end = out->n;
    int64_t found = REAL(pca_frames)(scratch[omp_get_thread_num()], (places ? places : points->x) + first * p,
                                     end - first, d, out->b + first * d * p);
    if (found < 0)
      status = (int)found;
    else
      degenerate += found;
  }
  blas_threads(before);
  scratch_free(scratch, run->threads);
  out->degenerate = degenerate;
  if (status < 0) return fail_memory(run->error, "the neighbours");
  return run_status(run);
}

void REAL(frames_free)(frames_t *frames) {
  large_free(frames->b);
  memset(frames, 0, sizeof *frames);
}

/* One row of frames_spectra. */
static int spectrum_at(pca_work *work, const real_t *place, int64_t most, real_t *v, double *out) {
  int64_t rank;
  if (REAL(pca_values)(work, place, v, &rank) < 0) return LAVDM_ERROR_MEMORY;
  for (int64_t i = 0; i < most; i++) out[i] = i < rank ? (double)v[i] : 0;
  out[most] = 0;
  for (int64_t i = 0; i < rank; i++) out[most] += (double)v[i];
  return LAVDM_OK;
}

int REAL(frames_spectra)(run_t *run, const tiles_t *points, int64_t k, int64_t count, int64_t most,
                         double *values) {
  int64_t p = points->p;
  pca_work **scratch = scratch_new(run->threads, points, with_itself((hood_t){.k = k}, points->n), 1);
  real_t *v = NEW(real_t, run->threads * p);
  int status = scratch && v ? LAVDM_OK : LAVDM_ERROR_MEMORY, before = blas_threads(1);
  if (status < 0) count = 0; /* threads begin with a status of their own */
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 8) reduction(min : status)
  for (int64_t s = 0; s < count; s++) {
    if (status < 0 || run_stopped(run, s, count)) continue;
    int64_t row = (int64_t)((double)s * (double)points->n / (double)count);
    int thread = omp_get_thread_num();
    status = spectrum_at(scratch[thread], points->x + row * p, most, v + thread * p, values + s * (most + 1));
  }
  blas_threads(before);
  scratch_free(scratch, run->threads);
  mem_free(v);
  return status < 0 ? fail_memory(run->error, "the local spectra") : run_status(run);
}
