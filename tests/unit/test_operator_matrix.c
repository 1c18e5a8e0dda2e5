/*
 * lavdm_operator: its blocks are those that the formulas ask for (the oracle, and
 * matrices written down here), and the matrix is the one whose eigenpairs lavdm_fit
 * finds: eigenvalues, N (D^1/2 u) = lambda (D^1/2 u), A' (D^1/2 u) = sqrt(lambda) v.
 */
#include "compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static lavdm_operator_t *operator_or_fail(const lavdm_data *data, const lavdm_options *options) {
  lavdm_operator_t *op = NULL;
  lavdm_error error;
  if (lavdm_operator(data, options, &op, &error) < 0) fail_msg("lavdm_operator: %s", error.message);
  assert_non_null(op);
  return op;
}

static bool is_square(const lavdm_operator_t *op) {
  return op->chosen->method == LAVDM_METHOD_DM || op->chosen->method == LAVDM_METHOD_VDM;
}

/* The stored blocks as an (n q) x (m q) array. Rows start where the one before ends, columns ascend and
 * are in range, and points without a degree have no blocks. */
static double *dense(const lavdm_operator_t *op) {
  int64_t q = op->q, width = op->m * q;
  double *out = numbers(op->n * q * width);
  assert_int_equal(op->start[0], 0);
  assert_int_equal(op->start[op->n], op->blocks);
  for (int64_t i = 0; i < op->n; i++) {
    assert_true(op->start[i] <= op->start[i + 1]);
    assert_int_equal(op->degree[i] > 0, op->start[i + 1] > op->start[i]);
    for (int64_t e = op->start[i]; e < op->start[i + 1]; e++) {
      assert_true(op->col[e] >= 0 && op->col[e] < op->m);
      assert_true(e == op->start[i] || op->col[e] > op->col[e - 1]);
      if (is_square(op)) assert_true(op->degree[op->col[e]] > 0);
      for (int64_t a = 0; a < q; a++)
        for (int64_t b = 0; b < q; b++)
          out[(i * q + a) * width + op->col[e] * q + b] = op->block[(e * q + a) * q + b];
    }
  }
  return out;
}

/* y (rows x r) = a (rows x cols) x (cols x r), or a' x with x (rows x r). */
static double *times(const double *a, int64_t rows, int64_t cols, bool turned, const double *x, int64_t r) {
  double *y = numbers((turned ? cols : rows) * r);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t k = 0; k < cols; k++)
      for (int64_t l = 0; l < r; l++)
        if (turned)
          y[k * r + l] += a[i * cols + k] * x[i * r + l];
        else
          y[i * r + l] += a[i * cols + k] * x[k * r + l];
  return y;
}

/* N: the matrix itself, symmetric to the bit, or A A'. */
static double *symmetric(const lavdm_operator_t *op, const double *a) {
  int64_t size = op->n * op->q, cols = op->m * op->q;
  double *n = numbers(size * size);
  for (int64_t i = 0; i < size; i++)
    for (int64_t j = 0; j < size; j++)
      if (is_square(op)) {
        n[i * size + j] = a[i * size + j];
        assert_true(a[i * size + j] == a[j * size + i]);
      } else {
        for (int64_t k = 0; k < cols; k++) n[i * size + j] += a[i * cols + k] * a[j * cols + k];
      }
  return n;
}

