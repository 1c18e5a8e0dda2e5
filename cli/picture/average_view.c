#include "picture/average_view.h"
#include "base/command.h"
#include "picture/clouds.h"
#include "picture/histogram.h"
#include "picture/strips.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEAREST = 8, ROWS = 12 };

bool average_view_is(const result_t *r) {
  const io_array *images = result_find(r, "images", IO_INTEGER, 1),
                 *near = result_find(r, "neighbours", IO_INTEGER, 2),
                 *angles = result_find(r, "angles", IO_REAL, 2),
                 *distances = result_find(r, "distances", IO_REAL, 2);
  return images && near && angles && distances && near->shape[0] == io_array_count(images) &&
         io_array_count(angles) == io_array_count(near) && io_array_count(distances) == io_array_count(near);
}

static members_t members_of(const result_t *r) {
  const io_array *near = result_find(r, "neighbours", IO_INTEGER, 2),
                 *mirror = result_find(r, "reflected", IO_INTEGER, 2);
  members_t m = {.image = result_find(r, "images", IO_INTEGER, 1)->data,
                 .neighbour = near->data,
                 .angle = result_find(r, "angles", IO_REAL, 2)->data,
                 .count = near->shape[0],
                 .k = near->shape[1]};
  if (mirror && io_array_count(mirror) == io_array_count(near)) m.reflected = mirror->data;
  return m;
}

/* ------------------------------------------------------------------ strips */

/* Where the strips lie on the sheet: lengths of a pixel, and of the names before a row. */
typedef struct {
  int rows, nearest;
  double pixel, before, above;
} plan_t;

/* As many rows as fill the height. */
static plan_t plan_strips(const sheet_t *p, rect_t room, const members_t *m, const int64_t shape[2]) {
  plan_t plan = {.nearest = m->k < NEAREST ? (int)m->k : NEAREST, .before = 4 * p->em, .above = 2 * p->em};
  double across = plan.nearest + 2.3, tile = (room.width - plan.before) / across;
  double rows = (room.height - plan.above) / (tile * (double)shape[0] / (double)shape[1]);
  plan.rows = (int)fmin(fmin(fmax(floor(rows), 1), ROWS), (double)m->count);
  return plan;
}

static void put_image(sheet_t *p, rect_t at, const strips_t *s) {
  const double low[2] = {-0.5, -0.5}, high[2] = {(double)s->width - 0.5, (double)s->height - 0.5};
  sheet_place(p, at, low, high);
  fprintf(p->to->script, "$strips << END\n");
  for (int64_t i = 0; i < s->height; i++)
    for (int64_t j = 0; j < s->width; j++) {
      int grey = (int)lround(255 * fmin(fmax(s->grey[i * s->width + j], 0), 1));
      fprintf(p->to->script, "%" PRId64 " %" PRId64 " %d\n", j, s->height - 1 - i, grey);
    }
  fprintf(p->to->script, "END\nplot $strips using 1:2:3:3:3 with rgbimage\n");
  sheet_next(p);
}

static void put_names(sheet_t *p, rect_t at, const strips_t *s, const members_t *m, const int64_t *which,
                      plan_t plan) {
  double pixel = at.width / (double)s->width, y = at.y + at.height + 0.9 * p->em;
  double first = at.x + (double)s->first * pixel, second = at.x + ((double)s->first / 2) * pixel;
  char text[80], more[48] = "";
  if (m->k > plan.nearest) snprintf(more, sizeof more, ": %d of %" PRId64, plan.nearest, m->k);
  snprintf(text, sizeof text, "average");
  text_fit(text, second - at.x - 0.3 * p->em, p->em);
  if (p->headings) sheet_text(p, at.x, y, 'l', p->em, INK, text);
  snprintf(text, sizeof text, "image");
  text_fit(text, first - second - 0.3 * p->em, p->em);
  if (p->headings) sheet_text(p, second, y, 'l', p->em, INK, text);
  snprintf(text, sizeof text, "its nearest, turned to match%s", more);
  text_fit(text, at.x + at.width - first, p->em);
  if (p->headings) sheet_text(p, first, y, 'l', p->em, INK, text);
  for (int k = 0; k < plan.rows; k++) {
    double middle =
        at.y + at.height - ((double)k * (double)s->tile_high + 0.5 * (double)s->tile_high) * pixel;
    snprintf(text, sizeof text, "%" PRId64, m->image[which[k]]);
    if ((double)s->tile_high * pixel > 1.2 * p->em)
      sheet_text(p, at.x - 0.5 * p->em, middle, 'r', 0.88 * p->em, SOFT, text);
  }
}

