#include "sample/shapes.h"
#include "sample/sphere.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void map_circle(const double *q, double *x, double *jacobian) {
  x[0] = cos(q[0]);
  x[1] = sin(q[0]);
  jacobian[0] = -x[1];
  jacobian[1] = x[0];
}

/* ((2 + cos v) cos u, (2 + cos v) sin u, sin v), area element 2 + cos v */
static void map_torus(const double *q, double *x, double *jacobian) {
  double cu = cos(q[0]), su = sin(q[0]), cv = cos(q[1]), sv = sin(q[1]), r = 2 + cv;
  double point[3] = {r * cu, r * su, sv};
  double slope[3][2] = {{-r * su, -sv * cu}, {r * cu, -sv * su}, {0, cv}};
  memcpy(x, point, sizeof point);
  memcpy(jacobian, slope, sizeof slope);
}

static void map_flat_torus(const double *q, double *x, double *jacobian) {
  double cu = cos(q[0]), su = sin(q[0]), cv = cos(q[1]), sv = sin(q[1]);
  double point[4] = {cu, su, cv, sv};
  double slope[4][2] = {{-su, 0}, {cu, 0}, {0, -sv}, {0, cv}};
  memcpy(x, point, sizeof point);
  memcpy(jacobian, slope, sizeof slope);
}

/*
 * The paper's Klein bottle with `+` in y, without which it meets itself:
 *   (x, y) = R rotation(u/2) (cos v, sin 2v),  (z, w) = P (1 + g sin v) (cos u, sin u),
 * R = 2, P = 1, g = 0.1; (u + 2 pi, v) ~ (u, pi - v).
 *
 * Its area element depends on v alone, and its square E G - F^2 is a
 * trigonometric polynomial of degree <= 8 in v, so that it nowhere exceeds its
 * maximum over N equispaced points by more than the factor 1 / cos(8 pi / N).
 */
static void map_klein(const double *q, double *x, double *jacobian) {
  const double R = 2, P = 1, g = 0.1;
  double ch = cos(q[0] / 2), sh = sin(q[0] / 2), cu = cos(q[0]), su = sin(q[0]);
  double cv = cos(q[1]), sv = sin(q[1]), s2 = sin(2 * q[1]), c2 = cos(2 * q[1]);
  double h = P * (1 + g * sv), dh = P * g * cv;
  double point[4] = {R * (ch * cv - sh * s2), R * (sh * cv + ch * s2), h * cu, h * su};
  double slope[4][2] = {{-point[1] / 2, R * (-ch * sv - 2 * sh * c2)},
                        {point[0] / 2, R * (-sh * sv + 2 * ch * c2)},
                        {-h * su, dh * cu},
                        {h * cu, dh * su}};
  memcpy(x, point, sizeof point);
  memcpy(jacobian, slope, sizeof slope);
}

/* Metric dx^2 + dy^2; (x + pi, y) ~ (x, -y). */
static void map_flat_klein(const double *q, double *x, double *jacobian) {
  const double k = 0.86602540378443864676; /* sqrt(3) / 2 */
  double cx = cos(q[0]), sx = sin(q[0]), c2 = cos(2 * q[0]), s2 = sin(2 * q[0]);
  double cy = cos(q[1]), sy = sin(q[1]);
  double point[5] = {cy * c2 / 2, cy * s2 / 2, sy * cx, sy * sx, k * cy};
  double slope[5][2] = {{-cy * s2, -sy * c2 / 2},
                        {cy * c2, -sy * s2 / 2},
                        {-sy * sx, cy * cx},
                        {sy * cx, cy * sx},
                        {0, -k * sy}};
  memcpy(x, point, sizeof point);
  memcpy(jacobian, slope, sizeof slope);
}

/* v v' / sqrt 2 by its six entries, those off the diagonal times sqrt 2, so
 * that lengths are those of the matrices: an isometry of the sphere modulo -1. */
static void map_rp2(const double *v, double *x, double *jacobian) {
  const double h = 0.70710678118654752440;
  double point[6] = {h * v[0] * v[0], h * v[1] * v[1], h * v[2] * v[2],
                     v[0] * v[1],     v[0] * v[2],     v[1] * v[2]};
  double slope[6][3] = {{2 * h * v[0], 0, 0}, {0, 2 * h * v[1], 0}, {0, 0, 2 * h * v[2]},
                        {v[1], v[0], 0},      {v[2], 0, v[0]},      {0, v[2], v[1]}};
  memcpy(x, point, sizeof point);
  memcpy(jacobian, slope, sizeof slope);
}

/* r = 1 + s cos(u/2): (r cos u, r sin u, s sin(u/2)), area element sqrt(r^2 + s^2/4) */
static void map_mobius(const double *q, double *x, double *jacobian) {
  double cu = cos(q[0]), su = sin(q[0]), ch = cos(q[0] / 2), sh = sin(q[0] / 2), s = q[1];
  double r = 1 + s * ch, dr = -s * sh / 2;
  double point[3] = {r * cu, r * su, s * sh};
  double slope[3][2] = {{dr * cu - r * su, ch * cu}, {dr * su + r * cu, ch * su}, {s * ch / 2, sh}};
  memcpy(x, point, sizeof point);
  memcpy(jacobian, slope, sizeof slope);
}

