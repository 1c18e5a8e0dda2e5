/* lavdm orient: is the manifold orientable, and which frames are to be turned? */
#include "command.h"
#include "deliver.h"
#include "estimate.h"
#include "input.h"
#include "progress.h"

#include <stdlib.h>
#include <string.h>

static int run_orient(const arguments *a, lavdm_error *error) {
  input in = {0};
  lavdm_model *model = NULL;
  lavdm_orientation verdict = {0};
  lavdm_options options = a->options, asked;
  double began = seconds_now(), *signs = NULL;
  const char *output = arguments_value(a, "output");
  int status = output ? result_check(output, a->operand[0], false, error) : LAVDM_OK;
  if (status < 0) return status;

  if (!arguments_value(a, "quiet")) progress_show();
  status = input_read(a, &options, &in, error);
  asked = options;
  asked.bundle = LAVDM_BUNDLE_ORIENTATION;
  asked.stream = a->options.stream;
  if (status >= 0) {
    signs = calloc((size_t)in.data.n, sizeof *signs);
    if (!signs) status = refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the signs");
  }
  if (status >= 0) {
    lavdm_options judged = options;
    judged.bundle = LAVDM_BUNDLE_ORIENTATION;
    options.progress = progress_report;
    estimate_print(a, &in.data, &judged);
    progress_enter(PHASE_RUN, "starting", NULL);
    status = lavdm_orient(&in.data, &options, &verdict, signs, &model, error);
    status = input_explain(&in, &options, status, error);
  }
  if (status >= 0 && progress_interrupted()) status = LAVDM_ERROR_INTERRUPTED;
  progress_clear();
  if (status >= 0) {
    run_facts facts = {.asked = &asked,
                       .model = model,
                       .verdict = &verdict,
                       .input = in.name,
                       .output = output,
                       .began = began,
                       .read_seconds = in.seconds};
    status = deliver(a, &facts, &(result_extras){.signs = signs}, error);
  }
  free(signs);
  lavdm_free(model);
  input_free(&in);
  return status;
}

/* The bundle is the question itself, and there is no embedding. */
static bool takes_option(const char *option) {
  return strcmp(option, "bundle") && strcmp(option, "time") && strcmp(option, "delta");
}

static const flag flags[] = {
    {"output", 'o', "OUTPUT", "write `signs` (n) and the spectrum: .h5, .npz or .mat"},
    {"json", 0, NULL, "print one JSON object on the standard output, and nothing else"},
    {"quiet", 'q', NULL, "no summary and no progress; warnings stay"},
    {0},
};

const command orient_command = {
    .name = "orient",
    .usage = "INPUT [-o OUTPUT] [options]",
    .summary = "is the manifold orientable? a verdict, and a sign for each point",
    .about =
        "Estimates the tangent spaces of the points, compares those of neighbours by the sign of the "
        "determinant alone, and judges from the top of that spectrum whether the manifold can be oriented. "
        "`signs` says for each point whether its frame is to be reflected (-1) or not (+1); 0 marks an "
        "isolated point.",
    .example = "@ sample mobius -n 2000 -o mobius.npy && @ orient mobius.npy\n"
               "@ sample torus -n 2000 -o torus.npy && @ orient torus.npy -o torus.npz",
    .flags = flags,
    .takes = takes_option,
    .least = 1,
    .most = 1,
    .run = run_orient,
};
