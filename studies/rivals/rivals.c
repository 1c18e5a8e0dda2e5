/*
 * Landmark diffusion beside its rivals at equal m: prints docs/rivals.md.
 *
 * Points on the unit sphere S2, in the first 3 of 20 coordinates, with Gaussian noise of
 * standard deviation sigma in each. The truth is exact: the six slowest tangent fields of
 * S2 are the gradients of the coordinates and their quarter turns, the three slowest
 * functions the coordinates themselves. The error of a method is that of its leading
 * eigenspace: sqrt(1 - mean squared cosine), 0 if it is the true one, about 1 if it has
 * nothing to do with it.
 */
#include "lavdm/sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { P = 20, REPEATS = 3, GRID = 7 };

static double *numbers(int64_t count) {
  double *x = calloc((size_t)count, sizeof *x);
  if (!x) fprintf(stderr, "out of memory\n"), exit(1);
  return x;
}

static double dot(const double *a, const double *b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Orthonormal rows by two rounds of Gram-Schmidt. */
static void orthonormalise(double *a, int rows, int64_t n) {
  for (int i = 0; i < rows; i++) {
    for (int round = 0; round < 2; round++)
      for (int j = 0; j < i; j++) {
        double c = dot(a + i * n, a + j * n, n);
        for (int64_t k = 0; k < n; k++) a[i * n + k] -= c * a[j * n + k];
      }
    double norm = sqrt(dot(a + i * n, a + i * n, n));
    for (int64_t k = 0; k < n; k++) a[i * n + k] /= norm;
  }
}

/* 1 less the mean squared cosine between the spans of the rows, and its root. */
static double span_error(double *a, double *truth, int rows, int64_t n) {
  double sum = 0;
  orthonormalise(a, rows, n);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++) sum += pow(dot(a + i * n, truth + j * n, n), 2);
  return sqrt(fmax(0, 1 - sum / rows));
}

typedef struct {
  int64_t n;
  double *clean, *x; /* n x 3, n x P */
  double *fields;    /* 6 x (n P): the true tangent fields, orthonormal */
  double *functions; /* 3 x n */
} problem_t;

static problem_t make_problem(int64_t n, double sigma) {
  problem_t a = {n, numbers(n * 3), numbers(n * P), numbers(6 * n * P), numbers(3 * n)};
  double *noise = numbers(n * P);
  lavdm_error error;
  if (lavdm_sample("sphere", n, 2, NULL, 0, 1, a.clean, NULL, NULL, &error) < 0) exit(1);
  uint64_t state = 88172645463325252u;
  for (int64_t i = 0; i < n * P; i++) { /* sums of twelve are close enough to normal */
    for (int k = 0; k < 12; k++) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      noise[i] += (double)(state >> 11) / 9007199254740992.0 - 0.5;
    }
    a.x[i] = sigma * noise[i] + (i % P < 3 ? a.clean[i / P * 3 + i % P] : 0);
  }
  for (int64_t i = 0; i < n; i++) {
    const double *s = a.clean + 3 * i;
    for (int j = 0; j < 3; j++) {
      a.functions[j * n + i] = s[j];
      for (int c = 0; c < 3; c++) { /* e_j - s_j s, and s x e_j */
        a.fields[(j * n + i) * P + c] = (c == j) - s[j] * s[c];
        double sign = (c + 1) % 3 == j ? -1 : (c + 2) % 3 == j ? 1 : 0;
        a.fields[((3 + j) * n + i) * P + c] = c == j ? 0 : sign * s[3 - c - j];
      }
    }
  }
  orthonormalise(a.fields, 6, n * P);
  orthonormalise(a.functions, 3, n);
  free(noise);
  return a;
}

static void free_problem(problem_t *a) {
  free(a->clean), free(a->x), free(a->fields), free(a->functions);
}

static double model_error(const problem_t *a, const lavdm_model *model, int fields) {
  int64_t n = a->n, rows = fields ? 6 : 3, width = fields ? n * P : n,
          r = lavdm_info(model)->chosen->components;
  double *u = numbers(rows * width), *all = numbers(n * (fields ? P : 1) * r);
  lavdm_error error;
  int status = fields ? lavdm_ambient(model, all, &error) : lavdm_coordinates(model, 0, r, all, &error);
  for (int64_t l = 0; l < rows; l++)
    for (int64_t i = 0; i < width; i++) u[l * width + i] = all[i * r + l + (fields ? 0 : 1)];
  double found = status < 0 ? NAN : span_error(u, fields ? a->fields : a->functions, (int)rows, width);
  free(u), free(all);
  return found;
}

typedef struct {
  double error, best, seconds, epsilon;
} outcome_t;

