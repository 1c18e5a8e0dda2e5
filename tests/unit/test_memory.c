/*
 * Every allocation of the library fails in turn, alone and with all that come
 * after it: the status says so, there is no model, and nothing is left behind
 * (which the leak sanitizer sees).
 */

#include "operator/gram.h"
#include "spectrum/solver.h"
#include "lavdm/sync.h"

#include "memory_support.h" /* cmocka, after the library */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ------------------------------------------------------------------ fits */

enum { N = 30 };

typedef struct {
  lavdm_data data;
  lavdm_options options;
} fit_job;

static int fit(const void *context, lavdm_error *error) {
  const fit_job *job = context;
  lavdm_model *model = (lavdm_model *)error;
  int status = lavdm_fit(&job->data, &job->options, &model, error);
  assert_int_equal(model == NULL, status < 0);
  lavdm_free(model);
  return status;
}

static lavdm_options defaults(lavdm_method method, lavdm_bundle bundle) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method, o.bundle = bundle;
  o.landmarks = method == LAVDM_METHOD_ROSELAND || method == LAVDM_METHOD_LAVDM ? 10 : LAVDM_AUTO;
  o.components = 3;
  o.threads = 1;
  return o;
}

/* N points of a sphere in R^p. */
static double *sphere(int64_t p) {
  double *x = numbers(N * p), *s = numbers(N * 3);
  assert_int_equal(lavdm_sample("sphere", N, 0, NULL, 0, 3, s, NULL, NULL, NULL), 0);
  fill_normal(x, N * p, 4);
  for (int64_t i = 0; i < N * p; i++) x[i] = i % p < 3 ? s[i / p * 3 + i % p] : 1e-3 * x[i];
  free(s);
  return x;
}

static void test_bundles(void **state) {
  (void)state;
  /* each has its own way to find neighbours, frames, distances and landmarks */
  const int64_t ps[] = {3, 14, 30, 70};
  for (int k = 0; k < 4; k++) {
    double *x = sphere(ps[k]);
    for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++)
      for (lavdm_bundle bundle = LAVDM_BUNDLE_TRIVIAL; bundle <= LAVDM_BUNDLE_ORIENTATION; bundle++) {
        bool plain = method == LAVDM_METHOD_DM || method == LAVDM_METHOD_ROSELAND;
        if (plain && bundle != LAVDM_BUNDLE_TRIVIAL) continue;
        if (k > 0 && !plain && bundle != LAVDM_BUNDLE_TANGENT) continue;
        fit_job job = {{.points = x, .n = N, .p = ps[k]}, defaults(method, bundle)};
        in_turn(fit, &job, 1);
      }
    free(x);
  }
}

typedef struct {
  const lavdm_model *model;
  lavdm_data data;
} extend_job;

static int extend(const void *context, lavdm_error *error) {
  const extend_job *job = context;
  lavdm_model *extension = (lavdm_model *)error;
  int status = lavdm_extend(job->model, &job->data, NULL, NULL, &extension, error);
  assert_int_equal(extension == NULL, status < 0);
  lavdm_free(extension);
  return status;
}

/* The model of a job, applied to its own data. */
static void extend_in_turn(const fit_job *job) {
  lavdm_model *model;
  assert_true(lavdm_fit(&job->data, &job->options, &model, NULL) >= 0);
  extend_job more = {model, job->data};
  in_turn(extend, &more, 1);
  lavdm_free(model);
}

