/* Searches by every metric against all distances by its formula, sorted; and distances that are given. */
#include "base/door.h"
#include "base/random.h"
#include "landmarks/landmarks.h"
#include "neighbours/neighbours.h"
#include "reduce/sphere.h"
#include "support/oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { N = 500, QUERIES = 60 };

static const lavdm_metric metrics[] = {
    LAVDM_METRIC_EUCLIDEAN, LAVDM_METRIC_COSINE,  LAVDM_METRIC_CORRELATION, LAVDM_METRIC_MANHATTAN,
    LAVDM_METRIC_CHEBYSHEV, LAVDM_METRIC_HAMMING, LAVDM_METRIC_JACCARD,     LAVDM_METRIC_HAVERSINE};
enum { METRICS = sizeof metrics / sizeof *metrics };

/* 1 - the cosine of the angle of x - a and y - b. */
static double one_less_cosine(const double *x, double a, const double *y, double b, int64_t p) {
  double xy = 0, xx = 0, yy = 0;
  for (int64_t j = 0; j < p; j++)
    xy += (x[j] - a) * (y[j] - b), xx += (x[j] - a) * (x[j] - a), yy += (y[j] - b) * (y[j] - b);
  return 1 - xy / sqrt(xx * yy);
}

static double mean_of(const double *x, int64_t p) {
  double sum = 0;
  for (int64_t j = 0; j < p; j++) sum += x[j];
  return sum / (double)p;
}

/* The formulas, of rows as a user has them. */
static double formula(lavdm_metric metric, const double *x, const double *y, int64_t p) {
  double squares = 0, sum = 0, most = 0, differ = 0, used = 0;
  for (int64_t j = 0; j < p; j++) {
    double gap = fabs(x[j] - y[j]);
    squares += gap * gap, sum += gap, most = fmax(most, gap), differ += gap > 0;
    used += x[j] != 0 || y[j] != 0;
  }
  if (metric == LAVDM_METRIC_COSINE) return one_less_cosine(x, 0, y, 0, p);
  if (metric == LAVDM_METRIC_CORRELATION) return one_less_cosine(x, mean_of(x, p), y, mean_of(y, p), p);
  if (metric == LAVDM_METRIC_HAVERSINE) {
    double a = sin((x[0] - y[0]) / 2), b = sin((x[1] - y[1]) / 2);
    return 2 * asin(sqrt(a * a + cos(x[0]) * cos(y[0]) * b * b));
  }
  if (metric == LAVDM_METRIC_MANHATTAN) return sum;
  if (metric == LAVDM_METRIC_CHEBYSHEV) return most;
  if (metric == LAVDM_METRIC_HAMMING) return differ / (double)p;
  if (metric == LAVDM_METRIC_JACCARD) return used > 0 ? differ / used : 0;
  return sqrt(squares);
}

/* Rows that suit the metric: zeros and ones, places, or numbers in two clumps; every fifth is one before it.
 */
static double *rows_of(lavdm_metric metric, int64_t n, int64_t p) {
  double *x = numbers(n * p);
  random_t random = random_start(11, (uint64_t)metric);
  bool binary = metric == LAVDM_METRIC_HAMMING || metric == LAVDM_METRIC_JACCARD;
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < p; j++) {
      double u = random_uniform(&random);
      x[i * p + j] = metric == LAVDM_METRIC_HAVERSINE ? (u - 0.5) * (j ? 6.2 : 3.1)
                     : binary                         ? (double)(u < 0.3)
                                                      : u + (double)(i % 2 * 2) - (j == 0 ? 0.7 : 0);
      if (i % 5 == 4) x[i * p + j] = x[(i - 3) * p + j];
    }
  return x;
}

typedef struct {
  run_t run;
  lavdm_metric metric;
  int64_t p;
  double *x;     /* as the user has them */
  double *own;   /* as they are searched */
  double *query; /* the same of some others */
  double *asked;
  tiles_t tiles;
} space_t;

static void take(space_t *s, const double *x, int64_t n, double **out) {
  int64_t width = sphere_width(s->metric, s->p);
  lavdm_data data = {.points = x, .n = n, .p = s->p};
  *out = numbers(n * width);
  if (on_sphere(s->metric))
    assert_int_equal(sphere_apply(&s->run, &data, "", 0, *out), 0);
  else
    memcpy(*out, x, (size_t)(n * s->p) * sizeof *x);
}

