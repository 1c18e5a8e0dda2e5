#include "picture/axes.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ ticks */

/* As few digits as tell multiples of `step` apart; a minus sign, not a hyphen. */
static void number_text(double value, double step, char text[TICK_TEXT]) {
  char plain[TICK_TEXT];
  if (fabs(value) < 1e-9 * step) value = 0;
  int places = (int)fmax(0, -floor(log10(step) + 1e-9));
  if (value != 0 && (fabs(value) >= 1e5 || places > 4))
    snprintf(plain, sizeof plain, "%.*g", (int)fmin(fmax(ceil(log10(fabs(value) / step)) + 1, 1), 12), value);
  else
    snprintf(plain, sizeof plain, "%.*f", places, value);
  snprintf(text, TICK_TEXT, "%s%s", *plain == '-' ? "\xe2\x88\x92" : "", plain + (*plain == '-'));
}

static ticks_t ticks_of(double low, double high, double step) {
  ticks_t t = {0};
  double first = ceil(low / step - 1e-9);
  for (double k = first; k * step <= high + 1e-9 * step && t.count < TICKS; k++) {
    t.value[t.count] = k * step;
    number_text(k * step, step, t.text[t.count++]);
  }
  return t;
}

double ticks_width(const ticks_t *t, double em) {
  double most = 0;
  for (int k = 0; k < t->count; k++) most = fmax(most, text_width(t->text[k], em));
  return most;
}

ticks_t ticks_choose(double low, double high, double length, double em, bool stacked, bool whole) {
  static const double rounds[] = {1, 2, 5};
  double range = high - low, base = pow(10, floor(log10(range / TICKS)));
  for (int k = 0; k < 12; k++) {
    double step = base * rounds[k % 3] * pow(10, k / 3);
    if ((whole && step < 1) || range / step > TICKS - 1) continue;
    ticks_t t = ticks_of(low, high, step);
    double apart = stacked ? 1.7 * em : ticks_width(&t, em) + 0.9 * em;
    if (t.count < 2) break;
    if (step / range * length >= apart) return t;
  }
  return (ticks_t){0};
}

/* ------------------------------------------------------------------- axes */

void axes_range(const double *x, int64_t count, int64_t stride, double *low, double *high) {
  *low = INFINITY, *high = -INFINITY;
  for (int64_t i = 0; i < count; i++)
    if (isfinite(x[i * stride])) *low = fmin(*low, x[i * stride]), *high = fmax(*high, x[i * stride]);
  if (!(*low <= *high)) *low = 0, *high = 1;
  double room = fmax(0.04 * (*high - *low), 1e-9 * fmax(fabs(*low), fabs(*high)));
  if (!(room > 0)) room = 1;
  *low -= room, *high += room;
}

/* A unit becomes as long along both: the box grows narrower, to half its width at most, and then one range is
 * widened. */
static void make_equal(axes_t *a, rect_t *in) {
  double range[2] = {a->high[0] - a->low[0], a->high[1] - a->low[1]};
  double wanted = fmax(in->height * range[0] / range[1], 0.5 * in->width);
  if (wanted < in->width) in->x += (in->width - wanted) / 2, in->width = wanted;
  double scale = fmax(range[0] / in->width, range[1] / in->height);
  for (int k = 0; k < 2; k++) {
    double middle = (a->low[k] + a->high[k]) / 2, half = scale * (k ? in->height : in->width) / 2;
    a->low[k] = middle - half, a->high[k] = middle + half;
  }
}

static void put_ticks(sheet_t *p, const ticks_t *t, char axis) {
  if (!t->count) return;
  fprintf(p->to->script, "set %ctics (", axis);
  for (int k = 0; k < t->count; k++) fprintf(p->to->script, "%s'' %.10g", k ? ", " : "", t->value[k]);
  fprintf(p->to->script, ") scale 0.35 nomirror\n");
}

static void put_name(sheet_t *p, rect_t in, rect_t cell, const char *name, bool upright, double at) {
  char text[200];
  snprintf(text, sizeof text, "%s", name);
  text_fit(text, upright ? cell.height : cell.width, p->em);
  double half = text_width(text, p->em) / 2;
  if (upright) {
    double y = fmin(fmax(in.y + in.height / 2, cell.y + half), cell.y + cell.height - half);
    sheet_upright(p, at, y, text);
  } else {
    double x = fmin(fmax(in.x + in.width / 2, cell.x + half), cell.x + cell.width - half);
    sheet_text(p, x, at, 'c', p->em, INK, text);
  }
}

