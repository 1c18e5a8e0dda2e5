/* Samples of manifolds: densities against quadrature, repeatability, noise, errors. */
#include "sample/shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int64_t n, p, d;
  double *x, *frames, *q;
} sample_t;

static sample_t draw(const char *shape, int64_t n, int64_t dim, const char *density, double noise,
                     uint64_t seed) {
  sample_t s = {.n = n};
  assert_int_equal(lavdm_shape_size(shape, dim, &s.p, &s.d, NULL), 0);
  s.x = calloc((size_t)(n * s.p), sizeof(double));
  s.frames = calloc((size_t)(n * s.p * s.d), sizeof(double));
  s.q = calloc((size_t)(n * s.d), sizeof(double));
  assert_true(s.x && s.frames && s.q);
  assert_int_equal(lavdm_sample(shape, n, dim, density, noise, seed, s.x, s.frames, s.q, NULL), 0);
  return s;
}

static void release(sample_t *s) {
  free(s->x);
  free(s->frames);
  free(s->q);
}

static void close_to(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance)) {
    print_error("%.17g is not %.17g within %g\n", value, expected, tolerance);
    fail();
  }
}

/* ------------------------------------------------------------ densities */

/* The density, up to a factor, of the parameters q. */
static double density_at(const shape_t *shape, const char *density, const double *q) {
  double base[SHAPE_BASE] = {q[0], q[1]}, x[SHAPE_P], frame[SHAPE_P * SHAPE_D], area = 1;
  int sphere = shape->base == BASE_SPHERE;
  if (!strcmp(density, "parameter")) return 1;
  if (sphere) {
    base[0] = sin(q[0]) * cos(q[1]);
    base[1] = sin(q[0]) * sin(q[1]);
    base[2] = cos(q[0]);
  }
  double measure = sphere ? sin(q[0]) : 1; /* area of the base per unit of q */
  memcpy(x, base, sizeof base);
  if (shape->map) area = shape_place(shape, base, x, frame);
  if (!strcmp(density, "acg"))
    return measure * pow(base[0] * base[0] + base[1] * base[1] + base[2] * base[2] / 0.8, -1.5);
  return measure * area * (!strcmp(density, "bump") ? 1 + 0.8 * x[0] / shape->reach : 1);
}

/* Points fall into 16 x 16 cells of the parameters as the density says: the
 * statistic has mean `cells - 1` and variance 2 (cells - 1). */
static void check_cells(const shape_t *shape, const char *density) {
  enum { CELLS = 16, FINE = 12, N = 100000 };
  double expected[CELLS][CELLS] = {{0}}, total = 0, statistic = 0;
  int seen[CELLS][CELLS] = {{0}};
  double low[2] = {shape->low[0], shape->low[1]};
  double size[2] = {shape->high[0] - low[0], shape->high[1] - low[1]};
  for (int i = 0; i < CELLS * FINE; i++)
    for (int j = 0; j < CELLS * FINE; j++) {
      double q[2] = {low[0] + size[0] * (i + 0.5) / (CELLS * FINE),
                     low[1] + size[1] * (j + 0.5) / (CELLS * FINE)};
      double value = density_at(shape, density, q);
      expected[i / FINE][j / FINE] += value;
      total += value;
    }
  sample_t s = draw(shape->about.name, N, 0, density, 0, 11);
  for (int i = 0; i < N; i++) {
    int a = (int)((s.q[2 * i] - low[0]) / size[0] * CELLS),
        b = (int)((s.q[2 * i + 1] - low[1]) / size[1] * CELLS);
    seen[a < CELLS ? a : CELLS - 1][b < CELLS ? b : CELLS - 1]++;
  }
  for (int a = 0; a < CELLS; a++)
    for (int b = 0; b < CELLS; b++) {
      double mean = N * expected[a][b] / total;
      statistic += (seen[a][b] - mean) * (seen[a][b] - mean) / mean;
    }
  int freedom = CELLS * CELLS - 1;
  if (fabs(statistic - freedom) > 4 * sqrt(2.0 * freedom)) {
    print_error("%s, %s: chi^2 = %g with %d degrees of freedom\n", shape->about.name, density, statistic,
                freedom);
    fail();
  }
  release(&s);
}

