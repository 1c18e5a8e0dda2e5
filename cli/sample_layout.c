/*
 * Layouts of graphs. The first four have nodes anywhere; those after them are like the pose graphs that
 * people publish, with a way from each node to the next:
 *
 *     trajectory   three laps of a winding road, joined at every fiftieth node: few loops
 *     sphere       a spiral from pole to pole, each node joined to that one turn on
 *     torus        the same around a ring
 *     city         a walk on streets with right-angled turns; joined where it was before
 *     garage       up six floors of a helix, joined to the next but one, and at every third node to the floor
 * below
 */
#include "sample_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const layout_names[LAYOUTS] = {"random", "grid",  "ring", "tree",  "trajectory",
                                           "sphere", "torus", "city", "garage"};

enum { LAPS = 3, FLOORS = 6, RARE = 50, OFTEN = 3 };

bool layout_placed(layout_kind layout) {
  return layout >= LAYOUT_TRAJECTORY;
}

bool layout_needs_space(layout_kind layout) {
  return layout == LAYOUT_SPHERE || layout == LAYOUT_TORUS;
}

int64_t layout_most(const graph *g) {
  if (g->layout == LAYOUT_GARAGE) return 3 * g->n;
  if (g->layout == LAYOUT_GRID || layout_placed(g->layout)) return 2 * g->n;
  return g->n * ((g->degree + 1) / 2 + 1);
}

static void add_edge(graph *g, int64_t i, int64_t k) {
  g->row[g->count] = i;
  g->col[g->count++] = k;
}

static int64_t side_of(const graph *g) {
  return (int64_t)ceil(sqrt((double)g->n));
}

/* Nodes of a turn: of the spiral, or of a lap or floor. */
static int64_t turn_of(const graph *g) {
  int64_t turns = g->layout == LAYOUT_TRAJECTORY ? LAPS : g->layout == LAYOUT_GARAGE ? FLOORS : 0;
  int64_t turn = turns ? (g->n + turns - 1) / turns : side_of(g);
  return turn > 3 ? turn : 3;
}

/* ------------------------------------------------------------ anywhere */

/* Random graphs are joined by a random tree, so that they are connected. */
static void draw_anywhere(graph *g, lavdm_random *r) {
  int64_t n = g->n, side = side_of(g);
  for (int64_t i = 0; i < n && g->poses; i++)
    g->position[i * g->dim] = (double)(i % side), g->position[i * g->dim + 1] = (double)(i / side);
  if (g->layout == LAYOUT_RING)
    for (int64_t i = 0; i < n; i++)
      for (int64_t step = 1; step <= (g->degree + 1) / 2 && step < n; step++) add_edge(g, i, (i + step) % n);
  for (int64_t i = 0; i < n && g->layout == LAYOUT_GRID; i++) {
    if ((i + 1) % side && i + 1 < n) add_edge(g, i, i + 1);
    if (i + side < n) add_edge(g, i, i + side);
  }
  if (g->layout == LAYOUT_GRID || g->layout == LAYOUT_RING) return;
  for (int64_t i = 1; i < n; i++) add_edge(g, i, lavdm_random_below(r, i));
  while (g->layout == LAYOUT_RANDOM && 2 * g->count < n * g->degree) {
    int64_t i = lavdm_random_below(r, n), k = lavdm_random_below(r, n);
    if (i != k) add_edge(g, i, k);
  }
}

/* --------------------------------------------------------------- turns */

static void join_turns(graph *g) {
  int64_t n = g->n, turn = turn_of(g);
  for (int64_t i = 0; i < n; i++) {
    bool joined = g->layout == LAYOUT_TRAJECTORY ? i % RARE == 0
                  : g->layout == LAYOUT_GARAGE   ? i % OFTEN == 0
                                                 : true;
    if (i + 1 < n) add_edge(g, i, i + 1);
    if (g->layout == LAYOUT_GARAGE && i + 2 < n) add_edge(g, i, i + 2);
    if (joined && i + turn < n) add_edge(g, i, i + turn);
  }
}

/* Where node i is, and what is up there; real i, for the way between nodes. Steps are about 1 long. */
static void place_turning(const graph *g, double i, double p[3], double up[3]) {
  double turn = (double)turn_of(g), phase = 2 * M_PI * i / turn, radius = turn / (2 * M_PI);
  memcpy(up, (double[]){0, 0, 1}, 3 * sizeof *up);
  if (g->layout == LAYOUT_TRAJECTORY) {
    radius *= 0.7 * (1 + 0.25 * sin(3 * phase) + 0.15 * cos(5 * phase)) + 0.02 * i / turn;
    memcpy(p, (double[]){radius * cos(phase), radius * sin(phase), 0.02 * radius * sin(2 * phase)},
           3 * sizeof *p);
  } else if (g->layout == LAYOUT_GARAGE) {
    memcpy(p, (double[]){radius * cos(phase), radius * sin(phase), 3 * i / turn}, 3 * sizeof *p);
  } else if (g->layout == LAYOUT_SPHERE) {
    double theta = M_PI * (i + 0.5) / (double)g->n;
    memcpy(up, (double[]){sin(theta) * cos(phase), sin(theta) * sin(phase), cos(theta)}, 3 * sizeof *up);
    for (int k = 0; k < 3; k++) p[k] = radius * up[k];
  } else {
    double around = 2 * M_PI * i / (double)g->n, far = 3 * radius;
    memcpy(up, (double[]){cos(phase) * cos(around), cos(phase) * sin(around), sin(phase)}, 3 * sizeof *up);
    for (int k = 0; k < 3; k++) p[k] = radius * up[k];
    p[0] += far * cos(around), p[1] += far * sin(around);
  }
}