static space_t space_new(lavdm_metric metric, int64_t p) {
  space_t s = {.run = {.threads = 1, .options = {.metric = metric}}, .metric = metric, .p = p};
  s.x = rows_of(metric, N, p);
  take(&s, s.x, N, &s.own);
  s.query = rows_of(metric, N + QUERIES, p);
  memmove(s.query, s.query + N / 2 * p, (size_t)(QUERIES * p) * sizeof *s.query);
  take(&s, s.query, QUERIES, &s.asked);
  lavdm_data data = {.points = s.own, .n = N, .p = on_sphere(metric) ? sphere_width(metric, p) : p};
  assert_int_equal(REAL(tiles_build)(&s.run, &data, NULL, 16, &s.tiles), 0);
  s.tiles.metric = metric_of(&s.run);
  return s;
}

static void space_free(space_t *s) {
  REAL(tiles_free)(&s->tiles);
  free(s->x), free(s->own), free(s->query), free(s->asked);
}

static double true_d2(const space_t *s, int64_t q, int64_t stored) {
  double d = formula(s->metric, s->query + q * s->p, s->x + s->tiles.order[stored] * s->p, s->p);
  return d * d;
}

/* d2 of a distance that is right to 1e-15 or so. */
static bool same(double found, double truth) {
  return fabs(sqrt(found) - sqrt(fmax(truth, 0))) < 1e-12 + 1e-7 * (truth < 1e-14);
}

