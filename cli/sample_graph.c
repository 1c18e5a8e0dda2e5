/*
 * Graphs to synchronise, whose answer is known. Nodes get elements R_i, drawn evenly from the
 * group; an edge says O = R_i N R_k', N being noise:
 *
 *     so2, so3, se2, se3   a turn by Gaussian angles of standard deviation S
 *     z2                   1 + S g, g Gaussian: its sign, with its size as the weight
 *     ck                   a turn by S g radians, rounded to the nearest of the group
 *
 * or, with the probability of --outliers, nothing: an element drawn evenly.
 */
#include "sample_graph.h"
#include "lavdm/sample.h"
#include "base/command.h"
#include "io/g2o.h"
#include "io/formats.h"
#include "io/io.h"
#include "base/progress.h"
#include "output/whole.h"
#include "io/sentence.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef enum { RANDOM, GRID, RING, TREE } layout_kind;

typedef struct {
  const char *path;
  int64_t n, degree, order; /* order of a cyclic group, or 0 */
  int dim;                  /* 1 for z2, 2 or 3; columns of an element are 1, 1, 4 */
  bool poses;
  layout_kind layout;
  double noise, outliers;
  int64_t count, *row, *col; /* edges */
  double *element, *weight;  /* of edges */
  double *truth, *position;  /* of nodes */
  double *shift;             /* of edges, for poses */
} graph;

