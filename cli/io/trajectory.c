/* Trajectories, a pose on each line: KITTI and TUM. An edge leads from each pose to the next. */
#include "io/pose_formats.h"
#include "io/pose_lines.h"
#include "io/room.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* a' b for quaternions. */
static void between(const double *a, const double *b, double *c) {
  c[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  c[1] = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2];
  c[2] = a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1];
  c[3] = a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0];
}

static void join(pose_graph *g) {
  for (int64_t e = 0; e < g->edges; e++) {
    const double *x = g->vertex_rotation + 4 * e, *p = g->vertex_position + 3 * e;
    double back[9];
    g->from[e] = e, g->to[e] = e + 1;
    g->turn_weight[e] = g->shift_weight[e] = 1;
    between(x, x + 4, g->rotation + 4 * e);
    pose_matrix(3, x, true, back);
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) g->shift[3 * e + a] += back[3 * a + b] * (p[3 + b] - p[b]);
  }
}

static int make_room(text_lines *t, pose_graph *g, bool named) {
  int64_t n = 0, length = t->end - t->text, letters = named ? length : 0;
  const char *at = t->at;
  while (pose_lines_next(t)) n++;
  if (n < 2)
    return io_fail(t->error, LAVDM_ERROR_DATA, t->path, "a trajectory has two poses or more, and here %s",
                   n ? "is one" : "are none");
  lines_rewind(t, at);
  int status = room_check(t->path, NULL, length, n * 8 * 19 + letters, t->error);
  if (status < 0) return status;
  g->vertex = calloc((size_t)n, sizeof *g->vertex);
  g->vertex_rotation = calloc((size_t)(4 * n), sizeof *g->vertex_rotation);
  g->vertex_position = calloc((size_t)(3 * n), sizeof *g->vertex_position);
  g->names = named ? calloc((size_t)length + 1, 1) : NULL; /* times are part of the text */
  g->name_at = named ? calloc((size_t)n + 1, sizeof *g->name_at) : NULL;
  if (!g->vertex || !g->vertex_rotation || !g->vertex_position || (named && (!g->names || !g->name_at)) ||
      !pose_graph_edges(g, 3, n - 1, false))
    return io_memory(t->error, t->path, n * 8 * 19 + letters);
  g->vertices = g->posed = n;
  g->named = named ? n : 0;
  return LAVDM_OK;
}

static int take_matrix(const pose_line *l, int64_t i, pose_graph *g) {
  double x[12];
  int status = pose_line_values(l, 12, x);
  if (status < 0) return status;
  for (int k = 0; k < 3; k++) g->vertex_position[3 * i + k] = x[4 * k + 3];
  const double m[9] = {x[0], x[1], x[2], x[4], x[5], x[6], x[8], x[9], x[10]};
  return pose_line_rotation(l, m, g->vertex_rotation + 4 * i);
}

static int take_quaternion(const pose_line *l, int64_t i, pose_graph *g) {
  double x[8];
  int status = pose_line_values(l, 8, x);
  if (status < 0) return status;
  memcpy(g->vertex_position + 3 * i, x + 1, 3 * sizeof *x);
  return pose_line_quaternion(l, x + 4, g->vertex_rotation + 4 * i);
}

static void keep_time(const text_lines *t, int64_t i, pose_graph *g) {
  const char *at = t->start, *from, *to;
  next_word(&at, t->stop, &from, &to);
  memcpy(g->names + g->name_at[i], from, (size_t)(to - from));
  g->name_at[i + 1] = g->name_at[i] + (to - from) + 1;
  g->names[g->name_at[i + 1] - 1] = i + 1 < g->named ? '\n' : 0;
}

static int read_trajectory(const char *path, bool times, pose_graph *g, lavdm_error *error) {
  text_lines t;
  int status = lines_open(path, &t, error);
  if (status >= 0) status = make_room(&t, g, times);
  for (int64_t i = 0; status >= 0 && pose_lines_next(&t); i++) {
    pose_line l = {path, times ? "a pose of TUM" : "a pose of KITTI", t.start, t.stop, t.line, error};
    g->vertex[i] = i;
    status = times ? take_quaternion(&l, i, g) : take_matrix(&l, i, g);
    if (times) keep_time(&t, i, g);
  }
  lines_close(&t);
  if (status >= 0) join(g);
  return status;
}

int kitti_read(const char *path, pose_graph *out, lavdm_error *error) {
  return read_trajectory(path, false, out, error);
}

int tum_read(const char *path, pose_graph *out, lavdm_error *error) {
  return read_trajectory(path, true, out, error);
}
