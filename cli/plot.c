/*
 * lavdm plot: a picture of a result, drawn by gnuplot. On the left the
 * eigenvalues; on the right the embedding at time t, seen along its first
 * principal axes, coloured by labels, a number, or the third axis.
 */
#include "base/command.h"
#include "io/io.h"
#include "picture/colours.h"
#include "picture/drawing.h"
#include "io/sentence.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANK = 8, AXES = 3 };

static const io_array *find(const io_array *all, int count, const char *name, int rank) {
  for (int i = 0; i < count; i++)
    if (all[i].name && !strcmp(all[i].name, name) && all[i].type == IO_REAL && all[i].rank >= rank)
      return &all[i];
  return NULL;
}

/* Row i of the embedding: (a_l a_s) <u_l[i], u_s[i]>, l <= s, see lavdm_embedding. */
static void embed_row(const double *u, const double *lambda, int64_t q, int64_t r, int64_t rank, double t,
                      double *out) {
  for (int64_t l = 0; l < rank; l++)
    for (int64_t s = l; s < rank; s++) {
      double dot = 0;
      for (int64_t c = 0; c < q; c++) dot += u[c * r + l] * u[c * r + s];
      *out++ = pow(fmax(lambda[l], 0) * fmax(lambda[s], 0), t) * dot * (l < s ? sqrt(2) : 1);
    }
}

/* The point that is drawn as number i of so many. */
static int64_t drawn(int64_t i, int64_t n, int64_t shown) {
  return (int64_t)((double)i * (double)n / (double)shown);
}

/* The script with its data inline, so that nothing else is written. */
static int write_script(FILE *to, const char *title, const io_array *values, const io_array *vectors,
                        const colours_t *colours, double t, lavdm_error *error) {
  const double *lambda = values->data, *u = vectors->data;
  fprintf(
      to,
      "set multiplot layout 1,2 title \"%s\"\nset border 3\nset tics nomirror\nset grid lc rgb '#dddddd'\n"
      "unset key\n$spectrum << END\n",
      title);
  for (int64_t l = 0; l < values->shape[0]; l++) fprintf(to, "%" PRId64 " %.10g\n", l + 1, lambda[l]);
  double top = lambda[0], bottom = lambda[values->shape[0] - 1], pad = fmax(0.05 * (top - bottom), 1e-9);
  fprintf(to,
          "END\nset title 'Spectrum'\nset xlabel 'component'\nset ylabel 'eigenvalue'\n"
          "set xrange [0:%" PRId64 "]\nset yrange [%.10g:%.10g]\n"
          "plot $spectrum with lines lc rgb '#aaccdd' lw 1.5, $spectrum with points pt 7 ps 0.9 lc rgb "
          "'#0072b2'\n",
          values->shape[0] + 1, bottom - pad, top + pad);
  int64_t n = vectors->shape[0], q = vectors->shape[1], r = vectors->shape[2], rank = r < RANK ? r : RANK;
  int64_t shown = n < DRAWING_POINTS ? n : DRAWING_POINTS, width = rank * (rank + 1) / 2;
  double *x = calloc((size_t)(shown * width), sizeof *x),
         *axis = calloc((size_t)(AXES * width), sizeof *axis);
  for (int64_t i = 0; x && i < shown; i++)
    embed_row(u + drawn(i, n, shown) * q * r, lambda, q, r, rank, t, x + i * width);
  if (!x || !axis || !principal_axes(x, shown, width, AXES, axis)) {
    free(x), free(axis);
    return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the picture");
  }
  fprintf(to, "$points << END\n");
  for (int64_t i = 0; i < shown; i++)
    for (int a = 0; a < AXES; a++) {
      double dot = 0;
      for (int64_t j = 0; j < width; j++) dot += x[i * width + j] * axis[a * width + j];
      if (a + 1 < AXES)
        fprintf(to, "%.6g ", dot);
      else
        colours_put(colours, drawn(i, n, shown), dot, to);
    }
  fprintf(to,
          "END\nset title \"Embedding, first %" PRId64
          " components, t = %g (colour: %s)\"\nset xlabel '1st principal axis'\n"
          "set ylabel '2nd principal axis'\nset xrange [*:*]\nset yrange "
          "[*:*]\n"
          "set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')\n"
          "set format x '%%.2g'\nset format y '%%.2g'\nset format cb '%%.2g'\nset size ratio -1\n",
          rank, t, colours->value ? colours->title : "3rd axis");
  colours_plot(colours, shown > 5000 ? 0.25 : 0.6, to);
  fprintf(to, "unset multiplot\n");
  free(x), free(axis);
  return LAVDM_OK;
}

