/*
 * Pages of a TIFF file by libtiff: strips or tiles, channels interleaved or in
 * planes, any compression that libtiff has; samples are whole or real numbers of
 * 8 to 64 bits.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/tiff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int damaged(tiff_file *t) {
  return io_fail(t->error, LAVDM_ERROR_DATA, t->path, "is not a readable TIFF file (damaged?)");
}

static int too_long(tiff_file *t) {
  return io_fail(t->error, LAVDM_ERROR_DATA, t->path,
                 "its header promises more data than the file holds (cut short?)");
}

/* Bytes that a compression can make of one, at most. */
static int64_t expansion(uint16_t compression) {
  switch (compression) {
  case COMPRESSION_NONE:
    return 1;
  case COMPRESSION_PACKBITS:
    return 64;
  case COMPRESSION_LZW:
    return 2048;
  case COMPRESSION_DEFLATE:
  case COMPRESSION_ADOBE_DEFLATE:
    return INFLATION;
  default:
    return 1 << 15;
  }
}

/* ---------------------------------------------------------- description */

static int choose_number(tiff_file *t) {
  uint16_t bits = 0, format = SAMPLEFORMAT_UINT;
  TIFFGetFieldDefaulted(t->tiff, TIFFTAG_BITSPERSAMPLE, &bits);
  TIFFGetFieldDefaulted(t->tiff, TIFFTAG_SAMPLEFORMAT, &format);
  char kind = format == SAMPLEFORMAT_IEEEFP                                ? 'f'
              : format == SAMPLEFORMAT_INT                                 ? 'i'
              : format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID ? 'u'
                                                                           : 0;
  t->number = (number_format){kind, bits / 8, false};
  if (kind && bits % 8 == 0 && number_known(t->number)) return LAVDM_OK;
  return io_fail(t->error, LAVDM_ERROR_DATA, t->path,
                 kind ? "has samples of %d bits, which are not read; save it with 8 or 16"
                      : "has samples of %d bits that are not real numbers",
                 bits);
}

