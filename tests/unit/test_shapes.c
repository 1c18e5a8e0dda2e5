/* Sample manifolds: equations, tangent frames, area elements, identifications. */
#include "sample/shapes.h"
#include "sample/sphere.h"
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
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

/* The point of the base that has the parameters q. */
static void base_of(const shape_t *shape, int64_t d, const double *q, double *base) {
  if (shape->base == BASE_BOX) {
    memcpy(base, q, (size_t)d * sizeof *base);
    return;
  }
  double left = 1;
  for (int64_t k = 0; k < d - 1; k++) {
    base[d - k] = left * cos(q[k]);
    left *= sin(q[k]);
  }
  base[1] = left * sin(q[d - 1]);
  base[0] = left * cos(q[d - 1]);
}

/* ------------------------------------------------------------ equations */

static double off_sphere(const double *x, const double *q, int64_t p) {
  (void)q;
  double square = 0;
  for (int64_t j = 0; j < p; j++) square += x[j] * x[j];
  return square - 1;
}

static double off_torus(const double *x, const double *q, int64_t p) {
  (void)q, (void)p;
  return pow(hypot(x[0], x[1]) - 2, 2) + x[2] * x[2] - 1;
}

static double off_flat_torus(const double *x, const double *q, int64_t p) {
  (void)q, (void)p;
  return fabs(hypot(x[0], x[1]) - 1) + fabs(hypot(x[2], x[3]) - 1);
}

/* With sin v read off |(z,w)| and u off its angle: turned back by u/2, (x,y)/2
 * is (cos v, sin 2v). */
static double off_klein(const double *x, const double *q, int64_t p) {
  (void)q, (void)p;
  double s = (hypot(x[2], x[3]) - 1) / 0.1, u = atan2(x[3], x[2]);
  double a = (cos(u / 2) * x[0] + sin(u / 2) * x[1]) / 2, b = (cos(u / 2) * x[1] - sin(u / 2) * x[0]) / 2;
  return fabs(a * a + s * s - 1) + fabs(b - 2 * s * a);
}

/* (x_2 + i x_3)^2 cos y / 2 = sin^2 y (x_0 + i x_1) */
static double off_flat_klein(const double *x, const double *q, int64_t p) {
  (void)q, (void)p;
  double c = x[4] / (sqrt(3) / 2), s2 = 1 - c * c;
  double re = (x[2] * x[2] - x[3] * x[3]) * c / 2 - s2 * x[0], im = x[2] * x[3] * c - s2 * x[1];
  return fabs(4 * (x[0] * x[0] + x[1] * x[1]) - c * c) + fabs(x[2] * x[2] + x[3] * x[3] - s2) + fabs(re) +
         fabs(im);
}

/* The matrix m = v v' has trace 1 and m^2 = m. */
static double off_rp2(const double *x, const double *q, int64_t p) {
  (void)q, (void)p;
  double r = sqrt(2), m[3][3] = {{r * x[0], x[3], x[4]}, {x[3], r * x[1], x[5]}, {x[4], x[5], r * x[2]}};
  double off = fabs(m[0][0] + m[1][1] + m[2][2] - 1);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      off += fabs(m[i][0] * m[0][j] + m[i][1] * m[1][j] + m[i][2] * m[2][j] - m[i][j]);
  return off;
}

static double off_mobius(const double *x, const double *q, int64_t p) {
  (void)q, (void)p;
  double turn = atan2(x[1], x[0]), r = hypot(x[0], x[1]) - 1;
  return fabs(r * sin(turn / 2) - x[2] * cos(turn / 2)) + fmax(0, hypot(r, x[2]) - 0.5);
}

static double off_swiss_roll(const double *x, const double *q, int64_t p) {
  (void)q, (void)p;
  double t = hypot(x[0], x[2]);
  return fabs(x[0] - t * cos(t)) + fabs(x[2] - t * sin(t)) + (x[1] >= 0 && x[1] < 21 ? 0 : 1);
}

