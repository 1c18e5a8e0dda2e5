/*
 * Every stage of the cpu engine against the reference engine. What is arbitrary (bases of frames and of
 * eigenspaces) is not compared: frames by their projectors, and from then on both engines have the same
 * ones; eigenvectors not at all, but what is made of vectors, which are any.
 */
#include "engines_support.h"

#define TANGENT      LAVDM_BUNDLE_TANGENT
#define ORIENTATION  LAVDM_BUNDLE_ORIENTATION
#define TRIVIAL      LAVDM_BUNDLE_TRIVIAL
#define GAUSSIAN     LAVDM_KERNEL_GAUSSIAN
#define EPANECHNIKOV LAVDM_KERNEL_EPANECHNIKOV
#define BALL_KERNEL  LAVDM_KERNEL_BALL
#define BALL         LAVDM_EDGES_BALL
#define NEAREST      LAVDM_EDGES_KNN
#define COMPLETE     LAVDM_EDGES_COMPLETE

static const problem_t problems[] = {
    {"roseland", 150, 5, 2, 30, TRIVIAL, GAUSSIAN, BALL, 0.1, 3, 0, 0, 0, false, 0, 0, false},
    {"lavdm on a curve", 120, 3, 1, 25, TANGENT, GAUSSIAN, BALL, 0.05, 2, 1, 0.5, 0, false, 0, 0, false},
    {"lavdm", 200, 4, 2, 40, TANGENT, GAUSSIAN, BALL, 0.1, 2, 1, 0.5, 0, false, 0, 0, false},
    {"lavdm in space", 200, 6, 3, 40, TANGENT, EPANECHNIKOV, BALL, 0.6, 1, 0.5, 0.3, 0, false, 0, 0, false},
    {"many coordinates", 150, 20, 2, 30, TANGENT, GAUSSIAN, BALL, 0.1, 3, 1, 0, 0, false, 0, 0, false},
    {"frames by radius", 150, 4, 2, 30, TANGENT, GAUSSIAN, BALL, 0.1, 3, 0.5, 0.5, 0.9, false, 0, 0, false},
    {"landmarks beside", 150, 4, 2, 30, TANGENT, BALL_KERNEL, BALL, 0.2, 1, 1, 1, 0, false, 0, 0, true},
    {"orientation", 150, 4, 2, 30, ORIENTATION, GAUSSIAN, BALL, 0.1, 3, 1, 0.5, 0, false, 0, 0, false},
    {"orientation in space", 150, 5, 3, 30, ORIENTATION, GAUSSIAN, BALL, 0.3, 2, 1, 0, 0, false, 0, 0, false},
    {"far and lost", 200, 4, 2, 40, TANGENT, GAUSSIAN, BALL, 0.05, 3, 1, 0.5, 0, false, 3, 2, false},
    {"two pieces", 201, 4, 2, 45, TANGENT, GAUSSIAN, BALL, 0.1, 2.5, 1, 0.3, 0, true, 0, 1, false},
    {"vdm, ball", 150, 4, 2, 0, TANGENT, GAUSSIAN, BALL, 0.1, 2, 1, 0, 0, false, 0, 0, false},
    {"vdm, knn", 150, 4, 2, 0, TANGENT, GAUSSIAN, NEAREST, 0.1, 1e3, 1, 0, 0, false, 0, 0, false},
    {"vdm in space", 120, 5, 3, 0, TANGENT, EPANECHNIKOV, BALL, 0.8, 1, 0.5, 0, 0, false, 0, 0, false},
    {"vdm, pieces", 150, 4, 2, 0, TANGENT, GAUSSIAN, BALL, 0.1, 2.5, 1, 0, 0, true, 0, 2, false},
    {"vdm, orientation", 120, 4, 2, 0, ORIENTATION, GAUSSIAN, NEAREST, 0.1, 1e3, 0, 0, 0, false, 0, 0, false},
    {"dm, complete", 150, 4, 2, 0, TRIVIAL, GAUSSIAN, COMPLETE, 0.3, 1e6, 1, 0, 0, false, 0, 0, false},
    {"dm on a curve", 100, 3, 1, 0, TRIVIAL, GAUSSIAN, NEAREST, 0.1, 1e3, 0.5, 0, 0, true, 0, 0, false},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

/* ----------------------------------------------------------------- neighbours */

static void compare_neighbours(const problem_t *c, const side_t *a, const side_t *b) {
  const int64_t ks[] = {1, KNN, c->n - 1};
  double reach[2];
  for (int t = 0; t < 3; t++) {
    double *d2[2] = {numbers(c->n), numbers(c->n)}, *own[2];
    done(a, a->ops->nearest(a->engine, a->rows, c->n, a->rows, ks[t], d2[0]));
    done(b, b->ops->nearest(b->engine, b->rows, c->n, b->rows, ks[t], d2[1]));
    own[0] = sorted(d2[0], a->row_order, c->n, 1), own[1] = sorted(d2[1], b->row_order, c->n, 1);
    all_near(own[0], own[1], c->n);
    assert_true(own[0][0] > 0);
    if (t < 2 && a->marks) {
      done(a, a->ops->nearest(a->engine, a->rows, c->n, a->marks, ks[t], d2[0]));
      done(b, b->ops->nearest(b->engine, b->rows, c->n, b->marks, ks[t], d2[1]));
      free(own[0]), free(own[1]);
      own[0] = sorted(d2[0], a->row_order, c->n, 1), own[1] = sorted(d2[1], b->row_order, c->n, 1);
      all_near(own[0], own[1], c->n);
    }
    for (int i = 0; i < 2; i++) free(d2[i]), free(own[i]);
  }
  double radius = c->cutoff < 10 ? c->cutoff * sqrt(c->epsilon) : 0.3;
  done(a, a->ops->within(a->engine, a->rows, c->n, references_of(a), radius, &reach[0]));
  done(b, b->ops->within(b->engine, b->rows, c->n, references_of(b), radius, &reach[1]));
  assert_true(reach[0] == reach[1] && reach[0] > 1);
  enum { MOST = 2 };
  double *l[2] = {numbers(c->n * (MOST + 1)), numbers(c->n * (MOST + 1))}, *own[2];
  done(a, a->ops->spectra(a->engine, a->rows, c->n, 2 * KNN, MOST, l[0]));
  done(b, b->ops->spectra(b->engine, b->rows, c->n, 2 * KNN, MOST, l[1]));
  own[0] = sorted(l[0], a->row_order, c->n, MOST + 1), own[1] = sorted(l[1], b->row_order, c->n, MOST + 1);
  all_near(own[0], own[1], c->n * (MOST + 1));
  for (int i = 0; i < 2; i++) free(l[i]), free(own[i]);
}

/* --------------------------------------------------------------------- frames */

/* B B' of every row, which no basis changes: n x p x p. */
static double *projectors(const double *frames, int64_t n, int64_t p, int64_t d) {
  double *out = numbers(n * p * p);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < p; j++)
      for (int64_t k = 0; k < p; k++)
        for (int64_t e = 0; e < d; e++)
          out[(i * p + j) * p + k] += frames[(i * p + j) * d + e] * frames[(i * p + k) * d + e];
  return out;
}

