/* The points and landmarks of a block of a picture, and the two ways to choose among them. */
#ifndef LAVDM_APPS_DENOISE_TURNED_H
#define LAVDM_APPS_DENOISE_TURNED_H

#include "denoise/plane.h"
#include "lavdm/images.h"

enum { NEAR = 8 }; /* landmarks that a point is joined to, at most */

typedef struct {
  const plane *guide;
  int64_t radius;    /* of the disks that are compared */
  int64_t n, m, k;   /* points, landmarks, nearest landmarks of a point */
  int32_t *y, *x;    /* n */
  int64_t *place;    /* n: on the grid */
  int64_t *landmark; /* m points, ascending */
  lavdm_stack *stack;
  int64_t *near; /* n x k: points that are landmarks; -1: none */
  double *distance, *angle;
} points;

/* Distances of `count` pairs of points, and angles where the measure has them. */
typedef int measure(const points *b, const void *user, const int64_t *i, const int64_t *j, int64_t count,
                    double *distance, double *angle, lavdm_error *error);

/* The `most` nearest by a measure of the points that share one of the nearest `lists_used` landmarks. */
int choose_nearest(const job *j, const points *b, int64_t lists_used, measure *m, const void *user,
                   int64_t most, int64_t *chosen, double *angle, lavdm_error *error);

/* chosen and angle (n x most): the points that are offered to each, and the turn of each; -1: none. */
int choose_rid(const job *j, const points *b, int64_t most, int64_t *chosen, double *angle,
               lavdm_error *error);
int choose_diffusion(const job *j, const points *b, int64_t most, int64_t *chosen, double *angle,
                     lavdm_error *error);

/* The `most` nearest of count candidates, ascending and each once, into chosen and angle; best (most) is
 * scratch. */
void nearest_of(const int64_t *candidate, const double *distance, const double *turn, int64_t count,
                int64_t most, int64_t *chosen, double *angle, double *best);

/* The number of a landmark from its point. */
int64_t landmark_number(const points *b, int64_t point);

#endif
