/* What the formats of pictures share. */
#ifndef LAVDM_CLI_PICTURE_FORMATS_H
#define LAVDM_CLI_PICTURE_FORMATS_H

#include "io/formats.h"
#include "io/picture.h"

/* Memory for the values of a picture whose other fields are set. */
int picture_allocate(picture_t *picture, const char *label, lavdm_error *error);

int64_t picture_count(const picture_t *picture); /* of its values, or -1 */

/* Values [first, first+count) as whole numbers of `bits`, or as the floats or
 * doubles of a real picture, in either byte order. */
int picture_sample_size(const picture_t *picture); /* 1, 2, 4 or 8 bytes */
void picture_samples(const picture_t *picture, int64_t first, int64_t count, bool big, unsigned char *out);

/* All of them, a slice at a time. */
int picture_write_samples(output_file *file, const picture_t *picture, bool big);

/* Whole numbers of `bits`, the most significant byte first, as values. */
void picture_from_bytes(const unsigned char *bytes, int bits, int64_t count, double *value);

typedef int picture_reader(const char *path, picture_t *out, lavdm_error *error);
typedef int picture_writer(output_file *file, const picture_t *picture);

picture_reader png_read, pnm_read, tiff_read, npy_read_picture;
picture_writer png_write, pnm_write, tiff_write, npy_write_picture;

/*
 * Pictures that a child reads (isolate.h). It announces how many pages come and of
 * what kind, and sends their values as doubles, in as many parts as it likes.
 */
typedef struct {
  const char *path;
  bool all; /* pages, or the first */
} picture_request;

void picture_announce(sender *to, const picture_t *page, int64_t pages);
int picture_isolate(const char *path, bool all, const char *verdict, isolated_work work, picture_t *out,
                    int64_t *pages, lavdm_error *error);

/* All pages of a TIFF file, pages x height x width x channels, which are of one kind. */
int tiff_read_pages(const char *path, bool all, picture_t *out, int64_t *pages, lavdm_error *error);

#endif