static int draw(const char *name, const char *output, const io_array *values, const io_array *vectors,
                const colours_t *colours, double t, lavdm_error *error) {
  char title[DRAWING_TITLE];
  drawing p;
  int status = drawing_begin(&p, output, colours->groups ? 1250 : 1100, 500, error);
  if (status < 0) return status;
  drawing_title(name, title);
  status = write_script(p.script, title, values, vectors, colours, t, error);
  return drawing_end(&p, status, error);
}

static int run_plot(const arguments *a, lavdm_error *error) {
  const char *output = arguments_value(a, "output"), *name = a->operand[0];
  int status = drawing_check(output, "-o", name, error), count = 0;
  if (status < 0) return status;
  io_array *all = NULL;
  status = io_read_all(name, &all, &count, error);
  if (status < 0) return status;
  const io_array *values = find(all, count, "eigenvalues", 1), *vectors = find(all, count, "eigenvectors", 3);
  if (!values || !vectors || vectors->shape[0] < 1 || vectors->shape[2] < 1 ||
      io_array_count(values) < vectors->shape[2])
    status = refuse(error, LAVDM_ERROR_DATA,
                    "%s: not a result of lavdm embed: it lacks eigenvalues or eigenvectors", name);
  else {
    io_array flat = *values; /* a MAT file keeps vectors as 1 x r or r x 1 */
    flat.shape[0] = vectors->shape[2];
    colours_t colours = {0};
    status = colours_find(arguments_value(a, "colour"), all, count, vectors->shape[0], &colours, error);
    if (status >= 0) status = draw(name, output, &flat, vectors, &colours, a->options.time, error);
    colours_free(&colours);
  }
  for (int i = 0; i < count; i++) io_array_free(&all[i]);
  free(all);
  if (status >= 0 && !arguments_value(a, "quiet")) printf("%s\n", shown(output));
  return status;
}

static bool takes_option(const char *option) {
  return !strcmp(option, "time");
}

static const flag flags[] = {
    {"output", 'o', "PICTURE", "the picture to write: .png or .svg"},
    {"colour", 0, "WHAT",
     "labels, an array of RESULT with a number for each point, FILE or FILE:COLUMN of a table, or none: the "
     "3rd axis [labels, if there are some]"},
    {"quiet", 'q', NULL, "do not print the name of the picture"},
    {0},
};

const command plot_command = {
    .name = "plot",
    .usage = "RESULT -o PICTURE",
    .summary = "a picture of the spectrum and of the embedding",
    .about =
        "Draws a result of `lavdm embed` with gnuplot: the eigenvalues, and the points in the embedding at "
        "diffusion time T along its first three principal axes (at most 20,000 points are drawn). "
        "Labels have a legend of the 11 largest groups and one for all others; numbers, and labels that are "
        "more than 12 numbers, are a ramp.",
    .example = "@ sample klein -n 2000 -o klein.npy && @ embed klein.npy -o klein.npz\n"
               "@ plot klein.npz -o klein.png && @ plot klein.npz --colour degrees -o degrees.png",
    .flags = flags,
    .takes = takes_option,
    .least = 1,
    .most = 1,
    .run = run_plot,
};
