#include "picture/scatter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double x, y, depth;
  int shape, rgb;
} spot_t;

double dot_radius(rect_t box, int64_t count) {
  return fmin(fmax(0.27 * sqrt(box.width * box.height / (double)(count + 1)), 0.42), 1.9);
}

/* A step with which i * step % count goes through all rows, in an order that has nothing to do with theirs:
 * no group lies over another. */
static int64_t scattered_step(int64_t count) {
  int64_t step = (int64_t)(0.6180339887 * (double)count) + 1;
  for (;; step++) {
    int64_t a = step, b = count;
    while (b) {
      int64_t rest = a % b;
      a = b, b = rest;
    }
    if (a == 1) return step;
  }
}

static bool is_finite(const double *x, int axes) {
  for (int a = 0; a < axes; a++)
    if (!isfinite(x[a])) return false;
  return true;
}

static int by_depth(const void *a, const void *b) {
  double x = ((const spot_t *)a)->depth, y = ((const spot_t *)b)->depth;
  return (x > y) - (x < y);
}

static void put_dots(sheet_t *p, const spot_t *dots, int64_t count, double radius) {
  FILE *to = p->to->script;
  fprintf(to, "$dots << END\nNaN NaN 7 0\n");
  for (int64_t i = 0; i < count; i++)
    fprintf(to, "%.6g %.6g %d %d\n", dots[i].x, dots[i].y, dots[i].shape, dots[i].rgb);
  fprintf(to, "END\nplot $dots using 1:2:3:4 with points ps %.4g pt variable lc rgb variable\n",
          radius * p->to->dot);
}

/* ------------------------------------------------------------------ space */

void view_see(view_t v, const double *x, double *seen) {
  double a = v.azimuth * M_PI / 180, e = v.elevation * M_PI / 180;
  const double towards[3] = {cos(e) * cos(a), cos(e) * sin(a), sin(e)}, right[3] = {-sin(a), cos(a), 0},
               above[3] = {-sin(e) * cos(a), -sin(e) * sin(a), cos(e)};
  for (int k = 0; k < 3; k++) seen[k] = 0;
  for (int k = 0; k < 3; k++) {
    seen[0] += right[k] * x[k];
    seen[1] += above[k] * x[k];
    seen[2] += towards[k] * x[k];
  }
}

/* Corner `which` of a box: bit a says whether it is at the high end of axis a. */
static void corner(view_t v, const box_t *b, int which, double *seen) {
  double x[3];
  for (int a = 0; a < 3; a++) x[a] = which >> a & 1 ? b->high[a] : b->low[a];
  view_see(v, x, seen);
}

/* The corner that is nearest to the viewer. */
static int near_corner(view_t v, const box_t *b) {
  int best = 0;
  double most, seen[3];
  corner(v, b, 0, seen);
  most = seen[2];
  for (int k = 1; k < 8; k++) {
    corner(v, b, k, seen);
    if (seen[2] > most) most = seen[2], best = k;
  }
  return best;
}

typedef struct {
  rect_t in;
  const axes_t *axes;
} map_t;

static void on_page(map_t m, const double *seen, double *x, double *y) {
  *x = m.in.x + (seen[0] - m.axes->low[0]) / (m.axes->high[0] - m.axes->low[0]) * m.in.width;
  *y = m.in.y + (seen[1] - m.axes->low[1]) / (m.axes->high[1] - m.axes->low[1]) * m.in.height;
}

static bool apart(rect_t a, rect_t b) {
  return a.x >= b.x + b.width || b.x >= a.x + a.width || a.y >= b.y + b.height || b.y >= a.y + a.height;
}

