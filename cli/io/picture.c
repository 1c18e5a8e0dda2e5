/* Which format a picture has, and numbers as its samples. */
#define _POSIX_C_SOURCE 200809L
#include "io/picture_formats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const struct {
  const char *end;
  picture_writer *write;
} known[] = {
    {".png", png_write}, {".tif", tiff_write}, {".tiff", tiff_write},       {".pgm", pnm_write},
    {".ppm", pnm_write}, {".pnm", pnm_write},  {".npy", npy_write_picture},
};
enum { KNOWN = sizeof known / sizeof *known };

/* Its number in the table, or -1. */
static int extension_of(const char *path) {
  size_t length = strlen(path);
  for (int i = 0; i < KNOWN; i++) {
    size_t end = strlen(known[i].end);
    if (length > end && strcasecmp(path + length - end, known[i].end) == 0) return i;
  }
  return -1;
}

/* --------------------------------------------------------------- values */

void picture_free(picture_t *picture) {
  free(picture->value);
  *picture = (picture_t){0};
}

int64_t picture_count(const picture_t *picture) {
  return shape_count(3, (int64_t[]){picture->height, picture->width, picture->channels});
}

int picture_allocate(picture_t *picture, const char *label, lavdm_error *error) {
  io_array array = {.rank = picture->channels > 1 ? 3 : 2,
                    .shape = {picture->height, picture->width, picture->channels}};
  int status = array_allocate(&array, label, 0, error);
  picture->value = array.data;
  return status;
}

int picture_sample_size(const picture_t *picture) {
  return picture->bits ? picture->bits / 8 : picture->single ? 4 : 8;
}

/* Rounded and clipped to 0..top; NaN is 0. */
static uint16_t whole(double x, double top) {
  return (uint16_t)(x > 0 ? rint(fmin(x, top)) : 0);
}

void picture_samples(const picture_t *picture, int64_t first, int64_t count, bool big, unsigned char *out) {
  const double *value = picture->value + first;
  int size = picture_sample_size(picture);
  for (int64_t i = 0; i < count; i++) {
    uint16_t x = picture->bits ? whole(value[i], picture->bits == 16 ? 65535 : 255) : 0;
    float single = picture->single ? (float)value[i] : 0;
    if (picture->bits == 8)
      out[i] = (unsigned char)x;
    else
      memcpy(out + i * size,
             picture->bits     ? (const void *)&x
             : picture->single ? (const void *)&single
                               : value + i,
             (size_t)size);
  }
  if (big != machine_is_big()) swap_bytes(out, size, count);
}

int picture_write_samples(output_file *file, const picture_t *picture, bool big) {
  unsigned char block[1 << 15];
  int64_t count = picture_count(picture), size = picture_sample_size(picture);
  const int64_t most = (int64_t)sizeof block / size;
  int status = LAVDM_OK;
  for (int64_t i = 0; i < count && status >= 0; i += most) {
    int64_t part = count - i < most ? count - i : most;
    picture_samples(picture, i, part, big, block);
    status = output_write(file, block, (size_t)(part * size));
  }
  return status;
}

void picture_from_bytes(const unsigned char *bytes, int bits, int64_t count, double *value) {
  for (int64_t i = 0; i < count; i++) value[i] = bits == 8 ? bytes[i] : bytes[2 * i] << 8 | bytes[2 * i + 1];
}

/* ----------------------------------------------------------- in a child */

void picture_announce(sender *to, const picture_t *page, int64_t pages) {
  const int64_t kind[2] = {page->bits, page->single};
  char none[] = "";
  io_array kinds = {.name = none, .type = IO_INTEGER, .rank = 1, .shape = {2}};
  io_array values = {.name = none, .rank = 4, .shape = {pages, page->height, page->width, page->channels}};
  send_array(to, &kinds, false, true);
  send_bytes(to, kind, sizeof kind);
  send_array(to, &values, false, true);
}

