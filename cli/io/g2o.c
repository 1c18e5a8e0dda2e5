#define _POSIX_C_SOURCE 200809L
#include "io/g2o.h"
#include "io/g2o_lines.h"
#include "io/room.h"

#include <locale.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ------------------------------------------------------------------ tags */

static const g2o_tag tags[] = {
    {"EDGE_SE3:QUAT", 3, LIST_EDGE, FORM_G2O, 30},
    {"EDGE_SE2", 2, LIST_EDGE, FORM_G2O, 11},
    {"VERTEX_SE3:QUAT", 3, LIST_VERTEX, FORM_G2O, 8},
    {"VERTEX_SE2", 2, LIST_VERTEX, FORM_G2O, 4},
    {"EDGE3", 3, LIST_EDGE, FORM_TORO, 29},
    {"EDGE2", 2, LIST_EDGE, FORM_TORO, 11},
    {"VERTEX3", 3, LIST_VERTEX, FORM_TORO, 7},
    {"VERTEX2", 2, LIST_VERTEX, FORM_TORO, 4},
    {"VERTEX_XY", 2, LIST_POINT, FORM_G2O, 3},
    {"VERTEX_TRACKXYZ", 3, LIST_POINT, FORM_G2O, 4},
    {"EDGE_SE2_XY", 2, LIST_SIGHTING, FORM_G2O, 7},
    {"EDGE_SE2_POINTXY_OFFSET", 2, LIST_SIGHTING, FORM_OFFSET, 8},
    {"EDGE_SE3_TRACKXYZ", 3, LIST_SIGHTING, FORM_OFFSET, 12},
    {"EDGE_PRIOR_SE2", 2, LIST_PRIOR, FORM_G2O, 10},
    {"EDGE_PRIOR_SE2_XY", 2, LIST_PRIOR, FORM_PLACE, 6},
    {"EDGE_SE3_PRIOR", 3, LIST_PRIOR, FORM_OFFSET, 30},
    {"PARAMS_SE2OFFSET", 2, LIST_OFFSET, FORM_G2O, 4},
    {"PARAMS_SE3OFFSET", 3, LIST_OFFSET, FORM_G2O, 8},
    {"FIX", 0, LIST_FIX, FORM_NONE, 0},
};

const g2o_tag *g2o_tag_of(const char *from, const char *to) {
  for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
    if (word_is(from, to, tags[i].word)) return &tags[i];
  return NULL;
}

static int ends_in(const char *path, const char *end) {
  size_t length = strlen(path), size = strlen(end);
  return length > size && !strcasecmp(path + length - size, end);
}

int g2o_is(const char *path) {
  return ends_in(path, ".g2o");
}

int toro_is(const char *path) {
  return ends_in(path, ".graph") || ends_in(path, ".toro");
}

/* ----------------------------------------------------------------- lines */

pose_line g2o_pose_line(const g2o_reader *r, const g2o_line *line, lavdm_error *error) {
  return (pose_line){r->path, line->tag->word, line->at, line->stop, line->line, error};
}

static int add_line(g2o_reader *r, const g2o_tag *tag, const char *at) {
  g2o_lines *list = &r->list[tag->list];
  if (list->count == list->room) {
    int64_t room = list->room ? 2 * list->room : 64;
    g2o_line *grown = realloc(list->line, (size_t)room * sizeof *grown);
    if (!grown) return io_memory(r->error, r->path, room * (int64_t)sizeof *grown);
    list->line = grown;
    list->room = room;
  }
  list->line[list->count++] = (g2o_line){tag, at, r->text.stop, r->text.line};
  return LAVDM_OK;
}

/* Which list the line goes to; the dimension is that of the first that has one. */
static int sort_line(g2o_reader *r, pose_graph *out) {
  const char *at = r->text.start, *from, *to;
  if (!next_word(&at, r->text.stop, &from, &to) || *from == '#') return LAVDM_OK;
  const g2o_tag *tag = g2o_tag_of(from, to);
  if (!tag) {
    size_t length = (size_t)(to - from), most = sizeof out->ignored_tag - 1;
    if (!out->ignored++) memcpy(out->ignored_tag, from, length < most ? length : most);
    return LAVDM_OK;
  }
  if (tag->dim && out->dim && out->dim != tag->dim)
    return io_fail(r->error, LAVDM_ERROR_DATA, r->path,
                   "line %lld is of a graph in %d dimensions, and the lines before it of one in %d",
                   (long long)r->text.line, tag->dim, out->dim);
  if (tag->dim) out->dim = tag->dim;
  return add_line(r, tag, at);
}