/* Whether a place of the sheet lies on the box as it is seen: on one of its faces. */
static bool on_box(map_t m, view_t v, const box_t *b, double x, double y) {
  for (int face = 0; face < 6; face++) {
    int a = face % 3, c = (a + 1) % 3, d = (a + 2) % 3, from = face < 3 ? 0 : 1 << a;
    const int around[4] = {from, from | 1 << c, from | 1 << c | 1 << d, from | 1 << d};
    double px[4], py[4], seen[3];
    int left = 0, right = 0;
    for (int k = 0; k < 4; k++) corner(v, b, around[k], seen), on_page(m, seen, &px[k], &py[k]);
    for (int k = 0; k < 4; k++) {
      int n = (k + 1) % 4;
      double side = (px[n] - px[k]) * (y - py[k]) - (py[n] - py[k]) * (x - px[k]);
      left += side > 0, right += side < 0;
    }
    if ((left > 0) != (right > 0)) return true;
  }
  return false;
}

/* The same of some place of a rectangle. */
static bool meets_box(map_t m, view_t v, const box_t *b, rect_t r) {
  enum { PARTS = 6 };
  for (int i = 0; i <= PARTS; i++)
    for (int j = 0; j <= PARTS; j++)
      if (on_box(m, v, b, r.x + i * r.width / PARTS, r.y + j * r.height / PARTS)) return true;
  return false;
}

/* The name of axis a beside the edge of the box along it that lies lowest and outermost; not where it would
 * meet another name or the edge is seen from its end. */
static void put_axis_name(sheet_t *p, rect_t cell, map_t m, view_t v, const box_t *b, int a, const char *name,
                          rect_t *taken, int *used) {
  double best = INFINITY, at[2] = {0}, long_enough = 0, centre[3], x, y, seen[3], other[3], cx, cy;
  double middle[3] = {(b->low[0] + b->high[0]) / 2, (b->low[1] + b->high[1]) / 2,
                      (b->low[2] + b->high[2]) / 2};
  int near = near_corner(v, b);
  view_see(v, middle, centre);
  on_page(m, centre, &cx, &cy);
  for (int k = 0; k < 8; k++) {
    if (k >> a & 1 || k == (near & ~(1 << a))) continue;
    double x1, y1;
    corner(v, b, k, seen), corner(v, b, k | 1 << a, other);
    on_page(m, seen, &x, &y), on_page(m, other, &x1, &y1);
    double mx = (x + x1) / 2, my = (y + y1) / 2, length = hypot(x1 - x, y1 - y);
    double key = a == 2 ? mx - cx : my - cy; /* upright names at the left, the others below */
    if (key < best) best = key, at[0] = mx, at[1] = my, long_enough = length;
  }
  char text[80];
  bool upright = a == 2;
  snprintf(text, sizeof text, "%s", name);
  text_fit(text, upright ? cell.height : cell.width / 2.2, p->em);
  double wide = text_width(text, p->em), tall = 1.2 * p->em, dx = at[0] - cx, dy = at[1] - cy;
  double norm = hypot(dx, dy) + 1e-9;
  if (upright) {
    double swap = wide;
    wide = tall, tall = swap;
  }
  if (long_enough < 1.5 * p->em) return;
  for (double far = 0.3 * p->em; far < 8 * p->em;
       far += 0.3 * p->em) { /* outwards, until it is off the box */
    double px = at[0] + (upright ? -1 : dx / norm) * far, py = at[1] + (upright ? 0 : dy / norm) * far;
    rect_t own = {px - wide / 2, py - tall / 2, wide, tall};
    bool inside = own.x >= cell.x && own.y >= cell.y && own.x + wide <= cell.x + cell.width &&
                  own.y + tall <= cell.y + cell.height;
    bool meets = meets_box(m, v, b, own);
    for (int k = 0; k < *used; k++) meets |= !apart(own, taken[k]);
    if (meets || !inside) continue;
    taken[(*used)++] = own;
    if (upright)
      sheet_upright(p, px, py, text);
    else
      sheet_text(p, px, py, 'c', p->em, INK, text);
    return;
  }
}

