/* Local PCA over all places, a batch of nearby ones at a time. See frames.h. */
#include "frames/frames.h"

#include "base/memory.h"
#include "base/sort.h"
#include "frames/pca.h"
#include "neighbours/neighbours.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Scratch of one thread, for batches of up to `batch` places. */
typedef struct {
  neighbour_work *search;
  pca_work *pca;
  int64_t *index;
  real_t *d2, *values;
} scratch_t;

static void scratch_free(scratch_t *s, int threads) {
  for (int t = 0; s && t < threads; t++) {
    neighbour_work_free(s[t].search);
    pca_work_free(s[t].pca);
    mem_free(s[t].index);
    mem_free(s[t].d2);
    mem_free(s[t].values);
  }
  mem_free(s);
}

static scratch_t *scratch_new(int threads, int64_t batch, int64_t p, int64_t k) {
  scratch_t *s = NEW(scratch_t, threads);
  bool whole = s != NULL;
  for (int t = 0; whole && t < threads; t++) {
    s[t].search = neighbour_work_new();
    s[t].pca = pca_work_new(p, k);
    s[t].index = NEW(int64_t, batch * k);
    s[t].d2 = NEW(real_t, batch * k);
    s[t].values = NEW(real_t, PCA_LANES * (p < k ? p : k));
    whole = s[t].search && s[t].pca && s[t].index && s[t].d2 && s[t].values;
  }
  if (whole) return s;
  scratch_free(s, threads);
  return NULL;
}

/* Frames of places[0..count) into b; returns how many are degenerate, or a status. */
static int64_t batch_frames(const tiles_t *points, const real_t *places, int64_t count, int64_t d, int64_t k,
                            scratch_t *s, real_t *b) {
  int64_t p = points->p, rank = pca_rank(s->pca), degenerate = 0;
  int status = nearest_set(points, places, count, k, s->search, s->index, s->d2);
  if (status < 0) return status;
  for (int64_t i = 0; i < count; i += PCA_LANES) {
    int64_t lanes = count - i < PCA_LANES ? count - i : PCA_LANES;
    pca_local(s->pca, lanes, points->x, s->index + i * k, s->d2 + i * k, places + i * p, d, s->values,
              b + i * d * p);
    for (int64_t lane = 0; lane < lanes; lane++) {
      const real_t *v = s->values + lane * rank;
      degenerate += d > rank || !(v[d - 1] > 1e-10 * v[0]);
    }
  }
  return degenerate;
}

int frames_estimate(run_t *run, const tiles_t *points, const real_t *places, int64_t count, int64_t d,
                    int64_t k, frames_t *out) {
  memset(out, 0, sizeof *out);
  int64_t p = points->p;
  k = k + 1 < points->n ? k + 1 : points->n; /* the point itself is found too, and adds nothing */
  out->n = places ? count : points->n;
  out->p = p, out->d = d;
  out->b = LARGE(&run->large, real_t, out->n * d * p);
  int64_t batch = 1, batches = places ? (count + TILE_POINTS - 1) / TILE_POINTS : points->tiles;
  for (int64_t t = 0; !places && t < points->tiles; t++)
    if (points->first[t + 1] - points->first[t] > batch) batch = points->first[t + 1] - points->first[t];
  if (places) batch = TILE_POINTS;
  scratch_t *scratch = scratch_new(run->threads, batch, p, k);
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
    int64_t first = places ? t * TILE_POINTS : points->first[t];
    int64_t end = places ? first + TILE_POINTS : points->first[t + 1];
    if (end > out->n) end = out->n;
    int64_t found = batch_frames(points, (places ? places : points->x) + first * p, end - first, d, k,
                                 &scratch[omp_get_thread_num()], out->b + first * d * p);
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

void frames_free(frames_t *frames) {
  large_free(frames->b);
  memset(frames, 0, sizeof *frames);
}

int frames_dimension(run_t *run, const tiles_t *points, int64_t k, double share, int64_t *d) {
  enum { SAMPLE = 1000 };
  int64_t p = points->p, count = points->n < SAMPLE ? points->n : SAMPLE;
  k = k + 1 < points->n ? k + 1 : points->n;
  int64_t *found = NEW(int64_t, count);
  scratch_t *scratch = scratch_new(1, 1, p, k);
  real_t *basis = NEW(real_t, (p < k ? p : k) * p);
  int status = found && scratch && basis ? 0 : fail_memory(run->error, "the dimension estimate");
  int64_t used = 0;
  int before = blas_threads(1);
  for (int64_t s = 0; !status && s < count && !run_stopped(run, s, count); s++) {
    const real_t *x = points->x + s * (points->n / count) * p, *v = scratch->values;
    if (nearest(points, x, 1, k, scratch->search, scratch->index, scratch->d2) < 0) {
      status = fail_memory(run->error, "the neighbours");
      break;
    }
    int64_t rank = pca_rank(scratch->pca), i = 0;
    pca_local(scratch->pca, 1, points->x, scratch->index, scratch->d2, x, rank, scratch->values, basis);
    double total = 0, sum = 0;
    for (int64_t j = 0; j < rank; j++) total += v[j];
    if (!(total > 0)) continue; /* only copies of the point around it */
    do sum += v[i++];
    while (sum < share * total && i < rank);
    found[used++] = i;
  }
  blas_threads(before);
  if (!status) {
    sort_integers(found, used);
    *d = used ? found[used / 2] : 1;
    status = run_status(run);
  }
  scratch_free(scratch, 1);
  mem_free(found);
  mem_free(basis);
  return status;
}
