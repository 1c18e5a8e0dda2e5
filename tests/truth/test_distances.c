/*
 * Distances and alignments on S2 against their closed form. The connection
 * Laplacian has 6 fields of eigenvalue 1, gradients of linear functions and
 * these turned by a right angle, and 10 of eigenvalue 5, from quadratic ones.
 * With S(x,y) the sum over whole eigenspaces of lambda^(2t) u(x) u(y)',
 *
 *     d^2(x,y) = |S(x,x)|^2 + |S(y,y)|^2 - 2 |S(x,y)|^2
 *
 * depends on the angle alone, and S(x,y) is K times parallel transport. Without
 * a connection: spherical harmonics, 1, 3 and 5 of them, and diffusion distance
 * d^2(x,y) = S(x,x) + S(y,y) - 2 S(x,y).
 */
#include "oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { N = 3000, PAIRS = 4000 };

/* Orthonormal harmonics of degree 2 are c x'Ax for these A (traceless, tr AB = delta). */
static void quadratic(int k, double a[9]) {
  const double s = M_SQRT1_2;
  static const int at[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  memset(a, 0, sizeof(double[9]));
  if (k < 3)
    a[at[k][0] * 3 + at[k][1]] = a[at[k][1] * 3 + at[k][0]] = s;
  else if (k == 3)
    a[0] = s, a[4] = -s;
  else
    a[0] = a[4] = 1 / sqrt(6), a[8] = -2 / sqrt(6);
}

/* The k-th orthonormal harmonic of degree l (k <= 2 l) at x: value, and gradient of unit norm in L2. */
static double harmonic(int l, int k, const double x[3], double gradient[3]) {
  double a[9], ax[3] = {0}, value = 0;
  memset(gradient, 0, sizeof(double[3]));
  if (l == 0) return sqrt(1 / (4 * M_PI));
  if (l == 1) {
    double c = sqrt(3 / (4 * M_PI));
    for (int i = 0; i < 3; i++) gradient[i] = c * ((i == k) - x[k] * x[i]) / sqrt(2);
    return c * x[k];
  }
  quadratic(k, a);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) ax[i] += a[i * 3 + j] * x[j];
  for (int i = 0; i < 3; i++) value += x[i] * ax[i];
  double c = sqrt(15 / (8 * M_PI));
  for (int i = 0; i < 3; i++) gradient[i] = 2 * c * (ax[i] - value * x[i]) / sqrt(6);
  return c * value;
}

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* s (3 x 3) = S(x,y) in space over degrees up to `most`, weight[l] being lambda^(2t); its squared size.
 * Without fields S is a number, s[0]. */
