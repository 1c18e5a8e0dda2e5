/*
 * The graph-only test: neighbours re-selected from a graph of rotations most of whose edges are
 * random. Prints one line of JSON for each probability and method.
 *
 * usage: lavdm_average_graph [N [K [COMPONENTS [LANDMARKS [all|dm|vdm|lavdm [SEED]]]]]]
 *
 * The rule is the same for every probability: the harmonics of degree 1 to 7 on the sphere
 * (63 complex eigenvectors, 126 real ones; for DM the 63 after the constant), weighted by the
 * square of their eigenvalues (t = 2; with landmarks t = 0, since the edges have come along many
 * steps already), each node's row scaled to unit length, neighbours by the greatest size of the
 * inner product. In the second round edges are weighed by max(0, agreement)^2 (select.h).
 */
#include "average/select.h"
#include "rewired.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WIDE = 150, NARROW = 50, STEPS = 20, FEW_STEPS = 4 };

static const double keeps[] = {0.2, 0.15, 0.1};

typedef struct {
  int64_t n, k, components, landmarks;
} sizes_t;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void report(const rewired_graph *g, double keep, const char *method, int64_t m, const int64_t *index,
                   const double *seconds) {
  printf("{\"keep\": %g, \"method\": \"%s\", \"n\": %lld, \"m\": %lld, \"edges\": %lld, \"share50\": %.4f, "
         "\"share150\": %.4f, \"seconds\": {\"edges\": %.2f, \"fit\": %.2f, \"select\": %.2f}}\n",
         keep, method, (long long)g->n, (long long)m, (long long)g->count,
         rewired_share(g, index, WIDE, NARROW, 10), rewired_share(g, index, WIDE, WIDE, 10), seconds[0],
         seconds[1], seconds[2]);
  fflush(stdout);
}

/* Weights for another round: max(0, agreement)^2, and a little for every edge. */
static void weigh(rewired_graph *g, const select_space *space) {
  select_agreement(space, g->row, g->col, g->angle, NULL, g->count, g->weight);
  for (int64_t e = 0; e < g->count; e++)
    g->weight[e] = 1e-3 + (g->weight[e] > 0 ? g->weight[e] * g->weight[e] : 0);
}

/* Fits the edges, selects, reports; the weights of the graph become those of the next round. */
static int measure(rewired_graph *g, double keep, const char *name, lavdm_method method,
                   const lavdm_edges *edges, const sizes_t *sizes, double edge_seconds) {
  lavdm_options options;
  lavdm_error error;
  lavdm_model *model = NULL;
  select_space space = {0};
  bool landmarks = method == LAVDM_METHOD_LAVDM, scalar = method == LAVDM_METHOD_DM;
  lavdm_options_default(&options);
  options.method = method;
  options.bundle = LAVDM_BUNDLE_GIVEN;
  options.alpha = 0;
  if (landmarks) options.beta = 0;
  options.tolerance = 1e-3;
  options.components = scalar ? sizes->components + 1 : 2 * sizes->components;
  lavdm_data data = {.edges = edges, .n = g->n, .landmark_count = landmarks ? sizes->landmarks : 0};
  double seconds[3] = {edge_seconds, now(), 0};
  int status = lavdm_fit(&data, &options, &model, &error);
  seconds[1] = now() - seconds[1], seconds[2] = now();
  if (status >= 0)
    status = select_space_new(model, landmarks ? 0 : 2, scalar, options.components - scalar, &space, &error);
  size_t count = (size_t)g->n * WIDE;
  int64_t *index = malloc(count * sizeof *index);
  double *affinity = malloc(count * sizeof *affinity), *angle = malloc(count * sizeof *angle);
  if (status >= 0 && index && affinity && angle)
    status = select_nearest(&space, NULL, g->n, WIDE, NULL, index, affinity, angle, NULL, &error);
  seconds[2] = now() - seconds[2];
  if (status < 0)
    fprintf(stderr, "%s: %s\n", name, error.message);
  else
    report(g, keep, name, landmarks ? sizes->landmarks : g->n, index, seconds);
  if (status >= 0 && !scalar) weigh(g, &space);
  free(index), free(affinity), free(angle);
  select_space_free(&space);
  lavdm_free(model);
  return status;
}

