/*
 * A run whose rows are shared: ranks with a part of the rows each find what one run finds. Eigenvalues agree
 * to rounding, and the eigenvectors of a rank are the rows of the whole up to the basis of each eigenspace,
 * so that products u_i u_j' of ambient fields are compared.
 */
#include "fit/fit.h"
#include "lavdm/sample.h"
#include "team.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 900 };

static void assert_near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g to %g", a, b, tolerance);
}

typedef struct {
  lavdm_data data;
  lavdm_options options;
  const team_t *team;
  lavdm_model *model;
  lavdm_error error;
  int status;
} job_t;

static void *fit(void *context) {
  job_t *job = context;
  job->status = fit_checked(&job->data, &job->options, job->team, NULL, &job->model, &job->error);
  return NULL;
}

/* Rows first .. first+rows-1 for each rank; `bounds` has ranks + 1 of them. */
static void fit_shared(const double *x, int64_t p, const lavdm_options *o, const lavdm_data *how, int ranks,
                       const int64_t *bounds, job_t *job) {
  pthread_t thread[8];
  thread_team *team = thread_team_new(ranks);
  assert_non_null(team);
  for (int r = 0; r < ranks; r++) {
    job[r] = (job_t){.data = *how, .options = *o, .team = thread_team_rank(team, r)};
    job[r].data.points = x + bounds[r] * p;
    job[r].data.n = bounds[r + 1] - bounds[r];
    job[r].data.p = p;
    job[r].options.threads = 1;
    assert_int_equal(pthread_create(&thread[r], NULL, fit, &job[r]), 0);
  }
  for (int r = 0; r < ranks; r++) pthread_join(thread[r], NULL);
  assert_true(thread_team_calls(team) > 0);
  thread_team_free(team);
}

/* Entry (i,j) of the kernel sum_l values_l^t <u_l[i], u_l[j]> that no basis changes: q = 1 as it is, tangent
 * fields in the space of the points. */
static double heat(const lavdm_model *a, int64_t i, const lavdm_model *b, int64_t j) {
  const lavdm_info_t *info = lavdm_info(a);
  int64_t q = info->q, r = info->chosen->components, p = info->p;
  const double *u = lavdm_get(a, "eigenvectors")->data, *v = lavdm_get(b, "eigenvectors")->data;
  const lavdm_array *fa = lavdm_get(a, "frames"), *fb = lavdm_get(b, "frames");
  double sum = 0;
  for (int64_t l = 0; l < r; l++) {
    double product = 0;
    if (q == 1 && !(fa && fb && info->chosen->bundle == LAVDM_BUNDLE_TANGENT)) {
      product = u[i * r + l] * v[j * r + l];
    } else {
      for (int64_t c = 0; c < p; c++) {
        double x = 0, y = 0;
        for (int64_t k = 0; k < q; k++) {
          x += ((const double *)fa->data)[(i * p + c) * q + k] * u[(i * q + k) * r + l];
          y += ((const double *)fb->data)[(j * p + c) * q + k] * v[(j * q + k) * r + l];
        }
        product += x * y;
      }
    }
    sum += info->eigenvalues[l] * product;
  }
  return sum;
}

