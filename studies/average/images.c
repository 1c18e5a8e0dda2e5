/*
 * Class averaging against the truth: projections at a signal-to-noise ratio, their neighbours by
 * each method. Prints one line of JSON for each: shares of neighbours within 10 and 18.2 degrees
 * of the true viewing direction, the error of the turns of those within 18.2 degrees, correlation of the
 * averages with the clean images, and seconds.
 *
 * usage: lavdm_average_images N SIZE SNR[,SNR...] [METHOD,...] [MIRRORS [LANDMARKS [EDGES [MEMBERS
 * [ROUNDS]]]]]
 */
#include "lavdm/average.h"
#include "lavdm/projections.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOBS = 15, CLASSES = 1000 };

static const double degree = 0.01745329251994329577;
static const char *const names[] = {"rid", "vdm", "lavdm"};

typedef struct {
  int64_t n, size;
  double *rotations, *clean, *noisy, sigma;
} sample_t;

static void sample_free(sample_t *s) {
  free(s->rotations), free(s->clean), free(s->noisy);
}

static int sample_new(int64_t n, int64_t size, double snr, uint64_t seed, sample_t *s, lavdm_error *error) {
  size_t count = (size_t)(n * size * size);
  lavdm_blob blobs[BLOBS];
  lavdm_volume volume = {.blobs = blobs, .blob_count = BLOBS};
  *s = (sample_t){n,
                  size,
                  malloc(9 * (size_t)n * sizeof(double)),
                  malloc(count * sizeof(double)),
                  malloc(count * sizeof(double)),
                  0};
  if (!s->rotations || !s->clean || !s->noisy) return LAVDM_ERROR_MEMORY;
  int status = lavdm_blobs(BLOBS, seed, blobs, error);
  if (status >= 0) status = lavdm_rotations(n, seed, s->rotations, error);
  if (status >= 0) status = lavdm_project(&volume, s->rotations, n, size, s->clean, error);
  if (status < 0) return status;
  memcpy(s->noisy, s->clean, count * sizeof(double));
  return lavdm_add_noise(s->noisy, n, size * size, snr, seed, &s->sigma, error);
}

