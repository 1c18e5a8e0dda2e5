#include "picture/histogram.h"

#include <math.h>

enum { BARS = 40 };

static void find_range(const histogram_t *h, double *low, double *high) {
  *low = h->low, *high = h->high;
  if (*low < *high) return;
  *low = INFINITY, *high = -INFINITY;
  for (int64_t i = 0; i < h->count; i++)
    if (isfinite(h->value[i])) *low = fmin(*low, h->value[i]), *high = fmax(*high, h->value[i]);
  if (!(*low <= *high)) *low = 0, *high = 1;
  if (*low > 0 && *low < 0.5 * *high) *low = 0;
  if (*high - *low <= 1e-9 * fmax(fabs(*low), fabs(*high))) /* all the same, up to rounding */
    *low -= 0.5, *high += 0.5;
}

/* A bar that would hide that there are others. */
static bool is_lopsided(const double *bar) {
  double sum = 0, top = 0;
  for (int k = 0; k < BARS; k++) sum += bar[k], top = fmax(top, bar[k]);
  return top > 0.6 * sum && top < sum && top > 50;
}

/* Where a count lies: from a little below 1 on, if the scale is logarithmic. */
static double height_of(double count, bool powers) {
  return !powers ? count : count > 0 ? log10(count) : -0.3;
}

void histogram_draw(sheet_t *p, rect_t cell, const histogram_t *h) {
  double low, high, bar[BARS] = {0}, bad[BARS] = {0}, top = 1;
  FILE *to = p->to->script;
  find_range(h, &low, &high);
  for (int64_t i = 0; i < h->count; i++) {
    if (!isfinite(h->value[i])) continue;
    int k = (int)fmin(fmax(BARS * (h->value[i] - low) / (high - low), 0), BARS - 1);
    bar[k]++;
    if (h->marked && h->marked[i] < 0.5) bad[k]++;
  }
  bool powers = is_lopsided(bar);
  for (int k = 0; k < BARS; k++) top = fmax(top, bar[k]);
  axes_t axes = {.heading = h->heading,
                 .name = {h->name, h->unit},
                 .low = {low, height_of(0, powers)},
                 .high = {high, powers ? log10(top) + 0.15 : 1.06 * top},
                 .whole = {false, true},
                 .powers = powers};
  axes_draw(p, cell, &axes);
  fprintf(to, "$bars << END\n");
  for (int k = 0; k < BARS; k++) { /* those that are marked on top, or, by logarithms, if they are most */
    double x = low + k * (high - low) / BARS, next = low + (k + 0.92) * (high - low) / BARS,
           good = bar[k] - bad[k];
    double edge[3] = {height_of(0, powers), height_of(powers ? (good >= bad[k] ? bar[k] : 0) : good, powers),
                      height_of(bar[k], powers)};
    for (int part = 0; part < 2; part++)
      if (edge[part + 1] > edge[part])
        fprintf(to, "%.8g %.8g %.8g %.8g %.8g %.8g %d\n", x, edge[part], x, next, edge[part], edge[part + 1],
                part ? ORANGE : BLUE);
  }
  fprintf(to, "%.8g 0 %.8g %.8g 0 0 0\nEND\nplot $bars using 1:2:3:4:5:6:7 with boxxyerror lc rgb variable\n",
          low, low, low);
  sheet_next(p);
}
