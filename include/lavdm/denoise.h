/*
 * Nonlocal denoising of a picture: every patch is estimated from patches like it,
 * wherever they lie and however they are turned.
 *
 * The picture is y = x + noise, white and Gaussian with standard deviation sigma. In one
 * pass each patch gets a group of its most similar ones: those in a window around it, as
 * they are, and turned ones from all over the picture, found by rotation-invariant
 * distance (rid) or by vector diffusion distance on the graph of patches and landmark
 * patches (lavdm), each turned back. The group gives an estimate of the patch, and the
 * overlapping estimates are averaged. A second pass does the same with the result of the
 * first as its pilot.
 */
#ifndef LAVDM_DENOISE_H
#define LAVDM_DENOISE_H

#include "../lavdm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  LAVDM_DENOISE_LAVDM, /* turned patches by vector diffusion distance */
  LAVDM_DENOISE_RID,   /* turned patches by rotation-invariant distance */
  LAVDM_DENOISE_NLM,   /* none: non-local means, a weighted mean of the pixels in the window */
  LAVDM_DENOISE_NLEM   /* none: non-local Euclidean median of the patches in the window */
} lavdm_denoise_method;

/* What a group of patches is made into. */
typedef enum {
  LAVDM_DENOISE_SHRINK, /* mean + C (C + sigma^2)^-1 (y - mean), C the covariance of the group */
  LAVDM_DENOISE_MEAN,   /* weighted mean */
  LAVDM_DENOISE_MEDIAN  /* weighted Euclidean median: argmin of sum w |x - y_k| */
} lavdm_denoise_average;

/* Their names, then NULL. */
LAVDM_API const char *const *lavdm_denoise_methods(void);
LAVDM_API const char *const *lavdm_denoise_averages(void);

/* Plain values; lavdm_denoise_default fills them. 0 stands for "chosen from sigma". */
typedef struct {
  size_t size; /* as lavdm_denoise_default sets it */
  lavdm_denoise_method method;
  lavdm_denoise_average average; /* of lavdm and rid */
  double sigma;                  /* in the picture's own units; negative: estimated */
  int64_t passes;                /* of lavdm and rid: 1 to 4 */
  int64_t patch;                 /* width of a patch in pixels, odd */
  int64_t window;                /* width of the search window in pixels, odd */
  int64_t neighbours;            /* patches in a group */
  int64_t step;                  /* patches are estimated every `step` pixels */
  int64_t turned;                /* turned patches offered to a group, by lavdm and rid */
  int64_t landmarks;             /* landmark patches */
  double bandwidth; /* of nlm and nlem, in units of sigma: weights exp(-(d^2 - 2 sigma^2)/(b sigma)^2) */
  uint64_t seed;    /* of the choice of landmarks */
  int64_t threads;  /* LAVDM_AUTO: all that are available */
  lavdm_progress_function progress;
  void *progress_user;
} lavdm_denoise_options;

/* Fills the first `size` bytes with defaults. */
LAVDM_API void lavdm_denoise_init(lavdm_denoise_options *options, size_t size);
#define lavdm_denoise_default(options) lavdm_denoise_init((options), sizeof(lavdm_denoise_options))

/* What was used and found. */
typedef struct {
  size_t size;      /* 0, or sizeof(lavdm_denoise_info) */
  double sigma;     /* as given or estimated */
  double bandwidth; /* this and the next six as in the options, with every 0 replaced by what was used */
  int64_t passes, patch, window, neighbours, step, landmarks;
  int64_t patches; /* patches that were estimated, in one pass */
  int64_t turned;  /* of the last pass: places in groups that turned patches have */
} lavdm_denoise_info;

/*
 * picture and out: height x width x channels, channels 1 (grey), 2 (grey, alpha), 3 (rgb) or
 * 4 (rgb, alpha); alpha is passed on as it is. Colours are matched by their sum and estimated
 * in orthogonal coordinates. NaN and infinite values are refused; sigma 0 gives the picture back.
 * The result is the same for the same number of threads. info may be NULL.
 */
LAVDM_API int lavdm_denoise(const double *picture, int64_t height, int64_t width, int64_t channels,
                            const lavdm_denoise_options *options, double *out, lavdm_denoise_info *info,
                            lavdm_error *error);

/*
 * The standard deviation of white noise in a picture: the least eigenvalue of the covariance of
 * its patches of 5 x 5 pixels, those with more contrast than noise makes left out. Too large where
 * nothing but fine irregular texture is to be seen, which is like noise.
 */
LAVDM_API int lavdm_denoise_sigma(const double *picture, int64_t height, int64_t width, int64_t channels,
                                  double *sigma, lavdm_error *error);

/* How near two pictures are, `peak` being the largest value (255): PSNR in dB, infinite if they are
 * the same, and mean SSIM over windows of 7 x 7 pixels (NaN if the picture is smaller), averaged over
 * the channels (alpha left out). */
LAVDM_API void lavdm_denoise_quality(const double *a, const double *b, int64_t height, int64_t width,
                                     int64_t channels, double peak, double *psnr, double *ssim);

/* A picture to try it on: strokes, disks and gratings turned every way, values 0 .. 255, and noise. */
LAVDM_API void lavdm_denoise_example(int64_t height, int64_t width, uint64_t seed, double sigma, double *out);

#ifdef __cplusplus
}
#endif
#endif
