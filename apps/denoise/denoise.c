/*
 * The door: checks, the choices that were left, colours to orthogonal coordinates and back,
 * and the passes.
 *
 * rgb = orthogonal matrix' (s, u, v), s = (r+g+b)/sqrt 3, u = (r-b)/sqrt 2, v = (r-2g+b)/sqrt 6: noise
 * stays white with the same sigma in each, and patches are matched in s.
 */
#include "common/door.h"
#include "denoise/plane.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const app_sizes options_sizes = {SIZE_TO(lavdm_denoise_options, progress_user),
                                        sizeof(lavdm_denoise_options)};
static const app_sizes info_sizes = {SIZE_TO(lavdm_denoise_info, turned), sizeof(lavdm_denoise_info)};
static const lavdm_denoise_options initial = {
    .method = LAVDM_DENOISE_RID, .sigma = -1, .passes = 2, .seed = 1, .threads = LAVDM_AUTO};

const char *const *lavdm_denoise_methods(void) {
  static const char *const names[] = {"lavdm", "rid", "nlm", "nlem", NULL};
  return names;
}

const char *const *lavdm_denoise_averages(void) {
  static const char *const names[] = {"shrink", "mean", "median", NULL};
  return names;
}

void lavdm_denoise_init(lavdm_denoise_options *options, size_t size) {
  app_fill(&options_sizes, &initial, options, size);
}

/* Bounds of an option: 0 is always allowed. */
static int check_number(const char *name, int64_t value, int64_t least, int64_t most, bool odd,
                        lavdm_error *error) {
  if (!value || (value >= least && value <= most && (!odd || value % 2))) return LAVDM_OK;
  return denoise_say(error, LAVDM_ERROR_ARGUMENT, "%s is %lld: it must be %sfrom %lld to %lld", name,
                     (long long)value, odd ? "odd, " : "", (long long)least, (long long)most);
}

int denoise_check(const double *picture, int64_t height, int64_t width, int64_t channels,
                  lavdm_error *error) {
  if (!picture) return denoise_say(error, LAVDM_ERROR_ARGUMENT, "the picture is missing (NULL)");
  if (height < 1 || width < 1 || channels < 1 || channels > 4)
    return denoise_say(error, LAVDM_ERROR_DATA,
                       "a picture of %lld x %lld pixels and %lld channels cannot be denoised",
                       (long long)height, (long long)width, (long long)channels);
  if (height > INT32_MAX / 8 || width > INT32_MAX / 8)
    return denoise_say(error, LAVDM_ERROR_DATA, "a picture of %lld x %lld pixels is too large",
                       (long long)height, (long long)width);
  for (int64_t k = 0; k < height * width * channels; k++)
    if (!(fabs(picture[k]) <= LARGEST))
      return denoise_say(error, LAVDM_ERROR_DATA,
                         "the picture has %s at row %lld, column %lld: give that pixel %s",
                         isnan(picture[k])   ? "NaN"
                         : isinf(picture[k]) ? "an infinite value"
                                             : "a value beyond 1e130",
                         (long long)(k / channels / width) + 1, (long long)(k / channels % width) + 1,
                         isfinite(picture[k]) ? "another scale" : "a value first");
  return LAVDM_OK;
}

/* An enum of the program's own may hold anything. */
static bool among(unsigned value, const char *const *words) {
  unsigned count = 0;
  while (words[count]) count++;
  return value < count;
}

static int check(const double *picture, int64_t height, int64_t width, int64_t channels,
                 const lavdm_denoise_options *o, lavdm_error *error) {
  int status = denoise_check(picture, height, width, channels, error);
  if (status < 0) return status;
  if (!among((unsigned)o->method, lavdm_denoise_methods()) ||
      !among((unsigned)o->average, lavdm_denoise_averages()))
    return denoise_say(error, LAVDM_ERROR_ARGUMENT, "method %d or average %d is none that there is",
                       (int)o->method, (int)o->average);
  if (!(fabs(o->sigma) <= LARGEST))
    return denoise_say(error, LAVDM_ERROR_ARGUMENT, "sigma must be a finite number, 1e130 at most");
  if (!(o->bandwidth <= 0 || (o->bandwidth >= 1e-3 && o->bandwidth <= 1e6)))
    return denoise_say(error, LAVDM_ERROR_ARGUMENT, "bandwidth is %g: it must be from 0.001 to 1e6, or 0",
                       o->bandwidth);
  status = check_number("passes", o->passes, 1, 4, false, error);
  if (status >= 0) status = check_number("patch", o->patch, 3, 2 * MAX_RADIUS + 1, true, error);
  if (status >= 0) status = check_number("window", o->window, 3, 201, true, error);
  if (status >= 0) status = check_number("neighbours", o->neighbours, 2, 1000, false, error);
  if (status >= 0) status = check_number("step", o->step, 1, 20, false, error);
  if (status >= 0) status = check_number("turned", o->turned, 1, 1000, false, error);
  if (status >= 0) status = check_number("landmarks", o->landmarks, 4, 20000, false, error);
  return status;
}

