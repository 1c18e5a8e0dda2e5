/*
 * Arrow i is B_i u_l[i]: the columns of B_i, the frame of point i, times the eigenvector there. Arrows are
 * drawn at points each of which is the farthest from those before; the longest are as long as from one to the
 * next.
 */
#include "picture/field_view.h"
#include "base/command.h"
#include "picture/clouds.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8000, GRID = 48 };

void field_free(field_t *f) {
  free(f->x), free(f->v), free(f->row), free(f->chosen);
  *f = (field_t){0};
}

/* -------------------------------------------------------------------- read */

/* The points that frames are at: those of the result, or of a file, in the principal coordinates of the run.
 */
static int read_points(const result_t *result, const request_t *ask, int64_t n, int64_t p,
                       const double **points, io_array *own, lavdm_error *error) {
  const io_array *kept = result_find(result, "points", IO_REAL, 2),
                 *basis = result_find(result, "pca_basis", IO_REAL, 2),
                 *mean = result_find(result, "pca_mean", IO_REAL, 1);
  if (!ask->data) {
    if (!kept || kept->shape[0] != n || kept->shape[1] != p)
      return refuse(error, STATUS_USAGE,
                    "--fields: %.200s has no points; give those that it was made of: --data FILE",
                    ask->input);
    *points = kept->data;
    return LAVDM_OK;
  }
  int status = io_read(ask->data, own, error);
  if (status < 0) return status;
  int64_t wide = basis && mean ? basis->shape[0] : p;
  if (own->type != IO_REAL || own->rank != 2 || own->shape[0] != n || own->shape[1] != wide)
    return refuse(error, LAVDM_ERROR_DATA,
                  "%.200s: %" PRId64 " points of %" PRId64
                  " coordinates, not whole numbers, are needed, as %.100s has",
                  ask->data, n, wide, ask->input);
  double *x = own->data;
  *points = x;
  if (!basis || !mean) return LAVDM_OK;
  double *y = calloc((size_t)(n * p) + 1, sizeof *y);
  if (!y) return no_room(error);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < wide; j++)
      for (int64_t k = 0; k < p; k++)
        y[i * p + k] +=
            (x[i * wide + j] - ((const double *)mean->data)[j]) * ((const double *)basis->data)[j * p + k];
  free(own->data);
  own->data = y;
  *points = y;
  return LAVDM_OK;
}

/* Axes of the drawing in the coordinates of the points: those themselves, or principal ones. */
static int choose_axes(const result_t *result, field_t *f, int64_t p, const double *points, double **axis,
                       lavdm_error *error) {
  const io_array *columns = result_find(result, "columns", IO_TEXT, 1);
  f->dims = p == 2 ? 2 : 3;
  *axis = calloc((size_t)(f->dims * p), sizeof **axis);
  if (!*axis) return no_room(error);
  const char *at = columns && p <= 3 ? columns->data : NULL;
  for (int a = 0; a < f->dims; a++) {
    size_t length = at ? strcspn(at, "\n") : 0;
    (*axis)[a * p + a] = 1;
    if (p > 3)
      snprintf(f->name[a], sizeof f->name[a], "principal axis %d", a + 1);
    else if (length)
      snprintf(f->name[a], sizeof f->name[a], "%.*s", length < 40 ? (int)length : 40, at);
    else
      snprintf(f->name[a], sizeof f->name[a], "coordinate %d", a + 1);
    at = at && at[length] ? at + length + 1 : NULL;
  }
  if (p <= 3) return LAVDM_OK;
  double *x = malloc((size_t)(f->count * p) * sizeof *x + 1);
  for (int64_t i = 0; i < f->count && x; i++)
    memcpy(x + i * p, points + f->row[i] * p, (size_t)p * sizeof *x);
  bool room = x && principal_axes(x, f->count, p, f->dims, *axis);
  free(x);
  return room ? LAVDM_OK : no_room(error);
}