static double largest_gap(const double *a, const double *b, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

/* ------------------------------------------------------- against the fit */

static void same_array(const lavdm_array *a, const lavdm_array *b) {
  assert_int_equal(a == NULL, b == NULL);
  if (!a) return;
  assert_int_equal(a->type, b->type);
  int64_t count = 1;
  for (int k = 0; k < 3; k++) {
    assert_int_equal(a->shape[k], b->shape[k]);
    count *= a->shape[k];
  }
  assert_memory_equal(a->data, b->data, (size_t)count * (a->type == LAVDM_F32 ? 4 : 8));
}

static void same_numbers_of(const lavdm_array *a, const int64_t *b) {
  assert_int_equal(a == NULL, b == NULL);
  if (a) assert_memory_equal(a->data, b, (size_t)a->shape[0] * sizeof *b);
}

/* All that the fit and the operator have in common, to the bit. */
static void same_facts(const lavdm_model *model, const lavdm_operator_t *op) {
  const lavdm_info_t *a = lavdm_info(model), *b = op->info;
  assert_int_equal(a->n, op->n), assert_int_equal(a->m, op->m), assert_int_equal(a->q, op->q);
  assert_int_equal(a->n, b->n), assert_int_equal(a->p, b->p);
  assert_memory_equal(lavdm_get(model, "degrees")->data, op->degree, (size_t)op->n * sizeof(double));
  same_array(lavdm_get(model, "frames"), op->frames);
  same_array(lavdm_get(model, "landmarks"), op->landmarks);
  same_array(lavdm_get(model, "landmark_index"), op->landmark_index);
  same_array(lavdm_get(model, "landmark_frames"), op->landmark_frames);
  same_numbers_of(lavdm_get(model, "nodes"), op->node);
  same_numbers_of(lavdm_get(model, "landmark_nodes"), op->landmark_node);
  assert_int_equal(a->edges, b->edges);
  assert_int_equal(a->isolated, b->isolated);
  for (int64_t i = 0; i < a->isolated; i++) assert_int_equal(a->isolated_index[i], b->isolated_index[i]);
  assert_int_equal(a->graph_components, b->graph_components);
  assert_int_equal(a->far_points, b->far_points);
  assert_int_equal(a->degenerate_frames, b->degenerate_frames);
  assert_int_equal(a->ill_aligned, b->ill_aligned);
  assert_null(b->eigenvalues), assert_null(b->residuals);
  for (int k = 0; k < lavdm_option_count(); k++) {
    const char *name = lavdm_option_at(k)->name;
    char x[64], y[64];
    if (!strcmp(name, "components") || !strcmp(name, "max_memory")) continue;
    assert_int_equal(lavdm_option_text(a->chosen, name, x, sizeof x), 0);
    assert_int_equal(lavdm_option_text(op->chosen, name, y, sizeof y), 0);
    assert_string_equal(x, y);
  }
}

/* Blocks are double, but with landmarks made of numbers in single precision, and so are eigenvectors. */
typedef struct {
  double value, vector;
} nearness_t;

static nearness_t nearness(const lavdm_operator_t *op) {
  if (op->chosen->precision == LAVDM_PRECISION_DOUBLE || op->node) return (nearness_t){1e-10, 1e-9};
  return is_square(op) ? (nearness_t){1e-10, 1e-6} : (nearness_t){5e-6, 2e-5};
}

/* A' z = sqrt(lambda) v for z = D^1/2 u. */
static void check_landmark_vectors(const lavdm_model *model, const lavdm_operator_t *op, const double *a,
                                   const double *z, double tolerance) {
  const lavdm_array *v = lavdm_get(model, "landmark_vectors");
  int64_t r = lavdm_info(model)->chosen->components, rows = op->m * op->q;
  if (!v) return; /* of edges alone */
  double *out = times(a, op->n * op->q, rows, true, z, r);
  for (int64_t j = 0; j < rows * r; j++) {
    double value = lavdm_info(model)->eigenvalues[j % r];
    assert_true(fabs(out[j] - sqrt(value) * ((const double *)v->data)[j]) < tolerance);
  }
  free(out);
}

/* The operator is that of a fit of the same data; returns N. */
static double *check_fit(const lavdm_data *data, const lavdm_options *o, lavdm_model **fitted,
                         lavdm_operator_t **made) {
  lavdm_model *model = fit_or_fail(data, o);
  lavdm_operator_t *op = operator_or_fail(data, o);
  same_facts(model, op);
  nearness_t near = nearness(op);
  int64_t r = lavdm_info(model)->chosen->components, size = op->n * op->q;
  double *a = dense(op), *n = symmetric(op, a), *z = model_orthonormal(model);
  double *values = numbers(size), *vectors = numbers(size * size), *nz = times(n, size, size, false, z, r);
  memcpy(vectors, n, (size_t)(size * size) * sizeof *n);
  oracle_eigen(size, vectors, values);
  const double *lambda = lavdm_info(model)->eigenvalues;
  for (int64_t l = 0; l < r; l++)
    if (!(fabs(values[l] - lambda[l]) < near.value))
      fail_msg("eigenvalue %d: %.15g of the operator, %.15g of the fit", (int)l, values[l], lambda[l]);
  for (int64_t j = 0; j < size * r; j++)
    if (!(fabs(nz[j] - lambda[j % r] * z[j]) < near.vector))
      fail_msg("eigenvector %d: N z is %.15g and not %.15g", (int)(j % r), nz[j], lambda[j % r] * z[j]);
  if (!is_square(op)) check_landmark_vectors(model, op, a, z, near.vector);
  free(a), free(z), free(values), free(vectors), free(nz);
  *fitted = model, *made = op;
  return n;
}

static void check_both(const lavdm_data *data, const lavdm_options *options) {
  for (int run = 0; run < 4; run++) {
    lavdm_options o = *options;
    lavdm_model *model;
    lavdm_operator_t *op;
    o.precision = run < 2 ? LAVDM_PRECISION_DOUBLE : LAVDM_PRECISION_SINGLE;
    o.threads = 1 + run % 2;
    free(check_fit(data, &o, &model, &op));
    lavdm_free(model), lavdm_operator_free(op);
  }
}

/* ---------------------------------------------------- against the oracle */

static oracle_problem pose(const lavdm_operator_t *op, const double *x) {
  const lavdm_options *o = op->chosen;
  bool square = is_square(op);
  return (oracle_problem){.n = op->n,
                          .m = op->m,
                          .p = op->info->p,
                          .d = o->dim > 0 ? o->dim : 1,
                          .q = op->q,
                          .x = x,
                          .z = square ? x : op->landmarks->data,
                          .frames = op->frames ? op->frames->data : NULL,
                          .zframes = square                ? (op->frames ? op->frames->data : NULL)
                                     : op->landmark_frames ? op->landmark_frames->data
                                                           : NULL,
                          .bundle = o->bundle,
                          .kernel = o->kernel,
                          .epsilon = o->epsilon,
                          .radius = o->cutoff * sqrt(o->epsilon),
                          .alpha = o->alpha,
                          .beta = o->beta};
}

/* N of the oracle, put together from its eigenpairs. */
static double *oracle_matrix(const oracle_problem *problem, bool square) {
  oracle_result r = square ? oracle_square(problem) : oracle_landmarks(problem);
  double *n = numbers(r.size * r.size);
  for (int64_t i = 0; i < r.size; i++)
    for (int64_t j = 0; j < r.size; j++)
      for (int64_t l = 0; l < r.size; l++)
        n[i * r.size + j] += r.values[l] * r.vectors[i * r.size + l] * r.vectors[j * r.size + l];
  oracle_free(&r);
  return n;
}

/* A as it is written: D^-1/2 D_X^-alpha S D_Z^-beta/2. */
static double *written_a(const oracle_problem *o) {
  int64_t n = o->n, m = o->m, q = o->q;
  double *w = numbers(n * m), *dz = numbers(m), *dx = numbers(n), *degree = numbers(n);
  double *a = numbers(n * q * m * q), *e = numbers(q * q);
  for (int64_t i = 0; i < n * m; i++) {
    double d2 = 0;
    for (int64_t j = 0; j < o->p; j++) d2 += pow(o->x[i / m * o->p + j] - o->z[i % m * o->p + j], 2);
    w[i] = oracle_kernel(o->kernel, o->epsilon, o->radius, d2);
  }
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = 0; k < m; k++)
      for (int64_t l = 0; l < m; l++) dz[k] += w[i * m + k] * w[i * m + l];
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t k = 0; k < m; k++) dx[i] += w[i * m + k] * pow(dz[k], -o->beta) * w[j * m + k];
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t k = 0; k < m; k++)
        degree[i] += pow(dx[i] * dx[j], -o->alpha) * w[i * m + k] * pow(dz[k], -o->beta) * w[j * m + k];
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = 0; k < m; k++) {
      oracle_element(o->bundle, o->p, o->d, o->frames ? o->frames + i * o->p * o->d : NULL,
                     o->zframes ? o->zframes + k * o->p * o->d : NULL, e);
      double factor = pow(degree[i], -0.5) * pow(dx[i], -o->alpha) * pow(dz[k], -o->beta / 2) * w[i * m + k];
      for (int64_t b = 0; b < q * q; b++) a[(i * q + b / q) * m * q + k * q + b % q] = factor * e[b];
    }
  free(w), free(dz), free(dx), free(degree), free(e);
  return a;
}