/* The width of patches in the first pass, which has no pilot. */
static int64_t first_patch(const lavdm_denoise_options *o) {
  return o->average == LAVDM_DENOISE_SHRINK && o->patch > 5 ? 5 : o->patch;
}

/* Patches of every pass cover all pixels. */
static int check_step(const lavdm_denoise_options *o, lavdm_error *error) {
  if (o->method == LAVDM_DENOISE_NLM || o->step <= first_patch(o)) return LAVDM_OK;
  return denoise_say(
      error, LAVDM_ERROR_ARGUMENT,
      "step is %lld: patches are %lld pixels wide (in the first pass), and would leave some out",
      (long long)o->step, (long long)first_patch(o));
}

static void choose(lavdm_denoise_options *o) {
  const bool plain = o->method == LAVDM_DENOISE_NLM || o->method == LAVDM_DENOISE_NLEM;
  if (!o->passes) o->passes = 2;
  if (!o->patch) o->patch = plain ? 5 : 7;
  if (!o->window) o->window = plain ? 21 : 31;
  if (!o->neighbours) o->neighbours = plain ? 441 : 60;
  if (!o->step) o->step = 2;
  if (!o->turned) o->turned = 30;
  if (!o->landmarks) o->landmarks = 400;
  if (!(o->bandwidth > 0)) o->bandwidth = 0.6;
  if (o->method == LAVDM_DENOISE_NLEM) o->average = LAVDM_DENOISE_MEDIAN;
  if (plain) o->passes = 1;
}

/* Noise in units of the largest value: what is less, floats cannot tell from none; more is as good as this.
 */
#define LEAST_NOISE 1e-9
#define MOST_NOISE  1e6

/* The channels of a run: noisy, result so far; both times `scale`. */
typedef struct {
  int64_t height, width, channels;
  double scale;
  int colours;
  float *noisy[MAX_CHANNELS], *result[MAX_CHANNELS];
} layers;

static void layers_free(layers *l) {
  for (int c = 0; c < MAX_CHANNELS; c++) {
    free(l->noisy[c]);
    free(l->result[c]);
  }
}

static const double colour[3][3] = {{0.57735026918962576, 0.57735026918962576, 0.57735026918962576},
                                    {0.70710678118654752, 0, -0.70710678118654752},
                                    {0.40824829046386302, -0.81649658092772603, 0.40824829046386302}};

/* The largest value but those of alpha. */
static double largest(const double *picture, int64_t pixels, int64_t channels) {
  const int64_t colours = channels > 2 ? 3 : 1;
  double most = 0;
  for (int64_t k = 0; k < pixels; k++)
    for (int64_t c = 0; c < colours; c++) most = fmax(most, fabs(picture[k * channels + c]));
  return most;
}

/* A power of two that brings values to where floats hold their squares; 1 for nearly all pictures. */
static double scale_of(double most) {
  return most == 0 || (most > 1e-6 && most < 1e12) ? 1 : ldexp(1, -ilogb(most));
}

static bool layers_make(layers *l, const double *picture, int64_t height, int64_t width, int64_t channels,
                        double most) {
  *l = (layers){.height = height, .width = width, .channels = channels, .colours = channels > 2 ? 3 : 1};
  l->scale = scale_of(most);
  for (int c = 0; c < l->colours; c++) {
    l->noisy[c] = take(height * width, sizeof(float));
    l->result[c] = take(height * width, sizeof(float));
    if (!l->noisy[c] || !l->result[c]) return false;
    for (int64_t k = 0; k < height * width; k++) {
      const double *v = picture + k * channels;
      const double *r = colour[c];
      l->noisy[c][k] = (float)(l->scale * (l->colours == 1 ? v[0] : r[0] * v[0] + r[1] * v[1] + r[2] * v[2]));
    }
  }
  return true;
}

static void layers_write(const layers *l, const double *picture, double *out) {
  for (int64_t k = 0; k < l->height * l->width; k++) {
    const double *from = picture + k * l->channels;
    double *to = out + k * l->channels;
    for (int64_t c = 0; c < l->channels; c++) {
      if (c >= l->colours || c > 2)
        to[c] = from[c];
      else if (l->colours == 1)
        to[c] = l->result[0][k] / l->scale;
      else
        to[c] = (colour[0][c] * l->result[0][k] + colour[1][c] * l->result[1][k] +
                 colour[2][c] * l->result[2][k]) /
                l->scale;
    }
  }
}