int g2o_each(const g2o_reader *r, g2o_list list, g2o_take *take, pose_graph *out) {
  const g2o_lines *l = &r->list[list];
  int64_t bad = l->count, count = l->count;
#pragma omp parallel num_threads(r->threads) if (count > 1000)
  {
    locale_t before = uselocale((locale_t)r->text.plain); /* threads have one each */
#pragma omp for reduction(min : bad) schedule(static)
    for (int64_t i = 0; i < count; i++)
      if (i < bad && take(r, &l->line[i], i, out, NULL) < 0) bad = i;
    uselocale(before);
  }
  return bad < count ? take(r, &l->line[bad], bad, out, r->error) : LAVDM_OK;
}

/* ----------------------------------------------------------------- poses */

int g2o_pose_numbers(const g2o_tag *tag) {
  return tag->dim == 2 ? 3 : tag->form == FORM_TORO ? 6 : 7;
}

/* Rz(yaw) Ry(pitch) Rx(roll). */
static void euler_quaternion(const double *angle, double *out) {
  double c[3], s[3];
  for (int k = 0; k < 3; k++) c[k] = cos(angle[k] / 2), s[k] = sin(angle[k] / 2);
  out[0] = c[0] * c[1] * c[2] + s[0] * s[1] * s[2];
  out[1] = s[0] * c[1] * c[2] - c[0] * s[1] * s[2];
  out[2] = c[0] * s[1] * c[2] + s[0] * c[1] * s[2];
  out[3] = c[0] * c[1] * s[2] - s[0] * s[1] * c[2];
}

int g2o_pose(const pose_line *l, const g2o_tag *tag, const double *x, double *rotation, double *shift) {
  memcpy(shift, x, (size_t)tag->dim * sizeof *shift);
  if (tag->dim == 2)
    rotation[0] = x[2];
  else if (tag->form == FORM_TORO)
    euler_quaternion(x + 3, rotation);
  else
    return pose_line_quaternion(l, x + 3, rotation);
  return LAVDM_OK;
}

/* TORO's order of the plane, I11 I12 I22 I33 I13 I23, and in space angles, which are twice the vector part of
 * a quaternion. */
static void from_toro(int dim, double *half) {
  if (dim == 2) {
    const double toro[6] = {half[0], half[1], half[4], half[2], half[5], half[3]};
    memcpy(half, toro, sizeof toro);
    return;
  }
  for (int i = 0, at = 0; i < 6; i++)
    for (int k = i; k < 6; k++, at++) half[at] *= (i >= 3 ? 2 : 1) * (k >= 3 ? 2 : 1);
}

static int take_edge(const g2o_reader *r, const g2o_line *line, int64_t e, pose_graph *out,
                     lavdm_error *error) {
  const g2o_tag *tag = line->tag;
  pose_line l = g2o_pose_line(r, line, error);
  double value[30];
  int dim = tag->dim, count = pose_information(dim);
  double *half = out->information + e * count;
  int status = pose_line_values(&l, tag->numbers, value);
  if (status >= 0) status = pose_line_node(&l, value[0], &out->from[e]);
  if (status >= 0) status = pose_line_node(&l, value[1], &out->to[e]);
  if (status >= 0)
    status = g2o_pose(&l, tag, value + 2, out->rotation + e * pose_width(dim), out->shift + e * dim);
  if (status < 0) return status;
  memcpy(half, value + tag->numbers - count, (size_t)count * sizeof *half);
  if (tag->form == FORM_TORO) from_toro(dim, half);
  return pose_line_weights(&l, dim, half, &out->turn_weight[e], &out->shift_weight[e]);
}