static void check_against_oracle(const double *x, int64_t n, int64_t p, const lavdm_options *o) {
  lavdm_data data = {.points = x, .n = n, .p = p};
  lavdm_model *model;
  lavdm_operator_t *op;
  double *mine = check_fit(&data, o, &model, &op);
  assert_int_equal(op->info->isolated + op->info->far_points, 0);
  oracle_problem problem = pose(op, x);
  double *truth = oracle_matrix(&problem, is_square(op));
  assert_true(largest_gap(mine, truth, n * op->q * n * op->q) < 1e-11);
  if (!is_square(op)) {
    double *a = dense(op), *written = written_a(&problem);
    assert_true(largest_gap(a, written, n * op->q * op->m * op->q) < 1e-11);
    free(a), free(written);
  }
  free(mine), free(truth);
  lavdm_free(model), lavdm_operator_free(op);
}

/* Every method and bundle, alpha 0 and 1 and between, in double precision; the points are in no order. */
static void test_oracle(void **state) {
  (void)state;
  enum { COUNT = 70 };
  double *x = sheet(COUNT, 3, 2, 5);
  const double alphas[] = {0, 0.5, 1};
  for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++)
    for (lavdm_bundle bundle = LAVDM_BUNDLE_TRIVIAL; bundle <= LAVDM_BUNDLE_ORIENTATION; bundle++)
      for (int k = 0; k < 3; k++) {
        bool plain = method == LAVDM_METHOD_DM || method == LAVDM_METHOD_ROSELAND;
        if (plain && bundle != LAVDM_BUNDLE_TRIVIAL) continue;
        lavdm_options o = oracle_options(method);
        o.bundle = bundle, o.dim = 2, o.alpha = alphas[k], o.edges = LAVDM_EDGES_BALL;
        o.epsilon = 0.3, o.landmarks = method >= LAVDM_METHOD_ROSELAND ? 25 : LAVDM_AUTO;
        check_against_oracle(x, COUNT, 3, &o);
      }
  free(x);
}