/* Those of both engines span the same; then the second has those of the first. */
static void share_frames(const problem_t *c, const side_t *a, rows_t *of_a, const side_t *b, rows_t *of_b) {
  int64_t n = of_a->n, width = c->p * c->d;
  double *f = fetched(a, of_a, ROWS_FRAMES, width), *g = fetched(b, of_b, ROWS_FRAMES, width);
  double *x = projectors(f, n, c->p, c->d), *y = projectors(g, n, c->p, c->d);
  for (int64_t e = 0; e < n * c->p * c->p; e++) assert_true(fabs(x[e] - y[e]) < 1e-8);
  done(b, b->ops->put(b->engine, of_b, ROWS_FRAMES, f));
  double *again = fetched(b, of_b, ROWS_FRAMES, width);
  all_near(f, again, n * width);
  free(f), free(g), free(x), free(y), free(again);
}

static void compare_frames(const problem_t *c, side_t *a, side_t *b) {
  int64_t other;
  side_t *sides[] = {a, b};
  for (int i = 0; i < 2; i++) {
    side_t *s = sides[i];
    done(s, s->ops->frames(s->engine, s->rows, s->rows, c->d, KNN, c->radius, &s->degenerate));
    if (s->marks) done(s, s->ops->frames(s->engine, s->marks, s->rows, c->d, KNN, c->radius, &other));
  }
  assert_int_equal(a->degenerate, 0);
  assert_int_equal(b->degenerate, 0);
  share_frames(c, a, a->rows, b, b->rows);
  if (a->marks) share_frames(c, a, a->marks, b, b->marks);
}

