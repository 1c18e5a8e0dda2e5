#include "output/sync_result.h"
#include "output/collect.h"
#include "output/page.h"
#include "output/sync_forms.h"
#include "base/command.h"
#include "io/pose_formats.h"
#include "io/io.h"
#include "io/table.h"
#include "output/result.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A result of several arrays, or a table. */
static bool is_result(const char *path) {
  bool single = !strcasecmp(io_extension(path), ".npy") || io_writes_table(path);
  return io_can_write(path, true, NULL) || (single && io_can_write(path, false, NULL));
}

int sync_check_output(const sync_facts *facts, const char *format, lavdm_error *error) {
  const char *path = facts->output;
  pose_format named = format ? pose_format_named(format) : POSES_KITTI;
  if (named < POSES_KITTI || named > POSES_1DSFM)
    return refuse(error, STATUS_USAGE, "--pose-format is '%.60s': it must be kitti, tum, colmap or 1dsfm",
                  format);
  if (format && (!facts->poses || facts->poses < POSES_KITTI))
    return refuse(error, STATUS_USAGE, "--pose-format says what a result .txt is, and %.200s is none", path);
  if (!facts->poses && !is_result(path))
    return refuse(
        error, LAVDM_ERROR_ARGUMENT,
        "%.200s cannot be written; the name must end in .h5, .npz or .mat, for a table of the nodes in "
        ".csv, .tsv or .npy, for poses in .g2o or .graph, or in .txt with --pose-format",
        path);
  if (!facts->poses) return result_check(path, facts->input, true, error);
  if (result_same(path, facts->input))
    return refuse(error, LAVDM_ERROR_ARGUMENT, "%.200s is the input; the output would overwrite it", path);
  return LAVDM_OK;
}

/* Under a header, after the names of the nodes. */
static int write_named(const sync_facts *facts, const io_item *item, lavdm_error *error) {
  const pose_graph *g = &facts->file->graph;
  char names[] = "node\ncomponent\nqw\nqx\nqy\nqz\nx\ny\nz";
  io_texts ids = {g->named, g->name_at[g->named] - 1, g->names};
  const io_rows_table t = {
      .ids = &ids, .names = {item->shape[1], (int64_t)sizeof names - 1, names}, .values = *item};
  return io_write_rows(facts->output, &t, NULL, error);
}

/* node, component, element and position in a row. */
static int write_table(const sync_facts *facts, const forms *f, lavdm_error *error) {
  const lavdm_sync_t *sync = facts->sync;
  int64_t n = sync->n, d = sync->position ? sync->q : 0, width = 2 + f->width + d;
  double *table = calloc((size_t)(n * width), sizeof *table);
  if (!table) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the table of the result");
  for (int64_t i = 0; i < n; i++) {
    double *to = table + i * width;
    to[0] = (double)sync->node[i], to[1] = (double)sync->component[i];
    for (int64_t k = 0; k < f->width; k++)
      to[2 + k] = f->whole ? (double)f->whole[i] : f->real[i * f->width + k];
    for (int64_t k = 0; k < d; k++) to[2 + f->width + k] = sync->position[i * d + k];
  }
  io_item item = {"elements", IO_REAL, 2, {n, width}, table};
  int status =
      sync_names_fit(facts) ? write_named(facts, &item, error) : io_write(facts->output, &item, 1, error);
  free(table);
  return status;
}

/* Numbers of the components, and both ends of every edge. */
enum { PART_REALS = 5, PART_WHOLES = 5 };
typedef struct {
  double *real;   /* gap, median, most, cost, bound: count of each; then the eigenvalues */
  int64_t *whole; /* nodes, edges, first, rank, certified: count of each; then the ends */
} part_arrays;