/* ------------------------------------------------------------ other ways */

static void test_precisions(void **state) {
  (void)state;
  enum { COUNT = 120 };
  double *x = sheet(COUNT, 3, 2, 9);
  lavdm_data data = {.points = x, .n = COUNT, .p = 3};
  for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++)
    for (int alpha = 0; alpha <= 1; alpha++) {
      lavdm_options o = oracle_options(method);
      o.alpha = alpha, o.dim = method % 2 ? 2 : LAVDM_AUTO, o.knn = 12;
      o.edges = alpha ? LAVDM_EDGES_KNN : LAVDM_EDGES_COMPLETE; /* of dm and vdm */
      check_both(&data, &o);
    }
  free(x);
}

/* Coordinates enough that weights are kept, and principal ones; landmarks of every kind. */
static void test_coordinates(void **state) {
  (void)state;
  enum { COUNT = 100 };
  double *x = sheet(COUNT, 40, 2, 21);
  const int64_t index[] = {90, 3, 17, 60, 41, 22, 5, 71, 88, 30, 55, 11};
  lavdm_data data = {.points = x, .n = COUNT, .p = 40};
  for (int way = 0; way < 4; way++)
    for (lavdm_method method = LAVDM_METHOD_VDM; method <= LAVDM_METHOD_LAVDM; method++) {
      lavdm_options o = oracle_options(method);
      o.pca = way == 1 ? 4 : 0;
      o.dim = method == LAVDM_METHOD_ROSELAND ? LAVDM_AUTO : 2;
      data.landmark_index = way == 2 ? index : NULL;
      data.landmark_points = way == 3 ? x + 400 : NULL;
      data.landmark_count = way >= 2 ? 12 : 0;
      if (way >= 2 && method == LAVDM_METHOD_VDM) continue;
      check_both(&data, &o);
    }
  free(x);
}

/* Isolated points, far points and pieces. */
static void test_pieces(void **state) {
  (void)state;
  enum { COUNT = 90 };
  double *x = sheet(COUNT, 3, 2, 33);
  for (int64_t i = 0; i < COUNT; i++) x[3 * i] += i % 2 ? 30 : 0;
  x[3 * 40] = 1e5, x[3 * 7] = -2e5, x[3 * 20] = 3;
  lavdm_data data = {.points = x, .n = COUNT, .p = 3};
  for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++) {
    lavdm_options o = oracle_options(method);
    lavdm_operator_t *op;
    o.epsilon = 0.3, o.dim = method % 2 ? 2 : LAVDM_AUTO, o.cutoff = 1.2, o.edges = LAVDM_EDGES_BALL;
    o.landmarks = method >= LAVDM_METHOD_ROSELAND ? 20 : LAVDM_AUTO;
    o.design = LAVDM_DESIGN_RANDOM;
    check_both(&data, &o);
    lavdm_error error;
    assert_int_equal(lavdm_operator(&data, &o, &op, &error), LAVDM_WARNING);
    assert_true(op->info->isolated >= 2 && op->info->warnings > 0);
    assert_true(op->degree[40] == 0 && op->start[40] == op->start[41]);
    assert_true(op->degree[7] == 0 && op->start[7] == op->start[8]);
    if (method >= LAVDM_METHOD_ROSELAND) assert_true(op->info->far_points > 0);
    lavdm_operator_free(op);
  }
  free(x);
}

