/* Which numbers of a file of g2o are those of two things: poses and points share them. */
#include "io/g2o_lines.h"

#include <stdlib.h>

/* ---------------------------------------------------------------- places */

static int by_place(const void *a, const void *b) {
  const g2o_place *x = a, *y = b;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

static g2o_place *sorted(g2o_place *all, int64_t count) {
  bool ascend = true;
  for (int64_t i = 1; i < count && ascend; i++) ascend = by_place(&all[i - 1], &all[i]) < 0;
  if (!ascend) qsort(all, (size_t)count, sizeof *all, by_place);
  return all;
}

g2o_place *g2o_places(const int64_t *id, int64_t count) {
  g2o_place *all = calloc((size_t)count + 1, sizeof *all);
  for (int64_t i = 0; i < count && all; i++) all[i] = (g2o_place){id[i], i};
  return all ? sorted(all, count) : NULL;
}

const g2o_place *g2o_find(const g2o_place *all, int64_t count, int64_t id) {
  int64_t low = 0, high = count;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (all[middle].id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && all[low].id == id ? &all[low] : NULL;
}

/* ----------------------------------------------------- lines that differ */

/* Numbers of which lines differ: how many, and of the first two lines. */
typedef struct {
  int64_t count, id, line[2], last;
} contradiction;

static bool differ(const double *a, const double *b, int count) {
  for (int k = 0; k < count; k++)
    if (a[k] != b[k]) return true;
  return false;
}

static void add_contradiction(contradiction *c, int64_t id, int64_t first, int64_t other) {
  if (c->count && c->last == id) return;
  if (!c->count++) *c = (contradiction){1, id, {first, other}, id};
  c->last = id;
}

static void tell_contradiction(const contradiction *c, const char *lines, const char *what, pose_graph *out) {
  if (c->count == 1)
    pose_graph_tell(out, "the %s lines of %s %lld differ (lines %lld and %lld): the first counts", lines,
                    what, (long long)c->id, (long long)c->line[0], (long long)c->line[1]);
  else if (c->count)
    pose_graph_tell(out,
                    "the %s lines of %lld %ss differ, such as those of %lld (lines %lld and %lld): the first "
                    "counts",
                    lines, (long long)c->count, what, (long long)c->id, (long long)c->line[0],
                    (long long)c->line[1]);
}

static int tell_poses(const g2o_reader *r, pose_graph *out) {
  const g2o_line *line = r->list[LIST_VERTEX].line;
  int dim = out->dim, width = pose_width(dim);
  contradiction c = {0};
  g2o_place *all = g2o_places(out->vertex, out->posed);
  if (!all) return io_memory(r->error, r->path, 16 * out->posed);
  for (int64_t i = 1, first = 0; i < out->posed; i++) {
    if (all[i].id != all[first].id) first = i;
    int64_t a = all[first].at, b = all[i].at;
    if (differ(out->vertex_rotation + a * width, out->vertex_rotation + b * width, width) ||
        differ(out->vertex_position + a * dim, out->vertex_position + b * dim, dim))
      add_contradiction(&c, all[i].id, line[a].line, line[b].line);
  }
  free(all);
  tell_contradiction(&c, "VERTEX", "pose", out);
  return LAVDM_OK;
}

static void tell_offsets(const g2o_reader *r, pose_graph *out) {
  contradiction c = {0};
  const g2o_offset *all = r->offset, *first = all;
  for (const g2o_offset *o = all; o < all + r->list[LIST_OFFSET].count; o++) {
    if (o->id != first->id) first = o;
    if (differ(first->rotation, o->rotation, 4) || differ(first->position, o->position, 3))
      add_contradiction(&c, o->id, first->line, o->line);
  }
  tell_contradiction(&c, "PARAMS", "sensor", out);
}

/* ------------------------------------------------------ points and poses */

static int64_t points_listed(const g2o_reader *r) {
  return r->list[LIST_POINT].count + r->list[LIST_SIGHTING].count;
}

/* The line of a point, by its place in list_points, and of a pose: those of vertices, then ends of edges. */
static const g2o_line *point_line(const g2o_reader *r, int64_t at) {
  int64_t named = r->list[LIST_POINT].count;
  return at < named ? &r->list[LIST_POINT].line[at] : &r->list[LIST_SIGHTING].line[at - named];
}

static const g2o_line *vertex_line(const g2o_reader *r, int64_t at) {
  static const g2o_list lists[] = {LIST_VERTEX, LIST_PRIOR, LIST_SIGHTING};
  int k = 0;
  for (; at >= r->list[lists[k]].count; k++) at -= r->list[lists[k]].count;
  return &r->list[lists[k]].line[at];
}

/* Numbers of points, by lines that were checked before. */
static g2o_place *list_points(const g2o_reader *r, const pose_graph *out) {
  int64_t count = points_listed(r), named = r->list[LIST_POINT].count;
  g2o_place *all = calloc((size_t)count + 1, sizeof *all);
  if (!all) return NULL;
  for (int64_t i = 0; i < count; i++) {
    pose_line l = g2o_pose_line(r, point_line(r, i), NULL);
    double value[4] = {0};
    if (i < named) (void)pose_line_values(&l, point_line(r, i)->tag->numbers, value);
    all[i] = (g2o_place){i < named ? (int64_t)value[0] : out->survey.sighted_point[i - named], i};
  }
  return sorted(all, count);
}

/* The line that says that one of the points is a pose, or NULL; and which point. */
static const g2o_line *find_pose(const g2o_reader *r, const pose_graph *out, const g2o_place *points,
                                 const g2o_place **point) {
  int64_t count = points_listed(r);
  for (int64_t i = 0; i < out->vertices; i++)
    if ((*point = g2o_find(points, count, out->vertex[i]))) return vertex_line(r, i);
  for (int64_t e = 0; e < out->edges; e++)
    if ((*point = g2o_find(points, count, out->from[e])) || (*point = g2o_find(points, count, out->to[e])))
      return &r->list[LIST_EDGE].line[e];
  return NULL;
}

static int check_points(const g2o_reader *r, const pose_graph *out) {
  if (!points_listed(r)) return LAVDM_OK;
  const g2o_place *point;
  g2o_place *all = list_points(r, out);
  if (!all) return io_memory(r->error, r->path, 16 * points_listed(r));
  const g2o_line *pose = find_pose(r, out, all, &point), *line = pose ? point_line(r, point->at) : NULL;
  int status = LAVDM_OK;
  if (pose)
    status = io_fail(r->error, LAVDM_ERROR_DATA, r->path,
                     "line %lld: %s has the point %lld, and by line %lld, %s, that is a pose: give the point "
                     "another number",
                     (long long)line->line, line->tag->word, (long long)point->id, (long long)pose->line,
                     pose->tag->word);
  free(all);
  return status;
}

int g2o_numbers(const g2o_reader *r, pose_graph *out) {
  int status = check_points(r, out);
  if (status >= 0) status = tell_poses(r, out);
  if (status >= 0) tell_offsets(r, out);
  return status;
}