/* The paper's formula, word for word. */
static double off_distorted(const double *x, const double *q, int64_t p) {
  (void)p;
  double u = q[0], v = q[1];
  double w = exp(-1 / (pow(u, 2.6) * pow(PI - u, 2.2))) * pow(0.5 + 0.5 * cos(2 * u - PI), 2.2);
  double rho = 1 + w * (0.2 * sin(2 * u + v) + 0.15 * cos(4 * v + u) + 0.1 * sin(4 * u) * cos(2 * v));
  return fabs(x[0] - 1.1 * rho * sin(u) * cos(v)) + fabs(x[1] - 1.0 * rho * sin(u) * sin(v)) +
         fabs(x[2] - 0.9 * rho * cos(u));
}

static const struct {
  const char *name;
  int64_t dim;
  double (*off)(const double *x, const double *q, int64_t p);
} spaces[] = {{"circle", 0, off_sphere},
              {"sphere", 0, off_sphere},
              {"sphere", 1, off_sphere},
              {"sphere", 3, off_sphere},
              {"sphere", 40, off_sphere},
              {"sphere", 1000, off_sphere},
              {"torus", 0, off_torus},
              {"flat-torus", 2, off_flat_torus},
              {"klein", 0, off_klein},
              {"flat-klein", 0, off_flat_klein},
              {"rp2", 0, off_rp2},
              {"mobius", 0, off_mobius},
              {"swiss-roll", 0, off_swiss_roll},
              {"distorted-sphere", 0, off_distorted}};
enum { SPACES = sizeof spaces / sizeof *spaces };

/* Runs check on a sample of each density that the shape has. */
static void each_density(int space, int64_t n,
                         void (*check)(int space, const char *density, const sample_t *s)) {
  int64_t p, d;
  const shape_t *shape = shape_find(spaces[space].name, spaces[space].dim, &p, &d, NULL);
  assert_non_null(shape);
  char list[64];
  snprintf(list, sizeof list, "%s", shape->about.densities);
  for (char *name = strtok(list, "|"); name; name = strtok(NULL, "|")) {
    sample_t s = draw(shape->about.name, n, spaces[space].dim, name, 0, 7);
    check(space, name, &s);
    release(&s);
  }
}

/* Points obey their equation, and parameters lead back to their points. */
static void check_equation(int space, const char *density, const sample_t *s) {
  (void)density;
  int64_t p, d;
  const shape_t *shape = shape_find(spaces[space].name, spaces[space].dim, &p, &d, NULL);
  double base[1001], again[1001], frame[SHAPE_P * SHAPE_D];
  for (int64_t i = 0; i < s->n; i++) {
    const double *x = s->x + i * p, *q = s->q + i * d;
    close_to(spaces[space].off(x, q, p), 0, 1e-12);
    for (int64_t k = 0; k < d; k++) {
      int64_t kind = shape->d ? k : k == d - 1;
      assert_true(q[k] >= shape->low[kind] && q[k] <= shape->high[kind]);
    }
    base_of(shape, d, q, base);
    if (shape->map)
      shape_place(shape, base, again, frame);
    else
      memcpy(again, base, (size_t)p * sizeof *base);
    for (int64_t j = 0; j < p; j++) close_to(again[j], x[j], 1e-13);
  }
}

static void points_obey_their_equations(void **state) {
  (void)state;
  for (int i = 0; i < SPACES; i++) each_density(i, spaces[i].dim > 100 ? 20 : 1000, check_equation);
}

/* --------------------------------------------------------------- frames */

static void check_orthonormal(int64_t p, int64_t d, const double *frame, double tolerance) {
  for (int64_t a = 0; a < d; a++)
    for (int64_t b = a; b < d; b++) {
      double dot = 0;
      for (int64_t j = 0; j < p; j++) dot += frame[j * d + a] * frame[j * d + b];
      close_to(dot, a == b, tolerance);
    }
}

/* The point of the base at distance h from base along coordinate (or tangent) a. */
static void step(const shape_t *shape, const double *base, int64_t a, double h, double *out) {
  memcpy(out, base, SHAPE_BASE * sizeof *out);
  if (shape->base == BASE_BOX) {
    out[a] += h;
    return;
  }
  double tangent[SHAPE_BASE * SHAPE_D];
  sphere_frame(base, shape->d, tangent);
  for (int64_t k = 0; k <= shape->d; k++) out[k] = cos(h) * base[k] + sin(h) * tangent[k * shape->d + a];
}