/* What the child sent, of which nothing but its shape is known to be sound. */
static bool take_pages(const io_list *list, picture_t *out, int64_t *pages) {
  if (list->count != 2) return false;
  io_array *kinds = &list->array[0], *values = &list->array[1];
  if (kinds->type != IO_INTEGER || kinds->rank != 1 || kinds->shape[0] != 2 || !kinds->data) return false;
  if (values->type != IO_REAL || values->rank != 4 || !values->data || io_array_count(values) < 1)
    return false;
  const int64_t *kind = kinds->data;
  if (kind[0] != 0 && kind[0] != 8 && kind[0] != 16) return false;
  *pages = values->shape[0];
  *out = (picture_t){.height = values->shape[1],
                     .width = values->shape[2],
                     .channels = values->shape[3],
                     .bits = (int)kind[0],
                     .single = kind[1] != 0,
                     .value = values->data};
  values->data = NULL;
  return true;
}

int picture_isolate(const char *path, bool all, const char *verdict, isolated_work work, picture_t *out,
                    int64_t *pages, lavdm_error *error) {
  picture_request request = {.path = path, .all = all};
  io_list list = {0};
  int status = isolate_file(path, verdict, work, &request, &list, error);
  if (status >= 0 && !take_pages(&list, out, pages))
    status = io_fail(error, LAVDM_ERROR_DATA, path, "%s", verdict);
  list_free(&list);
  return status;
}

/* -------------------------------------------------------------- reading */

/* By its first bytes; NULL if it is none that is known. */
static picture_reader *reader_of(const unsigned char *b) {
  if (memcmp(b, "\x89PNG\r\n\x1a\n", 8) == 0) return png_read;
  if (memcmp(b, "\x93NUMPY", 6) == 0) return npy_read_picture;
  bool little = b[0] == 'I' && b[1] == 'I' && (b[2] == 42 || b[2] == 43) && b[3] == 0;
  bool big = b[0] == 'M' && b[1] == 'M' && b[2] == 0 && (b[3] == 42 || b[3] == 43);
  if (little || big) return tiff_read;
  if (b[0] == 'P' && b[1] >= '1' && b[1] <= '7') return pnm_read;
  return NULL;
}

static int fail_kind(const char *path, const unsigned char *b, lavdm_error *error) {
  bool jpeg = b[0] == 0xFF && b[1] == 0xD8 && b[2] == 0xFF;
  int known_end = extension_of(path);
  if (jpeg || memcmp(b, "GIF8", 4) == 0 || memcmp(b, "RIFF", 4) == 0)
    return io_fail(error, LAVDM_ERROR_DATA, path,
                   "is a %s picture, which is not read; convert it to .png or .tif",
                   jpeg          ? "JPEG"
                   : b[0] == 'G' ? "GIF"
                                 : "WebP");
  if (known_end >= 0) return io_fail(error, LAVDM_ERROR_DATA, path, "is not a %s file", known[known_end].end);
  return io_fail(error, LAVDM_ERROR_ARGUMENT, path,
                 "is no picture that can be read; known are .png, .tif, .pgm, .ppm and .npy");
}

/* The first page of a TIFF file, or all. */
static int read_pages(const char *path, bool all, picture_t *out, int64_t *pages, lavdm_error *error) {
  unsigned char start[8] = {0};
  source s = {.label = path, .pull = file_pull, .error = error};
  *out = (picture_t){0};
  *pages = 1;
  int status = file_open(path, &s.fd, &s.left, error);
  if (status < 0) return status;
  status = source_read(&s, start, s.left < 8 ? s.left : 8);
  close(s.fd);
  if (status < 0) return status;
  picture_reader *read = reader_of(start);
  if (all && read == tiff_read)
    status = tiff_read_pages(path, true, out, pages, error);
  else
    status = read ? read(path, out, error) : fail_kind(path, start, error);
  if (status < 0) picture_free(out);
  return io_settled(status, error);
}

