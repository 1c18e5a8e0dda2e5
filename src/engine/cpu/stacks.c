/*
 * Images and signals: coefficients in place of tiles, distances after the best turn,
 * and a stored graph, from where on they are treated as edges that the user gave.
 */
#include "base/sort.h"
#include "engine/cpu/cpu.h"
#include "landmarks/landmarks.h"

#include <math.h>
#include <string.h>

/* References that a sample is compared with, at most. */
enum { OTHERS = 10000 };

/* ------------------------------------------------------------- coefficients */

/* The first that are loaded decide what all are expanded in. */
static int open_objects(cpu_t *cpu, const lavdm_data *data) {
  run_t *run = cpu->base.run;
  int status = run_room(run, REAL(objects_basis_bytes)(data->height, data->width));
  if (!status) status = REAL(objects_open)(run, data->height, data->width, &cpu->objects);
  if (!status) status = REAL(objects_reduce)(run, data, &cpu->objects);
  if (!status && cpu->objects.bands->bands < 2)
    run_warn(run,
             "nothing that turns stands out of the noise (%g), and every angle is as good: give a smaller "
             "noise, or 0 "
             "to take the images as they are",
             run->options.noise);
  return status;
}

int REAL(cpu_load_stack)(cpu_t *cpu, const lavdm_data *data, cpu_rows *rows) {
  int status = cpu->objects.basis ? LAVDM_OK : open_objects(cpu, data);
  if (status < 0) return status;
  rows->base.p = 2 * cpu->objects.bands->size;
  rows->data = *data;
  if (!data->points && !data->read) /* put() brings the coefficients */
    return REAL(stack_new)(cpu->base.run, cpu->objects.bands, data->n, &rows->stack);
  double bytes = (double)data->n * (double)rows->base.p * sizeof(real_t);
  status = run_room(cpu->base.run, bytes + REAL(objects_batch_bytes)(data->n, data->p, false, 0));
  return status < 0 ? status : REAL(objects_expand)(cpu->base.run, &cpu->objects, data, &rows->stack);
}

int REAL(cpu_stack_landmarks)(cpu_t *cpu, const cpu_rows *rows, lavdm_design design, int64_t m,
                              int64_t *index) {
  run_t *run = cpu->base.run;
  real_t *x = NULL;
  int64_t p;
  tiles_t tiles = {0};
  int status = REAL(stack_invariants)(run, &rows->stack, &x, &p);
  lavdm_data data = {.points = x, .n = rows->base.n, .p = p, .type = REAL_TYPE};
  if (!status) status = REAL(tiles_build)(run, &data, NULL, TILE_POINTS, &tiles);
  large_free(x);
  if (!status) status = REAL(landmarks_choose)(run, &tiles, design, m, index);
  for (int64_t k = 0; k < m && !status; k++) index[k] = tiles.order[index[k]];
  if (!status) sort_integers(index, m);
  REAL(tiles_free)(&tiles);
  return status;
}

/* ------------------------------------------------------------------ choices */

/* Some objects, and their squared distances from some references. */
typedef struct {
  int64_t count, others;
  int64_t *row, *col;
  steer_stack stack;
  real_t *d2; /* count x others */
} sample_t;

static void sample_free(sample_t *s) {
  mem_free(s->row);
  mem_free(s->col);
  REAL(stack_free)(&s->stack);
  mem_free(s->d2);
}

static int sample_new(cpu_t *cpu, const cpu_rows *rows, int64_t count, const steer_stack *y, sample_t *out) {
  run_t *run = cpu->base.run;
  int64_t n = rows->base.n, others = y->n < OTHERS ? y->n : OTHERS;
  *out = (sample_t){.count = count,
                    .others = others,
                    .row = NEW(int64_t, count),
                    .col = NEW(int64_t, others),
                    .d2 = NEW(real_t, count * others)};
  if (!out->row || !out->col || !out->d2) return fail_memory(run->error, "the distances");
  for (int64_t i = 0; i < count; i++) out->row[i] = (int64_t)((double)i * (double)n / (double)count);
  for (int64_t c = 0; c < others; c++) out->col[c] = (int64_t)((double)c * (double)y->n / (double)others);
  int status = REAL(stack_take)(run, &rows->stack, out->row, count, &out->stack);
  if (status < 0) return status;
  return REAL(turned_distances)(run, &out->stack, y, out->col, others,
                                run->options.reflections == LAVDM_REFLECTIONS_YES, out->d2);
}