static int fill_parts(const sync_facts *facts, part_arrays *p, lavdm_error *error) {
  const lavdm_sync_t *sync = facts->sync;
  const lavdm_edges *edges = &facts->file->edges;
  int64_t c = sync->components, v = sync->values;
  p->real = calloc((size_t)(c * (PART_REALS + v)) + 1, sizeof *p->real);
  p->whole = calloc((size_t)(PART_WHOLES * c + 2 * sync->edges), sizeof *p->whole);
  if (!p->real || !p->whole) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the result");
  for (int64_t k = 0; k < c; k++) {
    const lavdm_sync_component *part = sync->part[k];
    const double reals[PART_REALS] = {part->gap, part->median, part->most, part->cost, part->bound};
    const int64_t wholes[PART_WHOLES] = {part->nodes, part->edges, part->first, part->rank, part->certified};
    for (int i = 0; i < PART_REALS; i++) p->real[i * c + k] = reals[i];
    for (int i = 0; i < PART_WHOLES; i++) p->whole[i * c + k] = wholes[i];
    memcpy(p->real + PART_REALS * c + k * v, part->eigenvalues, (size_t)v * sizeof *p->real);
  }
  int64_t *end = p->whole + PART_WHOLES * c;
  for (int64_t e = 0; e < sync->edges; e++) end[2 * e] = edges->row[e], end[2 * e + 1] = edges->col[e];
  return LAVDM_OK;
}

/* Numbers, texts and times of the run, as facts. */
static void put_facts(json_builder *b, const sync_facts *facts) {
  const lavdm_sync_t *sync = facts->sync;
  char group[32];
  sync_group_name(sync, group);
  json_put_text(b, "group", group);
  json_put_text(b, "residual_unit", sync_unit(sync));
  json_put_whole(b, "rounds", facts->rounds);
  json_put_whole(b, "isolated", sync->isolated);
  json_put_whole(b, "loops", sync->loops);
  json_put_real(b, "median_residual", sync->median);
  json_put_real(b, "residual_95", sync->most);
  sync_put_outcome(b, sync);
  if (sync->group == LAVDM_GROUP_Z2 || sync->group == LAVDM_GROUP_CYCLIC)
    json_put_whole(b, "flips", sync->flips);
  sync_put_warnings(b, facts);
  json_put_text(b, "input", facts->input);
  json_put_text(b, "version", lavdm_version());
  json_put_text(b, "command", facts->command);
  json_builder times = {0};
  json_start(&times);
  json_put_real(&times, "read", facts->read_seconds);
  for (int i = 0; i < sync->timings; i++)
    json_put_real(&times, sync->timing[i].stage, sync->timing[i].seconds);
  json_put_real(&times, "total", sync->seconds);
  if (times.failed) b->failed = true;
  json_put(b, "seconds", times.object);
}

static void collect_parts(collection *c, const lavdm_sync_t *sync, const part_arrays *p) {
  static const char *const reals[PART_REALS] = {"gaps", "component_median", "component_95", "component_cost",
                                                "component_bound"};
  static const char *const wholes[PART_WHOLES] = {"component_nodes", "component_edges", "component_first",
                                                  "component_rank", "component_certified"};
  int64_t parts = sync->components;
  if (!parts) return;
  collect_add(c, "eigenvalues", IO_REAL, 2, (int64_t[]){parts, sync->values}, p->real + PART_REALS * parts);
  for (int i = 0; i < PART_REALS; i++) collect_add(c, reals[i], IO_REAL, 1, &parts, p->real + i * parts);
  for (int i = 0; i < PART_WHOLES; i++)
    collect_add(c, wholes[i], IO_INTEGER, 1, &parts, p->whole + i * parts);
}

/* Covariances of poses, and the points that were sighted. */
static void collect_survey(collection *c, const lavdm_sync_t *sync) {
  int64_t q = sync->q, d = q + q * (q - 1) / 2, points = sync->points;
  if (sync->covariance)
    collect_add(c, "covariances", IO_REAL, 3, (int64_t[]){sync->n, d, d}, sync->covariance);
  if (!points) return;
  collect_add(c, "points", IO_INTEGER, 1, &points, sync->point);
  collect_add(c, "point_positions", IO_REAL, 2, (int64_t[]){points, q}, sync->point_position);
  if (sync->point_covariance)
    collect_add(c, "point_covariances", IO_REAL, 3, (int64_t[]){points, q, q}, sync->point_covariance);
}

