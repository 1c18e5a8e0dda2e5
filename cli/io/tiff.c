/*
 * TIFF. Files are read in a child process, as libtiff is large and they may be
 * damaged. They are written plainly: little-endian, one
 * directory, one strip, no compression.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/tiff.h"
#include "io/room.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -------------------------------------------------------------- reading */

static int send_pages(sender *to, tiff_file *t, int64_t pages, double *value) {
  int64_t bytes = picture_count(&t->page) * (int64_t)sizeof *value;
  int status = LAVDM_OK;
  picture_announce(to, &t->page, pages);
  for (int64_t i = 0; i < pages && status >= 0; i++) {
    if (i > 0 && (status = tiff_next(t)) == 0)
      status = io_fail(t->error, LAVDM_ERROR_DATA, t->path, "ends too early");
    if (status >= 0) status = tiff_decode(t, value);
    if (status >= 0) send_bytes(to, value, bytes);
  }
  return status < 0 ? status : LAVDM_OK;
}

static int read_in_child(sender *to, void *user, lavdm_error *error) {
  const picture_request *request = user;
  tiff_file t = {.path = request->path, .error = error};
  int64_t pages = 1;
  int status = tiff_begin(&t);
  if (status >= 0 && request->all) status = tiff_pages(&t, &pages);
  if (status >= 0) {
    const picture_t *p = &t.page;
    int64_t bytes = picture_count(p) * (int64_t)sizeof(double);
    io_array all = {.rank = 4, .shape = {pages, p->height, p->width, p->channels}};
    status = room_check(t.path, &all, bytes + t.block, pages * bytes, error);
    sender_allow(to, pages * bytes + t.block);
    double *value = status < 0 ? NULL : malloc((size_t)bytes);
    if (status >= 0) status = value ? send_pages(to, &t, pages, value) : io_memory(error, t.path, bytes);
    free(value);
  }
  tiff_end(&t);
  return status;
}

int tiff_read_pages(const char *path, bool all, picture_t *out, int64_t *pages, lavdm_error *error) {
  return picture_isolate(path, all, "is not a readable TIFF file (damaged?)", read_in_child, out, pages,
                         error);
}

int tiff_read(const char *path, picture_t *out, lavdm_error *error) {
  int64_t pages;
  return tiff_read_pages(path, false, out, &pages, error);
}

/* -------------------------------------------------------------- writing */

enum { SHORT = 3, LONG = 4, RATIONAL = 5, ENTRY = 12, ENTRIES_MOST = 16, EXTRA_MOST = 64 };

typedef struct {
  int count;
  unsigned char entry[ENTRIES_MOST][ENTRY];
  size_t used;
  unsigned char extra[EXTRA_MOST]; /* values that an entry cannot hold, behind the directory */
  uint32_t extra_at;
} directory;

static void put(unsigned char *to, uint32_t x, int bytes) {
  for (int i = 0; i < bytes; i++) to[i] = (unsigned char)(x >> (8 * i));
}

/* The same value `count` times; a RATIONAL is of a whole number. */
static void add(directory *d, uint16_t tag, uint16_t type, uint32_t value, uint32_t count) {
  unsigned char *e = d->entry[d->count++];
  int size = type == SHORT ? 2 : 4;
  memset(e, 0, ENTRY);
  put(e, tag, 2);
  put(e + 2, type, 2);
  put(e + 4, count, 4);
  bool inside = (uint32_t)size * count <= 4 && type != RATIONAL;
  unsigned char *to = inside ? e + 8 : d->extra + d->used;
  if (!inside) put(e + 8, d->extra_at + (uint32_t)d->used, 4);
  if (type == RATIONAL) {
    put(to, value, 4);
    put(to + 4, 1, 4);
    d->used += 8;
    return;
  }
  for (uint32_t i = 0; i < count; i++) put(to + (int)i * size, value, size);
  if (!inside) d->used += (size_t)size * count;
}

static int write_directory(output_file *file, const picture_t *p, int64_t bytes) {
  bool alpha = p->channels % 2 == 0;
  uint32_t channels = (uint32_t)p->channels, count = alpha ? 15 : 14;
  directory d = {.extra_at = 8 + 2 + ENTRY * count + 4};
  uint32_t data_at = d.extra_at + EXTRA_MOST;
  add(&d, TIFFTAG_IMAGEWIDTH, LONG, (uint32_t)p->width, 1);
  add(&d, TIFFTAG_IMAGELENGTH, LONG, (uint32_t)p->height, 1);
  add(&d, TIFFTAG_BITSPERSAMPLE, SHORT, 8 * (uint32_t)picture_sample_size(p), channels);
  add(&d, TIFFTAG_COMPRESSION, SHORT, COMPRESSION_NONE, 1);
  add(&d, TIFFTAG_PHOTOMETRIC, SHORT, p->channels < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB, 1);
  add(&d, TIFFTAG_STRIPOFFSETS, LONG, data_at, 1);
  add(&d, TIFFTAG_SAMPLESPERPIXEL, SHORT, channels, 1);
  add(&d, TIFFTAG_ROWSPERSTRIP, LONG, (uint32_t)p->height, 1);
  add(&d, TIFFTAG_STRIPBYTECOUNTS, LONG, (uint32_t)bytes, 1);
  add(&d, TIFFTAG_XRESOLUTION, RATIONAL, 72, 1);
  add(&d, TIFFTAG_YRESOLUTION, RATIONAL, 72, 1);
  add(&d, TIFFTAG_PLANARCONFIG, SHORT, PLANARCONFIG_CONTIG, 1);
  add(&d, TIFFTAG_RESOLUTIONUNIT, SHORT, RESUNIT_INCH, 1);
  if (alpha) add(&d, TIFFTAG_EXTRASAMPLES, SHORT, EXTRASAMPLE_UNASSALPHA, 1);
  add(&d, TIFFTAG_SAMPLEFORMAT, SHORT, p->bits ? SAMPLEFORMAT_UINT : SAMPLEFORMAT_IEEEFP, channels);
  unsigned char head[10] = {'I', 'I', 42, 0, 8}, none[4] = {0};
  put(head + 8, count, 2);
  int status = output_write(file, head, sizeof head);
  if (status >= 0) status = output_write(file, d.entry, ENTRY * count);
  if (status >= 0) status = output_write(file, none, 4);
  return status < 0 ? status : output_write(file, d.extra, EXTRA_MOST);
}

int tiff_write(output_file *file, const picture_t *p) {
  int64_t bytes = picture_count(p) * picture_sample_size(p);
  if (bytes > UINT32_MAX - (1 << 20))
    return io_fail(file->error, LAVDM_ERROR_ARGUMENT, file->path,
                   "a TIFF file ends at 4 GB, and this picture takes more; write .npy");
  int status = write_directory(file, p, bytes);
  return status < 0 ? status : picture_write_samples(file, p, false);
}
