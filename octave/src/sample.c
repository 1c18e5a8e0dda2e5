/* [X, frames, parameters] = sample(shape, n, ...): points of manifolds that are known. */
#include "bridge.h"
#include "lavdm/sample.h"

#include <string.h>

typedef struct {
  int64_t dim;
  const char *density;
  double noise;
  lavdm_options common; /* the seed, by the library's table */
} job_t;

static bool set(void *user, const char *name, const mxArray *value) {
  job_t *j = user;
  if (!strcmp(name, "dim"))
    j->dim = take_whole(value, name, 1, 1000);
  else if (!strcmp(name, "density"))
    j->density = take_text(value, name);
  else if (!strcmp(name, "noise"))
    j->noise = take_number(value, name);
  else if (!strcmp(name, "seed"))
    return settings_option(&j->common, name, value);
  else if (lavdm_option_find(name))
    trouble(LAVDM_ERROR_ARGUMENT, "%s is an option of lavdm_embed, not of lavdm_sample", name);
  else
    return false;
  return true;
}

/* Without arguments: the shapes there are. */
static mxArray *list(void) {
  static const char *fields[] = {"name", "densities", "help"};
  int count = lavdm_shape_count();
  mxArray *s = mxCreateStructMatrix((mwSize)count, 1, 3, fields);
  for (int i = 0; i < count; i++) {
    const lavdm_shape *shape = lavdm_shape_at(i);
    mxSetFieldByNumber(s, (mwIndex)i, 0, mxCreateString(shape->name));
    mxSetFieldByNumber(s, (mwIndex)i, 1, mxCreateString(shape->densities));
    mxSetFieldByNumber(s, (mwIndex)i, 2, mxCreateString(shape->help));
  }
  return s;
}

void sample(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  if (nrhs == 0) {
    plhs[0] = list();
    return;
  }
  if (nrhs < 2) trouble(LAVDM_ERROR_ARGUMENT, "how many points? lavdm_sample(shape, n, 'name', value, ...)");
  job_t j = {0};
  lavdm_error error;
  int64_t p, d;
  lavdm_options_default(&j.common);
  const char *shape = take_text(prhs[0], "the shape");
  int64_t n = take_whole(prhs[1], "n", 1, 1000000000);
  settings_each(nrhs - 2, prhs + 2, "dim|density|noise|seed", set, &j);
  check(lavdm_shape_size(shape, j.dim, &p, &d, &error), &error);
  double *points = SCRATCH(double, n *p), *frames = nlhs > 1 ? SCRATCH(double, n *p *d) : NULL,
         *parameters = nlhs > 2 ? SCRATCH(double, n *d) : NULL;
  check(lavdm_sample(shape, n, j.dim, j.density, j.noise, j.common.seed, points, frames, parameters, &error),
        &error);
  plhs[0] = give_reals(points, n, p, 1);
  if (nlhs > 1) plhs[1] = give_reals(frames, n, p, d);
  if (nlhs > 2) plhs[2] = give_reals(parameters, n, d, 1);
}