static int measure_vdm(rewired_graph *g, double keep, const char *name, const sizes_t *sizes) {
  lavdm_edges edges = {.count = g->count,
                       .row = g->row,
                       .col = g->col,
                       .weight = g->weight,
                       .element = g->angle,
                       .kind = LAVDM_ELEMENT_ANGLE,
                       .q = 2};
  return measure(g, keep, name, LAVDM_METHOD_VDM, &edges, sizes, 0);
}

static int measure_landmarks(rewired_graph *g, double keep, const char *name, int steps,
                             const sizes_t *sizes) {
  int64_t m = sizes->landmarks;
  size_t count = (size_t)(g->n * m);
  int64_t *row = malloc(count * sizeof *row), *col = malloc(count * sizeof *col);
  int64_t *chosen = malloc((size_t)m * sizeof *chosen);
  double *weight = malloc(count * sizeof *weight), *angle = malloc(count * sizeof *angle), began = now();
  int status = -1;
  if (row && col && weight && angle && chosen &&
      rewired_diffuse(g, m, steps, 1, chosen, row, col, weight, angle)) {
    lavdm_edges edges = {.count = (int64_t)count,
                         .row = row,
                         .col = col,
                         .weight = weight,
                         .element = angle,
                         .kind = LAVDM_ELEMENT_ANGLE,
                         .q = 2};
    status = measure(g, keep, name, LAVDM_METHOD_LAVDM, &edges, sizes, now() - began);
  }
  free(row), free(col), free(weight), free(angle), free(chosen);
  return status;
}

static bool wanted(const char *only, const char *method) {
  return !only || !strcmp(only, "all") || !strcmp(only, method);
}

/* `only`: one method, or NULL. */
static int measure_all(double keep, const sizes_t *sizes, const char *only, uint64_t seed) {
  rewired_graph g;
  if (!rewired_new(sizes->n, sizes->k, keep, seed, &g)) return fprintf(stderr, "out of memory\n"), -1;
  lavdm_edges plain = {.count = g.count,
                       .row = g.row,
                       .col = g.col,
                       .weight = NULL,
                       .element = NULL,
                       .kind = LAVDM_ELEMENT_NONE,
                       .q = 1};
  int status = 0;
  if (wanted(only, "dm")) status = measure(&g, keep, "dm", LAVDM_METHOD_DM, &plain, sizes, 0);
  for (int64_t e = 0; e < g.count; e++) g.weight[e] = 1;
  for (int round = 0; round < 2 && status >= 0 && wanted(only, "vdm"); round++)
    status = measure_vdm(&g, keep, round ? "vdm, second round" : "vdm", sizes);
  for (int64_t e = 0; e < g.count; e++) g.weight[e] = 1;
  for (int round = 0; round < 2 && status >= 0 && wanted(only, "lavdm"); round++)
    status = measure_landmarks(&g, keep, round ? "lavdm, second round" : "lavdm", round ? FEW_STEPS : STEPS,
                               sizes);
  rewired_free(&g);
  return status;
}

int main(int argc, char **argv) {
  sizes_t sizes = {10000, 150, 63, 500};
  int64_t *const size[] = {&sizes.n, &sizes.k, &sizes.components, &sizes.landmarks};
  for (int k = 1; k < argc && k <= 4; k++) *size[k - 1] = atoll(argv[k]);
  for (size_t k = 0; k < sizeof keeps / sizeof *keeps; k++)
    if (measure_all(keeps[k], &sizes, argc > 5 ? argv[5] : NULL, argc > 6 ? (uint64_t)atoll(argv[6]) : 1) < 0)
      return 1;
  return 0;
}