static void graph_free(graph *g) {
  void *all[] = {g->row, g->col, g->element, g->weight, g->truth, g->position, g->shift};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static int width(const graph *g) {
  return g->dim == 3 ? 4 : 1;
}

/* --------------------------------------------------------------- options */

static int read_number(const arguments *a, const char *name, double least, double most, double *out,
                       lavdm_error *error) {
  const char *text = arguments_value(a, name);
  char *end;
  if (!text) return LAVDM_OK;
  *out = strtod(text, &end);
  if (end != text && !*end && *out >= least && *out <= most) return LAVDM_OK;
  return refuse(error, STATUS_USAGE, "--%s is '%.60s': it must be a number from %g to %g", name, text, least,
                most);
}

static int read_group(const char *text, graph *g, lavdm_error *error) {
  static const char *const names[] = {"z2", "so2", "u1", "so3", "se2", "se3"};
  static const int dims[] = {1, 2, 2, 3, 2, 3};
  if (!text) text = "so3";
  for (int i = 0; i < 6; i++)
    if (!strcasecmp(text, names[i])) {
      g->dim = dims[i];
      g->poses = i >= 4;
      return LAVDM_OK;
    }
  char *end;
  g->dim = 2;
  g->order = strlen(text) < 8 && (text[0] | 32) == 'c' ? strtoll(text + 1, &end, 10) : 0;
  if (g->order >= 2 && !*end) return LAVDM_OK;
  return refuse(error, STATUS_USAGE,
                "--group is '%.60s': it must be z2, c4 (or another ck), so2, so3, se2 or se3", text);
}

static int read_layout(const char *text, graph *g, lavdm_error *error) {
  static const char *const names[] = {"random", "grid", "ring", "tree"};
  for (int i = 0; text && i < 4; i++)
    if (!strcasecmp(text, names[i])) {
      g->layout = (layout_kind)i;
      return LAVDM_OK;
    }
  if (!text) return LAVDM_OK;
  return refuse(error, STATUS_USAGE, "--layout is '%.60s': it must be random, grid, ring or tree", text);
}

static int read_options(const arguments *a, graph *g, lavdm_error *error) {
  const char *n = arguments_value(a, "number"), *degree = arguments_value(a, "degree");
  g->path = arguments_value(a, "output");
  g->degree = 10;
  if (!n) return refuse(error, STATUS_USAGE, "how many nodes? Give -n N");
  if (!g->path) return refuse(error, STATUS_USAGE, "where to? Give -o FILE, say -o edges.csv");
  int status = whole_parse("-n", n, &g->n, error);
  if (status >= 0 && degree) status = whole_parse("--degree", degree, &g->degree, error);
  if (status >= 0) status = read_number(a, "noise", 0, 1e6, &g->noise, error);
  if (status >= 0) status = read_number(a, "outliers", 0, 1, &g->outliers, error);
  if (status >= 0) status = read_group(arguments_value(a, "group"), g, error);
  if (status >= 0) status = read_layout(arguments_value(a, "layout"), g, error);
  if (status < 0) return status;
  if (g->n < 2 || g->n > 100000000)
    return refuse(error, STATUS_USAGE, "-n is %s: a graph has from 2 to 1e8 nodes", n);
  if (g->poses && !g2o_is(g->path)) return refuse(error, STATUS_USAGE, "poses go to a file .g2o");
  if (!g->poses && g2o_is(g->path))
    return refuse(error, STATUS_USAGE, "a file .g2o holds poses: --group se2 or se3");
  return g->poses || io_can_write(g->path, false, error) ? LAVDM_OK : LAVDM_ERROR_ARGUMENT;
}

/* -------------------------------------------------------------- elements */

/* Elements as numbers: signs, angles, quaternions. c = a b, or a b' with `back`. */
static void multiply(const graph *g, const double *a, const double *b, bool back, double *c) {
  if (g->dim == 1) {
    c[0] = a[0] * b[0];
  } else if (g->dim == 2) {
    c[0] = a[0] + (back ? -b[0] : b[0]);
  } else {
    double s = back ? -1 : 1, x = s * b[1], y = s * b[2], z = s * b[3], w = b[0];
    const double product[4] = {
        a[0] * w - a[1] * x - a[2] * y - a[3] * z, a[0] * x + a[1] * w + a[2] * z - a[3] * y,
        a[0] * y - a[1] * z + a[2] * w + a[3] * x, a[0] * z + a[1] * y - a[2] * x + a[3] * w};
    memcpy(c, product, sizeof product);
  }
}

static double turn_of(const graph *g, double steps) {
  return 2 * M_PI * steps / (double)g->order;
}

static void draw_evenly(const graph *g, lavdm_random *r, double *x) {
  double norm = 0;
  if (g->dim == 1) x[0] = lavdm_random_uniform(r) < 0.5 ? -1 : 1;
  if (g->dim == 2)
    x[0] =
        g->order ? turn_of(g, (double)lavdm_random_below(r, g->order)) : 2 * M_PI * lavdm_random_uniform(r);
  if (g->dim < 3) return;
  for (int k = 0; k < 4; k++) x[k] = lavdm_random_normal(r), norm += x[k] * x[k];
  for (int k = 0; k < 4; k++) x[k] /= sqrt(norm);
}

/* N, and the weight of the edge. */
static void draw_noise(const graph *g, lavdm_random *r, double *x, double *weight) {
  double v[3], angle = 0, number = lavdm_random_normal(r);
  if (g->dim == 1) {
    double said = 1 + g->noise * number;
    x[0] = said < 0 ? -1 : 1;
    if (g->noise > 0) *weight = fmax(fabs(said), 1e-12);
  } else if (g->dim == 2) {
    x[0] = g->noise * number;
    if (g->order) x[0] = turn_of(g, nearbyint(x[0] * (double)g->order / (2 * M_PI)));
  } else {
    for (int k = 0; k < 3; k++) v[k] = g->noise * (k ? lavdm_random_normal(r) : number), angle += v[k] * v[k];
    angle = sqrt(angle);
    x[0] = cos(angle / 2);
    for (int k = 0; k < 3; k++) x[k + 1] = angle > 0 ? v[k] * sin(angle / 2) / angle : 0;
  }
}

/* v at the pose's frame: R' v, the world's v as the pose sees it; R is pose'. */
static void rotate(const graph *g, const double *x, const double *v, double *out) {
  if (g->dim == 2) {
    out[0] = cos(x[0]) * v[0] - sin(x[0]) * v[1], out[1] = sin(x[0]) * v[0] + cos(x[0]) * v[1];
    return;
  }
  const double vector[4] = {0, v[0], v[1], v[2]};
  double half[4], whole[4];
  multiply(g, x, vector, false, half);
  multiply(g, half, x, true, whole);
  for (int k = 0; k < 3; k++) out[k] = whole[k + 1];
}

/* ----------------------------------------------------------------- edges */

static int64_t side_of(const graph *g) {
  return (int64_t)ceil(sqrt((double)g->n));
}

static void add_edge(graph *g, int64_t i, int64_t k) {
  g->row[g->count] = i;
  g->col[g->count++] = k;
}

/* Random graphs are joined by a random tree, so that they are connected. */
static void draw_layout(graph *g, lavdm_random *r) {
  int64_t n = g->n, side = side_of(g);
  if (g->layout == RING)
    for (int64_t i = 0; i < n; i++)
      for (int64_t step = 1; step <= (g->degree + 1) / 2 && step < n; step++) add_edge(g, i, (i + step) % n);
  for (int64_t i = 0; i < n && g->layout == GRID; i++) {
    if ((i + 1) % side && i + 1 < n) add_edge(g, i, i + 1);
    if (i + side < n) add_edge(g, i, i + side);
  }
  if (g->layout == GRID || g->layout == RING) return;
  for (int64_t i = 1; i < n; i++) add_edge(g, i, lavdm_random_below(r, i));
  while (g->layout == RANDOM && 2 * g->count < n * g->degree) {
    int64_t i = lavdm_random_below(r, n), k = lavdm_random_below(r, n);
    if (i != k) add_edge(g, i, k);
  }
}

static int make_room(graph *g, lavdm_error *error) {
  int64_t most = g->layout == GRID ? 2 * g->n : g->n * ((g->degree + 1) / 2 + 1), w = width(g), d = g->dim;
  g->row = calloc((size_t)most, sizeof *g->row);
  g->col = calloc((size_t)most, sizeof *g->col);
  g->element = calloc((size_t)(most * w), sizeof *g->element);
  g->weight = calloc((size_t)most, sizeof *g->weight);
  g->truth = calloc((size_t)(g->n * w), sizeof *g->truth);
  g->position = calloc((size_t)(g->n * d), sizeof *g->position);
  g->shift = g->poses ? calloc((size_t)(most * d), sizeof *g->shift) : NULL;
  if (g->row && g->col && g->element && g->weight && g->truth && g->position && (g->shift || !g->poses))
    return LAVDM_OK;
  return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the graph");
}

static void draw_shift(graph *g, lavdm_random *r, int64_t e) {
  int64_t d = g->dim, w = width(g);
  double away[3] = {0};
  for (int64_t k = 0; k < d; k++) away[k] = g->position[g->col[e] * d + k] - g->position[g->row[e] * d + k];
  rotate(g, g->truth + g->row[e] * w, away, g->shift + e * d);
  for (int64_t k = 0; k < d; k++) g->shift[e * d + k] += g->noise * lavdm_random_normal(r);
}

static void draw(graph *g, uint64_t seed) {
  int64_t w = width(g), d = g->dim, side = side_of(g);
  lavdm_random nodes, edges, shape;
  lavdm_random_start(&nodes, seed, 81);
  lavdm_random_start(&edges, seed, 82);
  lavdm_random_start(&shape, seed, 83);
  for (int64_t i = 0; i < g->n; i++) draw_evenly(g, &nodes, g->truth + i * w);
  for (int64_t i = 0; i < g->n && g->poses; i++)
    g->position[i * d] = (double)(i % side), g->position[i * d + 1] = (double)(i / side);
  draw_layout(g, &shape);
  for (int64_t e = 0; e < g->count; e++) {
    double noise[4], *x = g->element + e * w;
    bool wrong = lavdm_random_uniform(&edges) < g->outliers;
    g->weight[e] = 1;
    draw_noise(g, &edges, noise, &g->weight[e]);
    multiply(g, g->truth + g->row[e] * w, noise, false, x);
    multiply(g, x, g->truth + g->col[e] * w, true, x);
    if (wrong) draw_evenly(g, &edges, x);
    if (g->dim == 2) x[0] = remainder(x[0], 2 * M_PI);
    if (g->poses) draw_shift(g, &edges, e);
  }
}

/* --------------------------------------------------------------- writing */

/* An element as a file holds it: steps for cyclic groups. */
static double as_kept(const graph *g, double x) {
  if (!g->order) return g->dim == 2 ? remainder(x, 2 * M_PI) : x;
  double s = fmod(nearbyint(x * (double)g->order / (2 * M_PI)), (double)g->order);
  return s < 0 ? s + (double)g->order : s;
}

/* "dir/edges.csv" as "dir/edges-truth.csv". */
static char *truth_name(const char *path, const char *ending) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
  size_t stem = dot ? (size_t)(dot - path) : strlen(path), size = strlen(path) + 16;
  char *name = calloc(size, 1);
  if (name) snprintf(name, size, "%.*s-truth%s", (int)stem, path, ending ? ending : path + stem);
  return name;
}

