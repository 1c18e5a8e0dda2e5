#include "lowpass/lowpass.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/sort.h"
#include "spectrum/spectrum.h"

#include <math.h>
#include <string.h>

/*
 * LANDMARKS sqrt(n) landmarks within the bounds; epsilon is the median squared distance from a landmark to
 * the REACH-th other. Planes of x^ (3000 points in R^20, no noise, root mean square sine to the true ones):
 * a torus of revolution of radius .35, r = 20: .18 with 4 sqrt(n) landmarks and a reach of 4, .15 with 8
 * and 8, .11 with 8 and 16; and with the normalisation below .13 for .15, on the sphere, r = 10, .04 for .07.
 */
enum { STREAM_LANDMARKS = 301 }; /* of random numbers */
enum { LANDMARKS = 8, FEWEST = 40, MOST = 1500, REACH = 12 };

/* The normalisation that makes the diffusion that of the manifold, whatever the density. */
static const double ALPHA = 1, BETA = 0.5;
static const double CUTOFF = 3;

static graph_spec scalar_spec(double epsilon) {
  return (graph_spec){
      .bundle = LAVDM_BUNDLE_TRIVIAL,
      .q = 1,
      .kernel = {.kind = LAVDM_KERNEL_GAUSSIAN, .epsilon = epsilon, .radius = CUTOFF * sqrt(epsilon)},
      .edges = LAVDM_EDGES_BALL,
      .spare = -1,
      .kept = 0};
}

static int64_t landmark_count(int64_t n) {
  int64_t m = LANDMARKS * (int64_t)sqrt((double)n);
  m = m < FEWEST ? FEWEST : m > MOST ? MOST : m;
  return m < n ? m : n;
}

double lowpass_bytes(int64_t n, int64_t p) {
  double m = (double)landmark_count(n);
  return 8 * (double)n * (double)(LOWPASS_MOST + 4 * p + 8) + 8 * m * (4 * m + LOWPASS_MOST + 4 * (double)p);
}

void lowpass_close(engine_t *engine, lowpass_t *l) {
  engine->ops->unload(engine, l->rows);
  engine->ops->unload(engine, l->marks);
  mem_free(l->order);
  mem_free(l->landmarks);
  mem_free(l->scaling.column);
  mem_free(l->scaling.mass);
  mem_free(l->scaling.inflow);
  mem_free(l->eigenvalues);
  mem_free(l->vectors);
  mem_free(l->fields);
  mem_free(l->coefficients);
  *l = (lowpass_t){0};
}

static size_t real_size(lavdm_type real) {
  return real == LAVDM_F32 ? sizeof(float) : sizeof(double);
}

static double real_at(const void *from, lavdm_type real, int64_t i) {
  return real == LAVDM_F32 ? (double)((const float *)from)[i] : ((const double *)from)[i];
}

/* -------------------------------------------------------------- diffusion */

/* Rows index[0..m) of the points, as rows of their own. */
static int load_landmarks(engine_t *engine, lowpass_t *l, const int64_t *index) {
  int64_t size = l->m * l->p;
  void *points = mem_new(size, real_size(l->real));
  l->landmarks = NEW(double, size);
  l->order = NEW(int64_t, l->m);
  int status = points && l->landmarks && l->order
                   ? engine->ops->fetch(engine, l->rows, ROWS_POINTS, index, 0, l->m, points)
                   : fail_memory(engine->run->error, "the landmarks");
  for (int64_t i = 0; i < size && !status; i++) l->landmarks[i] = real_at(points, l->real, i);
  mem_free(points);
  lavdm_data data = {.points = l->landmarks, .n = l->m, .p = l->p};
  if (!status) status = engine->ops->load(engine, &data, NULL, ROLE_LANDMARKS, 0, &l->marks);
  return status < 0 ? status : engine->ops->fetch(engine, l->marks, ROWS_ORDER, NULL, 0, l->m, l->order);
}

/* One row at random of each of m parts of the data, whatever the engine's order. */
static int choose_landmarks(engine_t *engine, lowpass_t *l) {
  l->m = landmark_count(l->n);
  int64_t *index = NEW(int64_t, l->m);
  if (!index) return fail_memory(engine->run->error, "the landmarks");
  random_t random = random_start(engine->run->options.seed, STREAM_LANDMARKS);
  for (int64_t k = 0; k < l->m; k++) {
    int64_t first = (int64_t)((double)k * (double)l->n / (double)l->m),
            end = (int64_t)((double)(k + 1) * (double)l->n / (double)l->m);
    index[k] = first + random_below(&random, end - first);
  }
  int status = load_landmarks(engine, l, index);
  mem_free(index);
  return status;
}

