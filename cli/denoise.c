/* lavdm denoise: a picture without its noise. */
#include "lavdm/denoise.h"
#include "base/command.h"
#include "io/picture.h"
#include "base/json.h"
#include "base/progress.h"
#include "output/result.h"
#include "output/whole.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXAMPLE_SIDE = 240 };

typedef struct {
  const char *input, *output, *compare;
  lavdm_denoise_options options;
  lavdm_denoise_info info;
  picture_t noisy, clean, result;
  double before[2], after[2]; /* PSNR and SSIM */
  double seconds;
} job;

static int read_word(const arguments *a, const char *name, const char *const *words, int *out,
                     lavdm_error *error) {
  const char *text = arguments_value(a, name);
  if (!text) return LAVDM_OK;
  for (int k = 0; words[k]; k++)
    if (!strcmp(text, words[k])) return *out = k, LAVDM_OK;
  const char *near = nearest_name(text, words);
  if (near) return refuse(error, STATUS_USAGE, "--%s is '%s'; did you mean '%s'?", name, text, near);
  return refuse(error, STATUS_USAGE, "--%s is '%s'; lavdm denoise --help lists the choices", name, text);
}

/* A number that is more than zero, or with `zero` zero. */
static int read_real(const arguments *a, const char *name, bool zero, double *out, lavdm_error *error) {
  const char *text = arguments_value(a, name);
  char *end;
  if (!text || !strcmp(text, "auto")) return LAVDM_OK;
  const double value = strtod(text, &end);
  if (end == text || *end || !isfinite(value) || value < 0 || (!zero && value <= 0))
    return refuse(error, STATUS_USAGE, "--%s is '%s': it must be auto or a number, %s", name, text,
                  zero ? "0 or more" : "more than 0");
  return *out = value, LAVDM_OK;
}

static int read_whole(const arguments *a, const char *name, int64_t *out, lavdm_error *error) {
  const char *text = arguments_value(a, name);
  char shown[64];
  if (!text || !strcmp(text, "auto")) return LAVDM_OK;
  snprintf(shown, sizeof shown, "--%s", name);
  int status = whole_parse(shown, text, out, error);
  if (status >= 0 && *out < 1)
    status = refuse(error, STATUS_USAGE, "--%s is '%s': it must be auto or 1 or more", name, text);
  return status;
}

static int read_options(const arguments *a, lavdm_denoise_options *o, lavdm_error *error) {
  int method = LAVDM_DENOISE_RID, average = LAVDM_DENOISE_SHRINK;
  lavdm_denoise_default(o);
  int status = read_word(a, "method", lavdm_denoise_methods(), &method, error);
  if (status >= 0) status = read_word(a, "average", lavdm_denoise_averages(), &average, error);
  if (status >= 0) status = read_real(a, "sigma", true, &o->sigma, error);
  if (status >= 0) status = read_real(a, "bandwidth", false, &o->bandwidth, error);
  if (status >= 0) status = read_whole(a, "passes", &o->passes, error);
  if (status >= 0) status = read_whole(a, "patch", &o->patch, error);
  if (status >= 0) status = read_whole(a, "window", &o->window, error);
  if (status >= 0) status = read_whole(a, "neighbours", &o->neighbours, error);
  if (status >= 0) status = read_whole(a, "turned", &o->turned, error);
  if (status >= 0) status = read_whole(a, "step", &o->step, error);
  o->method = (lavdm_denoise_method)method;
  o->average = (lavdm_denoise_average)average;
  if (arguments_given(a, "landmarks") && a->options.landmarks > 0) o->landmarks = a->options.landmarks;
  o->seed = a->options.seed;
  o->threads = a->options.threads;
  o->progress = progress_report;
  return status;
}

static int read_arguments(const arguments *a, job *j, lavdm_error *error) {
  const bool example = arguments_value(a, "example");
  j->input = a->operands ? a->operand[0] : NULL;
  j->output = arguments_value(a, "output");
  j->compare = arguments_value(a, "compare");
  if (!j->input && !example) return refuse(error, STATUS_USAGE, "INPUT is missing");
  if (j->input && example) return refuse(error, STATUS_USAGE, "--example makes a picture: it takes no INPUT");
  if (!j->output && (example || (!j->compare && !arguments_value(a, "json"))))
    return refuse(error, STATUS_USAGE, "where to? Give -o FILE, say -o clean.png");
  if (j->output && j->input && result_same(j->output, j->input))
    return refuse(error, LAVDM_ERROR_ARGUMENT, "%.200s is the input: give the output another name",
                  j->output);
  return read_options(a, &j->options, error);
}

