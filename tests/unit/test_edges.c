/*
 * Graphs given as edges: how nodes are numbered, which are isolated, what
 * falls apart, what can be synchronised exactly, and lists that cannot be used.
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

static lavdm_options defaults(bool square) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = square ? LAVDM_METHOD_VDM : LAVDM_METHOD_LAVDM;
  o.components = 5;
  o.threads = 1;
  return o;
}

/* A ring of `count` edges over nodes 0..count-1 with chords, 2 count edges in all. */
static void ring(int64_t count, int64_t *row, int64_t *col) {
  for (int64_t i = 0; i < count; i++) {
    row[i] = i, col[i] = (i + 1) % count;
    row[count + i] = i, col[count + i] = (i + 2) % count;
  }
}

static void equal_values(const lavdm_model *a, const lavdm_model *b, double tolerance) {
  int64_t r = lavdm_info(a)->chosen->components;
  assert_int_equal(r, lavdm_info(b)->chosen->components);
  for (int64_t l = 0; l < r; l++)
    assert_true(fabs(lavdm_info(a)->eigenvalues[l] - lavdm_info(b)->eigenvalues[l]) < tolerance);
}

/* Nodes 7, 107, 1007, ... in any order of appearance are the same graph. */
static void test_gaps(void **state) {
  (void)state;
  enum { N = 12 };
  int64_t row[2 * N], col[2 * N], far_row[2 * N], far_col[2 * N];
  double angle[2 * N], weight[2 * N];
  ring(N, row, col);
  for (int64_t e = 0; e < 2 * N; e++) {
    angle[e] = sin((double)(3 * e)), weight[e] = 1 + 0.05 * (double)e;
    far_row[2 * N - 1 - e] = 7 + 100 * row[e] * row[e];
    far_col[2 * N - 1 - e] = 7 + 100 * col[e] * col[e];
  }
  double turned_angle[2 * N], turned_weight[2 * N];
  for (int64_t e = 0; e < 2 * N; e++)
    turned_angle[e] = angle[2 * N - 1 - e], turned_weight[e] = weight[2 * N - 1 - e];
  lavdm_edges plain = {.count = 2 * N,
                       .row = row,
                       .col = col,
                       .weight = weight,
                       .element = angle,
                       .kind = LAVDM_ELEMENT_ANGLE,
                       .q = 0};
  lavdm_edges gaps = {.count = 2 * N,
                      .row = far_row,
                      .col = far_col,
                      .weight = turned_weight,
                      .element = turned_angle,
                      .kind = LAVDM_ELEMENT_ANGLE,
                      .q = 0};
  for (int square = 0; square <= 1; square++) {
    lavdm_options o = defaults(square);
    lavdm_data a = {.edges = &plain}, b = {.edges = &gaps};
    lavdm_model *x = fit_or_fail(&a, &o), *y = fit_or_fail(&b, &o);
    equal_values(x, y, 1e-12);
    const lavdm_array *nodes = lavdm_get(y, "nodes"), *landmarks = lavdm_get(y, "landmark_nodes");
    assert_int_equal(nodes->shape[0], N);
    assert_int_equal(nodes->type, LAVDM_I64);
    assert_int_equal(landmarks != NULL, !square);
    for (int64_t i = 0; i < N; i++) {
      assert_int_equal(((const int64_t *)nodes->data)[i], 7 + 100 * i * i);
      if (landmarks) assert_int_equal(((const int64_t *)landmarks->data)[i], 7 + 100 * i * i);
      for (int64_t j = 0; j < N; j++)
        assert_true(fabs(model_distance(x, i, j, 1, 4) - model_distance(y, i, j, 1, 4)) < 1e-8);
    }
    lavdm_free(x), lavdm_free(y);
  }
}

