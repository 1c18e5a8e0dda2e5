#include "picture/legend.h"
#include "picture/axes.h"

#include <math.h>
#include <string.h>

enum { MOST = COLOUR_GROUPS };
static const double LINE = 1.45;   /* from one name to the next, in ems */
static const double BEFORE = 1.3;  /* the name lies so far behind its dot's left */
static const double LONGEST = 13;  /* of a name, in ems */
static const double BESIDE = 0.36; /* of a cell that a legend at its right takes at most */

/* ------------------------------------------------------------------ names */

static void put_mark(sheet_t *p, double x, double y, double room, const mark_t *m) {
  char name[COLOUR_NAME];
  double em = 0.92 * p->em;
  snprintf(name, sizeof name, "%s", m->name);
  text_fit(name, room - BEFORE * em, em);
  if (m->shape)
    sheet_dot(p, x + 0.4 * em, y, m->shape, 0.3 * em, m->rgb);
  else
    sheet_line(p, x, y, x + 0.9 * em, y, 1.4, m->rgb);
  sheet_text(p, x + BEFORE * em, y, 'l', em, INK, name);
}

/* Of more names than there is room for the last line says how many are left out. */
static void put_marks(sheet_t *p, rect_t at, const mark_t *m, int count, int columns, int rows) {
  double em = 0.92 * p->em, wide = at.width / columns;
  int room = rows * columns, shown = count <= room ? count : room - 1;
  for (int k = 0; k <= shown && k < count; k++) {
    double x = at.x + k / rows * wide, y = at.y + at.height - (k % rows + 0.5) * LINE * em;
    if (k < shown) {
      put_mark(p, x, y, wide - 0.6 * em, &m[k]);
    } else if (room > 0) {
      char more[32];
      snprintf(more, sizeof more, "%d more", count - shown);
      sheet_text(p, x + BEFORE * em, y, 'l', em, SOFT, more);
    }
  }
}

static int whole_number(double x, int least) {
  return x > least ? (int)x : least;
}

rect_t legend_marks(sheet_t *p, rect_t cell, const char *title, const mark_t *m, int count) {
  double em = 0.92 * p->em, wide = 0, head = title && *title ? 1.4 * em : 0;
  char text[COLOUR_NAME];
  for (int k = 0; k < count; k++) wide = fmax(wide, text_width(m[k].name, em));
  wide = fmin(wide, LONGEST * em) + (BEFORE + 0.8) * em;
  snprintf(text, sizeof text, "%s", title ? title : "");
  if (wide <= BESIDE * cell.width) {
    if (head > 0) wide = fmax(wide, fmin(text_width(text, em) + 0.6 * em, BESIDE * cell.width));
    double top = cell.y + cell.height - (p->headings ? 1.9 : 0.8) * p->em, tall = top - cell.y - head;
    int rows = whole_number(tall / (LINE * em), 1);
    if (rows > count) rows = count;
    rect_t at = {cell.x + cell.width - wide, top - head - rows * LINE * em, wide, rows * LINE * em};
    text_fit(text, wide - 0.5 * em, em);
    sheet_text(p, at.x, top - 0.5 * em, 'l', em, INK, text);
    put_marks(p, at, m, count, 1, rows);
    return (rect_t){cell.x, cell.y, cell.width - wide - 0.4 * em, cell.height};
  }
  if (wide > cell.width) wide = cell.width;
  int columns = whole_number(cell.width / wide, 1), most = whole_number(0.28 * cell.height / (LINE * em), 1);
  int rows = (count + columns - 1) / columns;
  if (rows > most) rows = most;
  rect_t at = {cell.x, cell.y, cell.width, rows * LINE * em};
  put_marks(p, at, m, count, columns, rows);
  double taken = at.height + head + 0.4 * em;
  text_fit(text, cell.width, em);
  sheet_text(p, cell.x, cell.y + at.height + 0.5 * em, 'l', em, INK, text);
  return (rect_t){cell.x, cell.y + taken, cell.width, cell.height - taken};
}