static void unit(double v[3]) {
  double norm = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int k = 0; k < 3; k++) v[k] /= norm;
}

static void cross(const double *a, const double *b, double *c) {
  for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* w x y z of the rotation whose rows are a, b, c: the largest of four ways, for the row of 4 x x'. */
static void quaternion_of_rows(const double *a, const double *b, const double *c, double *x) {
  double norm = 0;
  const double row[4][4] = {
      {1 + a[0] + b[1] + c[2], c[1] - b[2], a[2] - c[0], b[0] - a[1]},
      {c[1] - b[2], 1 + a[0] - b[1] - c[2], a[1] + b[0], a[2] + c[0]},
      {a[2] - c[0], a[1] + b[0], 1 - a[0] + b[1] - c[2], b[2] + c[1]},
      {b[0] - a[1], a[2] + c[0], b[2] + c[1], 1 - a[0] - b[1] + c[2]},
  };
  int best = 0;
  for (int k = 1; k < 4; k++)
    if (row[k][k] > row[best][best]) best = k;
  for (int k = 0; k < 4; k++) norm += row[best][k] * row[best][k];
  for (int k = 0; k < 4; k++) x[k] = row[best][k] / sqrt(norm);
}

/* R of a node that looks along `ahead`: its rows are ahead, left and up. */
static void look_along(const graph *g, double ahead[3], double up[3], double *element) {
  double left[3];
  if (g->dim == 2) {
    element[0] = -atan2(ahead[1], ahead[0]);
    return;
  }
  unit(ahead);
  cross(up, ahead, left);
  unit(left);
  cross(ahead, left, up);
  quaternion_of_rows(ahead, left, up, element);
}

static void place_turns(graph *g) {
  for (int64_t i = 0; i < g->n; i++) {
    double before[3], after[3], up[3];
    place_turning(g, (double)i - 0.01, before, up);
    place_turning(g, (double)i + 0.01, after, up);
    for (int k = 0; k < 3; k++) after[k] -= before[k];
    double p[3];
    place_turning(g, (double)i, p, up);
    memcpy(g->position + i * g->dim, p, (size_t)g->dim * sizeof *p);
    look_along(g, after, up, g->truth + i * graph_width(g));
  }
}

/* ---------------------------------------------------------------- city */

/* A walk on side x side crossings: it turns where it must, and at one of four. */
static bool draw_city(graph *g, lavdm_random *r) {
  static const int way[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  int64_t side = (int64_t)ceil(sqrt((double)g->n / 2)) + 1, x = 0, y = 0, heading = 0;
  int64_t *last = calloc((size_t)(side * side), sizeof *last); /* 1 + the node that was there */
  if (!last) return false;
  for (int64_t i = 0; i < g->n; i++) {
    int64_t *here = &last[y * side + x];
    if (i) add_edge(g, i - 1, i);
    if (*here && *here - 1 < i - 2) add_edge(g, *here - 1, i);
    *here = i + 1;
    if (lavdm_random_uniform(r) < 0.25) heading += lavdm_random_uniform(r) < 0.5 ? 1 : 3;
    while (x + way[heading % 4][0] < 0 || x + way[heading % 4][0] >= side || y + way[heading % 4][1] < 0 ||
           y + way[heading % 4][1] >= side)
      heading += lavdm_random_uniform(r) < 0.5 ? 1 : 3;
    heading %= 4;
    const int *step = way[heading];
    if (g->poses) {
      g->position[i * g->dim] = (double)x, g->position[i * g->dim + 1] = (double)y;
      look_along(g, (double[]){step[0], step[1], 0}, (double[]){0, 0, 1}, g->truth + i * graph_width(g));
    }
    x += step[0], y += step[1];
  }
  free(last);
  return true;
}

bool layout_draw(graph *g, lavdm_random *r) {
  if (g->layout == LAYOUT_CITY) return draw_city(g, r);
  if (!layout_placed(g->layout)) {
    draw_anywhere(g, r);
    return true;
  }
  join_turns(g);
  if (g->poses) place_turns(g);
  return true;
}