/* Metrics: of points on a sphere, of other differences, and distances that are given. */
static void test_metrics(void **state) {
  (void)state;
  double *x = sphere(3), *d = numbers(N * N);
  int64_t start[N + 1], index[N * N];
  for (int64_t i = 0; i < N; i++)
    for (int64_t j = 0; j < N; j++)
      for (int c = 0; c < 3; c++) d[i * N + j] += fabs(x[i * 3 + c] - x[j * 3 + c]), index[i * N + j] = j;
  for (int64_t i = 0; i <= N; i++) start[i] = i * N;
  for (int k = 0; k < 4; k++) {
    lavdm_method method = k % 2 ? LAVDM_METHOD_ROSELAND : LAVDM_METHOD_DM;
    fit_job job = {{.points = x, .n = N, .p = 3}, defaults(method, LAVDM_BUNDLE_TRIVIAL)};
    job.options.metric = k < 2 ? LAVDM_METRIC_COSINE : LAVDM_METRIC_MANHATTAN;
    in_turn(fit, &job, 1);
    extend_in_turn(&job);
  }
  lavdm_distances given[] = {{.rows = N, .cols = N, .value = d},
                             {.rows = N, .cols = N, .value = d, .start = start, .index = index}};
  for (int k = 0; k < 3; k++) {
    lavdm_method method = k == 1 ? LAVDM_METHOD_ROSELAND : LAVDM_METHOD_DM;
    fit_job job = {{.size = sizeof job.data, .distances = &given[k / 2]},
                   defaults(method, LAVDM_BUNDLE_TRIVIAL)};
    job.options.metric = LAVDM_METRIC_PRECOMPUTED;
    in_turn(fit, &job, 1);
    if (k < 2) extend_in_turn(&job); /* lists are of the points alone */
  }
  free(x), free(d);
}

static int read_rows(void *user, int64_t first, int64_t count, void *rows) {
  memcpy(rows, (const double *)user + first * 3, (size_t)(count * 3) * sizeof(double));
  return 0;
}

/* Single precision, streamed and not, points in memory and read. */
static void test_single_and_stream(void **state) {
  (void)state;
  double *x = sphere(3);
  for (lavdm_method method = LAVDM_METHOD_VDM; method <= LAVDM_METHOD_LAVDM; method++)
    for (int stream = LAVDM_STREAM_NO; stream <= LAVDM_STREAM_YES; stream++) {
      if (method == LAVDM_METHOD_VDM && stream == LAVDM_STREAM_YES) continue;
      fit_job job = {{.points = x, .n = N, .p = 3}, defaults(method, LAVDM_BUNDLE_AUTO)};
      job.options.precision = LAVDM_PRECISION_SINGLE, job.options.stream = (lavdm_stream)stream;
      if (stream == LAVDM_STREAM_YES)
        job.data.points = NULL, job.data.read = read_rows, job.data.read_user = x;
      in_turn(fit, &job, 1);
    }
  free(x);
}

/* Frames from low frequencies, local ones of chosen neighbours, and landmarks that are no points. */
static void test_lowpass(void **state) {
  (void)state;
  enum { POINTS = 40, SPACE = 4 };
  double *x = numbers(POINTS * SPACE), *noise = numbers(POINTS * SPACE), *s = numbers(POINTS * 3);
  assert_int_equal(lavdm_sample("sphere", POINTS, 0, NULL, 0, 3, s, NULL, NULL, NULL), 0);
  fill_normal(noise, POINTS * SPACE, 4);
  for (int64_t i = 0; i < POINTS * SPACE; i++)
    x[i] = 0.1 * noise[i] + (i % SPACE < 3 ? s[i / SPACE * 3 + i % SPACE] : 0);
  for (int precision = LAVDM_PRECISION_DOUBLE; precision <= LAVDM_PRECISION_SINGLE; precision++) {
    fit_job job = {{.points = x, .n = POINTS, .p = SPACE},
                   defaults(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT)};
    job.options.frames = LAVDM_FRAMES_LOWPASS, job.options.precision = (lavdm_precision)precision;
    job.options.dim = 2, job.options.epsilon = 0.5;
    if (precision == LAVDM_PRECISION_SINGLE)
      job.data.landmark_points = x + 8, job.data.landmark_count = 12, job.options.landmarks = LAVDM_AUTO;
    in_turn(fit, &job, 1);
  }
  free(x), free(noise), free(s);
}

/* With more than one thread the number of allocations may vary from run to run. */
static void test_threads(void **state) {
  (void)state;
  double *x = sphere(3);
  for (lavdm_method method = LAVDM_METHOD_VDM; method <= LAVDM_METHOD_LAVDM; method += 2) {
    fit_job job = {{.points = x, .n = N, .p = 3}, defaults(method, LAVDM_BUNDLE_AUTO)};
    job.options.threads = 2;
    in_turn(fit, &job, 7);
  }
  free(x);
}

/* A fit and an extension. */
static int refer(const void *context, lavdm_error *error) {
  const fit_job *job = context;
  lavdm_model *model = NULL, *extension = NULL;
  int status = lavdm_fit(&job->data, &job->options, &model, error);
  if (status >= 0) status = lavdm_extend(model, &job->data, NULL, &job->options, &extension, error);
  lavdm_free(model);
  lavdm_free(extension);
  return status;
}

