#include "rewired.h"
#include "lavdm/projections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double two_pi = 6.283185307179586476925;

/* splitmix64 */
static uint64_t next_bits(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static double next_uniform(uint64_t *state) {
  return (double)(next_bits(state) >> 11) * 0x1p-53;
}

void rewired_free(rewired_graph *graph) {
  free(graph->rotations), free(graph->row), free(graph->col), free(graph->angle), free(graph->weight);
  *graph = (rewired_graph){0};
}

static double cosine(const double *rotations, int64_t i, int64_t j) {
  const double *a = rotations + 9 * i + 2, *b = rotations + 9 * j + 2;
  return a[0] * b[0] + a[3] * b[3] + a[6] * b[6];
}

static int descending(const void *x, const void *y) {
  double a = *(const double *)x, b = *(const double *)y;
  return (a < b) - (a > b);
}

/* The cosine of the k-th nearest direction of each node. */
static int find_reach(const double *rotations, int64_t n, int64_t k, double *reach) {
  int failed = 0;
#pragma omp parallel
  {
    double *c = malloc((size_t)n * sizeof *c);
    if (!c) {
#pragma omp atomic write
      failed = 1;
    }
#pragma omp for schedule(static)
    for (int64_t i = 0; i < n; i++) {
      int64_t near = 0;
      double least = cos(fmin(sqrt(8. * (double)k / (double)n), 3.14)); /* twice the area that holds k */
      for (int64_t j = 0; j < n && c; j++) {
        double value = cosine(rotations, i, j);
        if (j != i && value > least) c[near++] = value;
      }
      if (c) qsort(c, (size_t)near, sizeof *c, descending);
      reach[i] = c && near >= k ? c[k - 1] : -2;
    }
    free(c);
  }
  return !failed;
}

int rewired_new(int64_t n, int64_t k, double keep, uint64_t seed, rewired_graph *out) {
  size_t most = (size_t)(n * k);
  double *reach = malloc((size_t)n * sizeof *reach);
  *out = (rewired_graph){n,
                         0,
                         malloc(9 * (size_t)n * sizeof(double)),
                         malloc(most * sizeof(int64_t)),
                         malloc(most * sizeof(int64_t)),
                         malloc(most * sizeof(double)),
                         malloc(most * sizeof(double))};
  int done = reach && out->rotations && out->row && out->col && out->angle && out->weight;
  done =
      done && lavdm_rotations(n, seed, out->rotations, NULL) >= 0 && find_reach(out->rotations, n, k, reach);
  for (int64_t i = 0; i < n && done; i++)
    for (int64_t j = i + 1; j < n; j++) {
      double c = cosine(out->rotations, i, j);
      if (c < reach[i] && c < reach[j]) continue;
      out->row[out->count] = i, out->col[out->count++] = j;
    }
  done = done && lavdm_rotation_pairs(out->rotations, n, out->row, out->col, NULL, out->count, NULL,
                                      out->angle, NULL) >= 0;
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (int64_t e = 0; e < out->count && done; e++) {
    out->weight[e] = 1;
    if (next_uniform(&state) < keep) continue;
    do out->col[e] = (int64_t)(next_uniform(&state) * (double)n);
    while (out->col[e] == out->row[e]);
    out->angle[e] = two_pi * next_uniform(&state);
  }
  free(reach);
  if (!done) rewired_free(out);
  return done;
}

double rewired_share(const rewired_graph *graph, const int64_t *index, int64_t width, int64_t first,
                     double degrees) {
  int64_t within = 0;
  double least = cos(degrees * two_pi / 360);
  for (int64_t i = 0; i < graph->n; i++)
    for (int64_t k = 0; k < first; k++) {
      int64_t j = index[i * width + k];
      within += j >= 0 && cosine(graph->rotations, i, j) >= least;
    }
  return (double)within / (double)(graph->n * first);
}

/* N = D^-1/2 S D^-1/2 / edge, rows one after the other: complex entries. */
typedef struct {
  int64_t n;
  int64_t *start;
  int32_t *col;
  float *value; /* 2 each */
} matrix_t;

static void matrix_free(matrix_t *a) {
  free(a->start), free(a->col), free(a->value);
}

static int matrix_new(const rewired_graph *g, matrix_t *a) {
  int64_t n = g->n;
  *a = (matrix_t){n, calloc((size_t)n + 2, sizeof(int64_t)), malloc(2 * (size_t)g->count * sizeof(int32_t)),
                  malloc(4 * (size_t)g->count * sizeof(float))};
  if (!a->start || !a->col || !a->value) return 0;
  int64_t *fill = a->start + 1;
  for (int64_t e = 0; e < g->count; e++) fill[g->row[e] + 1]++, fill[g->col[e] + 1]++;
  for (int64_t i = 0; i < n; i++) fill[i + 1] += fill[i];
  double *degree = calloc(2 * (size_t)n, sizeof *degree), *square = degree + n;
  if (!degree) return 0;
  for (int64_t e = 0; e < 2 * g->count; e++) {
    int64_t i = e % 2 ? g->col[e / 2] : g->row[e / 2];
    degree[i] += g->weight[e / 2], square[i] += g->weight[e / 2] * g->weight[e / 2];
  }
  double all = 0, squares = 0;
  for (int64_t i = 0; i < n; i++) all += degree[i], squares += square[i];
  double edge = 2 * sqrt(squares * (double)n) / all;
  for (int64_t e = 0; e < 2 * g->count; e++) {
    int64_t k = e / 2, i = e % 2 ? g->col[k] : g->row[k], j = e % 2 ? g->row[k] : g->col[k];
    double size = g->weight[k] / (edge * sqrt(degree[i] * degree[j])), sign = e % 2 ? -1 : 1;
    int64_t at = fill[i]++;
    a->col[at] = (int32_t)j;
    a->value[2 * at] = (float)(size * cos(g->angle[k]));
    a->value[2 * at + 1] = (float)(sign * size * sin(g->angle[k]));
  }
  free(degree);
  return 1;
}

/* out = scale N x + shift y + back z, m complex columns. */
static void multiply(const matrix_t *a, int64_t m, float scale, const float *x, float shift, const float *y,
                     float back, const float *z, float *out) {
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t i = 0; i < a->n; i++) {
    float *to = out + 2 * i * m;
    const float *own = y + 2 * i * m, *old = z + 2 * i * m;
    for (int64_t k = 0; k < 2 * m; k++) to[k] = shift * own[k] + back * old[k];
    for (int64_t at = a->start[i]; at < a->start[i + 1]; at++) {
      const float *from = x + 2 * a->col[at] * m;
      float re = scale * a->value[2 * at], im = scale * a->value[2 * at + 1];
      for (int64_t k = 0; k < m; k++) {
        to[2 * k] += re * from[2 * k] - im * from[2 * k + 1];
        to[2 * k + 1] += re * from[2 * k + 1] + im * from[2 * k];
      }
    }
  }
}

