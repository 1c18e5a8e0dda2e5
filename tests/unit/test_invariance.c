/*
 * What must not matter: where the data lies and how it is turned, the order of
 * the points, the unit of length, the frames, the number of threads, the run.
 * And two methods that must agree: LA-VDM on the trivial bundle with ROSELAND,
 * and both, with every point a landmark, with two dense diffusion steps.
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

enum { N = 150, M = 40, MOST_P = 20 };

#define ALL_METHODS(m) for (lavdm_method m = LAVDM_METHOD_DM; m <= LAVDM_METHOD_LAVDM; m++)

static bool has_landmarks(lavdm_method method) {
  return method == LAVDM_METHOD_ROSELAND || method == LAVDM_METHOD_LAVDM;
}

/* Points and landmarks; every other coordinate of the torus's three is followed by noise. */
typedef struct {
  int64_t n, m, p;
  double *x, *z;
} cloud_t;

static cloud_t cloud_new(int64_t p) {
  cloud_t c = {N, M, p, numbers(N * p), numbers(M * p)};
  double *torus = numbers((N + M) * 3), *noise = numbers((N + M) * p);
  assert_int_equal(lavdm_sample("torus", N + M, 0, NULL, 0, 12, torus, NULL, NULL, NULL), 0);
  fill_normal(noise, (N + M) * p, 12);
  for (int64_t i = 0; i < (N + M) * p; i++)
    (i < N * p ? c.x + i : c.z + i - N * p)[0] = i % p < 3 ? torus[i / p * 3 + i % p] : 0.05 * noise[i];
  free(torus), free(noise);
  return c;
}

static void cloud_free(cloud_t *c) {
  free(c->x), free(c->z);
}

static lavdm_options defaults(lavdm_method method) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method;
  o.epsilon = 0.8, o.knn = 14, o.components = 10, o.threads = 1, o.pca = 0;
  if (method == LAVDM_METHOD_VDM || method == LAVDM_METHOD_LAVDM) o.dim = 2;
  return o;
}

static lavdm_model *fit(const cloud_t *c, const lavdm_options *o) {
  lavdm_data data = {.points = c->x, .n = c->n, .p = c->p};
  if (has_landmarks(o->method)) data.landmark_points = c->z, data.landmark_count = c->m;
  return fit_or_fail(&data, o);
}

/* The largest rank below r that does not split a group of eigenvalues. */
static int64_t safe_rank(const lavdm_model *model) {
  const double *lambda = lavdm_info(model)->eigenvalues;
  int64_t k = lavdm_info(model)->chosen->components - 1;
  while (k > 0 && lambda[k - 1] - lambda[k] < 1e-3) k--;
  assert_true(k > 0);
  return k;
}

/* Eigenvalues, and inner products of the embedding; point i of a is point order[i] of b. */
static void agree(const lavdm_model *a, const lavdm_model *b, const int64_t *order, double tolerance) {
  const lavdm_info_t *ia = lavdm_info(a), *ib = lavdm_info(b);
  int64_t n = ia->n, rank = safe_rank(a), width = rank * (rank + 1) / 2;
  for (int64_t l = 0; l < ia->chosen->components; l++) {
    assert_true(fabs(ia->eigenvalues[l] - ib->eigenvalues[l]) < 1e-10);
    assert_true(ia->residuals[l] < 1e-8 && ib->residuals[l] < 1e-8);
  }
  double *x = numbers(n * width), *y = numbers(n * width), worst = 0, scale = 0;
  assert_int_equal(lavdm_embedding(a, 1, rank, x, NULL), 0);
  assert_int_equal(lavdm_embedding(b, 1, rank, y, NULL), 0);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) {
      double dot = 0, other = 0;
      const double *yi = y + (order ? order[i] : i) * width, *yj = y + (order ? order[j] : j) * width;
      for (int64_t c = 0; c < width; c++) dot += x[i * width + c] * x[j * width + c], other += yi[c] * yj[c];
      scale = fmax(scale, fabs(dot)), worst = fmax(worst, fabs(dot - other));
    }
  assert_true(scale > 0 && worst < tolerance * scale);
  free(x), free(y);
}

/* x -> x Q + shift for all points and landmarks; Q random orthogonal of determinant `sign`. */
static void move(cloud_t *c, double sign, double shift) {
  double m[MOST_P * MOST_P], identity[MOST_P * MOST_P], q[MOST_P * MOST_P], row[MOST_P], det;
  int64_t p = c->p;
  fill_normal(m, p * p, 31);
  for (int64_t i = 0; i < p * p; i++) identity[i] = i % (p + 1) == 0;
  oracle_element(LAVDM_BUNDLE_TANGENT, p, p, identity, m, q);
  oracle_element(LAVDM_BUNDLE_ORIENTATION, p, p, identity, q, &det);
  for (int64_t j = 0; j < p && det * sign < 0; j++) q[j] = -q[j];
  for (int64_t i = 0; i < c->n + c->m; i++) {
    double *x = i < c->n ? c->x + i * p : c->z + (i - c->n) * p;
    memcpy(row, x, (size_t)p * sizeof *row);
    for (int64_t j = 0; j < p; j++) {
      x[j] = shift * (double)(j + 1);
      for (int64_t k = 0; k < p; k++) x[j] += row[k] * q[k * p + j];
    }
  }
}

