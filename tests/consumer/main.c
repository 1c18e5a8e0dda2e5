/*
 * What a user's program may look like: it sees the installed headers alone, and has functions
 * of its own whose names the library uses inside. None of them may be called, and the
 * eigenvalues are what they are.
 */
#include <lavdm.h>
#include <lavdm/average.h>
#include <lavdm/denoise.h>
#include <lavdm/file.h>
#include <lavdm/images.h>
#include <lavdm/projections.h>
#include <lavdm/report.h>
#include <lavdm/sample.h>
#include <lavdm/sync.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int called;

/* The program's own. */
int fail(void);
double distance2(void);
int nearest(void);
void *mem_new(void);

int fail(void) {
  return called++;
}

double distance2(void) {
  return called++;
}

int nearest(void) {
  return called++;
}

void *mem_new(void) {
  called++;
  return NULL;
}

static void done(int status, const lavdm_error *error) {
  if (status >= 0) return;
  puts(error->message);
  exit(1);
}

/* The plane of tangent vectors of the sphere: six eigenvalues alike, which are known. */
static int sphere(void) {
  enum { N = 1000 };
  static double x[N * 3];
  lavdm_error error;
  done(lavdm_sample("sphere", N, 2, NULL, 0, 1, x, NULL, NULL, &error), &error);
  lavdm_options options;
  lavdm_options_default(&options);
  options.threads = 1;
  lavdm_data data = {.points = x, .n = N, .p = 3};
  lavdm_model *model;
  done(lavdm_fit(&data, &options, &model, &error), &error);
  const lavdm_info_t *info = lavdm_info(model);
  const double *value = info->eigenvalues;
  double distance;
  done(lavdm_distance(model, 0, 1, 1, info->chosen->components, &distance, &error), &error);
  printf("lavdm %s: %lld points, q = %lld, eigenvalues %.6f ... %.6f, then %.6f\n", lavdm_version(),
         (long long)info->n, (long long)info->q, value[0], value[5], value[6]);
  int fine = info->q == 2 && fabs(value[0] - EIGENVALUE) < 1e-6 && log(value[5]) > 1.2 * log(value[0]) &&
             log(value[6]) < 4 * log(value[0]) && distance > 0; /* rates 1, six times, and 5 */
  lavdm_free(model);
  return fine;
}

/* The applications: a picture with less noise than before, averages of a few projections. */
static int applications(void) {
  enum { SIDE = 32, IMAGES = 40, SIZE = 16 };
  static double clean[SIDE * SIDE], noisy[SIDE * SIDE], out[SIDE * SIDE];
  static double rotations[IMAGES * 9], images[IMAGES * SIZE * SIZE];
  double before, after, ssim;
  lavdm_error error;
  lavdm_denoise_options how;
  lavdm_denoise_info info = {0};
  lavdm_denoise_default(&how);
  lavdm_denoise_example(SIDE, SIDE, 1, 0, clean);
  lavdm_denoise_example(SIDE, SIDE, 1, 25, noisy);
  done(lavdm_denoise(noisy, SIDE, SIDE, 1, &how, out, &info, &error), &error);
  lavdm_denoise_quality(noisy, clean, SIDE, SIDE, 1, 255, &before, &ssim);
  lavdm_denoise_quality(out, clean, SIDE, SIDE, 1, 255, &after, &ssim);
  lavdm_blob blobs[5];
  lavdm_volume volume = {.blobs = blobs, .blob_count = 5};
  done(lavdm_blobs(5, 1, blobs, &error), &error);
  done(lavdm_rotations(IMAGES, 1, rotations, &error), &error);
  done(lavdm_project(&volume, rotations, IMAGES, SIZE, images, &error), &error);
  lavdm_data data = {.points = images, .n = IMAGES, .p = SIZE * SIZE, .height = SIZE, .width = SIZE};
  lavdm_average_options options;
  lavdm_average_t *average;
  lavdm_average_default(&options);
  options.method = LAVDM_AVERAGE_RID;
  done(lavdm_average(&data, &options, &average, &error), &error);
  printf("denoised from %.1f to %.1f dB, patches of %lld; %lld averages\n", before, after,
         (long long)info.patch, (long long)average->count);
  int fine = after > before + 1 && info.patch > 0 && average->count == IMAGES;
  lavdm_average_free(average);
  return fine;
}

int main(void) {
  int fine = sphere() && applications();
  if (called) printf("the library called functions of the program %d times\n", called);
  return !fine || called;
}
