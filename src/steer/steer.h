/*
 * Objects that a circle acts on (images on a disk, periodic signals), as complex
 * coefficients in bands: turning an object by theta multiplies its coefficients of
 * band k by e^(-ik theta); reflecting it (phi -> -phi) conjugates them all. They are
 * scaled so that the squared norm of an object is the sum of |a|^2 (bands k > 0 stand
 * for -k as well and carry sqrt 2; those of band 0 are real).
 *
 * A basis leads from pixels or samples to coefficients and back; `reduced` are those
 * that distances are made of, when noise or pca ask for steerable principal
 * components. lavdm.h says what turned and reflected mean in pixels.
 */
#ifndef LAVDM_STEER_STEER_H
#define LAVDM_STEER_STEER_H

#include "base/real.h"
#include "base/run.h"

#include <stdbool.h>

typedef struct {
  int64_t bands;  /* k = 0 .. bands-1 */
  int64_t *first; /* bands+1: coefficients first[k] .. first[k+1]-1 are of band k */
  int64_t size;   /* first[bands] */
} steer_bands;

/* n objects: value[2 (i size + c)] is the real and the next the imaginary part of coefficient c of object i.
 */
typedef struct {
  int64_t n;
  const steer_bands *bands;
  real_t *value;              /* n x size complex */
  double *norm2;              /* n: squared norms */
  const double *const *white; /* bands: covariance of the coefficients of white noise of variance 1 in every
                                 pixel, a matrix for each band (steer_basis_white); NULL: identities */
} steer_stack;

typedef struct steer_basis steer_basis;

/* A basis for images on their inscribed disk, or for signals. NULL: no memory. */
steer_basis *REAL(steer_disk)(int64_t height, int64_t width);
steer_basis *REAL(steer_circle)(int64_t samples, lavdm_signals kind);
void REAL(steer_basis_free)(steer_basis *basis);
const steer_bands *REAL(steer_basis_bands)(const steer_basis *basis);
int64_t REAL(steer_basis_pixels)(const steer_basis *basis); /* that count */
const double *const *
    REAL(steer_basis_white)(const steer_basis *basis); /* for steer_stack; NULL: identities */

/* out (count x size complex) = coefficients of `count` plain rows of pixels. */
int REAL(steer_expand)(const steer_basis *basis, const real_t *pixels, int64_t count, int threads,
                       real_t *out);
/* pixels (count rows, 0 where none counts) of coefficients. */
int REAL(steer_synthesise)(const steer_basis *basis, const real_t *value, int64_t count, int threads,
                           real_t *pixels);

/*
 * Steerable principal components: per band a matrix (real) that takes the coefficients of the basis to
 * fewer, those whose second moments (about zero: the mean of band 0 is one of them) stand out of the
 * noise, shrunk as it asks. Bands without any at the end are left out.
 */
typedef struct {
  steer_bands from, to;
  double noise;    /* used, given or estimated; 0 with keep = 0: the matrices are identities */
  double **matrix; /* bands of `to`: to-size x from-size, row-major */
} steer_pca;

/* noise < 0: estimated; keep 0: as many components as stand out of the noise. NULL: no memory. */
steer_pca *REAL(steer_pca_fit)(const steer_stack *stack, double noise, int64_t keep, run_t *run);
void REAL(steer_pca_free)(steer_pca *pca); /* accepts NULL */
/* out (count x to.size complex). Non-zero: no memory. */
int REAL(steer_pca_apply)(const steer_pca *pca, const real_t *value, int64_t count, int threads, real_t *out);

/* Components and their shrinkage from the second moments, in double (used by steer_pca_fit). */
bool pca_choose(steer_pca *pca, double **moment, const double *const *white, int64_t n, double noise,
                int64_t keep);

/* Scratch of one thread for steer_match, for up to `rows` x `count` pairs. NULL: no memory. */
typedef struct steer_work steer_work;
steer_work *REAL(steer_work_new)(const steer_bands *bands, int64_t rows, int64_t count);
void REAL(steer_work_free)(steer_work *work);

/*
 * For the rows first .. first+rows-1 of x and the objects cols[0..count) of y (NULL: the first
 * `count`): distance2 (rows x count), the smallest squared distance over turns of y (and
 * reflections), angle in [-pi, pi), and reflected (NULL if reflections are not considered). Exact to
 * rounding: every peak of the correlation that might be the highest is refined. Where the distance
 * must be beyond limit2 (INFINITY: nowhere), distance2 may be any number > limit2 and the angle is not set.
 */
void REAL(steer_match)(const steer_stack *x, int64_t first, int64_t rows, const steer_stack *y,
                       const int64_t *cols, int64_t count, double limit2, steer_work *work, real_t *distance2,
                       real_t *angle, signed char *reflected);

/* References made ready once, for many calls: the objects cols[0..count) of y (NULL: the first `count`),
 * which must stay. NULL: no memory. steer_match_packed is steer_match with a limit for every row (NULL:
 * none); a steer_work_new of 0 objects will do. Several threads may share one. */
typedef struct steer_packed steer_packed;
steer_packed *REAL(steer_pack)(const steer_stack *y, const int64_t *cols, int64_t count);
void REAL(steer_packed_free)(steer_packed *packed); /* accepts NULL */
void REAL(steer_match_packed)(const steer_stack *x, int64_t first, int64_t rows, const steer_packed *y,
                              const double *limit2, steer_work *work, real_t *distance2, real_t *angle,
                              signed char *reflected);

/* The same for pairs of objects of one stack; the work must be for STEER_PAIRS objects at least. */
enum { STEER_PAIRS = 2 * LANES };
void REAL(steer_match_pairs)(const steer_stack *x, const int64_t *i, const int64_t *j, int64_t count,
                             steer_work *work, real_t *distance2, real_t *angle, signed char *reflected);

#endif