/* Frame and area element at `base` against central differences of the map. */
static void check_differences(const shape_t *shape, const double *base) {
  const double h = 1e-5;
  int64_t p = shape->p, d = shape->d;
  double x[SHAPE_P], frame[SHAPE_P * SHAPE_D], ahead[SHAPE_P], behind[SHAPE_P], unused[SHAPE_P * SHAPE_D];
  double there[SHAPE_BASE], slope[SHAPE_D][SHAPE_P], gram[SHAPE_D][SHAPE_D] = {{0}};
  double area = shape_place(shape, base, x, frame);
  check_orthonormal(p, d, frame, 4e-15);
  for (int64_t a = 0; a < d; a++) {
    step(shape, base, a, h, there);
    shape_place(shape, there, ahead, unused);
    step(shape, base, a, -h, there);
    shape_place(shape, there, behind, unused);
    double rest[SHAPE_P];
    for (int64_t j = 0; j < p; j++) rest[j] = slope[a][j] = (ahead[j] - behind[j]) / (2 * h);
    for (int64_t b = 0; b < d; b++) {
      double dot = 0;
      for (int64_t j = 0; j < p; j++) dot += frame[j * d + b] * slope[a][j];
      for (int64_t j = 0; j < p; j++) rest[j] -= dot * frame[j * d + b];
    }
    for (int64_t j = 0; j < p; j++) close_to(rest[j], 0, 1e-7);
  }
  for (int64_t a = 0; a < d; a++)
    for (int64_t b = 0; b < d; b++)
      for (int64_t j = 0; j < p; j++) gram[a][b] += slope[a][j] * slope[b][j];
  double square = d == 1 ? gram[0][0] : gram[0][0] * gram[1][1] - gram[0][1] * gram[0][1];
  close_to(area, sqrt(square), 1e-7 * area);
}

static void check_frames(int space, const char *density, const sample_t *s) {
  (void)density;
  int64_t p, d;
  const shape_t *shape = shape_find(spaces[space].name, spaces[space].dim, &p, &d, NULL);
  for (int64_t i = 0; i < s->n; i++) {
    const double *frame = s->frames + i * p * d;
    check_orthonormal(p, d, frame, 1e-14);
    if (shape->map) {
      double base[SHAPE_BASE] = {0}, x[SHAPE_P], again[SHAPE_P * SHAPE_D];
      base_of(shape, d, s->q + i * d, base);
      check_differences(shape, base);
      shape_place(shape, base, x, again);
      /* frames of the sphere jump where the first coordinate is 0: compare planes */
      for (int64_t a = 0; a < d; a++) {
        double inside = 0;
        for (int64_t b = 0; b < d; b++) {
          double dot = 0;
          for (int64_t j = 0; j < p; j++) dot += frame[j * d + a] * again[j * d + b];
          inside += dot * dot;
        }
        close_to(inside, 1, 1e-12);
      }
    } else
      for (int64_t a = 0; a < d; a++) {
        double dot = 0;
        for (int64_t j = 0; j < p; j++) dot += frame[j * d + a] * s->x[i * p + j];
        close_to(dot, 0, 1e-14);
      }
  }
}

static void frames_span_the_tangent_planes(void **state) {
  (void)state;
  for (int i = 0; i < SPACES; i++)
    if (spaces[i].dim <= 100) each_density(i, 500, check_frames);
}

static void frames_are_sound_at_the_poles(void **state) {
  (void)state;
  int64_t p, d;
  const char *const names[] = {"distorted-sphere", "rp2"};
  const double off[] = {0, 1e-300, 1e-12, 1e-4, 0.02, 0.05, 0.1, 0.2, 0.4};
  for (int k = 0; k < 2; k++) {
    const shape_t *shape = shape_find(names[k], 0, &p, &d, NULL);
    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
      for (int j = 0; j < 24; j++) {
        double v = j * TWO_PI / 24, z = (j % 2 ? -1 : 1) * cos(off[i]);
        check_differences(shape, (double[]){sin(off[i]) * cos(v), sin(off[i]) * sin(v), z});
        check_differences(shape, (double[]){z, sin(off[i]) * cos(v), sin(off[i]) * sin(v)});
      }
  }
}

