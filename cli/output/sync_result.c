#include "output/sync_result.h"
#include "output/collect.h"
#include "output/page.h"
#include "base/command.h"
#include "io/g2o.h"
#include "io/io.h"
#include "base/json.h"
#include "output/result.h"
#include "io/sentence.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 100, SHOWN = 8 };

void sync_group_name(const lavdm_sync_t *sync, char name[32]) {
  switch (sync->group) {
  case LAVDM_GROUP_Z2:
    snprintf(name, 32, "Z2");
    break;
  case LAVDM_GROUP_CYCLIC:
    snprintf(name, 32, "C%" PRId64, sync->order);
    break;
  default:
    snprintf(name, 32, "%s(%" PRId64 ")", sync->group == LAVDM_GROUP_O ? "O" : "SO", sync->q);
  }
}

const char *sync_unit(const lavdm_sync_t *sync) {
  if (sync->q == 1) return "disagreements";
  return sync->q <= 3 && sync->group != LAVDM_GROUP_O ? "radians" : "Frobenius norm";
}

int sync_check_output(const char *path, const char *input, lavdm_error *error) {
  if (!g2o_is(path)) return result_check(path, input, true, error);
  if (result_same(path, input))
    return refuse(error, LAVDM_ERROR_ARGUMENT, "%.200s is the input; the output would overwrite it", path);
  return LAVDM_OK;
}

/* -------------------------------------------------------------- elements */

/* The elements of the nodes in the form of the input: whole numbers, or `width` reals. */
typedef struct {
  int64_t width;
  int64_t *whole; /* n, or NULL */
  double *real;   /* n x width, or NULL */
} forms;

static double entry(const double *r, int64_t q, int64_t a, int64_t b, bool turned) {
  return turned ? r[b * q + a] : r[a * q + b];
}

static double angle_of(const double *r, bool turned) {
  double angle = atan2(entry(r, 2, 1, 0, turned), r[0]);
  return angle >= M_PI ? -M_PI : angle;
}

/* w x y z with w >= 0 of a rotation: the row of x x' (x the quaternion) with the largest diagonal. */
static void quaternion_of(const double *r, bool turned, double *x) {
  double m[9], square[4];
  for (int64_t i = 0; i < 9; i++) m[i] = entry(r, 3, i / 3, i % 3, turned);
  square[0] = 1 + m[0] + m[4] + m[8];
  for (int k = 0; k < 3; k++) square[k + 1] = 1 + 2 * m[4 * k] - m[0] - m[4] - m[8];
  int best = 0;
  for (int k = 1; k < 4; k++)
    if (square[k] > square[best]) best = k;
  const double products[4][4] = {{square[0], m[7] - m[5], m[2] - m[6], m[3] - m[1]},
                                 {m[7] - m[5], square[1], m[1] + m[3], m[2] + m[6]},
                                 {m[2] - m[6], m[1] + m[3], square[2], m[5] + m[7]},
                                 {m[3] - m[1], m[2] + m[6], m[5] + m[7], square[3]}};
  double norm = 0;
  for (int k = 0; k < 4; k++) norm += products[best][k] * products[best][k];
  double f = (products[best][0] < 0 ? -1 : 1) / sqrt(norm);
  for (int k = 0; k < 4; k++) x[k] = f * products[best][k] + 0.0;
}

static int64_t whole_of(const lavdm_sync_t *sync, const double *r) {
  if (sync->group == LAVDM_GROUP_Z2) return r[0] < 0 ? -1 : 1;
  int64_t s = (int64_t)lround(atan2(r[2], r[0]) * (double)sync->order / (2 * M_PI));
  return (s + sync->order) % sync->order;
}

static void forms_free(forms *f) {
  free(f->whole);
  free(f->real);
}

