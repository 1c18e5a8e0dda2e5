#include "picture/spectrum.h"

#include <inttypes.h>
#include <math.h>

void spectrum_draw(sheet_t *p, rect_t cell, const double *value, int64_t count, const int64_t *drawn,
                   int marked) {
  axes_t axes = {.heading = marked ? "Spectrum (dark: drawn)" : "Spectrum",
                 .name = {"number l, from 0", "eigenvalue"},
                 .low = {-0.6, 0},
                 .high = {(double)count - 0.4, 1},
                 .whole = {true, false}};
  FILE *to = p->to->script;
  axes_range(value, count, 1, &axes.low[1], &axes.high[1]);
  rect_t in = axes_draw(p, cell, &axes);
  double radius = fmin(fmax(0.25 * in.width / (double)count, 0.7), 0.25 * p->em);
  fprintf(to, "$spectrum << END\n");
  for (int64_t l = 0; l < count; l++) {
    bool dark = !marked;
    for (int k = 0; k < marked; k++) dark |= drawn[k] == l;
    if (isfinite(value[l])) fprintf(to, "%" PRId64 " %.10g %d\n", l, value[l], dark ? BLUE : 0x9ecae1);
  }
  fprintf(to,
          "END\nplot $spectrum using 1:2 with lines lw %.4g lc rgb '#%06x', "
          "$spectrum using 1:2:3 with points pt %d ps %.4g lc rgb variable\n",
          0.5 * p->to->line, FAINT, CIRCLE, radius * p->to->dot);
  sheet_next(p);
}