static void densities_match_quadrature(void **state) {
  (void)state;
  for (int i = 0; i < lavdm_shape_count(); i++) {
    int64_t p, d;
    const shape_t *shape = shape_find(lavdm_shape_at(i)->name, 0, &p, &d, NULL);
    if (d != 2) continue;
    char list[64];
    snprintf(list, sizeof list, "%s", shape->about.densities);
    for (char *name = strtok(list, "|"); name; name = strtok(NULL, "|")) check_cells(shape, name);
  }
}

enum { MANY = 200000 };

/* Mean over a sample of f(x, q), with its standard error. */
static double mean_of(const sample_t *s, double (*f)(const double *x, const double *q), double *error) {
  double sum = 0, square = 0;
  for (int64_t i = 0; i < s->n; i++) {
    double value = f(s->x + i * s->p, s->q + i * s->d);
    sum += value;
    square += value * value;
  }
  double mean = sum / (double)s->n;
  *error = sqrt((square / (double)s->n - mean * mean) / (double)s->n);
  return mean;
}

static void check_mean(const char *shape, int64_t dim, const char *density,
                       double (*f)(const double *x, const double *q), double expected) {
  double error;
  sample_t s = draw(shape, MANY, dim, density, 0, 5);
  double mean = mean_of(&s, f, &error);
  close_to(mean, expected, 4 * error);
  release(&s);
}

static double x0(const double *x, const double *q) {
  (void)q;
  return x[0];
}
static double x0_squared(const double *x, const double *q) {
  (void)q;
  return x[0] * x[0];
}
static double x2_squared(const double *x, const double *q) {
  (void)q;
  return x[2] * x[2];
}
static double x2_fourth(const double *x, const double *q) {
  (void)q;
  return pow(x[2], 4);
}
static double x3_squared(const double *x, const double *q) {
  (void)q;
  return x[3] * x[3];
}
static double cos_tube(const double *x, const double *q) {
  (void)x;
  return cos(q[1]);
}
static double roll_angle(const double *x, const double *q) {
  (void)x;
  return q[0];
}

static void moments_are_the_known_ones(void **state) {
  (void)state;
  check_mean("sphere", 0, "uniform", x2_squared, 1.0 / 3);
  check_mean("sphere", 0, "uniform", x2_fourth, 1.0 / 5);
  check_mean("sphere", 0, "uniform", x0, 0);
  check_mean("sphere", 5, "uniform", x2_squared, 1.0 / 6);
  check_mean("sphere", 7, NULL, x2_fourth, 3.0 / 80); /* 3 / ((d+1)(d+3)) */
  check_mean("torus", 0, "uniform", cos_tube, 0.25);
  check_mean("torus", 0, "parameter", cos_tube, 0);
  check_mean("rp2", 0, "uniform", x2_squared, 1.0 / 10); /* E z^4 / 2 */
  check_mean("rp2", 0, "uniform", x3_squared, 1.0 / 15); /* E x^2 y^2 */
  /* with density 1 + 0.8 x on S^d: E x = 0.8 E x^2 */
  check_mean("circle", 0, "bump", x0, 0.4);
  check_mean("sphere", 0, "bump", x0, 0.8 / 3);
  check_mean("sphere", 4, "bump", x0, 0.8 / 5);
  check_mean("flat-torus", 0, "bump", x0, 0.4);
  /* swiss-roll: int t sqrt(1 + t^2) / int sqrt(1 + t^2) over [a, b] */
  double a = 1.5 * PI, b = 4.5 * PI, above = (pow(1 + b * b, 1.5) - pow(1 + a * a, 1.5)) / 3;
  double below = (b * sqrt(1 + b * b) + asinh(b) - a * sqrt(1 + a * a) - asinh(a)) / 2;
  check_mean("swiss-roll", 0, "uniform", roll_angle, above / below);
}

static double sin_v(const double *x, const double *q) {
  (void)x;
  return sin(q[1]);
}
static double cos_4v(const double *x, const double *q) {
  (void)x;
  return cos(4 * q[1]);
}

/* The first fundamental form of the Klein bottle, by hand:
 * E = cos^2 v + sin^2 2v + h^2, F = 2 (2 cos v cos 2v + sin v sin 2v),
 * G = 4 sin^2 v + 16 cos^2 2v + 0.01 cos^2 v, h = 1 + 0.1 sin v. */