/* ------------------------------------------------------------------- operator */

static void make_operator(const problem_t *c, side_t *s) {
  done(s, s->ops->graph(s->engine, s->rows, references_of(s), &s->spec, &s->found));
  done(s, s->ops->scale(s->engine, s->rows, c->alpha, c->beta, s->marks ? &s->scaling : NULL, &s->found));
  if (s->marks) done(s, s->ops->gram(s->engine, s->rows, &s->gram, &s->found));
}

static void compare_rows(const problem_t *c, const side_t *a, const side_t *b, rows_what what,
                         int64_t width) {
  double *x = fetched(a, a->rows, what, width), *y = fetched(b, b->rows, what, width);
  if (what == ROWS_COMPONENTS)
    assert_memory_equal(x, y, (size_t)c->n * sizeof(int64_t));
  else
    all_near(x, y, c->n * width);
  free(x), free(y);
}

/* m x width numbers of the landmarks. */
static void compare_marks(const side_t *a, const side_t *b, const double *x, const double *y) {
  double *u = sorted(x, order_of(a), a->m, 1), *v = sorted(y, order_of(b), b->m, 1);
  all_near(u, v, a->m);
  free(u), free(v);
}

static int by_bytes(const void *a, const void *b) {
  return memcmp(a, b, sizeof(double));
}

/* The far rows, in whichever order: by their coordinates one after the other. */
static void compare_far(const problem_t *c, const side_t *a, const side_t *b) {
  double *x = numbers(a->found.far * c->p), *y = numbers(a->found.far * c->p);
  done(a, a->ops->fetch(a->engine, a->rows, ROWS_FAR, NULL, 0, a->found.far, x));
  done(b, b->ops->fetch(b->engine, b->rows, ROWS_FAR, NULL, 0, a->found.far, y));
  qsort(x, (size_t)(a->found.far * c->p), sizeof *x, by_bytes);
  qsort(y, (size_t)(a->found.far * c->p), sizeof *y, by_bytes);
  assert_memory_equal(x, y, (size_t)(a->found.far * c->p) * sizeof *x);
  free(x), free(y);
}

/* G with rows and columns in the order of the landmarks. */
static double *sorted_gram(const side_t *s) {
  int64_t q = s->q, size = s->m * q;
  double *dense = symmetric_dense(&s->gram), *out = numbers(size * size);
  for (int64_t i = 0; i < size; i++)
    for (int64_t j = 0; j < size; j++)
      out[(s->mark_order[i / q] * q + i % q) * size + s->mark_order[j / q] * q + j % q] = dense[i * size + j];
  mem_free(dense);
  return out;
}

/* N times the same vectors. */
static double *product(const side_t *s, const double *x) {
  int64_t n = s->rows->n, width = s->q * FIELDS;
  double *own = unsorted(x, s->row_order, n, width), *y = numbers(n * width);
  done(s, s->ops->apply(s->engine, s->rows, own, y, FIELDS));
  double *out = sorted(y, s->row_order, n, width);
  free(own), free(y);
  return out;
}