/* (t cos t, h, t sin t), area element sqrt(1 + t^2) */
static void map_swiss_roll(const double *q, double *x, double *jacobian) {
  double t = q[0], c = cos(t), s = sin(t);
  double point[3] = {t * c, q[1], t * s};
  double slope[3][2] = {{c - t * s, 0}, {0, 1}, {s + t * c, 0}};
  memcpy(x, point, sizeof point);
  memcpy(jacobian, slope, sizeof slope);
}

/*
 * The paper's rho(u,v) = 1 + w(u) s(u,v) at a point x of S^2 with polar angle
 * u and longitude v, where
 *   s = 0.2 sin(2u + v) + 0.15 cos(4v + u) + 0.1 sin(4u) cos(2v),
 *   w = exp(-k) (sin u)^4.4,  k = u^-2.6 (pi - u)^-2.2,
 * and its gradient on the sphere, rho_u e_u + rho_v / sin u e_v. At the poles
 * w and all its derivatives vanish.
 */
static double distortion(const double *x, double *gradient) {
  double su = hypot(x[0], x[1]), u = atan2(su, x[2]), v = atan2(x[1], x[0]);
  double k = pow(u, -2.6) * pow(PI - u, -2.2), w = exp(-k) * pow(su, 4.4);
  memset(gradient, 0, 3 * sizeof *gradient);
  if (!(w > 0)) return 1;

  double s1 = sin(2 * u + v), c1 = cos(2 * u + v), s2 = sin(4 * v + u), c2 = cos(4 * v + u);
  double s3 = sin(4 * u), c3 = cos(4 * u), s4 = sin(2 * v), c4 = cos(2 * v);
  double s = 0.2 * s1 + 0.15 * c2 + 0.1 * s3 * c4;
  double s_u = 0.4 * c1 - 0.15 * s2 + 0.4 * c3 * c4;
  double s_v = 0.2 * c1 - 0.6 * s2 - 0.2 * s3 * s4;
  double w_u = w * (k * (2.6 / u - 2.2 / (PI - u)) + 4.4 * x[2] / su);

  double along_u = w_u * s + w * s_u, along_v = w * s_v / su, cv = x[0] / su, sv = x[1] / su;
  gradient[0] = along_u * x[2] * cv - along_v * sv;
  gradient[1] = along_u * x[2] * sv + along_v * cv;
  gradient[2] = -along_u * su;
  return 1 + w * s;
}

/* x -> diag(1.1, 1, 0.9) rho(x) x; derivative diag(...) (rho I + x grad') */
static void map_distorted_sphere(const double *v, double *x, double *jacobian) {
  static const double axis[3] = {1.1, 1.0, 0.9};
  double gradient[3], rho = distortion(v, gradient);
  for (int i = 0; i < 3; i++) {
    x[i] = axis[i] * rho * v[i];
    for (int j = 0; j < 3; j++) jacobian[i * 3 + j] = axis[i] * (rho * (i == j) + v[i] * gradient[j]);
  }
}

/*
 * Bounds `area` of the area element, where they are not its exact maximum:
 *   klein             4.93836... over 2^20 values of v; see map_klein
 *   distorted-sphere  1.739669 by a search refined to rounding, 1.739641 to
 *                     1.739668 over grids from 500 x 1000 to 4000 x 8000 (u,v)
 */
/*
 * cos t + cos(2t + s)/2 + sin(3t)/3 at t = 2 pi j/p - theta, over sqrt(p/2): periodic
 * signals, of which theta is a shift. The area element is constant.
 */
static void map_signals(const double *q, double *x, double *jacobian) {
  const double scale = sqrt(2. / SHAPE_P);
  for (int j = 0; j < SHAPE_P; j++) {
    double t = TWO_PI * j / SHAPE_P - q[0], second = 2 * t + q[1];
    x[j] = scale * (cos(t) + cos(second) / 2 + sin(3 * t) / 3);
    jacobian[2 * j] = scale * (sin(t) + sin(second) - cos(3 * t));
    jacobian[2 * j + 1] = -scale * sin(second) / 2;
  }
}