/* With points, numbers are rows; those that no edge names, or only a loop, are isolated. */
static void test_isolated_nodes(void **state) {
  (void)state;
  enum { N = 12 };
  int64_t row[2 * N + 1], col[2 * N + 1];
  double sign[2 * N + 1], weight[2 * N + 1], x[2 * N + 4] = {0};
  ring(N, row, col);
  for (int64_t e = 0; e <= 2 * N; e++) sign[e] = e % 5 ? 1 : -1, weight[e] = 1 + 0.1 * (double)(e % 9);
  row[2 * N] = col[2 * N] = N + 2;
  for (int64_t e = 0; e < 2 * N; e++) row[e] += row[e] > 2, col[e] += col[e] > 2; /* 3 is left out */
  lavdm_edges edges = {.count = 2 * N + 1,
                       .row = row,
                       .col = col,
                       .weight = weight,
                       .element = sign,
                       .kind = LAVDM_ELEMENT_SIGN,
                       .q = 0};
  lavdm_edges fewer = edges;
  fewer.count = 2 * N;
  lavdm_data data = {.edges = &edges, .points = x, .n = N + 3, .p = 1}, alone = {.edges = &fewer};
  for (int square = 0; square <= 1; square++) {
    lavdm_options o = defaults(square);
    o.components = square ? 3 : 5;
    lavdm_model *model, *reference = fit_or_fail(&alone, &o);
    assert_int_equal(lavdm_fit(&data, &o, &model, NULL), LAVDM_WARNING);
    const lavdm_info_t *info = lavdm_info(model);
    equal_values(model, reference, 1e-12);
    assert_int_equal(info->n, N + 3);
    assert_int_equal(info->isolated, 3);
    assert_true(info->warnings >= 1);
    const int64_t expected[] = {3, N + 1, N + 2}, *label = lavdm_get(model, "graph_component")->data;
    const double *u = lavdm_get(model, "eigenvectors")->data, *degree = lavdm_get(model, "degrees")->data;
    for (int k = 0; k < 3; k++) {
      assert_int_equal(info->isolated_index[k], expected[k]);
      assert_int_equal(label[expected[k]], -1);
      assert_true(degree[expected[k]] == 0);
      for (int64_t l = 0; l < o.components; l++) assert_true(u[expected[k] * o.components + l] == 0);
    }
    for (int64_t i = 0; i < N; i++) {
      int64_t at = i + (i > 2);
      assert_int_equal(label[at], 0);
      assert_true(fabs(model_distance(model, 0, at, 1, o.components) -
                       model_distance(reference, 0, i, 1, o.components)) < 1e-9);
    }
    lavdm_free(model), lavdm_free(reference);
  }
}

static void test_components(void **state) {
  (void)state;
  enum { A = 8, B = 11 };
  int64_t row[2 * (A + B)], col[2 * (A + B)];
  ring(A, row, col);
  ring(B, row + 2 * A, col + 2 * A);
  for (int64_t e = 2 * A; e < 2 * (A + B); e++) row[e] += A, col[e] += A;
  lavdm_edges edges = {.count = 2 * (A + B),
                       .row = row,
                       .col = col,
                       .weight = NULL,
                       .element = NULL,
                       .kind = LAVDM_ELEMENT_NONE,
                       .q = 0};
  lavdm_data data = {.edges = &edges};
  for (int square = 0; square <= 1; square++) {
    lavdm_options o = defaults(square);
    lavdm_model *model;
    assert_int_equal(lavdm_fit(&data, &o, &model, NULL), LAVDM_WARNING);
    const lavdm_info_t *info = lavdm_info(model);
    const int64_t *label = lavdm_get(model, "graph_component")->data;
    assert_int_equal(info->graph_components, 2);
    assert_int_equal(info->isolated, 0);
    for (int64_t i = 0; i < A + B; i++) assert_int_equal(label[i], i < A); /* the larger is first */
    assert_true(fabs(info->eigenvalues[1] - 1) < 1e-12);
    assert_true(info->eigenvalues[2] < 0.99);
    for (int64_t i = 0; i < A + B; i++) /* the top two do not tell apart nodes of one component */
      assert_true((model_distance(model, 0, i, 1, 2) < 1e-8) == (i < A));
    lavdm_free(model);
  }
}

/* Rotates so that r (q x q) has orthonormal rows; det > 0 if `special`. */
static void random_orthogonal(random_t *random, int64_t q, bool special, double *r) {
  double identity[25] = {0}, m[25], det;
  for (int64_t i = 0; i < q * q; i++) identity[i] = i % (q + 1) == 0, m[i] = random_normal(random);
  oracle_element(LAVDM_BUNDLE_TANGENT, q, q, identity, m, r);
  oracle_element(LAVDM_BUNDLE_ORIENTATION, q, q, identity, r, &det);
  for (int64_t j = 0; special && det < 0 && j < q; j++) r[j] = -r[j];
}

/*
 * O_ik = R_i T_k': the top q eigenvalues are 1, and R_i' U[i] = C is the same
 * for every i, with C'C = I / sum of the degrees.
 */