static void compare(const double *x, int64_t p, lavdm_options o, const lavdm_data *how, int ranks,
                    const int64_t *bounds) {
  job_t whole = {.data = *how, .options = o}, job[8];
  whole.data.points = x, whole.data.n = bounds[ranks], whole.data.p = p;
  whole.options.threads = 1;
  fit(&whole);
  if (whole.status < 0) fail_msg("%s", whole.error.message);
  fit_shared(x, p, &o, how, ranks, bounds, job);
  const lavdm_info_t *all = lavdm_info(whole.model);
  int64_t isolated = 0, far = 0;
  for (int k = 0; k < ranks; k++) {
    if (job[k].status < 0) fail_msg("%s", job[k].error.message);
    const lavdm_info_t *info = lavdm_info(job[k].model);
    assert_int_equal(info->m, all->m);
    assert_int_equal(info->edges, all->edges);
    assert_int_equal(info->graph_components, all->graph_components);
    assert_int_equal(info->degenerate_frames, all->degenerate_frames);
    assert_true(info->chosen->epsilon == all->chosen->epsilon);
    assert_int_equal(info->chosen->knn, all->chosen->knn);
    assert_int_equal(info->chosen->components, all->chosen->components);
    isolated += info->isolated, far += info->far_points;
    for (int64_t l = 0; l < all->chosen->components; l++)
      assert_near(info->eigenvalues[l], all->eigenvalues[l], 1e-12);
    const double *degree = lavdm_get(job[k].model, "degrees")->data,
                 *truth = lavdm_get(whole.model, "degrees")->data;
    for (int64_t i = 0; i < info->n; i++)
      assert_near(degree[i], truth[bounds[k] + i], 1e-12 * (1 + truth[bounds[k] + i]));
  }
  assert_int_equal(isolated, all->isolated);
  assert_int_equal(far, all->far_points);
  /* between rows of different ranks; signs of the orientation bundle are those of arbitrary frames */
  bool compared = o.bundle != LAVDM_BUNDLE_ORIENTATION && all->chosen->precision != LAVDM_PRECISION_SINGLE;
  double scale = compared ? fabs(heat(whole.model, 3, whole.model, 3)) : 0;
  for (int64_t s = 0; s < 40 && compared; s++) {
    int a = (int)(s % ranks), b = (int)((s / 2) % ranks);
    int64_t i = (7 * s) % (bounds[a + 1] - bounds[a]), j = (11 * s) % (bounds[b + 1] - bounds[b]);
    assert_near(heat(job[a].model, i, job[b].model, j),
                heat(whole.model, bounds[a] + i, whole.model, bounds[b] + j), 1e-7 * scale);
  }
  for (int k = 0; k < ranks; k++) lavdm_free(job[k].model);
  lavdm_free(whole.model);
}

static double *points(const char *shape, int64_t dim, int64_t n, int64_t *p) {
  int64_t d;
  assert_int_equal(lavdm_shape_size(shape, dim, p, &d, NULL), 0);
  double *x = calloc((size_t)(n * *p), sizeof *x);
  assert_non_null(x);
  assert_int_equal(lavdm_sample(shape, n, dim, NULL, 0, 3, x, NULL, NULL, NULL), 0);
  return x;
}

static lavdm_options defaults(lavdm_method method) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method;
  o.components = 8; /* those of the tangent bundle of a surface come in pairs */
  /* what ranks do not share, and one process would choose otherwise */
  o.pca = 0, o.frames = LAVDM_FRAMES_LOCAL, o.bandwidth = LAVDM_BANDWIDTH_GLOBAL;
  return o;
}

static const int64_t halves[] = {0, N / 2, N}, thirds[] = {0, 100, 700, N};

static void test_methods(void **state) {
  (void)state;
  int64_t p;
  double *x = points("sphere", 2, N, &p);
  lavdm_data how = {0};
  lavdm_method methods[] = {LAVDM_METHOD_ROSELAND, LAVDM_METHOD_LAVDM, LAVDM_METHOD_NYSTROM};
  for (int m = 0; m < 3; m++) {
    compare(x, p, defaults(methods[m]), &how, 2, halves);
    compare(x, p, defaults(methods[m]), &how, 3, thirds);
  }
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  o.bundle = LAVDM_BUNDLE_ORIENTATION;
  compare(x, p, o, &how, 2, halves);
  free(x);
}

/* G stored as blocks, as a whole, and added up in panels; designs; a radius. */
static void test_sizes(void **state) {
  (void)state;
  int64_t p;
  double *x = points("torus", 0, N, &p);
  lavdm_data how = {0};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  o.dim = 2;
  o.landmarks = 400;
  o.epsilon = 0.05, o.cutoff = 2; /* far points too */
  compare(x, p, o, &how, 2, halves);
  o.landmarks = 40;
  o.epsilon = 4, o.cutoff = 5;
  compare(x, p, o, &how, 3, thirds);
  o = defaults(LAVDM_METHOD_LAVDM);
  o.design = LAVDM_DESIGN_FARTHEST;
  o.hood = LAVDM_HOOD_RADIUS;
  compare(x, p, o, &how, 2, halves);
  free(x);
}

