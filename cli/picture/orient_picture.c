/* Three panels: the histogram of the leading eigenvector, the points, and the double cover. */
#include "picture/orient_picture.h"
#include "base/command.h"
#include "picture/orient_scene.h"
#include "picture/drawing.h"
#include "output/summary.h"

#include <math.h>
#include <stdlib.h>

enum { HALF = 64 }; /* bins of the histogram on each side, at most */

enum { WIDE = 470, HIGH = 480 }; /* of a panel */

/* Where a panel lies: its place among so many. */
typedef struct {
  int place, count;
} panel_t;

static int by_depth(const void *a, const void *b) {
  double x = ((const dot_t *)a)->depth, y = ((const dot_t *)b)->depth;
  return (x > y) - (x < y);
}

/* Whiter in the distance. */
static int colour(double value, double shade, double far) {
  static const double orange[] = {235, 120, 20}, pale[] = {240, 238, 232}, blue[] = {24, 116, 190};
  double strength = fmin(fabs(value), 1), rgb[3];
  for (int k = 0; k < 3; k++) {
    rgb[k] = pale[k] + strength * ((value < 0 ? orange : blue)[k] - pale[k]);
    rgb[k] *= 0.62 + 0.38 * shade;
    rgb[k] += 0.45 * far * (255 - rgb[k]);
  }
  return (int)rgb[0] << 16 | (int)rgb[1] << 8 | (int)rgb[2];
}

static void put_title(FILE *to, panel_t at, const char *title) {
  fprintf(to, "set label 1 \"%s\" at screen %g,0.89 center\n", title, (at.place + 0.5) / at.count);
}

/* Two words below a panel, each with a dot of its colour. */
static void put_words(FILE *to, panel_t at, const char *blue, const char *orange) {
  fprintf(to,
          "set label 2 \"%s\" at screen %g,0.055 left point pt 7 ps 1.8 lc rgb '#1874be' offset 0.8,0\n"
          "set label 3 \"%s\" at screen %g,0.055 left point pt 7 ps 1.8 lc rgb '#eb7814' offset 0.8,0\n",
          blue, (at.place + 0.14) / at.count, orange, (at.place + 0.62) / at.count);
}

/* Ranges around the dots with the shape of a panel, so that lengths are the same along both. */
static void put_ranges(FILE *to, const dot_t *dots, int64_t count) {
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int64_t i = 0; i < count; i++) {
    low[0] = fmin(low[0], dots[i].x), high[0] = fmax(high[0], dots[i].x);
    low[1] = fmin(low[1], dots[i].y), high[1] = fmax(high[1], dots[i].y);
  }
  const double wide = 0.92 * WIDE, tall = 0.74 * HIGH;
  double scale = fmax(fmax((high[0] - low[0]) / wide, (high[1] - low[1]) / tall), 1e-300) * 0.54;
  for (int a = 0; a < 2; a++) {
    double middle = (low[a] + high[a]) / 2, reach = scale * (a ? tall : wide);
    fprintf(to, "set %crange [%.8g:%.8g]\n", a ? 'y' : 'x', middle - reach, middle + reach);
  }
}

/* A panel without axes: the dots from far to near, so large on
 * a surface that near ones hide far ones. The words are for blue and orange. */
static void put_dots(FILE *to, panel_t at, const scene_t *s, int64_t d, const char *title, const char *blue,
                     const char *orange) {
  dot_t *dots = s->dots;
  int64_t count = s->shown;
  double size = d == 1 || count < 300 ? 2 : fmin(5, fmax(7.6 * sqrt(2000 / (double)count), 0.6));
  qsort(dots, (size_t)count, sizeof *dots, by_depth);
  double near = dots[count - 1].depth, depth = near - dots[0].depth;
  fprintf(to, "$dots << END\n");
  for (int64_t i = 0; i < count; i++) {
    double far = depth > 0 ? (near - dots[i].depth) / depth : 0;
    fprintf(to, "%.5g %.5g %d\n", dots[i].x, dots[i].y, colour(dots[i].value, dots[i].shade, far));
  }
  fprintf(to, "END\n");
  put_title(to, at, title);
  put_words(to, at, blue, orange);
  put_ranges(to, dots, count);
  fprintf(to,
          "unset border\nunset tics\nunset grid\nunset xlabel\nunset ylabel\nunset arrow\n"
          "set lmargin at screen %g\nset rmargin at screen %g\n"
          "set tmargin at screen 0.86\nset bmargin at screen 0.12\n"
          "unset key\n"
          "plot $dots using 1:2:3 with points pt 7 ps %g lc rgb variable\n",
          (at.place + 0.04) / at.count, (at.place + 0.96) / at.count, size);
}

/* ------------------------------------------------------------ histogram */