static void synchronise(int64_t q, bool special, bool square) {
  enum { N = 20, EDGES = 2 * N };
  random_t random = random_start((uint64_t)q, 9);
  double r[N * 25], t[N * 25], element[EDGES * 25] = {0}, weight[EDGES], c[25];
  int64_t row[EDGES], col[EDGES], q2 = q * q;
  ring(N, row, col);
  for (int64_t i = 0; i < N; i++) {
    random_orthogonal(&random, q, special, r + i * q2);
    random_orthogonal(&random, q, special, t + i * q2);
  }
  if (square) memcpy(t, r, sizeof t);
  for (int64_t e = 0; e < EDGES; e++) {
    weight[e] = 0.5 + random_uniform(&random);
    if (!square) col[e] /= 2;
    for (int64_t a = 0; a < q; a++)
      for (int64_t b = 0; b < q; b++)
        for (int64_t k = 0; k < q; k++)
          element[e * q2 + a * q + b] += r[row[e] * q2 + a * q + k] * t[col[e] * q2 + b * q + k];
  }
  lavdm_edges edges = {.count = EDGES,
                       .row = row,
                       .col = col,
                       .weight = weight,
                       .element = element,
                       .kind = LAVDM_ELEMENT_MATRIX,
                       .q = q};
  lavdm_data data = {.edges = &edges};
  lavdm_options o = defaults(square);
  o.components = q + 1;
  lavdm_model *model = fit_or_fail(&data, &o);
  const double *lambda = lavdm_info(model)->eigenvalues, *u = lavdm_get(model, "eigenvectors")->data,
               *degree = lavdm_get(model, "degrees")->data;
  double total = 0;
  for (int64_t l = 0; l < q; l++) assert_true(fabs(lambda[l] - 1) < 1e-12);
  assert_true(lambda[q] < 0.99);
  for (int64_t i = 0; i < N; i++) total += degree[i];
  for (int64_t i = 0; i < N; i++)
    for (int64_t a = 0; a < q; a++)
      for (int64_t l = 0; l < q; l++) {
        double sum = 0;
        for (int64_t k = 0; k < q; k++) sum += r[i * q2 + k * q + a] * u[(i * q + k) * (q + 1) + l];
        if (i == 0) c[a * q + l] = sum;
        assert_true(fabs(sum - c[a * q + l]) * sqrt(total) < 1e-9);
      }
  for (int64_t l = 0; l < q; l++)
    for (int64_t s = 0; s < q; s++) {
      double dot = 0;
      for (int64_t a = 0; a < q; a++) dot += c[a * q + l] * c[a * q + s];
      assert_true(fabs(dot * total - (l == s)) < 1e-9);
    }
  lavdm_free(model);
}

/* Z2, SO(2), SO(3), O(4) */
static void test_synchronised(void **state) {
  (void)state;
  for (int square = 0; square <= 1; square++) {
    synchronise(1, false, square);
    synchronise(2, true, square);
    synchronise(3, true, square);
    synchronise(4, false, square);
  }
}

/* Weights are relative: scaling all of them changes nothing but the degrees. */
static void test_scale_of_weights(void **state) {
  (void)state;
  enum { N = 12 };
  int64_t row[2 * N], col[2 * N];
  double weight[2 * N], scaled[2 * N], angle[2 * N];
  ring(N, row, col);
  for (int64_t e = 0; e < 2 * N; e++) weight[e] = 1 + 0.1 * (double)(e % 7), angle[e] = 0.3 * (double)e;
  lavdm_edges plain = {.count = 2 * N,
                       .row = row,
                       .col = col,
                       .weight = weight,
                       .element = angle,
                       .kind = LAVDM_ELEMENT_ANGLE,
                       .q = 0},
              other = plain;
  other.weight = scaled;
  const double scales[] = {1e-99, 1e-30, 1e30, 1e99};
  for (int square = 0; square <= 1; square++)
    for (int s = 0; s < 4; s++) {
      for (int64_t e = 0; e < 2 * N; e++) scaled[e] = scales[s] * weight[e];
      lavdm_options o = defaults(square);
      lavdm_data a = {.edges = &plain}, b = {.edges = &other};
      lavdm_model *x = fit_or_fail(&a, &o), *y = fit_or_fail(&b, &o);
      assert_true(lavdm_info(x)->eigenvalues[0] > 0.1);
      equal_values(x, y, 1e-12);
      lavdm_free(x), lavdm_free(y);
    }
}

static int status_of(const lavdm_edges *edges, int64_t points, bool square, lavdm_error *error) {
  double x[3] = {0};
  lavdm_data data = {.edges = edges, .points = points ? x : NULL, .n = points, .p = 1};
  lavdm_options o = defaults(square);
  o.components = 1;
  lavdm_model *model = (lavdm_model *)&data;
  int status = lavdm_fit(&data, &o, &model, error);
  assert_int_equal(model == NULL, status < 0);
  assert_int_equal(error->message[0] != 0, status < 0);
  lavdm_free(model);
  return status;
}