static void compare_operator(const problem_t *c, side_t *a, side_t *b) {
  make_operator(c, a);
  make_operator(c, b);
  assert_int_equal(a->found.edges, b->found.edges);
  assert_int_equal(a->found.ill, b->found.ill);
  assert_int_equal(a->found.far, b->found.far);
  assert_int_equal(a->found.components, b->found.components);
  assert_int_equal(a->found.isolated, b->found.isolated);
  if (c->apart) assert_true(a->found.components >= 2);
  if (c->lost) assert_true(a->found.isolated >= c->lost);
  if (c->far) assert_true(a->found.far >= c->far);
  compare_rows(c, a, b, ROWS_DEGREES, 1);
  compare_rows(c, a, b, ROWS_COMPONENTS, 1);
  if (a->marks) {
    compare_marks(a, b, a->scaling.column, b->scaling.column);
    compare_marks(a, b, a->scaling.mass, b->scaling.mass);
    compare_marks(a, b, a->scaling.inflow, b->scaling.inflow);
    double *g = sorted_gram(a), *h = sorted_gram(b);
    all_near(g, h, a->m * a->q * a->m * a->q);
    free(g), free(h);
    if (a->found.far) compare_far(c, a, b);
  } else {
    compare_rows(c, a, b, ROWS_DENSITIES, 1);
    double *x = numbers(c->n * a->q * FIELDS);
    fill_normal(x, c->n * a->q * FIELDS, 17);
    double *y = product(a, x), *z = product(b, x);
    all_near(y, z, c->n * a->q * FIELDS);
    free(x), free(y), free(z);
  }
}

/* ------------------------------------------------------- spectrum and fields */

static void spectrum_of_side(const side_t *s, double *values) {
  double residuals[FIELDS], *vectors = numbers(s->m * s->q * FIELDS);
  done(s,
       s->ops->spectrum(s->engine, s->rows, s->marks ? &s->gram : NULL, FIELDS, values, vectors, residuals));
  for (int l = 0; l < FIELDS; l++) assert_true(residuals[l] < 1e-10);
  free(vectors);
}

/* Fields made of any vectors: v in the order of the landmarks, or of the rows. */
static double *fields_of(const side_t *s, const double *v, const double *values) {
  double *own = s->marks ? unsorted(v, s->mark_order, s->m, s->q * FIELDS) : NULL;
  if (!s->marks) done(s, s->ops->put(s->engine, s->rows, ROWS_VECTORS, v));
  done(s, s->ops->fields(s->engine, s->rows, own, values, FIELDS));
  double *u = fetched(s, s->rows, ROWS_FIELDS, s->q * FIELDS);
  const int64_t some[] = {3, 0, 7};
  double *part = numbers(3 * s->q * FIELDS);
  done(s, s->ops->fetch(s->engine, s->rows, ROWS_FIELDS, some, 0, 3, part));
  for (int i = 0; i < 3; i++) all_near(u + some[i] * s->q * FIELDS, part + i * s->q * FIELDS, s->q * FIELDS);
  free(own), free(part);
  return u;
}

static void compare_fields(const problem_t *c, side_t *a, side_t *b) {
  double values[2][FIELDS], *v = numbers(a->m * a->q * FIELDS);
  spectrum_of_side(a, values[0]);
  spectrum_of_side(b, values[1]);
  all_near(values[0], values[1], FIELDS);
  fill_normal(v, a->m * a->q * FIELDS, 23);
  values[0][FIELDS - 1] = 0; /* one that vanished */
  double *x = fields_of(a, v, values[0]), *y = fields_of(b, v, values[0]);
  all_near(x, y, c->n * a->q * FIELDS);
  free(x), free(y), free(v);
}

/* ------------------------------------------------------------------ extension */

/* Bandwidths of rows, any, in the engine's order. */
static double *widths_of(const side_t *s, const rows_t *rows) {
  int64_t *order = malloc((size_t)rows->n * sizeof *order);
  double *rho = numbers(rows->n);
  done(s, s->ops->fetch(s->engine, rows, ROWS_ORDER, NULL, 0, rows->n, order));
  for (int64_t i = 0; i < rows->n; i++) rho[i] = 1.2 + 0.7 * sin(1.7 * (double)order[i]);
  free(order);
  return rho;
}

