/* points -> tiles -> landmarks -> frames -> bandwidth. See fit.h. */
#include "base/memory.h"
#include "neighbours/neighbours.h"
#include "neighbours/rows.h"
#include "pipeline/choose.h"
#include "pipeline/fit.h"
#include "pipeline/memory.h"
#include "pipeline/stages.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ------------------------------------------------------ points and landmarks */

/* The box of the points: per stripe, lower and upper bounds of each coordinate. */
typedef struct {
  int64_t p;
  double *lower, *upper; /* STRIPES x p */
} bounds_t;

static void widen_bounds(void *context, int stripe, const rows_t *rows, int64_t first, int64_t count) {
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
static int choose_centre(fit_t *f) {
  int64_t p = f->data.p;
  bounds_t b = {p, NEW(double, STRIPES *p), NEW(double, STRIPES *p)};
  f->centre = NEW(double, p);
  int status = f->centre && b.lower && b.upper ? LAVDM_OK : fail_memory(f->run->error, "the points");
  for (int64_t j = 0; j < STRIPES * p && !status; j++) b.lower[j] = INFINITY, b.upper[j] = -INFINITY;
  if (!status) status = rows_pass(f->run, &f->data, NULL, widen_bounds, &b);
  for (int64_t j = 0; j < p && !status; j++) {
    double lower = INFINITY, upper = -INFINITY;
    for (int s = 0; s < STRIPES; s++)
      lower = fmin(lower, b.lower[s * p + j]), upper = fmax(upper, b.upper[s * p + j]);
    f->centre[j] = lower / 2 + upper / 2;
  }
  mem_free(b.lower);
  mem_free(b.upper);
  return status;
}

static int order_points(fit_t *f) {
  run_t *run = f->run;
  run_stage(run, "order");
  f->n = f->data.n;
  bool automatic = run->options.knn == LAVDM_AUTO;
  choose_neighbours(run, f->n);
  if (f->with_landmarks) choose_landmarks(run, f->n);
  int status = REAL_TYPE == LAVDM_F32 ? choose_centre(f) : LAVDM_OK;
  if (!status) status = f->engine->order(run, &f->data, f->centre, TILE_POINTS, &f->points);
  f->order = f->points.order;
  return !status && automatic ? choose_past_copies(run, &f->points) : status;
}

/* landmark_place from the user's row numbers. */
static int places_of_rows(fit_t *f) {
  int64_t *inverse = LARGE(&f->run->large, int64_t, f->n);
  if (!inverse) return fail_memory(f->run->error, "the landmarks");
  for (int64_t i = 0; i < f->n; i++) inverse[f->order[i]] = i;
  for (int64_t k = 0; k < f->m; k++) f->landmark_place[k] = inverse[f->data.landmark_index[k]];
  large_free(inverse);
  return LAVDM_OK;
}

/* Looking at single rows of arrays in files maps many others with them. */
static void let_go(fit_t *f, int64_t k) {
  if (k % 256 == 0 && f->run->large.files) large_trim_all(&f->run->large);
}

/* The model's landmark arrays, and their coordinates in tile order. */
static int list_landmarks(fit_t *f) {
  int64_t p = f->points.p;
  double *list = model_array(f->model, &f->run->large, "landmarks", LAVDM_F64, 2, f->m, p, 0);
  int64_t *index = f->landmark_place
                       ? model_array(f->model, &f->run->large, "landmark_index", LAVDM_I64, 1, f->m, 0, 0)
                       : NULL;
  if (!list || (f->landmark_place && !index)) return fail_memory(f->run->error, "the landmarks");
  for (int64_t k = 0; k < f->m; k++) {
    let_go(f, k);
    int64_t row = f->landmark_place ? f->order[f->landmark_place[k]] : k;
    int status = f->landmark_place ? rows_one(f->run, &f->data, row, list + k * p) : LAVDM_OK;
    if (status < 0) return status;
    if (!f->landmark_place) memcpy(list + k * p, f->data.landmark_points + k * p, (size_t)p * sizeof *list);
    if (index) index[k] = row;
  }
  lavdm_data data = {.points = list, .n = f->m, .p = p, .row_stride = p, .col_stride = 1};
  return f->engine->order(f->run, &data, f->centre, LANDMARK_LEAF, &f->landmarks);
}

/* landmark_place by a design. */
static int design_landmarks(fit_t *f) {
  const lavdm_options *o = &f->run->options;
  if (stage_saved(f, STAGE_LANDMARKS)) return stage_take(f, STAGE_LANDMARKS);
  int status = f->engine->landmarks(f->run, &f->points, o->design, f->m, f->landmark_place);
  return status < 0 ? status : stage_save(f, STAGE_LANDMARKS);
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
  f->m = o->landmarks = given ? f->data.landmark_count : o->landmarks;
  int status = LAVDM_OK;
  if (!given || f->data.landmark_index) {
    f->landmark_place = NEW(int64_t, f->m);
    if (!f->landmark_place) return fail_memory(run->error, "the landmarks");
    status = given ? places_of_rows(f) : design_landmarks(f);
  }
  return status < 0 ? status : list_landmarks(f);
}

/* ----------------------------------------------------------------- frames */

/* Frames at the landmarks, in the order of f->landmarks. */
static int landmark_frames(fit_t *f) {
  int64_t d = f->run->options.dim, size = d * f->points.p;
  if (!f->landmark_place)
    return f->engine->frames(f->run, &f->points, f->landmarks.x, f->m, d, f->hood, &f->landmark_frames);
  f->landmark_frames =
      (frames_t){.n = f->m, .p = f->points.p, .d = d, .b = LARGE(&f->run->large, real_t, f->m * size)};
  if (!f->landmark_frames.b) return fail_memory(f->run->error, "the frames");
  for (int64_t k = 0; k < f->m; k++) {
    let_go(f, k);
    memcpy(f->landmark_frames.b + k * size, f->frames.b + f->landmark_place[f->landmarks.order[k]] * size,
           (size_t)size * sizeof(real_t));
  }
  return LAVDM_OK;
}

static int make_frames(fit_t *f) {
  run_t *run = f->run;
  const lavdm_options *o = &run->options;
  int status = LAVDM_OK;
  if (stage_saved(f, STAGE_FRAMES)) {
    status = stage_take(f, STAGE_FRAMES);
    return !status && f->landmark_place ? landmark_frames(f) : status;
  }
  if (o->hood == LAVDM_HOOD_RADIUS) status = choose_radius(run, &f->points, &f->hood.radius);
  if (!status) status = f->engine->frames(run, &f->points, NULL, f->n, o->dim, f->hood, &f->frames);
  if (!status && f->with_landmarks) status = landmark_frames(f);
  return status < 0 ? status : stage_save(f, STAGE_FRAMES);
}

static int estimate_frames(fit_t *f) {
  run_t *run = f->run;
  lavdm_options *o = &run->options;
  run_stage(run, "frames");
  int status = choose_dimension(run, &f->points);
  if (status < 0) return status;
  choose_normalisation(run, f->n);
  f->q = o->bundle == LAVDM_BUNDLE_TANGENT ? o->dim : 1;
  if (!has_frames(&f->run->options)) {
    f->source = source_trivial();
    return LAVDM_OK;
  }
  f->hood.k = o->knn;
  status = make_frames(f);
  if (status < 0) return status;
  f->model->info.radius = f->hood.radius;
  const frames_t *references = f->with_landmarks ? &f->landmark_frames : &f->frames;
  f->source = o->bundle == LAVDM_BUNDLE_TANGENT ? source_tangent(&f->frames, references)
                                                : source_orientation(&f->frames, references);
  f->model->info.degenerate_frames = f->frames.degenerate;
  if (f->frames.degenerate)
    run_warn(run,
             "the neighbours of %" PRId64 " points span fewer than %" PRId64
             " dimensions; their frames are partly arbitrary",
             f->frames.degenerate, o->dim);
  return LAVDM_OK;
}

/* ------------------------------------------------------------------ graph */

kernel_t chosen_kernel(const lavdm_options *o, bool with_landmarks) {
  double radius = o->cutoff * sqrt(o->epsilon);
  bool by_edges = !with_landmarks || has_turns(o);
  if (by_edges && o->edges != LAVDM_EDGES_BALL && o->cutoff >= 1e6) radius = INFINITY;
  return (kernel_t){o->kernel, o->epsilon, radius, o->kernel_function, o->kernel_user};
}

static int choose_kernel(fit_t *f) {
  run_t *run = f->run;
  lavdm_options *o = &run->options;
  run_stage(run, "bandwidth");
  int status = choose_bandwidth(run, &f->points, f->with_landmarks ? &f->landmarks : NULL);
  if (status < 0) return status;
  choose_edges(run, f->n);
  f->kernel = chosen_kernel(o, f->with_landmarks);
  return LAVDM_OK;
}

/* How many points, or landmarks, lie within the radius of a point: from a sample. */
static int expected_reach(fit_t *f, double *reach) {
  enum { SAMPLE = 200 };
  neighbour_work *work = neighbour_work_new();
  if (!work) return fail_memory(f->run->error, "the neighbours");
  const tiles_t *others = f->with_landmarks ? &f->landmarks : &f->points;
  int64_t count = f->n < SAMPLE ? f->n : SAMPLE, found = 0, start[2];
  int before = blas_threads(1), status = 0;
  for (int64_t s = 0; s < count && !status; s++) {
    const int64_t *index;
    const real_t *d2;
    status = within(others, f->points.x + s * (f->n / count) * f->points.p, 1, f->kernel.radius, work, start,
                    &index, &d2);
    if (!status) found += start[1];
  }
  blas_threads(before);
  neighbour_work_free(work);
  if (status < 0) return fail_memory(f->run->error, "the neighbours");
  *reach = (double)found / (double)count + 1;
  return LAVDM_OK;
}

/* The weights are kept if a modest share of the memory left is enough. */
static int keep_weights(fit_t *f) {
  const double share = 0.25;
  lavdm_info_t *info = &f->model->info;
  const lavdm_options *o = &f->run->options;
  double bytes = kept_bytes(f->n, f->points.p, f->m);
  int before = stage_kept(f);
  if (before >= 0) return before ? kept_new(f->run, &f->points, &f->landmarks, &f->kept) : LAVDM_OK;
  if (o->stream == LAVDM_STREAM_YES || bytes > share * (double)(o->max_memory - info->memory_needed))
    return LAVDM_OK;
  int pays = kept_pays(&f->points, &f->landmarks, f->kernel.radius);
  if (pays < 0) return fail_memory(f->run->error, "the weights");
  if (!pays) return LAVDM_OK;
  return kept_new(f->run, &f->points, &f->landmarks, &f->kept);
}

static int need_memory(fit_t *f) {
  const lavdm_options *o = &f->run->options;
  double n = (double)f->n, reach = n;
  int status = LAVDM_OK;
  if (f->with_landmarks || o->edges == LAVDM_EDGES_BALL) status = expected_reach(f, &reach);
  if (status < 0) return status;
  if (!f->with_landmarks && o->edges == LAVDM_EDGES_KNN) reach = 1.15 * (double)(o->knn + 1);
  sizes_t sizes = memory_guess(f->run, &f->data);
  sizes.d = has_frames(&f->run->options) ? o->dim : 0;
  sizes.q = f->q;
  sizes.m = f->m;
  sizes.pairs = f->with_landmarks ? reach : n * reach;
  f->model->info.memory_needed = memory_need(&sizes).memory;
  status = memory_check(f->run, f->model->info.memory_needed);
  bool again =
      f->with_landmarks && o->method != LAVDM_METHOD_NYSTROM; /* weights are asked for twice and more */
  return !status && again ? keep_weights(f) : status;
}

int prepare_points(fit_t *f) {
  int status;
  if ((status = order_points(f)) < 0) return status;
  if ((status = choose_references(f)) < 0) return status;
  if ((status = estimate_frames(f)) < 0) return status;
  if ((status = choose_kernel(f)) < 0) return status;
  return need_memory(f);
}
