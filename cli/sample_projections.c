/* lavdm sample projections: images of a volume from random directions, with noise. */
#include "sample_projections.h"
#include "io/io.h"
#include "base/progress.h"
#include "lavdm/projections.h"
#include "io/sentence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { USUAL_SIZE = 64, MOST_SIZE = 4096, BLOBS = 15 };

typedef struct {
  const char *path, *clean_path, *rotations_path;
  int64_t n, size;
  double snr; /* 0: no noise */
  double sigma;
  io_array voxels;
  double *images, *rotations; /* owned */
} job;

static void job_free(job *j) {
  io_array_free(&j->voxels);
  free(j->images), free(j->rotations);
}

static int read_count(const char *shown, const char *text, int64_t most, int64_t *out, lavdm_error *error) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || !(value >= 1 && value <= (double)most) || value != floor(value))
    return refuse(error, STATUS_USAGE, "%s is '%s': it must be a whole number from 1 to %lld", shown, text,
                  (long long)most);
  *out = (int64_t)value;
  return LAVDM_OK;
}

/* "1/20" or "0.05" */
static int read_ratio(const char *text, double *out, lavdm_error *error) {
  char *end, *last;
  double value = strtod(text, &end);
  if (end != text && *end == '/') {
    double below = strtod(end + 1, &last);
    value = last != end + 1 ? value / below : NAN;
    end = last;
  }
  if (end == text || *end || !(value > 0) || !isfinite(value))
    return refuse(error, STATUS_USAGE, "--snr is '%s': it must be a ratio above 0, say 1/20 or 0.05", text);
  *out = value;
  return LAVDM_OK;
}

/* One array of the name's format can be written there. */
static int check_output(const char *path, lavdm_error *error) {
  return !path || io_can_write(path, false, error) ? LAVDM_OK : LAVDM_ERROR_ARGUMENT;
}

static int read_arguments(const arguments *a, job *j, lavdm_error *error) {
  static const char *const others[] = {"dim", "density", "noise", "frames", "parameters"};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (arguments_value(a, others[k]))
      return refuse(error, STATUS_USAGE, "--%s is not for projections", others[k]);
  const char *n = arguments_value(a, "number"), *size = arguments_value(a, "size");
  const char *snr = arguments_value(a, "snr");
  j->path = arguments_value(a, "output");
  j->clean_path = arguments_value(a, "clean");
  j->rotations_path = arguments_value(a, "rotations");
  j->size = USUAL_SIZE;
  if (!n) return refuse(error, STATUS_USAGE, "how many projections? Give -n N");
  if (!j->path) return refuse(error, STATUS_USAGE, "where to? Give -o FILE, say -o projections.mrcs");
  int status = read_count("-n", n, (int64_t)1 << 40, &j->n, error);
  if (status >= 0 && size) status = read_count("--size", size, MOST_SIZE, &j->size, error);
  if (status >= 0 && snr) status = read_ratio(snr, &j->snr, error);
  if (status >= 0) status = check_output(j->path, error);
  if (status >= 0) status = check_output(j->clean_path, error);
  if (status >= 0) status = check_output(j->rotations_path, error);
  return status;
}

/* --volume FILE: a cube of numbers. */
static int read_volume(const char *path, job *j, lavdm_error *error) {
  progress_enter(PHASE_READ, "reading", path);
  int status = io_read(path, &j->voxels, error);
  if (status < 0) return status;
  const io_array *v = &j->voxels;
  if (v->rank != 3 || v->shape[0] != v->shape[1] || v->shape[1] != v->shape[2])
    return refuse(error, LAVDM_ERROR_DATA, "%.200s: a volume is a cube of numbers, side x side x side", path);
  if (v->type == IO_INTEGER) {
    double *real = malloc((size_t)io_array_count(v) * sizeof *real);
    if (!real) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the volume");
    for (int64_t k = 0; k < io_array_count(v); k++) real[k] = (double)((const int64_t *)v->data)[k];
    free(v->data);
    j->voxels.data = real, j->voxels.type = IO_REAL;
  }
  return LAVDM_OK;
}