static void test_designs_and_rules(void **state) {
  (void)state;
  double *x = sphere(3);
  int64_t index[] = {3, 29, 20, 10, 0};
  for (int design = LAVDM_DESIGN_KMEANS; design <= LAVDM_DESIGN_RANDOM; design++) {
    fit_job job = {{.points = x, .n = N, .p = 3}, defaults(LAVDM_METHOD_ROSELAND, LAVDM_BUNDLE_AUTO)};
    job.options.design = (lavdm_design)design;
    in_turn(fit, &job, 1);
  }
  fit_job given = {{.points = x, .n = N, .p = 3, .landmark_index = index, .landmark_count = 5},
                   defaults(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT)};
  given.options.landmarks = LAVDM_AUTO;
  in_turn(fit, &given, 1);
  given.data.landmark_index = NULL, given.data.landmark_points = x + 6;
  in_turn(fit, &given, 1);
  for (int rule = LAVDM_EDGES_BALL; rule <= LAVDM_EDGES_COMPLETE; rule++) {
    fit_job job = {{.points = x, .n = N, .p = 3}, defaults(LAVDM_METHOD_DM, LAVDM_BUNDLE_AUTO)};
    job.options.edges = (lavdm_edge_rule)rule;
    in_turn(fit, &job, 1);
    job.options.normalise = LAVDM_NORMALISE_SINKHORN;
    in_turn(fit, &job, 1);
    job.options.normalise = LAVDM_NORMALISE_AUTO, job.options.bandwidth = LAVDM_BANDWIDTH_LOCAL;
    in_turn(refer, &job, 1);
  }
  free(x);
}

/* Images and signals, by each method; with and without principal components. */
static void test_turned(void **state) {
  (void)state;
  double *x = sphere(25);
  for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++)
    for (int images = 0; images <= 1; images++) {
      fit_job job = {{.points = x, .n = N, .p = 25},
                     defaults(method, images ? LAVDM_BUNDLE_ROTATION : LAVDM_BUNDLE_SHIFT)};
      if (images) job.options.noise = 0.1, job.options.reflections = LAVDM_REFLECTIONS_YES;
      if (method == LAVDM_METHOD_LAVDM && images) job.options.precision = LAVDM_PRECISION_SINGLE;
      in_turn(fit, &job, images ? 3 : 1);
      job.options.edges = LAVDM_EDGES_BALL, job.options.noise = 0;
      in_turn(fit, &job, 3);
    }
  free(x);
}

static void test_pca(void **state) {
  (void)state;
  double *x = sphere(40);
  fit_job job = {{.points = x, .n = N, .p = 40, .landmark_points = x + 80, .landmark_count = 10},
                 defaults(LAVDM_METHOD_ROSELAND, LAVDM_BUNDLE_AUTO)};
  job.options.pca = 3;
  in_turn(fit, &job, 1);
  free(x);
}

/* Two clusters, an isolated point and far points bring arrays of their own. */
static void test_pieces(void **state) {
  (void)state;
  double *x = sphere(3);
  for (int64_t i = 0; i < N; i++) x[i * 3] += i % 2 ? 30 : i ? 0 : 1e5;
  for (lavdm_method method = LAVDM_METHOD_VDM; method <= LAVDM_METHOD_LAVDM; method += 2) {
    fit_job job = {{.points = x, .n = N, .p = 3}, defaults(method, LAVDM_BUNDLE_TANGENT)};
    job.options.dim = 2, job.options.epsilon = 0.7, job.options.cutoff = 1.1;
    in_turn(fit, &job, 1);
  }
  free(x);
}

/* Sparse points: more rows than columns, and more columns than are written out. */
static void test_sparse(void **state) {
  (void)state;
  const int64_t cols[] = {8, 5000};
  for (int k = 0; k < 2; k++) {
    int64_t start[N + 1], index[3 * N];
    double *x = sphere(3);
    for (int64_t e = 0; e < 3 * N; e++) index[e] = e % 3 * (cols[k] - 1) / 2;
    for (int64_t i = 0; i <= N; i++) start[i] = 3 * i;
    lavdm_sparse sparse = {.rows = N, .cols = cols[k], .start = start, .index = index, .value = x};
    fit_job job = {{.size = sizeof job.data, .sparse = &sparse},
                   defaults(k ? LAVDM_METHOD_ROSELAND : LAVDM_METHOD_DM, LAVDM_BUNDLE_TRIVIAL)};
    job.options.pca = 3;
    in_turn(fit, &job, 1);
    extend_in_turn(&job);
    free(x);
  }
}