static int choose_colours(tiff_file *t, uint16_t compression) {
  uint16_t samples = 1, colours = PHOTOMETRIC_MINISBLACK;
  TIFFGetFieldDefaulted(t->tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
  TIFFGetField(t->tiff, TIFFTAG_PHOTOMETRIC, &colours);
  if (colours == PHOTOMETRIC_YCBCR && compression == COMPRESSION_JPEG) {
    TIFFSetField(t->tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    colours = PHOTOMETRIC_RGB;
  }
  t->white = colours == PHOTOMETRIC_MINISWHITE;
  t->page.channels = samples;
  if (!t->white && colours != PHOTOMETRIC_MINISBLACK && colours != PHOTOMETRIC_RGB)
    return io_fail(t->error, LAVDM_ERROR_DATA, t->path, "has %s; save it as grey or RGB",
                   colours == PHOTOMETRIC_PALETTE ? "a palette" : "colours of a kind that is not read");
  if (samples < 1 || samples > 4)
    return io_fail(t->error, LAVDM_ERROR_DATA, t->path, "has %d channels; at most 4 are read", samples);
  if (t->white && (samples > 1 || !t->page.bits))
    return io_fail(t->error, LAVDM_ERROR_DATA, t->path,
                   "has white as its least value, which is read of whole numbers in one channel alone");
  return LAVDM_OK;
}

/* What libtiff says of a row, a strip and a tile must be what the sizes say;
 * and no compression makes so much of the file. */
static int check_sizes(tiff_file *t) {
  const picture_t *p = &t->page;
  int64_t samples = t->planes ? 1 : p->channels, pixel = samples * t->number.size;
  int64_t row, rows;
  t->total = checked_product(picture_count(p), t->number.size);
  if (TIFFIsTiled(t->tiff)) {
    uint32_t width = 0, height = 0;
    TIFFGetField(t->tiff, TIFFTAG_TILEWIDTH, &width);
    TIFFGetField(t->tiff, TIFFTAG_TILELENGTH, &height);
    row = checked_product(width, pixel);
    rows = height;
    if (row < 1 || rows < 1 || TIFFTileRowSize(t->tiff) != row) return damaged(t);
  } else {
    uint32_t height = 0;
    TIFFGetFieldDefaulted(t->tiff, TIFFTAG_ROWSPERSTRIP, &height);
    row = checked_product(p->width, pixel);
    rows = height < p->height ? height : p->height;
    if (row < 1 || rows < 1 || TIFFScanlineSize(t->tiff) != row) return damaged(t);
  }
  t->block = checked_product(row, rows);
  bool possible = t->total > 0 && t->block > 0 && t->total <= t->limit && t->block / 4 <= t->limit;
  return possible && checked_product(t->total, 8) > 0 ? LAVDM_OK : too_long(t);
}

static int describe(tiff_file *t) {
  uint32_t width = 0, height = 0;
  uint16_t compression = COMPRESSION_NONE, planes = PLANARCONFIG_CONTIG;
  TIFFGetField(t->tiff, TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(t->tiff, TIFFTAG_IMAGELENGTH, &height);
  TIFFGetFieldDefaulted(t->tiff, TIFFTAG_COMPRESSION, &compression);
  TIFFGetFieldDefaulted(t->tiff, TIFFTAG_PLANARCONFIG, &planes);
  if (width < 1 || height < 1) return damaged(t);
  if (!TIFFIsCODECConfigured(compression))
    return io_fail(t->error, LAVDM_ERROR_DATA, t->path,
                   "is compressed by method %d, which this libtiff does not have", compression);
  t->page = (picture_t){.height = height, .width = width};
  int status = choose_number(t);
  if (status < 0) return status;
  t->page.bits = t->number.kind == 'u' && t->number.size <= 2 ? 8 * t->number.size : 0;
  t->page.single = t->number.kind == 'f' && t->number.size == 4;
  status = choose_colours(t, compression);
  t->planes = planes == PLANARCONFIG_SEPARATE && t->page.channels > 1;
  t->limit = checked_product(t->length, expansion(compression));
  return status < 0 ? status : check_sizes(t);
}

/* ------------------------------------------------------ what libtiff calls */

static tmsize_t give(thandle_t user, void *buffer, tmsize_t bytes) {
  tiff_file *t = user;
  char *at = buffer;
  tmsize_t done = 0;
  for (ssize_t got = 1; done < bytes && got != 0;) {
    got = read(t->fd, at + done, (size_t)(bytes - done < 1 << 30 ? bytes - done : 1 << 30));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) t->failed = true;
    if (got < 0) return -1;
    done += got;
  }
  return done;
}

static tmsize_t take(thandle_t user, void *buffer, tmsize_t bytes) {
  (void)user, (void)buffer, (void)bytes;
  return -1; /* nothing is written */
}

static toff_t seek(thandle_t user, toff_t to, int from) {
  tiff_file *t = user;
  off_t at = lseek(t->fd, (off_t)to, from);
  if (at < 0) t->failed = t->failed || errno != EINVAL; /* which an impossible offset gives */
  return (toff_t)at;
}

static int finish(thandle_t user) {
  return close(((tiff_file *)user)->fd);
}

static toff_t length_of(thandle_t user) {
  return (toff_t)((tiff_file *)user)->length;
}

/* ---------------------------------------------------------------- pages */

int tiff_begin(tiff_file *t) {
  int status = file_open(t->path, &t->fd, &t->length, t->error);
  if (status < 0) return status;
  TIFFSetErrorHandler(NULL);
  TIFFSetWarningHandler(NULL);
  /* m: read, not mapped */
  t->tiff = TIFFClientOpen(t->path, "rm", t, give, take, seek, finish, length_of, NULL, NULL);
  if (!t->tiff) {
    close(t->fd);
    return damaged(t);
  }
  return describe(t);
}

void tiff_end(tiff_file *t) {
  if (t->tiff) TIFFClose(t->tiff);
  t->tiff = NULL;
}

static bool thumbnail(tiff_file *t) {
  uint32_t kind = 0;
  TIFFGetFieldDefaulted(t->tiff, TIFFTAG_SUBFILETYPE, &kind);
  return kind & FILETYPE_REDUCEDIMAGE;
}

int tiff_next(tiff_file *t) {
  picture_t first = t->page;
  do {
    if (t->failed) return damaged(t);
    if (TIFFLastDirectory(t->tiff)) return 0;
    if (!TIFFReadDirectory(t->tiff)) return damaged(t);
  } while (thumbnail(t));
  int status = describe(t);
  if (status < 0) return status;
  const picture_t *p = &t->page;
  if (p->height == first.height && p->width == first.width && p->channels == first.channels &&
      p->bits == first.bits && p->single == first.single)
    return 1;
  return io_fail(t->error, LAVDM_ERROR_DATA, t->path,
                 "has pages of different kinds: %lld x %lld x %lld behind %lld x %lld x %lld",
                 (long long)p->height, (long long)p->width, (long long)p->channels, (long long)first.height,
                 (long long)first.width, (long long)first.channels);
}

int tiff_pages(tiff_file *t, int64_t *pages) {
  int status;
  for (*pages = 1; (status = tiff_next(t)) == 1;) ++*pages;
  if (status < 0) return status;
  if (*pages > 1 && !TIFFSetDirectory(t->tiff, 0)) return damaged(t);
  /* pages of the same bytes would be a small file of any size */
  if (checked_product(*pages, t->total) < 0 || *pages * t->total > t->limit) return too_long(t);
  return *pages > 1 ? describe(t) : LAVDM_OK;
}

/* --------------------------------------------------------------- pixels */

/* Part of the page: rows x columns pixels from (y, x), of one plane or of all
 * channels, whose rows in memory are `pitch` samples long. */
typedef struct {
  int64_t y, x, rows, columns, plane, pitch;
} tiff_block;

static int place(const tiff_file *t, const tiff_block *b, char *raw, double *line, double *value) {
  const picture_t *p = &t->page;
  int64_t step = t->planes ? p->channels : 1, count = t->planes ? b->columns : b->columns * p->channels;
  double top = p->bits == 16 ? 65535 : 255;
  for (int64_t i = 0; i < b->rows; i++) {
    double *to = value + ((b->y + i) * p->width + b->x) * p->channels + b->plane;
    if (!numbers_real(t->number, raw + i * b->pitch * t->number.size, count, line))
      return io_fail(t->error, LAVDM_ERROR_DATA, t->path, "holds an integer above %lld",
                     (long long)INT64_MAX);
    for (int64_t j = 0; j < count; j++) to[j * step] = t->white ? top - line[j] : line[j];
  }
  return LAVDM_OK;
}

static int decode_strips(tiff_file *t, int64_t plane, char *raw, double *line, double *value) {
  const picture_t *p = &t->page;
  int64_t samples = t->planes ? p->width : p->width * p->channels, row = samples * t->number.size;
  int64_t most = t->block / row;
  int status = LAVDM_OK;
  for (int64_t y = 0; y < p->height && status >= 0; y += most) {
    tiff_block b = {.y = y, .rows = p->height - y < most ? p->height - y : most, .columns = p->width};
    b.plane = plane;
    b.pitch = samples;
    uint32_t strip = TIFFComputeStrip(t->tiff, (uint32_t)y, (uint16_t)plane);
    if (TIFFReadEncodedStrip(t->tiff, strip, raw, (tmsize_t)(b.rows * row)) != b.rows * row)
      return damaged(t);
    status = place(t, &b, raw, line, value);
  }
  return status;
}

static int decode_tiles(tiff_file *t, int64_t plane, char *raw, double *line, double *value) {
  const picture_t *p = &t->page;
  uint32_t width = 0, height = 0;
  TIFFGetField(t->tiff, TIFFTAG_TILEWIDTH, &width);
  TIFFGetField(t->tiff, TIFFTAG_TILELENGTH, &height);
  int status = LAVDM_OK;
  for (int64_t y = 0; y < p->height; y += height)
    for (int64_t x = 0; x < p->width && status >= 0; x += width) {
      tiff_block b = {.y = y, .x = x, .plane = plane, .pitch = t->planes ? width : width * p->channels};
      b.rows = p->height - y < height ? p->height - y : height;
      b.columns = p->width - x < width ? p->width - x : width;
      uint32_t tile = TIFFComputeTile(t->tiff, (uint32_t)x, (uint32_t)y, 0, (uint16_t)plane);
      if (TIFFReadEncodedTile(t->tiff, tile, raw, (tmsize_t)t->block) != t->block) return damaged(t);
      status = place(t, &b, raw, line, value);
    }
  return status;
}

int tiff_decode(tiff_file *t, double *value) {
  const picture_t *p = &t->page;
  bool tiled = TIFFIsTiled(t->tiff);
  char *raw = calloc((size_t)t->block + 8, 1);
  double *line = malloc((size_t)(p->width * p->channels) * sizeof *line);
  int status = raw && line ? LAVDM_OK : io_memory(t->error, t->path, t->block);
  for (int64_t plane = 0; plane < (t->planes ? p->channels : 1) && status >= 0; plane++)
    status = (tiled ? decode_tiles : decode_strips)(t, plane, raw, line, value);
  free(line);
  free(raw);
  return status;
}