static int allocate(job *j, lavdm_error *error) {
  double need = 8 * (double)j->n * ((double)(j->size * j->size) + 9);
  double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  if (need > have)
    return refuse(error, LAVDM_ERROR_MEMORY, "the projections need %.1f GiB, and the machine has %.1f GiB",
                  need / 0x1p30, have / 0x1p30);
  j->images = malloc((size_t)(j->n * j->size * j->size) * sizeof *j->images);
  j->rotations = malloc((size_t)j->n * 9 * sizeof *j->rotations);
  if (j->images && j->rotations) return LAVDM_OK;
  return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for %lld projections", (long long)j->n);
}

static int write_array(const char *path, const char *name, io_type type, int64_t n, int64_t rows,
                       int64_t columns, const void *data, lavdm_error *error) {
  io_item item = {.name = name, .type = type, .rank = 3, .shape = {n, rows, columns}, .data = data};
  int status = io_write(path, &item, 1, error);
  return status >= 0 || status == LAVDM_ERROR_MEMORY ? status : STATUS_WRITE;
}

static int draw(const arguments *a, job *j, lavdm_error *error) {
  lavdm_blob blobs[BLOBS];
  lavdm_volume volume = {.blobs = blobs, .blob_count = BLOBS};
  uint64_t seed = a->options.seed;
  int status = lavdm_blobs(BLOBS, seed, blobs, error);
  if (j->voxels.data) volume = (lavdm_volume){.voxels = j->voxels.data, .side = j->voxels.shape[0]};
  if (status >= 0) status = lavdm_rotations(j->n, seed, j->rotations, error);
  if (status >= 0) status = lavdm_project(&volume, j->rotations, j->n, j->size, j->images, error);
  if (status >= 0 && j->clean_path)
    status = write_array(j->clean_path, "images", IO_REAL, j->n, j->size, j->size, j->images, error);
  if (status >= 0 && j->snr > 0)
    status = lavdm_add_noise(j->images, j->n, j->size * j->size, j->snr, seed, &j->sigma, error);
  return status;
}

/* The rotations first, so that the file that was asked for appears when all is done. Images are written
 * as floats. */
static int write_files(job *j, lavdm_error *error) {
  int status = LAVDM_OK;
  if (j->rotations_path)
    status = write_array(j->rotations_path, "rotations", IO_REAL, j->n, 3, 3, j->rotations, error);
  float *single = (float *)(void *)j->images;
  for (int64_t k = 0; k < j->n * j->size * j->size; k++) {
    double value = j->images[k];
    memcpy(single + k, &(float){(float)value}, sizeof *single);
  }
  if (status >= 0)
    status = write_array(j->path, "images", IO_SINGLE, j->n, j->size, j->size, j->images, error);
  return status;
}

int sample_projections(const arguments *a, lavdm_error *error) {
  job j = {0};
  int status = read_arguments(a, &j, error);
  const char *volume = arguments_value(a, "volume");
  if (status >= 0 && volume) status = read_volume(volume, &j, error);
  if (status >= 0) status = allocate(&j, error);
  progress_enter(PHASE_WRITE, NULL, NULL);
  if (status >= 0) status = draw(a, &j, error);
  if (status >= 0) status = write_files(&j, error);
  if (status >= 0 && !arguments_value(a, "quiet")) {
    fprintf(stderr, "wrote %s: %lld projections of %lld x %lld pixels", shown(j.path), (long long)j.n,
            (long long)j.size, (long long)j.size);
    if (j.snr > 0) fprintf(stderr, ", noise of standard deviation %.4g", j.sigma);
    if (j.rotations_path) fprintf(stderr, "; %s: their rotations", shown(j.rotations_path));
    if (j.clean_path) fprintf(stderr, "; %s: without noise", shown(j.clean_path));
    fputc('\n', stderr);
  }
  job_free(&j);
  return status;
}