/* Bins of width 2 / (2 j + 1), so that 0 is a border and 1 and -1 are middles. */
static void put_histogram(FILE *to, panel_t at, const lavdm_model *model, const lavdm_orientation *verdict) {
  const lavdm_array *leading = lavdm_get(model, "leading");
  const double *v = leading->data;
  double most = 1.6, share[2 * HALF] = {0}, top = 0;
  int64_t n = leading->shape[0], used = 0;
  char title[DRAWING_TITLE];
  for (int64_t i = 0; i < n; i++) {
    most = fmax(most, fabs(v[i]));
    used += v[i] != 0;
  }
  double width = 2 / (2 * floor(30 / most) + 1);
  int half = (int)fmin(ceil(most / width), HALF);
  for (int64_t i = 0; i < n; i++) {
    double bin = fmin(fmax(floor(v[i] / width), -half), half - 1);
    if (v[i] != 0) share[(int)bin + half] += 100 / (double)used;
  }
  most = half * width;
  fprintf(to, "$bins << END\n");
  for (int b = 0; b < 2 * half; b++) {
    fprintf(to, "%.5g %.5g %d\n", (b - half + 0.5) * width, share[b], colour(b < half ? -1 : 1, 1, 0));
    top = fmax(top, share[b]);
  }
  snprintf(title, sizeof title, "Leading eigenvector v: mean |v| √n = %.3f%s", verdict->mean_magnitude,
           verdict->graph_components > 1 ? " at worst" : "");
  fprintf(to, "END\n");
  put_title(to, at, title);
  fprintf(to,
          "set border 3\nset tics nomirror\nset grid y lc rgb '#dddddd'\n"
          "set xlabel 'v √n  (±1 at every point if orientable)'\nset ylabel 'points in %%'\n"
          "set lmargin at screen %g\nset rmargin at screen %g\nset tmargin at screen 0.84\nset bmargin at "
          "screen 0.15\n"
          "set xrange [%g:%g]\nset yrange [0:%g]\nset style fill solid noborder\n"
          "set arrow 1 from -1,graph 0 to -1,graph 1 nohead dt 2 lw 1.5 lc rgb '#555555' front\n"
          "set arrow 2 from 1,graph 0 to 1,graph 1 nohead dt 2 lw 1.5 lc rgb '#555555' front\nunset key\n"
          "plot $bins using 1:2:(%g):3 with boxes lc rgb variable\n",
          (at.place + 0.16) / at.count, (at.place + 0.95) / at.count, -most, most, 1.12 * fmax(top, 1e-9),
          width * 0.92);
}

/* --------------------------------------------------------------- points */

static void put_points(FILE *to, panel_t at, const scene_t *s, const lavdm_data *data,
                       const lavdm_model *model, bool bad) {
  int64_t d = lavdm_info(model)->chosen->dim;
  const char *from = data->p > SPACE ? " on three principal axes" : "";
  char title[DRAWING_TITLE];
  snprintf(title, sizeof title, "Points%s%s", from, bad ? ", pale where v changes sign" : "");
  if (d == 1)
    put_dots(to, at, s, d, title, "runs to the right", "runs to the left");
  else if (d == 2)
    put_dots(to, at, s, d, title, "one side faces you", "the other side");
  else
    put_dots(to, at, s, d, title, "right-handed as seen", "left-handed");
}

/* -------------------------------------------------------------- picture */

int orient_picture(const char *path, const char *name, const lavdm_data *data, const lavdm_model *model,
                   const lavdm_orientation *verdict, const cover_t *cover, lavdm_error *error) {
  char title[DRAWING_TITLE], words[VERDICT_SIZE];
  scene_t points = {0}, sheets = {0};
  int status = LAVDM_OK;
  drawing p;
  if (!scene_of_points(data, model, &points) || (cover && !scene_of_cover(cover, &sheets)))
    status = refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the picture");
  paper_t paper = {(cover ? 3 : 2) * WIDE / 96.0, HIGH / 96.0, 144, "Helvetica", 9};
  if (status >= 0) status = drawing_begin(&p, path, &paper, error);
  if (status >= 0) {
    drawing_title(name, title);
    verdict_text(verdict->verdict, verdict->confidence, words);
    int panels = cover ? 3 : 2;
    fprintf(p.script, "set multiplot\nset label 9 \"%s: %s\" at screen 0.5,0.96 center font ',%g'\n", title,
            words, 1.4 * paper.points * p.font);
    put_histogram(p.script, (panel_t){0, panels}, model, verdict);
    fprintf(p.script, "unset label 9\n");
    put_points(p.script, (panel_t){1, panels}, &points, data, model, verdict->verdict == 0);
    if (cover)
      put_dots(p.script, (panel_t){2, panels}, &sheets, lavdm_info(model)->chosen->dim,
               "Double cover, opposite colours over each point", "first odd coordinate > 0", "< 0");
    fprintf(p.script, "unset multiplot\n");
    status = drawing_end(&p, LAVDM_OK, error);
  }
  scene_free(&points);
  scene_free(&sheets);
  return status;
}