/* Landmarks among the nodes of a graph, by each design. */
static void test_nodes(void **state) {
  (void)state;
  int64_t row[3 * N], col[3 * N], named[] = {3, 12, 20, 28};
  for (int64_t e = 0; e < 3 * N; e++) row[e] = e % N, col[e] = (e + 1 + e / N) % N;
  lavdm_edges edges = {.count = 3 * N, .row = row, .col = col, .kind = LAVDM_ELEMENT_NONE};
  for (int design = LAVDM_DESIGN_KMEANS; design <= LAVDM_DESIGN_GIVEN; design++) {
    fit_job job = {{.edges = &edges}, defaults(LAVDM_METHOD_ROSELAND, LAVDM_BUNDLE_GIVEN)};
    job.options.design = (lavdm_design)design;
    if (design == LAVDM_DESIGN_GIVEN)
      job.data.landmark_index = named, job.data.landmark_count = 4, job.options.landmarks = LAVDM_AUTO;
    in_turn(fit, &job, 1);
    extend_in_turn(&job);
  }
}

static void test_edges(void **state) {
  (void)state;
  int64_t row[60], col[60];
  double angle[60];
  for (int64_t e = 0; e < 60; e++) row[e] = e % 20, col[e] = (e + 1 + e / 20) % 20, angle[e] = (double)e;
  lavdm_edges edges = {.count = 60,
                       .row = row,
                       .col = col,
                       .weight = NULL,
                       .element = angle,
                       .kind = LAVDM_ELEMENT_ANGLE,
                       .q = 0};
  for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_LAVDM; method++) {
    fit_job job = {{.edges = &edges}, defaults(method, LAVDM_BUNDLE_GIVEN)};
    in_turn(fit, &job, 1);
    extend_in_turn(&job);
  }
}

static void test_reference(void **state) {
  (void)state;
  double *x = sphere(3);
  for (lavdm_method method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_NYSTROM; method++) {
    fit_job job = {{.points = x, .n = N, .p = 3}, defaults(method, LAVDM_BUNDLE_AUTO)};
    job.options.engine = LAVDM_ENGINE_REFERENCE, job.options.edges = LAVDM_EDGES_KNN;
    in_turn(refer, &job, 1);
  }
  free(x);
}

/* --------------------------------------------------------------- the rest */

static int orient(const void *context, lavdm_error *error) {
  const fit_job *job = context;
  lavdm_orientation verdict = {0};
  double signs[2 * N];
  lavdm_model *model = (lavdm_model *)error;
  int status = lavdm_orient(&job->data, &job->options, &verdict, signs, &model, error);
  assert_int_equal(model == NULL, status < 0);
  lavdm_free(model);
  return status;
}

static void test_orient(void **state) {
  (void)state;
  double *x = sphere(3), both[2 * N * 3];
  for (int64_t i = 0; i < 2 * N * 3; i++) both[i] = x[i % (N * 3)] + (i < N * 3 ? 0 : 50);
  fit_job job = {{.points = x, .n = N, .p = 3}, defaults(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_AUTO)};
  in_turn(orient, &job, 1);
  job.options.dim = 2; /* planes, and the signs between them */
  in_turn(orient, &job, 2);
  job.data.points = both, job.data.n = 2 * N; /* each component on its own */
  job.options.dim = LAVDM_AUTO, job.options.epsilon = 0.7;
  in_turn(orient, &job, 7);
  free(x);
}

typedef struct {
  lavdm_data data;
  const lavdm_model *model;
} cover_job;

static int cover(const void *context, lavdm_error *error) {
  const cover_job *job = context;
  double coordinates[4 * N * 3];
  return lavdm_cover(&job->data, job->model, NULL, 1, 3, coordinates, NULL, NULL, error);
}