/* Two pieces, one on each rank, and points that nothing reaches. */
static void test_pieces(void **state) {
  (void)state;
  int64_t p;
  double *x = points("sphere", 2, N, &p);
  for (int64_t i = N / 2; i < N; i++) x[i * p] += 40;
  x[5 * p] = 1e6, x[(N - 4) * p + 1] = -1e6;
  int64_t index[60];
  for (int64_t k = 0; k < 60; k++) index[k] = 10 + 14 * k;
  lavdm_data how = {.landmark_index = index, .landmark_count = 60};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  o.dim = 2;
  o.epsilon = 0.2;
  compare(x, p, o, &how, 2, halves);
  compare(x, p, o, &how, 3, thirds);
  free(x);
}

/* dm and vdm: every rule, with matrices that are decomposed as a whole (600 and less) and others. */
static void test_square(void **state) {
  (void)state;
  int64_t p, small[] = {0, 100, 290, 300}, large[] = {0, 700, 1500};
  double *x = points("sphere", 2, 1500, &p);
  lavdm_data how = {0};
  lavdm_edge_rule rules[] = {LAVDM_EDGES_BALL, LAVDM_EDGES_KNN, LAVDM_EDGES_COMPLETE};
  for (int m = 0; m < 2; m++)
    for (int e = 0; e < 3; e++) {
      lavdm_options o = defaults(m ? LAVDM_METHOD_VDM : LAVDM_METHOD_DM);
      o.edges = rules[e];
      compare(x, p, o, &how, 3, small);
      if (m && rules[e] == LAVDM_EDGES_COMPLETE) o.dim = 1; /* two million edges: of one number each */
      compare(x, p, o, &how, 2, large);
    }
  lavdm_options o = defaults(LAVDM_METHOD_VDM);
  o.bundle = LAVDM_BUNDLE_ORIENTATION;
  compare(x, p, o, &how, 2, large);
  o = defaults(LAVDM_METHOD_VDM);
  o.hood = LAVDM_HOOD_RADIUS;
  o.precision = LAVDM_PRECISION_SINGLE;
  compare(x, p, o, &how, 3, small);
  for (int m = 0; m < 2; m++) {
    o = defaults(m ? LAVDM_METHOD_VDM : LAVDM_METHOD_DM);
    o.normalise = LAVDM_NORMALISE_SINKHORN;
    compare(x, p, o, &how, 3, small);
  }
  free(x);
}

/* Two pieces and points that nothing reaches; and a lattice, where neighbours are equally far. */
static void test_square_pieces(void **state) {
  (void)state;
  int64_t p;
  double *x = points("sphere", 2, N, &p);
  for (int64_t i = N / 2; i < N; i++) x[i * p] += 40;
  x[5 * p] = 1e6, x[(N - 4) * p + 1] = -1e6;
  lavdm_data how = {0};
  lavdm_options o = defaults(LAVDM_METHOD_VDM);
  o.dim = 2;
  o.epsilon = 0.2;
  o.edges = LAVDM_EDGES_BALL;
  compare(x, p, o, &how, 2, halves);
  compare(x, p, o, &how, 3, thirds);
  o.method = LAVDM_METHOD_DM;
  compare(x, p, o, &how, 3, thirds);
  for (int64_t i = 0; i < N; i++)
    x[i * p] = (double)(i * 7 % N / 50), x[i * p + 1] = (double)(i * 7 % N % 50), x[i * p + 2] = 0;
  o = defaults(LAVDM_METHOD_DM);
  o.edges = LAVDM_EDGES_KNN;
  o.knn = 10; /* of twelve that are as near */
  compare(x, p, o, &how, 3, thirds);
  free(x);
}