/* Among a part of the references, neighbours are as many times fewer. */
int REAL(cpu_stack_nearest)(cpu_t *cpu, const cpu_rows *rows, int64_t count, const cpu_rows *among, int64_t k,
                            double *d2) {
  sample_t s;
  bool self = rows == among;
  int status = sample_new(cpu, rows, count, &among->stack, &s);
  double *near = NEW(double, s.others);
  if (!status && !near) status = fail_memory(cpu->base.run->error, "the distances");
  int64_t part = (int64_t)lround((double)k * (double)s.others / (double)among->base.n);
  for (int64_t i = 0; i < count && !status; i++) {
    int64_t kept = 0;
    for (int64_t c = 0; c < s.others; c++)
      if (!self || s.col[c] != s.row[i]) near[kept++] = (double)s.d2[i * s.others + c];
    sort_reals(near, kept);
    d2[i] = kept ? near[(part < 1 ? 1 : part < kept ? part : kept) - 1] : 0;
  }
  mem_free(near);
  sample_free(&s);
  return status;
}

int REAL(cpu_stack_within)(cpu_t *cpu, const cpu_rows *rows, int64_t count, const cpu_rows *among,
                           double radius, double *reach) {
  sample_t s;
  int64_t found = 0;
  int status = sample_new(cpu, rows, count, &among->stack, &s);
  for (int64_t e = 0; !status && e < s.count * s.others; e++) found += (double)s.d2[e] <= radius * radius;
  if (!status) *reach = (double)found * (double)among->base.n / ((double)s.count * (double)s.others);
  sample_free(&s);
  return status;
}

/* -------------------------------------------------------------------- graph */

/* Which references an object is joined to, and how. */
static turned_rule rule_of(const graph_spec *spec) {
  bool one = !spec->square && spec->knn < 2; /* a landmark is the nearest to itself */
  return (turned_rule){.reflections = spec->reflections,
                       .q = spec->q,
                       .kernel = spec->kernel,
                       .edges = spec->edges,
                       .k = one ? 2 : spec->knn};
}

int REAL(cpu_stack_graph)(cpu_t *cpu, cpu_rows *rows, const cpu_rows *references) {
  run_t *run = cpu->base.run;
  turned_rule rule = rule_of(&rows->spec);
  int64_t n = rows->base.n;
  if (rows == references) {
    rows->reach2 = rule.edges == LAVDM_EDGES_KNN ? NEW(double, n) : NULL;
    if (rule.edges == LAVDM_EDGES_KNN && !rows->reach2) return fail_memory(run->error, "the graph");
    return REAL(turned_square)(run, &rows->stack, &rule, rows->reach2, &rows->matrix.sparse);
  }
  rows->alone = LARGE(&run->large, char, n);
  if (!rows->alone) return fail_memory(run->error, "the graph");
  if (rows->spec.square && rule.edges == LAVDM_EDGES_KNN) { /* new ones among the points of a model */
    rule.reach2 = references->reach2;
    rule.k++; /* a point of the model finds itself */
  }
  return REAL(turned_build)(run, &rows->stack, &references->stack, &rule, &rows->given.graph, rows->alone);
}

/* The images that no landmark's cut-off reaches, as pixels. */
int REAL(cpu_stack_far)(cpu_t *cpu, const cpu_rows *rows, int64_t first, int64_t count, real_t *out) {
  int64_t p = rows->data.p, found = 0;
  int status = LAVDM_OK;
  for (int64_t i = 0; i < rows->base.n && !status && found < first + count; i++)
    if (rows->alone[i] && found++ >= first)
      status = REAL(objects_pixels)(cpu->base.run, &cpu->objects, &rows->data, i, 1,
                                    out + (found - 1 - first) * p);
  return status;
}