static int take_vertex(const g2o_reader *r, const g2o_line *line, int64_t i, pose_graph *out,
                       lavdm_error *error) {
  pose_line l = g2o_pose_line(r, line, error);
  double value[8];
  int dim = line->tag->dim, status = pose_line_values(&l, line->tag->numbers, value);
  if (status >= 0) status = pose_line_node(&l, value[0], &out->vertex[i]);
  if (status >= 0)
    status = g2o_pose(&l, line->tag, value + 1, out->vertex_rotation + i * pose_width(dim),
                      out->vertex_position + i * dim);
  return status;
}

/* Points are found anew; their lines must be right all the same. */
static int take_point(const g2o_reader *r, const g2o_line *line, int64_t i, pose_graph *out,
                      lavdm_error *error) {
  (void)i, (void)out;
  pose_line l = g2o_pose_line(r, line, error);
  double value[4];
  int64_t id;
  int status = pose_line_values(&l, line->tag->numbers, value);
  return status >= 0 ? pose_line_node(&l, value[0], &id) : status;
}

/* --------------------------------------------------------------- the file */

static int make_room(const g2o_reader *r, pose_graph *out) {
  int64_t edges = r->list[LIST_EDGE].count, poses = r->list[LIST_VERTEX].count,
          held = r->text.end - r->text.text;
  int64_t more = r->list[LIST_PRIOR].count + r->list[LIST_SIGHTING].count; /* that may name nodes */
  int dim = out->dim, width = pose_width(dim), half = pose_information(dim);
  for (int i = 0; i < LISTS; i++) held += r->list[i].room * (int64_t)sizeof *r->list[i].line;
  int64_t bytes =
      8 * (edges * (4 + dim + width + half) + poses * (3 + dim + width) + more * (half + 13 + dim));
  int status = room_check(r->path, NULL, held, bytes, r->error);
  if (status < 0) return status;
  out->information = calloc((size_t)(edges * half), sizeof *out->information);
  out->vertex = calloc((size_t)(poses + more + 1), sizeof *out->vertex);
  out->vertex_rotation = calloc((size_t)(poses * width + 1), sizeof *out->vertex_rotation);
  out->vertex_position = calloc((size_t)(poses * dim + 1), sizeof *out->vertex_position);
  if (!out->information || !out->vertex || !out->vertex_rotation || !out->vertex_position ||
      !pose_graph_edges(out, dim, edges, false))
    return io_memory(r->error, r->path, bytes);
  out->vertices = out->posed = poses;
  return LAVDM_OK;
}

static int fail_empty(const g2o_reader *r, const pose_graph *out) {
  const char *kinds = toro_is(r->path) ? "EDGE2 or EDGE3" : "EDGE_SE2 or EDGE_SE3:QUAT";
  if (out->ignored)
    return io_fail(r->error, LAVDM_ERROR_DATA, r->path, "has no lines %s, but others, such as '%s'", kinds,
                   out->ignored_tag);
  return io_fail(r->error, LAVDM_ERROR_DATA, r->path, "has no lines %s", kinds);
}

static int read_lines(g2o_reader *r, pose_graph *out) {
  int status = LAVDM_OK;
  while (status >= 0 && lines_next(&r->text)) status = sort_line(r, out);
  if (status >= 0 && !r->list[LIST_EDGE].count) status = fail_empty(r, out);
  if (status >= 0) status = make_room(r, out);
  if (status >= 0) status = g2o_each(r, LIST_VERTEX, take_vertex, out);
  if (status >= 0) status = g2o_each(r, LIST_POINT, take_point, out);
  if (status >= 0) status = g2o_each(r, LIST_EDGE, take_edge, out);
  if (status >= 0) status = g2o_survey(r, out);
  if (status >= 0) status = g2o_numbers(r, out);
  if (status >= 0) out->format = r->list[LIST_EDGE].line[0].tag->form == FORM_TORO ? "TORO" : "g2o";
  return status;
}

int g2o_read(const char *path, int64_t threads, pose_graph *out, lavdm_error *error) {
  g2o_reader r = {.path = path, .error = error};
  *out = (pose_graph){0};
  r.threads = threads > 0 && threads < 1024 ? (int)threads : omp_get_max_threads();
  int status = lines_open(path, &r.text, error);
  if (status >= 0) status = read_lines(&r, out);
  lines_close(&r.text);
  for (int i = 0; i < LISTS; i++) free(r.list[i].line);
  free(r.offset);
  if (status < 0) pose_graph_free(out);
  return status;
}