static void swap(float **x, float **y) {
  float *z = *x;
  *x = *y, *y = z;
}

/* m different nodes, in the order they are drawn. */
static int draw(int64_t n, int64_t m, uint64_t seed, int64_t *landmarks) {
  char *taken = calloc((size_t)n, 1);
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 2;
  if (!taken) return 0;
  for (int64_t k = 0; k < m;) {
    int64_t i = (int64_t)(next_uniform(&state) * (double)n);
    if (!taken[i]) landmarks[k++] = i, taken[i] = 1;
  }
  free(taken);
  return 1;
}

int rewired_diffuse(const rewired_graph *graph, int64_t m, int steps, uint64_t seed, int64_t *landmarks,
                    int64_t *row, int64_t *col, double *weight, double *angle) {
  const float low = -1.02f, high = 0.95f, c = (high + low) / 2, h = (high - low) / 2;
  int64_t n = graph->n;
  matrix_t matrix = {0};
  size_t size = 2 * (size_t)(n * m);
  float *x = calloc(size, sizeof *x), *y = calloc(size, sizeof *y), *z = malloc(size * sizeof *z);
  int done = x && y && z && draw(n, m, seed, landmarks) && matrix_new(graph, &matrix);
  for (int64_t k = 0; k < m && done; k++) x[2 * (landmarks[k] * m + k)] = 1;
  if (done) multiply(&matrix, m, 1 / h, x, -c / h, x, 0, x, y);
  for (int step = 2; step <= steps && done; step++) { /* x = T_(step-2), y = T_(step-1) */
    multiply(&matrix, m, 2 / h, y, -2 * c / h, y, -1, x, z);
    swap(&x, &y), swap(&y, &z);
  }
  for (int64_t k = 0; k < n * m && done; k++) {
    row[k] = k / m, col[k] = k % m;
    weight[k] = hypot(y[2 * k], y[2 * k + 1]);
    angle[k] = atan2(y[2 * k + 1], y[2 * k]);
  }
  free(x), free(y), free(z);
  matrix_free(&matrix);
  return done;
}
