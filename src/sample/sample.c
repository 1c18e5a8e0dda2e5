/*
 * Points drawn from a shape. A density is one of
 *   uniform    with respect to area (volume) on the manifold
 *   parameter  uniform in the parameters
 *   acg        angular central Gaussian on the sphere under the shape, with
 *              Sigma = diag(1, ..., 1, 0.8): density ~ (x' Sigma^-1 x)^(-(d+1)/2)
 *   bump       1 + 0.8 x_0 / max x_0 times uniform
 * and is met exactly: bump by rejection, uniform too where the area element
 * varies, the others directly. Point i uses random numbers of (seed, i) alone.
 */
#include "sample/shapes.h"
#include "sample/sphere.h"
#include "base/random.h"
#include "base/status.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

typedef enum { DENSITY_UNIFORM, DENSITY_PARAMETER, DENSITY_ACG, DENSITY_BUMP, DENSITIES } density_t;

static const char *const density_names[DENSITIES] = {"uniform", "parameter", "acg", "bump"};

static const double acg_last = 0.89442719099991587856; /* sqrt(0.8) */
static const double bump = 0.8;

/* Points take the streams of the seed from here on. */
static const uint64_t first_stream = (uint64_t)1 << 40;

typedef struct {
  const shape_t *shape;
  int64_t p, d;
  density_t density;
} job_t;

/* Is `name` one of the names in "one|two|three"? */
static int listed(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; at; at = strchr(at, '|')) {
    at += *at == '|';
    if (strcspn(at, "|") == length && !strncmp(at, name, length)) return 1;
  }
  return 0;
}

static int find_density(job_t *job, const char *name, lavdm_error *error) {
  const lavdm_shape *about = &job->shape->about;
  for (int i = 0; i < DENSITIES; i++)
    if (!strcmp(name, density_names[i]) && listed(about->densities, name)) {
      job->density = (density_t)i;
      return LAVDM_OK;
    }
  return fail(error, LAVDM_ERROR_ARGUMENT, "%s has no density '%s'; choose one of %s", about->name, name,
              about->densities);
}

/* A direction x (d+1) by its angles, each uniform in its range. */
static void draw_angles(const job_t *job, random_t *r, double *x, double *angles) {
  double left = 1;
  int64_t d = job->d;
  for (int64_t k = 0; k < d; k++) {
    double angle = random_uniform(r) * (k == d - 1 ? TWO_PI : job->shape->high[0]);
    if (k == d - 1) x[0] = left * cos(angle);
    x[d - k] = left * (k == d - 1 ? sin(angle) : cos(angle));
    left *= sin(angle);
    if (angles) angles[k] = angle;
  }
}

/* A direction x (d+1), uniform or angular central Gaussian. Where the shape
 * takes x and -x for one, the one with x_d >= 0. */
static void draw_direction(const job_t *job, random_t *r, double *x) {
  double square;
  int64_t d = job->d;
  do {
    square = 0;
    for (int64_t j = 0; j <= d; j++) {
      x[j] = random_normal(r);
      if (j == d && job->density == DENSITY_ACG) x[j] *= acg_last;
      square += x[j] * x[j];
    }
  } while (!(square > 0));
  int half = job->shape->high[0] < PI;
  double scale = (half && x[d] < 0 ? -1 : 1) / sqrt(square);
  for (int64_t j = 0; j <= d; j++) x[j] *= scale;
}

/* A point without noise and, where not NULL, its frame and parameters. */
static void draw_point(const job_t *job, random_t *r, double *x, double *frame, double *parameters) {
  const shape_t *shape = job->shape;
  double base_here[SHAPE_BASE], frame_here[SHAPE_P * SHAPE_D], accept;
  double *base = shape->map ? base_here : x; /* the unit sphere is its own base */
  int direct = shape->base == BASE_SPHERE && job->density != DENSITY_PARAMETER;
  int by_area = shape->area > 0 && (job->density == DENSITY_UNIFORM || job->density == DENSITY_BUMP);
  do {
    if (direct)
      draw_direction(job, r, base);
    else if (shape->base == BASE_SPHERE)
      draw_angles(job, r, base, parameters);
    else
      for (int64_t k = 0; k < job->d; k++)
        base[k] = shape->low[k] + (shape->high[k] - shape->low[k]) * random_uniform(r);

    double area = shape->map ? shape_place(shape, base, x, frame_here) : 1;
    accept = by_area ? area / shape->area : 1;
    if (job->density == DENSITY_BUMP) accept *= (1 + bump * x[0] / shape->reach) / (1 + bump);
  } while (accept < 1 && random_uniform(r) >= accept);

  size_t size = (size_t)(job->p * job->d) * sizeof *frame;
  if (frame && shape->map) memcpy(frame, frame_here, size);
  if (frame && !shape->map) sphere_frame(x, job->d, frame);
  if (parameters && direct) sphere_angles(base, job->d, parameters);
  if (parameters && shape->base == BASE_BOX) memcpy(parameters, base, (size_t)job->d * sizeof *base);
}

int lavdm_sample(const char *shape, int64_t n, int64_t dim, const char *density, double noise, uint64_t seed,
                 double *points, double *frames, double *parameters, lavdm_error *error) {
  job_t job = {0};
  job.shape = shape_find(shape, dim, &job.p, &job.d, error);
  if (!job.shape) return LAVDM_ERROR_ARGUMENT;
  int status = find_density(&job, density ? density : "uniform", error);
  if (status < 0) return status;
  if (n < 1)
    return fail(error, LAVDM_ERROR_ARGUMENT, "the number of points must be 1 or more, not %lld",
                (long long)n);
  if (!(noise >= 0) || !isfinite(noise))
    return fail(error, LAVDM_ERROR_ARGUMENT, "noise must be a finite number, 0 or more, not %g", noise);
  if (!points) return fail(error, LAVDM_ERROR_ARGUMENT, "there is no array for the points");

  int64_t p = job.p, d = job.d;
  int threads = n * p > 4096 ? threads_startable(LAVDM_AUTO) : 1;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (int64_t i = 0; i < n; i++) {
    random_t r = random_start(seed, first_stream + (uint64_t)i);
    double *x = points + i * p;
    draw_point(&job, &r, x, frames ? frames + i * p * d : NULL, parameters ? parameters + i * d : NULL);
    if (noise > 0)
      for (int64_t j = 0; j < p; j++) x[j] += noise * random_normal(&r);
  }
  return LAVDM_OK;
}