typedef struct {
  double *u, *degree;
  graph_info info;
} extended_t;

static extended_t extend(const problem_t *c, const side_t *s, rows_t *fresh, const double *field,
                         const double *known) {
  int64_t width = s->q * FIELDS;
  extended_t e = {numbers(fresh->n * width), numbers(fresh->n), {0}};
  double *mass = numbers(s->m), *inflow = numbers(s->m), *own = unsorted(field, order_of(s), s->m, width);
  for (int64_t k = 0; k < s->m; k++) {
    double at = (double)order_of(s)[k];
    mass[k] = 1 + 0.5 * sin(at), inflow[k] = 2 + cos(at);
  }
  fields_spec spec = {.r = FIELDS,
                      .alpha = c->alpha,
                      .mass = mass,
                      .inflow = inflow,
                      .field = own,
                      .values = (const double[FIELDS]){1, 0.99, 0.9, 0.5, -0.1},
                      .known = known,
                      .known_count = 1};
  graph_spec graph = s->spec;
  double *rho = graph.local.rho ? widths_of(s, fresh) : NULL;
  graph.local.rho = rho;
  done(s, s->ops->graph(s->engine, fresh, references_of(s), &graph, &e.info));
  done(s, s->ops->extend(s->engine, fresh, &spec, e.u, e.degree, &e.info));
  free(mass), free(inflow), free(own), free(rho);
  return e;
}

/* New points; the last three are beyond every cut-off, one of which is known. */
static void compare_extension(const problem_t *c, const side_t *a, const side_t *b) {
  enum { FRESH = 40 };
  double *x = sheet(FRESH, c->p, c->d, 11), *field = numbers(a->m * a->q * FIELDS);
  for (int64_t i = 0; i < FRESH * c->p; i++) x[i] += 0.01 * sin((double)i);
  for (int64_t i = FRESH - 3; i < FRESH; i++)
    x[(i + 1) * c->p - 1] -= 9 * (double)(i - FRESH + 4) * sqrt(c->epsilon);
  fill_normal(field, a->m * a->q * FIELDS, 29);
  lavdm_data data = {.points = x, .n = FRESH, .p = c->p};
  const side_t *sides[] = {a, b};
  rows_t *fresh[2];
  extended_t e[2];
  int64_t degenerate[2];
  for (int i = 0; i < 2; i++) {
    const side_t *s = sides[i];
    done(s, s->ops->load(s->engine, &data, NULL, ROLE_NEW, c->n, &fresh[i]));
    done(s, s->ops->frames(s->engine, fresh[i], s->rows, c->d, KNN, c->radius, &degenerate[i]));
  }
  for (int i = 0; i < 2; i++) { /* frames far from all points are anyone's: both have those of the first */
    double *frames = fetched(a, fresh[0], ROWS_FRAMES, c->p * c->d);
    if (i) done(b, b->ops->put(b->engine, fresh[1], ROWS_FRAMES, frames));
    e[i] = extend(c, sides[i], fresh[i], field, x + (FRESH - 3) * c->p);
    free(frames);
  }
  assert_int_equal(degenerate[0], degenerate[1]);
  assert_int_equal(e[0].info.edges, e[1].info.edges);
  assert_int_equal(e[0].info.far, e[1].info.far);
  assert_int_equal(e[0].info.ill, e[1].info.ill);
  all_near(e[0].degree, e[1].degree, FRESH);
  all_near(e[0].u, e[1].u, FRESH * a->q * FIELDS);
  assert_true(e[0].degree[0] > 0 && !isnan(e[0].u[0]));
  bool bounded = c->edges == BALL;
  assert_true((e[0].degree[FRESH - 2] > 0) == !bounded);
  if (bounded && c->kernel == GAUSSIAN) {
    assert_true(e[0].degree[FRESH - 3] > 0);
    assert_true(e[0].info.far >= 1);
  }
  for (int i = 0; i < 2; i++) {
    sides[i]->ops->unload(sides[i]->engine, fresh[i]);
    free(e[i].u), free(e[i].degree);
  }
  free(x), free(field);
}