/* -------------------------------------------------------------------- bar */

/* The ramp as a bar of thin boxes, each under the next, so that no seam is seen. */
static void put_ramp(sheet_t *p, rect_t bar, bool upright) {
  enum { PARTS = 64 };
  for (int k = 0; k < PARTS; k++) {
    double at = (double)k / PARTS;
    rect_t part = bar;
    if (upright)
      part.y += at * bar.height, part.height -= at * bar.height;
    else
      part.x += at * bar.width, part.width -= at * bar.width;
    sheet_box(p, part, ramp_rgb(at + 0.5 / PARTS));
  }
}

static rect_t bar_beside(sheet_t *p, rect_t cell, const colours_t *c) {
  double em = 0.88 * p->em, top = (p->headings ? 1.9 : 0.8) * p->em;
  rect_t bar = {0, cell.y + 0.2 * (cell.height - top), 0.8 * p->em, 0.7 * (cell.height - top)};
  ticks_t t = ticks_choose(c->low, c->high, bar.height, em, true, false);
  double wide = bar.width + 0.5 * em + ticks_width(&t, em) + 1.7 * p->em;
  char title[COLOUR_NAME];
  snprintf(title, sizeof title, "%s", c->title);
  text_fit(title, cell.height, p->em);
  bar.x = cell.x + cell.width - wide;
  put_ramp(p, bar, true);
  for (int k = 0; k < t.count; k++)
    sheet_text(p, bar.x + bar.width + 0.4 * em,
               bar.y + (t.value[k] - c->low) / (c->high - c->low) * bar.height, 'l', em, INK, t.text[k]);
  double half = text_width(title, p->em) / 2, y = bar.y + bar.height / 2;
  sheet_upright(p, cell.x + cell.width - 0.7 * p->em,
                fmin(fmax(y, cell.y + half), cell.y + cell.height - half), title);
  return (rect_t){cell.x, cell.y, cell.width - wide - 0.6 * p->em, cell.height};
}

static rect_t bar_below(sheet_t *p, rect_t cell, const colours_t *c) {
  double em = 0.88 * p->em;
  rect_t bar = {cell.x + 2 * em, cell.y + 1.7 * p->em + 1.6 * em, cell.width - 4 * em, 0.7 * p->em};
  ticks_t t = ticks_choose(c->low, c->high, bar.width, em, false, false);
  char title[COLOUR_NAME];
  snprintf(title, sizeof title, "%s", c->title);
  text_fit(title, cell.width, p->em);
  put_ramp(p, bar, false);
  for (int k = 0; k < t.count; k++) {
    double x = bar.x + (t.value[k] - c->low) / (c->high - c->low) * bar.width,
           half = text_width(t.text[k], em) / 2;
    if (x - half >= cell.x && x + half <= cell.x + cell.width)
      sheet_text(p, x, bar.y - 0.8 * em, 'c', em, INK, t.text[k]);
  }
  sheet_text(p, cell.x + cell.width / 2, cell.y + 0.7 * p->em, 'c', p->em, INK, title);
  double taken = bar.y + bar.height + 0.6 * p->em - cell.y;
  return (rect_t){cell.x, cell.y + taken, cell.width, cell.height - taken};
}

rect_t legend_draw(sheet_t *p, rect_t cell, const colours_t *c) {
  if (!c->value || (c->ramp && !(c->high > c->low))) return cell;
  if (c->ramp) return cell.width >= 17 * p->em ? bar_beside(p, cell, c) : bar_below(p, cell, c);
  mark_t mark[MOST];
  for (int g = 0; g < c->groups; g++) mark[g] = (mark_t){c->name[g], group_rgb(g), group_shape(g)};
  return legend_marks(p, cell, c->title, mark, c->groups);
}