static const shape_t shapes[] = {
    {.about = {"circle", "uniform|parameter|bump", "unit circle in R^2; parameter: the angle"},
     .p = 2,
     .d = 1,
     .high = {TWO_PI},
     .map = map_circle,
     .reach = 1},
    {.about = {"sphere", "uniform|parameter|acg|bump",
               "unit sphere S^d in R^(d+1), d = 2 unless given; parameters: angles"},
     .base = BASE_SPHERE,
     .high = {PI, TWO_PI},
     .reach = 1},
    {.about = {"torus", "uniform|parameter|bump",
               "torus of radii 2 and 1 in R^3; parameters: angle about the axis, angle of the tube"},
     .p = 3,
     .d = 2,
     .high = {TWO_PI, TWO_PI},
     .map = map_torus,
     .area = 3,
     .reach = 3},
    {.about = {"flat-torus", "uniform|parameter|bump",
               "product of two unit circles in R^4; parameters: their angles"},
     .p = 4,
     .d = 2,
     .high = {TWO_PI, TWO_PI},
     .map = map_flat_torus,
     .reach = 1},
    {.about = {"klein", "uniform|parameter",
               "Klein bottle of the LA-VDM paper (with + in y) in R^4; parameters: u, v"},
     .p = 4,
     .d = 2,
     .high = {TWO_PI, TWO_PI},
     .map = map_klein,
     .area = 4.94},
    {.about = {"flat-klein", "uniform|parameter", "flat Klein bottle in R^5; parameters: x in [0, pi), y"},
     .p = 5,
     .d = 2,
     .high = {PI, TWO_PI},
     .map = map_flat_klein},
    {.about = {"rp2", "uniform|parameter",
               "projective plane v v'/sqrt(2), |v| = 1, in R^6; parameters: angles of v, upper half"},
     .p = 6,
     .d = 2,
     .base = BASE_SPHERE,
     .high = {PI / 2, TWO_PI},
     .map = map_rp2},
    {.about = {"mobius", "uniform|parameter",
               "Moebius band of radius 1 and width 1 in R^3; parameters: angle, distance from the core"},
     .p = 3,
     .d = 2,
     .low = {0, -0.5},
     .high = {TWO_PI, 0.5},
     .map = map_mobius,
     .area = 1.5207}, /* sqrt(1.5^2 + 0.25^2) = 1.52069... at u = 0, s = 1/2 */
    {.about = {"swiss-roll", "uniform|parameter",
               "Swiss roll in R^3; parameters: angle 3pi/2 .. 9pi/2, height 0 .. 21"},
     .p = 3,
     .d = 2,
     .low = {1.5 * PI, 0},
     .high = {4.5 * PI, 21},
     .map = map_swiss_roll,
     .area = 14.173}, /* sqrt(1 + (9 pi / 2)^2) = 14.1724... at the rim */
    {.about = {"distorted-sphere", "uniform|parameter|acg",
               "asymmetric sphere of the LA-VDM paper in R^3; parameters: u, v"},
     .p = 3,
     .d = 2,
     .base = BASE_SPHERE,
     .high = {PI, TWO_PI},
     .map = map_distorted_sphere,
     .area = 1.75},
    {.about = {"signals", "uniform|parameter",
               "periodic signals of 32 samples, a torus; parameters: the shift, the phase of a harmonic"},
     .p = SHAPE_P,
     .d = 2,
     .high = {TWO_PI, TWO_PI},
     .map = map_signals},
};

enum { SHAPES = sizeof shapes / sizeof *shapes, MAX_DIM = 1000 };

int lavdm_shape_count(void) {
  return SHAPES;
}

const lavdm_shape *lavdm_shape_at(int i) {
  return i >= 0 && i < SHAPES ? &shapes[i].about : NULL;
}

static const shape_t *by_name(const char *name, lavdm_error *error) {
  char list[256] = "";
  for (int i = 0; i < SHAPES; i++) {
    if (name && !strcmp(name, shapes[i].about.name)) return &shapes[i];
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", shapes[i].about.name);
  }
  fail(error, LAVDM_ERROR_ARGUMENT, "there is no shape '%s'; choose one of %s", name ? name : "", list);
  return NULL;
}

const shape_t *shape_find(const char *name, int64_t dim, int64_t *p, int64_t *d, lavdm_error *error) {
  const shape_t *shape = by_name(name, error);
  if (!shape) return NULL;
  if (shape->d && dim && dim != shape->d) {
    fail(error, LAVDM_ERROR_ARGUMENT, "%s has dimension %lld, not %lld; only sphere can have another", name,
         (long long)shape->d, (long long)dim);
    return NULL;
  }
  if (!shape->d && (dim < 0 || dim > MAX_DIM)) {
    fail(error, LAVDM_ERROR_ARGUMENT, "the dimension of a sphere must be 1 to %d (0 for 2), not %lld",
         MAX_DIM, (long long)dim);
    return NULL;
  }
  *d = shape->d ? shape->d : dim ? dim : 2;
  *p = shape->p ? shape->p : *d + 1;
  return shape;
}

int lavdm_shape_size(const char *shape, int64_t dim, int64_t *p, int64_t *d, lavdm_error *error) {
  int64_t space, manifold;
  if (!shape_find(shape, dim, &space, &manifold, error)) return LAVDM_ERROR_ARGUMENT;
  if (p) *p = space;
  if (d) *d = manifold;
  return LAVDM_OK;
}
