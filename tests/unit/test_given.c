/*
 * Graphs given as edges, against dense matrices made from the same list: the
 * element kinds, duplicates, both directions, gaps in the numbering, loops,
 * components, and graphs whose elements can be synchronised exactly.
 */
#include "oracle.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 400, MOST_Q = 5 };

/* A list under construction. */
typedef struct {
  int64_t row[MOST], col[MOST];
  double weight[MOST], element[MOST * MOST_Q * MOST_Q];
  lavdm_edges edges;
} list_t;

static list_t *list_new(lavdm_element kind, int64_t q) {
  list_t *list = calloc(1, sizeof *list);
  list->edges = (lavdm_edges){.row = list->row,
                              .col = list->col,
                              .weight = list->weight,
                              .element = list->element,
                              .kind = kind,
                              .q = q};
  return list;
}

static int64_t numbers_of(const lavdm_edges *e) {
  const int64_t count[] = {0, 1, 1, e->q * e->q, 4};
  return count[e->kind];
}

static int64_t fibre_of(const lavdm_edges *e) {
  const int64_t q[] = {1, 1, 2, e->q, 3};
  return q[e->kind];
}

static void add(list_t *list, int64_t i, int64_t k, double w, const double *element) {
  int64_t e = list->edges.count++, size = numbers_of(&list->edges);
  assert_true(e < MOST);
  list->row[e] = i, list->col[e] = k, list->weight[e] = w;
  if (size) memcpy(list->element + e * size, element, (size_t)size * sizeof *element);
}

/* A random orthogonal q x q matrix: Gram-Schmidt on normal numbers. */
static void random_orthogonal(random_t *r, int64_t q, double *o) {
  for (int64_t i = 0; i < q; i++) {
    for (int64_t j = 0; j < q; j++) o[i * q + j] = random_normal(r);
    for (int64_t pass = 0; pass < 2; pass++)
      for (int64_t k = 0; k < i; k++) {
        double dot = 0;
        for (int64_t j = 0; j < q; j++) dot += o[i * q + j] * o[k * q + j];
        for (int64_t j = 0; j < q; j++) o[i * q + j] -= dot * o[k * q + j];
      }
    double norm = 0;
    for (int64_t j = 0; j < q; j++) norm += o[i * q + j] * o[i * q + j];
    for (int64_t j = 0; j < q; j++) o[i * q + j] /= sqrt(norm);
  }
}

static void random_element(random_t *r, lavdm_element kind, int64_t q, double *x) {
  double norm = 0;
  if (kind == LAVDM_ELEMENT_SIGN) x[0] = random_uniform(r) < 0.3 ? -1 : 1;
  if (kind == LAVDM_ELEMENT_ANGLE) x[0] = 20 * random_uniform(r) - 10;
  if (kind == LAVDM_ELEMENT_MATRIX) random_orthogonal(r, q, x);
  if (kind != LAVDM_ELEMENT_QUATERNION) return;
  for (int j = 0; j < 4; j++) x[j] = random_normal(r), norm += x[j] * x[j];
  double unit = 1 + 1.8e-6 * (random_uniform(r) - 0.5); /* but for rounding of what wrote it */
  for (int j = 0; j < 4; j++) x[j] *= unit / sqrt(norm);
}

