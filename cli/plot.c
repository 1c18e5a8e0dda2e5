/* lavdm plot: a picture of a result, drawn by gnuplot. What it shows depends on what the result is of. */
#include "base/command.h"
#include "io/io.h"
#include "io/sentence.h"
#include "picture/average_view.h"
#include "picture/embed_view.h"
#include "picture/orient_view.h"
#include "picture/request.h"
#include "picture/sync_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options that only pictures of embeddings have. */
static const char *const embedding_only[] = {"colour", "axes", "3d", "fields", "spectrum", NULL};
static const char *const no_view[] = {"view", NULL};

static int draw(const result_t *result, const request_t *ask, const arguments *a, lavdm_error *error) {
  int status;
  bool asked = false; /* for a picture of eigenvectors */
  for (int k = 0; embedding_only[k]; k++) asked |= arguments_value(a, embedding_only[k]) != NULL;
  if (orient_view_is(result) && !asked) return orient_view_draw(result, ask, error);
  if (embed_view_is(result)) return embed_view_draw(result, ask, error);
  if (sync_view_is(result)) {
    static const char *const others[] = {"data", NULL};
    status = request_refuse(a, "results of lavdm sync", embedding_only, error);
    if (status >= 0) status = request_refuse(a, "results of lavdm sync", others, error);
    return status < 0 ? status : sync_view_draw(result, ask, error);
  }
  if (average_view_is(result)) {
    status = request_refuse(a, "tables of lavdm average", embedding_only, error);
    if (status >= 0) status = request_refuse(a, "tables of lavdm average", no_view, error);
    return status < 0 ? status : average_view_draw(result, ask, error);
  }
  return refuse(
      error, LAVDM_ERROR_DATA,
      "%s: not a result of lavdm embed, extend, orient or sync, nor a table of lavdm average: it lacks "
      "eigenvalues or eigenvectors, or elements and edges, or neighbours and angles",
      ask->input);
}

static int run_plot(const arguments *a, lavdm_error *error) {
  request_t ask;
  int status = drawing_check(arguments_value(a, "output"), "-o", a->operand[0], error), count = 0;
  if (status >= 0) status = request_read(a, &ask, error);
  if (status < 0) return status;
  io_array *all = NULL;
  status = io_read_all(ask.input, &all, &count, error);
  if (status < 0) return status;
  status = draw(&(result_t){all, count}, &ask, a, error);
  for (int i = 0; i < count; i++) io_array_free(&all[i]);
  free(all);
  if (status >= 0 && !arguments_value(a, "quiet")) printf("%s\n", shown(ask.output));
  return status;
}

static bool takes_option(const char *option) {
  return !strcmp(option, "time");
}

static const flag flags[] = {
    {"output", 'o', "PICTURE", "the picture to write: .pdf, .svg or .png"},
    {"colour", 0, "WHAT",
     "labels, an array of RESULT with a number for each point, a column of its table, FILE or FILE:COLUMN of "
     "a table, or none: the third coordinate or axis [labels, if there are some]"},
    {"axes", 0, "I,J",
     "eigenvectors to draw, from 0 as in coordinate_index; principal axes, from 1, where "
     "eigenvectors are fields; I,J,K with --3d [the first coordinates]"},
    {"3d", 0, NULL, "three axes, in space"},
    {"view", 0, "AZ,EL", "azimuth and elevation that space is seen from, in degrees [-60,25]"},
    {"fields", 0, "L", "eigenvector L, from 0, as arrows at the points: results of vdm and lavdm"},
    {"data", 0, "FILE", "--fields: points of a result that has none; tables of average: the stack"},
    {"spectrum", 0, "only|no", "the eigenvalues alone, or not at all [beside the points]"},
    {"size", 0, "WxH",
     "in inches, or with cm or px (200 an inch in .png) behind it [7x2.6, one panel 3.5x2.8]"},
    {"title", 0, "TEXT", "above all; none: no headings of panels either"},
    {"font", 0, "NAME,SIZE", "and its size in points [Helvetica,8]"},
    {"quiet", 'q', NULL, "do not print the name of the picture"},
    {0},
};

const command plot_command = {
    .name = "plot",
    .usage = "RESULT -o PICTURE",
    .summary = "a picture of a result, for a paper or a screen",
    .about = "Draws a result with gnuplot. Of `embed` and `extend`: the eigenvalues, and the points at "
             "diffusion time T (at "
             "most 20,000 of them): by the first two eigenvectors that are coordinates (`coordinate_index`), "
             "coloured by "
             "labels or the third; where eigenvectors are fields, along the principal axes of the embedding; "
             "where the graph "
             "falls into pieces, a panel for each of the three largest, by the first two coordinates that "
             "are not zero on "
             "it. --fields draws an eigenvector as arrows where the points are, in their first three "
             "principal axes if they "
             "have more coordinates.\n\n"
             "Of `orient`: the leading eigenvector, and the double cover, or the points by where that "
             "changes its sign; "
             "with --colour, --axes, --3d or --spectrum what is drawn of `embed`. Of `sync`: the positions "
             "or the graph, with edges that --robust turned down in orange, and the "
             "residuals. Of a "
             "--table of `average`: with --data STACK averages beside the images that they are made of, else "
             "turns and "
             "distances.\n\n"
             "Labels have a legend of the 11 largest groups and one for all others; numbers, and labels that "
             "are more than "
             "12 numbers, are a ramp. Legends stand outside the axes; what there is no room for is cut or "
             "left out.",
    .example = "@ sample klein -n 2000 -o klein.npy && @ embed klein.npy -o klein.npz\n"
               "@ plot klein.npz -o klein.png && @ plot klein.npz --colour degrees --size 3.5x2.8 --3d -o "
               "klein.pdf\n"
               "@ plot klein.npz --fields 0 --spectrum no -o field.svg",
    .flags = flags,
    .takes = takes_option,
    .least = 1,
    .most = 1,
    .run = run_plot,
};
