/*
 * A model applied to new points: points of the fit come back as they were; others
 * against the formula as written, with dense matrices; those out of reach are named.
 */
#include "compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static lavdm_model *extend_or_fail(const lavdm_model *model, const lavdm_data *data,
                                   const lavdm_data *reference, const lavdm_options *how) {
  lavdm_model *extension;
  lavdm_error error;
  int status = lavdm_extend(model, data, reference, how, &extension, &error);
  if (status < 0) fail_msg("%s", error.message);
  return extension;
}

static double largest(const double *x, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* Two arrays of doubles agree, relative to the largest of the first. */
static void check_close(const double *a, const double *b, int64_t count, double tolerance) {
  double scale = largest(a, count);
  for (int64_t i = 0; i < count; i++)
    if (!(fabs(a[i] - b[i]) <= tolerance * scale))
      fail_msg("entry %lld: %.17g and %.17g, of %g", (long long)i, a[i], b[i], scale);
}

/* ----------------------------------------------------- points of the fit itself */

static void check_itself(const lavdm_options *options, const double *x, int64_t n, int64_t p) {
  lavdm_options o = *options;
  for (int single = 0; single <= 1; single++) {
    o.precision = single ? LAVDM_PRECISION_SINGLE : LAVDM_PRECISION_DOUBLE;
    lavdm_data data = {.points = x, .n = n, .p = p};
    lavdm_model *model = fit_or_fail(&data, &o), *again = extend_or_fail(model, &data, NULL, &o);
    const lavdm_info_t *info = lavdm_info(model);
    int64_t size = n * info->q * info->chosen->components;
    double *u = model_doubles(model, "eigenvectors"), *v = model_doubles(again, "eigenvectors");
    double *d = model_doubles(model, "degrees"), *e = model_doubles(again, "degrees");
    assert_int_equal(lavdm_info(again)->n, n);
    assert_int_equal(lavdm_info(again)->isolated, info->isolated);
    for (int64_t i = 0; i < info->isolated; i++) { /* zero in the fit, named in the extension */
      int64_t at = info->isolated_index[i];
      assert_int_equal(lavdm_info(again)->isolated_index[i], at);
      assert_true(isnan(v[at * info->q * info->chosen->components]));
      memset(v + at * info->q * info->chosen->components, 0,
             (size_t)(info->q * info->chosen->components) * sizeof *v);
    }
    check_close(u, v, size, single ? 2e-4 : 1e-10);
    check_close(d, e, n, single ? 1e-4 : 1e-12);
    double *b = model_doubles(model, "frames"), *c = model_doubles(again, "frames");
    assert_true(!b == !c);
    if (b) assert_memory_equal(b, c, (size_t)(n * info->p * info->chosen->dim) * sizeof *b);
    free(b), free(c), free(u), free(v), free(d), free(e);
    lavdm_free(again);
    lavdm_free(model);
  }
}

static void landmark_models(void **state) {
  (void)state;
  double *x = sheet(700, 3, 2, 5), *wide = sheet(400, 20, 3, 6), *many = sheet(400, 40, 2, 7);
  lavdm_options o = oracle_options(LAVDM_METHOD_LAVDM);
  o.dim = 2, o.landmarks = 60;
  check_itself(&o, x, 700, 3);
  for (int design = LAVDM_DESIGN_KMEANS; design <= LAVDM_DESIGN_RANDOM; design++)
    for (int half = 0; half <= 2; half++) {
      o.design = (lavdm_design)design;
      o.alpha = half * 0.5, o.beta = 1 - half * 0.5;
      check_itself(&o, x, 700, 3);
    }
  o.hood = LAVDM_HOOD_RADIUS;
  check_itself(&o, x, 700, 3);
  o.bundle = LAVDM_BUNDLE_ORIENTATION;
  check_itself(&o, x, 700, 3);
  o.bundle = LAVDM_BUNDLE_TRIVIAL;
  o.kernel = LAVDM_KERNEL_EPANECHNIKOV;
  check_itself(&o, x, 700, 3);
  o = oracle_options(LAVDM_METHOD_LAVDM);
  o.dim = 3, o.landmarks = 100;
  check_itself(&o, wide, 400, 20);
  o.pca = 6;
  check_itself(&o, wide, 400, 20);
  o = oracle_options(LAVDM_METHOD_ROSELAND);
  o.landmarks = 80; /* every landmark is reached: weights are kept in the fit */
  check_itself(&o, many, 400, 40);
  o = oracle_options(LAVDM_METHOD_NYSTROM);
  o.dim = 2, o.landmarks = 60;
  check_itself(&o, x, 700, 3);
  o.bundle = LAVDM_BUNDLE_TRIVIAL, o.alpha = 0;
  check_itself(&o, x, 700, 3);
  free(x), free(wide), free(many);
}

static void square_models(void **state) {
  (void)state;
  double *x = sheet(500, 3, 2, 8), *wide = sheet(300, 20, 2, 9);
  for (int method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_VDM; method++)
    for (int edges = LAVDM_EDGES_BALL; edges <= LAVDM_EDGES_COMPLETE; edges++)
      for (int alpha = 0; alpha <= 1; alpha++) {
        lavdm_options o = oracle_options((lavdm_method)method);
        o.edges = (lavdm_edge_rule)edges, o.alpha = alpha, o.components = 4, o.dim = 2;
        check_itself(&o, x, 500, 3);
        if (alpha) check_itself(&o, wide, 300, 20);
      }
  free(x), free(wide);
}

/* Row sums of 1: no point is joined to itself, then or now, but to its copies. (Which of several neighbours
 * equally far away is the k-th, the k-NN graph and its rule for new points need not agree on.) */
static void balanced_models(void **state) {
  (void)state;
  double *x = sheet(500, 3, 2, 8), *wide = sheet(300, 20, 2, 9);
  double *copies = sheet(500, 3, 2, 8), *wide_copies = sheet(300, 20, 2, 9);
  for (int64_t i = 0; i < 40; i++) memcpy(copies + 3 * (100 + i), x + 3 * (i % 30), 3 * sizeof *x);
  for (int64_t i = 0; i < 20; i++) memcpy(wide_copies + 20 * (200 + i), wide + 20 * i, 20 * sizeof *wide);
  for (int method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_VDM; method++)
    for (int edges = LAVDM_EDGES_BALL; edges <= LAVDM_EDGES_COMPLETE; edges++) {
      lavdm_options o = oracle_options((lavdm_method)method);
      o.edges = (lavdm_edge_rule)edges, o.components = 4, o.dim = 2;
      o.normalise = LAVDM_NORMALISE_SINKHORN, o.epsilon = 1;
      check_itself(&o, edges == LAVDM_EDGES_KNN ? x : copies, 500, 3);
      check_itself(&o, edges == LAVDM_EDGES_KNN ? wide : wide_copies, 300, 20);
    }
  lavdm_options o = oracle_options(LAVDM_METHOD_NYSTROM);
  o.dim = 2, o.landmarks = 60, o.normalise = LAVDM_NORMALISE_SINKHORN, o.epsilon = 1;
  check_itself(&o, x, 500, 3);
  free(x), free(wide), free(copies), free(wide_copies);
}

/* A bandwidth of each point's own. */
static void local_models(void **state) {
  (void)state;
  double *x = sheet(500, 3, 2, 8), *wide = sheet(300, 20, 2, 9);
  for (int64_t i = 0; i < 500; i++) x[3 * i] *= 1 + fabs(x[3 * i]);
  for (int method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_VDM; method++)
    for (int edges = LAVDM_EDGES_BALL; edges <= LAVDM_EDGES_COMPLETE; edges++)
      for (int alpha = 0; alpha <= 1; alpha++) {
        lavdm_options o = oracle_options((lavdm_method)method);
        o.edges = (lavdm_edge_rule)edges, o.components = 4, o.dim = 2, o.alpha = alpha;
        o.bandwidth = LAVDM_BANDWIDTH_LOCAL;
        check_itself(&o, x, 500, 3);
        if (alpha) check_itself(&o, wide, 300, 20);
      }
  free(x), free(wide);
}

/* One outlier makes one reference of the k-NN graph see far. */
static void outlier_in_graph(void **state) {
  (void)state;
  double *x = sheet(500, 3, 2, 10);
  for (int j = 0; j < 3; j++) x[3 * 77 + j] += 1.5;
  lavdm_options o = oracle_options(LAVDM_METHOD_DM);
  o.edges = LAVDM_EDGES_KNN, o.knn = 9, o.components = 4;
  check_itself(&o, x, 500, 3);
  free(x);
}

/* ---------------------------------------------------- new points, by the formula */

/* w O at (i,k), w in w[i,k]: dense, from the model's landmarks and both frames. */
static void dense_row(const lavdm_model *model, const double *x, const double *frame, double *w, double *s) {
  const lavdm_info_t *info = lavdm_info(model);
  const lavdm_options *o = info->chosen;
  int64_t m = info->m, p = info->p, q = info->q, d = o->dim;
  const double *z = lavdm_get(model, "landmarks")->data;
  const lavdm_array *b = lavdm_get(model, "landmark_frames");
  for (int64_t k = 0; k < m; k++) {
    double d2 = 0, element[64] = {1};
    for (int64_t j = 0; j < p; j++) d2 += (x[j] - z[k * p + j]) * (x[j] - z[k * p + j]);
    w[k] = oracle_kernel(o->kernel, o->epsilon, o->cutoff * sqrt(o->epsilon), d2);
    if (b) oracle_element(o->bundle, p, d, frame, (const double *)b->data + k * p * d, element);
    for (int64_t a = 0; a < q; a++)
      for (int64_t c = 0; c < q; c++) s[(a * m + k) * q + c] = w[k] * element[a * q + c];
  }
}

/* u[x] = A_x V sigma^-1 D^-1/2, with the normalisers summed up from all points. */
static void check_formula(lavdm_options o, int64_t p) {
  enum { N = 300, NEW = 40 };
  double *x = sheet(N + NEW, p, 2, 11);
  o.landmarks = 40, o.dim = 2, o.epsilon = 1;
  lavdm_data data = {.points = x, .n = N, .p = p}, fresh = {.points = x + N * p, .n = NEW, .p = p};
  lavdm_model *model = fit_or_fail(&data, &o), *extension = extend_or_fail(model, &fresh, NULL, NULL);
  const lavdm_info_t *info = lavdm_info(model);
  int64_t m = info->m, q = info->q, r = info->chosen->components, size = N + NEW;
  assert_int_equal(info->far_points, 0);
  double alpha = info->chosen->alpha, beta = info->chosen->beta;
  double *w = numbers(size * m), *s = numbers(size * m * q * q);
  double *frames[2] = {model_doubles(model, "frames"), model_doubles(extension, "frames")};
  for (int64_t i = 0; i < size; i++) {
    const double *frame = frames[i >= N];
    dense_row(model, x + i * p, frame ? frame + (i >= N ? i - N : i) * p * 2 : NULL, w + i * m,
              s + i * m * q * q);
  }
  double *dz = numbers(m), *dx = numbers(size), *deg = numbers(size);
  for (int64_t i = 0; i < N; i++) /* D_Z = W'W 1 */
    for (int64_t k = 0; k < m; k++)
      for (int64_t l = 0; l < m; l++) dz[k] += w[i * m + k] * w[i * m + l];
  for (int64_t i = 0; i < size; i++) /* D_X = W D_Z^-beta W' 1 */
    for (int64_t j = 0; j < N; j++)
      for (int64_t k = 0; k < m; k++) dx[i] += w[i * m + k] * pow(dz[k], -beta) * w[j * m + k];
  for (int64_t i = 0; i < size; i++)
    for (int64_t j = 0; j < N; j++)
      for (int64_t k = 0; k < m; k++)
        deg[i] += pow(dx[i], -alpha) * w[i * m + k] * pow(dz[k], -beta) * w[j * m + k] * pow(dx[j], -alpha);
  const double *v = lavdm_get(model, "landmark_vectors")->data,
               *u = lavdm_get(extension, "eigenvectors")->data;
  double *expected = numbers(NEW * q * r);
  for (int64_t i = 0; i < NEW; i++)
    for (int64_t a = 0; a < q; a++)
      for (int64_t l = 0; l < r; l++) {
        double sum = 0;
        for (int64_t k = 0; k < m; k++)
          for (int64_t c = 0; c < q; c++)
            sum += s[(((N + i) * q + a) * m + k) * q + c] * pow(dz[k], -beta / 2) * v[(k * q + c) * r + l];
        expected[(i * q + a) * r + l] =
            sum * pow(dx[N + i], -alpha) / deg[N + i] / sqrt(info->eigenvalues[l]);
      }
  check_close(expected, u, NEW * q * r, 1e-10);
  check_close(deg + N, lavdm_get(extension, "degrees")->data, NEW, 1e-10);
  free(x), free(w), free(s), free(dz), free(dx), free(deg), free(expected), free(frames[0]), free(frames[1]);
  lavdm_free(extension);
  lavdm_free(model);
}

static void new_points(void **state) {
  (void)state;
  lavdm_options o = oracle_options(LAVDM_METHOD_LAVDM);
  o.cutoff = 6;
  check_formula(o, 3);
  o.alpha = 0.3, o.beta = 0.7;
  check_formula(o, 3);
  o.bundle = LAVDM_BUNDLE_ORIENTATION;
  check_formula(o, 5);
  o = oracle_options(LAVDM_METHOD_ROSELAND);
  o.cutoff = 8;
  check_formula(o, 18);
}

/* A new point between two that were fitted has a field between theirs: dm on a circle. */
static void between_neighbours(void **state) {
  (void)state;
  enum { N = 200 };
  double x[N][2], y[N][2];
  for (int i = 0; i < N; i++) {
    x[i][0] = cos(2 * M_PI * i / N), x[i][1] = sin(2 * M_PI * i / N);
    y[i][0] = cos(2 * M_PI * (i + 0.5) / N), y[i][1] = sin(2 * M_PI * (i + 0.5) / N);
  }
  lavdm_options o = oracle_options(LAVDM_METHOD_DM);
  o.components = 5, o.epsilon = 0.05, o.edges = LAVDM_EDGES_BALL, o.cutoff = 4;
  lavdm_data data = {.points = x, .n = N, .p = 2}, fresh = {.points = y, .n = N, .p = 2};
  lavdm_model *model = fit_or_fail(&data, &o), *extension = extend_or_fail(model, &fresh, NULL, NULL);
  const double *u = lavdm_get(model, "eigenvectors")->data, *v = lavdm_get(extension, "eigenvectors")->data;
  /* harmonics of order 1 and 2: the value half a step on, up to the curvature */
  for (int l = 0; l < 5; l++)
    for (int i = 0; i < N; i++) {
      int order = (l + 1) / 2;
      double between = 0.5 * (u[i * 5 + l] + u[(i + 1) % N * 5 + l]) / cos(M_PI * order / N);
      assert_true(fabs(between - v[i * 5 + l]) < 1e-6 * largest(u, N * 5));
    }
  lavdm_free(extension);
  lavdm_free(model);
}

/* ------------------------------------------------------------- far and isolated */

static void far_points(void **state) {
  (void)state;
  enum { N = 500 };
  double *x = sheet(N, 3, 2, 12), y[4][3];
  lavdm_options o = oracle_options(LAVDM_METHOD_LAVDM);
  o.dim = 2, o.landmarks = 30;
  memcpy(y, x, sizeof y);
  y[1][0] += 1e3; /* where every weight vanishes */
  lavdm_data data = {.points = x, .n = N, .p = 3}, fresh = {.points = y, .n = 4, .p = 3};
  lavdm_model *model = fit_or_fail(&data, &o), *extension;
  double reach = lavdm_info(model)->chosen->cutoff * sqrt(lavdm_info(model)->chosen->epsilon);
  for (int j = 0; j < 3; j++) y[2][j] = 0;
  double top = -INFINITY;
  for (int i = 0; i < N; i++) top = fmax(top, x[3 * i + 2]);
  y[2][2] = top + 1.5 * reach; /* beyond the cut-off, where weights would be left */
  assert_int_equal(lavdm_extend(model, &fresh, NULL, NULL, &extension, NULL), LAVDM_WARNING);
  const lavdm_info_t *info = lavdm_info(extension);
  assert_int_equal(info->isolated, 2);
  assert_int_equal(info->isolated_index[0], 1);
  assert_int_equal(info->isolated_index[1], 2);
  assert_non_null(strstr(info->warning[0], "row 2"));
  const double *u = lavdm_get(extension, "eigenvectors")->data, *t = lavdm_get(model, "eigenvectors")->data;
  int64_t width = info->q * info->chosen->components;
  for (int64_t j = 0; j < width; j++) {
    assert_true(isnan(u[width + j]) && isnan(u[2 * width + j]));
    assert_true(fabs(u[j] - t[j]) < 1e-10 && fabs(u[3 * width + j] - t[3 * width + j]) < 1e-10);
  }
  assert_true(isnan(model_distance(extension, 0, 1, 1, 3)));
  assert_true(model_distance(extension, 0, 3, 1, 3) >= 0);
  lavdm_free(extension);
  lavdm_free(model);

  /* points of the fit that no cut-off reached come back; their neighbours are not guessed */
  o.cutoff = 0.6, o.design = LAVDM_DESIGN_RANDOM, o.alpha = 0;
  model = fit_or_fail(&data, &o);
  int64_t far = lavdm_info(model)->far_points;
  assert_true(far > 3);
  assert_int_equal(lavdm_get(model, "far_points")->shape[0], far);
  assert_int_equal(lavdm_info(model)->isolated, 0);
  extension = extend_or_fail(model, &data, NULL, NULL);
  assert_int_equal(lavdm_info(extension)->isolated, 0);
  check_close(lavdm_get(model, "eigenvectors")->data, lavdm_get(extension, "eigenvectors")->data,
              N * 2 * lavdm_info(model)->chosen->components, 1e-10);
  lavdm_free(extension);
  for (int i = 0; i < 3 * N; i++) x[i] += 1e-9;
  extension = extend_or_fail(model, &data, NULL, NULL);
  assert_in_range(lavdm_info(extension)->isolated, far - 2, far + 2);
  lavdm_free(extension);
  lavdm_free(model);
  free(x);
}

/* A point that nothing reached has no part in what is said of new points within its reach. */
static void isolated_reference(void **state) {
  (void)state;
  enum { N = 300 };
  double *x = sheet(N + 1, 3, 2, 12), y[3], degree[2];
  lavdm_options o = oracle_options(LAVDM_METHOD_VDM);
  o.dim = 2, o.alpha = 0, o.edges = LAVDM_EDGES_BALL, o.epsilon = 0.05, o.cutoff = 2;
  int64_t top = 0;
  for (int64_t i = 0; i < N; i++)
    if (x[3 * i + 2] > x[3 * top + 2]) top = i;
  for (int j = 0; j < 3; j++) x[3 * N + j] = x[3 * top + j] + (j == 2) * 1.5 * 2 * sqrt(0.05);
  for (int j = 0; j < 3; j++) y[j] = (x[3 * top + j] + x[3 * N + j]) / 2;
  for (int with = 0; with < 2; with++) {
    lavdm_data data = {.points = x, .n = N + with, .p = 3}, fresh = {.points = y, .n = 1, .p = 3};
    lavdm_model *model = fit_or_fail(&data, &o), *extension = extend_or_fail(model, &fresh, NULL, NULL);
    assert_int_equal(lavdm_info(model)->isolated, with);
    degree[with] = *(const double *)lavdm_get(extension, "degrees")->data;
    lavdm_free(extension), lavdm_free(model);
  }
  assert_true(degree[0] > 0);
  assert_true(fabs(degree[1] - degree[0]) < 1e-12 * degree[0]);
  free(x);
}

/* -------------------------------------------------- ways to hand over the points */

typedef struct {
  const double *x;
  int64_t p, calls;
} strided_t;

static int read_rows(void *user, int64_t first, int64_t count, void *rows) {
  strided_t *r = user;
  r->calls++;
  memcpy(rows, r->x + first * r->p, (size_t)(count * r->p) * sizeof(double));
  return 0;
}

static void same_everywhere(void **state) {
  (void)state;
  enum { N = 600, NEW = 150000 };
  double *x = sheet(N + NEW, 3, 2, 13);
  lavdm_options o = oracle_options(LAVDM_METHOD_LAVDM), how;
  o.dim = 2, o.landmarks = 20, o.components = 3, o.epsilon = 2;
  lavdm_data data = {.points = x, .n = N, .p = 3}, fresh = {.points = x + 3 * N, .n = NEW, .p = 3};
  lavdm_model *model = fit_or_fail(&data, &o), *all = extend_or_fail(model, &fresh, NULL, NULL);
  const double *u = lavdm_get(all, "eigenvectors")->data;
  strided_t rows = {x + 3 * N, 3, 0};
  lavdm_data read = {.n = NEW, .p = 3, .read = read_rows, .read_user = &rows};
  lavdm_options_default(&how);
  how.stream = LAVDM_STREAM_YES, how.threads = 1, how.max_memory = 40 << 20; /* two batches */
  lavdm_model *streamed = extend_or_fail(model, &read, &data, &how);
  assert_true(rows.calls > 1 && lavdm_info(streamed)->streamed);
  check_close(u, lavdm_get(streamed, "eigenvectors")->data, NEW * 2 * 3, 1e-13); /* other tiles, other sums */
  assert_memory_equal(lavdm_get(all, "frames")->data, lavdm_get(streamed, "frames")->data,
                      (size_t)(NEW * 3 * 2) * sizeof *u);
  lavdm_free(streamed);
  for (int64_t i = 0; i < NEW; i += NEW / 20) { /* alone, a point becomes what it is among others */
    lavdm_data one = {.points = x + 3 * (N + i), .n = 1, .p = 3};
    lavdm_model *alone = extend_or_fail(model, &one, NULL, NULL);
    check_close(u + i * 6, lavdm_get(alone, "eigenvectors")->data, 6, 1e-12);
    lavdm_free(alone);
  }
  /* floats, columns first */
  float *turned = calloc(3 * 50, sizeof *turned);
  double back[150];
  for (int64_t i = 0; i < 50; i++)
    for (int64_t j = 0; j < 3; j++) back[i * 3 + j] = turned[j * 50 + i] = (float)x[3 * (N + i) + j];
  lavdm_data columns =
                 {.points = turned, .n = 50, .p = 3, .type = LAVDM_F32, .row_stride = 1, .col_stride = 50},
             plain = {.points = back, .n = 50, .p = 3};
  lavdm_model *a = extend_or_fail(model, &columns, NULL, NULL),
              *b = extend_or_fail(model, &plain, NULL, NULL);
  assert_memory_equal(lavdm_get(a, "eigenvectors")->data, lavdm_get(b, "eigenvectors")->data, 50 * 6 * 8);
  lavdm_free(a), lavdm_free(b);
  free(turned);
  lavdm_free(all);
  lavdm_free(model);
  free(x);
}

/* Frames from a larger sample are better ones, and fields in space nearly the same. */
static void other_reference(void **state) {
  (void)state;
  enum { N = 500, MORE = 5000 };
  double *x = numbers(3 * N), *more = numbers(3 * MORE), *true_frames = numbers(6 * N);
  lavdm_sample("sphere", N, 2, NULL, 0, 1, x, true_frames, NULL, NULL);
  lavdm_sample("sphere", MORE, 2, NULL, 0, 2, more, NULL, NULL, NULL);
  lavdm_options o = oracle_options(LAVDM_METHOD_LAVDM);
  o.dim = 2, o.landmarks = 60;
  lavdm_data data = {.points = x, .n = N, .p = 3}, reference = {.points = more, .n = MORE, .p = 3};
  lavdm_model *model = fit_or_fail(&data, &o);
  double error[2] = {0, 0};
  for (int i = 0; i <= 1; i++) {
    lavdm_model *extension = extend_or_fail(model, &data, i ? &reference : NULL, NULL);
    const double *b = lavdm_get(extension, "frames")->data;
    for (int64_t k = 0; k < N; k++)
      for (int a = 0; a < 2; a++) {
        double normal = 0; /* part of the frame along the radius */
        for (int j = 0; j < 3; j++) normal += x[3 * k + j] * b[(k * 3 + j) * 2 + a];
        error[i] += normal * normal;
      }
    lavdm_free(extension);
  }
  assert_true(error[1] < 0.2 * error[0]);
  lavdm_free(model);
  free(x), free(more), free(true_frames);
}

static int stop_soon(const char *stage, double fraction, void *user) {
  assert_true(fraction >= 0 && fraction <= 1 + 1e-12);
  return !strcmp(stage, "extension") && ++*(int *)user > 0;
}

static void refusals(void **state) {
  (void)state;
  double *x = sheet(300, 3, 2, 14), bad[6] = {0, 0, 0, 0, NAN, 0};
  lavdm_options o = oracle_options(LAVDM_METHOD_LAVDM);
  o.dim = 2;
  lavdm_data data = {.points = x, .n = 300, .p = 3}, flat = {.points = x, .n = 450, .p = 2},
             none = {.points = x, .n = 0, .p = 3}, nan = {.points = bad, .n = 2, .p = 3},
             one = {.points = x, .n = 1, .p = 3};
  lavdm_model *model = fit_or_fail(&data, &o), *extension;
  lavdm_error error;
  assert_int_equal(lavdm_extend(model, &flat, NULL, NULL, &extension, &error), LAVDM_ERROR_DATA);
  assert_non_null(strstr(error.message, "2 coordinates"));
  assert_null(extension);
  assert_int_equal(lavdm_extend(model, &none, NULL, NULL, &extension, &error), LAVDM_ERROR_DATA);
  assert_int_equal(lavdm_extend(model, &nan, NULL, NULL, &extension, &error), LAVDM_ERROR_DATA);
  assert_non_null(strstr(error.message, "row 2, column 2"));
  assert_int_equal(lavdm_extend(model, &data, &one, NULL, &extension, &error), LAVDM_ERROR_DATA);
  assert_int_equal(lavdm_extend(model, &data, &flat, NULL, &extension, &error), LAVDM_ERROR_DATA);
  assert_int_equal(lavdm_extend(NULL, &data, NULL, NULL, &extension, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_extend(model, &data, NULL, NULL, NULL, &error), LAVDM_ERROR_ARGUMENT);
  lavdm_model *once = extend_or_fail(model, &data, NULL, NULL);
  assert_int_equal(lavdm_extend(once, &data, NULL, NULL, &extension, &error), LAVDM_ERROR_ARGUMENT);
  lavdm_free(once);
  int calls = 0;
  double *many = numbers(3 * 1500000);
  for (int64_t i = 0; i < 4500000; i++) many[i] = x[i % 900];
  lavdm_data large = {.points = many, .n = 1500000, .p = 3};
  lavdm_options how;
  lavdm_options_default(&how);
  how.progress = stop_soon, how.progress_user = &calls;
  assert_int_equal(lavdm_extend(model, &large, NULL, &how, &extension, &error), LAVDM_ERROR_INTERRUPTED);
  assert_true(calls > 0);
  free(many);
  lavdm_free(model);
  int64_t row[] = {0, 1, 2}, col[] = {1, 2, 0};
  lavdm_edges edges = {.count = 3, .row = row, .col = col};
  lavdm_data graph = {.edges = &edges};
  o = oracle_options(LAVDM_METHOD_DM);
  o.components = 2;
  model = fit_or_fail(&graph, &o);
  assert_int_equal(lavdm_extend(model, &data, NULL, NULL, &extension, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "edges"));
  lavdm_free(model);
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(landmark_models),    cmocka_unit_test(square_models),
      cmocka_unit_test(balanced_models),    cmocka_unit_test(local_models),
      cmocka_unit_test(outlier_in_graph),   cmocka_unit_test(new_points),
      cmocka_unit_test(between_neighbours), cmocka_unit_test(far_points),
      cmocka_unit_test(isolated_reference), cmocka_unit_test(same_everywhere),
      cmocka_unit_test(other_reference),    cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