/* a b as quaternions. */
static void hamilton(const double *a, const double *b, double *c) {
  c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* The matrix of element e; a quaternion acts as v -> x v / x. */
static void matrix_of(const lavdm_edges *edges, int64_t e, double *o) {
  const double *x = edges->element + e * numbers_of(edges);
  int64_t q = fibre_of(edges);
  if (edges->kind == LAVDM_ELEMENT_NONE) o[0] = 1;
  if (edges->kind == LAVDM_ELEMENT_SIGN) o[0] = x[0];
  if (edges->kind == LAVDM_ELEMENT_ANGLE) {
    const double r[] = {cos(x[0]), -sin(x[0]), sin(x[0]), cos(x[0])};
    memcpy(o, r, sizeof r);
  }
  if (edges->kind == LAVDM_ELEMENT_MATRIX) memcpy(o, x, (size_t)(q * q) * sizeof *o);
  if (edges->kind != LAVDM_ELEMENT_QUATERNION) return;
  double norm2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
  const double inverse[] = {x[0] / norm2, -x[1] / norm2, -x[2] / norm2, -x[3] / norm2};
  for (int k = 0; k < 3; k++) {
    double axis[4] = {0}, half[4], turned[4];
    axis[k + 1] = 1;
    hamilton(x, axis, half);
    hamilton(half, inverse, turned);
    for (int i = 0; i < 3; i++) o[i * 3 + k] = turned[i + 1];
  }
}

/* w (n x m) and s (n q x m q) of edges between nodes 0..n-1 and 0..m-1. */
static void dense_graph(const lavdm_edges *edges, bool square, int64_t n, int64_t m, double *w, double *s) {
  int64_t q = fibre_of(edges);
  double o[MOST_Q * MOST_Q], *fw = numbers(n * m), *fs = numbers(n * q * m * q);
  for (int64_t e = 0; e < edges->count; e++) {
    int64_t i = edges->row[e], k = edges->col[e];
    matrix_of(edges, e, o);
    fw[i * m + k] += edges->weight[e];
    for (int64_t a = 0; a < q; a++)
      for (int64_t b = 0; b < q; b++) fs[(i * q + a) * m * q + k * q + b] += edges->weight[e] * o[a * q + b];
  }
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = 0; k < m; k++) {
      double own = 1, other = 0; /* shares of (i,k) and of (k,i)' */
      if (square) own = other = i == k || (fw[i * m + k] > 0 && fw[k * m + i] > 0) ? 0.5 : 1;
      w[i * m + k] = own * fw[i * m + k] + (square ? other * fw[k * m + i] : 0);
      for (int64_t a = 0; a < q; a++)
        for (int64_t b = 0; b < q; b++)
          s[(i * q + a) * m * q + k * q + b] = own * fs[(i * q + a) * m * q + k * q + b] +
                                               (square ? other * fs[(k * q + b) * m * q + i * q + a] : 0);
    }
  free(fw), free(fs);
}

/* The operator of MATHS.md; through landmarks W and S become W D_Z^-b W', S D_Z^-b S'. */
static oracle_result dense_truth(const lavdm_edges *edges, bool square, int64_t n, int64_t m, double alpha,
                                 double beta) {
  int64_t q = fibre_of(edges), size = n * q;
  double *w = numbers(n * m), *s = numbers(size * m * q), *z = numbers(m), *x = numbers(n);
  double *ww = numbers(n * n), *ss = numbers(size * size);
  dense_graph(edges, square, n, m, w, s);
  for (int64_t k = 0; k < m; k++)
    for (int64_t i = 0; i < n; i++)
      for (int64_t l = 0; l < m; l++) z[k] += w[i * m + k] * w[i * m + l];
  for (int64_t k = 0; k < m; k++) z[k] = pow(z[k], -beta);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t k = 0; k < m && !square; k++) ww[i * n + j] += w[i * m + k] * z[k] * w[j * m + k];
  for (int64_t i = 0; i < size; i++)
    for (int64_t j = 0; j < size; j++)
      for (int64_t k = 0; k < m * q && !square; k++)
        ss[i * size + j] += s[i * m * q + k] * z[k / q] * s[j * m * q + k];
  if (square) memcpy(ww, w, (size_t)(n * n) * sizeof *w), memcpy(ss, s, (size_t)(size * size) * sizeof *s);
  oracle_result r = {.size = size, .degree = numbers(n), .values = numbers(size), .vectors = ss};
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) x[i] += ww[i * n + j];
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) r.degree[i] += ww[i * n + j] * pow(x[i] * x[j], -alpha);
  for (int64_t i = 0; i < size; i++)
    for (int64_t j = 0; j < size; j++)
      ss[i * size + j] *= pow(x[i / q] * x[j / q], -alpha) / sqrt(r.degree[i / q] * r.degree[j / q]);
  oracle_eigen(size, ss, r.values);
  free(w), free(s), free(z), free(x), free(ww);
  return r;
}