static void area_elements_stay_below_their_bounds(void **state) {
  (void)state;
  for (int k = 0; k < lavdm_shape_count(); k++) {
    int64_t p, d;
    const shape_t *shape = shape_find(lavdm_shape_at(k)->name, 0, &p, &d, NULL);
    if (!(shape->area > 0)) continue;
    double most = 0, base[SHAPE_BASE], x[SHAPE_P], frame[SHAPE_P * SHAPE_D];
    for (int i = 0; i < 300; i++)
      for (int j = 0; j < 300; j++) {
        double at[2] = {(i + 0.5) / 300, j / 299.0}, q[2];
        for (int a = 0; a < 2; a++) q[a] = shape->low[a] + (shape->high[a] - shape->low[a]) * at[a];
        base_of(shape, d, q, base);
        most = fmax(most, shape_place(shape, base, x, frame));
      }
    assert_true(most <= shape->area * (1 + 1e-15));
    assert_true(most > 0.98 * shape->area);
  }
}

/* ------------------------------------------------- identities of the maps */

static void flat_maps_are_isometries(void **state) {
  (void)state;
  const char *const names[] = {"circle", "flat-torus", "flat-klein", "rp2"};
  random_t r = random_start(3, 0);
  for (int k = 0; k < 4; k++) {
    int64_t p, d;
    const shape_t *shape = shape_find(names[k], 0, &p, &d, NULL);
    for (int i = 0; i < 200; i++) {
      double q[2] = {PI * random_uniform(&r), TWO_PI * random_uniform(&r)}, base[3], x[SHAPE_P];
      double jacobian[SHAPE_P * SHAPE_BASE], tangent[SHAPE_BASE * SHAPE_D], columns[SHAPE_P * SHAPE_D];
      base_of(shape, d, q, base);
      shape->map(base, x, jacobian);
      memcpy(columns, jacobian, (size_t)(p * d) * sizeof *columns);
      if (shape->base == BASE_SPHERE) {
        sphere_frame(base, 2, tangent);
        for (int64_t j = 0; j < p; j++)
          for (int64_t a = 0; a < 2; a++)
            columns[j * 2 + a] = jacobian[j * 3] * tangent[a] + jacobian[j * 3 + 1] * tangent[2 + a] +
                                 jacobian[j * 3 + 2] * tangent[4 + a];
      }
      check_orthonormal(p, d, columns, 1e-14);
    }
  }
}

static void same_point(const char *name, const double *one, const double *two, int same) {
  int64_t p, d;
  const shape_t *shape = shape_find(name, 0, &p, &d, NULL);
  double x[SHAPE_P], y[SHAPE_P], frame[SHAPE_P * SHAPE_D], off = 0;
  shape_place(shape, one, x, frame);
  shape_place(shape, two, y, frame);
  for (int64_t j = 0; j < p; j++) off = fmax(off, fabs(x[j] - y[j]));
  assert_true(same ? off < 1e-14 : off > 0.01);
}

static void points_are_identified_as_they_should(void **state) {
  (void)state;
  random_t r = random_start(4, 0);
  for (int i = 0; i < 100; i++) {
    double u = TWO_PI * random_uniform(&r), v = TWO_PI * random_uniform(&r), s = random_uniform(&r) - 0.5;
    same_point("klein", (double[]){u + TWO_PI, v}, (double[]){u, PI - v}, 1);
    same_point("flat-klein", (double[]){u + PI, v}, (double[]){u, -v}, 1);
    same_point("mobius", (double[]){u + TWO_PI, s}, (double[]){u, -s}, 1);
    double z = cos(u), h = sin(u);
    same_point("rp2", (double[]){h * cos(v), h * sin(v), z}, (double[]){-h * cos(v), -h * sin(v), -z}, 1);
  }
  same_point("klein", (double[]){PI / 2, PI / 6}, (double[]){PI / 2, 5 * PI / 6}, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_obey_their_equations),
      cmocka_unit_test(frames_span_the_tangent_planes),
      cmocka_unit_test(frames_are_sound_at_the_poles),
      cmocka_unit_test(area_elements_stay_below_their_bounds),
      cmocka_unit_test(flat_maps_are_isometries),
      cmocka_unit_test(points_are_identified_as_they_should),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
