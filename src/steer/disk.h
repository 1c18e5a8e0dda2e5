/*
 * Functions that turn, sampled on the pixels of a disk: which of them the pixels tell
 * apart, and the matrices from pixels to coefficients and back. The two flips of the
 * pixel grid split them into four parts that do not mix, by cosine or sine and the
 * parity of k; each lives on a quarter of the disk.
 */
#ifndef LAVDM_STEER_DISK_H
#define LAVDM_STEER_DISK_H

#include "steer/steer.h"

enum { PARTS = 4 }; /* cosines of even and odd k, sines of even and odd k */

typedef struct {
  int64_t pixels;         /* of the disk */
  int64_t points;         /* of its quarter */
  int64_t *place;         /* points x 4: the pixel, its mirror image in columns, in rows, in both */
  steer_bands bands;      /* of the coefficients */
  int64_t count[PARTS];   /* functions */
  int64_t *target[PARTS]; /* count: where their coefficient is: 2 c, or 2 c + 1 for the imaginary part */
  double *value[PARTS];   /* count x points: the functions */
  double *expand[PARTS];  /* count x points: coefficients are its product with folded pixels */
  double **white;         /* bands: covariance of coefficients of white noise, cosine and sine on average */
} disk_t;

/* The sign that the functions of a part change with when columns or rows are flipped. */
static inline int disk_flip_columns(int part) {
  return part == 0 || part == 3 ? 1 : -1;
}

static inline int disk_flip_rows(int part) {
  return part < 2 ? 1 : -1;
}

disk_t *disk_new(int64_t height, int64_t width); /* NULL: no memory */
void disk_free(disk_t *disk);                    /* accepts NULL */

#endif