int field_read(const result_t *result, const request_t *ask, field_t *f, lavdm_error *error) {
  const io_array *frames = result_find(result, "frames", IO_REAL, 3),
                 *vectors = result_find(result, "eigenvectors", IO_REAL, 3);
  const char *bundle = result_text(result, "bundle");
  if (!bundle) bundle = result_text(result, "option_bundle");
  int64_t n = vectors->shape[0], q = vectors->shape[1], r = vectors->shape[2], l = ask->field;
  if (!frames || frames->shape[0] != n || frames->shape[2] != q || (bundle && strcmp(bundle, "tangent")))
    return refuse(error, STATUS_USAGE,
                  "--fields: eigenvectors of %.200s are no fields of tangent vectors; those of --method vdm "
                  "and lavdm are",
                  ask->input);
  if (l >= r)
    return refuse(error, STATUS_USAGE,
                  "--fields is %" PRId64 ": the result has %" PRId64 " eigenvectors, from 0", l, r);
  int64_t p = frames->shape[1];
  if (p < 2) return refuse(error, STATUS_USAGE, "--fields: points of one coordinate have no arrows to draw");
  const double *points = NULL, *u = vectors->data, *b = frames->data;
  double *axis = NULL;
  io_array own = {0};
  int status = read_points(result, ask, n, p, &points, &own, error);
  f->view = ask->view;
  f->row = calloc((size_t)(n < MOST ? n : MOST) + 1, sizeof *f->row);
  if (status >= 0 && !f->row) status = no_room(error);
  for (int64_t i = 0; i < n && status >= 0; i++)
    if (n < MOST || i >= f->count * n / MOST) f->row[f->count++] = i;
  if (status >= 0) status = choose_axes(result, f, p, points, &axis, error);
  int dims = f->dims;
  f->x = calloc((size_t)(f->count * dims) + 1, sizeof *f->x);
  f->v = calloc((size_t)(f->count * dims) + 1, sizeof *f->v);
  f->chosen = calloc((size_t)f->count + 1, sizeof *f->chosen);
  if (status >= 0 && (!f->x || !f->v || !f->chosen)) status = no_room(error);
  for (int64_t i = 0; i < f->count && status >= 0; i++)
    for (int64_t j = 0; j < p; j++) {
      double along = 0;
      for (int64_t c = 0; c < q; c++)
        along += b[(f->row[i] * p + j) * q + c] * u[(f->row[i] * q + c) * r + l];
      for (int a = 0; a < dims; a++) {
        f->x[i * dims + a] += axis[a * p + j] * points[f->row[i] * p + j];
        f->v[i * dims + a] += axis[a * p + j] * along;
      }
    }
  snprintf(f->heading, sizeof f->heading, "Field of eigenvector %" PRId64, l);
  free(axis);
  io_array_free(&own);
  return status;
}

/* -------------------------------------------------------------------- draw */

static double distance2(const double *x, const double *y, int dims) {
  double sum = 0;
  for (int a = 0; a < dims; a++) sum += (x[a] - y[a]) * (x[a] - y[a]);
  return sum;
}

/* Each the farthest from those before; *step, the distance from the last to the nearest of them. */
static int64_t spread(field_t *f, int64_t most, double *step) {
  double *nearest = malloc((size_t)f->count * sizeof *nearest + 1);
  if (!nearest) return -1;
  int64_t found = 0, next = 0;
  for (int64_t i = 0; i < f->count; i++) {
    double norm = 0;
    for (int a = 0; a < f->dims; a++) norm += f->v[i * f->dims + a] * f->v[i * f->dims + a];
    nearest[i] = norm > 0 && isfinite(norm) ? INFINITY : 0; /* no arrow, no place */
    if (nearest[next] <= 0) next = i;
  }
  while (found < most && found < f->count && nearest[next] > 0) {
    f->chosen[found++] = next;
    *step = sqrt(nearest[next]);
    for (int64_t i = 0; i < f->count; i++)
      nearest[i] =
          fmin(nearest[i], distance2(f->x + i * f->dims, f->x + f->chosen[found - 1] * f->dims, f->dims));
    for (int64_t i = 0; i < f->count; i++)
      if (nearest[i] > nearest[next]) next = i;
  }
  free(nearest);
  return found;
}

/* The nearest depths in a grid over the picture, to tell what lies behind something. */
typedef struct {
  double low[3], high[3], depth[GRID][GRID];
} front_t;

static double *front_at(front_t *g, const double *seen) {
  int k[2];
  for (int a = 0; a < 2; a++) {
    double at = (seen[a] - g->low[a]) / fmax(g->high[a] - g->low[a], 1e-300);
    k[a] = (int)fmin(fmax(at * GRID, 0), GRID - 1);
  }
  return &g->depth[k[1]][k[0]];
}

static void front_find(const field_t *f, front_t *g) {
  double seen[3];
  for (int a = 0; a < 3; a++) g->low[a] = INFINITY, g->high[a] = -INFINITY;
  for (int64_t i = 0; i < f->count; i++) {
    view_see(f->view, f->x + 3 * i, seen);
    for (int a = 0; a < 3; a++) g->low[a] = fmin(g->low[a], seen[a]), g->high[a] = fmax(g->high[a], seen[a]);
  }
  for (int k = 0; k < GRID * GRID; k++) g->depth[k / GRID][k % GRID] = -INFINITY;
  for (int64_t i = 0; i < f->count; i++) {
    view_see(f->view, f->x + 3 * i, seen);
    double *at = front_at(g, seen);
    *at = fmax(*at, seen[2]);
  }
}

static bool is_hidden(front_t *g, const double *seen) {
  return *front_at(g, seen) > seen[2] + 0.18 * (g->high[2] - g->low[2]);
}