static void klein_bottle_is_uniform_by_area(void **state) {
  (void)state;
  double total = 0, sine = 0, cosine = 0, height = 0;
  for (int i = 0; i < 1000; i++) {
    double v = TWO_PI * i / 1000, c = cos(v), s = sin(v), c2 = cos(2 * v), s2 = sin(2 * v), h = 1 + 0.1 * s;
    double E = c * c + s2 * s2 + h * h, F = 2 * (2 * c * c2 + s * s2),
           G = 4 * s * s + 16 * c2 * c2 + 0.01 * c * c;
    double area = sqrt(E * G - F * F);
    total += area;
    sine += s * area;
    cosine += cos(4 * v) * area;
    height += h * h / 2 * area; /* z^2, averaged over u */
  }
  check_mean("klein", 0, "uniform", sin_v, sine / total);
  check_mean("klein", 0, "uniform", cos_4v, cosine / total);
  check_mean("klein", 0, "uniform", x2_squared, height / total);
  check_mean("klein", 0, "parameter", cos_4v, 0);
}

/* Last coordinate z of an angular central Gaussian on S^d: density
 * (1 + z^2/4)^(-(d+1)/2) (1 - z^2)^((d-2)/2). */
static void angular_central_gaussian_has_its_moments(void **state) {
  (void)state;
  for (int d = 2; d <= 3; d++) {
    double total = 0, square = 0;
    for (int i = 0; i < 100000; i++) {
      double z = cos(PI * (i + 0.5) / 100000), s2 = 1 - z * z; /* dz = sin(angle) */
      double weight = pow(1 + z * z / 4, -(d + 1) / 2.0) * pow(s2, (d - 1) / 2.0);
      total += weight;
      square += z * z * weight;
    }
    check_mean("sphere", d, "acg", d == 2 ? x2_squared : x3_squared, square / total);
    check_mean("sphere", d, "acg", x0_squared, (1 - square / total) / d);
  }
}

/* --------------------------------------------------------- repeatability */

static void same_bits(const sample_t *a, const sample_t *b) {
  assert_memory_equal(a->x, b->x, (size_t)(a->n * a->p) * sizeof(double));
  assert_memory_equal(a->frames, b->frames, (size_t)(a->n * a->p * a->d) * sizeof(double));
  assert_memory_equal(a->q, b->q, (size_t)(a->n * a->d) * sizeof(double));
}

static void samples_depend_on_seed_and_index_alone(void **state) {
  (void)state;
  int threads = omp_get_max_threads();
  for (int i = 0; i < lavdm_shape_count(); i++) {
    const char *name = lavdm_shape_at(i)->name;
    sample_t one = draw(name, 2000, 0, NULL, 0.1, 42), longer = draw(name, 3001, 0, "uniform", 0.1, 42);
    same_bits(&one, &longer);
    for (int count = 1; count <= 2; count++) {
      omp_set_num_threads(count);
      sample_t again = draw(name, 2000, 0, NULL, 0.1, 42);
      same_bits(&one, &again);
      release(&again);
    }
    omp_set_num_threads(threads);
    sample_t other = draw(name, 2000, 0, NULL, 0.1, 43);
    for (int k = 0; k < 2000; k++) assert_true(one.x[k * one.p] != other.x[k * one.p]);
    /* points alone are the same points */
    assert_int_equal(lavdm_sample(name, 2000, 0, NULL, 0.1, 42, other.x, NULL, NULL, NULL), 0);
    assert_memory_equal(one.x, other.x, (size_t)(one.n * one.p) * sizeof(double));
    release(&one);
    release(&longer);
    release(&other);
  }
}

static void noise_is_gaussian_and_spares_frames(void **state) {
  (void)state;
  for (int k = 0; k < lavdm_shape_count(); k++) {
    const char *name = lavdm_shape_at(k)->name;
    sample_t clean = draw(name, 20000, 0, NULL, 0, 1), noisy = draw(name, 20000, 0, NULL, 0.3, 1);
    int64_t count = clean.n * clean.p;
    double mean = 0, square = 0, fourth = 0;
    for (int64_t i = 0; i < count; i++) {
      double e = (noisy.x[i] - clean.x[i]) / 0.3;
      mean += e / (double)count;
      square += e * e / (double)count;
      fourth += e * e * e * e / (double)count;
    }
    close_to(mean, 0, 4 / sqrt((double)count));
    close_to(square, 1, 4 * sqrt(2 / (double)count));
    close_to(fourth, 3, 4 * sqrt(96 / (double)count));
    memcpy(noisy.x, clean.x, (size_t)count * sizeof(double));
    same_bits(&clean, &noisy);
    release(&clean);
    release(&noisy);
  }
}

