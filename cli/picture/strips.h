/* A grid of pictures: rows of an average, its image and the nearest ones, turned to match. */
#ifndef LAVDM_CLI_STRIPS_H
#define LAVDM_CLI_STRIPS_H

#include "io/io.h"

/* What each average is made of. */
typedef struct {
  const int64_t *image, *neighbour,
      *reflected;      /* count; count x k, -1 where there is none; the same, or NULL */
  const double *angle; /* count x k */
  int64_t count, k;
} members_t;

/* Grey values from 0 to 1, height x width, those of the gaps 1; a tile is a picture with its gap. */
typedef struct {
  double *grey; /* owned */
  int64_t height, width, tile_high, tile_wide;
  int64_t first; /* pixels before the first of the nearest */
} strips_t;

/* Strips of the averages `which` (rows), with so many of the nearest, from a stack of images. */
int strips_make(const char *stack, const members_t *members, const int64_t *which, int rows, int nearest,
                strips_t *out, lavdm_error *error);
/* Height and width of its images, before any other work. */
int strips_shape(const char *stack, int64_t shape[2], int64_t *count, lavdm_error *error);
void strips_free(strips_t *strips);

#endif