/* A table of `lead` columns, then the element, then `d` more. */
static int write_table(const char *path, const graph *g, int64_t rows, const int64_t *const lead[2],
                       const double *weight, const double *element, int64_t d, const double *more,
                       lavdm_error *error) {
  int64_t w = width(g), columns = (lead[1] ? 2 : 1) + (weight ? 1 : 0) + w + d;
  double *table = calloc((size_t)(rows * columns), sizeof *table);
  if (!table) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the graph");
  for (int64_t i = 0; i < rows; i++) {
    double *to = table + i * columns;
    *to++ = lead[0] ? (double)lead[0][i] : (double)i;
    if (lead[1]) *to++ = (double)lead[1][i];
    if (weight) *to++ = weight[i];
    for (int64_t k = 0; k < w; k++) *to++ = as_kept(g, element[i * w + k]);
    for (int64_t k = 0; k < d; k++) *to++ = more[i * d + k];
  }
  io_item item = {"edges", IO_REAL, 2, {rows, columns}, table};
  int status = io_write(path, &item, 1, error);
  free(table);
  return status;
}

/* EDGE lines of poses; the noise is in the information. */
static int write_poses(const graph *g, lavdm_error *error) {
  char *text = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&text, &size);
  double information = g->noise > 0 ? 1 / (g->noise * g->noise) : 1;
  int d = g->dim, rows = d == 2 ? 3 : 6;
  if (!to) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the graph");
  for (int64_t e = 0; e < g->count; e++) {
    fprintf(to, "%s %" PRId64 " %" PRId64, d == 2 ? "EDGE_SE2" : "EDGE_SE3:QUAT", g->row[e], g->col[e]);
    for (int k = 0; k < d; k++) fprintf(to, " %.17g", g->shift[e * d + k]);
    if (d == 2) fprintf(to, " %.17g", g->element[e]);
    for (int k = 0; k < 4 && d == 3; k++) fprintf(to, " %.17g", g->element[4 * e + (k + 1) % 4]);
    for (int i = 0; i < rows; i++)
      for (int k = i; k < rows; k++) fprintf(to, " %g", i == k ? information : 0);
    fputc('\n', to);
  }
  bool bad = ferror(to); /* fclose does not say what a write before it lacked */
  bad |= fclose(to) != 0;
  output_file *file = bad ? NULL : malloc(sizeof *file);
  int status = file ? output_begin(file, g->path, error)
                    : refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the graph");
  if (status >= 0) status = output_end(file, output_write_slices(file, text, (int64_t)size));
  free(file);
  free(text);
  return status;
}

