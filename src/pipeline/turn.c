/*
 * Images and signals: coefficients -> landmarks -> bandwidth -> stored graph, from
 * where on they are treated as edges that the user gave. See fit.h.
 */
#include "base/memory.h"
#include "base/sort.h"
#include "neighbours/rows.h"
#include "pipeline/choose.h"
#include "pipeline/fit.h"
#include "pipeline/memory.h"
#include "pipeline/stages.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
  QUERIES = 200, /* objects that the bandwidth is taken from ... */
  OTHERS = 10000 /* ... and those that neighbours are looked for among */
};

static int64_t clamp(int64_t x, int64_t low, int64_t high) {
  return x < low ? low : x > high ? high : x;
}

/* ------------------------------------------------------------- coefficients */

static int expand(fit_t *f) {
  run_t *run = f->run;
  run_stage(run, "expansion");
  f->n = f->data.n;
  f->q = model_fibre(&run->options);
  f->rows = NEW(int64_t, f->n + 1);
  if (!f->rows) return fail_memory(run->error, "the graph");
  for (int64_t i = 0; i <= f->n; i++) f->rows[i] = i;
  f->order = f->rows;
  double basis = memory_basis(f->data.height, f->data.width);
  int status = memory_check(run, basis < 9e18 ? (int64_t)basis : INT64_MAX);
  if (!status) status = objects_open(run, f->data.height, f->data.width, &f->objects);
  if (!status) status = objects_reduce(run, &f->data, &f->objects);
  if (status < 0) return status;
  if (f->objects.bands->bands < 2)
    run_warn(run,
             "nothing that turns stands out of the noise (%g), and every angle is as good: give a smaller "
             "noise, or 0 "
             "to take the images as they are",
             run->options.noise);
  sizes_t sizes = memory_guess(run, &f->data);
  sizes.p = 2 * f->objects.bands->size;
  status = memory_check(run, memory_need(&sizes).memory);
  return status < 0 ? status : objects_expand(run, &f->objects, &f->data, &f->stack);
}

/* ---------------------------------------------------------------- landmarks */

/* Rows of the data that a design chooses among the invariants. */
static int design(fit_t *f) {
  run_t *run = f->run;
  if (stage_saved(f, STAGE_LANDMARKS)) return stage_take(f, STAGE_LANDMARKS);
  real_t *x = NULL;
  int64_t p;
  tiles_t tiles = {0};
  int status = stack_invariants(run, &f->stack, &x, &p);
  lavdm_data data = {.points = x, .n = f->n, .p = p, .type = REAL_TYPE};
  if (!status) status = f->engine->order(run, &data, NULL, TILE_POINTS, &tiles);
  large_free(x);
  if (!status) status = f->engine->landmarks(run, &tiles, run->options.design, f->m, f->landmark_place);
  for (int64_t k = 0; k < f->m && !status; k++) f->landmark_place[k] = tiles.order[f->landmark_place[k]];
  if (!status) sort_integers(f->landmark_place, f->m);
  tiles_free(&tiles);
  return status < 0 ? status : stage_save(f, STAGE_LANDMARKS);
}

/* The model's arrays of the landmarks, and their coefficients. */
static int list_landmarks(fit_t *f) {
  run_t *run = f->run;
  int64_t p = f->data.p, *place = f->landmark_place;
  double *list = model_array(f->model, &run->large, "landmarks", LAVDM_F64, 2, f->m, p, 0);
  int64_t *index =
      place ? model_array(f->model, &run->large, "landmark_index", LAVDM_I64, 1, f->m, 0, 0) : NULL;
  f->landmarks.order = LARGE(&run->large, int64_t, f->m);
  if (!list || (place && !index) || !f->landmarks.order) return fail_memory(run->error, "the landmarks");
  f->landmarks.n = f->m;
  int status = LAVDM_OK;
  for (int64_t k = 0; k < f->m && !status; k++) {
    f->landmarks.order[k] = k;
    if (place) status = rows_one(run, &f->data, index[k] = place[k], list + k * p);
  }
  if (status < 0 || place) return status < 0 ? status : stack_take(run, &f->stack, place, f->m, &f->around);
  memcpy(list, f->data.landmark_points, (size_t)(f->m * p) * sizeof *list);
  lavdm_data data = {.points = list, .n = f->m, .p = p};
  return objects_expand(run, &f->objects, &data, &f->around);
}

static int choose_references(fit_t *f) {
  run_t *run = f->run;
  lavdm_options *o = &run->options;
  if (!f->with_landmarks) {
    f->m = o->landmarks = f->n;
    return LAVDM_OK;
  }
  run_stage(run, "landmarks");
  bool given = o->design == LAVDM_DESIGN_GIVEN;
  choose_landmarks(run, f->n);
  f->m = o->landmarks = given ? f->data.landmark_count : o->landmarks;
  int status = LAVDM_OK;
  if (!given || f->data.landmark_index) {
    f->landmark_place = NEW(int64_t, f->m);
    if (!f->landmark_place) return fail_memory(run->error, "the landmarks");
    if (given)
      memcpy(f->landmark_place, f->data.landmark_index, (size_t)f->m * sizeof *f->landmark_place);
    else
      status = design(f);
  }
  return status < 0 ? status : list_landmarks(f);
}

