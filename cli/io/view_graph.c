/* Relative rotations of images: COLMAP's and glomap's text, and 1DSfM's. */
#include "io/pose_formats.h"
#include "io/pose_lines.h"
#include "io/room.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name in the text, and where it stands: place 2 e + (0: first, 1: second) for edge e. */
typedef struct {
  const char *text;
  int64_t length, place;
} name_at;

static int make_room(text_lines *t, pose_graph *g, int64_t more) {
  int64_t n = 0;
  const char *at = t->at;
  while (pose_lines_next(t)) n++;
  if (!n) return io_fail(t->error, LAVDM_ERROR_DATA, t->path, "has no pairs of images");
  lines_rewind(t, at);
  int status = room_check(t->path, NULL, t->end - t->text, n * (56 + more), t->error);
  if (status >= 0 && !pose_graph_edges(g, 3, n, true)) status = io_memory(t->error, t->path, n * 56);
  pose_graph_tell(g, "translations left out: their scale is not known");
  return status;
}

/* --------------------------------------------------------------- 1DSfM */

int sfm_read(const char *path, pose_graph *g, lavdm_error *error) {
  text_lines t;
  int status = lines_open(path, &t, error);
  if (status >= 0) status = make_room(&t, g, 0);
  for (int64_t e = 0; status >= 0 && pose_lines_next(&t); e++) {
    pose_line l = {path, "a pair of 1DSfM", t.start, t.stop, t.line, error};
    double x[14];
    status = pose_line_values(&l, 14, x);
    if (status >= 0) status = pose_line_node(&l, x[0], &g->from[e]);
    if (status >= 0) status = pose_line_node(&l, x[1], &g->to[e]);
    if (status >= 0) status = pose_line_rotation(&l, x + 2, g->rotation + 4 * e);
    g->turn_weight[e] = 1;
  }
  lines_close(&t);
  return status;
}

/* -------------------------------------------------------------- COLMAP */

static int by_text(const void *a, const void *b) {
  const name_at *x = a, *y = b;
  int64_t shorter = x->length < y->length ? x->length : y->length;
  int order = memcmp(x->text, y->text, (size_t)shorter);
  if (order) return order;
  if (x->length != y->length) return x->length < y->length ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

static int by_place(const void *a, const void *b) {
  const name_at *x = a, *y = b;
  return (x->place > y->place) - (x->place < y->place);
}

/* A name that is a number as it is printed, such as an id: digits, no 0 before others, exact as a double. */
static bool is_number(const name_at *name, int64_t *number) {
  bool led = name->length > 1 && name->text[0] == '0';
  *number = 0;
  for (int64_t i = 0; i < name->length; i++) {
    if (name->text[i] < '0' || name->text[i] > '9' || i == 16) return false;
    *number = 10 * *number + name->text[i] - '0';
  }
  return !led && *number <= (int64_t)1 << 53;
}

/* If all names are numbers, nodes have these, and no names. */
static bool take_numbers(const name_at *all, pose_graph *g) {
  for (int64_t e = 0; e < g->edges; e++)
    if (!is_number(&all[2 * e], &g->to[e]) || !is_number(&all[2 * e + 1], &g->from[e])) return false;
  return true;
}

/* Nodes get numbers in the order in which their names come first. node[place] is the least place of the same
 * name, then its number. */
static int number_names(text_lines *t, name_at *all, int64_t *node, pose_graph *g) {
  int64_t count = 2 * g->edges, found = 0, letters = 0;
  qsort(all, (size_t)count, sizeof *all, by_text);
  for (int64_t i = 0; i < count; i++) { /* the first of equal names has the least place */
    bool same = i && all[i].length == all[i - 1].length &&
                !memcmp(all[i].text, all[i - 1].text, (size_t)all[i].length);
    node[all[i].place] = same ? node[all[i - 1].place] : all[i].place;
  }
  qsort(all, (size_t)count, sizeof *all, by_place);
  for (int64_t i = 0; i < count; i++)
    if (node[i] == i) g->named++, letters += all[i].length + 1;
  g->names = malloc((size_t)letters + 1);
  g->name_at = calloc((size_t)g->named + 1, sizeof *g->name_at);
  if (!g->names || !g->name_at) return io_memory(t->error, t->path, letters + 8 * g->named);
  for (int64_t i = 0; i < count; i++) {
    if (node[i] < i) {
      node[i] = node[node[i]]; /* which is a number by now */
      continue;
    }
    memcpy(g->names + g->name_at[found], all[i].text, (size_t)all[i].length);
    g->name_at[found + 1] = g->name_at[found] + all[i].length + 1;
    g->names[g->name_at[found + 1] - 1] = found + 1 < g->named ? '\n' : 0;
    node[i] = found++;
  }
  for (int64_t e = 0; e < g->edges; e++) g->to[e] = node[2 * e], g->from[e] = node[2 * e + 1];
  return LAVDM_OK;
}

/* Image 2 is `from`: the rotation takes what image 1 sees to what image 2 does, R_2 R_1'. */
static int take_pair(text_lines *t, int64_t e, name_at *name, pose_graph *g) {
  pose_line l = {t->path, "a pair of images, after their names,", t->start, t->stop, t->line, t->error};
  for (int k = 0; k < 2; k++) {
    const char *from, *to;
    if (!next_word(&l.at, t->stop, &from, &to))
      return io_fail(t->error, LAVDM_ERROR_DATA, t->path, "line %lld: there is one name of an image only",
                     (long long)t->line);
    if (memchr(from, 0, (size_t)(to - from)))
      return io_fail(t->error, LAVDM_ERROR_DATA, t->path, "line %lld: there is a byte 0 in a name",
                     (long long)t->line);
    name[k] = (name_at){from, to - from, 2 * e + k};
  }
  double x[7];
  int status = pose_line_values(&l, 7, x);
  g->turn_weight[e] = 1;
  if (status < 0) return status;
  return pose_line_quaternion(&l, (double[]){x[1], x[2], x[3], x[0]}, g->rotation + 4 * e);
}

int colmap_read(const char *path, pose_graph *g, lavdm_error *error) {
  text_lines t;
  name_at *all = NULL;
  int64_t *node = NULL;
  int status = lines_open(path, &t, error);
  if (status >= 0) status = make_room(&t, g, 2 * (int64_t)(sizeof *all + sizeof *node));
  if (status >= 0) {
    all = calloc((size_t)(2 * g->edges), sizeof *all);
    node = calloc((size_t)(2 * g->edges), sizeof *node);
    if (!all || !node) status = io_memory(error, path, 2 * g->edges * (int64_t)(sizeof *all + sizeof *node));
  }
  for (int64_t e = 0; status >= 0 && pose_lines_next(&t); e++) status = take_pair(&t, e, all + 2 * e, g);
  if (status >= 0 && !take_numbers(all, g)) status = number_names(&t, all, node, g);
  free(all);
  free(node);
  lines_close(&t);
  return status;
}