/* Images and signals, in which a block is a turn. */
static void test_objects(void **state) {
  (void)state;
  enum { COUNT = 60, SIDE = 8 };
  double *x = numbers(COUNT * SIDE * SIDE), *c = numbers(COUNT * 4);
  fill_normal(c, COUNT * 4, 4);
  for (int64_t j = 0; j < COUNT * SIDE * SIDE; j++) {
    const double *at = c + 4 * (j / (SIDE * SIDE));
    double row = (double)(j / SIDE % SIDE) - 3.5, col = (double)(j % SIDE) - 3.5;
    x[j] = exp(-(pow(row - at[0], 2) + pow(col - at[1], 2)) / 3) +
           exp(-(pow(row - at[2], 2) + pow(col + 2, 2)) / 3);
  }
  lavdm_data data = {.points = x, .n = COUNT, .p = SIDE * SIDE};
  for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++)
    for (lavdm_bundle bundle = LAVDM_BUNDLE_ROTATION; bundle <= LAVDM_BUNDLE_SHIFT; bundle++) {
      lavdm_options o = oracle_options(method);
      o.bundle = bundle, o.noise = 0, o.alpha = 1;
      o.reflections = bundle == LAVDM_BUNDLE_ROTATION ? LAVDM_REFLECTIONS_YES : LAVDM_REFLECTIONS_NO;
      o.landmarks = method >= LAVDM_METHOD_ROSELAND ? 20 : LAVDM_AUTO;
      check_both(&data, &o);
    }
  free(x), free(c);
}

/* ------------------------------------------------------------ given edges */

enum { NODES = 14, LINKS = 40 };

typedef struct {
  int64_t row[LINKS], col[LINKS];
  double weight[LINKS], angle[LINKS];
} links_t;

/* Links between i and i + step, once each, nodes numbered 5 i + 2 (as rows; as columns i). */
static links_t links(bool square) {
  links_t l;
  for (int64_t e = 0; e < LINKS; e++) {
    int64_t i = e % NODES, k = (e + 1 + e / NODES) % NODES;
    l.row[e] = 5 * i + 2, l.col[e] = square ? 5 * k + 2 : k;
    l.weight[e] = 1 + (double)(e * e % 7), l.angle[e] = 0.3 * (double)e;
  }
  return l;
}

/* w O of every link by its place, (n q) x (n q) and its weights. */
static void written_edges(const links_t *l, bool square, int64_t q, double *w, double *s) {
  for (int64_t e = 0; e < LINKS; e++) {
    int64_t i = (l->row[e] - 2) / 5, k = square ? (l->col[e] - 2) / 5 : l->col[e], width = NODES * q;
    const double c = cos(l->angle[e]), t = sin(l->angle[e]), o[] = {c, -t, t, c}, *block = q == 2 ? o : NULL;
    w[i * NODES + k] = l->weight[e];
    if (square) w[k * NODES + i] = l->weight[e];
    for (int64_t a = 0; a < q; a++)
      for (int64_t b = 0; b < q; b++) {
        double value = l->weight[e] * (block ? block[a * q + b] : 1);
        s[(i * q + a) * width + k * q + b] = value;
        if (square) s[(k * q + b) * width + i * q + a] = value;
      }
  }
}

