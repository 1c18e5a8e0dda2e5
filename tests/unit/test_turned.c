/*
 * Images and signals in the pipeline. Signals are compared with a fit to edges that
 * were found by brute force: every shift on a fine grid, then refined. Turned copies
 * have turned fields, and what is like nothing else has none.
 */
#include "turned_support.h"

enum { P = 16, BANDS = 5 };

/* Smooth signals with random coefficients of the bands 0 .. BANDS-1. */
static double *signals(int64_t n, uint64_t seed) {
  double *x = numbers(n * P), *c = numbers(n * 2 * BANDS);
  fill_normal(c, n * 2 * BANDS, seed);
  for (int64_t i = 0; i < n; i++)
    for (int j = 0; j < P; j++)
      for (int k = 0; k < BANDS; k++) {
        double t = 2 * PI * k * j / P, size = k == 1 ? 1 : 0.4;
        const double *a = c + (i * BANDS + k) * 2;
        x[i * P + j] += size * (a[0] * cos(t) + a[1] * sin(t));
      }
  free(c);
  return x;
}

/* ---------------------------------------------------------------- brute force */

/* Coefficients of the bands: real and imaginary parts. */
static void bands_of(const double *y, double *a) {
  for (int k = 0; k < BANDS; k++)
    for (int l = 0; l < P; l++) {
      a[2 * k] += (k ? 2. : 1.) / P * y[l] * cos(2 * PI * k * l / P);
      a[2 * k + 1] += (k ? 2. : 1.) / P * y[l] * sin(2 * PI * k * l / P);
    }
}

/* |x - y delayed by theta (backwards before, if reflected)|^2; a: bands of y. */
static double gap2(const double *x, const double *a, double theta, bool reflected) {
  double sum = 0;
  for (int j = 0; j < P; j++) {
    double value = 0, phi = 2 * PI * j / P - theta;
    if (reflected) phi = -phi;
    for (int k = 0; k < BANDS; k++) value += a[2 * k] * cos(k * phi) + a[2 * k + 1] * sin(k * phi);
    sum += (x[j] - value) * (x[j] - value);
  }
  return sum;
}

typedef struct {
  double d2, angle;
  bool reflected;
} match_t;

/* The least gap between two neighbours on the grid. */
static match_t refine(const double *x, const double *a, double low, double high, bool reflected) {
  for (int step = 0; step < 45; step++) {
    double left = low + (high - low) / 3, right = high - (high - low) / 3;
    if (gap2(x, a, left, reflected) < gap2(x, a, right, reflected))
      high = right;
    else
      low = left;
  }
  double angle = (low + high) / 2;
  return (match_t){gap2(x, a, angle, reflected), angle, reflected};
}

static match_t brute(const double *x, const double *y, bool reflections) {
  enum { GRID = 48 };
  match_t best = {INFINITY, 0, false};
  double a[2 * BANDS] = {0}, found[GRID];
  bands_of(y, a);
  for (int r = 0; r <= reflections; r++) {
    for (int g = 0; g < GRID; g++) found[g] = gap2(x, a, 2 * PI * g / GRID, r);
    for (int g = 0; g < GRID; g++) {
      if (found[g] > found[(g + 1) % GRID] || found[g] > found[(g + GRID - 1) % GRID]) continue;
      if (found[g] > best.d2 + 2) continue; /* no slope of these signals leads so far down in a step */
      match_t here = refine(x, a, 2 * PI * (g - 1) / GRID, 2 * PI * (g + 1) / GRID, r);
      if (here.d2 < best.d2) best = here;
    }
  }
  return best;
}

/* All pairs of x (n) and z (m) that the model's options join, as edges. */
static lavdm_edges oracle_edges(const lavdm_options *o, const double *x, int64_t n, const double *z,
                                int64_t m, bool square) {
  match_t *all = calloc((size_t)(n * m), sizeof *all);
  int64_t *row = calloc((size_t)(n * m), sizeof *row), *col = calloc((size_t)(n * m), sizeof *col), count = 0;
  double *weight = numbers(n * m), *element = numbers(4 * n * m);
  assert_true(all && row && col);
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = 0; k < m; k++) {
      if (square && k < i) continue; /* the other way round */
      match_t *to = &all[i * m + k];
      *to = brute(x + i * P, z + k * P, o->reflections == LAVDM_REFLECTIONS_YES);
      if (square && k == i) *to = (match_t){0, 0, false};
      if (square) all[k * m + i].d2 = to->d2;
    }
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = square ? i : 0; k < m; k++) {
      match_t *to = &all[i * m + k];
      int64_t nearer[2] = {0, 0};
      for (int64_t l = 0; l < m; l++) nearer[0] += all[i * m + l].d2 < to->d2 && !(square && l == i);
      for (int64_t l = 0; square && l < n; l++) nearer[1] += all[k * m + l].d2 < to->d2 && l != k;
      bool joined = to->d2 <= o->cutoff * o->cutoff * o->epsilon;
      if (o->edges == LAVDM_EDGES_KNN)
        joined = nearer[0] < o->knn || (square && (nearer[1] < o->knn || i == k));
      if (!joined) continue;
      double c = cos(to->angle), s = sin(to->angle), sign = to->reflected ? -1 : 1;
      const double block[] = {c, -sign * s, s, sign * c};
      memcpy(element + 4 * count, block, sizeof block);
      row[count] = i, col[count] = k;
      weight[count++] = exp(-to->d2 / o->epsilon);
    }
  free(all);
  return (lavdm_edges){.count = count,
                       .row = row,
                       .col = col,
                       .weight = weight,
                       .element = element,
                       .kind = LAVDM_ELEMENT_MATRIX,
                       .q = 2};
}