/* --------------------------------------------------------------------- blocks */

static void compare_blocks(const problem_t *c, side_t *a, side_t *b) {
  blocks_t x = {0}, y = {0};
  done(a, a->ops->blocks(a->engine, a->rows, &x, &a->found));
  done(b, b->ops->blocks(b->engine, b->rows, &y, &b->found));
  assert_true(x.count > 0);
  assert_int_equal(x.count, y.count);
  assert_memory_equal(x.start, y.start, (size_t)(c->n + 1) * sizeof *x.start);
  assert_memory_equal(x.col, y.col, (size_t)x.count * sizeof *x.col);
  all_near(x.block, y.block, x.count * a->q * a->q);
  blocks_t *both[] = {&x, &y};
  for (int i = 0; i < 2; i++)
    large_free(both[i]->start), large_free(both[i]->col), large_free(both[i]->block);
}

/* How the graph is normalised. */
typedef enum { BY_DEGREE, BALANCED_ROWS, LOCAL_WIDTHS } how_t;

static void set_widths(const problem_t *c, side_t *s) {
  double *rho = widths_of(s, s->rows), least = INFINITY, most = 0;
  for (int64_t i = 0; i < c->n; i++) least = fmin(least, rho[i] * rho[i]), most = fmax(most, rho[i]);
  s->spec.local = (widths_t){rho, rho, c->d, least, most};
}

static void compare_engines(const problem_t *c, const double *x, how_t how) {
  bool balanced = how == BALANCED_ROWS;
  print_message("%s\n", c->name);
  side_t a, b;
  side_open(&a, LAVDM_ENGINE_REFERENCE, c, x);
  side_open(&b, LAVDM_ENGINE_CPU, c, x);
  assert_string_equal(a.ops->name, "reference");
  assert_string_equal(b.ops->name, "cpu");
  a.spec.balanced = b.spec.balanced = balanced;
  if (how == BY_DEGREE) compare_neighbours(c, &a, &b);
  if (how == LOCAL_WIDTHS) set_widths(c, &a), set_widths(c, &b);
  compare_frames(c, &a, &b);
  compare_operator(c, &a, &b);
  compare_fields(c, &a, &b);
  compare_extension(c, &a, &b);
  compare_blocks(c, &a, &b);
  if (balanced) {
    assert_true(a.found.unbalanced <= 1e-12 && b.found.unbalanced <= 1e-12);
    assert_in_range(b.found.unbalanced_row, 0, c->n - 1);
  }
  double *rho[] = {(double *)a.spec.local.rho, (double *)b.spec.local.rho};
  side_close(&a), side_close(&b);
  free(rho[0]), free(rho[1]);
}

static void test_stages(void **state) {
  (void)state;
  for (int t = 0; t < PROBLEMS; t++) {
    double *x = problem_points(&problems[t]);
    compare_engines(&problems[t], x, BY_DEGREE);
    free(x);
  }
}

/* Row sums of 1. */
static void test_balanced(void **state) {
  (void)state;
  for (int t = 0; t < PROBLEMS; t++) {
    const problem_t *c = &problems[t];
    if (c->m || c->kernel != GAUSSIAN) continue;
    double *x = problem_points(c);
    compare_engines(c, x, BALANCED_ROWS);
    free(x);
  }
}

/* A bandwidth of each point's own. */
static void test_local(void **state) {
  (void)state;
  for (int t = 0; t < PROBLEMS; t++) {
    const problem_t *c = &problems[t];
    if (c->m) continue;
    double *x = problem_points(c);
    compare_engines(c, x, LOCAL_WIDTHS);
    free(x);
  }
}

/* ------------------------------------------------------------------ landmarks */

