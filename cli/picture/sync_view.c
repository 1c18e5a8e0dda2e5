/*
 * Nodes lie at their positions, if there are some; else where two slow eigenvectors of the random walk on the
 * graph put them (of its largest component), which brings nodes near that have edges.
 */
#include "picture/sync_view.h"
#include "base/command.h"
#include "picture/clouds.h"
#include "picture/histogram.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EDGES = 20000, STEPS = 300, MANY = 1000000 };

typedef struct {
  const int64_t *edge, *component; /* edges x 2, numbers of nodes as given; n */
  const double *residual, *trust;  /* of the edges */
  const char *unit;
  int64_t n, edges, *end; /* end (edges x 2, owned): the same as rows, or -1 */
  double *x;              /* n x dims, owned */
  int dims;
  bool placed;
} sync_t;

bool sync_view_is(const result_t *r) {
  const io_array *edges = result_find(r, "edges", IO_INTEGER, 2),
                 *residuals = result_find(r, "residuals", IO_REAL, 1);
  return edges && residuals && edges->shape[1] == 2 && io_array_count(residuals) == edges->shape[0] &&
         result_find(r, "nodes", IO_INTEGER, 1) && result_find(r, "gaps", IO_REAL, 1);
}

typedef struct {
  int64_t number, row;
} named;

static int by_number(const void *a, const void *b) {
  int64_t x = ((const named *)a)->number, y = ((const named *)b)->number;
  return (x > y) - (x < y);
}

/* Rows of the nodes that the edges name. */
static int find_ends(sync_t *s, const int64_t *nodes, lavdm_error *error) {
  named *list = malloc((size_t)s->n * sizeof *list + 1);
  s->end = malloc((size_t)(2 * s->edges) * sizeof *s->end + 1);
  if (!list || !s->end) {
    free(list);
    return no_room(error);
  }
  for (int64_t i = 0; i < s->n; i++) list[i] = (named){nodes[i], i};
  qsort(list, (size_t)s->n, sizeof *list, by_number);
  for (int64_t k = 0; k < 2 * s->edges; k++) {
    named key = {s->edge[k], 0}, *found = bsearch(&key, list, (size_t)s->n, sizeof *list, by_number);
    s->end[k] = found ? found->row : -1;
  }
  free(list);
  return LAVDM_OK;
}

/* y = (1 + D^-1 A)/2 x on the largest component, without its mean by degree and without `other`; of unit
 * size. */
static void walk(const sync_t *s, const double *degree, const double *x, const double *other, double *y) {
  double mass = 0, mean = 0, dot = 0, size = 0;
  for (int64_t i = 0; i < s->n; i++) y[i] = 0;
  for (int64_t k = 0; k < s->edges; k++) {
    int64_t a = s->end[2 * k], b = s->end[2 * k + 1];
    if (a >= 0 && b >= 0) y[a] += x[b], y[b] += x[a];
  }
  for (int64_t i = 0; i < s->n; i++) {
    y[i] = degree[i] > 0 ? 0.5 * (x[i] + y[i] / degree[i]) : 0;
    mass += degree[i], mean += degree[i] * y[i];
  }
  for (int64_t i = 0; i < s->n; i++)
    if (degree[i] > 0) y[i] -= mean / mass;
  for (int64_t i = 0; i < s->n && other; i++) dot += degree[i] * y[i] * other[i];
  for (int64_t i = 0; i < s->n && other; i++) y[i] -= dot * other[i];
  for (int64_t i = 0; i < s->n; i++) size += degree[i] * y[i] * y[i];
  for (int64_t i = 0; i < s->n && size > 0; i++) y[i] /= sqrt(size);
}