static int ascending(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static void check_nearest(const space_t *s, int64_t k, neighbour_work *work) {
  int64_t *index = calloc((size_t)(QUERIES * k), sizeof *index);
  double *d2 = numbers(QUERIES * k), *all = numbers(N), set = 0, list = 0;
  assert_int_equal(REAL(nearest)(&s->tiles, s->asked, QUERIES, k, work, index, d2), 0);
  for (int64_t q = 0; q < QUERIES; q++) {
    for (int64_t i = 0; i < N; i++) all[i] = true_d2(s, q, i);
    qsort(all, N, sizeof *all, ascending);
    for (int64_t r = 0; r < k; r++) {
      assert_true(same(d2[q * k + r], all[r]));
      assert_true(same(d2[q * k + r], true_d2(s, q, index[q * k + r])));
      if (r > 0) assert_true(d2[q * k + r] >= d2[q * k + r - 1] && index[q * k + r] != index[q * k + r - 1]);
      list += d2[q * k + r];
    }
  }
  assert_int_equal(REAL(nearest_set)(&s->tiles, s->asked, QUERIES, k, work, index, d2), 0);
  for (int64_t e = 0; e < QUERIES * k; e++) set += d2[e];
  assert_true(fabs(set - list) <= 1e-12 * list);
  free(index), free(d2), free(all);
}

static void check_within(const space_t *s, double radius, neighbour_work *work) {
  int64_t start[QUERIES + 1], p = s->tiles.p;
  const int64_t *index, *near;
  const double *d2;
  assert_int_equal(REAL(within)(&s->tiles, s->asked, QUERIES, radius, work, start, &index, &d2), 0);
  int64_t *found = calloc((size_t)start[QUERIES] + 1, sizeof *found);
  memcpy(found, index, (size_t)start[QUERIES] * sizeof *found);
  for (int64_t q = 0; q < QUERIES; q++) {
    int64_t at = start[q], count = 0;
    double own[1];
    for (int64_t i = 0; i < N; i++) {
      bool here = at < start[q + 1] && found[at] == i;
      double truth = true_d2(s, q, i);
      if (here) assert_true(same(d2[at], truth) && d2[at] <= radius * radius);
      if (fabs(truth - radius * radius) > 1e-9) assert_int_equal(here, truth < radius * radius);
      REAL(distances2)(&s->tiles, s->asked + q * p, &i, 1, own);
      assert_true(same(own[0], truth));
      at += here;
    }
    count = REAL(near_box)(&s->tiles, s->asked + q * p, s->asked + q * p, radius, work, &near);
    for (int64_t e = start[q], c = 0; e < start[q + 1]; e++) {
      while (c < count && near[c] < found[e]) c++;
      assert_true(c < count && near[c] == found[e]);
    }
    /* the results of within() were used up */
    assert_int_equal(REAL(within)(&s->tiles, s->asked, QUERIES, radius, work, start, &index, &d2), 0);
  }
  free(found);
}

static void test_searches(void **state) {
  (void)state;
  const int64_t ps[] = {2, 7, 30};
  for (int m = 0; m < METRICS; m++)
    for (int c = 0; c < 3; c++) {
      if (metrics[m] == LAVDM_METRIC_HAVERSINE && ps[c] != 2) continue;
      if (metrics[m] == LAVDM_METRIC_CORRELATION && ps[c] == 2) continue; /* +1 or -1, nothing else */
      if (ps[c] == 2 && (metrics[m] == LAVDM_METRIC_HAMMING || metrics[m] == LAVDM_METRIC_JACCARD)) continue;
      space_t s = space_new(metrics[m], ps[c]);
      neighbour_work *work = REAL(neighbour_work_new)();
      check_nearest(&s, 1, work);
      check_nearest(&s, 9, work);
      check_nearest(&s, N, work);
      double middle = sqrt(true_d2(&s, 0, N / 2));
      check_within(&s, 0.3 * middle, work);
      check_within(&s, 1.1 * middle, work);
      check_within(&s, 100, work); /* all of them */
      REAL(neighbour_work_free)(work);
      space_free(&s);
    }
}

/* No box is further than its points. */
static void test_boxes(void **state) {
  (void)state;
  for (int m = 0; m < METRICS; m++) {
    if (metrics[m] == LAVDM_METRIC_HAVERSINE) continue;
    space_t s = space_new(metrics[m], 5);
    const tiles_t *t = &s.tiles;
    for (int64_t tile = 0; tile < t->tiles; tile++)
      for (int64_t q = 0; q < QUERIES; q++) {
        int64_t node = (t->tiles - 1 + tile) * t->p;
        const double *a = s.asked + q * t->p;
        double gap = REAL(metric_box)(&t->metric, t->p, a, a, t->lower + node, t->upper + node);
        for (int64_t i = t->first[tile]; i < t->first[tile + 1]; i++)
          assert_true(gap <= REAL(metric_r)(&t->metric, t->p, a, t->x + i * t->p) * (1 + 1e-12));
      }
    space_free(&s);
  }
}

/* Each landmark is as far from those before as any point. */
static void test_farthest(void **state) {
  (void)state;
  enum { M = 25 };
  const lavdm_metric some[] = {LAVDM_METRIC_COSINE, LAVDM_METRIC_MANHATTAN, LAVDM_METRIC_CHEBYSHEV,
                               LAVDM_METRIC_JACCARD};
  for (int m = 0; m < 4; m++) {
    space_t s = space_new(some[m], 9);
    int64_t out[M];
    assert_int_equal(REAL(landmarks_choose)(&s.run, &s.tiles, LAVDM_DESIGN_FARTHEST, M, out), 0);
    double least = INFINITY, cover = 0;
    for (int a = 0; a < M; a++)
      for (int b = 0; b < a; b++)
        least = fmin(least,
                     formula(some[m], s.x + s.tiles.order[out[a]] * 9, s.x + s.tiles.order[out[b]] * 9, 9));
    for (int64_t i = 0; i < N; i++) {
      double near = INFINITY;
      for (int a = 0; a < M; a++)
        near = fmin(near, formula(some[m], s.x + i * 9, s.x + s.tiles.order[out[a]] * 9, 9));
      cover = fmax(cover, near);
    }
    assert_true(cover <= least * (1 + 1e-9));
    space_free(&s);
  }
}

/* -------------------------------------------------------------- precomputed */

static double *matrix_of(lavdm_metric metric, const double *x, int64_t n, int64_t p) {
  double *d = numbers(n * n);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) d[i * n + j] = i == j ? 0 : formula(metric, x + i * p, x + j * p, p);
  return d;
}

static lavdm_options how(lavdm_method method) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method, o.metric = LAVDM_METRIC_PRECOMPUTED;
  o.components = 5, o.threads = 2, o.trust = LAVDM_TRUST_NO;
  return o;
}

static void refused(const lavdm_data *data, const lavdm_options *o, const char *why) {
  lavdm_model *model;
  lavdm_error error;
  assert_true(lavdm_fit(data, o, &model, &error) < 0);
  assert_null(model);
  if (!strstr(error.message, why)) fail_msg("%s: %s", why, error.message);
}

/* The stored order of points that are the numbers of their rows is theirs, also where they are many. */
static void test_numbers_stay(void **state) {
  (void)state;
  enum { MANY = 300000 };
  double *x = numbers(MANY);
  for (int64_t i = 0; i < MANY; i++) x[i] = (double)i;
  run_t run = {.threads = 2};
  lavdm_data data = {.points = x, .n = MANY, .p = 1};
  tiles_t tiles;
  assert_int_equal(REAL(tiles_build)(&run, &data, NULL, TILE_POINTS, &tiles), 0);
  for (int64_t i = 0; i < MANY; i++) assert_true(tiles.order[i] == i && tiles.x[i] == (double)i);
  REAL(tiles_free)(&tiles);
  free(x);
}

