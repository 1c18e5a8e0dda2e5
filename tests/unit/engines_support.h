/*
 * The same problem on two engines, by the contract itself (engine/engine.h), one stage after the other.
 * Whatever an engine keeps in an order of its own comes out in the order of the data.
 */
#ifndef LAVDM_TESTS_ENGINES_SUPPORT_H
#define LAVDM_TESTS_ENGINES_SUPPORT_H

#include "compare.h"

#include "base/memory.h"
#include "engine/engine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { FIELDS = 5 }; /* eigenvectors, and vectors in their place */

typedef struct {
  const char *name;
  int64_t n, p, d, m; /* m landmarks, or 0: between the points themselves */
  lavdm_bundle bundle;
  lavdm_kernel kernel;
  lavdm_edge_rule edges;
  double epsilon, cutoff, alpha, beta;
  double radius; /* of local PCA; 0: the KNN nearest */
  bool apart;    /* a third of the points is a component of its own */
  int far;       /* points beyond the cut-off, and ... */
  int lost;      /* ... beyond every weight */
  bool beside;   /* landmarks are no points */
} problem_t;

enum { KNN = 9 };

typedef struct {
  run_t *run;
  lavdm_error error;
  engine_t *engine;
  const engine_ops *ops;
  rows_t *rows, *marks;
  int64_t *row_order, *mark_order; /* as ROWS_ORDER has them */
  int64_t m, q, degenerate;
  graph_spec spec;
  graph_info found;
  landmark_scaling scaling;
  symmetric_t gram;
} side_t;

static const int64_t *order_of(const side_t *s) {
  return s->marks ? s->mark_order : s->row_order;
}

static rows_t *references_of(const side_t *s) {
  return s->marks ? s->marks : s->rows;
}

/* A stage must succeed. */
static void done(const side_t *s, int status) {
  if (status < 0) print_message("%s: %s\n", s->ops ? s->ops->name : "", s->error.message);
  assert_true(status >= 0);
}

static void near(double a, double b, double scale) {
  if (isnan(a) && isnan(b)) return;
  if (!(fabs(a - b) <= 1e-11 * scale)) print_message("%.17g and %.17g\n", a, b);
  assert_true(fabs(a - b) <= 1e-11 * scale);
}

/* Entry by entry, to rounding of the largest. */
static void all_near(const double *a, const double *b, int64_t count) {
  double scale = 1e-300;
  for (int64_t i = 0; i < count; i++)
    if (!isnan(a[i])) scale = fmax(scale, fabs(a[i]));
  for (int64_t i = 0; i < count; i++) near(a[i], b[i], scale);
}

/* Rows of `width` numbers in an engine's order, as the data has them. */
static double *sorted(const double *from, const int64_t *order, int64_t rows, int64_t width) {
  double *to = numbers(rows * width);
  for (int64_t i = 0; i < rows; i++)
    memcpy(to + order[i] * width, from + i * width, (size_t)width * sizeof *to);
  return to;
}

/* And the other way. */
static double *unsorted(const double *from, const int64_t *order, int64_t rows, int64_t width) {
  double *to = numbers(rows * width);
  for (int64_t i = 0; i < rows; i++)
    memcpy(to + i * width, from + order[i] * width, (size_t)width * sizeof *to);
  return to;
}

static double *fetched(const side_t *s, const rows_t *rows, rows_what what, int64_t width) {
  double *out = numbers(rows->n * width);
  done(s, s->ops->fetch(s->engine, rows, what, NULL, 0, rows->n, out));
  return out;
}

/* The points of a problem; those that are far or lost are the last. */
static double *problem_points(const problem_t *c) {
  double *x = sheet(c->n, c->p, c->d, 11), unit = sqrt(c->epsilon);
  for (int64_t i = 0; c->apart && i < c->n; i += 3) x[i * c->p] += 18 * unit;
  for (int64_t i = c->n - c->far - c->lost; i < c->n; i++)
    x[i * c->p + 1] += (i < c->n - c->lost ? 12 : 500 * (double)(i - c->n + c->lost + 1)) * unit;
  return x;
}

static void take_order(side_t *s, rows_t *rows, int64_t **order) {
  *order = malloc((size_t)rows->n * sizeof **order);
  done(s, s->ops->fetch(s->engine, rows, ROWS_ORDER, NULL, 0, rows->n, *order));
}

/* An engine with the points of a problem, and landmarks among them or beside them. */
static void side_open(side_t *s, lavdm_engine engine, const problem_t *c, const double *x) {
  *s = (side_t){.run = calloc(1, sizeof(run_t))};
  lavdm_options *o = &s->run->options;
  lavdm_options_default(o);
  o->engine = engine;
  o->method = c->m ? LAVDM_METHOD_LAVDM : LAVDM_METHOD_VDM;
  o->bundle = c->bundle, o->dim = c->d, o->components = FIELDS, o->max_memory = INT64_MAX;
  s->run->threads = 2;
  s->run->error = &s->error;
  large_start(&s->run->large, false);
  done(s, engine_open(s->run, &s->engine));
  s->ops = s->engine->ops;
  lavdm_data data = {.points = x, .n = c->n, .p = c->p};
  done(s, s->ops->load(s->engine, &data, NULL, ROLE_POINTS, 0, &s->rows));
  take_order(s, s->rows, &s->row_order);
  s->m = c->m ? c->m : c->n;
  s->q = c->bundle == LAVDM_BUNDLE_TANGENT ? c->d : 1;
  s->spec = (graph_spec){.bundle = c->bundle,
                         .q = s->q,
                         .d = c->d,
                         .kernel = {c->kernel, c->epsilon, c->cutoff * sqrt(c->epsilon), NULL, NULL},
                         .edges = c->edges,
                         .knn = KNN,
                         .square = !c->m,
                         .spare = -1,
                         .kept = -1};
  if (c->edges == LAVDM_EDGES_COMPLETE) s->spec.kernel.radius = INFINITY;
  if (!c->m) return;
  double *z = numbers(c->m * c->p);
  for (int64_t k = 0; k < c->m; k++)
    for (int64_t j = 0; j < c->p; j++)
      z[k * c->p + j] =
          x[k * (c->n - c->far - c->lost) / c->m * c->p + j] + (c->beside ? 1e-3 * (double)j : 0);
  data = (lavdm_data){.points = z, .n = c->m, .p = c->p};
  done(s, s->ops->load(s->engine, &data, NULL, ROLE_LANDMARKS, 0, &s->marks));
  take_order(s, s->marks, &s->mark_order);
  s->scaling = (landmark_scaling){numbers(c->m), numbers(c->m), numbers(c->m)};
  free(z);
}

static void side_close(side_t *s) {
  s->ops->unload(s->engine, s->rows);
  s->ops->unload(s->engine, s->marks);
  engine_close(s->engine);
  symmetric_free(&s->gram);
  large_end(&s->run->large);
  free(s->scaling.column), free(s->scaling.mass), free(s->scaling.inflow);
  free(s->row_order), free(s->mark_order), free(s->run);
}

#endif
