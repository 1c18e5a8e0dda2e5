/*
 * Pictures in files: PNG, TIFF, PGM and PPM, NPY. What a file holds is told by
 * its content, how one is written by the extension of its name. The rules of
 * io.h hold: nothing in a file is trusted, errors are one sentence, and a file
 * appears whole or not at all.
 */
#ifndef LAVDM_CLI_PICTURE_H
#define LAVDM_CLI_PICTURE_H

#include "io/io.h"

typedef struct {
  int64_t height, width;
  int64_t channels; /* 1 grey, 2 grey and alpha, 3 rgb, 4 rgba */
  int bits;         /* 8: 0..255; 16: 0..65535; 0: real numbers, as they are */
  bool single;      /* real numbers that are floats of 4 bytes in their file */
  double *value;    /* height x width x channels, the top row first; owned, malloc'ed */
} picture_t;

/*
 * Reads a picture. A palette is expanded to its colours, and a scale other than
 * 0..255 or 0..65535 to the next of these; gamma and colour profiles are let
 * be. Of several pages the first is read. .npy: height x width, or height x
 * width x channels; uint8 and uint16 are of 8 and 16 bits, and all other
 * numbers are real.
 */
int picture_read(const char *path, picture_t *out, lavdm_error *error);

/* The same with every page of a TIFF file, which are alike: pages x height x width x channels. */
int picture_read_pages(const char *path, picture_t *out, int64_t *pages, lavdm_error *error);

/* True if the name ends as that of a picture does, .npy aside. */
bool picture_named(const char *path);

/*
 * Writes a picture: .png, .tif, .tiff, .pgm (grey), .ppm (rgb; grey as rgb),
 * .pnm (either), .npy. Values are rounded and clipped to their bits; real
 * numbers go to .tif and .npy alone, since no scale of 0..65535 is theirs.
 */
int picture_write(const char *path, const picture_t *picture, lavdm_error *error);

/* True if a picture of these channels and bits can be written under that name;
 * it needs no values. */
bool picture_can_write(const char *path, const picture_t *picture, lavdm_error *error);

void picture_free(picture_t *picture); /* accepts a zeroed one */

#endif
