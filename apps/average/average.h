/*
 * Class averaging: images of one object from unknown directions, most of them hardly more than
 * noise. Each is averaged with its neighbours, the images from almost the same direction, turned
 * (and reflected) to match. Neighbours are
 *   rid    the nearest by rotation-invariant distance between steerable principal components;
 *   vdm    re-selected: the images and their nearest make a graph, the turns its connection, and
 *          those are chosen on which the top eigenvectors agree most (select.h);
 *   lavdm  the same from a graph between images and landmarks, which are averages themselves: of
 *          images drawn at random with their nearest by distance. Two times n m pairs are
 *          compared, instead of n^2.
 * An image from the opposite direction is a mirror image: with reflections such are neighbours
 * too. The connection is then in O(2), which is the graph of the images and their mirror images
 * together, at half its size.
 */
#ifndef LAVDM_AVERAGE_AVERAGE_H
#define LAVDM_AVERAGE_AVERAGE_H

#include "lavdm.h"

typedef enum {
  AVERAGE_RID,
  AVERAGE_VDM,
  AVERAGE_LAVDM,
  AVERAGE_AUTO /* vdm, whose neighbours are the best, while all pairs can be compared in minutes; then lavdm
                */
} average_method;

extern const char *const average_methods[]; /* their names, then NULL */

typedef struct {
  average_method method;
  int64_t neighbours; /* that are averaged with an image; AUTO: n/50, 6 to 50 */
  int64_t edges;      /* images or landmarks that an image is joined to; AUTO: a fiftieth of
                         them, 6 to 50, or to 20 landmarks */
  int64_t members;    /* nearest images that make a landmark with it; AUTO: n/50, 6 to 30 */
  int64_t rounds;     /* vdm, AUTO 1: fits, each with edges weighed by how far the one before agrees;
                         lavdm, AUTO 2: times that landmarks are made, each of the neighbours found before */
  int64_t classes;    /* averages, about images drawn at random; 0: one about each image */
  lavdm_options how;  /* reflections, noise, pca, precision, landmarks (AUTO: n/10, at most 1000),
                         components (AUTO: of the harmonics of degree up to 7 on the sphere), time,
                         seed, threads, max_memory, progress */
} average_options;

void average_options_default(average_options *options);

typedef struct {
  average_method method;              /* as chosen */
  int64_t n, height, width, count, k; /* images, their size, averages, neighbours of each */
  int64_t *centre;                    /* count: the image that an average is about */
  int64_t *index;                     /* count x k, nearest first; -1 where fewer are left */
  double *distance; /* count x k: between images; or sqrt(2 - 2 affinity) of select.h where re-selected */
  double *angle;    /* count x k: turn of the neighbour that brings it to the image, radians */
  signed char *reflected; /* count x k: whether it is reflected first; NULL without reflections */
  double *average;        /* count x height x width, of the image and its neighbours */
  lavdm_stack_info_t stack;
  int64_t landmarks, edges, components; /* as chosen; 0 where there were none */
  double seconds[4];                    /* AVERAGE_STAGES: all but reading and writing */
  char warning[LAVDM_MESSAGE_SIZE];     /* of the fit, or "" */
} average_result;

enum { AVERAGE_EXPAND, AVERAGE_COMPARE, AVERAGE_DIFFUSE, AVERAGE_SUM };

/* On a negative status *result holds nothing. */
int average_run(const lavdm_data *images, const average_options *options, average_result *result,
                lavdm_error *error);
void average_free(average_result *result); /* accepts a zeroed one */

#endif