static int choose_epsilon(engine_t *engine, lowpass_t *l) {
  double *d2 = NEW(double, l->m);
  int64_t k = REACH < l->m - 1 ? REACH : l->m - 1;
  int status = d2 ? engine->ops->nearest(engine, l->marks, l->m, l->marks, k, d2)
                  : fail_memory(engine->run->error, "the neighbours");
  if (!status) {
    sort_reals(d2, l->m);
    l->epsilon = d2[l->m / 2] > 0 ? d2[l->m / 2] : d2[l->m - 1];
  }
  mem_free(d2);
  if (!status && !(l->epsilon > 0))
    status = fail(engine->run->error, LAVDM_ERROR_DATA, "all the points that were looked at are equal");
  return status;
}

/* Graph, normalisation, eigenvectors. */
static int diffuse(engine_t *engine, lowpass_t *l, int64_t most) {
  run_t *run = engine->run;
  const engine_ops *ops = engine->ops;
  graph_spec spec = scalar_spec(l->epsilon);
  graph_info found = {0};
  symmetric_t gram = {0};
  l->r = most < l->m ? most : l->m;
  l->scaling = (landmark_scaling){NEW(double, l->m), NEW(double, l->m), NEW(double, l->m)};
  l->eigenvalues = NEW(double, l->r);
  l->vectors = NEW(double, l->m * l->r);
  double *residuals = NEW(double, l->r);
  bool whole =
      l->scaling.column && l->scaling.mass && l->scaling.inflow && l->eigenvalues && l->vectors && residuals;
  int status = whole ? ops->graph(engine, l->rows, l->marks, &spec, &found)
                     : fail_memory(run->error, "the diffusion of the points");
  if (!status) status = ops->scale(engine, l->rows, ALPHA, BETA, &l->scaling, &found);
  if (!status) status = ops->gram(engine, l->rows, &gram, &found);
  if (!status)
    status = ops->spectrum
                 ? ops->spectrum(engine, l->rows, &gram, l->r, l->eigenvalues, l->vectors, residuals)
                 : spectrum_top(run, &gram, l->r, l->eigenvalues, l->vectors, residuals);
  symmetric_free(&gram);
  mem_free(residuals);
  /* below rounding there is no direction left */
  while (!status && l->r > 1 && l->eigenvalues[l->r - 1] < 1e-12 * l->eigenvalues[0]) l->r--;
  return status;
}

/* Columns of vectors that are not wanted are left out: m x from -> m x to. */
static void narrow(double *vectors, int64_t m, int64_t from, int64_t to) {
  for (int64_t k = 0; k < m && to < from; k++)
    memmove(vectors + k * to, vectors + k * from, (size_t)to * sizeof *vectors);
}

/* u, and c = U' D x. */
static int expand(engine_t *engine, lowpass_t *l) {
  run_t *run = engine->run;
  const engine_ops *ops = engine->ops;
  size_t real = real_size(l->real);
  void *points = mem_new(l->n * l->p, real);
  double *degrees = NEW(double, l->n), *x = NEW(double, l->p);
  l->fields = mem_new(l->n * l->r, real);
  l->coefficients = NEW(double, l->r * l->p);
  bool whole = points && degrees && x && l->fields && l->coefficients;
  int status = whole ? ops->fields(engine, l->rows, l->vectors, l->eigenvalues, l->r)
                     : fail_memory(run->error, "the diffusion of the points");
  if (!status) status = ops->fetch(engine, l->rows, ROWS_FIELDS, NULL, 0, l->n, l->fields);
  if (!status) status = ops->fetch(engine, l->rows, ROWS_POINTS, NULL, 0, l->n, points);
  if (!status) status = ops->fetch(engine, l->rows, ROWS_DEGREES, NULL, 0, l->n, degrees);
  for (int64_t i = 0; i < l->n && !status; i++) {
    for (int64_t j = 0; j < l->p; j++) x[j] = degrees[i] * real_at(points, l->real, i * l->p + j);
    for (int64_t a = 0; a < l->r; a++) {
      double u = real_at(l->fields, l->real, i * l->r + a);
      for (int64_t j = 0; j < l->p; j++) l->coefficients[a * l->p + j] += u * x[j];
    }
  }
  mem_free(points);
  mem_free(degrees);
  mem_free(x);
  return status < 0 ? status : run_status(run);
}

int lowpass_open(engine_t *engine, const lavdm_data *data, const double *centre, int64_t most,
                 lowpass_t *out) {
  *out = (lowpass_t){.n = data->n, .p = data->p, .real = engine_real(engine->run)};
  int status = engine->ops->load(engine, data, centre, ROLE_POINTS, 0, &out->rows);
  if (!status) status = choose_landmarks(engine, out);
  if (!status) status = choose_epsilon(engine, out);
  int64_t r = most < out->m ? most : out->m;
  if (!status) status = diffuse(engine, out, most);
  if (!status) {
    narrow(out->vectors, out->m, r, out->r);
    status = expand(engine, out);
  }
  return status;
}

