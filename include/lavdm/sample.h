/* Points of known manifolds, with exact frames, and random numbers. */
#ifndef LAVDM_SAMPLE_H
#define LAVDM_SAMPLE_H

#include "../lavdm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One shape that lavdm_sample can draw. */
typedef struct {
  const char *name;
  const char *densities; /* "uniform|..." */
  const char *help;
} lavdm_shape;

LAVDM_API int lavdm_shape_count(void);              /* how many there are */
LAVDM_API const lavdm_shape *lavdm_shape_at(int i); /* NULL outside 0..count-1 */

/* Dimensions p (of the space) and d (of the manifold) of a shape; `dim` is
 * used by `sphere` alone (0: 2). */
LAVDM_API int lavdm_shape_size(const char *shape, int64_t dim, int64_t *p, int64_t *d, lavdm_error *error);

/*
 * Draws n points: points (n,p) and, if not NULL, exact orthonormal tangent
 * frames (n,p,d) and parameters on the manifold (n,d). Noise is Gaussian with
 * standard deviation `noise` in each coordinate of space, added to the points
 * after the frames are taken. density NULL stands for "uniform".
 */
LAVDM_API int lavdm_sample(const char *shape, int64_t n, int64_t dim, const char *density, double noise,
                           uint64_t seed, double *points, double *frames, double *parameters,
                           lavdm_error *error);

/*
 * Random numbers that depend on the seed alone, on every machine: those that samples are
 * drawn with. `stream` separates independent uses of one seed.
 */
typedef struct {
  uint64_t state[4];
} lavdm_random;

/* Begins a sequence. */
LAVDM_API void lavdm_random_start(lavdm_random *random, uint64_t seed, uint64_t stream);
LAVDM_API double lavdm_random_uniform(lavdm_random *random);               /* [0,1) */
LAVDM_API double lavdm_random_normal(lavdm_random *random);                /* mean 0, variance 1 */
LAVDM_API int64_t lavdm_random_below(lavdm_random *random, int64_t bound); /* 0 .. bound-1 */

#ifdef __cplusplus
}
#endif
#endif