typedef struct {
  int left; /* reports until it stops */
} stop_t;

static int stop(const char *stage, double fraction, void *user) {
  (void)stage, (void)fraction;
  stop_t *s = user;
  return --s->left <= 0;
}

static int stop_in_spectrum(const char *stage, double fraction, void *user) {
  (void)fraction, (void)user;
  return !strcmp(stage, "spectrum");
}

/* Two ranks of which the second has a callback; whether it stopped them. */
static bool stopped(const double *x, int64_t p, int64_t n, lavdm_options o,
                    int (*callback)(const char *, double, void *), void *user) {
  job_t job[2];
  pthread_t thread[2];
  thread_team *team = thread_team_new(2);
  o.threads = 1;
  for (int r = 0; r < 2; r++) {
    job[r] = (job_t){.options = o, .team = thread_team_rank(team, r)};
    job[r].data = (lavdm_data){.points = x + r * (n / 2) * p, .n = n / 2, .p = p};
    if (r) job[r].options.progress = callback, job[r].options.progress_user = user;
    assert_int_equal(pthread_create(&thread[r], NULL, fit, &job[r]), 0);
  }
  for (int r = 0; r < 2; r++) pthread_join(thread[r], NULL);
  thread_team_free(team);
  assert_int_equal(job[0].status, job[1].status);
  for (int r = 0; r < 2; r++)
    if (job[r].status < 0) {
      assert_int_equal(job[r].status, LAVDM_ERROR_INTERRUPTED);
      assert_true(strlen(job[r].error.message) > 0);
      assert_null(job[r].model);
    } else {
      lavdm_free(job[r].model);
    }
  return job[0].status < 0;
}

/* One rank is stopped, wherever it is then: both end. */
static void test_stopped(void **state) {
  (void)state;
  enum { MANY = 3000 };
  int64_t p;
  double *x = points("sphere", 2, MANY, &p);
  lavdm_method methods[] = {LAVDM_METHOD_VDM, LAVDM_METHOD_LAVDM};
  for (int m = 0; m < 2; m++)
    for (int reports = 1; reports < 6; reports++) {
      stop_t s = {reports};
      bool ended = stopped(x, p, MANY, defaults(methods[m]), stop, &s);
      assert_true(ended == (s.left <= 0));
      if (reports == 1) assert_true(ended);
    }
  lavdm_options o = defaults(LAVDM_METHOD_VDM);
  o.components = 100;
  assert_true(stopped(x, p, MANY, o, stop_in_spectrum, NULL));
  free(x);
}

/* What ranks cannot share is refused, on every rank, by name. */
static void test_refused(void **state) {
  (void)state;
  int64_t p, bounds[] = {0, 100, 200};
  double *x = points("sphere", 2, N, &p);
  lavdm_data how = {0};
  job_t job[2];
  lavdm_options o = defaults(LAVDM_METHOD_VDM);
  o.bundle = LAVDM_BUNDLE_SHIFT;
  fit_shared(x, 4 * p, &o, &how, 2, bounds, job);
  for (int r = 0; r < 2; r++) {
    assert_int_equal(job[r].status, LAVDM_ERROR_ARGUMENT);
    assert_non_null(strstr(job[r].error.message, "images and signals"));
    assert_null(job[r].model);
  }
  o = defaults(LAVDM_METHOD_DM);
  o.bandwidth = LAVDM_BANDWIDTH_LOCAL;
  fit_shared(x, p, &o, &how, 2, bounds, job);
  for (int r = 0; r < 2; r++) {
    assert_int_equal(job[r].status, LAVDM_ERROR_ARGUMENT);
    assert_non_null(strstr(job[r].error.message, "bandwidth is local"));
    assert_null(job[r].model);
  }
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_methods), cmocka_unit_test(test_sizes),         cmocka_unit_test(test_pieces),
      cmocka_unit_test(test_square),  cmocka_unit_test(test_square_pieces), cmocka_unit_test(test_stopped),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