static int forms_new(const sync_facts *facts, lavdm_error *error, forms *f) {
  const lavdm_sync_t *sync = facts->sync;
  lavdm_element kind = facts->file->edges.kind;
  int64_t n = sync->n, q = sync->q;
  bool poses = facts->file->poses, g2o = facts->output && g2o_is(facts->output);
  bool whole = (sync->group == LAVDM_GROUP_Z2 || sync->group == LAVDM_GROUP_CYCLIC) && !g2o;
  bool angle = q == 2 && (g2o || kind == LAVDM_ELEMENT_ANGLE);
  bool quaternion = q == 3 && (g2o || kind == LAVDM_ELEMENT_QUATERNION);
  *f = (forms){whole || angle ? 1 : quaternion ? 4 : q * q, NULL, NULL};
  if (whole)
    f->whole = calloc((size_t)n, sizeof *f->whole);
  else
    f->real = calloc((size_t)(n * f->width), sizeof *f->real);
  if (!f->whole && !f->real) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the elements");
  for (int64_t i = 0; i < n; i++) {
    const double *r = sync->element + i * q * q;
    bool turned = poses || g2o;
    if (whole)
      f->whole[i] = whole_of(sync, r);
    else if (angle)
      f->real[i] = angle_of(r, turned);
    else if (quaternion)
      quaternion_of(r, turned, f->real + 4 * i);
    else
      for (int64_t k = 0; k < q * q; k++) f->real[i * q * q + k] = entry(r, q, k / q, k % q, turned);
  }
  return LAVDM_OK;
}

/* --------------------------------------------------------------- writing */

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
  int status = io_write(facts->output, &item, 1, error);
  free(table);
  return status;
}

/* One row of numbers for each component. */
typedef struct {
  double *real;   /* gap, median, most: 3 x count, then the eigenvalues */
  int64_t *whole; /* nodes, edges, first: 3 x count; then both ends of every edge */
} part_arrays;