static void test_motions(void **state) {
  (void)state;
  const int64_t ps[] = {3, 12, 13, 20};
  for (int k = 0; k < 4; k++)
    for (double sign = -1; sign <= 1; sign += 2) {
      cloud_t a = cloud_new(ps[k]), b = cloud_new(ps[k]);
      move(&b, sign, 3.5);
      ALL_METHODS(method) {
        lavdm_options o = defaults(method);
        lavdm_model *x = fit(&a, &o), *y = fit(&b, &o);
        agree(x, y, NULL, 1e-8);
        lavdm_free(x), lavdm_free(y);
      }
      cloud_free(&a), cloud_free(&b);
    }
}

static void test_permutation(void **state) {
  (void)state;
  cloud_t a = cloud_new(4), b = cloud_new(4);
  random_t r = random_start(1, 2);
  int64_t order[N];
  for (int64_t i = 0; i < N; i++) { /* Fisher-Yates, inside out */
    int64_t j = random_below(&r, i + 1);
    order[i] = order[j], order[j] = i;
  }
  for (int64_t i = 0; i < N; i++) memcpy(b.x + order[i] * 4, a.x + i * 4, 4 * sizeof *a.x);
  for (int64_t k = 0; k < M; k++) memcpy(b.z + (M - 1 - k) * 4, a.z + k * 4, 4 * sizeof *a.x);
  ALL_METHODS(method)
  for (int rule = LAVDM_EDGES_BALL; rule <= LAVDM_EDGES_COMPLETE; rule++) {
    lavdm_options o = defaults(method);
    o.edges = (lavdm_edge_rule)rule;
    lavdm_model *x = fit(&a, &o), *y = fit(&b, &o);
    agree(x, y, order, 1e-8);
    lavdm_free(x), lavdm_free(y);
  }
  cloud_free(&a), cloud_free(&b);
}

/* Lengths times s, bandwidth times s^2. */
static void test_unit_of_length(void **state) {
  (void)state;
  const double scales[] = {1e-60, 1e-5, 1e3, 1e60};
  for (int64_t p = 3; p <= 20; p += 17)
    for (int s = 0; s < 4; s++) {
      cloud_t a = cloud_new(p), b = cloud_new(p);
      for (int64_t i = 0; i < N * p; i++) b.x[i] *= scales[s];
      for (int64_t i = 0; i < M * p; i++) b.z[i] *= scales[s];
      ALL_METHODS(method) {
        lavdm_options o = defaults(method);
        lavdm_model *x = fit(&a, &o);
        o.epsilon *= scales[s] * scales[s];
        lavdm_model *y = fit(&b, &o);
        agree(x, y, NULL, 1e-8);
        o.epsilon = LAVDM_AUTO; /* the bandwidth that is chosen follows */
        lavdm_model *automatic = fit(&a, &o), *scaled = fit(&b, &o);
        double ratio = lavdm_info(scaled)->chosen->epsilon / lavdm_info(automatic)->chosen->epsilon;
        assert_true(fabs(ratio / scales[s] / scales[s] - 1) < 1e-9);
        lavdm_free(x), lavdm_free(y), lavdm_free(automatic), lavdm_free(scaled);
      }
      cloud_free(&a), cloud_free(&b);
    }
}

/* The given bundle in other frames: O_ik -> Q_i O_ik Q_k'. */
static void test_frames_of_given(void **state) {
  (void)state;
  enum { NODES = 25, EDGES = 100, Q = 3 };
  random_t r = random_start(9, 9);
  static double o[EDGES * 9], turned[EDGES * 9], q[2 * NODES * 9], weight[EDGES];
  double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, m[9];
  int64_t row[EDGES], col[EDGES];
  for (int64_t e = 0; e < EDGES + 2 * NODES; e++) {
    for (int i = 0; i < 9; i++) m[i] = random_normal(&r) + 2 * identity[i];
    oracle_element(LAVDM_BUNDLE_TANGENT, 3, 3, identity, m, e < EDGES ? o + e * 9 : q + (e - EDGES) * 9);
  }
  for (int square = 0; square <= 1; square++) {
    memset(turned, 0, sizeof turned);
    for (int64_t e = 0; e < EDGES; e++) {
      row[e] = e % NODES, col[e] = (e + 1 + e / NODES) % NODES;
      weight[e] = 0.5 + random_uniform(&r);
      const double *left = q + row[e] * 9, *right = q + (col[e] + (square ? 0 : NODES)) * 9;
      for (int i = 0; i < 9; i++)
        for (int k = 0; k < 9; k++) /* [a,b] += left[a,k] o[k,l] right[b,l] */
          turned[e * 9 + i] += left[i / 3 * 3 + k / 3] * o[e * 9 + k] * right[i % 3 * 3 + k % 3];
    }
    lavdm_edges a = {.count = EDGES,
                     .row = row,
                     .col = col,
                     .weight = weight,
                     .element = o,
                     .kind = LAVDM_ELEMENT_MATRIX,
                     .q = Q},
                b = a;
    b.element = turned;
    lavdm_data da = {.edges = &a}, db = {.edges = &b};
    lavdm_options options;
    lavdm_options_default(&options);
    options.method = square ? LAVDM_METHOD_VDM : LAVDM_METHOD_LAVDM;
    options.components = 10, options.threads = 1;
    lavdm_model *x = fit_or_fail(&da, &options), *y = fit_or_fail(&db, &options);
    agree(x, y, NULL, 1e-9);
    lavdm_free(x), lavdm_free(y);
  }
}