/* Numbers beside the ticks; of the lower axis those that stay within the cell. */
static void put_numbers(sheet_t *p, rect_t in, rect_t cell, const axes_t *a, const ticks_t *x,
                        const ticks_t *y) {
  double em = 0.88 * p->em;
  for (int k = 0; k < x->count; k++) {
    double at = in.x + (x->value[k] - a->low[0]) / (a->high[0] - a->low[0]) * in.width;
    double half = text_width(x->text[k], em) / 2;
    if (at - half >= cell.x && at + half <= cell.x + cell.width)
      sheet_text(p, at, in.y - 1.1 * em, 'c', em, INK, x->text[k]);
  }
  for (int k = 0; k < y->count; k++) {
    double at = in.y + (y->value[k] - a->low[1]) / (a->high[1] - a->low[1]) * in.height;
    sheet_text(p, in.x - 0.6 * em, at, 'r', em, INK, y->text[k]);
  }
}

static void put_heading(sheet_t *p, rect_t cell, double x, const char *heading) {
  char text[200];
  snprintf(text, sizeof text, "%s", heading);
  double wide = text_width(text, p->em);
  if (x + wide > cell.x + cell.width) x = fmax(cell.x, cell.x + cell.width - wide);
  text_fit(text, cell.x + cell.width - x, p->em);
  sheet_text(p, x, cell.y + cell.height - 0.9 * p->em, 'l', p->em, INK, text);
}

/* Ticks of an axis; those at logarithms say 1, 10, 100. */
static ticks_t choose(const axes_t *a, int axis, double length, double em) {
  ticks_t t = ticks_choose(a->low[axis], a->high[axis], length, em, axis == 1, a->whole[axis]);
  for (int k = 0; k < t.count && axis == 1 && a->powers; k++)
    snprintf(t.text[k], TICK_TEXT, "%.7g", pow(10, t.value[k]));
  return t;
}

/* What there is no room for is left out: names of axes first, then numbers, then the heading. */
static void leave_out(const sheet_t *p, rect_t cell, axes_t *a, bool *numbers) {
  double em = p->em;
  if (cell.height < 10 * em) a->name[0] = NULL;
  if (cell.width < 11 * em) a->name[1] = NULL;
  *numbers = !a->bare && cell.height >= 7 * em && cell.width >= 8 * em;
  if (cell.height < 5 * em) a->heading = NULL;
}

rect_t axes_draw(sheet_t *p, rect_t cell, axes_t *a) {
  bool numbers;
  leave_out(p, cell, a, &numbers);
  double em = p->em, small = 0.88 * em, top = p->headings && a->heading ? 1.9 * em : 0.8 * em;
  double bottom = !numbers ? 0.4 * em : 2 * small + (a->name[0] ? 1.4 * em : 0), right = 0.8 * em;
  double left = a->name[1] ? 1.5 * em : 0, height = fmax(cell.height - top - bottom, 1);
  const axes_t asked = *a;
  ticks_t x = {0}, y = {0};
  rect_t in = {cell.x + left, cell.y + bottom, fmax(cell.width - left - right, 1), height};
  double wide = 0;
  for (int k = 0; k < 4; k++) { /* numbers take room, and where units are equal room changes the numbers */
    *a = asked;
    in.x = cell.x + left + wide;
    in.width = fmax(cell.width - left - wide - right, 1);
    if (a->equal) make_equal(a, &in);
    if (!numbers) break;
    y = choose(a, 1, height, small);
    if (ticks_width(&y, small) + 1.1 * small <= wide) break;
    wide = ticks_width(&y, small) + 1.1 * small;
    if (k == 3) y = (ticks_t){0};
  }
  double beside = in.x - wide - left; /* where what belongs to the axes begins */
  if (numbers) x = choose(a, 0, in.width, small);
  sheet_place(p, in, a->low, a->high);
  if (p->headings && a->heading) put_heading(p, cell, in.x, a->heading);
  if (a->bare) return in;
  fprintf(p->to->script, "set border 3 lw %.4g lc rgb '#%06x'\n", 0.5 * p->to->line, (unsigned)INK);
  put_ticks(p, &x, 'x');
  put_ticks(p, &y, 'y');
  put_numbers(p, in, cell, a, &x, &y);
  if (a->name[0]) put_name(p, in, cell, a->name[0], false, cell.y + 0.6 * em);
  cell.height -= top; /* below the heading */
  if (a->name[1]) put_name(p, in, cell, a->name[1], true, beside + 0.7 * em);
  return in;
}
