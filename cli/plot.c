/*
 * lavdm plot: a picture of a result, drawn by gnuplot. On the left the
 * eigenvalues; on the right the coordinates that the result names, or, without, the
 * embedding at time t, seen along its first principal axes; coloured by labels, a
 * number, or the third of these.
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

/* What is drawn of a result. */
typedef struct {
  const double *lambda, *u; /* r; n x q x r */
  int64_t n, q, r, shown;
  double t;
  int64_t coordinate[AXES]; /* the eigenvectors that are coordinates: the first of them, ... */
  int coordinates;          /* ... 0 if the embedding is drawn along its principal axes */
  colours_t colours;
} view;

/* The point that is the i-th to be drawn, and its row of the result. */
static int64_t point_of(const view *v, int64_t i) {
  return (int64_t)((double)i * (double)v->n / (double)v->shown);
}

static const double *row_of(const view *v, int64_t i) {
  return v->u + point_of(v, i) * v->q * v->r;
}

/* One of the axes of the i-th point; the last is its colour, unless that is something else. */
static void write_axis(FILE *to, const view *v, int64_t i, int axis, double x) {
  if (axis + 1 < AXES)
    fprintf(to, "%.6g ", x);
  else
    colours_put(&v->colours, point_of(v, i), x, to);
}

static void write_spectrum(FILE *to, const view *v) {
  fprintf(to, "$spectrum << END\n");
  for (int64_t l = 0; l < v->r; l++) fprintf(to, "%" PRId64 " %.10g\n", l + 1, v->lambda[l]);
  double top = v->lambda[0], bottom = v->lambda[v->r - 1], pad = fmax(0.05 * (top - bottom), 1e-9);
  fprintf(to,
          "END\nset title 'Spectrum'\nset xlabel 'component'\nset ylabel 'eigenvalue'\n"
          "set xrange [0:%" PRId64 "]\nset yrange [%.10g:%.10g]\n"
          "plot $spectrum with lines lc rgb '#aaccdd' lw 1.5, $spectrum with points pt 7 ps 0.9 lc rgb "
          "'#0072b2'\n",
          v->r + 1, bottom - pad, top + pad);
}

/* lambda_l^t u_l of the coordinates; the last of them is the colour. */
static void write_coordinates(FILE *to, const view *v) {
  fprintf(to, "$points << END\n");
  for (int64_t i = 0; i < v->shown; i++)
    for (int a = 0; a < AXES; a++) {
      int64_t l = v->coordinate[a < v->coordinates ? a : 0];
      write_axis(to, v, i, a, pow(fmax(v->lambda[l], 0), v->t) * row_of(v, i)[l]);
    }
  char third[32];
  snprintf(third, sizeof third, "eigenvector %" PRId64, v->coordinate[v->coordinates > 2 ? 2 : 0]);
  fprintf(to,
          "END\nset title \"Independent coordinates, t = %g (colour: %s)\"\nset xlabel 'eigenvector %" PRId64
          " (from 0)'\nset ylabel 'eigenvector %" PRId64 " (from 0)'\n",
          v->t, v->colours.value ? v->colours.title : third, v->coordinate[0], v->coordinate[1]);
}

static int write_embedding(FILE *to, const view *v, lavdm_error *error) {
  int64_t rank = v->r < RANK ? v->r : RANK, width = rank * (rank + 1) / 2;
  double *x = calloc((size_t)(v->shown * width), sizeof *x),
         *axis = calloc((size_t)(AXES * width), sizeof *axis);
  for (int64_t i = 0; x && i < v->shown; i++)
    embed_row(row_of(v, i), v->lambda, v->q, v->r, rank, v->t, x + i * width);
  if (!x || !axis || !principal_axes(x, v->shown, width, AXES, axis)) {
    free(x), free(axis);
    return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the picture");
  }
  fprintf(to, "$points << END\n");
  for (int64_t i = 0; i < v->shown; i++)
    for (int a = 0; a < AXES; a++) {
      double dot = 0;
      for (int64_t j = 0; j < width; j++) dot += x[i * width + j] * axis[a * width + j];
      write_axis(to, v, i, a, dot);
    }
  fprintf(to,
          "END\nset title \"Embedding, first %" PRId64
          " components, t = %g (colour: %s)\"\nset xlabel '1st principal axis'\n"
          "set ylabel '2nd principal axis'\nset size ratio -1\n",
          rank, v->t, v->colours.value ? v->colours.title : "3rd axis");
  free(x), free(axis);
  return LAVDM_OK;
}

