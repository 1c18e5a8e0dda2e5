#define _POSIX_C_SOURCE 200809L
#include "io/g2o.h"
#include "io/g2o_lines.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  output_file *file;
  bool toro;
  const pose_result *result;
} writer;

static int write_number(output_file *file, double x) {
  char text[DECIMAL_SIZE + 1];
  int length = decimal_print(x, text + 1) + 1;
  text[0] = ' ';
  return output_write(file, text, (size_t)length);
}

static int write_numbers(output_file *file, const double *x, int count) {
  int status = LAVDM_OK;
  for (int k = 0; k < count && status >= 0; k++) status = write_number(file, x ? x[k] : 0);
  return status;
}

static int write_tag(output_file *file, const char *tag, int64_t id) {
  char text[64];
  int length = snprintf(text, sizeof text, "%s %lld", tag, (long long)id);
  return output_write(file, text, (size_t)length);
}

/* Roll, pitch and yaw of a quaternion w x y z. */
static void euler_angles(const double *rotation, double angle[3]) {
  double m[9];
  pose_matrix(3, rotation, false, m);
  angle[0] = atan2(m[7], m[8]);
  angle[1] = atan2(-m[6], hypot(m[0], m[3]));
  angle[2] = atan2(m[3], m[0]);
  if (hypot(m[0], m[3]) < 1e-9) /* pitch is a right angle: yaw can be anything, and is 0 */
    angle[0] = atan2(-m[5], m[4]), angle[2] = 0;
}

static int write_pose(const writer *w, int64_t i) {
  static const char *const tag[2][2] = {{"VERTEX_SE2", "VERTEX_SE3:QUAT"}, {"VERTEX2", "VERTEX3"}};
  const pose_result *r = w->result;
  const double *x = r->rotation + i * pose_width(r->dim);
  double numbers[4] = {x[0]};
  if (r->dim == 3 && w->toro) euler_angles(x, numbers);
  if (r->dim == 3 && !w->toro) memcpy(numbers, (double[]){x[1], x[2], x[3], x[0]}, sizeof numbers);
  int status = write_tag(w->file, tag[w->toro][r->dim - 2], r->node[i]);
  if (status >= 0) status = write_numbers(w->file, r->position ? r->position + i * r->dim : NULL, r->dim);
  if (status >= 0) status = write_numbers(w->file, numbers, r->dim == 2 ? 1 : w->toro ? 3 : 4);
  return status >= 0 ? output_write(w->file, "\n", 1) : status;
}

static int write_point(const writer *w, int64_t i) {
  const pose_result *r = w->result;
  int status = write_tag(w->file, r->dim == 2 ? "VERTEX_XY" : "VERTEX_TRACKXYZ", r->point[i]);
  if (status >= 0) status = write_numbers(w->file, r->point_position + i * r->dim, r->dim);
  return status >= 0 ? output_write(w->file, "\n", 1) : status;
}