/* Grey dots, or dots in pale colours; behind the surface none. */
static void put_ground(sheet_t *p, const field_t *f, front_t *g, const colours_t *c) {
  fprintf(p->to->script, "$ground << END\nNaN NaN 0\n");
  for (int64_t i = 0; i < f->count; i++) {
    double seen[3] = {f->x[i * f->dims], f->x[i * f->dims + 1], 0};
    if (f->dims == 3) view_see(f->view, f->x + 3 * i, seen);
    if (g && is_hidden(g, seen)) continue;
    int rgb = c->value ? mix_rgb(colours_rgb(c, f->row[i]), 0xffffff, 0.55) : 0xd4d4d4;
    fprintf(p->to->script, "%.6g %.6g %d\n", seen[0], seen[1], rgb);
  }
  fprintf(p->to->script, "END\n");
}

/* Two blocks: what is behind, pale, and what is in front. */
static void put_arrows(sheet_t *p, const field_t *f, front_t *g, int64_t count, double scale) {
  for (int front = 0; front < 2; front++) {
    fprintf(p->to->script, "$arrows%d << END\nNaN NaN 0 0\n", front);
    for (int64_t k = 0; k < count; k++) {
      const double *x = f->x + f->chosen[k] * f->dims, *v = f->v + f->chosen[k] * f->dims;
      double seen[3] = {x[0], x[1], 0}, along[3] = {v[0], v[1], 0};
      if (f->dims == 3) view_see(f->view, x, seen), view_see(f->view, v, along);
      if (g && is_hidden(g, seen) == (front == 1)) continue;
      if (!g && !front) continue;
      fprintf(p->to->script, "%.6g %.6g %.6g %.6g\n", seen[0] - 0.5 * scale * along[0],
              seen[1] - 0.5 * scale * along[1], scale * along[0], scale * along[1]);
    }
    fprintf(p->to->script, "END\n");
  }
}

static int by_number(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The length that all but the longest twentieth of the arrows stay below. */
static double longest(const field_t *f, int64_t count) {
  double *norm = malloc((size_t)count * sizeof *norm + 1), found = 0;
  for (int64_t k = 0; k < count && norm; k++) {
    const double *v = f->v + f->chosen[k] * f->dims;
    norm[k] = 0;
    for (int a = 0; a < f->dims; a++) norm[k] += v[a] * v[a];
  }
  if (norm && count) {
    qsort(norm, (size_t)count, sizeof *norm, by_number);
    found = sqrt(norm[(count - 1) * 19 / 20]);
  }
  free(norm);
  return found;
}

static rect_t put_axes(sheet_t *p, rect_t cell, const field_t *f) {
  const char *const name[3] = {f->name[0], f->name[1], f->name[2]};
  box_t box;
  axes_t axes = {.heading = f->heading, .name = {name[0], name[1]}, .equal = true};
  for (int a = 0; a < f->dims; a++) axes_range(f->x + a, f->count, f->dims, &box.low[a], &box.high[a]);
  if (f->dims == 3) return space_axes(p, cell, f->view, &box, f->heading, name);
  for (int a = 0; a < 2; a++) axes.low[a] = box.low[a], axes.high[a] = box.high[a];
  return axes_draw(p, cell, &axes);
}

bool field_draw(sheet_t *p, rect_t cell, field_t *f, const colours_t *colours) {
  front_t *g = f->dims == 3 ? malloc(sizeof *g) : NULL;
  if (f->dims == 3 && !g) return false;
  if (g) front_find(f, g);
  cell = legend_draw(p, cell, colours);
  rect_t in = put_axes(p, cell, f);
  double step = 0, room = in.width * in.height / 170;
  int64_t count = spread(f, (int64_t)fmin(fmax(fmin(room, (double)f->count / 3), 40), 700), &step);
  double most = count > 0 ? longest(f, count) : 0, scale = most > 0 ? 1.35 * step / most : 0;
  if (count >= 0) {
    put_ground(p, f, g, colours);
    put_arrows(p, f, g, count, scale);
    const char *how = "with vectors head filled size screen %.5f,22 lw %.4g lc rgb '#%06x'";
    double head = 3 / p->width, wide = 0.7 * p->to->line;
    fprintf(p->to->script,
            "plot $ground using 1:2:3 with points pt %d ps %.4g lc rgb variable, $arrows0 using 1:2:3:4 ",
            CIRCLE, fmin(dot_radius(in, 2 * f->count), 0.55) * p->to->dot);
    fprintf(p->to->script, how, head, wide, 0xb9cede);
    fprintf(p->to->script, ", $arrows1 using 1:2:3:4 ");
    fprintf(p->to->script, how, head, wide, 0x004c7f);
    fprintf(p->to->script, "\n");
  }
  sheet_next(p);
  free(g);
  return count >= 0;
}