static int place_nodes(sync_t *s, lavdm_error *error) {
  double *degree = calloc((size_t)s->n + 1, sizeof *degree), *y = calloc((size_t)(4 * s->n) + 1, sizeof *y);
  s->dims = 2;
  s->x = calloc((size_t)(2 * s->n) + 1, sizeof *s->x);
  if (!degree || !y || !s->x) {
    free(degree), free(y);
    return no_room(error);
  }
  for (int64_t k = 0; k < s->edges; k++)
    for (int e = 0; e < 2; e++) {
      int64_t own = s->end[2 * k + e], other = s->end[2 * k + 1 - e];
      if (own >= 0 && other >= 0 && (!s->component || s->component[own] == 0)) degree[own]++;
    }
  double *first = y, *second = y + s->n, *next = y + 2 * s->n;
  for (int64_t i = 0; i < s->n; i++) first[i] = sin(1.7 * (double)i), second[i] = cos(2.9 * (double)i);
  for (int step = 0; step < (s->edges < MANY ? STEPS : STEPS / 6); step++) {
    walk(s, degree, first, NULL, next), memcpy(first, next, (size_t)s->n * sizeof *y);
    walk(s, degree, second, first, next), memcpy(second, next, (size_t)s->n * sizeof *y);
  }
  for (int64_t i = 0; i < s->n; i++) {
    s->x[2 * i] = degree[i] > 0 ? first[i] : NAN;
    s->x[2 * i + 1] = degree[i] > 0 ? second[i] : NAN;
  }
  free(degree), free(y);
  return LAVDM_OK;
}

/* ------------------------------------------------------------------- draw */

static void seen_at(const sync_t *s, view_t view, int64_t i, double *seen) {
  const double *x = s->x + i * s->dims;
  seen[0] = x[0], seen[1] = x[1], seen[2] = 0;
  if (s->dims == 3) view_see(view, x, seen);
}

/* Lines of the edges that are trusted, or not; at most EDGES, evenly taken. */
static void put_edges(sheet_t *p, const sync_t *s, view_t view, bool trusted, const char *name) {
  int64_t taken = 0, every = s->edges / EDGES + 1;
  fprintf(p->to->script, "%s << END\nNaN NaN\n\n", name);
  for (int64_t k = 0; k < s->edges; k++) {
    double a[3], b[3];
    if ((!s->trust || s->trust[k] >= 0.5) != trusted || s->end[2 * k] < 0 || s->end[2 * k + 1] < 0) continue;
    if (taken++ % every) continue;
    seen_at(s, view, s->end[2 * k], a), seen_at(s, view, s->end[2 * k + 1], b);
    if (isfinite(a[0] + b[0])) fprintf(p->to->script, "%.6g %.6g\n%.6g %.6g\n\n", a[0], a[1], b[0], b[1]);
  }
  fprintf(p->to->script, "END\n");
}

static int64_t distrusted(const sync_t *s) {
  int64_t count = 0;
  for (int64_t k = 0; k < s->edges && s->trust; k++) count += s->trust[k] < 0.5;
  return count;
}

static rect_t graph_axes(sheet_t *p, rect_t cell, const sync_t *s, view_t view) {
  static const char *const name[3] = {"x", "y", "z"};
  box_t box;
  const char *heading = s->placed ? "Positions" : "Graph, by its own slow eigenvectors";
  axes_t axes = {.heading = heading, .name = {name[0], name[1]}, .equal = true, .bare = !s->placed};
  for (int a = 0; a < s->dims; a++) axes_range(s->x + a, s->n, s->dims, &box.low[a], &box.high[a]);
  if (s->dims == 3) return space_axes(p, cell, view, &box, heading, name);
  for (int a = 0; a < 2; a++) axes.low[a] = box.low[a], axes.high[a] = box.high[a];
  return axes_draw(p, cell, &axes);
}

