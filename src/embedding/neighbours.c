/*
 * Nearest neighbours by vector diffusion distance: the exact neighbours of
 * points of the embedding (embedding.c), by the search of neighbours/. The
 * element that aligns point j with point i is the orthogonal matrix nearest to
 *
 *     S_ij = sum_l lambda_l^(2t) u_l[i] u_l[j]',
 *
 * whose size |S_ij|^2 is the inner product of the two in the embedding.
 */
#include "base/memory.h"
#include "frames/polar.h"
#include "model/model.h"
#include "neighbours/neighbours.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Points of the embedding in tile order, and where each row of the data is stored. */
typedef struct {
  tiles_t tiles;
  int64_t *stored; /* n */
} space_t;

/* Whether distances between the rows can be told: at a large time they may pass all bounds. */
static int check_finite(const double *embedding, int64_t count, lavdm_error *error) {
  int64_t bad = 0;
  for (int64_t i = 0; i < count; i++) bad += !(fabs(embedding[i]) <= 1e150);
  return bad ? fail(error, LAVDM_ERROR_NUMERICS,
                    "the embedding is too large for distances between its points")
             : LAVDM_OK;
}

static int space_new(run_t *run, const lavdm_model *model, double t, int64_t rank, space_t *out) {
  int64_t n = model->info.n, width = rank * (rank + 1) / 2;
  *out = (space_t){.stored = NEW(int64_t, n)};
  double *embedding = NEW(double, n *width);
  int status = embedding && out->stored ? lavdm_embedding(model, t, rank, embedding, run->error)
                                        : fail_memory(run->error, "the embedding");
  if (!status) status = check_finite(embedding, n * width, run->error);
  lavdm_data data = {.points = embedding, .n = n, .p = width};
  if (!status) status = tiles_build(run, &data, NULL, TILE_POINTS, &out->tiles);
  mem_free(embedding);
  for (int64_t i = 0; i < n && !status; i++) out->stored[out->tiles.order[i]] = i;
  return status;
}

static void space_free(space_t *space) {
  tiles_free(&space->tiles);
  mem_free(space->stored);
}

/* The queries of one call, in the order in which they are stored. */
typedef struct {
  int64_t count, *which; /* which of the points asked about comes i-th */
  double *x;
} queries_t;