static lavdm_options defaults(bool square) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = square ? LAVDM_METHOD_VDM : LAVDM_METHOD_LAVDM;
  o.components = 7;
  o.threads = 1;
  return o;
}

static lavdm_model *fit(const lavdm_edges *edges, const lavdm_options *o) {
  lavdm_data data = {.edges = edges};
  return fit_or_fail(&data, o);
}

/* Eigenvalues, degrees and leading projectors. */
static void compare(const lavdm_model *model, const oracle_result *truth) {
  const lavdm_info_t *info = lavdm_info(model);
  const double *degrees = lavdm_get(model, "degrees")->data;
  int64_t r = info->chosen->components, size = info->n * info->q, compared = 0;
  assert_int_equal(size, truth->size);
  for (int64_t i = 0; i < info->n; i++)
    assert_true(fabs(degrees[i] - truth->degree[i]) <= 1e-12 * truth->degree[i]);
  for (int64_t l = 0; l < r; l++) assert_true(fabs(info->eigenvalues[l] - truth->values[l]) < 1e-11);
  double *u = model_orthonormal(model);
  for (int64_t k = 1; k <= r; k++) {
    if (truth->values[k - 1] - truth->values[k] < 1e-3) continue;
    assert_true(projector_distance(size, k, u, r, truth->vectors, size) < 1e-8);
    compared++;
  }
  assert_true(compared > 0);
  free(u);
}

/* Two lists that mean the same. Eigenvalues of rotations of the plane come in
 * pairs, which an even rank does not split. */
static void same(const lavdm_edges *a, const lavdm_edges *b, bool square) {
  lavdm_options o = defaults(square);
  lavdm_model *x = fit(a, &o), *y = fit(b, &o);
  const lavdm_info_t *ix = lavdm_info(x), *iy = lavdm_info(y);
  assert_int_equal(ix->n, iy->n);
  assert_int_equal(ix->q, iy->q);
  assert_int_equal(ix->edges, iy->edges);
  for (int64_t l = 0; l < o.components; l++)
    assert_true(fabs(ix->eigenvalues[l] - iy->eigenvalues[l]) < 1e-12);
  for (int64_t i = 1; i < ix->n; i++)
    assert_true(fabs(model_distance(x, 0, i, 1, 6) - model_distance(y, 0, i, 1, 6)) < 1e-9);
  lavdm_free(x), lavdm_free(y);
}

/* A connected random graph: a path (a comb, with landmarks) and random edges,
 * among them loops, duplicates and edges in both directions. */
static list_t *random_list(lavdm_element kind, int64_t q, bool square, int64_t n, int64_t m, uint64_t seed) {
  random_t r = random_start(seed, 5);
  list_t *list = list_new(kind, q);
  double x[MOST_Q * MOST_Q];
  for (int64_t e = 0; e < 6 * n; e++) {
    int64_t i = e < n ? e : random_below(&r, n), k = random_below(&r, m);
    if (e < n) k = square ? (e + 1) % n : e % m;
    if (e < n && !square && e >= m) k = e - m;
    random_element(&r, kind, q, x);
    add(list, i, k, 0.2 + 2 * random_uniform(&r), x);
    if (e % 7 == 0) add(list, i, k, 0.5, x);
    random_element(&r, kind, q, x);
    if (e % 5 == 0 && square) add(list, k, i, 0.7, x);
    if (e % 11 == 0 && square) add(list, i, i, 0.4, x);
  }
  return list;
}