static int by_number(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Whether the pose or point of the line is among those that were written. */
static bool is_solved(const writer *w, const g2o_tag *tag, const char *at, const char *stop) {
  const char *from, *to;
  int64_t id = -1;
  double real;
  if (tag->list == LIST_VERTEX) return true;
  if (tag->list != LIST_POINT || !next_word(&at, stop, &from, &to)) return false;
  if (decimal_parse(from, to, &id, &real) != CELL_INTEGER) id = real >= 0 && real < 1e15 ? (int64_t)real : -1;
  return w->result->points &&
         bsearch(&id, w->result->point, (size_t)w->result->points, sizeof id, by_number) != NULL;
}

/* Lines as they stand: of sensors (first), or all others but of what was solved, and comments. */
static int copy_lines(const writer *w, const char *path, bool sensors, lavdm_error *error) {
  text_lines t;
  int status = lines_open(path, &t, error);
  while (status >= 0 && lines_next(&t)) {
    const char *at = t.start, *from, *to;
    if (!next_word(&at, t.stop, &from, &to) || *from == '#') continue;
    const g2o_tag *tag = g2o_tag_of(from, to);
    bool sensor = tag && tag->list == LIST_OFFSET;
    if (sensor != sensors || (tag && is_solved(w, tag, at, t.stop))) continue;
    status = output_write(w->file, from, (size_t)(t.stop - from));
    if (status >= 0) status = output_write(w->file, "\n", 1);
  }
  lines_close(&t);
  return status;
}

/* ------------------------------------------------- edges of other files */

/* The upper half of what kappa and tau stand for. */
static void isotropic(int dim, double kappa, double tau, double *half) {
  int d = dim == 2 ? 3 : 6;
  for (int i = 0, at = 0; i < d; i++)
    for (int k = i; k < d; k++) half[at++] = i != k ? 0 : i < dim ? tau : dim == 2 ? kappa : 2 * kappa;
}

/* Numbers of the information as TORO has them (g2o.c). */
static void to_toro(int dim, double *half) {
  if (dim == 2)
    memcpy(half, (double[]){half[0], half[1], half[3], half[5], half[2], half[4]}, 6 * sizeof *half);
  for (int i = 0, at = 0; i < 6 && dim == 3; i++)
    for (int k = i; k < 6; k++, at++) half[at] /= (i >= 3 ? 2 : 1) * (k >= 3 ? 2 : 1);
}

static int write_edge(const writer *w, const pose_graph *g, int64_t e) {
  static const char *const tag[2][2] = {{"EDGE_SE2", "EDGE_SE3:QUAT"}, {"EDGE2", "EDGE3"}};
  const double *x = g->rotation + e * pose_width(g->dim);
  double turn[4] = {x[0]}, half[21];
  int count = pose_information(g->dim);
  if (g->dim == 3 && w->toro) euler_angles(x, turn);
  if (g->dim == 3 && !w->toro) memcpy(turn, (double[]){x[1], x[2], x[3], x[0]}, sizeof turn);
  isotropic(g->dim, g->turn_weight[e], g->shift_weight[e], half);
  if (g->information) memcpy(half, g->information + e * count, (size_t)count * sizeof *half);
  if (w->toro) to_toro(g->dim, half);
  int status = write_tag(w->file, tag[w->toro][g->dim - 2], g->from[e]);
  if (status >= 0) status = write_number(w->file, (double)g->to[e]);
  if (status >= 0) status = write_numbers(w->file, g->shift + e * g->dim, g->dim);
  if (status >= 0) status = write_numbers(w->file, turn, g->dim == 2 ? 1 : w->toro ? 3 : 4);
  if (status >= 0) status = write_numbers(w->file, half, count);
  return status >= 0 ? output_write(w->file, "\n", 1) : status;
}

static int write_edges(const writer *w) {
  const pose_graph *g = w->result->graph;
  int status = LAVDM_OK;
  if (!g || !g->shift) return status;
  for (int64_t e = 0; e < g->edges && status >= 0; e++) status = write_edge(w, g, e);
  return status;
}

int g2o_write(const char *path, const pose_result *result, const char *rest_of, lavdm_error *error) {
  output_file *file = malloc(sizeof *file);
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!file || !plain) {
    free(file);
    if (plain) freelocale(plain);
    return io_memory(error, path, 0);
  }
  locale_t before = uselocale(plain);
  writer w = {file, toro_is(path), result};
  int status = output_begin(file, path, error);
  if (status >= 0) {
    if (rest_of) status = copy_lines(&w, rest_of, true, error);
    for (int64_t i = 0; i < result->n && status >= 0; i++) status = write_pose(&w, i);
    for (int64_t i = 0; i < result->points && status >= 0; i++) status = write_point(&w, i);
    if (status >= 0) status = rest_of ? copy_lines(&w, rest_of, false, error) : write_edges(&w);
    status = output_end(file, status);
  }
  uselocale(before);
  freelocale(plain);
  free(file);
  return status;
}
