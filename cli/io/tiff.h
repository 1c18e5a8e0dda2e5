/* A TIFF file under examination, a page at a time; see tiff.c for who does so. */
#ifndef LAVDM_CLI_TIFF_H
#define LAVDM_CLI_TIFF_H

#include "io/picture_formats.h"

#include <tiffio.h>

typedef struct {
  const char *path;
  int64_t length;
  lavdm_error *error;
  TIFF *tiff;
  int fd;
  bool failed;          /* a read did: libtiff may take that for the end of the pages */
  picture_t page;       /* the kind of every page, without values */
  number_format number; /* a sample, as libtiff gives it */
  bool white;           /* 0 is white */
  bool planes;          /* each channel for itself */
  int64_t total, block; /* bytes of a page, and of a strip or tile */
  int64_t limit;        /* bytes that can be made of the file */
} tiff_file;

/* Opens `path` and describes its first page; path and error are set. */
int tiff_begin(tiff_file *t);

/* The number of pages, which must be of one kind, but for thumbnails. */
int tiff_pages(tiff_file *t, int64_t *pages);

/* The values of the page, and the next page: 1, or 0 if there is none. */
int tiff_decode(tiff_file *t, double *value);
int tiff_next(tiff_file *t);

void tiff_end(tiff_file *t); /* accepts what tiff_begin left, whatever it returned */

#endif
