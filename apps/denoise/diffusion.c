/*
 * Neighbours by vector diffusion distance: the graph of points and landmarks, LA-VDM on it, and of the
 * SHORTLIST * most nearest by vector diffusion distance, among points with a landmark in common, those
 * that are nearest by rotation-invariant distance, with the turn that attains it.
 */
#include "denoise/turned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMPONENTS = 24, SHORTLIST = 3, SHARED = 6 };

typedef struct {
  int64_t *row, *col;
  double *weight, *element;
  int64_t count;
} graph;

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The median of squared distances to the nearest landmarks: eps. */
static double bandwidth(const points *b, double *scratch) {
  int64_t count = 0;
  for (int64_t e = 0; e < b->n * b->k; e++)
    if (b->near[e] >= 0) scratch[count++] = b->distance[e] * b->distance[e];
  if (!count) return 1;
  qsort(scratch, (size_t)count, sizeof *scratch, compare);
  return scratch[count / 2] > 0 ? scratch[count / 2] : 1;
}

/* Edges (point, landmark), weight exp(-d^2/eps), and the angle that turns the landmark to the point. */
static bool graph_make(const points *b, graph *g) {
  const int64_t room = b->n * b->k + b->m;
  g->row = take(room, sizeof *g->row);
  g->col = take(room, sizeof *g->col);
  g->weight = take(room, sizeof *g->weight);
  g->element = take(room, sizeof *g->element);
  if (!g->row || !g->col || !g->weight || !g->element) return false;
  const double eps = bandwidth(b, g->weight);
  for (int64_t e = 0; e < b->n * b->k; e++) {
    if (b->near[e] < 0) continue;
    g->row[g->count] = e / b->k;
    g->col[g->count] = landmark_number(b, b->near[e]);
    g->element[g->count] = b->angle[e];
    g->weight[g->count++] = fmax(exp(-b->distance[e] * b->distance[e] / eps), 1e-12);
  }
  for (int64_t l = 0; l < b->m; l++) {
    g->row[g->count] = b->landmark[l];
    g->col[g->count] = l;
    g->element[g->count] = 0;
    g->weight[g->count++] = 1;
  }
  return true;
}

static void graph_free(graph *g) {
  free(g->row);
  free(g->col);
  free(g->weight);
  free(g->element);
}

/* Of the `some` points found for each, the `most` nearest by rotation-invariant distance, and their angles.
 */
static int keep_nearest(const points *b, int64_t some, const int64_t *found, int64_t most, int64_t *chosen,
                        double *angle, lavdm_error *error) {
  int64_t *own = take(some * b->n, sizeof *own), *other = take(some * b->n, sizeof *other), count = 0;
  double *turn = take(some * b->n, sizeof *turn), *distance = take(some * b->n, sizeof *distance);
  double *best = take(most, sizeof *best);
  int status = own && other && turn && distance && best ? LAVDM_OK : say_memory(error, "the turns");
  if (status >= 0) {
    for (int64_t e = 0; e < b->n * some; e++)
      if (found[e] >= 0) {
        own[count] = e / some;
        other[count++] = found[e];
      }
    status = lavdm_stack_pairs(b->stack, own, other, count, distance, turn, NULL, error);
  }
  for (int64_t i = 0, e = 0; i < b->n && status >= 0; i++) {
    const int64_t from = e;
    while (e < count && own[e] == i) e++;
    nearest_of(other + from, distance + from, turn + from, e - from, most, chosen + i * most,
               angle + i * most, best);
  }
  free(own);
  free(other);
  free(turn);
  free(distance);
  free(best);
  return status;
}

static int fit(const job *j, const points *b, lavdm_model **model, lavdm_error *error) {
  graph g = {0};
  int status = graph_make(b, &g) ? LAVDM_OK : say_memory(error, "the graph of patches and landmarks");
  if (status >= 0) {
    lavdm_edges edges = {.count = g.count,
                         .row = g.row,
                         .col = g.col,
                         .weight = g.weight,
                         .element = g.element,
                         .kind = LAVDM_ELEMENT_ANGLE};
    lavdm_data data = {.n = b->n, .edges = &edges};
    lavdm_options o;
    lavdm_options_default(&o);
    o.method = LAVDM_METHOD_LAVDM;
    o.bundle = LAVDM_BUNDLE_GIVEN;
    o.components = COMPONENTS < 2 * b->m ? COMPONENTS : 2 * b->m;
    o.threads = j->threads;
    o.seed = j->o.seed;
    status = lavdm_fit(&data, &o, model, error);
  }
  graph_free(&g);
  return status;
}

static int by_diffusion(const points *b, const void *user, const int64_t *i, const int64_t *j, int64_t count,
                        double *distance, double *angle, lavdm_error *error) {
  const lavdm_model *model = user;
  (void)b;
  memset(angle, 0, (size_t)count * sizeof *angle);
  return lavdm_pairs(model, 1, lavdm_info(model)->chosen->components, i, j, count, distance, NULL, error);
}

int choose_diffusion(const job *j, const points *b, int64_t most, int64_t *chosen, double *angle,
                     lavdm_error *error) {
  const int64_t some = SHORTLIST * most;
  int64_t *found = take(b->n * some, sizeof *found);
  double *unused = take(b->n * some, sizeof *unused);
  lavdm_model *model = NULL;
  int status = found && unused ? LAVDM_OK : say_memory(error, "the neighbours by diffusion");
  if (status >= 0) status = fit(j, b, &model, error);
  if (status >= 0) status = choose_nearest(j, b, SHARED, by_diffusion, model, some, found, unused, error);
  if (status >= 0) status = keep_nearest(b, some, found, most, chosen, angle, error);
  free(found);
  free(unused);
  lavdm_free(model);
  return status;
}