static int draw_strips(sheet_t *p, rect_t room, const members_t *m, const request_t *ask,
                       const int64_t shape[2], lavdm_error *error) {
  plan_t plan = plan_strips(p, room, m, shape);
  int64_t which[ROWS];
  strips_t s;
  for (int k = 0; k < plan.rows; k++) which[k] = k * m->count / plan.rows;
  int status = strips_make(ask->data, m, which, plan.rows, plan.nearest, &s, error);
  if (status >= 0) {
    double wide = room.width - plan.before, high = room.height - plan.above;
    double pixel = fmin(wide / (double)s.width, high / (double)s.height);
    rect_t at = {room.x + plan.before, 0, pixel * (double)s.width, pixel * (double)s.height};
    at.x += (wide - at.width) / 2;
    at.y = room.y + high - at.height;
    put_names(p, at, &s, m, which, plan);
    put_image(p, at, &s);
  }
  strips_free(&s);
  return status;
}

/* ----------------------------------------------------------------- without */

static void draw_numbers(sheet_t *p, rect_t room, const result_t *r) {
  static const double share[2] = {1, 1};
  const io_array *angles = result_find(r, "angles", IO_REAL, 2),
                 *distances = result_find(r, "distances", IO_REAL, 2);
  rect_t cell[2];
  histogram_t turned = {.value = angles->data,
                        .count = io_array_count(angles),
                        .low = -M_PI,
                        .high = M_PI,
                        .heading = "Turns of the nearest images",
                        .name = "angle, radians",
                        .unit = "images"};
  histogram_t far = {.value = distances->data,
                     .count = io_array_count(distances),
                     .heading = "Their distances",
                     .name = "distance at the best turn",
                     .unit = "images"};
  sheet_cells(room, 2, share, cell);
  histogram_draw(p, cell[0], &turned);
  histogram_draw(p, cell[1], &far);
}

int average_view_draw(const result_t *r, const request_t *ask, lavdm_error *error) {
  members_t m = members_of(r);
  rect_t room;
  drawing p;
  paper_t paper = ask->paper;
  int64_t shape[2] = {1, 1}, images = 0;
  int status = ask->data ? strips_shape(ask->data, shape, &images, error) : LAVDM_OK;
  for (int64_t g = 0; g < m.count && status >= 0 && ask->data; g++)
    if (m.image[g] < 0 || m.image[g] >= images)
      status = refuse(error, LAVDM_ERROR_DATA,
                      "--data %.200s: has %" PRId64 " images, and %.100s one of number %" PRId64, ask->data,
                      images, ask->input, m.image[g]);
  if (!(paper.width > 0)) paper.width = 7, paper.height = 2.6;
  if (ask->data && !(ask->paper.width > 0)) /* five rows */
    paper.height = fmin(fmax(0.45 + 5 * 6.3 / 10.2 * (double)shape[0] / (double)shape[1], 1.5), 9);
  if (status >= 0) status = drawing_begin(&p, ask->output, &paper, error);
  if (status < 0) return status;
  sheet_t sheet = sheet_begin(&p, &paper, ask->title, &room);
  sheet.headings = ask->headings;
  if (ask->data)
    status = draw_strips(&sheet, room, &m, ask, shape, error);
  else
    draw_numbers(&sheet, room, r);
  sheet_end(&sheet);
  return drawing_end(&p, status, error);
}