/* One graph, and one in pieces. */
static void test_cover(void **state) {
  (void)state;
  double *x = sphere(3), both[2 * N * 3];
  for (int64_t i = 0; i < 2 * N * 3; i++) both[i] = x[i % (N * 3)] + (i < N * 3 ? 0 : 50);
  for (int pieces = 1; pieces <= 2; pieces++) {
    lavdm_options o = defaults(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_ORIENTATION);
    o.epsilon = 0.7;
    cover_job job = {{.points = both, .n = pieces * N, .p = 3}, NULL};
    lavdm_model *model = fit_or_fail(&job.data, &o);
    assert_int_equal(lavdm_info(model)->graph_components, pieces);
    job.model = model;
    in_turn(cover, &job, 1);
    lavdm_free(model);
  }
  free(x);
}

static int embed(const void *context, lavdm_error *error) {
  double out[N * 6];
  int status = lavdm_embedding(context, 1, 3, out, error);
  return status < 0 ? status : lavdm_coordinates(context, 1, 3, out, error);
}

static int pairs(const void *context, lavdm_error *error) {
  int64_t i[] = {0, 1}, j[] = {2, 3};
  double distance[2], alignment[2];
  return lavdm_pairs(context, 1, 3, i, j, 2, distance, alignment, error);
}

static int neighbours(const void *context, lavdm_error *error) {
  int64_t index[N * 2];
  double distance[N * 2], alignment[N * 2];
  return lavdm_neighbours(context, 1, 3, NULL, 0, 2, index, distance, alignment, error);
}

static void test_embed(void **state) {
  (void)state;
  double *x = sphere(3);
  lavdm_data data = {.points = x, .n = N, .p = 3};
  lavdm_options o = defaults(LAVDM_METHOD_ROSELAND, LAVDM_BUNDLE_AUTO);
  lavdm_model *model = fit_or_fail(&data, &o);
  assert_true(in_turn(embed, model, 1) >= 3);
  assert_true(in_turn(pairs, model, 1) >= 2);
  assert_true(in_turn(neighbours, model, 1) >= 10);
  lavdm_free(model);
  free(x);
}

static int apply_diagonal(run_t *run, const void *context, const double *x, double *y, int64_t count) {
  (void)run;
  int64_t n = *(const int64_t *)context;
  for (int64_t i = 0; i < n * count; i++) y[i] = x[i] / (1 + (double)(i / count) / 10);
  return 0;
}

static int iterate(const void *context, lavdm_error *error) {
  run_t run = {.threads = 2, .error = error};
  lavdm_options_default(&run.options);
  double values[4], residuals[4], vectors[300 * 4];
  operator_t op = {.size = *(const int64_t *)context, .apply = apply_diagonal, .context = context};
  return solve_iterative(&run, &op, 4, 1e-10, values, vectors, residuals);
}

static void test_iterative(void **state) {
  (void)state;
  int64_t n = 300;
  in_turn(iterate, &n, 1);
}

typedef struct {
  tiles_t points, landmarks;
} line_t;

/* Enough landmarks for the Gram matrix to be stored sparse. */
static int sparse_gram(const void *context, lavdm_error *error) {
  const line_t *line = context;
  run_t run = {.threads = 2, .error = error};
  kernel_t kernel = {.kind = LAVDM_KERNEL_BALL, .epsilon = 2, .radius = 1.5};
  graph_t graph = REAL(graph_by_distance)(&line->points, &line->landmarks, REAL(source_trivial)(), kernel);
  scaling_t scaling = {0};
  symmetric_t gram = {0};
  int64_t ill;
  int status = REAL(scaling_compute)(&run, &graph, NULL, 1, 0.5, &scaling);
  if (!status) status = REAL(gram_compute)(&run, &graph, &scaling, &gram, &ill);
  if (!status) assert_non_null(gram.sparse.block);
  symmetric_free(&gram);
  REAL(scaling_free)(&scaling);
  return status;
}

static void test_sparse_gram(void **state) {
  (void)state;
  enum { SIZE = 2100 };
  static double x[SIZE];
  for (int i = 0; i < SIZE; i++) x[i] = i;
  run_t run = {.threads = 1};
  line_t line;
  lavdm_data data = {.points = x, .n = SIZE, .p = 1, .row_stride = 1, .col_stride = 1};
  assert_int_equal(REAL(tiles_build)(&run, &data, NULL, 32, &line.points), 0);
  assert_int_equal(REAL(tiles_build)(&run, &data, NULL, 8, &line.landmarks), 0);
  in_turn(sparse_gram, &line, 293);
  REAL(tiles_free)(&line.points), REAL(tiles_free)(&line.landmarks);
}