static double kernel(bool fields, int most, const double *weight, const double *x, const double *y,
                     double *s) {
  double sum = 0, size = 0, gx[3], gy[3], turned_x[3], turned_y[3];
  memset(s, 0, sizeof(double[9]));
  for (int l = fields ? 1 : 0; l <= most; l++)
    for (int k = 0; k <= 2 * l; k++) {
      sum += weight[l] * harmonic(l, k, x, gx) * harmonic(l, k, y, gy);
      cross(x, gx, turned_x);
      cross(y, gy, turned_y);
      for (int e = 0; e < 9; e++)
        s[e] += weight[l] * (gx[e / 3] * gy[e % 3] + turned_x[e / 3] * turned_y[e % 3]);
    }
  for (int e = 0; e < 9; e++) size += s[e] * s[e];
  if (!fields) s[0] = sum;
  return fields ? size : sum * sum;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static const double *sorted_by;
static int by_value(const void *a, const void *b) {
  return ascending(sorted_by + *(const int64_t *)a, sorted_by + *(const int64_t *)b);
}

static void ranks(const double *x, int64_t count, double *out) {
  static int64_t order[PAIRS];
  for (int64_t i = 0; i < count; i++) order[i] = i;
  sorted_by = x;
  qsort(order, (size_t)count, sizeof *order, by_value);
  for (int64_t i = 0; i < count; i++) out[order[i]] = (double)i;
}

/* Over the pairs whose true distance is below 95% of the largest: the rest of the
 * closed form is flat, and order there is noise. */
static double spearman(const double *found, const double *truth, double *share) {
  static double x[PAIRS], y[PAIRS], a[PAIRS], b[PAIRS];
  double sum = 0, most = 0;
  int64_t count = 0;
  for (int64_t i = 0; i < PAIRS; i++) most = fmax(most, truth[i]);
  for (int64_t i = 0; i < PAIRS; i++)
    if (truth[i] < 0.95 * most) x[count] = found[i], y[count++] = truth[i];
  ranks(x, count, a);
  ranks(y, count, b);
  for (int64_t i = 0; i < count; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  *share = (double)count / PAIRS;
  return 1 - 6 * sum / ((double)count * ((double)count * (double)count - 1));
}

/* The median of |found / (scale truth) - 1|, scale the median ratio, and the 95th percentile. */
static double relative_error(const double *found, const double *truth, double *large) {
  static double ratio[PAIRS];
  for (int64_t i = 0; i < PAIRS; i++) ratio[i] = found[i] / truth[i];
  qsort(ratio, PAIRS, sizeof *ratio, ascending);
  double scale = ratio[PAIRS / 2];
  for (int64_t i = 0; i < PAIRS; i++) ratio[i] = fabs(found[i] / (scale * truth[i]) - 1);
  qsort(ratio, PAIRS, sizeof *ratio, ascending);
  *large = ratio[PAIRS * 95 / 100];
  return ratio[PAIRS / 2];
}

/* Mean eigenvalues of the eigenspaces of degree up to `most`, to the power 2t. */
static void weights(const lavdm_model *model, bool fields, int most, double t, double *weight) {
  const double *lambda = lavdm_info(model)->eigenvalues;
  for (int l = fields ? 1 : 0; l <= most; l++) {
    int size = (2 * l + 1) * (fields ? 2 : 1);
    weight[l] = 0;
    for (int i = 0; i < size; i++) weight[l] += lambda[i] / size;
    lambda += size;
    weight[l] = pow(weight[l], 2 * t);
  }
}

/* Points that are evenly spread. */
static void spiral(int64_t count, double *x) {
  for (int64_t i = 0; i < count; i++) {
    double z = 1 - (2 * (double)i + 1) / (double)count, angle = M_PI * (3 - sqrt(5)) * (double)i;
    x[3 * i] = sqrt(1 - z * z) * cos(angle);
    x[3 * i + 1] = sqrt(1 - z * z) * sin(angle);
    x[3 * i + 2] = z;
  }
}

/* Points and landmarks of two spirals, or random ones and those of k-means. */
static lavdm_model *sphere(lavdm_method method, bool random, double *x) {
  enum { LANDMARKS = 600 };
  static double z[3 * LANDMARKS];
  lavdm_options o;
  lavdm_options_default(&o);
  bool square = method == LAVDM_METHOD_VDM || method == LAVDM_METHOD_DM;
  o.method = method, o.dim = 2, o.components = 17, o.edges = LAVDM_EDGES_BALL;
  o.epsilon = square ? 0.2 : 0.1, o.landmarks = LANDMARKS;
  lavdm_data data = {.points = x, .n = N, .p = 3};
  if (random) {
    assert_int_equal(lavdm_sample("sphere", N, 2, NULL, 0, 5, x, NULL, NULL, NULL), 0);
  } else {
    spiral(N, x);
    spiral(LANDMARKS, z);
  }
  if (!random && !square) {
    o.design = LAVDM_DESIGN_GIVEN;
    data.landmark_points = z;
    data.landmark_count = LANDMARKS;
  }
  return fit_or_fail(&data, &o);
}

static void random_pairs(int64_t *i, int64_t *j) {
  uint64_t state = 8;
  for (int64_t e = 0; e < 2 * PAIRS; e++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    (e % 2 ? j : i)[e / 2] = (int64_t)(state >> 33) % N;
  }
  for (int64_t e = 0; e < PAIRS; e++) j[e] += i[e] == j[e] ? (i[e] ? -1 : 1) : 0;
}

static void true_distances(bool fields, bool diffusion, int most, const double *weight, const double *x,
                           const int64_t *i, const int64_t *j, double *out) {
  for (int64_t e = 0; e < PAIRS; e++) {
    const double *p[2] = {x + 3 * i[e], x + 3 * j[e]};
    double size[3], s[3][9];
    for (int k = 0; k < 3; k++) size[k] = kernel(fields, most, weight, p[k == 1], p[k > 0], s[k]);
    out[e] = diffusion ? sqrt(s[0][0] + s[1][0] - 2 * s[2][0]) : sqrt(size[0] + size[1] - 2 * size[2]);
  }
}

static void check_distances(const lavdm_model *model, const char *name, bool fields, bool diffusion,
                            bool random, const double *x, const int64_t *i, const int64_t *j) {
  static double found[PAIRS], truth[PAIRS];
  for (int most = 1; most <= 2; most++)
    for (double t = 0.5; t < 5; t *= 4) {
      int rank = fields ? most == 1 ? 6 : 16 : most == 1 ? 4 : 9;
      double weight[3], large, share;
      weights(model, fields, most, t, weight);
      int status = diffusion ? lavdm_diffusion_pairs(model, t, rank, i, j, PAIRS, found, NULL, NULL)
                             : lavdm_pairs(model, t, rank, i, j, PAIRS, found, NULL, NULL);
      assert_int_equal(status, 0);
      true_distances(fields, diffusion, most, weight, x, i, j, truth);
      double correlation = spearman(found, truth, &share), error = relative_error(found, truth, &large);
      print_message(
          "%s%s, rank %d, time %g: rank correlation %.5f of %.2f, relative error %.4f (95%%: %.4f)\n", name,
          diffusion ? " (diffusion)" : "", rank, t, correlation, share, error, large);
      assert_true(share > 0.2 && correlation > (!random ? 0.9999 : fields && most == 1 ? 0.99 : 0.95));
      assert_true(error < (random ? 0.03 : 0.001) && large < (random ? 0.1 : 0.003));
    }
}

/* Parallel transport of w from y to x on the unit sphere. */
static void transport(const double *x, const double *y, const double *w, double *out) {
  double cosine = 0, along = 0;
  for (int a = 0; a < 3; a++) cosine += x[a] * y[a], along += x[a] * w[a];
  for (int a = 0; a < 3; a++) out[a] = w[a] - along / (1 + cosine) * (x[a] + y[a]);
}

/* How far B_i O B_j' is from `sign` times transport, at worst over the frame at j. */
static double turned_by(const double *b, const double *x, int64_t i, int64_t j, const double *o,
                        double sign) {
  double worst = 0;
  for (int c = 0; c < 2; c++) {
    double w[3], truth[3], gap = 0;
    for (int a = 0; a < 3; a++) w[a] = b[(j * 3 + a) * 2 + c];
    transport(x + i * 3, x + j * 3, w, truth);
    for (int a = 0; a < 3; a++)
      gap += pow(b[(i * 3 + a) * 2] * o[c] + b[(i * 3 + a) * 2 + 1] * o[2 + c] - sign * truth[a], 2);
    worst = fmax(worst, sqrt(gap));
  }
  return worst;
}

/* Pairs at any angle where K is not near zero; beyond its first zero the element is minus the transport. */
static void check_alignments(const lavdm_model *model, const char *name, bool random, const double *x,
                             const int64_t *i, const int64_t *j) {
  static double alignment[PAIRS * 4], error[PAIRS];
  const double *b = lavdm_get(model, "frames")->data;
  for (int most = 1; most <= 2; most++) {
    double weight[3], s[9];
    int64_t count = 0, opposite = 0;
    weights(model, true, most, 0, weight);
    assert_int_equal(lavdm_pairs(model, 0, most == 1 ? 6 : 16, i, j, PAIRS, NULL, alignment, NULL), 0);
    for (int64_t e = 0; e < PAIRS; e++) {
      const double *p = x + 3 * i[e], *r = x + 3 * j[e];
      double size = sqrt(kernel(true, most, weight, p, p, s)),
             cosine = p[0] * r[0] + p[1] * r[1] + p[2] * r[2];
      /* K sign: of <transport of w, S w> for w across the great circle, which transport leaves alone */
      double across[3], k = 0, own = sqrt(kernel(true, most, weight, p, r, s));
      cross(p, r, across);
      for (int a = 0; a < 9; a++) k += across[a / 3] * s[a] * across[a % 3];
      if (own < 0.15 * size || cosine < -0.9) continue;
      opposite += k < 0;
      error[count++] = turned_by(b, x, i[e], j[e], alignment + e * 4, k < 0 ? -1 : 1);
    }
    qsort(error, (size_t)count, sizeof *error, ascending);
    print_message("%s, rank %d: %d of %d pairs, %d beyond a zero, off by %.4f (99%%: %.4f)\n", name,
                  most == 1 ? 6 : 16, (int)count, PAIRS, (int)opposite, error[count / 2],
                  error[count * 99 / 100]);
    assert_true(count > PAIRS / 4 && (opposite > 50) == (most == 2));
    assert_true(error[count / 2] < (random ? 0.1 : 0.01) && error[count * 99 / 100] < (random ? 0.3 : 0.03));
  }
}

static void test_sphere(void **state) {
  (void)state;
  static double x[3 * N];
  static int64_t i[PAIRS], j[PAIRS];
  const struct {
    lavdm_method method;
    const char *name;
    bool fields;
  } kinds[] = {{LAVDM_METHOD_VDM, "vdm", true},
               {LAVDM_METHOD_LAVDM, "lavdm", true},
               {LAVDM_METHOD_DM, "dm", false},
               {LAVDM_METHOD_ROSELAND, "roseland", false}};
  random_pairs(i, j);
  for (int k = 0; k < 7; k++) { /* roseland leaves the density of random points in */
    bool random = k >= 4, fields = kinds[k % 4].fields;
    lavdm_model *model = sphere(kinds[k % 4].method, random, x);
    print_message("%s points\n", random ? "random" : "spiral");
    check_distances(model, kinds[k % 4].name, fields, false, random, x, i, j);
    if (!fields) check_distances(model, kinds[k % 4].name, fields, true, random, x, i, j);
    if (fields) check_alignments(model, kinds[k % 4].name, random, x, i, j);
    lavdm_free(model);
  }
}

/* The closed form itself: distances by angle alone, and K of degree 1 is 3/(4 pi) (1 + cos) / 2. */
static void test_closed_form(void **state) {
  (void)state;
  const double weight[] = {1, 1, 1}, pole[] = {0, 0, 1};
  double s[9];
  for (double angle = 0; angle < 3; angle += 0.25) {
    const double c = cos(angle), y[] = {sin(angle), 0, c}, other[] = {0.6 * sin(angle), 0.8 * sin(angle), c};
    double one = 3 / (4 * M_PI) * (1 + c) / 2, two = 5 / (4 * M_PI) * (1 + c) * (2 * c - 1) / 2;
    assert_true(fabs(kernel(true, 1, weight, pole, y, s) - 2 * one * one) < 1e-14);
    assert_true(fabs(kernel(true, 2, weight, pole, y, s) - 2 * (one + two) * (one + two)) < 1e-14);
    assert_true(fabs(kernel(true, 2, weight, pole, y, s) - kernel(true, 2, weight, other, pole, s)) < 1e-14);
    double legendre = (1 + 3 * c + 5 * (3 * c * c - 1) / 2) / (4 * M_PI);
    assert_true(fabs(kernel(false, 2, weight, pole, y, s) - legendre * legendre) < 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closed_form),
      cmocka_unit_test(test_sphere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