static void collect_arrays(collection *c, const sync_facts *facts, const forms *f, const part_arrays *p) {
  const lavdm_sync_t *sync = facts->sync;
  int64_t n = sync->n, m = sync->edges, q = sync->q;
  bool matrix = f->width == q * q && f->width > 1;
  collect_add(c, "nodes", IO_INTEGER, 1, &n, sync->node);
  const pose_graph *g = &facts->file->graph;
  if (g->names) collect_add(c, "names", IO_TEXT, 1, (int64_t[]){g->name_at[g->named] - 1}, g->names);
  if (f->whole)
    collect_add(c, "elements", IO_INTEGER, 1, &n, f->whole);
  else
    collect_add(c, "elements", IO_REAL,
                f->width == 1 ? 1
                : matrix      ? 3
                              : 2,
                matrix ? (int64_t[]){n, q, q} : (int64_t[]){n, f->width, 1}, f->real);
  collect_add(c, "component", IO_INTEGER, 1, &n, sync->component);
  if (sync->position) collect_add(c, "positions", IO_REAL, 2, (int64_t[]){n, q}, sync->position);
  collect_survey(c, sync);
  collect_add(c, "edges", IO_INTEGER, 2, (int64_t[]){m, 2}, p->whole + PART_WHOLES * sync->components);
  collect_add(c, "residuals", IO_REAL, 1, &m, sync->residual);
  collect_add(c, "trust", IO_REAL, 1, &m, sync->trust);
  collect_parts(c, sync, p);
}

/* To `page`, or to the output. */
static int write_arrays(const sync_facts *facts, const forms *f, const char *page,
                        lavdm_report_options *options, lavdm_error *error) {
  part_arrays p = {0};
  json_builder b = {0};
  collection *c = collect_new(error);
  int status = c ? fill_parts(facts, &p, error) : LAVDM_ERROR_MEMORY;
  json_start(&b);
  put_facts(&b, facts);
  if (status >= 0) status = json_status(&b, error);
  if (status >= 0) {
    collect_arrays(c, facts, f, &p);
    collect_facts(c, &b);
    status = collect_status(c, error);
  }
  if (status >= 0)
    status = page ? page_write(page, collect_items(c), c->count, options, error)
                  : io_write(facts->output, collect_items(c), c->count, error);
  json_free(&b);
  collect_free(c);
  free(p.real);
  free(p.whole);
  return status;
}

int sync_page(const arguments *a, const sync_facts *facts, lavdm_error *error) {
  forms f = {0};
  lavdm_report_options options;
  sync_facts shown_facts = *facts;
  const char *path = arguments_value(a, "report");
  if (!path) return LAVDM_OK;
  shown_facts.output = NULL; /* elements are in the form of the input */
  lavdm_report_default(&options);
  options.title = page_title(facts->input);
  options.seed = a->options.seed, options.threads = a->options.threads;
  int status = forms_new(&shown_facts, error, &f);
  if (status >= 0) status = write_arrays(facts, &f, path, &options, error);
  forms_free(&f);
  return status;
}

int sync_write(const sync_facts *facts, lavdm_error *error) {
  forms f = {0};
  const lavdm_sync_t *sync = facts->sync;
  if (facts->poses && (sync->q < 2 || sync->q > 3 || sync->group == LAVDM_GROUP_O))
    return refuse(error, LAVDM_ERROR_ARGUMENT, "%.200s: a file %s holds rotations in 2 or 3 dimensions",
                  facts->output, io_extension(facts->output));
  int status = forms_new(facts, error, &f);
  pose_result poses = {(int)sync->q,
                       sync->n,
                       sync->node,
                       f.real,
                       sync->position,
                       sync->points,
                       sync->point,
                       sync->point_position,
                       facts->file->poses ? &facts->file->graph : NULL};
  if (status >= 0 && facts->poses)
    status = poses_write(facts->output, (pose_format)facts->poses, &poses, facts->input, error);
  else if (status >= 0)
    status = result_alone(facts->output) ? write_table(facts, &f, error)
                                         : write_arrays(facts, &f, NULL, NULL, error);
  forms_free(&f);
  bool other = status != LAVDM_ERROR_MEMORY && status != LAVDM_ERROR_INTERRUPTED;
  return status < 0 && other ? STATUS_WRITE : status;
}