int picture_read_pages(const char *path, picture_t *out, int64_t *pages, lavdm_error *error) {
  return read_pages(path, true, out, pages, error);
}

bool picture_named(const char *path) {
  int i = extension_of(path);
  return i >= 0 && known[i].write != npy_write_picture;
}

int picture_read(const char *path, picture_t *out, lavdm_error *error) {
  int64_t pages;
  return read_pages(path, false, out, &pages, error);
}

/* Doubles in place become whole numbers. */
static void narrow(char *values, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    double x;
    memcpy(&x, values + 8 * i, 8);
    int64_t whole = x >= 0 && x <= 65535 ? (int64_t)x : 0;
    memcpy(values + 8 * i, &whole, 8);
  }
}

int picture_read_array(const char *path, io_array *out, lavdm_error *error) {
  picture_t p;
  int64_t pages;
  int status = read_pages(path, true, &p, &pages, error);
  if (status < 0) return status;
  memset(out, 0, sizeof *out);
  out->data = p.value;
  out->type = p.bits ? IO_INTEGER : IO_REAL;
  out->picture = pages == 1;
  if (p.bits) narrow(out->data, pages * picture_count(&p));
  if (pages > 1) out->shape[out->rank++] = pages;
  out->shape[out->rank++] = p.height;
  out->shape[out->rank++] = p.width;
  if (p.channels > 1) out->shape[out->rank++] = p.channels;
  return LAVDM_OK;
}

/* -------------------------------------------------------------- writing */

bool picture_can_write(const char *path, const picture_t *picture, lavdm_error *error) {
  int i = extension_of(path);
  const char *end = i < 0 ? "" : known[i].end;
  bool reals = i >= 0 && (known[i].write == tiff_write || known[i].write == npy_write_picture);
  if (i < 0)
    io_fail(error, LAVDM_ERROR_ARGUMENT, path,
            "cannot be written; the name of a picture must end in .png, .tif, .pgm, .ppm or .npy");
  else if (!picture->bits && !reals)
    io_fail(error, LAVDM_ERROR_ARGUMENT, path,
            "a %s file cannot hold real numbers, whose black and white are not known; write .tif or .npy",
            end);
  else if (known[i].write == pnm_write && picture->channels % 2 == 0)
    io_fail(error, LAVDM_ERROR_ARGUMENT, path,
            "a %s file cannot hold an alpha channel; write .png, .tif or .npy", end);
  else if (strcmp(end, ".pgm") == 0 && picture->channels > 1)
    io_fail(error, LAVDM_ERROR_ARGUMENT, path, "a .pgm file is grey; write colours to .ppm or .png");
  else
    return true;
  return false;
}

/* Grey as equal red, green and blue. */
static int write_as_colour(output_file *file, const picture_t *grey, picture_writer *write) {
  picture_t colour = *grey;
  colour.channels = 3;
  int status = picture_allocate(&colour, file->path, file->error);
  if (status < 0) return status;
  for (int64_t i = 0; i < picture_count(&colour); i++) colour.value[i] = grey->value[i / 3];
  status = write(file, &colour);
  free(colour.value);
  return status;
}

int picture_write(const char *path, const picture_t *picture, lavdm_error *error) {
  output_file file;
  bool depth = picture->bits == 0 || picture->bits == 8 || picture->bits == 16;
  if (!picture_can_write(path, picture, error)) return LAVDM_ERROR_ARGUMENT;
  if (picture_count(picture) < 1 || picture->channels > 4 || !depth)
    return io_fail(error, LAVDM_ERROR_ARGUMENT, path, "a picture has an impossible shape");
  int i = extension_of(path), status = output_begin(&file, path, error);
  if (status < 0) return io_written(status, error);
  bool grey_in_ppm = strcmp(known[i].end, ".ppm") == 0 && picture->channels == 1;
  status = grey_in_ppm ? write_as_colour(&file, picture, known[i].write) : known[i].write(&file, picture);
  return io_written(output_end(&file, status), error);
}
