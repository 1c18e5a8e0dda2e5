/*
 * TIFF. Files are read in a child process, as libtiff is large and they may be
 * damaged: it sends one array, pages x height x width x channels, whose name
 * tells the numbers of the file. They are written plainly: little-endian, one
 * directory, one strip, no compression.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/tiff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -------------------------------------------------------------- reading */

typedef struct {
  const char *path;
  bool all; /* pages, or the first */
} tiff_request;

/* Announces the pages and sends the first, which is decoded, and the others; a
 * child that cannot go on breaks off. */
static void send_pages(sender *to, tiff_file *t, int64_t pages, double *value) {
  const picture_t *p = &t->page;
  char name[16];
  snprintf(name, sizeof name, "%d %d", p->bits, p->single);
  io_array array = {.name = name, .rank = 4, .shape = {pages, p->height, p->width, p->channels}};
  int64_t bytes = picture_count(p) * (int64_t)sizeof *value;
  send_array(to, &array, false, true);
  send_bytes(to, value, bytes);
  for (int64_t i = 1; i < pages; i++) {
    if (tiff_next(t) != 1 || tiff_decode(t, value) < 0) _exit(1);
    send_bytes(to, value, bytes);
  }
}

static int read_in_child(sender *to, void *user, lavdm_error *error) {
  const tiff_request *request = user;
  tiff_file t = {.path = request->path, .error = error};
  int64_t pages = 1;
  int status = tiff_begin(&t);
  if (status >= 0 && request->all) status = tiff_pages(&t, &pages);
  if (status >= 0) {
    int64_t bytes = picture_count(&t.page) * (int64_t)sizeof(double);
    sender_allow(to, pages * bytes + t.block);
    double *value = malloc((size_t)bytes);
    status = value ? tiff_decode(&t, value) : io_memory(error, t.path, bytes);
    if (status >= 0) send_pages(to, &t, pages, value);
    free(value);
  }
  tiff_end(&t);
  return status;
}

/* What the child sent, of which nothing but its shape is known to be sound. */
static bool take_pages(io_array *array, picture_t *out, int64_t *pages) {
  int single = 0;
  bool sound = array->rank == 4 && array->type == IO_REAL && array->data &&
               sscanf(array->name, "%d %d", &out->bits, &single) == 2;
  if (!sound) return false;
  *pages = array->shape[0];
  out->height = array->shape[1];
  out->width = array->shape[2];
  out->channels = array->shape[3];
  out->single = single;
  out->value = array->data;
  array->data = NULL;
  return true;
}

int tiff_read_pages(const char *path, bool all, picture_t *out, int64_t *pages, lavdm_error *error) {
  const char *verdict = "is not a readable TIFF file (damaged?)";
  int fd;
  int64_t length;
  int status = file_open(path, &fd, &length, error);
  if (status < 0) return status;
  close(fd);
  const int64_t base = 64 << 20;
  tiff_request request = {.path = path, .all = all};
  isolate_terms terms = {
      .label = path, .verdict = verdict, .status = LAVDM_ERROR_DATA, .memory = base + 2 * length};
  io_list list = {0};
  status = isolate(&terms, read_in_child, &request, &list, error);
  if (status >= 0 && (list.count != 1 || !take_pages(list.array, out, pages)))
    status = io_fail(error, LAVDM_ERROR_DATA, path, "%s", verdict);
  list_free(&list);
  return status;
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
