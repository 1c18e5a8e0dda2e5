/* What automatic choices ask of points; and landmarks by a design. */
#include "base/sort.h"
#include "engine/cpu/cpu.h"
#include "graph/walk.h"
#include "landmarks/landmarks.h"
#include "neighbours/neighbours.h"

#include <string.h>

enum { TICK = 1 << 16 }; /* points between two looks at the memory */

/* The s-th of `count` rows, evenly spread in tile order. */
static int64_t spread(int64_t s, int64_t count, int64_t n) {
  return (int64_t)((double)s * (double)n / (double)count);
}

int REAL(cpu_sample)(engine_t *engine, const rows_t *rows, int64_t count, double *x) {
  const tiles_t *tiles = &((const cpu_rows *)rows)->tiles;
  int64_t p = tiles->p;
  for (int64_t s = 0; s < count; s++)
    for (int64_t j = 0; j < p; j++) x[s * p + j] = (double)tiles->x[spread(s, count, tiles->n) * p + j];
  return run_status(engine->run);
}

/* The same as reals; NULL: no memory. */
static real_t *take_sample(const tiles_t *tiles, int64_t count) {
  int64_t p = tiles->p;
  real_t *x = NEW(real_t, count * p);
  for (int64_t s = 0; x && s < count; s++)
    memcpy(x + s * p, tiles->x + spread(s, count, tiles->n) * p, (size_t)p * sizeof *x);
  return x;
}

int REAL(cpu_nearest)(engine_t *engine, const rows_t *rows, int64_t count, const rows_t *among, int64_t k,
                      double *d2) {
  run_t *run = engine->run;
  const cpu_rows *own = (const cpu_rows *)rows, *others = (const cpu_rows *)among;
  if (cpu_is_stack(own)) return REAL(cpu_stack_nearest)((cpu_t *)engine, own, count, others, k, d2);
  k += rows == among; /* a point finds itself */
  if (k > among->n) k = among->n;
  int64_t *index = NEW(int64_t, count * k);
  real_t *found = NEW(real_t, count * k), *x = take_sample(&own->tiles, count);
  int status = index && found && x ? LAVDM_OK : fail_memory(run->error, "the neighbours");
  if (!status) status = REAL(nearest_all)(run, &others->tiles, x, count, k, index, found);
  for (int64_t s = 0; !status && s < count; s++) d2[s] = found[s * k + k - 1];
  mem_free(index);
  mem_free(found);
  mem_free(x);
  return status < 0 ? status : run_status(run);
}

int REAL(cpu_within)(engine_t *engine, const rows_t *rows, int64_t count, const rows_t *among, double radius,
                     double *reach) {
  const cpu_rows *own = (const cpu_rows *)rows, *others = (const cpu_rows *)among;
  if (cpu_is_stack(own)) return REAL(cpu_stack_within)((cpu_t *)engine, own, count, others, radius, reach);
  neighbour_work *work = REAL(neighbour_work_new)();
  if (!work) return fail_memory(engine->run->error, "the neighbours");
  int64_t found = 0, start[2];
  int before = blas_threads(1), status = 0;
  for (int64_t s = 0; s < count && !status; s++) {
    const int64_t *index;
    const real_t *d2, *x = own->tiles.x + spread(s, count, rows->n) * own->tiles.p;
    status = REAL(within)(&others->tiles, x, 1, radius, work, start, &index, &d2);
    if (!status) found += start[1];
  }
  blas_threads(before);
  REAL(neighbour_work_free)(work);
  if (status < 0) return fail_memory(engine->run->error, "the neighbours");
  *reach = (double)found / (double)count;
  return LAVDM_OK;
}

int REAL(cpu_copies)(engine_t *engine, const rows_t *rows, int64_t *count) {
  const tiles_t *tiles = &((const cpu_rows *)rows)->tiles;
  int64_t n = tiles->n, p = tiles->p;
  *count = 0;
  for (int64_t i = 1; i < n; i++) { /* tile order puts copies side by side */
    if (i % TICK == 0 && run_stopped(engine->run, i, n)) break;
    *count += !memcmp(tiles->x + i * p, tiles->x + (i - 1) * p, (size_t)p * sizeof(real_t));
  }
  return run_status(engine->run);
}

int REAL(cpu_spectra)(engine_t *engine, const rows_t *rows, int64_t count, int64_t k, int64_t most,
                      double *values) {
  tiles_t plain = ((const cpu_rows *)rows)->tiles; /* spectra are those of coordinates */
  plain.metric = (metric_t){0};
  return REAL(frames_spectra)(engine->run, &plain, k, count, most, values);
}

/* Of a square graph: by a design among places whose distances are those of diffusion. */
static int graph_landmarks(run_t *run, const cpu_rows *rows, lavdm_design design, int64_t m, int64_t *index) {
  int64_t n = rows->base.n;
  tiles_t tiles = {.n = n};
  if (design == LAVDM_DESIGN_RANDOM || m == n) return REAL(landmarks_choose)(run, &tiles, design, m, index);
  double *x = NEW(double, n *WALK_COORDINATES);
  lavdm_data places = {
      .points = x, .n = n, .p = WALK_COORDINATES, .row_stride = WALK_COORDINATES, .col_stride = 1};
  int status =
      x ? walk_coordinates(run, &rows->given.graph, x) : fail_memory(run->error, "choosing landmarks");
  if (!status) status = REAL(tiles_build)(run, &places, NULL, TILE_POINTS, &tiles);
  if (!status) status = REAL(landmarks_choose)(run, &tiles, design, m, index);
  for (int64_t k = 0; k < m && !status; k++) index[k] = tiles.order[index[k]];
  if (!status) sort_integers(index, m);
  REAL(tiles_free)(&tiles);
  mem_free(x);
  return status;
}

int REAL(cpu_landmarks)(engine_t *engine, const rows_t *rows, lavdm_design design, int64_t m,
                        int64_t *index) {
  const cpu_rows *own = (const cpu_rows *)rows;
  if (cpu_is_stack(own)) return REAL(cpu_stack_landmarks)((cpu_t *)engine, own, design, m, index);
  if (cpu_is_given(own)) return graph_landmarks(engine->run, own, design, m, index);
  int status = REAL(landmarks_choose)(engine->run, &own->tiles, design, m, index);
  for (int64_t k = 0; k < m && !status; k++) index[k] = own->order[index[k]];
  return status;
}