static void edges_free(lavdm_edges *e) {
  free((void *)e->row);
  free((void *)e->col);
  free((void *)e->weight);
  free((void *)e->element);
}

static void check_edges(lavdm_options o, bool landmarks) {
  enum { N = 28, M = 7 };
  double *x = signals(N, 5);
  int64_t index[M];
  for (int64_t k = 0; k < M; k++) index[k] = 4 * k + 1;
  double z[M * P];
  for (int64_t k = 0; k < M; k++) memcpy(z + k * P, x + index[k] * P, P * sizeof *z);
  lavdm_data data = {.points = x, .n = N, .p = P};
  if (landmarks) data.landmark_index = index, data.landmark_count = M;
  lavdm_model *model = fit_or_fail(&data, &o);
  const lavdm_options *chosen = lavdm_info(model)->chosen;
  lavdm_edges edges = oracle_edges(chosen, x, N, landmarks ? z : x, landmarks ? M : N, !landmarks);
  lavdm_options given;
  lavdm_options_default(&given);
  given.method = chosen->method, given.bundle = LAVDM_BUNDLE_GIVEN;
  given.alpha = chosen->alpha, given.beta = chosen->beta, given.components = chosen->components;
  lavdm_data graph = {.edges = &edges};
  lavdm_model *truth = fit_or_fail(&graph, &given);
  assert_int_equal(lavdm_info(model)->edges, lavdm_info(truth)->edges);
  check_same(truth, model, o.precision == LAVDM_PRECISION_SINGLE ? 2e-5 : 1e-9);
  edges_free(&edges);
  lavdm_free(truth);
  lavdm_free(model);
  free(x);
}

static void test_oracle(void **state) {
  (void)state;
  static const lavdm_method methods[] = {LAVDM_METHOD_LAVDM, LAVDM_METHOD_VDM, LAVDM_METHOD_DM,
                                         LAVDM_METHOD_ROSELAND};
  for (int k = 0; k < 4; k++)
    for (int rule = LAVDM_EDGES_BALL; rule <= LAVDM_EDGES_KNN; rule++)
      for (int reflections = 0; reflections <= 1; reflections++) {
        if (k >= 2 && (reflections || rule == LAVDM_EDGES_BALL)) continue;
        lavdm_options o = defaults(methods[k]);
        o.edges = (lavdm_edge_rule)rule, o.reflections = (lavdm_reflections)reflections, o.knn = 6;
        o.epsilon = 4, o.cutoff = rule == LAVDM_EDGES_BALL ? 3 : 1e6;
        check_edges(o, k == 0 || k == 3);
        if (!rule || k) continue;
        o.precision = LAVDM_PRECISION_SINGLE;
        check_edges(o, true);
      }
}

/* --------------------------------------------------------------------- turns */