/* D^-1/2 W W' D^-1/2, D = W W' 1, from the points alone. */
static void test_agreement(void **state) {
  (void)state;
  for (int64_t p = 3; p <= 20; p += 17) {
    cloud_t c = cloud_new(p), all = {N, N, p, c.x, c.x};
    lavdm_options o = defaults(LAVDM_METHOD_LAVDM), s = defaults(LAVDM_METHOD_ROSELAND);
    o.bundle = LAVDM_BUNDLE_TRIVIAL;
    o.alpha = o.beta = 0, o.dim = LAVDM_AUTO;
    lavdm_model *x = fit(&c, &o), *y = fit(&c, &s);
    agree(x, y, NULL, 1e-10);
    lavdm_free(x), lavdm_free(y);
    double *w = numbers(N * N), *h = numbers(N * N), *d = numbers(N), *values = numbers(N);
    for (int64_t i = 0; i < N * N; i++) {
      double d2 = 0;
      for (int64_t j = 0; j < p; j++) d2 += pow(c.x[i / N * p + j] - c.x[i % N * p + j], 2);
      w[i] = d2 <= 25 * 0.8 ? exp(-d2 / 0.8) : 0;
    }
    for (int64_t i = 0; i < N * N; i++)
      for (int64_t k = 0; k < N; k++) h[i] += w[i / N * N + k] * w[i % N * N + k];
    for (int64_t i = 0; i < N * N; i++) d[i / N] += h[i];
    for (int64_t i = 0; i < N * N; i++) h[i] /= sqrt(d[i / N] * d[i % N]);
    oracle_eigen(N, h, values);
    lavdm_model *models[] = {fit(&all, &o), fit(&all, &s)};
    for (int k = 0; k < 2; k++) {
      for (int64_t l = 0; l < 10; l++)
        assert_true(fabs(lavdm_info(models[k])->eigenvalues[l] - values[l]) < 1e-10);
      double *u = model_orthonormal(models[k]);
      int64_t rank = safe_rank(models[k]);
      assert_true(projector_distance(N, rank, u, 10, h, N) < 1e-8);
      free(u);
      lavdm_free(models[k]);
    }
    free(w), free(h), free(d), free(values);
    cloud_free(&c);
  }
}

/* Once more is the same to the last bit; with more threads it is the same to rounding. */
static void test_threads_and_runs(void **state) {
  (void)state;
  cloud_t c = cloud_new(5);
  lavdm_data data = {.points = c.x, .n = N, .p = 5};
  ALL_METHODS(method) {
    lavdm_options o = defaults(method);
    o.seed = 3, o.epsilon = LAVDM_AUTO; /* landmarks by design, and everything chosen */
    lavdm_model *one = fit_or_fail(&data, &o);
    o.threads = 2;
    lavdm_model *two = fit_or_fail(&data, &o), *again = fit_or_fail(&data, &o);
    assert_int_equal(lavdm_array_count(two), lavdm_array_count(again));
    for (int i = 0; i < lavdm_array_count(two); i++) {
      const lavdm_array *s = lavdm_array_at(two, i), *t = lavdm_array_at(again, i);
      int64_t count = s->shape[0] * (s->rank > 1 ? s->shape[1] : 1) * (s->rank > 2 ? s->shape[2] : 1);
      assert_memory_equal(s->data, t->data, (size_t)count * 8);
    }
    agree(one, two, NULL, 1e-10);
    if (has_landmarks(method))
      assert_memory_equal(lavdm_get(one, "landmark_index")->data, lavdm_get(two, "landmark_index")->data,
                          (size_t)lavdm_info(one)->m * 8);
    lavdm_free(one), lavdm_free(two), lavdm_free(again);
  }
  cloud_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_motions),        cmocka_unit_test(test_permutation),
      cmocka_unit_test(test_unit_of_length), cmocka_unit_test(test_frames_of_given),
      cmocka_unit_test(test_agreement),      cmocka_unit_test(test_threads_and_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
