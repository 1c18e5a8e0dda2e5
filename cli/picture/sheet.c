#include "picture/sheet.h"

#include <math.h>
#include <string.h>

enum { TEXT = 400 };

/* ------------------------------------------------------------------ text */

/* The next code point of UTF-8; a byte that is none counts as one. */
static int next_point(const char **at) {
  const unsigned char *s = (const unsigned char *)*at;
  int more = s[0] >= 0xf0   ? 3
             : s[0] >= 0xe0 ? 2
             : s[0] >= 0xc0 ? 1
                            : 0,
      code = s[0] & (0xff >> (more + (more > 0)));
  for (int k = 1; k <= more; k++) {
    if ((s[k] & 0xc0) != 0x80) {
      *at += 1;
      return s[0];
    }
    code = code << 6 | (s[k] & 0x3f);
  }
  *at += more + 1;
  return code;
}

/* In ems, as DejaVu Sans has them: it is wider than what papers are set in. */
static double letter_width(int code) {
  if (code > 0x7f) return code < 0x300 || code == 0x2212 ? 0.84 : 1.1;
  if (strchr("ijl'|", code)) return 0.3;
  if (strchr(" .,:;!/()[]-ftr", code)) return 0.43;
  if (strchr("mwMW@%", code)) return 1;
  return code >= 'A' && code <= 'Z' ? 0.78 : 0.645;
}

double text_width(const char *text, double em) {
  double sum = 0;
  while (*text) sum += letter_width(next_point(&text));
  return sum * em;
}

void text_fit(char *text, double room, double em) {
  static const char more[] = "\xe2\x80\xa6";
  char *aside = strstr(text, " (");
  if (text_width(text, em) <= room) return;
  if (aside) *aside = 0;
  if (text_width(text, em) <= room) return;
  double sum = em; /* of the ellipsis */
  const char *at = text, *keep = text;
  while (*at) {
    sum += letter_width(next_point(&at)) * em;
    if (sum > room) break;
    keep = at;
  }
  size_t used = (size_t)(keep - text), left = strlen(text) - used;
  while (used > 0 && text[used - 1] == ' ') used--, left++;
  if (em > room || left < sizeof more - 1)
    text[used] = 0;
  else
    memcpy(text + used, more, sizeof more);
}

/* ------------------------------------------------------------------ marks */

static double across(const sheet_t *p, double x) {
  return x / p->width;
}

static double up(const sheet_t *p, double y) {
  return y / p->height;
}

static void put_text(sheet_t *p, double x, double y, const char *how, double em, int rgb, const char *text) {
  char plain[TEXT];
  drawing_plain(text, plain, sizeof plain);
  if (*plain)
    fprintf(p->to->script, "set label %d '%s' at screen %.5f,%.5f %s font ',%.4g' tc rgb '#%06x'\n",
            ++p->texts, plain, across(p, x), up(p, y), how, em * p->to->font, (unsigned)rgb);
}

void sheet_text(sheet_t *p, double x, double y, char at, double em, int rgb, const char *text) {
  put_text(p, x, y, at == 'l' ? "left" : at == 'r' ? "right" : "center", em, rgb, text);
}

void sheet_upright(sheet_t *p, double x, double y, const char *text) {
  put_text(p, x, y, "rotate by 90 center", p->em, INK, text);
}

void sheet_dot(sheet_t *p, double x, double y, int shape, double radius, int rgb) {
  fprintf(p->to->script, "set label %d '' at screen %.5f,%.5f point pt %d ps %.4g lc rgb '#%06x'\n",
          ++p->texts, across(p, x), up(p, y), shape, radius * p->to->dot, (unsigned)rgb);
}

void sheet_box(sheet_t *p, rect_t b, int rgb) {
  fprintf(
      p->to->script,
      "set object %d rectangle from screen %.5f,%.5f to screen %.5f,%.5f fc rgb '#%06x' fs solid noborder\n",
      ++p->boxes, across(p, b.x), up(p, b.y), across(p, b.x + b.width), up(p, b.y + b.height), (unsigned)rgb);
}

void sheet_line(sheet_t *p, double x0, double y0, double x1, double y1, double wide, int rgb) {
  fprintf(p->to->script,
          "set arrow %d from screen %.5f,%.5f to screen %.5f,%.5f nohead back lw %.4g lc rgb '#%06x'\n",
          ++p->lines, across(p, x0), up(p, y0), across(p, x1), up(p, y1), wide * p->to->line, (unsigned)rgb);
}

/* ------------------------------------------------------------------ plots */

void sheet_place(sheet_t *p, rect_t in, const double low[2], const double high[2]) {
  fprintf(p->to->script,
          "set lmargin at screen %.5f\nset rmargin at screen %.5f\nset bmargin at screen %.5f\n"
          "set tmargin at screen %.5f\nset xrange [%.10g:%.10g]\nset yrange [%.10g:%.10g]\n",
          across(p, in.x), across(p, in.x + in.width), up(p, in.y), up(p, in.y + in.height), low[0], high[0],
          low[1], high[1]);
}

void sheet_next(sheet_t *p) {
  fprintf(p->to->script, "unset label\nunset object\nunset arrow\nunset border\nunset tics\nunset grid\n");
  p->texts = p->boxes = p->lines = 0;
}

sheet_t sheet_begin(const drawing *to, const paper_t *paper, const char *title, rect_t *room) {
  sheet_t p = {.to = to,
               .width = 72 * paper->width,
               .height = 72 * paper->height,
               .em = paper->points,
               .headings = true};
  double edge = 0.4 * p.em, top = 0;
  fprintf(to->script, "set multiplot\nunset key\nset style fill solid noborder\n");
  sheet_next(&p);
  if (title && *title) {
    char text[TEXT];
    snprintf(text, sizeof text, "%s", title);
    text_fit(text, p.width - 2 * p.em, 1.2 * p.em);
    sheet_text(&p, p.width / 2, p.height - 1.2 * p.em, 'c', 1.2 * p.em, INK, text);
    top = 2 * p.em;
  }
  *room = (rect_t){edge, edge, p.width - 2 * edge, p.height - 2 * edge - top};
  return p;
}

void sheet_end(sheet_t *p) {
  fprintf(p->to->script, "unset multiplot\n");
}

void sheet_cells(rect_t room, int count, const double *share, rect_t *cell) {
  int best = 1;
  double most = 0;
  for (int columns = 1; columns <= count; columns++) {
    int rows = (count + columns - 1) / columns;
    double least = fmin(room.width / columns, 1.3 * room.height / rows);
    if (least > most) most = least, best = columns;
  }
  int rows = (count + best - 1) / best;
  for (int k = 0, row = 0; row < rows; row++) {
    int here = count - k < best ? count - k : best;
    double sum = 0, x = room.x, height = room.height / rows;
    for (int j = 0; j < here; j++) sum += share[k + j];
    for (int j = 0; j < here; j++, k++) {
      cell[k] = (rect_t){x, room.y + room.height - (row + 1) * height, room.width * share[k] / sum, height};
      x += cell[k].width;
    }
  }
}
