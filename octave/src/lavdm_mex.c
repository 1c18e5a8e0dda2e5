/*
 * lavdm for GNU Octave and MATLAB: [...] = lavdm_mex(function, ...), where the function is one of the
 * names below. The files lavdm_NAME.m call it, and explain the arguments and results.
 */
#include "bridge.h"

#include <string.h>

static const struct {
  const char *name;
  void (*run)(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]);
} functions[] = {
    {"embed", embed}, {"extend", extend}, {"distance", distance}, {"sync", synchronise}, {"sample", sample}};

void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  static bool known;
  if (!known) mexAtExit(held_release);
  known = true;
  held_release();
  if (nrhs < 1 || !mxIsChar(prhs[0]))
    trouble(LAVDM_ERROR_ARGUMENT,
            "use lavdm_embed, lavdm_extend, lavdm_distance, lavdm_sync or lavdm_sample");
  const char *name = take_text(prhs[0], "the function");
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (!strcmp(name, functions[i].name)) {
      functions[i].run(nlhs, plhs, nrhs - 1, prhs + 1);
      held_release();
      return;
    }
  trouble(LAVDM_ERROR_ARGUMENT, "there is no function '%.60s'", name);
}