static void test_calls(void **state) {
  (void)state;
  enum { M = 90 };
  double *x = rows_of(LAVDM_METRIC_MANHATTAN, M, 4), *d = matrix_of(LAVDM_METRIC_MANHATTAN, x, M, 4);
  lavdm_distances given = {.rows = M, .cols = M, .value = d};
  lavdm_data data = {.size = sizeof data, .distances = &given}, both = data;
  lavdm_options o = how(LAVDM_METHOD_DM), other = o;
  both.points = x, both.n = M, both.p = 4;
  refused(&both, &o, "give one of them");
  other.metric = LAVDM_METRIC_COSINE;
  refused(&data, &other, "it must be precomputed");
  refused(&(lavdm_data){.points = x, .n = M, .p = 4}, &o, "no distances");
  refused(&(lavdm_data){.size = DATA_0_2, .distances = &given}, &o, "no distances");
  other = o, other.precision = LAVDM_PRECISION_SINGLE;
  lavdm_distances many = {.rows = (1 << 24) + 1, .cols = (1 << 24) + 1, .value = d};
  refused(&(lavdm_data){.size = sizeof data, .distances = &many}, &other, "single precision tells apart");
  other = o, other.normalise = LAVDM_NORMALISE_SINKHORN;
  lavdm_model *model = fit_or_fail(&data, &other), *again;
  assert_true(fabs(lavdm_info(model)->eigenvalues[0] - 1) < 1e-9);
  lavdm_free(model);
  lavdm_plan_t plan = {0};
  assert_int_equal(lavdm_plan(&data, &o, &plan, NULL), LAVDM_OK);
  assert_true(plan.memory > 0 && !plan.stream);
  lavdm_operator_t *op;
  assert_true(lavdm_operator(&data, &o, &op, NULL) >= 0);
  assert_int_equal(op->n, M);
  lavdm_operator_free(op);
  /* a row stride, and a type: the same */
  float *wide = calloc(M * (M + 3), sizeof *wide);
  for (int64_t i = 0; i < M * M; i++) wide[i / M * (M + 3) + i % M] = (float)d[i], d[i] = (double)(float)d[i];
  lavdm_distances strided = {.rows = M, .cols = M, .value = wide, .type = LAVDM_F32, .row_stride = M + 3};
  model = fit_or_fail(&data, &o);
  data.distances = &strided;
  again = fit_or_fail(&data, &o);
  assert_memory_equal(lavdm_info(model)->eigenvalues, lavdm_info(again)->eigenvalues, 5 * sizeof(double));
  lavdm_free(model), lavdm_free(again);
  free(x), free(d), free(wide);
}

/* A run goes on from its checkpoint if the distances are the same, and only then. */
static void test_checkpoint(void **state) {
  (void)state;
  enum { M = 120 };
  double *x = rows_of(LAVDM_METRIC_CHEBYSHEV, M, 4), *d = matrix_of(LAVDM_METRIC_CHEBYSHEV, x, M, 4);
  lavdm_distances given = {.rows = M, .cols = M, .value = d};
  lavdm_data data = {.size = sizeof data, .distances = &given};
  lavdm_options o = how(LAVDM_METHOD_ROSELAND);
  char path[] = "/tmp/lavdm-test-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd), unlink(path);
  o.checkpoint = path, o.landmarks = 30;
  lavdm_model *model = fit_or_fail(&data, &o), *again = fit_or_fail(&data, &o);
  assert_non_null(lavdm_info(again)->resumed);
  assert_memory_equal(lavdm_info(model)->eigenvalues, lavdm_info(again)->eigenvalues, 5 * sizeof(double));
  assert_int_equal(lavdm_info(model)->chosen->design, LAVDM_DESIGN_FARTHEST);
  d[1] = d[M] = d[1] * 1.5;
  refused(&data, &o, "other data");
  unlink(path);
  lavdm_free(model), lavdm_free(again);
  free(x), free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_searches), cmocka_unit_test(test_boxes),
                                     cmocka_unit_test(test_farthest), cmocka_unit_test(test_numbers_stay),
                                     cmocka_unit_test(test_calls),    cmocka_unit_test(test_checkpoint)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