/* The script with its data inline, so that nothing else is written. */
static int write_script(FILE *to, const char *title, const view *v, lavdm_error *error) {
  fprintf(
      to,
      "set multiplot layout 1,2 title \"%s\"\nset border 3\nset tics nomirror\nset grid lc rgb '#dddddd'\n"
      "unset key\n",
      title);
  write_spectrum(to, v);
  int status = v->coordinates ? (write_coordinates(to, v), LAVDM_OK) : write_embedding(to, v, error);
  if (status < 0) return status;
  fprintf(to, "set xrange [*:*]\nset yrange [*:*]\n"
              "set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')\n"
              "set format x '%%.2g'\nset format y '%%.2g'\nset format cb '%%.2g'\n");
  colours_plot(&v->colours, v->shown > 5000 ? 0.25 : 0.6, to);
  fprintf(to, "unset multiplot\n");
  return LAVDM_OK;
}

/* The coordinates that the result names, if there are two or more to be drawn against each other. */
static void find_coordinates(const io_array *all, int count, view *v) {
  for (int i = 0; i < count; i++) {
    const io_array *a = &all[i];
    if (!a->name || strcmp(a->name, "coordinate_index") || a->type != IO_INTEGER || v->q != 1) continue;
    int64_t have = io_array_count(a);
    for (int k = 0; k < AXES && k < have; k++) {
      int64_t l = ((const int64_t *)a->data)[k];
      if (l < 0 || l >= v->r) break;
      v->coordinate[v->coordinates++] = l;
    }
  }
  if (v->coordinates < 2) v->coordinates = 0;
}

static int draw(const char *name, const char *output, const view *v, lavdm_error *error) {
  char title[DRAWING_TITLE];
  drawing p;
  int status = drawing_begin(&p, output, v->colours.groups ? 1250 : 1100, 500, error);
  if (status < 0) return status;
  drawing_title(name, title);
  status = write_script(p.script, title, v, error);
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
    int64_t n = vectors->shape[0];
    view v = {.lambda = values->data,
              .u = vectors->data,
              .n = n,
              .q = vectors->shape[1],
              .r = vectors->shape[2],
              .shown = n < DRAWING_POINTS ? n : DRAWING_POINTS,
              .t = a->options.time};
    find_coordinates(all, count, &v);
    status = colours_find(arguments_value(a, "colour"), all, count, n, &v.colours, error);
    if (status >= 0) status = draw(name, output, &v, error);
    colours_free(&v.colours);
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
     "third coordinate or axis [labels, if there are some]"},
    {"quiet", 'q', NULL, "do not print the name of the picture"},
    {0},
};

const command plot_command = {
    .name = "plot",
    .usage = "RESULT -o PICTURE",
    .summary = "a picture of the spectrum and of the embedding",
    .about =
        "Draws a result of `lavdm embed` with gnuplot: the eigenvalues, and the points at diffusion time T "
        "(at "
        "most 20,000 of them): by the first two eigenvectors that are coordinates (`coordinate_index`), "
        "coloured by the third; or, where eigenvectors are fields, along the first three principal axes of "
        "the embedding. Labels have a legend of the 11 largest groups and one for all others; numbers, and "
        "labels that are more than 12 numbers, are a ramp.",
    .example = "@ sample klein -n 2000 -o klein.npy && @ embed klein.npy -o klein.npz\n"
               "@ plot klein.npz -o klein.png && @ plot klein.npz --colour degrees -o degrees.png",
    .flags = flags,
    .takes = takes_option,
    .least = 1,
    .most = 1,
    .run = run_plot,
};