/* With alpha = beta = 0: D^-1/2 S of w (D the sums of W, or of W W'), and D^-1/2 once more if square. */
static void check_edges(lavdm_method method) {
  bool square = method == LAVDM_METHOD_DM || method == LAVDM_METHOD_VDM;
  links_t l = links(square);
  lavdm_edges edges = {.count = LINKS,
                       .row = l.row,
                       .col = l.col,
                       .weight = l.weight,
                       .element = l.angle,
                       .kind = LAVDM_ELEMENT_ANGLE,
                       .q = 0};
  lavdm_data data = {.edges = &edges};
  lavdm_options o = oracle_options(method);
  o.alpha = o.beta = 0;
  check_both(&data, &o);
  lavdm_operator_t *op = operator_or_fail(&data, &o);
  int64_t q = op->q, size = NODES * q;
  assert_int_equal(q, method == LAVDM_METHOD_DM || method == LAVDM_METHOD_ROSELAND ? 1 : 2);
  assert_int_equal(op->n, NODES), assert_int_equal(op->m, NODES);
  double *w = numbers(NODES * NODES), *s = numbers(size * size), *degree = numbers(NODES), *a = dense(op);
  written_edges(&l, square, q, w, s);
  for (int64_t i = 0; i < NODES; i++) {
    assert_int_equal(op->node[i], 5 * i + 2);
    if (!square) assert_int_equal(op->landmark_node[i], i);
    for (int64_t k = 0; k < NODES; k++)
      for (int64_t j = 0; j < (square ? 1 : NODES); j++)
        degree[i] += w[i * NODES + k] * (square ? 1 : w[j * NODES + k]);
    assert_true(fabs(op->degree[i] - degree[i]) < 1e-12 * degree[i]);
  }
  for (int64_t i = 0; i < size; i++)
    for (int64_t j = 0; j < size; j++) s[i * size + j] /= sqrt(degree[i / q] * (square ? degree[j / q] : 1));
  assert_true(largest_gap(a, s, size * size) < 1e-13);
  if (square) assert_null(op->landmark_node);
  free(w), free(s), free(degree), free(a);
  lavdm_operator_free(op);
}

static void test_edges(void **state) {
  (void)state;
  for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++) check_edges(method);
}

/* Points and edges: rows are the points, those that no edge names isolated; alpha = 1, and elements of
 * every kind. */
static void test_edges_of_points(void **state) {
  (void)state;
  enum { COUNT = 20 };
  double x[COUNT * 2] = {0}, sign[LINKS], matrix[9 * LINKS] = {0}, quaternion[4 * LINKS] = {0};
  links_t l = links(false);
  for (int64_t e = 0; e < LINKS; e++) {
    l.row[e] = (l.row[e] - 2) / 5 + 3;
    l.col[e] += 3;
    sign[e] = e % 3 ? 1 : -1;
    matrix[9 * e + e % 3] = matrix[9 * e + 3 + (e + 1) % 3] = 1, matrix[9 * e + 6 + (e + 2) % 3] = -1;
    quaternion[4 * e] = cos(l.angle[e]), quaternion[4 * e + 1 + e % 3] = sin(l.angle[e]);
  }
  lavdm_edges kinds[] = {{.count = LINKS,
                          .row = l.row,
                          .col = l.col,
                          .weight = l.weight,
                          .element = sign,
                          .kind = LAVDM_ELEMENT_SIGN,
                          .q = 0},
                         {.count = LINKS,
                          .row = l.row,
                          .col = l.col,
                          .weight = l.weight,
                          .element = matrix,
                          .kind = LAVDM_ELEMENT_MATRIX,
                          .q = 3},
                         {.count = LINKS,
                          .row = l.row,
                          .col = l.col,
                          .weight = NULL,
                          .element = quaternion,
                          .kind = LAVDM_ELEMENT_QUATERNION,
                          .q = 0},
                         {.count = LINKS,
                          .row = l.row,
                          .col = l.col,
                          .weight = NULL,
                          .element = NULL,
                          .kind = LAVDM_ELEMENT_NONE,
                          .q = 0}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++) {
      lavdm_data data = {.points = x, .n = COUNT, .p = 2, .edges = &kinds[k]};
      lavdm_options o = oracle_options(method);
      o.alpha = 1;
      check_both(&data, &o);
      lavdm_operator_t *op = operator_or_fail(&data, &o);
      assert_int_equal(op->n, COUNT);
      assert_int_equal(op->info->isolated, COUNT - NODES);
      for (int64_t i = 0; i < COUNT; i++) assert_int_equal(op->node[i], i);
      lavdm_operator_free(op);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_oracle),          cmocka_unit_test(test_precisions),
      cmocka_unit_test(test_coordinates),     cmocka_unit_test(test_pieces),
      cmocka_unit_test(test_objects),         cmocka_unit_test(test_edges),
      cmocka_unit_test(test_edges_of_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
