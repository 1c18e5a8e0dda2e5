/* Points into tile order, images into coefficients, edges into rows. */
#include "engine/cpu/cpu.h"
#include "neighbours/rows.h"

#include <math.h>
#include <string.h>

/* Points in a tile of landmarks. */
enum { LANDMARK_LEAF = 8 };

/* ----------------------------------------------------------------- centre */

/* The box of the points: per stripe, lower and upper bounds of each coordinate. */
typedef struct {
  int64_t p;
  double *lower, *upper; /* STRIPES x p */
} bounds_t;

static void widen_bounds(void *context, int stripe, const strided_t *rows, int64_t first, int64_t count) {
  (void)first;
  bounds_t *b = context;
  for (int64_t i = 0; i < count; i++)
    for (int64_t j = 0; j < b->p; j++) {
      double x = rows_value(rows, i, j), *lower = b->lower + stripe * b->p + j,
             *upper = b->upper + stripe * b->p + j;
      *lower = x < *lower ? x : *lower;
      *upper = x > *upper ? x : *upper;
    }
}

/* The middle of the box. */
int REAL(cpu_centre)(engine_t *engine, const lavdm_data *data, double *out) {
  run_t *run = engine->run;
  int64_t p = data->p;
  bounds_t b = {p, NEW(double, STRIPES *p), NEW(double, STRIPES *p)};
  int status = b.lower && b.upper ? LAVDM_OK : fail_memory(run->error, "the points");
  for (int64_t j = 0; j < STRIPES * p && !status; j++) b.lower[j] = INFINITY, b.upper[j] = -INFINITY;
  if (!status) status = REAL(rows_pass)(run, data, NULL, widen_bounds, &b);
  for (int64_t j = 0; j < p && !status; j++)
    for (int s = 1; s < STRIPES; s++) {
      b.lower[j] = fmin(b.lower[j], b.lower[s * p + j]);
      b.upper[j] = fmax(b.upper[j], b.upper[s * p + j]);
    }
  status = team_agree(run->team, status);
  if (!status) status = team_extreme(run->team, b.lower, p, false);
  if (!status) status = team_extreme(run->team, b.upper, p, true);
  for (int64_t j = 0; j < p && !status; j++) out[j] = b.lower[j] / 2 + b.upper[j] / 2;
  mem_free(b.lower);
  mem_free(b.upper);
  return status;
}

/* ------------------------------------------------------------------- rows */

/* Points per tile, such that a tile of new points is about as wide as one of those around them. */
static int64_t leaf_of(rows_role role, int64_t n, int64_t among) {
  if (role == ROLE_POINTS) return TILE_POINTS;
  if (role == ROLE_LANDMARKS) return LANDMARK_LEAF;
  double leaf = TILE_POINTS * (double)n / (double)among;
  return leaf < 1 ? 1 : leaf > TILE_POINTS ? TILE_POINTS : (int64_t)leaf;
}

static int load_points(cpu_t *cpu, const lavdm_data *data, const double *centre, int64_t leaf,
                       cpu_rows *rows) {
  int status = REAL(tiles_build)(cpu->base.run, data, centre, leaf, &rows->tiles);
  rows->tiles.metric = metric_of(cpu->base.run);
  rows->base.n = data->n;
  rows->base.p = data->p;
  rows->order = rows->tiles.order;
  return status;
}

static int number_rows(run_t *run, cpu_rows *rows) {
  int64_t n = rows->base.n;
  rows->numbers = NEW(int64_t, n + 1);
  if (!rows->numbers) return fail_memory(run->error, "the graph");
  for (int64_t i = 0; i <= n; i++) rows->numbers[i] = i;
  rows->order = rows->numbers;
  return LAVDM_OK;
}

/* The user's edges instead of points, landmarks, frames and kernel. */
static int load_edges(cpu_t *cpu, const lavdm_data *data, rows_role role, cpu_rows *rows) {
  run_t *run = cpu->base.run;
  const lavdm_options *o = &run->options;
  lavdm_edges edges = *data->edges;
  int64_t points = data->n > 0 ? data->n : -1;
  bool plain = o->method == LAVDM_METHOD_DM || o->method == LAVDM_METHOD_ROSELAND;
  if (plain) edges.kind = LAVDM_ELEMENT_NONE;
  int status =
      role == ROLE_NEW
          ? given_join(run, &edges, points, data->landmark_index, data->landmark_count, &rows->given)
          : given_build(run, &edges, given_is_square(data, o), data->n > 0 ? data->n : -1, &rows->given);
  if (status < 0) return status;
  rows->base = (rows_t){rows->given.graph.rows, 0, rows->given.graph.cols, rows->given.graph.q};
  return number_rows(run, rows);
}

int REAL(cpu_load)(engine_t *engine, const lavdm_data *data, const double *centre, rows_role role,
                   int64_t among, rows_t **out) {
  cpu_t *cpu = (cpu_t *)engine;
  cpu_rows *rows = NEW(cpu_rows, 1);
  *out = (rows_t *)rows;
  if (!rows) return fail_memory(engine->run->error, "the points");
  rows->role = role;
  if (data->edges) return load_edges(cpu, data, role, rows);
  if (!has_turns(&engine->run->options))
    return load_points(cpu, data, centre, leaf_of(role, data->n, among), rows);
  rows->base.n = data->n;
  int status = REAL(cpu_load_stack)(cpu, data, rows);
  return status < 0 ? status : number_rows(engine->run, rows);
}

void REAL(cpu_unload)(engine_t *engine, rows_t *given) {
  (void)engine;
  cpu_rows *rows = (cpu_rows *)given;
  if (!rows) return;
  REAL(tiles_free)(&rows->tiles);
  REAL(stack_free)(&rows->stack);
  given_free(&rows->given);
  mem_free(rows->numbers);
  mem_free(rows->weights);
  REAL(frames_free)(&rows->frames);
  REAL(kept_free)(&rows->kept);
  REAL(rule_free)(&rows->rule);
  large_free(rows->alone);
  mem_free(rows->reach2);
  REAL(scaling_free)(&rows->scaling);
  components_free(&rows->components);
  symmetric_free(&rows->matrix);
  mem_free(rows->degree);
  mem_free(rows->densities);
  mem_free(rows->vectors);
  large_free(rows->fields);
  mem_free(rows);
}

void REAL(cpu_drop)(engine_t *engine, rows_t *given, rows_what what) {
  (void)engine;
  cpu_rows *rows = (cpu_rows *)given;
  if (what == ROWS_POINTS) {
    large_free(rows->tiles.x);
    rows->tiles.x = NULL;
  }
  if (what == ROWS_DEGREES) REAL(scaling_free)(&rows->scaling);
}