/* ---------------------------------------------------------------- results */

int lowpass_points(run_t *run, const lowpass_t *l, int64_t r, double *out) {
  memset(out, 0, (size_t)(l->n * l->p) * sizeof *out);
#pragma omp parallel for num_threads(run->threads) schedule(static)
  for (int64_t i = 0; i < l->n; i++)
    for (int64_t a = 0; a < r; a++) {
      double u = real_at(l->fields, l->real, i * l->r + a);
      for (int64_t j = 0; j < l->p; j++) out[i * l->p + j] += u * l->coefficients[a * l->p + j];
    }
  return run_status(run);
}

void lowpass_describe(const lowpass_t *l, int64_t r, double *values, double *weights) {
  for (int64_t k = 0; k < l->m; k++) {
    double *to = values + l->order[k] * l->p;
    memset(to, 0, (size_t)l->p * sizeof *to);
    for (int64_t a = 0; a < r; a++) {
      double v = l->scaling.column[k] * l->vectors[k * l->r + a] / sqrt(l->eigenvalues[a]);
      for (int64_t j = 0; j < l->p; j++) to[j] += v * l->coefficients[a * l->p + j];
    }
    weights[2 * l->order[k]] = l->scaling.mass[k];
    weights[2 * l->order[k] + 1] = l->scaling.inflow[k];
  }
}

/* ------------------------------------------------------------- everywhere */

typedef struct {
  rows_t *rows, *marks;
  int64_t *order;
  double *mass, *inflow, *field, *degrees;
} place_t;

static void release(engine_t *engine, place_t *at) {
  engine->ops->unload(engine, at->rows);
  engine->ops->unload(engine, at->marks);
  mem_free(at->order);
  mem_free(at->mass);
  mem_free(at->inflow);
  mem_free(at->field);
  mem_free(at->degrees);
}

/* The landmarks, and what they have become, in the engine's order. */
static int open_landmarks(engine_t *engine, const lowpass_field *field, place_t *at) {
  int64_t m = field->m, p = field->p;
  lavdm_data data = {.points = field->landmarks, .n = m, .p = p};
  at->order = NEW(int64_t, m);
  at->mass = NEW(double, m);
  at->inflow = NEW(double, m);
  at->field = NEW(double, m *p);
  bool whole = at->order && at->mass && at->inflow && at->field;
  int status = whole ? engine->ops->load(engine, &data, NULL, ROLE_LANDMARKS, 0, &at->marks)
                     : fail_memory(engine->run->error, "the landmarks");
  if (!status) status = engine->ops->fetch(engine, at->marks, ROWS_ORDER, NULL, 0, m, at->order);
  for (int64_t k = 0; k < m && !status; k++) {
    int64_t from = at->order[k];
    at->mass[k] = field->weights[2 * from];
    at->inflow[k] = field->weights[2 * from + 1];
    memcpy(at->field + k * p, field->values + from * p, (size_t)p * sizeof *at->field);
  }
  return status;
}

/* Rows that nothing reaches stay where they are. */
static int leave_far(engine_t *engine, const place_t *at, int64_t n, int64_t p, void *out) {
  size_t row = (size_t)p * real_size(engine_real(engine->run));
  int status = LAVDM_OK;
  for (int64_t i = 0; i < n && !status; i++)
    if (!(at->degrees[i] > 0))
      status = engine->ops->fetch(engine, at->rows, ROWS_POINTS, NULL, i, 1, (char *)out + (size_t)i * row);
  return status;
}

int lowpass_apply(engine_t *engine, const lavdm_data *data, const double *centre, const lowpass_field *field,
                  void *out) {
  const engine_ops *ops = engine->ops;
  graph_spec spec = scalar_spec(field->epsilon);
  graph_info found = {0};
  place_t at = {0};
  at.degrees = NEW(double, data->n);
  int status =
      at.degrees ? open_landmarks(engine, field, &at) : fail_memory(engine->run->error, "the points");
  if (!status) status = ops->load(engine, data, centre, ROLE_POINTS, 0, &at.rows);
  if (!status) status = ops->graph(engine, at.rows, at.marks, &spec, &found);
  fields_spec fields = {.r = field->p,
                        .alpha = ALPHA,
                        .mass = at.mass,
                        .inflow = at.inflow,
                        .field = at.field,
                        .take_far = true};
  if (!status) status = ops->extend(engine, at.rows, &fields, out, at.degrees, NULL);
  if (!status) status = leave_far(engine, &at, data->n, field->p, out);
  release(engine, &at);
  return status;
}
