/*
 * Class averaging: images of one object from unknown directions, most of them hardly more than
 * noise. Each is averaged with its neighbours, the images from almost the same direction, turned
 * (and reflected) to match. Neighbours are
 *   rid    the nearest by rotation-invariant distance between steerable principal components;
 *   vdm    re-selected: the images and their nearest make a graph, the turns its connection, and
 *          those are chosen on which the top eigenvectors agree most;
 *   lavdm  the same from a graph between images and landmarks, which are averages themselves: of
 *          images drawn at random with their nearest by distance. Two times n m pairs are
 *          compared, instead of n^2.
 * An image from the opposite direction is a mirror image: with reflections such are neighbours
 * too. The connection is then in O(2), which is the graph of the images and their mirror images
 * together, at half its size.
 */
#ifndef LAVDM_AVERAGE_H
#define LAVDM_AVERAGE_H

#include "../lavdm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  LAVDM_AVERAGE_RID,
  LAVDM_AVERAGE_VDM,
  LAVDM_AVERAGE_LAVDM,
  LAVDM_AVERAGE_AUTO /* vdm, whose neighbours are the best, while all pairs can be compared in minutes;
                        then lavdm */
} lavdm_average_method;

LAVDM_API const char *const *lavdm_average_methods(void); /* their names, then NULL */

/* lavdm_average_default fills them. */
typedef struct {
  size_t size; /* as lavdm_average_default sets it */
  lavdm_average_method method;
  int64_t neighbours; /* that are averaged with an image; AUTO: n/50, 6 to 50 */
  int64_t edges;      /* images or landmarks that an image is joined to; AUTO: a fiftieth of
                         them, 6 to 50, or to 20 landmarks */
  int64_t members;    /* nearest images that make a landmark with it; AUTO: n/50, 6 to 30 */
  int64_t rounds;     /* vdm, AUTO 1: fits, each with edges weighed by how far the one before agrees;
                         lavdm, AUTO 2: times that landmarks are made, each of the neighbours found before */
  int64_t classes;    /* averages, about images drawn at random; 0: one about each image */

  /* reflections, noise, pca, precision, landmarks (AUTO: n/10, at most 1000), components (AUTO: of the
   * harmonics of degree up to 7 on the sphere), time, seed, threads, max_memory and progress are used;
   * NULL: defaults */
  const lavdm_options *how;
} lavdm_average_options;

/* Fills the first `size` bytes with defaults. */
LAVDM_API void lavdm_average_init(lavdm_average_options *options, size_t size);
#define lavdm_average_default(options) lavdm_average_init((options), sizeof(lavdm_average_options))

typedef struct {
  lavdm_average_method method;        /* as chosen */
  int64_t n, height, width, count, k; /* images, their size, averages, neighbours of each */
  const int64_t *centre;              /* count: the image that an average is about */
  const int64_t *index;               /* count x k, nearest first; -1 where fewer are left */
  const double *distance;             /* count x k: between images; or sqrt(2 - 2 affinity), affinity the
                                         agreement of eigenvectors, where re-selected */
  const double *angle;          /* count x k: turn of the neighbour that brings it to the image, radians */
  const signed char *reflected; /* count x k: whether it is reflected first; NULL without reflections */
  const double *average;        /* count x height x width, of the image and its neighbours */
  double noise;                 /* of a pixel, as given or estimated; 0 if none was taken into account */
  int64_t compared;             /* steerable components that distances are made of */
  int64_t landmarks, edges, components; /* as chosen; 0 where there were none */
  double expand_seconds, compare_seconds, diffuse_seconds, sum_seconds;
  const char *warning; /* of the fit, or "" */
} lavdm_average_t;

/* On a negative status *average is NULL. */
LAVDM_API int lavdm_average(const lavdm_data *images, const lavdm_average_options *options,
                            lavdm_average_t **average, lavdm_error *error);
LAVDM_API void lavdm_average_free(lavdm_average_t *average); /* accepts NULL */

#ifdef __cplusplus
}
#endif
#endif