/* ---------------------------------------------------------------- errors */

static void refused(int status, const lavdm_error *error, const char *words) {
  assert_int_equal(status, LAVDM_ERROR_ARGUMENT);
  assert_int_equal(error->status, LAVDM_ERROR_ARGUMENT);
  if (!strstr(error->message, words)) {
    print_error("'%s' does not say '%s'\n", error->message, words);
    fail();
  }
}

static void bad_arguments_are_refused(void **state) {
  (void)state;
  double x[64];
  int64_t p = -7, d = -7;
  lavdm_error e;
  refused(lavdm_sample("klien", 1, 0, NULL, 0, 0, x, NULL, NULL, &e), &e, "'klien'");
  for (int i = 0; i < lavdm_shape_count(); i++) assert_non_null(strstr(e.message, lavdm_shape_at(i)->name));
  refused(lavdm_sample(NULL, 1, 0, NULL, 0, 0, x, NULL, NULL, &e), &e, "distorted-sphere");
  refused(lavdm_sample("klein", 1, 0, "acg", 0, 0, x, NULL, NULL, &e), &e, "choose one of uniform|parameter");
  refused(lavdm_sample("sphere", 1, 0, "uni", 0, 0, x, NULL, NULL, &e), &e, "uniform|parameter|acg|bump");
  refused(lavdm_sample("sphere", 1, 0, "uniform|bump", 0, 0, x, NULL, NULL, &e), &e, "'uniform|bump'");
  refused(lavdm_sample("sphere", 1, 0, "", 0, 0, x, NULL, NULL, &e), &e, "''");
  refused(lavdm_sample("sphere", 0, 0, NULL, 0, 0, x, NULL, NULL, &e), &e, "1 or more, not 0");
  refused(lavdm_sample("sphere", -5, 0, NULL, 0, 0, x, NULL, NULL, &e), &e, "not -5");
  refused(lavdm_sample("sphere", 1, 0, NULL, -0.1, 0, x, NULL, NULL, &e), &e, "not -0.1");
  refused(lavdm_sample("sphere", 1, 0, NULL, (double)NAN, 0, x, NULL, NULL, &e), &e, "noise");
  refused(lavdm_sample("sphere", 1, 0, NULL, (double)INFINITY, 0, x, NULL, NULL, &e), &e, "noise");
  refused(lavdm_sample("sphere", 1, -1, NULL, 0, 0, x, NULL, NULL, &e), &e, "1 to 1000");
  refused(lavdm_sample("sphere", 1, 1001, NULL, 0, 0, x, NULL, NULL, &e), &e, "not 1001");
  refused(lavdm_sample("torus", 1, 3, NULL, 0, 0, x, NULL, NULL, &e), &e, "torus has dimension 2, not 3");
  refused(lavdm_sample("torus", 1, 0, NULL, 0, 0, NULL, NULL, NULL, &e), &e, "points");
  refused(lavdm_shape_size("cube", 0, &p, &d, &e), &e, "'cube'");
  assert_int_equal(p, -7);
  assert_int_equal(lavdm_shape_size("cube", 0, &p, &d, NULL), LAVDM_ERROR_ARGUMENT);
}

static void shapes_have_their_sizes(void **state) {
  (void)state;
  int64_t p, d;
  assert_int_equal(lavdm_shape_count(), 11);
  assert_null(lavdm_shape_at(-1));
  assert_null(lavdm_shape_at(lavdm_shape_count()));
  assert_int_equal(lavdm_shape_size("sphere", 1000, &p, &d, NULL), 0);
  assert_int_equal(p, 1001);
  assert_int_equal(d, 1000);
  assert_int_equal(lavdm_shape_size("circle", 1, &p, &d, NULL), 0);
  assert_int_equal(p, 2);
  assert_int_equal(d, 1);
  assert_int_equal(lavdm_shape_size("rp2", 2, &p, NULL, NULL), 0);
  assert_int_equal(p, 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(densities_match_quadrature),
      cmocka_unit_test(moments_are_the_known_ones),
      cmocka_unit_test(klein_bottle_is_uniform_by_area),
      cmocka_unit_test(angular_central_gaussian_has_its_moments),
      cmocka_unit_test(samples_depend_on_seed_and_index_alone),
      cmocka_unit_test(noise_is_gaussian_and_spares_frames),
      cmocka_unit_test(bad_arguments_are_refused),
      cmocka_unit_test(shapes_have_their_sizes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
