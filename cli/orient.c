/* lavdm orient: is the manifold orientable, and which frames are to be turned? */
#include "base/command.h"
#include "output/deliver.h"
#include "output/page.h"
#include "input/estimate.h"
#include "input/input.h"
#include "picture/orient_picture.h"
#include "picture/drawing.h"
#include "base/progress.h"
#include "io/sentence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the work leaves behind. */
typedef struct {
  lavdm_model *model;
  lavdm_orientation verdict;
  double *signs;
  cover_t cover;
  bool drawn; /* whether the picture shows the cover */
} findings;

static void findings_free(findings *f) {
  free(f->signs);
  cover_free(&f->cover);
  lavdm_free(f->model);
}

/* The cover is made if it is asked for, and to be drawn if it is connected. */
static int work(const arguments *a, const input *in, lavdm_options *options, findings *f,
                lavdm_error *error) {
  lavdm_options judged = *options;
  judged.bundle = LAVDM_BUNDLE_ORIENTATION;
  options->progress = progress_report;
  estimate_print(a, &in->data, &judged);
  progress_enter(PHASE_RUN, "starting", NULL);
  int status = lavdm_orient(&in->data, options, &f->verdict, f->signs, &f->model, error);
  bool pictured = arguments_value(a, "plot") || arguments_value(a, "report");
  f->drawn = status >= 0 && pictured && f->verdict.verdict == 0 && f->verdict.graph_components == 1;
  if (status >= 0 && (arguments_value(a, "cover") || f->drawn))
    status = cover_make(&in->data, f->model, options, &f->cover, error);
  status = input_explain(in, options, status, error);
  if (status >= 0) status = input_unchanged(in, error);
  return status >= 0 && progress_interrupted() ? LAVDM_ERROR_INTERRUPTED : status;
}

static int draw(const char *plot, const input *in, const findings *f, lavdm_error *error) {
  return orient_picture(plot, in->name, &in->data, f->model, &f->verdict, f->drawn ? &f->cover : NULL, error);
}

static int run_orient(const arguments *a, lavdm_error *error) {
  input in = {0};
  findings f = {.verdict.size = sizeof f.verdict};
  lavdm_options options = a->options, asked;
  double began = seconds_now();
  result_extras extras = {.cover = arguments_value(a, "cover") ? &f.cover : NULL, .table = &in.table};
  const char *output = arguments_value(a, "output"), *plot = arguments_value(a, "plot");
  int status = output ? result_check(output, a->operand[0], false, error) : LAVDM_OK;
  if (status >= 0 && plot) status = drawing_check(plot, "--plot", a->operand[0], error);
  if (status >= 0) status = page_check(a, error);
  if (status < 0) return status;

  if (!arguments_value(a, "quiet")) progress_show();
  status = input_read(a, &options, &in, error);
  asked = options;
  asked.bundle = LAVDM_BUNDLE_ORIENTATION;
  asked.stream = a->options.stream;
  if (status >= 0) {
    extras.signs = f.signs = calloc((size_t)in.data.n, sizeof *f.signs);
    if (!f.signs) status = refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the signs");
  }
  if (status >= 0) status = result_fits(&in.data, &options, &extras, error);
  if (status >= 0) input_tell(a);
  if (status >= 0) status = work(a, &in, &options, &f, error);
  progress_clear();
  if (status >= 0) {
    run_facts facts = {.asked = &asked,
                       .model = f.model,
                       .verdict = &f.verdict,
                       .cover = extras.cover,
                       .table = &in.table,
                       .data = &in.data,
                       .input = in.name,
                       .output = output,
                       .began = began,
                       .read_seconds = in.seconds};
    if (f.drawn && arguments_value(a, "report")) facts.shown_cover = &f.cover;
    status = deliver(a, &facts, &extras, error);
  }
  if (status >= 0 && plot) {
    status = draw(plot, &in, &f, error);
    if (status >= 0 && !arguments_value(a, "quiet") && !arguments_value(a, "json"))
      printf("  %-12s %s\n", "picture", shown(plot));
  }
  findings_free(&f);
  input_free(&in);
  return status;
}

/* The bundle is the question itself, and the only coordinates are those of the cover. */
static bool takes_option(const char *option) {
  return strcmp(option, "bundle") && strcmp(option, "delta");
}

static const flag flags[] = {
    {"output", 'o', "OUTPUT", "write `signs` (n) and the spectrum: .h5, .npz or .mat"},
    TABLE_FLAGS,
    STANDARDISE_FLAG,
    {"cover", 0, NULL,
     "find `cover` (2n, r), coordinates of the orientable double cover, and write them with the rest"},
    {"plot", 0, "PICTURE",
     "draw the leading eigenvector, the points and, if not orientable, the double cover: .pdf, .png or .svg"},
    {"json", 0, NULL, "print one JSON object on the standard output, and nothing else"},
    CONFIG_FLAG,
    LIKE_FLAGS,
    REPORT_FLAG,
    {"quiet", 'q', NULL, "no summary and no progress; warnings stay"},
    {0},
};

const command orient_command = {
    .name = "orient",
    .usage = "INPUT [-o OUTPUT] [options]",
    .summary = "is the manifold orientable? a verdict, and a sign for each point",
    .about =
        "Estimates the tangent spaces of the points, compares those of neighbours by the sign of the "
        "determinant alone, and judges from these signs around cycles whether the manifold can be oriented: "
        "orientable, not orientable, or cannot tell. "
        "`signs` says for each point whether its frame is to be reflected (-1) or not (+1); 0 marks a "
        "point that was not judged. A graph that falls apart is judged piece by piece, each of 20 points or "
        "more; the "
        "verdict is that of the piece with the least evidence. `leading` is the leading eigenvector of each "
        "piece with mean square 1.\n\n"
        "INPUT is any file of points, or a mesh or cloud (.ply, .obj, .stl, .off, .xyz, .pcd, .las), of "
        "which the vertices are taken. --plot draws "
        "the histogram of `leading`, two spikes if orientable; the points, coloured by the side that they "
        "turn "
        "to you; and the double cover, if the graph is in one piece that is not orientable.\n\n"
        "--cover adds diffusion coordinates of the orientable double cover at --time, with "
        "`cover_eigenvalues` "
        "and `cover_parity` (1: the same on both sheets, -1: opposite). Rows 1 to n are the points with the "
        "orientation of their frames, rows n+1 to 2n the same points with the other. If the manifold is "
        "orientable, "
        "the cover is two copies of it.",
    .example = "@ sample mobius -n 2000 -o mobius.npy && @ orient mobius.npy --plot mobius.png\n"
               "@ sample torus -n 2000 -o torus.npy && @ orient torus.npy -o torus.npz\n"
               "@ sample rp2 -n 2000 -o rp2.npy && @ orient rp2.npy --cover -o sphere.npz",
    .flags = flags,
    .takes = takes_option,
    .least = 1,
    .most = 1,
    .run = run_orient,
};