static int by_place(const void *a, const void *b) {
  const int64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static int queries_new(run_t *run, const space_t *space, const int64_t *points, int64_t count,
                       queries_t *out) {
  int64_t width = space->tiles.p;
  int64_t(*place)[2] = (int64_t(*)[2])NEW(int64_t, 2 * count);
  *out = (queries_t){.count = count, .which = NEW(int64_t, count), .x = NEW(double, count *width)};
  if (place && out->which && out->x) {
    for (int64_t i = 0; i < count; i++) place[i][0] = space->stored[points ? points[i] : i], place[i][1] = i;
    qsort(place, (size_t)count, sizeof *place, by_place);
    for (int64_t i = 0; i < count; i++) {
      out->which[i] = place[i][1];
      memcpy(out->x + i * width, space->tiles.x + place[i][0] * width, (size_t)width * sizeof *out->x);
    }
  }
  bool whole = place && out->which && out->x;
  mem_free(place);
  return whole ? LAVDM_OK : fail_memory(run->error, "the neighbours");
}

static void queries_free(queries_t *queries) {
  mem_free(queries->which);
  mem_free(queries->x);
}

/* Rows of index and distance from the k + 1 nearest of each query, itself left out. */
static void hand_out(const space_t *space, const queries_t *queries, const int64_t *points, int64_t k,
                     const int64_t *found, const double *d2, int64_t *index, double *distance) {
  for (int64_t i = 0; i < queries->count; i++) {
    int64_t which = queries->which[i], self = points ? points[which] : which, have = 0;
    bool left_out = false;
    for (int64_t j = 0; j < k + 1; j++) {
      int64_t row = space->tiles.order[found[i * (k + 1) + j]];
      if (row == self && !left_out) {
        left_out = true;
        continue;
      }
      if (have == k) break; /* as many copies of it are nearer by storage */
      index[which * k + have] = row;
      distance[which * k + have++] = sqrt(d2[i * (k + 1) + j]);
    }
  }
}

static int align(run_t *run, const lavdm_model *model, double t, int64_t rank, const int64_t *points,
                 int64_t count, int64_t k, const int64_t *index, double *alignment) {
  const lavdm_array *u = lavdm_get(model, "eigenvectors");
  int64_t q = model->info.q, r = model->info.chosen.components, own = 2 * q * r + q * q + POLAR_SCRATCH(q);
  double *space = NEW(double, run->threads *own), *a = NEW(double, rank);
  int status = space && a ? LAVDM_OK : fail_memory(run->error, "the alignments");
  for (int64_t l = 0; l < rank && !status; l++) a[l] = pow(fmax(model->info.eigenvalues[l], 0), 2 * t);
  if (!status) {
#pragma omp parallel for num_threads(run->threads) schedule(static)
    for (int64_t i = 0; i < count; i++) {
      double *mine = space + omp_get_thread_num() * own, *s = mine + 2 * q * r;
      const double *x = model_row(u, points ? points[i] : i, q * r, mine);
      for (int64_t j = 0; j < k; j++) {
        const double *y = model_row(u, index[i * k + j], q * r, mine + q * r);
        for (int64_t c = 0; c < q; c++)
          for (int64_t d = 0; d < q; d++) {
            s[c * q + d] = 0;
            for (int64_t l = 0; l < rank; l++) s[c * q + d] += a[l] * x[c * r + l] * y[d * r + l];
          }
        polar_factor(q, s, alignment + (i * k + j) * q * q, s + q * q);
      }
    }
  }
  mem_free(space);
  mem_free(a);
  return status;
}

static int check(const lavdm_model *model, double t, int64_t rank, const int64_t *points, int64_t count,
                 int64_t k, lavdm_error *error) {
  int64_t n = model->info.n, r = model->info.chosen.components;
  if (!model_need(model, "eigenvectors", error)) return LAVDM_ERROR_ARGUMENT;
  if (rank < 1 || rank > r)
    return fail(error, LAVDM_ERROR_ARGUMENT, "rank is %" PRId64 ": it must be from 1 to %" PRId64, rank, r);
  if (!(t >= 0 && t < INFINITY))
    return fail(error, LAVDM_ERROR_ARGUMENT, "time is %g: it must be 0 or more", t);
  if (k < 1 || k > n - 1)
    return fail(error, LAVDM_ERROR_ARGUMENT, "k is %" PRId64 ": it must be from 1 to %" PRId64, k, n - 1);
  for (int64_t i = 0; points && i < count; i++)
    if (points[i] < 0 || points[i] >= n)
      return fail(error, LAVDM_ERROR_ARGUMENT,
                  "point %" PRId64 " is row %" PRId64 " of %" PRId64 " (counted from 0)", i + 1, points[i],
                  n);
  return LAVDM_OK;
}

int lavdm_neighbours(const lavdm_model *model, double t, int64_t rank, const int64_t *points, int64_t count,
                     int64_t k, int64_t *index, double *distance, double *alignment, lavdm_error *error) {
  if (error) *error = (lavdm_error){0};
  if (!points) count = model->info.n;
  int status = check(model, t, rank, points, count, k, error);
  if (status < 0 || count < 1) return status;
  run_t *run = NEW(run_t, 1);
  if (!run) return fail_memory(error, "the neighbours");
  run->error = error;
  run->threads = (int)model->info.chosen.threads;
  large_start(&run->large, false);
  space_t space = {0};
  queries_t queries = {0};
  int64_t *found = NEW(int64_t, count * (k + 1));
  double *d2 = NEW(double, count *(k + 1));
  if (!found || !d2) status = fail_memory(error, "the neighbours");
  if (!status) status = space_new(run, model, t, rank, &space);
  if (!status) status = queries_new(run, &space, points, count, &queries);
  if (!status) status = nearest_all(run, &space.tiles, queries.x, count, k + 1, found, d2);
  if (!status) hand_out(&space, &queries, points, k, found, d2, index, distance);
  if (!status && alignment) status = align(run, model, t, rank, points, count, k, index, alignment);
  queries_free(&queries);
  space_free(&space);
  mem_free(found);
  mem_free(d2);
  mem_free(run);
  return status;
}