/* Mean over the points of the squared distance to the nearest landmark. */
static double spread_of(const problem_t *c, const double *x, const int64_t *index) {
  double sum = 0;
  for (int64_t i = 0; i < c->n; i++) {
    double least = INFINITY;
    for (int64_t k = 0; k < c->m; k++) {
      double d2 = 0;
      for (int64_t j = 0; j < c->p; j++) d2 += pow(x[i * c->p + j] - x[index[k] * c->p + j], 2);
      least = fmin(least, d2);
    }
    sum += least;
  }
  return sum / (double)c->n;
}

/* The farthest design has no choice; those of k-means are alike in what they minimise. */
static void test_designs(void **state) {
  (void)state;
  const problem_t *c = &problems[2];
  double *x = problem_points(c), mean[3][2];
  for (int design = LAVDM_DESIGN_KMEANS; design <= LAVDM_DESIGN_RANDOM; design++) {
    int64_t index[2][40], again[40];
    assert_int_equal(c->m, 40);
    for (int i = 0; i < 2; i++) {
      side_t s;
      side_open(&s, i ? LAVDM_ENGINE_CPU : LAVDM_ENGINE_REFERENCE, c, x);
      done(&s, s.ops->landmarks(s.engine, s.rows, (lavdm_design)design, c->m, index[i]));
      done(&s, s.ops->landmarks(s.engine, s.rows, (lavdm_design)design, c->m, again));
      assert_memory_equal(index[i], again, sizeof again);
      mean[design][i] = spread_of(c, x, index[i]);
      side_close(&s);
    }
    for (int64_t k = 0; k < c->m; k++) {
      assert_true(index[0][k] >= 0 && index[0][k] < c->n);
      if (k) assert_true(index[0][k] > index[0][k - 1]);
    }
    if (design == LAVDM_DESIGN_FARTHEST) near(mean[design][0], mean[design][1], mean[design][1]);
    if (design == LAVDM_DESIGN_KMEANS) assert_true(fabs(mean[design][0] / mean[design][1] - 1) < 0.1);
  }
  assert_true(mean[LAVDM_DESIGN_KMEANS][0] < 0.8 * mean[LAVDM_DESIGN_RANDOM][0]);
  free(x);
}

static void test_copies(void **state) {
  (void)state;
  problem_t c = problems[2];
  double *x = problem_points(&c);
  for (int64_t i = 50; i < 80; i++) memcpy(x + i * c.p, x + i % 7 * c.p, (size_t)c.p * sizeof *x);
  for (int i = 0; i < 2; i++) {
    side_t s;
    int64_t copies;
    side_open(&s, i ? LAVDM_ENGINE_CPU : LAVDM_ENGINE_REFERENCE, &c, x);
    done(&s, s.ops->copies(s.engine, s.rows, &copies));
    assert_in_range(copies, i ? 1 : 30, 30); /* cpu: those that lie side by side */
    side_close(&s);
  }
  free(x);
}

/* Neighbours on a line span one dimension, whichever way it is told. */
static void test_degenerate(void **state) {
  (void)state;
  problem_t c = problems[2];
  for (c.p = 4; c.p <= 20; c.p += 16) {
    double *x = numbers(c.n * c.p);
    for (int64_t i = 0; i < c.n * c.p; i++) x[i] = pow((double)(i / c.p), 1.1) * cos((double)(i % c.p));
    for (int i = 0; i < 4; i++) {
      side_t s;
      side_open(&s, i % 2 ? LAVDM_ENGINE_CPU : LAVDM_ENGINE_REFERENCE, &c, x);
      done(&s, s.ops->frames(s.engine, s.rows, s.rows, i < 2 ? 2 : 1, KNN, 0, &s.degenerate));
      assert_int_equal(s.degenerate, i < 2 ? c.n : 0);
      side_close(&s);
    }
    free(x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_stages), cmocka_unit_test(test_balanced),
                                     cmocka_unit_test(test_local),  cmocka_unit_test(test_designs),
                                     cmocka_unit_test(test_copies), cmocka_unit_test(test_degenerate)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