static void test_kinds(void **state) {
  (void)state;
  for (int kind = LAVDM_ELEMENT_NONE; kind <= LAVDM_ELEMENT_QUATERNION; kind++)
    for (int64_t q = 1; q <= (kind == LAVDM_ELEMENT_MATRIX ? MOST_Q : 1); q++)
      for (int square = 0; square <= 1; square++) {
        int64_t n = 18, m = square ? n : 11;
        list_t *list = random_list((lavdm_element)kind, q, square, n, m, (uint64_t)(10 * kind + q));
        lavdm_options o = defaults(square);
        for (o.alpha = 0; o.alpha <= 1; o.alpha += 0.5) {
          o.beta = 1 - 0.7 * o.alpha;
          lavdm_model *model = fit(&list->edges, &o);
          assert_int_equal(lavdm_info(model)->m, m);
          oracle_result truth = dense_truth(&list->edges, square, n, m, o.alpha, o.beta);
          compare(model, &truth);
          oracle_free(&truth);
          lavdm_free(model);
        }
        free(list);
      }
}

/* dm and roseland see the weights alone. */
static void test_weights_alone(void **state) {
  (void)state;
  for (int square = 0; square <= 1; square++) {
    list_t *list = random_list(LAVDM_ELEMENT_ANGLE, 2, square, 16, square ? 16 : 9, 77);
    lavdm_edges plain = list->edges;
    plain.kind = LAVDM_ELEMENT_NONE;
    lavdm_options o = defaults(square);
    o.method = square ? LAVDM_METHOD_DM : LAVDM_METHOD_ROSELAND;
    o.alpha = 0.5, o.beta = 0.25;
    lavdm_model *model = fit(&list->edges, &o);
    assert_int_equal(lavdm_info(model)->q, 1);
    oracle_result truth = dense_truth(&plain, square, 16, square ? 16 : 9, 0.5, 0.25);
    compare(model, &truth);
    oracle_free(&truth);
    lavdm_free(model);
    free(list);
  }
}

/* One element written in several ways. */
static void test_same_element(void **state) {
  (void)state;
  for (int kind = LAVDM_ELEMENT_NONE; kind <= LAVDM_ELEMENT_QUATERNION; kind++) {
    if (kind == LAVDM_ELEMENT_MATRIX) continue;
    list_t *list = random_list((lavdm_element)kind, 1, true, 14, 14, (uint64_t)kind);
    int64_t q = fibre_of(&list->edges);
    list_t *matrices = list_new(LAVDM_ELEMENT_MATRIX, q);
    for (int64_t e = 0; e < list->edges.count; e++) {
      double o[9];
      matrix_of(&list->edges, e, o);
      add(matrices, list->row[e], list->col[e], list->weight[e], o);
    }
    same(&list->edges, &matrices->edges, true);
    free(list), free(matrices);
  }
}

/* Once or in both directions; twice in one direction adds; unequal directions are averaged. */
static void test_directions(void **state) {
  (void)state;
  random_t r = random_start(3, 3);
  list_t *once = list_new(LAVDM_ELEMENT_ANGLE, 2), *both = list_new(LAVDM_ELEMENT_ANGLE, 2),
         *twice = list_new(LAVDM_ELEMENT_ANGLE, 2), *uneven = list_new(LAVDM_ELEMENT_ANGLE, 2);
  for (int64_t i = 0; i < 15; i++)
    for (int64_t k = i + 1; k < 15; k += 1 + i % 3) {
      double angle = 6 * random_uniform(&r), back = -angle, w = 0.5 + random_uniform(&r);
      add(once, i, k, w, &angle);
      add(both, k, i, w, &back), add(both, i, k, w, &angle);
      add(twice, i, k, 0.3 * w, &angle), add(twice, i, k, 0.7 * w, &angle);
      add(uneven, i, k, 0.5 * w, &angle), add(uneven, k, i, 1.5 * w, &back);
    }
  same(&once->edges, &both->edges, true);
  same(&once->edges, &twice->edges, true);
  same(&once->edges, &uneven->edges, true);
  same(&once->edges, &twice->edges, false);
  lavdm_edges ones = once->edges, null = once->edges;
  for (int64_t e = 0; e < ones.count; e++) once->weight[e] = 1;
  null.weight = NULL;
  same(&ones, &null, true);
  free(once), free(both), free(twice), free(uneven);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kinds),
      cmocka_unit_test(test_weights_alone),
      cmocka_unit_test(test_same_element),
      cmocka_unit_test(test_directions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
