/* Stacks of images and signals, compared after the best turn. */
#ifndef LAVDM_IMAGES_H
#define LAVDM_IMAGES_H

#include "../lavdm.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A stack of images, or of periodic signals, expanded in functions that turn: when
 * an object is turned by theta, its coefficients of band k are multiplied by
 * e^(-ik theta). So the distance
 *     d(i,j) = min over turns (and reflections) O of |I_i - O I_j|
 * and the turn that attains it are found exactly and fast.
 *
 * Images count on their inscribed disk: the pixels whose centres are no further than
 * min(height, width)/2 from the middle ((height-1)/2, (width-1)/2). An image is turned
 * by theta when its value at the angle phi moves to phi + theta, phi being measured
 * from the direction of growing columns to that of growing rows. A signal of p samples
 * is turned by theta when it is delayed by theta p/(2 pi) samples; with signals WINDOWED, by
 * theta p/pi (zeros make it twice as long); with PHASE, when all of its frequencies but 0 are
 * delayed by theta each. Reflected means
 * phi -> -phi, before any turn (rows upside down; a signal backwards in time).
 *
 * As a connection: O_ij = rotation by theta, [cos -sin; sin cos], times diag(1,-1) if
 * reflected, takes a vector at j to one at i.
 */
typedef struct lavdm_stack lavdm_stack;

typedef struct {
  int64_t n, height, width; /* height is 1 for signals */
  int64_t pixels;           /* that count: those of the disk; all of a signal */
  int64_t bands;            /* k = 0 .. bands-1 */
  int64_t coefficients;     /* complex, of an object in the basis */
  int64_t compared;         /* ... and of those that distances are made of: fewer with noise or pca */
  lavdm_signals signals;    /* what a turn of a signal is */
  double noise;             /* as given or estimated; 0 if distances take none into account */
} lavdm_stack_info_t;

/*
 * Expands the points of `data`: images with bundle ROTATION, signals with SHIFT. Of
 * `how` bundle, reflections, noise, pca, precision, threads, max_memory, seed and
 * progress are used. With noise > 0 (or AUTO: estimated) distances are between the
 * steerable principal components that stand out of such noise, shrunk towards zero as
 * it asks; with pca = K, between the K leading ones. The data are not used afterwards.
 */
LAVDM_API int lavdm_stack_new(const lavdm_data *data, const lavdm_options *how, lavdm_stack **stack,
                              lavdm_error *error);
LAVDM_API void lavdm_stack_free(lavdm_stack *stack); /* accepts NULL */
LAVDM_API const lavdm_stack_info_t *lavdm_stack_info(const lavdm_stack *stack);

/* Distance, angle (radians, in [-pi, pi)) and whether reflected (0 or 1) of `count`
 * pairs: turning j so brings it closest to i. Each of the three may be NULL. */
LAVDM_API int lavdm_stack_pairs(const lavdm_stack *stack, const int64_t *i, const int64_t *j, int64_t count,
                                double *distance, double *angle, signed char *reflected, lavdm_error *error);

/*
 * The k nearest of the `reference_count` references (rows; NULL: all of the stack) to
 * each of `count` objects (rows; NULL: all): index (rows of the stack), distance, angle
 * and reflected, each (count,k), ascending, the object itself left out; where fewer are
 * left, -1 and NaN. All pairs are compared, and no n x n array is held.
 */
LAVDM_API int lavdm_stack_neighbours(const lavdm_stack *stack, const int64_t *objects, int64_t count,
                                     const int64_t *references, int64_t reference_count, int64_t k,
                                     int64_t *index, double *distance, double *angle, signed char *reflected,
                                     lavdm_error *error);

/* `count` objects turned (reflected first; NULL: none is): out (count, height, width), 0
 * outside of the disk. They are as they were given, but for what the basis cannot hold. */
LAVDM_API int lavdm_stack_turn(const lavdm_stack *stack, const int64_t *objects, const double *angle,
                               const signed char *reflected, int64_t count, double *out, lavdm_error *error);

/*
 * Averages of turned objects: out (count, height, width). Group g is made of the
 * entries first[g] .. first[g+1]-1 of objects, angle, reflected (NULL: none) and weight
 * (NULL: ones); its weights need not add up to one.
 */
LAVDM_API int lavdm_stack_average(const lavdm_stack *stack, const int64_t *first, int64_t count,
                                  const int64_t *objects, const double *angle, const signed char *reflected,
                                  const double *weight, double *out, lavdm_error *error);

#ifdef __cplusplus
}
#endif
#endif
