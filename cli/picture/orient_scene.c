/*
 * What the signs look like. With v the leading eigenvector of mean square 1, B_i the frame of
 * point i and S the directions of the screen (right, up, towards the viewer, ...; d of them), a
 * point has the colour of the sign of v_i det(S' B_i), paler where |v_i| is small and darker where
 * |det| is: its frame, reflected if its sign says so, as it is seen. On a surface in space this is
 * the side that faces the viewer.
 * The double cover is drawn by the first three of its coordinates that are new (novel.h), in
 * perspective along the fourth if there is one, so that a flat torus is a ring; its colour is the
 * first odd coordinate, opposite at the two points over one.
 */
#include "picture/orient_scene.h"
#include "output/novel.h"
#include "picture/drawing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 4 };

/* ----------------------------------------------------------------- view */

/* Directions of the screen in principal coordinates; from above if there are only two. */
static void choose_view(bool flat, double view[SPACE][SPACE]) {
  double turn = 0.5, tilt = flat ? M_PI / 2 : 0.6;
  if (flat) turn = 0;
  const double c = cos(turn), s = sin(turn), e = sin(tilt), f = cos(tilt);
  const double found[SPACE][SPACE] = {{c, s, 0}, {-s * e, c * e, f}, {s * f, -c * f, e}};
  memcpy(view, found, sizeof found);
}

/* Whether the third column spreads hardly at all. */
static bool is_flat(const double *y, int64_t n, int width) {
  double first = 0, third = 0;
  for (int64_t i = 0; i < n; i++) {
    first += y[i * width] * y[i * width];
    third += y[i * width + 2] * y[i * width + 2];
  }
  return third < 1e-6 * first;
}

static void see(double view[SPACE][SPACE], const double *y, dot_t *out) {
  double seen[SPACE] = {0};
  for (int a = 0; a < SPACE; a++)
    for (int b = 0; b < SPACE; b++) seen[a] += view[a][b] * y[b];
  out->x = seen[0];
  out->y = seen[1];
  out->depth = seen[2];
}

/* --------------------------------------------------------------- points */

static double determinant(int64_t d, double *m) {
  double det = 1;
  for (int64_t k = 0; k < d; k++) {
    int64_t best = k;
    for (int64_t i = k; i < d; i++)
      if (fabs(m[i * d + k]) > fabs(m[best * d + k])) best = i;
    if (best != k) det = -det;
    for (int64_t j = 0; j < d && best != k; j++) {
      double t = m[k * d + j];
      m[k * d + j] = m[best * d + j];
      m[best * d + j] = t;
    }
    det *= m[k * d + k];
    for (int64_t i = k + 1; i < d && m[k * d + k] != 0; i++)
      for (int64_t j = d - 1; j >= k; j--) m[i * d + j] -= m[i * d + k] / m[k * d + k] * m[k * d + j];
  }
  return det;
}

static double number_at(const void *data, lavdm_type type, int64_t at) {
  return type == LAVDM_F32 ? (double)((const float *)data)[at] : ((const double *)data)[at];
}

/* screen (d x k): the first d directions of the screen in the coordinates of the frames. */
static void screen_directions(const lavdm_model *model, double view[SPACE][SPACE], const double *axis,
                              int64_t p, int64_t d, double *screen) {
  const lavdm_array *basis = lavdm_get(model, "pca_basis");
  int64_t k = lavdm_info(model)->p;
  for (int64_t a = 0; a < d; a++)
    for (int64_t j = 0; j < p; j++) {
      double s = a < SPACE ? 0 : axis[a * p + j];
      for (int b = 0; a < SPACE && b < SPACE; b++) s += view[a][b] * axis[b * p + j];
      for (int64_t c = 0; basis && c < k; c++)
        screen[a * k + c] += s * ((const double *)basis->data)[j * k + c];
      if (!basis) screen[a * k + j] = s;
    }
}

/* v_i and det(S' B_i) */
static void seen_side(const lavdm_model *model, const double *screen, int64_t i, double *m, dot_t *out) {
  const lavdm_array *frames = lavdm_get(model, "frames"), *v = lavdm_get(model, "leading");
  int64_t k = frames->shape[1], d = frames->shape[2];
  for (int64_t a = 0; a < d; a++)
    for (int64_t b = 0; b < d; b++) {
      m[a * d + b] = 0;
      for (int64_t c = 0; c < k; c++)
        m[a * d + b] += screen[a * k + c] * number_at(frames->data, frames->type, (i * k + c) * d + b);
    }
  double det = determinant(d, m), own = ((const double *)v->data)[i];
  out->value = det < 0 ? -own : own;
  out->shade = fabs(det);
}

void scene_free(scene_t *s) {
  free(s->row), free(s->x), free(s->axis), free(s->screen), free(s->m), free(s->dots);
}

static int64_t scene_row(const scene_t *s, int64_t i) {
  int64_t at = (int64_t)((double)i * (double)s->n / (double)s->shown);
  return s->row ? s->row[at] : at;
}

/* The points that were judged, or all if none was. */
static bool choose_rows(const lavdm_model *model, scene_t *s) {
  const double *v = lavdm_get(model, "leading")->data;
  int64_t n = lavdm_info(model)->n;
  s->row = calloc((size_t)n, sizeof *s->row);
  for (int64_t i = 0; s->row && i < n; i++)
    if (v[i] != 0) s->row[s->n++] = i;
  for (int64_t i = 0; s->row && !s->n && i < n; i++) s->row[i] = i;
  if (!s->n) s->n = n;
  s->shown = s->n < DRAWING_POINTS ? s->n : DRAWING_POINTS;
  return s->row != NULL;
}