/* One pass; `pilot` are planes of the last result, or NULL. */
static int run_pass(job *j, layers *l, const plane *noisy, const plane *pilot, const grid *g,
                    lavdm_denoise_info *info, lavdm_error *error) {
  offers turned = {0};
  const double share = 1.0 / (double)j->o.passes, start = j->pass * share;
  const plane *guide = pilot ? pilot : noisy;
  const int64_t patch = j->o.patch;
  int status = LAVDM_OK;
  if (!pilot) j->o.patch = first_patch(&j->o);
  j->from = start;
  j->to = start + share / 2;
  if (j->o.method == LAVDM_DENOISE_LAVDM || j->o.method == LAVDM_DENOISE_RID)
    status = turned_find(j, guide, g, pilot ? 0 : j->sigma, &turned, error);
  j->from = j->to;
  j->to = start + share;
  if (status >= 0 && j->o.method == LAVDM_DENOISE_NLM)
    status = nlm_run(j, guide, noisy, l->colours, l->result, error);
  else if (status >= 0)
    status = pass_run(j, guide, noisy, pilot, l->colours, g, &turned, l->result, &info->turned, error);
  offers_free(&turned);
  j->o.patch = patch;
  return status;
}

static int run_passes(job *j, layers *l, lavdm_denoise_info *info, lavdm_error *error) {
  const grid g = grid_of(l->height, l->width, j->o.step);
  const int64_t border = j->o.window / 2 + j->o.patch + j->radius + 4;
  plane noisy[MAX_CHANNELS] = {{0}}, pilot[MAX_CHANNELS] = {{0}};
  int status = LAVDM_OK;
  info->patches = g.rows * g.columns;
  for (int c = 0; c < l->colours; c++)
    if (!plane_make(&noisy[c], l->noisy[c], l->height, l->width, border))
      status = say_memory(error, "the picture");
  for (j->pass = 0; j->pass < j->o.passes && status >= 0; j->pass++) {
    for (int c = 0; c < l->colours && j->pass; c++) {
      plane_free(&pilot[c]);
      if (!plane_make(&pilot[c], l->result[c], l->height, l->width, border))
        status = say_memory(error, "the pilot");
    }
    if (status >= 0) status = run_pass(j, l, noisy, j->pass ? pilot : NULL, &g, info, error);
  }
  for (int c = 0; c < MAX_CHANNELS; c++) {
    plane_free(&noisy[c]);
    plane_free(&pilot[c]);
  }
  return status;
}

/* What was used, for the program to see. */
static void show(const lavdm_denoise_options *used, lavdm_denoise_info *info) {
  info->bandwidth = used->bandwidth;
  info->passes = used->passes, info->patch = used->patch, info->window = used->window;
  info->neighbours = used->neighbours, info->step = used->step, info->landmarks = used->landmarks;
}

static int run(const double *picture, int64_t height, int64_t width, int64_t channels, double most,
               const lavdm_denoise_options *used, double *out, lavdm_denoise_info *info, lavdm_error *error) {
  job j = {.o = *used, .sigma = info->sigma, .radius = 4, .soft = 1.5};
  if (j.o.method == LAVDM_DENOISE_NLEM) j.soft = j.o.bandwidth * j.o.bandwidth;
  j.threads = lavdm_threads(used->threads, error);
  if (j.threads < 0) return j.threads;
  layers l;
  int status =
      layers_make(&l, picture, height, width, channels, most) ? LAVDM_OK : say_memory(error, "the picture");
  j.sigma = l.scale * fmin(j.sigma, MOST_NOISE * most);
  if (status >= 0) status = run_passes(&j, &l, info, error);
  if (status >= 0) layers_write(&l, picture, out);
  layers_free(&l);
  return status;
}

int lavdm_denoise(const double *picture, int64_t height, int64_t width, int64_t channels,
                  const lavdm_denoise_options *options, double *out, lavdm_denoise_info *info,
                  lavdm_error *error) {
  if (!picture || !options || !out)
    return denoise_say(error, LAVDM_ERROR_ARGUMENT, "picture, options or out are missing (NULL)");
  lavdm_denoise_options used = initial;
  int status = app_options(&options_sizes, options, &used, error);
  if (status >= 0 && info) status = app_check(&info_sizes, info, error);
  if (status >= 0) status = check(picture, height, width, channels, &used, error);
  if (status < 0) return status;
  lavdm_denoise_info found = {.sigma = used.sigma};
  if (used.sigma < 0) status = lavdm_denoise_sigma(picture, height, width, channels, &found.sigma, error);
  if (status < 0) return status;
  choose(&used);
  if ((status = check_step(&used, error)) < 0) return status;
  const double most = largest(picture, height * width, channels);
  if (most > 0 && found.sigma > LEAST_NOISE * most)
    status = run(picture, height, width, channels, most, &used, out, &found, error);
  else
    memcpy(out, picture, (size_t)(height * width * channels) * sizeof *out);
  show(&used, &found);
  if (info) app_give(&info_sizes, &found, info);
  return status;
}