static double largest(const double *x, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* |u[i] - O u[k]|, O the turn by angle (reflected before). */
static double misfit(const double *u, int64_t r, const double *v, double angle, bool reflected) {
  double c = cos(angle), s = sin(angle), sign = reflected ? -1 : 1, worst = 0;
  for (int64_t l = 0; l < r; l++) {
    double a = v[l], b = sign * v[r + l];
    worst = fmax(worst, fmax(fabs(u[l] - (c * a - s * b)), fabs(u[r + l] - (s * a + c * b))));
  }
  return worst;
}

/* New objects are copies of old ones, turned by `angle` each. */
static void check_turned(const lavdm_options *o, const lavdm_data *data, const double *copies, double angle,
                         bool reflected) {
  lavdm_model *model = fit_or_fail(data, o);
  lavdm_data more = *data;
  more.points = copies;
  lavdm_model *same = extend_or_fail(model, data), *turned = extend_or_fail(model, &more);
  int64_t r = o->components, n = data->n;
  double *u = model_doubles(model, "eigenvectors"), *v = model_doubles(same, "eigenvectors"),
         *w = model_doubles(turned, "eigenvectors"), scale = largest(u, n * 2 * r);
  for (int64_t i = 0; i < n; i++) {
    assert_true(misfit(v + i * 2 * r, r, u + i * 2 * r, 0, false) < 1e-10 * scale);
    assert_true(misfit(w + i * 2 * r, r, u + i * 2 * r, angle, reflected) < 1e-8 * scale);
  }
  free(u), free(v), free(w);
  lavdm_free(same);
  lavdm_free(turned);
  lavdm_free(model);
}

static void test_shifted_copies(void **state) {
  (void)state;
  enum { N = 60, BY = 3 };
  double *x = signals(N, 8), *y = numbers(N * P), *z = numbers(N * P);
  for (int64_t i = 0; i < N; i++)
    for (int j = 0; j < P; j++) {
      y[i * P + (j + BY) % P] = x[i * P + j];
      z[i * P + (P - j + BY) % P] = x[i * P + j]; /* backwards, then delayed */
    }
  lavdm_data data = {.points = x, .n = N, .p = P};
  for (int square = 0; square <= 1; square++) {
    lavdm_options o = defaults(square ? LAVDM_METHOD_VDM : LAVDM_METHOD_LAVDM);
    check_turned(&o, &data, y, 2 * PI * BY / P, false);
    o.reflections = LAVDM_REFLECTIONS_YES;
    check_turned(&o, &data, z, 2 * PI * BY / P, true);
    o.edges = LAVDM_EDGES_BALL;
    check_turned(&o, &data, y, 2 * PI * BY / P, false);
  }
  free(x), free(y), free(z);
}

/* Turned by a right angle: the value at column x, row y moves to column -y, row x of the middle. */
static void test_turned_copies(void **state) {
  (void)state;
  enum { N = 50, PIXELS = SIDE * SIDE };
  double *x = images(N, 3), *y = numbers(N * PIXELS), *z = numbers(N * PIXELS);
  for (int64_t i = 0; i < N; i++)
    for (int row = 0; row < SIDE; row++)
      for (int col = 0; col < SIDE; col++) {
        y[i * PIXELS + col * SIDE + SIDE - 1 - row] = x[i * PIXELS + row * SIDE + col];
        z[i * PIXELS + (SIDE - 1 - row) * SIDE + col] = x[i * PIXELS + row * SIDE + col];
      }
  lavdm_data data = {.points = x, .n = N, .p = PIXELS};
  for (int square = 0; square <= 1; square++) {
    lavdm_options o = defaults(square ? LAVDM_METHOD_VDM : LAVDM_METHOD_LAVDM);
    o.bundle = LAVDM_BUNDLE_ROTATION;
    check_turned(&o, &data, y, PI / 2, false);
    o.reflections = LAVDM_REFLECTIONS_YES;
    check_turned(&o, &data, z, 0, true);
    o.noise = 0.02;
    check_turned(&o, &data, y, PI / 2, false);
  }
  free(x), free(y), free(z);
}

/* An image that is like no other has NaN; one that the fit took in all the same comes back. */
static void test_out_of_reach(void **state) {
  (void)state;
  enum { N = 50, PIXELS = SIDE * SIDE };
  double *x = images(N, 3);
  for (int j = 0; j < PIXELS; j++) x[(N - 1) * PIXELS + j] *= 10;
  lavdm_data data = {.points = x, .n = N, .p = PIXELS};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  int64_t index[20];
  for (int64_t k = 0; k < 20; k++) index[k] = 2 * k;
  data.landmark_index = index, data.landmark_count = 20;
  o.bundle = LAVDM_BUNDLE_ROTATION, o.edges = LAVDM_EDGES_BALL, o.components = 4;
  for (int single = 0; single <= 1; single++) {
    o.precision = (lavdm_precision)single;
    o.epsilon = LAVDM_AUTO, o.cutoff = LAVDM_AUTO, o.kernel = LAVDM_KERNEL_GAUSSIAN;
    lavdm_model *model = fit_or_fail(&data, &o);
    assert_int_equal(lavdm_info(model)->far_points + lavdm_info(model)->isolated, 1);
    lavdm_model *same = extend_or_fail(model, &data);
    assert_int_equal(lavdm_info(same)->isolated, lavdm_info(model)->isolated);
    double *odd = numbers(PIXELS);
    for (int j = 0; j < PIXELS; j++) odd[j] = 20 * x[j];
    lavdm_data one = {.points = odd, .n = 1, .p = PIXELS};
    lavdm_model *far = extend_or_fail(model, &one);
    assert_int_equal(lavdm_info(far)->isolated, 1);
    double *u = model_doubles(far, "eigenvectors");
    assert_true(isnan(u[0]));
    free(u), free(odd);
    lavdm_free(far);
    lavdm_free(same);
    lavdm_free(model);
  }
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_oracle),
      cmocka_unit_test(test_shifted_copies),
      cmocka_unit_test(test_turned_copies),
      cmocka_unit_test(test_out_of_reach),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