static int read_pictures(job *j, lavdm_error *error) {
  progress_enter(PHASE_READ, "reading", j->input);
  int status = picture_read(j->input, &j->noisy, error);
  if (status >= 0 && j->compare) status = picture_read(j->compare, &j->clean, error);
  if (status < 0) return status;
  const picture_t *a = &j->noisy, *b = &j->clean;
  if (j->compare && (a->height != b->height || a->width != b->width || a->channels != b->channels))
    return refuse(error, LAVDM_ERROR_DATA,
                  "%.150s is %" PRId64 " x %" PRId64 " with %" PRId64 " channels and %.150s %" PRId64
                  " x %" PRId64 " with %" PRId64 ": they cannot be compared",
                  j->compare, b->height, b->width, b->channels, j->input, a->height, a->width, a->channels);
  if (j->output && !picture_can_write(j->output, a, error)) return LAVDM_ERROR_ARGUMENT;
  return LAVDM_OK;
}

/* As the picture will be in its file: rounded and clipped to its bits. */
static void settle(picture_t *p) {
  const double top = p->bits == 8 ? 255 : 65535;
  for (int64_t k = 0; p->bits && k < p->height * p->width * p->channels; k++)
    p->value[k] = fmin(fmax(nearbyint(p->value[k]), 0), top);
}

/* The largest value there can be; of real numbers, the range of the clean picture. */
static double peak(const picture_t *clean) {
  if (clean->bits) return clean->bits == 8 ? 255 : 65535;
  double low = INFINITY, high = -INFINITY;
  for (int64_t k = 0; k < clean->height * clean->width * clean->channels; k++) {
    low = fmin(low, clean->value[k]);
    high = fmax(high, clean->value[k]);
  }
  return high > low ? high - low : 1;
}

static int compute(job *j, lavdm_error *error) {
  picture_t *p = &j->noisy;
  j->result = *p;
  j->result.value = calloc((size_t)(p->height * p->width * p->channels), sizeof *p->value);
  if (!j->result.value) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the picture");
  progress_enter(PHASE_RUN, "starting", NULL);
  int status = lavdm_denoise(p->value, p->height, p->width, p->channels, &j->options, j->result.value,
                             &j->info, error);
  if (status >= 0 && progress_interrupted()) status = LAVDM_ERROR_INTERRUPTED;
  if (status < 0) return status;
  settle(&j->result);
  if (j->compare) {
    const double top = peak(&j->clean);
    lavdm_denoise_quality(p->value, j->clean.value, p->height, p->width, p->channels, top, &j->before[0],
                          &j->before[1]);
    lavdm_denoise_quality(j->result.value, j->clean.value, p->height, p->width, p->channels, top,
                          &j->after[0], &j->after[1]);
  }
  return LAVDM_OK;
}

static int print_json(const job *j, lavdm_error *error) {
  json_builder b;
  json_start(&b);
  json_put_text(&b, "input", j->input);
  json_put_text(&b, "output", j->output);
  json_put_whole(&b, "height", j->noisy.height);
  json_put_whole(&b, "width", j->noisy.width);
  json_put_whole(&b, "channels", j->noisy.channels);
  json_put_text(&b, "method", lavdm_denoise_methods()[j->options.method]);
  json_put_real(&b, "sigma", j->info.sigma);
  json_put(&b, "sigma_estimated", json_boolean(j->options.sigma < 0));
  json_put_whole(&b, "patches", j->info.patches);
  json_put_whole(&b, "turned", j->info.turned);
  if (j->compare) {
    json_put_real(&b, "psnr_before", j->before[0]);
    json_put_real(&b, "ssim_before", j->before[1]);
    json_put_real(&b, "psnr", j->after[0]);
    json_put_real(&b, "ssim", j->after[1]);
  }
  json_put_real(&b, "seconds", j->seconds);
  int status = json_status(&b, error);
  if (status >= 0) status = json_print(&b, error);
  json_free(&b);
  return status;
}

static void print_summary(const job *j) {
  const lavdm_denoise_info *i = &j->info;
  printf("  picture      %" PRId64 " x %" PRId64 ", %s (%s)\n", j->noisy.height, j->noisy.width,
         j->noisy.channels > 2 ? "colour" : "grey", j->input);
  printf("  sigma        %.4g%s\n", i->sigma, j->options.sigma < 0 ? " (estimated)" : "");
  printf("  method       %s", lavdm_denoise_methods()[j->options.method]);
  if (i->patches && j->options.method != LAVDM_DENOISE_NLM)
    printf(", %" PRId64 " pass%s, groups of %" PRId64 " patches", i->passes, i->passes == 1 ? "" : "es",
           i->neighbours);
  if (i->turned) printf(", %.1f of them turned", (double)i->turned / (double)i->patches);
  printf("\n");
  if (j->compare) {
    printf("  PSNR         %.2f dB, was %.2f dB\n", j->after[0], j->before[0]);
    printf("  SSIM         %.4f, was %.4f\n", j->after[1], j->before[1]);
  }
  printf("  time         %.1f s\n", j->seconds);
}