/* Poses are the transposes of the elements R. */
static void to_poses(graph *g) {
  for (int64_t i = 0; i < g->n; i++)
    for (int k = g->dim == 2 ? 0 : 1; k < width(g); k++) g->truth[i * width(g) + k] *= -1;
}

static int write_files(graph *g, const char *truth, lavdm_error *error) {
  const int64_t *const ends[2] = {g->row, g->col}, *const none[2] = {NULL, NULL};
  if (g->poses) to_poses(g);
  int status = write_table(truth, g, g->n, none, NULL, g->truth, g->poses ? g->dim : 0, g->position, error);
  if (status >= 0 && g->poses) status = write_poses(g, error);
  if (status >= 0 && !g->poses)
    status = write_table(g->path, g, g->count, ends, g->weight, g->element, 0, NULL, error);
  return status >= 0 || status == LAVDM_ERROR_MEMORY ? status : STATUS_WRITE;
}

int sample_graph(const arguments *a, lavdm_error *error) {
  graph g = {0};
  int status = read_options(a, &g, error);
  char *truth = status >= 0 ? truth_name(g.path, g.poses ? ".csv" : NULL) : NULL;
  if (status >= 0)
    status = truth ? make_room(&g, error) : refuse(error, LAVDM_ERROR_MEMORY, "out of memory for a name");
  if (status >= 0) draw(&g, a->options.seed);
  progress_enter(PHASE_WRITE, NULL, NULL);
  if (status >= 0) status = write_files(&g, truth, error);
  if (status >= 0 && !arguments_value(a, "quiet"))
    fprintf(stderr, "wrote %s: %" PRId64 " edges; %s: %" PRId64 " nodes\n", shown(g.path), g.count,
            shown(truth), g.n);
  free(truth);
  graph_free(&g);
  return status;
}
