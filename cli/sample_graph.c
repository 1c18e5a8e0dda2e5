/*
 * Graphs to synchronise, whose answer is known. Nodes get elements R_i, drawn evenly from the group or as the
 * layout has them; an edge says what R_i R_k' is, with noise (sample_edges.c), or, with the probability of
 * --outliers, nothing: an element drawn evenly.
 */
#include "sample_graph.h"
#include "sample_parts.h"
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

static void graph_free(graph *g) {
  void *all[] = {g->row, g->col, g->element, g->weight, g->truth, g->position, g->shift, g->information};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
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
  for (int i = 0; text && i < LAYOUTS; i++)
    if (!strcasecmp(text, layout_names[i])) {
      g->layout = (layout_kind)i;
      if (g->poses && g->dim == 2 && layout_needs_space(g->layout))
        return refuse(error, STATUS_USAGE, "--layout %s is one of space: --group se3", layout_names[i]);
      return LAVDM_OK;
    }
  if (!text) return LAVDM_OK;
  return refuse(
      error, STATUS_USAGE,
      "--layout is '%.60s': it must be random, grid, ring, tree, trajectory, sphere, torus, city or "
      "garage",
      text);
}

/* How the information differs among edges and directions. */
static int read_information(const arguments *a, graph *g, lavdm_error *error) {
  g->skew = arguments_value(a, "skew");
  int status = read_number(a, "spread", 0, 20, &g->spread, error);
  if (status >= 0 && !g->poses && (g->skew || g->spread > 0))
    return refuse(error, STATUS_USAGE,
                  "--spread and --skew are of the information of poses: --group se2 or se3");
  return status;
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
  if (status >= 0) status = read_information(a, g, error);
  if (status < 0) return status;
  if (g->n < 2 || g->n > 100000000)
    return refuse(error, STATUS_USAGE, "-n is %s: a graph has from 2 to 1e8 nodes", n);
  if (g->poses && !g2o_is(g->path)) return refuse(error, STATUS_USAGE, "poses go to a file .g2o");
  if (!g->poses && g2o_is(g->path))
    return refuse(error, STATUS_USAGE, "a file .g2o holds poses: --group se2 or se3");
  return g->poses || io_can_write(g->path, false, error) ? LAVDM_OK : LAVDM_ERROR_ARGUMENT;
}

/* --------------------------------------------------------------- drawing */

static int make_room(graph *g, lavdm_error *error) {
  int64_t most = layout_most(g), w = graph_width(g), d = g->dim;
  g->row = calloc((size_t)most, sizeof *g->row);
  g->col = calloc((size_t)most, sizeof *g->col);
  g->element = calloc((size_t)(most * w), sizeof *g->element);
  g->weight = calloc((size_t)most, sizeof *g->weight);
  g->truth = calloc((size_t)(g->n * w), sizeof *g->truth);
  g->position = calloc((size_t)(g->n * d), sizeof *g->position);
  g->shift = g->poses ? calloc((size_t)(most * d), sizeof *g->shift) : NULL;
  g->information = g->poses ? calloc((size_t)(most * graph_half(g)), sizeof *g->information) : NULL;
  if (g->row && g->col && g->element && g->weight && g->truth && g->position &&
      ((g->shift && g->information) || !g->poses))
    return LAVDM_OK;
  return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the graph");
}

static int draw(graph *g, uint64_t seed, lavdm_error *error) {
  lavdm_random nodes, edges, shape;
  lavdm_random_start(&nodes, seed, 81);
  lavdm_random_start(&edges, seed, 82);
  lavdm_random_start(&shape, seed, 83);
  for (int64_t i = 0; i < g->n; i++) element_draw(g, &nodes, g->truth + i * graph_width(g));
  if (!layout_draw(g, &shape)) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the graph");
  edges_draw(g, &edges);
  return LAVDM_OK;
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
  int64_t w = graph_width(g), columns = (lead[1] ? 2 : 1) + (weight ? 1 : 0) + w + d;
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
  int d = g->dim, half = graph_half(g);
  if (!to) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the graph");
  for (int64_t e = 0; e < g->count; e++) {
    fprintf(to, "%s %" PRId64 " %" PRId64, d == 2 ? "EDGE_SE2" : "EDGE_SE3:QUAT", g->row[e], g->col[e]);
    for (int k = 0; k < d; k++) fprintf(to, " %.17g", g->shift[e * d + k]);
    if (d == 2) fprintf(to, " %.17g", g->element[e]);
    for (int k = 0; k < 4 && d == 3; k++) fprintf(to, " %.17g", g->element[4 * e + (k + 1) % 4]);
    for (int k = 0; k < half; k++) fprintf(to, g->skew ? " %.17g" : " %g", g->information[e * half + k]);
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
    for (int k = g->dim == 2 ? 0 : 1; k < graph_width(g); k++) g->truth[i * graph_width(g) + k] *= -1;
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
  if (status >= 0) status = draw(&g, a->options.seed, error);
  progress_enter(PHASE_WRITE, NULL, NULL);
  if (status >= 0) status = write_files(&g, truth, error);
  if (status >= 0 && !arguments_value(a, "quiet"))
    fprintf(stderr, "wrote %s: %" PRId64 " edges; %s: %" PRId64 " nodes\n", shown(g.path), g.count,
            shown(truth), g.n);
  free(truth);
  graph_free(&g);
  return status;
}