static int ascending(const void *x, const void *y) {
  double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

typedef struct {
  double near, far;     /* shares within 10 and 18.2 degrees */
  double median, right; /* of the turns, in degrees; share below 10 */
  double correlation;   /* mean over the averages, with the clean image, on the disk */
} score_t;

static double correlation(const double *x, const double *y, int64_t size) {
  double sx = 0, sy = 0, xx = 0, yy = 0, xy = 0, count = 0, middle = (double)(size - 1) / 2;
  for (int64_t k = 0; k < size * size; k++) {
    double dx = (double)(k % size) - middle, dy = (double)(k / size) - middle;
    if (dx * dx + dy * dy > (double)(size * size) / 4) continue;
    count++, sx += x[k], sy += y[k], xx += x[k] * x[k], yy += y[k] * y[k], xy += x[k] * y[k];
  }
  return (xy - sx * sy / count) / sqrt((xx - sx * sx / count) * (yy - sy * sy / count));
}

static int score(const sample_t *s, const lavdm_average_t *r, score_t *out, lavdm_error *error) {
  int64_t count = r->count * r->k, found = 0;
  int64_t *i = malloc((size_t)count * sizeof *i);
  double *viewing = malloc((size_t)count * sizeof *viewing), *turn = malloc((size_t)count * sizeof *turn);
  int status = LAVDM_ERROR_MEMORY;
  *out = (score_t){0};
  if (i && viewing && turn) {
    for (int64_t k = 0; k < count; k++) i[k] = r->centre[k / r->k];
    status = lavdm_rotation_pairs(s->rotations, s->n, i, r->index, r->reflected, count, viewing, turn, error);
  }
  for (int64_t k = 0; k < count && status >= 0; k++) {
    out->near += viewing[k] <= 10 * degree, out->far += viewing[k] <= 18.2 * degree;
    if (viewing[k] <= 18.2 * degree)
      turn[found++] = fabs(remainder(turn[k] - r->angle[k], 360 * degree)) / degree;
  }
  if (status >= 0) {
    qsort(turn, (size_t)found, sizeof *turn, ascending);
    out->median = found ? turn[found / 2] : NAN;
    for (int64_t k = 0; k < found; k++) out->right += turn[k] < 10;
    out->right /= (double)(found ? found : 1);
    out->near /= (double)count, out->far /= (double)count;
    int64_t pixels = s->size * s->size;
    for (int64_t g = 0; g < r->count; g++)
      out->correlation +=
          correlation(r->average + g * pixels, s->clean + r->centre[g] * pixels, s->size) / (double)r->count;
  }
  free(i), free(viewing), free(turn);
  return status;
}

static int measure(const sample_t *s, double snr, const lavdm_average_options *options, lavdm_error *error) {
  lavdm_data data = {
      .points = s->noisy, .n = s->n, .p = s->size * s->size, .height = s->size, .width = s->size};
  lavdm_average_t *r;
  score_t got;
  int status = lavdm_average(&data, options, &r, error);
  if (status < 0) return status;
  status = score(s, r, &got, error);
  if (status >= 0)
    printf(
        "{\"snr\": %.6g, \"method\": \"%s\", \"mirrors\": %d, \"n\": %lld, \"size\": %lld, \"k\": %lld, "
        "\"sigma\": %.4g, \"noise\": %.4g, "
        "\"compared\": %lld, \"landmarks\": %lld, \"edges\": %lld, \"components\": %lld, \"within10\": %.4f, "
        "\"within18\": %.4f, \"turn_median\": %.2f, \"turn_below10\": %.4f, \"correlation\": %.4f, "
        "\"seconds\": {\"expand\": %.2f, \"compare\": %.2f, \"diffuse\": %.2f, \"average\": %.2f}}\n",
        snr, names[options->method], r->reflected != NULL, (long long)s->n, (long long)s->size,
        (long long)r->k, s->sigma, r->noise, (long long)r->compared, (long long)r->landmarks,
        (long long)r->edges, (long long)r->components, got.near, got.far, got.median, got.right,
        got.correlation, r->expand_seconds, r->compare_seconds, r->diffuse_seconds, r->sum_seconds);
  fflush(stdout);
  lavdm_average_free(r);
  return status;
}

/* Is `name` in "one,two"? */
static int listed(const char *list, const char *name) {
  for (const char *at = list; at; at = strchr(at, ',')) {
    at += *at == ',';
    if (strcspn(at, ",") == strlen(name) && !strncmp(at, name, strlen(name))) return 1;
  }
  return 0;
}

static int measure_all(int argc, char **argv, double snr) {
  lavdm_error error = {0};
  sample_t s;
  lavdm_average_options options;
  lavdm_options how;
  lavdm_average_default(&options);
  lavdm_options_default(&how);
  options.how = &how;
  options.classes = CLASSES;
  how.precision = LAVDM_PRECISION_SINGLE;
  how.reflections = argc > 5 && atoi(argv[5]) ? LAVDM_REFLECTIONS_YES : LAVDM_REFLECTIONS_NO;
  int64_t *const more[] = {&how.landmarks, &options.edges, &options.members, &options.rounds};
  for (int k = 6; k < argc && k < 10; k++)
    if (atoll(argv[k])) *more[k - 6] = atoll(argv[k]);
  int status = sample_new(atoll(argv[1]), atoll(argv[2]), snr, 1, &s, &error);
  for (int method = 0; method < 3 && status >= 0; method++) {
    options.method = (lavdm_average_method)method;
    if (argc > 4 && !listed(argv[4], names[method])) continue;
    status = measure(&s, snr, &options, &error);
  }
  if (status < 0) fprintf(stderr, "%s\n", error.message);
  sample_free(&s);
  return status;
}

/* "1/20" or "0.05" */
static double ratio(const char *text, char **end) {
  double value = strtod(text, end);
  if (**end == '/') value /= strtod(*end + 1, end);
  return value;
}

int main(int argc, char **argv) {
  if (argc < 4)
    return fputs("usage: lavdm_average_images N SIZE SNR[,SNR...] [METHODS [MIRRORS]]\n", stderr), 1;
  for (char *at = argv[3]; *at; at += *at == ',')
    if (measure_all(argc, argv, ratio(at, &at)) < 0) return 1;
  return 0;
}