/* The error at epsilon = auto and its time, and the least over a grid around it. */
static outcome_t try_method(const problem_t *a, lavdm_method method, int fields, int64_t m,
                            lavdm_edge_rule edges) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method;
  o.bundle = fields ? LAVDM_BUNDLE_TANGENT : LAVDM_BUNDLE_TRIVIAL;
  o.components = fields ? 6 : 4;
  o.dim = 2, o.knn = 50, o.edges = edges;
  if (m) o.landmarks = m;
  lavdm_data data = {.points = a->x, .n = a->n, .p = P};
  outcome_t out = {NAN, INFINITY, INFINITY, NAN};
  lavdm_error error;
  for (int g = 0; g < GRID + REPEATS; g++) {
    lavdm_model *model;
    o.epsilon = g < REPEATS ? LAVDM_AUTO : out.epsilon * pow(2, 0.5 * (g - REPEATS - GRID / 2));
    if (lavdm_fit(&data, &o, &model, &error) < 0) continue;
    double found = model_error(a, model, fields);
    if (g < REPEATS) {
      out.epsilon = lavdm_info(model)->chosen->epsilon, out.error = found;
      out.seconds = fmin(out.seconds, lavdm_info(model)->seconds);
    }
    out.best = fmin(out.best, found);
    lavdm_free(model);
  }
  return out;
}

static void print_row(const char *name, int64_t m, const outcome_t *out, int count) {
  char size[32] = "all points";
  if (m) snprintf(size, sizeof size, "%lld", (long long)m);
  printf("| %s | %s |", name, size);
  for (int i = 0; i < count; i++) printf(" %.3f (%.3f) |", out[i].error, out[i].best);
  printf(" %.2f |\n", out[0].seconds);
  fflush(stdout);
}

static void table(const problem_t *problems, const double *sigma, int count, int fields) {
  static const int64_t sizes[] = {50, 100, 200, 400, 800};
  printf("| method | landmarks |");
  for (int i = 0; i < count; i++) printf(" sigma %g |", sigma[i]);
  printf(" seconds |\n|---|---:|");
  for (int i = 0; i <= count; i++) printf("---:|");
  printf("\n");
  outcome_t out[8];
  for (int i = 0; i < count; i++)
    out[i] =
        try_method(&problems[i], fields ? LAVDM_METHOD_VDM : LAVDM_METHOD_DM, fields, 0, LAVDM_EDGES_KNN);
  print_row(fields ? "vdm, 50 nearest" : "dm, 50 nearest", 0, out, count);
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    for (int i = 0; i < count; i++)
      out[i] = try_method(&problems[i], LAVDM_METHOD_LAVDM, fields, sizes[s], LAVDM_EDGES_AUTO);
    print_row(fields ? "lavdm" : "lavdm, trivial", sizes[s], out, count);
    for (int i = 0; i < count; i++)
      out[i] = try_method(&problems[i], LAVDM_METHOD_NYSTROM, fields, sizes[s], LAVDM_EDGES_AUTO);
    print_row(fields ? "nystrom" : "nystrom, trivial", sizes[s], out, count);
  }
  printf("\n");
}

int main(int argc, char **argv) {
  int64_t n = argc > 1 ? atoll(argv[1]) : 3000;
  const double sigma[] = {0, 0.01, 0.02, 0.05};
  enum { COUNT = sizeof sigma / sizeof *sigma };
  problem_t problems[COUNT];
  if (n < 1000) return fprintf(stderr, "usage: lavdm_rivals [POINTS, at least 1000]\n"), 2;
  for (int i = 0; i < COUNT; i++) problems[i] = make_problem(n, sigma[i]);
  printf(
      "# Landmark diffusion and its rivals at equal m\n\n"
      "Written by `make study NAME=rivals` (`studies/rivals/rivals.c`).\n\n"
      "%lld points on S2 in the first 3 of %d coordinates, with noise of standard deviation sigma in every\n"
      "coordinate. Landmarks by k-means, knn 50 (frames, and the k-NN graph), dim 2. The error is that of\n"
      "the leading eigenspace against the exact one, sqrt(1 - mean squared cosine): 0 at best, about 1 at\n"
      "worst. First at epsilon = auto; in brackets the least over %d bandwidths from auto/2.8 to auto*2.8,\n"
      "which only one who knows the truth could choose. Seconds: the fit at sigma = 0, the least of %d.\n\n"
      "## Six slowest tangent fields\n\n",
      (long long)n, P, GRID, REPEATS);
  table(problems, sigma, COUNT, 1);
  printf("## Three slowest functions\n\n");
  table(problems, sigma, COUNT, 0);
  for (int i = 0; i < COUNT; i++) free_problem(&problems[i]);
  return 0;
}