static void draw_graph(sheet_t *p, rect_t cell, const sync_t *s, view_t view) {
  char bad[64];
  int64_t doubted = distrusted(s);
  snprintf(bad, sizeof bad, "turned down: %" PRId64, doubted);
  const mark_t mark[] = {{"edge", 0x9a9a9a, 0}, {bad, ORANGE, 0}, {"node", BLUE, CIRCLE}};
  if (doubted) cell = legend_marks(p, cell, "", mark, 3);
  rect_t in = graph_axes(p, cell, s, view);
  put_edges(p, s, view, true, "$good");
  put_edges(p, s, view, false, "$bad");
  int64_t shown = s->n < DRAWING_POINTS ? s->n : DRAWING_POINTS;
  fprintf(p->to->script, "$nodes << END\nNaN NaN\n");
  for (int64_t k = 0; k < shown; k++) {
    double x[3];
    seen_at(s, view, k * s->n / shown, x);
    if (isfinite(x[0] + x[1])) fprintf(p->to->script, "%.6g %.6g\n", x[0], x[1]);
  }
  fprintf(p->to->script,
          "END\nplot $good with lines lw %.4g lc rgb '#b0b0b0', $bad with lines lw %.4g lc rgb '#%06x', "
          "$nodes with points pt %d ps %.4g lc rgb '#%06x'\n",
          0.4 * p->to->line, 0.5 * p->to->line, ORANGE, CIRCLE, 0.6 * dot_radius(in, shown) * p->to->dot,
          BLUE);
  sheet_next(p);
}

static void draw_residuals(sheet_t *p, rect_t cell, const sync_t *s) {
  char name[80];
  snprintf(name, sizeof name, "residual%s%s", s->unit ? ", " : "", s->unit ? s->unit : "");
  histogram_t h = {.value = s->residual,
                   .count = s->edges,
                   .heading = distrusted(s) ? "Residuals of the edges (orange: turned down)"
                                            : "Residuals of the edges",
                   .name = name,
                   .unit = "edges",
                   .marked = s->trust};
  histogram_draw(p, cell, &h);
}

static int draw(const sync_t *s, const request_t *ask, lavdm_error *error) {
  const double share[2] = {1.25, 1};
  rect_t room, cell[2];
  drawing p;
  paper_t paper = ask->paper;
  if (!(paper.width > 0)) paper.width = 7, paper.height = 2.8;
  int status = drawing_begin(&p, ask->output, &paper, error);
  if (status < 0) return status;
  sheet_t sheet = sheet_begin(&p, &paper, ask->title, &room);
  sheet.headings = ask->headings;
  sheet_cells(room, 2, share, cell);
  draw_graph(&sheet, cell[0], s, ask->view);
  draw_residuals(&sheet, cell[1], s);
  sheet_end(&sheet);
  return drawing_end(&p, status, error);
}

int sync_view_draw(const result_t *r, const request_t *ask, lavdm_error *error) {
  const io_array *nodes = result_find(r, "nodes", IO_INTEGER, 1),
                 *edges = result_find(r, "edges", IO_INTEGER, 2),
                 *trust = result_find(r, "trust", IO_REAL, 1),
                 *component = result_find(r, "component", IO_INTEGER, 1),
                 *positions = result_find(r, "positions", IO_REAL, 2);
  sync_t s = {.edge = edges->data,
              .residual = result_find(r, "residuals", IO_REAL, 1)->data,
              .unit = result_text(r, "residual_unit"),
              .n = io_array_count(nodes),
              .edges = edges->shape[0]};
  if (trust && io_array_count(trust) == s.edges) s.trust = trust->data;
  if (component && io_array_count(component) == s.n) s.component = component->data;
  int status = find_ends(&s, nodes->data, error);
  s.placed =
      positions && positions->shape[0] == s.n && (positions->shape[1] == 2 || positions->shape[1] == 3);
  if (s.placed && status >= 0) {
    s.dims = (int)positions->shape[1];
    s.x = malloc((size_t)(s.n * s.dims) * sizeof *s.x + 1);
    if (s.x)
      memcpy(s.x, positions->data, (size_t)(s.n * s.dims) * sizeof *s.x);
    else
      status = no_room(error);
  } else if (status >= 0) {
    status = place_nodes(&s, error);
  }
  if (status >= 0) status = draw(&s, ask, error);
  free(s.end), free(s.x);
  return status;
}