static int fill_parts(const sync_facts *facts, part_arrays *p, lavdm_error *error) {
  const lavdm_sync_t *sync = facts->sync;
  const lavdm_edges *edges = &facts->file->edges;
  int64_t c = sync->components, v = sync->values;
  p->real = calloc((size_t)(c * (3 + v)) + 1, sizeof *p->real);
  p->whole = calloc((size_t)(3 * c + 2 * sync->edges), sizeof *p->whole);
  if (!p->real || !p->whole) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the result");
  for (int64_t k = 0; k < c; k++) {
    const lavdm_sync_component *part = sync->part[k];
    p->real[k] = part->gap, p->real[c + k] = part->median, p->real[2 * c + k] = part->most;
    memcpy(p->real + 3 * c + k * v, part->eigenvalues, (size_t)v * sizeof *p->real);
    p->whole[k] = part->nodes, p->whole[c + k] = part->edges, p->whole[2 * c + k] = part->first;
  }
  for (int64_t e = 0; e < sync->edges; e++)
    p->whole[3 * c + 2 * e] = edges->row[e], p->whole[3 * c + 2 * e + 1] = edges->col[e];
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
  if (sync->group == LAVDM_GROUP_Z2 || sync->group == LAVDM_GROUP_CYCLIC)
    json_put_whole(b, "flips", sync->flips);
  json_t *warnings = json_array();
  for (int i = 0; warnings && i < sync->warnings; i++)
    if (json_array_append_new(warnings, json_text(sync->warning[i]))) b->failed = true;
  if (warnings && facts->file->note[0] && json_array_append_new(warnings, json_text(facts->file->note)))
    b->failed = true;
  json_put(b, "warnings", warnings);
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

static void collect_arrays(collection *c, const sync_facts *facts, const forms *f, const part_arrays *p) {
  const lavdm_sync_t *sync = facts->sync;
  int64_t n = sync->n, m = sync->edges, q = sync->q, parts = sync->components;
  bool matrix = f->width == q * q && f->width > 1;
  collect_add(c, "nodes", IO_INTEGER, 1, &n, sync->node);
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
  collect_add(c, "edges", IO_INTEGER, 2, (int64_t[]){m, 2}, p->whole + 3 * parts);
  collect_add(c, "residuals", IO_REAL, 1, &m, sync->residual);
  collect_add(c, "trust", IO_REAL, 1, &m, sync->trust);
  if (!parts) return;
  collect_add(c, "eigenvalues", IO_REAL, 2, (int64_t[]){parts, sync->values}, p->real + 3 * parts);
  collect_add(c, "gaps", IO_REAL, 1, &parts, p->real);
  collect_add(c, "component_median", IO_REAL, 1, &parts, p->real + parts);
  collect_add(c, "component_95", IO_REAL, 1, &parts, p->real + 2 * parts);
  collect_add(c, "component_nodes", IO_INTEGER, 1, &parts, p->whole);
  collect_add(c, "component_edges", IO_INTEGER, 1, &parts, p->whole + parts);
  collect_add(c, "component_first", IO_INTEGER, 1, &parts, p->whole + 2 * parts);
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
  bool g2o = g2o_is(facts->output);
  if (g2o && (sync->q < 2 || sync->q > 3 || sync->group == LAVDM_GROUP_O))
    return refuse(error, LAVDM_ERROR_ARGUMENT, "%.200s: a file .g2o holds rotations in 2 or 3 dimensions",
                  facts->output);
  int status = forms_new(facts, error, &f);
  if (status >= 0 && g2o)
    status = g2o_write(facts->output, (int)sync->q, sync->n, sync->node, f.real, sync->position,
                       facts->file->poses ? facts->input : NULL, error);
  else if (status >= 0)
    status = result_alone(facts->output) ? write_table(facts, &f, error)
                                         : write_arrays(facts, &f, NULL, NULL, error);
  forms_free(&f);
  bool other = status != LAVDM_ERROR_MEMORY && status != LAVDM_ERROR_INTERRUPTED;
  return status < 0 && other ? STATUS_WRITE : status;
}

/* ---------------------------------------------------- JSON and for people */

static json_t *part_json(const lavdm_sync_t *sync, int64_t c) {
  const lavdm_sync_component *part = sync->part[c];
  json_builder b = {0};
  int64_t values = 0;
  while (values < sync->values && isfinite(part->eigenvalues[values])) values++;
  json_start(&b);
  json_put_whole(&b, "nodes", part->nodes);
  json_put_whole(&b, "edges", part->edges);
  json_put_whole(&b, "first", part->first);
  json_put_reals(&b, "eigenvalues", part->eigenvalues, values);
  json_put_real(&b, "gap", part->gap);
  json_put_real(&b, "median_residual", part->median);
  json_put_real(&b, "residual_95", part->most);
  return b.object;
}

int sync_json(const sync_facts *facts, lavdm_error *error) {
  const lavdm_sync_t *sync = facts->sync;
  json_builder b = {0};
  char group[32];
  sync_group_name(sync, group);
  json_start(&b);
  json_put_text(&b, "input", facts->input);
  json_put_text(&b, "output", facts->output);
  json_put_text(&b, "group", group);
  json_put_whole(&b, "q", sync->q);
  json_put_whole(&b, "nodes", sync->n);
  json_put_whole(&b, "edges", sync->edges);
  json_put_whole(&b, "components", sync->components);
  json_put_whole(&b, "isolated", sync->isolated);
  json_put_whole(&b, "loops", sync->loops);
  json_put_whole(&b, "rounds", facts->rounds);
  json_put_real(&b, "gap", sync->components ? sync->part[0]->gap : NAN);
  json_put_text(&b, "residual_unit", sync_unit(sync));
  json_put_real(&b, "median_residual", sync->median);
  json_put_real(&b, "residual_95", sync->most);
  if (sync->group == LAVDM_GROUP_Z2 || sync->group == LAVDM_GROUP_CYCLIC)
    json_put_whole(&b, "flips", sync->flips);
  json_t *list = json_array(), *warnings = json_array(), *times = json_object();
  for (int64_t c = 0; c < sync->components && c < LISTED; c++)
    json_array_append_new(list, part_json(sync, c));
  json_put(&b, "parts", list);
  for (int i = 0; i < sync->warnings; i++) json_array_append_new(warnings, json_text(sync->warning[i]));
  if (facts->file->note[0]) json_array_append_new(warnings, json_text(facts->file->note));
  json_put(&b, "warnings", warnings);
  json_object_set_new(times, "read", json_number(facts->read_seconds));
  for (int i = 0; i < sync->timings; i++)
    json_object_set_new(times, sync->timing[i].stage, json_number(sync->timing[i].seconds));
  json_object_set_new(times, "write", json_number(facts->write_seconds));
  json_object_set_new(times, "total", json_number(facts->total_seconds));
  json_put(&b, "seconds", times);
  int status = json_print(&b, error);
  json_free(&b);
  return status;
}

static void print_residuals(const sync_facts *facts, double median, double most) {
  const lavdm_sync_t *sync = facts->sync;
  if (sync->q > 1) {
    printf("median %.4g, 95 %% below %.4g (%s)\n", median, most, sync_unit(sync));
    return;
  }
  double wrong = 0;
  for (int64_t e = 0; e < sync->edges; e++) wrong += sync->residual[e];
  printf("%.0f of %" PRId64 " edges disagree\n", wrong, sync->edges);
}

static void print_parts(const sync_facts *facts) {
  const lavdm_sync_t *sync = facts->sync;
  printf("  components   %" PRId64 "%s\n", sync->components, sync->isolated ? " and isolated nodes" : "");
  if (sync->components < 2) return;
  printf("  %12s %10s %10s %10s %10s %12s\n", "", "nodes", "edges", "first", "gap", "median");
  for (int64_t c = 0; c < sync->components && c < SHOWN; c++) {
    const lavdm_sync_component *p = sync->part[c];
    printf("  %12" PRId64 " %10" PRId64 " %10" PRId64 " %10" PRId64 " %10.3g %12.4g\n", c, p->nodes, p->edges,
           p->first, p->gap, p->median);
  }
  if (sync->components > SHOWN) printf("  %12s\n", "...");
}

void sync_print(const sync_facts *facts) {
  const lavdm_sync_t *sync = facts->sync;
  char group[32];
  sync_group_name(sync, group);
  printf("  graph        %" PRId64 " nodes, %" PRId64 " edges (%s)\n", sync->n, sync->edges,
         shown(facts->input));
  printf("  group        %s%s\n", group, sync->position ? ", rotations of poses" : "");
  print_parts(facts);
  if (sync->components) {
    const lavdm_sync_component *p = sync->part[0];
    printf("  eigenvalues ");
    for (int64_t l = 0; l < sync->values && l < SHOWN && isfinite(p->eigenvalues[l]); l++)
      printf(" %.6g", p->eigenvalues[l]);
    printf("\n  gap          %.3g after the first %" PRId64 "\n", p->gap, sync->q);
  }
  printf("  residuals    ");
  print_residuals(facts, sync->median, sync->most);
  if (facts->rounds > 0 && sync->q > 1) {
    int64_t doubted = 0;
    for (int64_t e = 0; e < sync->edges; e++) doubted += sync->trust[e] < 0.25;
    printf("  robust       %" PRId64 " rounds, %" PRId64
           " edges (%.1f %%) with less than a quarter of their weight\n",
           facts->rounds, doubted, 100 * (double)doubted / (double)sync->edges);
  }
  if (facts->output) printf("  written      %s\n", shown(facts->output));
  printf("  time         %.2f s (reading %.2f, solving %.2f, writing %.2f)\n", facts->total_seconds,
         facts->read_seconds, sync->seconds, facts->write_seconds);
}

void sync_warn(const sync_facts *facts) {
  for (int i = 0; i < facts->sync->warnings; i++)
    fprintf(stderr, "lavdm: warning: %s\n", shown(facts->sync->warning[i]));
  if (facts->file->note[0])
    fprintf(stderr, "lavdm: warning: %s: %s\n", shown(facts->input), shown(facts->file->note));
}