static void test_bad_edges(void **state) {
  (void)state;
  lavdm_error error;
  int64_t row[] = {0, 1, 2, 0, 1}, col[] = {1, 2, 0, 2, 0};
  double weight[] = {1, 2, 3, 4, 5}, element[5 * 4];
  lavdm_edges good = {.count = 5,
                      .row = row,
                      .col = col,
                      .weight = weight,
                      .element = NULL,
                      .kind = LAVDM_ELEMENT_NONE,
                      .q = 0},
              e;
  for (int square = 0; square <= 1; square++) {
    assert_int_equal(status_of(&good, 3, square, &error), 0);
    e = good, e.count = 0;
    assert_int_equal(status_of(&e, 0, square, &error), LAVDM_ERROR_DATA);
    e.count = -4;
    assert_int_equal(status_of(&e, 0, square, &error), LAVDM_ERROR_DATA);
    e = good, e.row = NULL;
    assert_int_equal(status_of(&e, 0, square, &error), LAVDM_ERROR_ARGUMENT);
    e = good, e.col = NULL;
    assert_int_equal(status_of(&e, 0, square, &error), LAVDM_ERROR_ARGUMENT);
    e = good, e.kind = LAVDM_ELEMENT_SIGN;
    assert_int_equal(status_of(&e, 0, square, &error), LAVDM_ERROR_ARGUMENT);
    assert_int_equal(status_of(&good, 2, square, &error), LAVDM_ERROR_DATA); /* node 2 is no point */
    assert_non_null(strstr(error.message, "names point 2"));
    row[1] = -1;
    assert_int_equal(status_of(&good, 0, square, &error), LAVDM_ERROR_DATA);
    assert_non_null(strstr(error.message, "edge 2"));
    row[1] = 1, col[2] = -3;
    assert_int_equal(status_of(&good, 0, square, &error), LAVDM_ERROR_DATA);
    col[2] = 0;
    const double bad_weights[] = {0, -1, NAN, INFINITY, -INFINITY, 1e-200, 1e200};
    for (int k = 0; k < 7; k++) {
      weight[2] = bad_weights[k];
      assert_int_equal(status_of(&good, 0, square, &error), LAVDM_ERROR_DATA);
      assert_non_null(strstr(error.message, "edge 3"));
    }
    weight[2] = 3;
  }
  e = good, e.element = element;
  const struct {
    lavdm_element kind;
    int64_t q;
    double bad;
  } bad[] = {{LAVDM_ELEMENT_SIGN, 0, 0.5},       {LAVDM_ELEMENT_SIGN, 0, NAN},
             {LAVDM_ELEMENT_ANGLE, 0, NAN},      {LAVDM_ELEMENT_ANGLE, 0, INFINITY},
             {LAVDM_ELEMENT_QUATERNION, 0, 1.1}, {LAVDM_ELEMENT_QUATERNION, 0, NAN},
             {LAVDM_ELEMENT_MATRIX, 1, 1.001},   {LAVDM_ELEMENT_MATRIX, 1, NAN}};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    e.kind = bad[k].kind, e.q = bad[k].q;
    for (int i = 0; i < 20; i++) element[i] = e.kind == LAVDM_ELEMENT_QUATERNION ? i % 4 == 0 : 1;
    assert_int_equal(status_of(&e, 0, true, &error), 0);
    element[0] = bad[k].bad;
    assert_int_equal(status_of(&e, 0, true, &error), LAVDM_ERROR_DATA);
    assert_non_null(strstr(error.message, "edge 1"));
  }
  const double shear[] = {1, 1e-3, 0, 1};
  e.kind = LAVDM_ELEMENT_MATRIX, e.q = 2, e.element = shear, e.count = 1;
  assert_int_equal(status_of(&e, 0, true, &error), LAVDM_ERROR_DATA);
  const int64_t bad_q[] = {0, -1, 65, INT64_MAX};
  for (int k = 0; k < 4; k++) {
    e.q = bad_q[k];
    assert_int_equal(status_of(&e, 0, true, &error), LAVDM_ERROR_ARGUMENT);
  }
  row[0] = col[0] = 5; /* one loop joins nothing */
  good.count = 1;
  assert_int_equal(status_of(&good, 0, true, &error), LAVDM_ERROR_DATA);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gaps),       cmocka_unit_test(test_isolated_nodes),
      cmocka_unit_test(test_components), cmocka_unit_test(test_synchronised),
      cmocka_unit_test(test_bad_edges),  cmocka_unit_test(test_scale_of_weights),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
