/* r = extend(model, X, ...): new points; [d, o] = distance(model, i, j, ...): pairs of the old ones. */
#include "bridge.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
  lavdm_options how;
  wanted_t wanted;
  watch_t watch;
  const mxArray *reference;
} job_t;

/* Of the options of a model, those that its extension may have others of. */
static bool is_free(const char *name) {
  static const char *const free_ones[] = {"time", "delta", "threads", "max_memory", "stream", "engine"};
  for (size_t i = 0; i < sizeof free_ones / sizeof *free_ones; i++)
    if (!strcmp(name, free_ones[i])) return true;
  return false;
}

static bool set(void *user, const char *name, const mxArray *value) {
  job_t *j = user;
  if (!strcmp(name, "reference"))
    j->reference = value;
  else if (!strcmp(name, "embedding"))
    j->wanted.embedding = take_flag(value, name);
  else if (!strcmp(name, "ambient"))
    j->wanted.ambient = take_flag(value, name);
  else if (!strcmp(name, "progress"))
    j->watch.show = take_flag(value, name);
  else if (lavdm_option_find(name) && !is_free(name))
    trouble(LAVDM_ERROR_ARGUMENT, "%s is the model's: it cannot be another for new points", name);
  else
    return settings_option(&j->how, name, value);
  return true;
}

/* New points; of images, one alone is h x w. */
static void take_new(const lavdm_model *model, const mxArray *a, const char *name, lavdm_data *out) {
  const lavdm_array *shape = lavdm_get(model, "image_shape");
  const int64_t *size = shape ? shape->data : NULL;
  bool images = size && lavdm_info(model)->chosen->bundle == LAVDM_BUNDLE_ROTATION;
  bool one =
      images && mxGetNumberOfDimensions(a) == 2 && take_size(a, 0) == size[0] && take_size(a, 1) == size[1];
  if (one) {
    out->points = take_rows(a, name, size[0], size[1]);
    out->n = 1, out->p = size[0] * size[1];
    out->height = size[0], out->width = size[1];
    return;
  }
  take_points(a, name, images, out);
}

void extend(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  (void)nlhs;
  if (nrhs < 2) trouble(LAVDM_ERROR_ARGUMENT, "a model and new points are needed: lavdm_extend(r, X, ...)");
  const lavdm_model *model = model_open(prhs[0]);
  job_t j = {.wanted = {.embedding = true}};
  lavdm_options_copy(&j.how, lavdm_info(model)->chosen, NULL);
  lavdm_options usual;
  lavdm_data data = {0}, reference = {0};
  lavdm_error error;
  lavdm_options_default(&usual);
  j.how.threads = usual.threads;
  j.how.max_memory = usual.max_memory;
  j.how.stream = usual.stream;
  settings_each(nrhs - 2, prhs + 2, "reference|embedding|ambient|progress", set, &j);
  take_new(model, prhs[1], "X", &data);
  if (j.reference) take_new(model, j.reference, "reference", &reference);
  j.how.progress = watch;
  j.how.progress_user = &j.watch;
  check(lavdm_extend(model, &data, j.reference ? &reference : NULL, &j.how, &held.extension, &error), &error);
  plhs[0] = give_model(held.extension, j.wanted);
}

/* ------------------------------------------------------------- distances */

typedef struct {
  lavdm_options common; /* the time, by the library's table */
  int64_t rank, most;
} distance_t;

static bool set_distance(void *user, const char *name, const mxArray *value) {
  distance_t *d = user;
  if (!strcmp(name, "time"))
    return settings_option(&d->common, name, value);
  else if (!strcmp(name, "rank"))
    d->rank = take_whole(value, name, 1, d->most);
  else
    return false;
  return true;
}

void distance(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  if (nrhs < 3)
    trouble(LAVDM_ERROR_ARGUMENT, "a model and points i and j are needed: lavdm_distance(r, i, j, ...)");
  const lavdm_model *model = model_open(prhs[0]);
  const lavdm_info_t *info = lavdm_info(model);
  distance_t d = {.most = info->chosen->components};
  lavdm_options_copy(&d.common, info->chosen, NULL);
  lavdm_error error;
  settings_each(nrhs - 3, prhs + 3, "time|rank", set_distance, &d);
  if (!d.rank) d.rank = lavdm_embedding_rank(model, d.common.time, info->chosen->delta);
  int64_t count = take_count(prhs[1]), q = info->q;
  int64_t *i = take_indices(prhs[1], "i", info->n), *j = take_indices(prhs[2], "j", info->n);
  if (take_count(prhs[2]) != count)
    trouble(LAVDM_ERROR_ARGUMENT, "i has %" PRId64 " points and j has %" PRId64 ": pairs are needed", count,
            take_count(prhs[2]));
  double *value = SCRATCH(double, count), *element = nlhs > 1 ? SCRATCH(double, count *q *q) : NULL;
  check(lavdm_pairs(model, d.common.time, d.rank, i, j, count, value, element, &error), &error);
  plhs[0] = give_reals(value, count, 1, 1);
  if (nlhs > 1) plhs[1] = give_matrices(element, count, q);
}