/* ---------------------------------------------------------------- bandwidth */

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
  stack_free(&s->stack);
  mem_free(s->d2);
}

static int sample_new(fit_t *f, const steer_stack *y, sample_t *out) {
  run_t *run = f->run;
  int64_t n = f->n, count = clamp(n, 1, QUERIES), others = clamp(y->n, 1, OTHERS);
  *out = (sample_t){.count = count,
                    .others = others,
                    .row = NEW(int64_t, count),
                    .col = NEW(int64_t, others),
                    .d2 = NEW(real_t, count * others)};
  if (!out->row || !out->col || !out->d2) return fail_memory(run->error, "the distances");
  for (int64_t i = 0; i < count; i++) out->row[i] = (int64_t)((double)i * (double)n / (double)count);
  for (int64_t c = 0; c < others; c++) out->col[c] = (int64_t)((double)c * (double)y->n / (double)others);
  int status = stack_take(run, &f->stack, out->row, count, &out->stack);
  if (status < 0) return status;
  return turned_distances(run, &out->stack, y, out->col, others,
                          run->options.reflections == LAVDM_REFLECTIONS_YES, out->d2);
}

/* The quantile `share` over the sample of the squared distance to the k-th reference (from 1); if `self`,
 * other than the object itself. */
static double quantile(const sample_t *s, int64_t k, bool self, double share, double *near, double *found) {
  for (int64_t i = 0; i < s->count; i++) {
    int64_t kept = 0;
    for (int64_t c = 0; c < s->others; c++)
      if (!self || s->col[c] != s->row[i]) near[kept++] = (double)s->d2[i * s->others + c];
    sort_reals(near, kept);
    found[i] = kept ? near[clamp(k, 1, kept) - 1] : 0;
  }
  sort_reals(found, s->count);
  return found[(int64_t)(share * (double)(s->count - 1))];
}

/* epsilon is at least the distance to the knn-th neighbour of a typical object, or of nearly all on the
 * k-NN graph of the objects. Among a part of them, neighbours are as many times fewer. */
static int at_least_knn(fit_t *f, double *epsilon) {
  sample_t s;
  int status = sample_new(f, &f->stack, &s);
  double *near = NEW(double, s.others), *found = NEW(double, s.count);
  if (!status && (!near || !found)) status = fail_memory(f->run->error, "the distances");
  if (!status) {
    int64_t k = (int64_t)lround((double)f->run->options.knn * (double)s.others / (double)f->n);
    bool spread = !f->with_landmarks && f->run->options.edges == LAVDM_EDGES_KNN;
    double typical = quantile(&s, k, true, spread ? 0.99 : 0.5, near, found);
    if (!(typical > 0)) typical = found[s.count - 1]; /* half of them are copies of each other */
    if (!(typical > 0) && s.others > 1) typical = quantile(&s, s.others, true, 1, near, found);
    *epsilon = fmax(*epsilon, typical);
  }
  mem_free(near);
  mem_free(found);
  sample_free(&s);
  return status;
}

/* With landmarks: a typical object has four within sqrt(epsilon), nearly every one two. */
static int at_least_landmarks(fit_t *f, double *epsilon) {
  sample_t s;
  int status = sample_new(f, &f->around, &s);
  double *near = NEW(double, s.others), *found = NEW(double, s.count);
  if (!status && (!near || !found)) status = fail_memory(f->run->error, "the distances");
  if (!status) {
    *epsilon = fmax(*epsilon, quantile(&s, 4, false, 0.5, near, found));
    *epsilon = fmax(*epsilon, quantile(&s, 2, false, 0.95, near, found));
  }
  mem_free(near);
  mem_free(found);
  sample_free(&s);
  return status;
}

static int choose_kernel(fit_t *f) {
  run_t *run = f->run;
  lavdm_options *o = &run->options;
  run_stage(run, "bandwidth");
  choose_edges(run, f->n);
  choose_normalisation(run, f->n);
  if (o->epsilon == LAVDM_AUTO) {
    double epsilon = 0;
    int status = f->with_landmarks ? at_least_landmarks(f, &epsilon) : LAVDM_OK;
    if (!status) status = at_least_knn(f, &epsilon);
    if (status < 0) return status;
    /* what is left of the distance of copies */
    double rounding = 16 * (double)REAL_EPSILON * f->stack.norm2[0];
    if (!(epsilon > rounding)) epsilon = rounding;
    if (!(epsilon > 0))
      return fail(run->error, LAVDM_ERROR_DATA,
                  o->noise > 0 ? "nothing stands out of the noise (%g): give a smaller noise, or 0"
                               : "all the objects that were looked at are equal: there is nothing to embed",
                  o->noise);
    o->epsilon = fmin(fmax(epsilon, 1e-280), 1e280);
  }
  f->kernel = chosen_kernel(o, f->with_landmarks);
  return LAVDM_OK;
}

/* -------------------------------------------------------------------- graph */