static int make_example(const arguments *a, job *j, lavdm_error *error) {
  picture_t *p = &j->result;
  *p = (picture_t){.height = EXAMPLE_SIDE, .width = EXAMPLE_SIDE, .channels = 1, .bits = 8};
  if (!picture_can_write(j->output, p, error)) return LAVDM_ERROR_ARGUMENT;
  p->value = calloc((size_t)EXAMPLE_SIDE * EXAMPLE_SIDE, sizeof *p->value);
  if (!p->value) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the picture");
  lavdm_denoise_example(p->height, p->width, a->options.seed, j->options.sigma < 0 ? 25 : j->options.sigma,
                        p->value);
  settle(p);
  progress_enter(PHASE_WRITE, "writing", j->output);
  return picture_write(j->output, p, error);
}

static int run_denoise(const arguments *a, lavdm_error *error) {
  job j = {0};
  const double began = seconds_now();
  const bool example = arguments_value(a, "example"), quiet = arguments_value(a, "quiet");
  int status = read_arguments(a, &j, error);
  if (status < 0) return status;
  if (!quiet) progress_show();
  if (example) {
    status = make_example(a, &j, error);
  } else {
    status = read_pictures(&j, error);
    if (status >= 0 && (status = compute(&j, error)) == LAVDM_ERROR_DATA) prefix_error(error, j.input);
    if (status >= 0 && j.output) {
      progress_enter(PHASE_WRITE, "writing", j.output);
      status = picture_write(j.output, &j.result, error);
    }
  }
  progress_clear();
  j.seconds = seconds_now() - began;
  if (status >= 0 && !example && arguments_value(a, "json"))
    status = print_json(&j, error);
  else if (status >= 0 && !example && !quiet)
    print_summary(&j);
  picture_free(&j.noisy);
  picture_free(&j.clean);
  picture_free(&j.result);
  return status;
}

static bool takes_option(const char *option) {
  return !strcmp(option, "landmarks") || !strcmp(option, "seed") || !strcmp(option, "threads");
}

static const flag flags[] = {
    {"output", 'o', "OUTPUT",
     "the result, of the same size, channels and bits: .png, .tif, .pgm, .ppm or .npy"},
    {"sigma", 's', "S",
     "standard deviation of the noise, in the picture's own units; auto estimates it [auto]"},
    {"method", 'm', "M",
     "where patches that are alike come from: lavdm (turned ones by vector diffusion distance, and the "
     "window), "
     "rid (turned ones by rotation-invariant distance, and the window), nlm or nlem (the window alone) "
     "[rid]"},
    {"average", 0, "A",
     "what lavdm and rid make of them: shrink (mean, and deviations shrunk by their covariance), mean, or "
     "median "
     "(weighted Euclidean median) [shrink]"},
    {"compare", 'c', "CLEAN", "print PSNR and SSIM of the input and of the result against this picture"},
    {"passes", 0, "N", "each with the result of the one before as its pilot; of lavdm and rid [2]"},
    {"patch", 0, "W", "width of a patch in pixels, odd [auto]"},
    {"window", 0, "W", "width of the window that is searched around a patch, odd [auto]"},
    {"neighbours", 'k', "K", "patches that one is estimated from [auto]"},
    {"turned", 0, "K", "turned patches that compete with those of the window [auto]"},
    {"step", 0, "P", "estimate a patch every P pixels [auto]"},
    {"bandwidth", 0, "B", "of the weights of nlm and nlem, in units of sigma [auto]"},
    {"example", 0, NULL,
     "make a picture to try this on, with noise of --sigma [25], instead of denoising one"},
    {"json", 0, NULL, "print one JSON object on the standard output, and nothing else"},
    CONFIG_FLAG,
    {"quiet", 'q', NULL, "no summary and no progress"},
    {0},
};

const command denoise_command = {
    .name = "denoise",
    .usage = "INPUT -o OUTPUT [options]",
    .summary = "a picture without its noise, from patches that are alike however they are turned",
    .about = "Removes white Gaussian noise from a picture (.png, .tif, .pgm, .ppm, .npy; grey or colour, 8 "
             "or 16 bits or "
             "real numbers; alpha stays as it is). Every patch is estimated from the patches most like it: "
             "those in a "
             "window around it, and turned ones from all over the picture, which comparing with landmark "
             "patches finds "
             "and aligns. The estimates overlap and are averaged; a second pass matches in the result of the "
             "first.\n\n"
             "Without --sigma the noise is estimated, and printed. Pictures whose noise depends on the "
             "brightness or "
             "is not white (JPEG) are not what it expects.\n\n"
             "With --compare PSNR is 10 log10(peak^2/mean squared error) and SSIM its mean over windows of 7 "
             "x 7 pixels; "
             "the peak is 255 or 65535, and of real numbers the range of CLEAN.\n\n"
             "docs/denoise.md shows what each method does on photographs and textures.",
    .example = "@ denoise --example -o noisy.png && @ denoise --example --sigma 0 -o clean.png\n"
               "@ denoise noisy.png -o denoised.png --compare clean.png\n"
               "@ denoise noisy.png -o nlm.png --method nlm --sigma 25 --compare clean.png",
    .flags = flags,
    .takes = takes_option,
    .least = 0,
    .most = 1,
    .run = run_denoise,
};