/* Turns the colours of each component so that its near points are blue rather than orange. */
static void turn_colours(const lavdm_model *model, const scene_t *s) {
  const lavdm_array *component = lavdm_get(model, "graph_component");
  const int64_t *label = component ? component->data : NULL;
  for (int64_t c = 0; c < lavdm_info(model)->graph_components; c++) {
    double middle = 0, lean = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < s->shown; i++)
      if (!label || label[scene_row(s, i)] == c) middle += s->dots[i].depth, count++;
    for (int64_t i = 0; i < s->shown; i++)
      if (!label || label[scene_row(s, i)] == c)
        lean += s->dots[i].value * s->dots[i].shade * (s->dots[i].depth * (double)count - middle);
    for (int64_t i = 0; i < s->shown && lean < 0; i++)
      if (!label || label[scene_row(s, i)] == c) s->dots[i].value = -s->dots[i].value;
  }
}

/* The dots of the points, at most DRAWING_POINTS of them. */
bool scene_of_points(const lavdm_data *data, const lavdm_model *model, scene_t *s) {
  int64_t p = data->p, d = lavdm_info(model)->chosen->dim, rs = data->row_stride, cs = data->col_stride;
  int axes = d > SPACE ? (int)d : SPACE;
  if (!rs && !cs) rs = p, cs = 1;
  if (!choose_rows(model, s)) return false;
  s->x = calloc((size_t)(s->shown * p), sizeof *s->x);
  s->axis = calloc((size_t)(axes * p), sizeof *s->axis);
  s->screen = calloc((size_t)(d * p), sizeof *s->screen);
  s->m = calloc((size_t)(d * d), sizeof *s->m);
  s->dots = calloc((size_t)s->shown, sizeof *s->dots);
  if (!s->x || !s->axis || !s->screen || !s->m || !s->dots) return false;
  for (int64_t i = 0; i < s->shown; i++)
    for (int64_t j = 0; j < p; j++)
      s->x[i * p + j] = number_at(data->points, data->type, scene_row(s, i) * rs + j * cs);
  if (!principal_axes(s->x, s->shown, p, axes, s->axis)) return false;
  double view[SPACE][SPACE], spread = 0, first = 0;
  for (int64_t i = 0; i < s->shown; i++) {
    double y[SPACE] = {0};
    for (int a = 0; a < SPACE; a++)
      for (int64_t j = 0; j < p; j++) y[a] += s->axis[a * p + j] * s->x[i * p + j];
    first += y[0] * y[0];
    spread += y[2] * y[2];
  }
  choose_view(spread < 1e-6 * first, view);
  screen_directions(model, view, s->axis, p, d, s->screen);
  for (int64_t i = 0; i < s->shown; i++) {
    double y[SPACE] = {0};
    for (int a = 0; a < SPACE; a++)
      for (int64_t j = 0; j < p; j++) y[a] += s->axis[a * p + j] * s->x[i * p + j];
    see(view, y, &s->dots[i]);
    seen_side(model, s->screen, scene_row(s, i), s->m, &s->dots[i]);
  }
  turn_colours(model, s);
  return true;
}

/* ---------------------------------------------------------------- cover */

/* The columns to draw, at least one of them odd; their number. */
static int cover_columns(const cover_t *cover, int64_t odd, int64_t *column) {
  int count = novel_columns(cover->coordinates, cover->points, cover->rank, AXES, column);
  bool found = false;
  for (int k = 0; k < count; k++) found |= cover->parity[column[k]] < 0;
  if (count > 0 && !found && odd < cover->rank) column[count - 1] = odd;
  for (int64_t l = 0; count >= 0 && count < SPACE && l < cover->rank; l++) {
    bool there = false;
    for (int k = 0; k < count; k++) there |= column[k] == l;
    if (!there) column[count++] = l;
  }
  return count;
}

/* Largest magnitude in a column. */
static double reach(const double *x, int64_t n, int64_t width, int64_t column) {
  double most = 0;
  for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(x[i * width + column]));
  return most > 0 ? most : 1;
}

bool scene_of_cover(const cover_t *cover, scene_t *s) {
  int64_t odd = 0, column[AXES], r = cover->rank;
  while (odd < r && cover->parity[odd] > 0) odd++;
  int count = cover_columns(cover, odd, column);
  s->n = cover->points;
  s->shown = s->n < DRAWING_POINTS ? s->n : DRAWING_POINTS;
  s->x = calloc((size_t)(s->shown * SPACE), sizeof *s->x);
  s->axis = calloc(SPACE * SPACE, sizeof *s->axis);
  s->dots = calloc((size_t)s->shown, sizeof *s->dots);
  if (!s->x || !s->axis || !s->dots || count < 0) return false;
  double size[AXES] = {1, 1, 1, 1}, full = odd < r ? reach(cover->coordinates, s->n, r, odd) : 1;
  for (int k = 0; k < count; k++) size[k] = reach(cover->coordinates, s->n, r, column[k]);
  for (int64_t i = 0; i < s->shown; i++) {
    const double *row = cover->coordinates + scene_row(s, i) * r;
    double near = count > SPACE ? 2.2 - row[column[SPACE]] / size[SPACE] : 1;
    for (int a = 0; a < SPACE && a < count; a++) s->x[i * SPACE + a] = row[column[a]] / size[a] / near;
    s->dots[i].value = odd < r ? 1.3 * row[odd] / full : 0;
    s->dots[i].shade = 1;
  }
  double view[SPACE][SPACE];
  choose_view(is_flat(s->x, s->shown, SPACE), view);
  for (int64_t i = 0; i < s->shown; i++) see(view, s->x + SPACE * i, &s->dots[i]);
  return true;
}