rect_t space_axes(sheet_t *p, rect_t cell, view_t v, const box_t *b, const char *heading,
                  const char *const name[3]) {
  double seen[8][3], margin = 1.6 * p->em, top = p->headings && heading ? 1.9 * p->em : 0;
  axes_t axes = {.heading = NULL, .equal = true, .bare = true};
  for (int k = 0; k < 8; k++) corner(v, b, k, seen[k]);
  for (int a = 0; a < 2; a++) axes_range(&seen[0][a], 8, 3, &axes.low[a], &axes.high[a]);
  rect_t inner = {cell.x + margin, cell.y + margin, fmax(cell.width - 2 * margin, 1),
                  fmax(cell.height - 1.5 * margin - top, 1)};
  rect_t in = axes_draw(p, inner, &axes);
  rect_t taken[4] = {{cell.x, cell.y + cell.height - top, cell.width, top}};
  int used = 1, near = near_corner(v, b);
  map_t m = {in, &axes};
  for (int k = 0; k < 8; k++)
    for (int a = 0; a < 3; a++) {
      int other = k | 1 << a;
      double x0, y0, x1, y1;
      if (k >> a & 1 || k == near || other == near) continue;
      on_page(m, seen[k], &x0, &y0), on_page(m, seen[other], &x1, &y1);
      sheet_line(p, x0, y0, x1, y1, 0.4, 0xbbbbbb);
    }
  if (top > 0) {
    char text[200];
    snprintf(text, sizeof text, "%s", heading);
    text_fit(text, cell.width, p->em);
    sheet_text(p, cell.x, cell.y + cell.height - 0.9 * p->em, 'l', p->em, INK, text);
  }
  for (int a = 0; a < 3; a++) put_axis_name(p, cell, m, v, b, a, name[a], taken, &used);
  return in;
}

/* ---------------------------------------------------------------- scatter */

static rect_t plane_axes(sheet_t *p, rect_t cell, const scatter_t *s) {
  axes_t axes = {.heading = s->heading, .name = {s->name[0], s->name[1]}, .equal = true};
  for (int a = 0; a < 2; a++) axes_range(s->x + a, s->count, s->axes, &axes.low[a], &axes.high[a]);
  return axes_draw(p, cell, &axes);
}

bool scatter_draw(sheet_t *p, rect_t cell, const scatter_t *s) {
  spot_t *dots = calloc((size_t)s->count + 1, sizeof *dots);
  if (!dots) return false;
  int64_t shown = 0, step = scattered_step(s->count);
  double near = -INFINITY, far = INFINITY;
  if (s->legend) cell = legend_draw(p, cell, s->colours);
  box_t box;
  for (int a = 0; a < s->axes; a++) axes_range(s->x + a, s->count, s->axes, &box.low[a], &box.high[a]);
  rect_t in = s->axes == 2 ? plane_axes(p, cell, s) : space_axes(p, cell, s->view, &box, s->heading, s->name);
  for (int64_t k = 0; k < s->count; k++) {
    int64_t i = k * step % s->count, row = s->row ? s->row[i] : i;
    const double *x = s->x + i * s->axes;
    if (!is_finite(x, s->axes)) continue;
    spot_t *d = &dots[shown++];
    double seen[3] = {x[0], x[1], 0};
    if (s->axes == 3) view_see(s->view, x, seen);
    *d = (spot_t){seen[0], seen[1], seen[2], colours_shape(s->colours, row), colours_rgb(s->colours, row)};
    near = fmax(near, d->depth), far = fmin(far, d->depth);
  }
  for (int64_t i = 0; i < shown && near > far; i++)
    dots[i].rgb = mix_rgb(dots[i].rgb, 0xffffff, 1 - 0.5 * (near - dots[i].depth) / (near - far));
  if (near > far) qsort(dots, (size_t)shown, sizeof *dots, by_depth);
  put_dots(p, dots, shown, dot_radius(in, shown));
  sheet_next(p);
  free(dots);
  return true;
}
