#include "picture/orient_view.h"
#include "output/novel.h"
#include "picture/clouds.h"
#include "picture/histogram.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPACE = 3 };

/* The panel beside the histogram. */
typedef struct {
  double *x; /* count x SPACE, owned */
  int64_t count;
  colours_t colours;
  const char *heading;
  char name[SPACE][40];
} scene;

bool orient_view_is(const result_t *r) {
  const io_array *leading = result_find(r, "leading", IO_REAL, 1);
  return leading &&
         (result_find(r, "signs", IO_REAL, 1) || result_find(r, "component_orientable", IO_INTEGER, 1));
}

/* Every k-th of n rows, so that at most DRAWING_POINTS are drawn. */
static int64_t row_of(int64_t i, int64_t count, int64_t n) {
  return (int64_t)((double)i * (double)n / (double)count);
}

/* The double cover by the first three of its coordinates that are new, coloured by the first odd one. */
static int read_cover(const io_array *cover, const io_array *parity, scene *s, lavdm_error *error) {
  int64_t n = cover->shape[0], r = cover->shape[1], column[SPACE] = {0}, odd = 0;
  const double *x = cover->data;
  int found = novel_columns(x, n, r, SPACE, column);
  if (found < 0) return no_room(error);
  for (int64_t l = 0; l < r && found < SPACE; l++) {
    bool there = false;
    for (int k = 0; k < found; k++) there |= column[k] == l;
    if (!there) column[found++] = l;
  }
  while (odd + 1 < r && ((const int64_t *)parity->data)[odd] > 0) odd++;
  s->count = n < DRAWING_POINTS ? n : DRAWING_POINTS;
  s->x = calloc((size_t)(s->count * SPACE) + 1, sizeof *s->x);
  double *value = calloc((size_t)s->count + 1, sizeof *value);
  int status = s->x && value ? LAVDM_OK : no_room(error);
  for (int64_t i = 0; i < s->count && status >= 0; i++) {
    const double *row = x + row_of(i, s->count, n) * r;
    for (int a = 0; a < found; a++) s->x[i * SPACE + a] = row[column[a]];
    value[i] = row[odd];
  }
  for (int a = 0; a < SPACE; a++) snprintf(s->name[a], sizeof s->name[a], "coordinate %" PRId64, column[a]);
  s->heading = "Orientable double cover, opposite colours over each point";
  if (status >= 0) status = colours_ramp(value, s->count, 1, "first odd coordinate", &s->colours, error);
  free(value);
  return status;
}

/* The points along three principal axes, coloured by |v|. */
static int read_points(const io_array *points, const double *leading, scene *s, lavdm_error *error) {
  int64_t n = points->shape[0], p = points->shape[1];
  s->count = n < DRAWING_POINTS ? n : DRAWING_POINTS;
  s->x = calloc((size_t)(s->count * SPACE) + 1, sizeof *s->x);
  double *x = calloc((size_t)(s->count * p) + 1, sizeof *x),
         *value = calloc((size_t)s->count + 1, sizeof *value),
         *axis = calloc((size_t)(SPACE * p) + 1, sizeof *axis);
  bool room = s->x && x && value && axis;
  for (int64_t i = 0; i < s->count && room; i++) {
    int64_t row = row_of(i, s->count, n);
    memcpy(x + i * p, (const double *)points->data + row * p, (size_t)p * sizeof *x);
    value[i] = fabs(leading[row]);
  }
  room = room && principal_axes(x, s->count, p, SPACE, axis);
  for (int64_t k = 0; k < s->count * SPACE && room; k++)
    for (int64_t j = 0; j < p; j++) s->x[k] += x[k / SPACE * p + j] * axis[k % SPACE * p + j];
  for (int a = 0; a < SPACE; a++) snprintf(s->name[a], sizeof s->name[a], "principal axis %d", a + 1);
  s->heading = "Points";
  int status = room ? colours_ramp(value, s->count, 1, "|v|, 0 where it changes its sign", &s->colours, error)
                    : no_room(error);
  free(x), free(value), free(axis);
  return status;
}

static int read_scene(const result_t *r, scene *s, lavdm_error *error) {
  const io_array *cover = result_find(r, "cover", IO_REAL, 2),
                 *parity = result_find(r, "cover_parity", IO_INTEGER, 1),
                 *points = result_find(r, "points", IO_REAL, 2),
                 *leading = result_find(r, "leading", IO_REAL, 1);
  if (cover && parity && io_array_count(parity) == cover->shape[1])
    return read_cover(cover, parity, s, error);
  if (points && points->shape[0] == io_array_count(leading))
    return read_points(points, leading->data, s, error);
  return LAVDM_OK;
}

static bool put_panels(sheet_t *sheet, rect_t room, const result_t *r, const request_t *ask, const scene *s) {
  const io_array *leading = result_find(r, "leading", IO_REAL, 1),
                 *sure = result_find(r, "confidence", IO_REAL, 0);
  const char *verdict = result_text(r, "verdict");
  const double share[2] = {1, 1.25};
  rect_t cell[2];
  char heading[120] = "Leading eigenvector";
  if (verdict && sure)
    snprintf(heading, sizeof heading, "%.60s (confidence %.2f)", verdict, *(const double *)sure->data);
  sheet_cells(room, s->x ? 2 : 1, share, cell);
  double most = 1e-9;
  for (int64_t i = 0; i < io_array_count(leading); i++)
    most = fmax(most, fabs(((const double *)leading->data)[i]));
  histogram_t h = {.value = leading->data,
                   .low = -1.05 * most,
                   .high = 1.05 * most,
                   .count = io_array_count(leading),
                   .heading = heading,
                   .name = "leading eigenvector v (±1 if orientable)",
                   .unit = "points"};
  histogram_draw(sheet, cell[0], &h);
  scatter_t points = {.x = s->x,
                      .count = s->count,
                      .axes = SPACE,
                      .heading = s->heading,
                      .name = {s->name[0], s->name[1], s->name[2]},
                      .colours = &s->colours,
                      .legend = true,
                      .view = ask->view};
  return !s->x || scatter_draw(sheet, cell[1], &points);
}

int orient_view_draw(const result_t *r, const request_t *ask, lavdm_error *error) {
  scene s = {0};
  rect_t room;
  drawing p;
  paper_t paper = ask->paper;
  int status = read_scene(r, &s, error);
  if (!(paper.width > 0)) paper.width = s.x ? 7 : 3.5, paper.height = 2.8;
  if (status >= 0) status = drawing_begin(&p, ask->output, &paper, error);
  if (status >= 0) {
    sheet_t sheet = sheet_begin(&p, &paper, ask->title, &room);
    sheet.headings = ask->headings;
    if (!put_panels(&sheet, room, r, ask, &s)) status = no_room(error);
    sheet_end(&sheet);
    status = drawing_end(&p, status, error);
  }
  free(s.x);
  colours_free(&s.colours);
  return status;
}