/* ---------------------------------------------------------------- files */

typedef struct {
  const lavdm_model *model;
  char path[64];
} file_job;

static int save(const void *context, lavdm_error *error) {
  const file_job *job = context;
  return lavdm_save(job->model, job->path, 0, error);
}

static int load(const void *context, lavdm_error *error) {
  const file_job *job = context;
  lavdm_model *model = (lavdm_model *)error;
  int status = lavdm_load(job->path, &model, error);
  assert_int_equal(model == NULL, status < 0);
  lavdm_free(model);
  return status;
}

static void test_files(void **state) {
  (void)state;
  double *x = sphere(3);
  lavdm_data data = {.points = x, .n = N, .p = 3};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT);
  lavdm_model *model;
  assert_true(lavdm_fit(&data, &o, &model, NULL) >= 0);
  file_job job = {.model = model};
  char folder[] = "/tmp/lavdm-memory-XXXXXX";
  assert_non_null(mkdtemp(folder));
  snprintf(job.path, sizeof job.path, "%s/m.h5", folder);
  in_turn(save, &job, 1);
  in_turn(load, &job, 1);
  assert_int_equal(remove(job.path), 0);
  assert_int_equal(rmdir(folder), 0); /* nothing else is left */
  lavdm_free(model);
  free(x);
}

/* ------------------------------------------------------- synchronisation */

typedef struct {
  lavdm_edges edges;
  lavdm_sync_options options;
} sync_job;

static int synchronise(const void *context, lavdm_error *error) {
  const sync_job *job = context;
  lavdm_sync_t *sync = (lavdm_sync_t *)error;
  int status = lavdm_sync(&job->edges, &job->options, &sync, error);
  assert_int_equal(sync == NULL, status < 0);
  lavdm_sync_free(sync);
  return status;
}

/* A grid in two sizes, for the dense and the iterative solver, and a cyclic group. */
static void test_sync(void **state) {
  (void)state;
  enum { WIDE = 24, MOST = 2 * WIDE * WIDE };
  int64_t row[MOST], col[MOST];
  double angle[MOST], shift[2 * MOST];
  for (int k = 0; k < 3; k++) {
    int64_t side = k ? WIDE : 5, count = 0;
    for (int64_t i = 0; i < side * side; i++) {
      if ((i + 1) % side) row[count] = i, col[count++] = i + 1;
      if (i + side < side * side) row[count] = i, col[count++] = i + side;
    }
    for (int64_t e = 0; e < count; e++) angle[e] = 0.1 * sin((double)e), shift[2 * e] = shift[2 * e + 1] = 1;
    sync_job job = {
        .edges = {.count = count, .row = row, .col = col, .element = angle, .kind = LAVDM_ELEMENT_ANGLE}};
    lavdm_sync_default(&job.options);
    job.options.threads = 1;
    job.options.rounds = 1;
    job.options.shift = shift;
    if (k == 2) job.options.group = LAVDM_GROUP_CYCLIC, job.options.order = 4;
    in_turn(synchronise, &job, k ? 5 : 1);
  }
}

/* Every way against wrong edges, on a graph whose edges are all in triangles. */
static void test_robust(void **state) {
  (void)state;
  enum { NODES = 18, MOST = NODES * NODES };
  int64_t row[MOST], col[MOST], count = 0;
  double angle[MOST], shift[2 * MOST], sign[MOST];
  for (int64_t i = 0; i < NODES; i++)
    for (int64_t k = 0; k < i; k++) row[count] = i, col[count++] = k;
  for (int64_t e = 0; e < count; e++) {
    angle[e] = e % 7 ? 0.05 * sin((double)e) : (double)e, sign[e] = e % 5 ? 1 : -1;
    shift[2 * e] = shift[2 * e + 1] = e % 11 ? 1 : 20;
  }
  for (int way = LAVDM_ROBUST_AUTO; way <= LAVDM_ROBUST_GRADUAL; way++)
    for (int signs = 0; signs < 2; signs++) {
      sync_job job = {.edges = {.count = count, .row = row, .col = col, .element = signs ? sign : angle}};
      job.edges.kind = signs ? LAVDM_ELEMENT_SIGN : LAVDM_ELEMENT_ANGLE;
      lavdm_sync_default(&job.options);
      job.options.threads = 1;
      job.options.robust = (lavdm_robust)way;
      job.options.certify = LAVDM_CERTIFY_NO;
      job.options.shift = signs ? NULL : shift;
      in_turn(synchronise, &job, 7);
    }
}

