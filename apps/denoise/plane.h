/*
 * What the parts of the application share: a plane (one channel with a mirrored border),
 * patches of it, and the groups that estimates are made from.
 */
#ifndef LAVDM_APPS_DENOISE_PLANE_H
#define LAVDM_APPS_DENOISE_PLANE_H

#include "lavdm/denoise.h"

#include <stdbool.h>
#include <stddef.h>

enum { MAX_CHANNELS = 3, MAX_RADIUS = 10, MAX_PATCH = (2 * MAX_RADIUS + 1) * (2 * MAX_RADIUS + 1) };

/* Pixel (y,x) is at value[(y + border) * stride + x + border], for -border <= y < height + border.
 * spline: coefficients of the cubic spline through the pixels, in the same layout. */
typedef struct {
  int64_t height, width, border, stride;
  float *value, *spline; /* owned */
} plane;

/* Zeroed memory that is checked for overflow; NULL if there is none. */
void *take(int64_t count, size_t size);

/* Writes the sentence into error (may be NULL) and returns status. */
int denoise_say(lavdm_error *error, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int say_memory(lavdm_error *error, const char *what);
#ifdef LAVDM_ANALYSE
#define denoise_say(error, status, ...) (denoise_say(error, status, __VA_ARGS__), (status))
#define say_memory(error, what)         (say_memory(error, what), LAVDM_ERROR_MEMORY)
#endif

/* Whether it is a picture: its size, and values that can be squared. */
int denoise_check(const double *picture, int64_t height, int64_t width, int64_t channels, lavdm_error *error);
#define LARGEST 1e130

/* A plane of height x width numbers. false: no memory. */
bool plane_make(plane *p, const float *pixels, int64_t height, int64_t width, int64_t border);
void plane_free(plane *p); /* accepts a zeroed one */

/* The pixels of a patch: a square of width 2 radius + 1. */
typedef struct {
  int size;
  float dy[MAX_PATCH], dx[MAX_PATCH];
  int64_t offset[MAX_PATCH]; /* in a plane of the stride it was made for */
} patch_shape;

void patch_make(patch_shape *shape, int64_t radius, int64_t stride);

static inline int64_t plane_at(const plane *p, int64_t y, int64_t x) {
  return (y + p->border) * p->stride + x + p->border;
}

/* out[t] = the patch around `at`, turned by `angle` as lavdm.h defines it; exact for angle 0. */
void patch_turned(const plane *p, const patch_shape *shape, int64_t at, float angle, float *out);

/* A patch in a group: where, how it is turned, and its squared distance in the guide. */
typedef struct {
  float distance2, angle;
  int64_t at;
  bool turned;
} member;

/* Turned patches offered to the patch at the grid point g: entries first[g] .. first[g] + count[g] - 1
 * of y, x and angle. No offer at all: first is NULL. */
typedef struct {
  int64_t *first;
  int32_t *count;
  int32_t *y, *x;
  float *angle;
  int64_t entries;
} offers;

void offers_free(offers *o);

/* The grid of patches that are estimated: every `step` pixels, and the last row and column. */
typedef struct {
  int64_t rows, columns, step, height, width;
} grid;

grid grid_of(int64_t height, int64_t width, int64_t step);
static inline int64_t grid_y(const grid *g, int64_t row) {
  return row * g->step < g->height ? row * g->step : g->height - 1;
}
static inline int64_t grid_x(const grid *g, int64_t column) {
  return column * g->step < g->width ? column * g->step : g->width - 1;
}

/* What the parts are told. */
typedef struct {
  lavdm_denoise_options o; /* nothing left to choose */
  double sigma;
  int pass; /* from 0 */
  int threads;
  int64_t radius;  /* of the disks that are compared when turned */
  double soft;     /* of the weights in a group, in units of sigma^2 */
  double from, to; /* the share of the whole progress that the running part has */
} job;

/* Reports that `fraction` of the running part is done. Non-zero: stop. */
int job_report(const job *j, const char *stage, double fraction);

/* Turned patches for every patch of the grid that has structure, found in `guide`, whose noise has
 * the standard deviation `noise` (0: a pilot). */
int turned_find(const job *j, const plane *guide, const grid *g, double noise, offers *out,
                lavdm_error *error);

/* One pass: the channels, matched in guide, with covariances from pilot (NULL in the first pass: from
 * the channels themselves); out[c] (height x width). *turned: places that turned patches got. */
int pass_run(const job *j, const plane *guide, const plane *channel, const plane *pilot, int channels,
             const grid *g, const offers *turned, float *const *out, int64_t *places, lavdm_error *error);

/* Estimates from a group of `count` patches of `size` pixels; scratch per thread. */
typedef struct {
  float *noisy, *clean; /* members x size: the patches, and those that covariances are made of */
  float *weight;        /* members */
  float *mean, *centre; /* size: of noisy and of clean */
  float *matrix;        /* size x size */
  float *spread;        /* size */
} group;

bool group_make(group *s, int64_t members, int64_t size);
void group_free(group *s);

/* Replaces mean by the weighted mean or Euclidean median of noisy. */
void group_mean(group *s, int count, int size);
void group_median(group *s, int count, int size);
/* Prepares the matrix of the shrinkage: Cholesky factor of C + sigma^2 (clean: of a pilot), or of C
 * (clean: noisy itself) kept no smaller than sigma^2/20. false: it has none. */
bool group_covariance(group *s, int count, int size, double sigma2, bool pilot);
/* out = y - sigma^2 (C + sigma^2)^-1 (y - mean). */
void group_shrink(const group *s, const float *y, int size, double sigma2, float *out);

/* Non-local means of the channels, matched in guide. */
int nlm_run(const job *j, const plane *guide, const plane *channel, int channels, float *const *out,
            lavdm_error *error);

#endif