/* References that an object is joined to, from a sample. */
static int expected_reach(fit_t *f, double *reach) {
  const lavdm_options *o = &f->run->options;
  *reach = f->with_landmarks ? (double)clamp(o->knn, 1, f->m) : 1.5 * (double)(o->knn + 1);
  if (o->edges == LAVDM_EDGES_KNN) return LAVDM_OK;
  sample_t s;
  int64_t found = 0;
  int status = sample_new(f, f->with_landmarks ? &f->around : &f->stack, &s);
  double radius2 = f->kernel.radius * f->kernel.radius;
  for (int64_t e = 0; !status && e < s.count * s.others; e++) found += (double)s.d2[e] <= radius2;
  if (!status) *reach = 1 + (double)found * (double)f->m / ((double)s.count * (double)s.others);
  sample_free(&s);
  return status;
}

static int need_memory(fit_t *f) {
  double reach;
  int status = expected_reach(f, &reach);
  if (status < 0) return status;
  sizes_t sizes = memory_guess(f->run, &f->data);
  sizes.p = 2 * f->objects.bands->size;
  sizes.m = f->m;
  sizes.pairs = f->with_landmarks ? reach : (double)f->n * reach;
  f->model->info.memory_needed = memory_need(&sizes).memory;
  return memory_check(f->run, f->model->info.memory_needed);
}

turned_rule chosen_rule(const lavdm_options *o, kernel_t kernel, int64_t q) {
  bool one = has_landmarks(o) && o->knn < 2; /* a landmark is the nearest to itself */
  return (turned_rule){.reflections = o->reflections == LAVDM_REFLECTIONS_YES,
                       .q = q,
                       .kernel = kernel,
                       .edges = o->edges,
                       .k = one ? 2 : o->knn};
}

static int join(fit_t *f) {
  run_t *run = f->run;
  turned_rule rule = chosen_rule(&run->options, f->kernel, f->q);
  if (f->with_landmarks && stage_saved(f, STAGE_GRAPH)) return stage_take(f, STAGE_GRAPH);
  run_stage(run, "graph");
  if (f->with_landmarks) {
    f->alone = LARGE(&run->large, char, f->n);
    if (!f->alone) return fail_memory(run->error, "the graph");
    int status = turned_build(run, &f->stack, &f->around, &rule, &f->given.graph, f->alone);
    return status < 0 ? status : stage_save(f, STAGE_GRAPH);
  }
  if (rule.edges == LAVDM_EDGES_KNN) {
    f->reach2 = model_array(f->model, &run->large, "knn_distances", LAVDM_F64, 1, f->n, 0, 0);
    if (!f->reach2) return fail_memory(run->error, "the graph");
  }
  if (stage_saved(f, STAGE_OPERATOR)) return LAVDM_OK;
  int status = turned_square(run, &f->stack, &rule, f->reach2, &f->given.graph);
  for (int64_t i = 0; i < f->n && f->reach2 && !status; i++) f->reach2[i] = sqrt(f->reach2[i]);
  return status;
}

/* How many landmarks an object is joined to: a share of them, and few enough to be near. */
static void choose_knn(fit_t *f) {
  lavdm_options *o = &f->run->options;
  if (f->with_landmarks && o->knn == LAVDM_AUTO) o->knn = clamp(clamp(f->m / 25, 8, 50), 1, f->n - 1);
  choose_neighbours(f->run, f->n);
}

int prepare_objects(fit_t *f) {
  int status;
  if ((status = expand(f)) < 0) return status;
  if ((status = choose_references(f)) < 0) return status;
  choose_knn(f);
  if ((status = choose_kernel(f)) < 0) return status;
  if ((status = need_memory(f)) < 0) return status;
  return join(f);
}

/* -------------------------------------------------------------------- model */

/* The images that no landmark's cut-off reaches, as pixels. */
static int keep_far(fit_t *f) {
  int64_t p = f->data.p, found = 0;
  if (!f->scaling.far) return LAVDM_OK;
  real_t *far = model_array(f->model, &f->run->large, "far_points", REAL_TYPE, 2, f->scaling.far, p, 0);
  int status = far ? LAVDM_OK : fail_memory(f->run->error, "the far points");
  for (int64_t i = 0; i < f->n && !status && found < f->scaling.far; i++)
    if (f->alone[i]) status = objects_pixels(f->run, &f->objects, &f->data, i, 1, far + found++ * p);
  return status;
}

/* The coefficients of the points, which new ones are compared with. */
static int keep_coefficients(fit_t *f) {
  int64_t size = f->objects.bands->size;
  real_t *out = model_array(f->model, &f->run->large, "coefficients", REAL_TYPE, 3, f->n, size, 2);
  if (!out) return fail_memory(f->run->error, "the coefficients");
  memcpy(out, f->stack.value, (size_t)(2 * f->n * size) * sizeof *out);
  return LAVDM_OK;
}

int keep_objects(fit_t *f) {
  int status = objects_keep(f->run, &f->objects, f->model);
  if (!status && f->with_landmarks) status = keep_landmarks(f);
  if (!status && f->with_landmarks) status = keep_far(f);
  if (!status && !f->with_landmarks) status = keep_coefficients(f);
  return status;
}