/* Full information with a prior, a fixed node, sightings and covariances: all of src/survey. */
static void test_survey(void **state) {
  (void)state;
  enum { NODES = 8, EDGES = 12 };
  int64_t row[EDGES], col[EDGES], prior = 3, fixed = 5, by[] = {0, 2, 4}, of[] = {0, 0, 1};
  double angle[EDGES], shift[2 * EDGES], information[6 * EDGES], one[] = {1, 0, 0, 1}, place[] = {1, 2};
  const double all[] = {4, 1, 0, 4, 0, 9}, some[] = {1, 0, 0, 1, 0, 0}, half[] = {1, 0, 1, 1, 0, 1, 1, 0, 1};
  for (int64_t e = 0; e < EDGES; e++) {
    row[e] = e % NODES, col[e] = (e + 1 + e / NODES) % NODES;
    angle[e] = 0.1 * sin((double)e), shift[2 * e] = shift[2 * e + 1] = 1;
    memcpy(information + 6 * e, all, sizeof all);
  }
  lavdm_survey survey = {.priors = 1,
                         .prior_node = &prior,
                         .prior_element = one,
                         .prior_position = place,
                         .prior_information = some,
                         .sightings = 3,
                         .sighted_node = by,
                         .sighted_point = of,
                         .sighted = shift,
                         .sighted_information = half,
                         .fixed_node = &fixed,
                         .fixed_element = one,
                         .fixed_position = place};
  sync_job job = {
      .edges = {.count = EDGES, .row = row, .col = col, .element = angle, .kind = LAVDM_ELEMENT_ANGLE}};
  lavdm_sync_default(&job.options);
  job.options.threads = 1, job.options.certify = LAVDM_CERTIFY_NO;
  job.options.shift = shift, job.options.information = information;
  job.options.full = job.options.covariance = 1, job.options.survey = &survey;
  for (survey.fixed = 0; survey.fixed < 2; survey.fixed++) in_turn(synchronise, &job, 1);
}

/* The proof and the staircase, whose first rank has no proof here. */
static void test_proof(void **state) {
  (void)state;
  enum { NODES = 9, EDGES = 2 * NODES };
  int64_t row[EDGES], col[EDGES];
  double angle[EDGES], shift[2 * EDGES];
  for (int64_t e = 0; e < EDGES; e++) {
    row[e] = e % NODES, col[e] = (e + 1 + e / NODES) % NODES;
    angle[e] = 2 * sin((double)(e * e)), shift[2 * e] = 1, shift[2 * e + 1] = (double)(e % 3);
  }
  for (int k = 0; k < 2; k++) {
    sync_job job = {
        .edges = {.count = EDGES, .row = row, .col = col, .element = angle, .kind = LAVDM_ELEMENT_ANGLE}};
    lavdm_sync_default(&job.options);
    job.options.threads = 1, job.options.certify = LAVDM_CERTIFY_YES;
    job.options.shift = k ? shift : NULL;
    in_turn(synchronise, &job, 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bundles),
      cmocka_unit_test(test_metrics),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_designs_and_rules),
      cmocka_unit_test(test_pca),
      cmocka_unit_test(test_turned),
      cmocka_unit_test(test_pieces),
      cmocka_unit_test(test_edges),
      cmocka_unit_test(test_nodes),
      cmocka_unit_test(test_sparse),
      cmocka_unit_test(test_reference),
      cmocka_unit_test(test_orient),
      cmocka_unit_test(test_cover),
      cmocka_unit_test(test_embed),
      cmocka_unit_test(test_iterative),
      cmocka_unit_test(test_sparse_gram),
      cmocka_unit_test(test_single_and_stream),
      cmocka_unit_test(test_lowpass),
      cmocka_unit_test(test_files),
      cmocka_unit_test(test_sync),
      cmocka_unit_test(test_robust),
      cmocka_unit_test(test_survey),
      cmocka_unit_test(test_proof),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
