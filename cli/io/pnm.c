/*
 * PGM and PPM: P2 and P3 (numbers as text), P5 and P6 (bytes, the most
 * significant first). After the magic come width, height and the largest value,
 * between blanks; # begins a comment. Values are brought to the scale 0..255 or
 * 0..65535, whichever is the next to the file's.
 */
#include "io/picture_formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  const char *path;
  const unsigned char *at, *end; /* a zero stands at the end */
  int64_t top;                   /* the largest value */
  bool text;
  lavdm_error *error;
} pnm_file;

static bool blank(unsigned char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_blanks(pnm_file *f) {
  while (f->at < f->end && (blank(*f->at) || *f->at == '#')) {
    if (*f->at == '#')
      while (f->at < f->end && *f->at != '\n' && *f->at != '\r') f->at++;
    else
      f->at++;
  }
}

/* The next number, or -1. */
static int64_t next_number(pnm_file *f) {
  int64_t x = -1;
  skip_blanks(f);
  for (; f->at < f->end && *f->at >= '0' && *f->at <= '9' && x < INT32_MAX; f->at++)
    x = (x < 0 ? 0 : x) * 10 + (*f->at - '0');
  return x < INT32_MAX ? x : -1;
}

static int fail_header(pnm_file *f) {
  return io_fail(f->error, LAVDM_ERROR_DATA, f->path,
                 "its header cannot be understood (damaged?): width, height and largest value are needed");
}

static int read_header(pnm_file *f, picture_t *out) {
  char kind = f->end - f->at >= 2 && *f->at == 'P' ? (char)f->at[1] : 0;
  if (kind == '1' || kind == '4' || kind == '7')
    return io_fail(f->error, LAVDM_ERROR_DATA, f->path, "is %s; save it as PGM or PPM",
                   kind == '7' ? "a PAM file, which is not read" : "a bitmap of black and white");
  if (kind != '2' && kind != '3' && kind != '5' && kind != '6')
    return io_fail(f->error, LAVDM_ERROR_DATA, f->path, "is not a PGM or PPM file");
  f->text = kind < '4';
  f->at += 2;
  out->channels = kind == '3' || kind == '6' ? 3 : 1;
  out->width = next_number(f);
  out->height = next_number(f);
  f->top = next_number(f);
  if (out->width < 1 || out->height < 1 || f->top < 1 || f->at == f->end || !blank(*f->at))
    return fail_header(f);
  f->at++;
  if (f->top > 65535)
    return io_fail(f->error, LAVDM_ERROR_DATA, f->path,
                   "its largest value is %lld; at most 65535 is possible", (long long)f->top);
  out->bits = f->top > 255 ? 16 : 8;
  return LAVDM_OK;
}

/* A number as text takes two bytes, but for the last. */
static int check_length(pnm_file *f, const picture_t *p) {
  int64_t bytes = checked_product(picture_count(p), f->text ? 2 : p->bits / 8), left = f->end - f->at;
  if (bytes < 0 || bytes > left + f->text)
    return io_fail(f->error, LAVDM_ERROR_DATA, f->path,
                   "its header promises more data than the file holds (cut short?)");
  return LAVDM_OK;
}

static int fail_value(pnm_file *f, const picture_t *p, int64_t i, double x) {
  int64_t pixel = i / p->channels;
  bool ended = x < 0 && f->at == f->end;
  return io_fail(f->error, LAVDM_ERROR_DATA, f->path, "row %lld, column %lld: %s",
                 (long long)(pixel / p->width + 1), (long long)(pixel % p->width + 1),
                 ended ? "the file ends too early" : "no whole number up to the largest value");
}

static int read_values(pnm_file *f, picture_t *p) {
  int64_t count = picture_count(p);
  if (!f->text) {
    picture_from_bytes(f->at, p->bits, count, p->value);
    f->at += count * p->bits / 8;
  }
  double full = p->bits == 16 ? 65535 : 255, top = (double)f->top;
  for (int64_t i = 0; i < count; i++) {
    double x = f->text ? (double)next_number(f) : p->value[i];
    if (f->text && f->at < f->end && !blank(*f->at) && *f->at != '#') x = -1;
    if (x < 0 || x > top) return fail_value(f, p, i, x);
    p->value[i] = top < full ? rint(x * full / top) : x;
  }
  return LAVDM_OK;
}

/* Behind a picture come blanks or the next picture. */
static int check_end(pnm_file *f) {
  const unsigned char *at = f->at;
  while (at < f->end && blank(*at)) at++;
  if (at == f->end || (*at == 'P' && at[1] >= '1' && at[1] <= '7') || f->text) return LAVDM_OK;
  return io_fail(f->error, LAVDM_ERROR_DATA, f->path, "has %lld bytes beyond the picture of its header",
                 (long long)(f->end - f->at));
}

int pnm_read(const char *path, picture_t *out, lavdm_error *error) {
  char *data;
  int64_t length;
  int status = file_load(path, &data, &length, error);
  if (status < 0) return status;
  pnm_file f = {.path = path, .at = (const unsigned char *)data, .error = error};
  f.end = f.at + length;
  status = read_header(&f, out);
  if (status >= 0) status = check_length(&f, out);
  if (status >= 0) status = picture_allocate(out, path, error);
  if (status >= 0) status = read_values(&f, out);
  if (status >= 0) status = check_end(&f);
  free(data);
  return status;
}

int pnm_write(output_file *file, const picture_t *picture) {
  char header[80];
  int length =
      snprintf(header, sizeof header, "P%c\n%lld %lld\n%d\n", picture->channels == 1 ? '5' : '6',
               (long long)picture->width, (long long)picture->height, picture->bits == 16 ? 65535 : 255);
  int status = output_write(file, header, (size_t)length);
  return status < 0 ? status : picture_write_samples(file, picture, true);
}
