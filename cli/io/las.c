/*
 * .las 1.0 to 1.4, by the specification of the ASPRS: a header of 227 bytes and more, then records of which
 * the first 12 bytes are whole numbers X, Y, Z; a coordinate is scale * X + offset. All is little-endian.
 * The other fields of a record are left out.
 */
#include "io/formats.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { HEADER = 227, LONG_HEADER = 255, COMPRESSED = 0xC0 };

typedef struct {
  int minor, format;
  int64_t start, width, points; /* of the records */
  double scale[3], offset[3];
} las_header;

/* Bytes of a record of each format, at least, and what is in it besides. */
static const struct {
  int width;
  const char *fields;
} formats[] = {
    {20, "intensity, returns and classification"},
    {28, "intensity, returns, classification and time"},
    {26, "intensity, returns, classification and colours"},
    {34, "intensity, returns, classification, time and colours"},
    {57, "intensity, returns, classification, time and waveforms"},
    {63, "intensity, returns, classification, time, colours and waveforms"},
    {30, "intensity, returns, classification and time"},
    {36, "intensity, returns, classification, time and colours"},
    {38, "intensity, returns, classification, time, colours and infrared"},
    {59, "intensity, returns, classification, time and waveforms"},
    {67, "intensity, returns, classification, time, colours, infrared and waveforms"},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static int64_t whole_at(const unsigned char *b, int at, int size) {
  uint64_t value = 0;
  for (int i = size - 1; i >= 0; i--) value = value << 8 | b[at + i];
  return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static double real_at(const unsigned char *b, int at) {
  return number_real((number_format){'f', 8, machine_is_big()}, b + at);
}

static int read_header(source *s, las_header *h) {
  unsigned char b[LONG_HEADER] = {0};
  int64_t length = s->left;
  if (length < HEADER)
    return io_fail(s->error, LAVDM_ERROR_DATA, s->label, "is not a LAS file: it has no header of 227 bytes");
  int status = source_read(s, b, length < LONG_HEADER ? length : LONG_HEADER);
  if (status < 0) return status;
  if (memcmp(b, "LASF", 4))
    return io_fail(s->error, LAVDM_ERROR_DATA, s->label, "is not a LAS file: it does not begin with LASF");
  h->minor = b[25];
  if (b[24] != 1 || h->minor > 4)
    return io_fail(s->error, LAVDM_ERROR_DATA, s->label, "is LAS %d.%d; 1.0 to 1.4 are known", b[24], b[25]);
  if (b[104] & COMPRESSED)
    return io_fail(s->error, LAVDM_ERROR_DATA, s->label,
                   "is compressed (LAZ); convert it: pdal translate IN.laz OUT.las, or las2las");
  h->format = b[104];
  h->start = whole_at(b, 96, 4);
  h->width = whole_at(b, 105, 2);
  h->points = whole_at(b, 107, 4);
  if (h->minor == 4 && length >= LONG_HEADER && whole_at(b, 94, 2) >= LONG_HEADER)
    h->points = whole_at(b, 247, 8);
  for (int a = 0; a < 3; a++) {
    h->scale[a] = real_at(b, 131 + 8 * a);
    h->offset[a] = real_at(b, 155 + 8 * a);
  }
  return LAVDM_OK;
}

static int check_header(source *s, const las_header *h, int64_t length) {
  if (h->format >= FORMATS)
    return io_fail(s->error, LAVDM_ERROR_DATA, s->label, "has points of format %d; 0 to 10 are known",
                   h->format);
  if (h->width < formats[h->format].width)
    return io_fail(s->error, LAVDM_ERROR_DATA, s->label,
                   "is damaged: a point of format %d takes %d bytes, and its header says %lld", h->format,
                   formats[h->format].width, (long long)h->width);
  for (int a = 0; a < 3; a++)
    if (!isfinite(h->scale[a]) || !isfinite(h->offset[a]) || h->scale[a] == 0)
      return io_fail(s->error, LAVDM_ERROR_DATA, s->label, "is damaged: the scale of %c is %g, its offset %g",
                     "xyz"[a], h -> scale[a], h -> offset[a]);
  if (h->start < HEADER || h->start > length || (length - h->start) / h->width < h->points)
    return io_fail(
        s->error, LAVDM_ERROR_DATA, s->label,
        "ends too early: its header promises %lld points of %lld bytes from byte %lld on, and it has "
        "%lld bytes",
        (long long)h->points, (long long)h->width, (long long)h->start, (long long)length);
  if (!h->points) return io_fail(s->error, LAVDM_ERROR_DATA, s->label, "holds no points");
  return LAVDM_OK;
}

static int read_records(source *s, const las_header *h, double *xyz) {
  const number_format whole = {'i', 4, machine_is_big()};
  unsigned char block[1 << 17]; /* a record has at most 65535 bytes */
  int64_t most = (int64_t)sizeof block / h->width;
  int status = LAVDM_OK;
  for (int64_t i = 0; i < h->points && status >= 0; i += most) {
    int64_t part = h->points - i < most ? h->points - i : most;
    status = source_read(s, block, part * h->width);
    for (int64_t k = 0; k < part && status >= 0; k++)
      for (int a = 0; a < 3; a++)
        xyz[3 * (i + k) + a] = h->scale[a] * number_real(whole, block + k * h->width + 4 * a) + h->offset[a];
  }
  return status;
}

int las_read(const char *path, io_array *out, lavdm_error *error) {
  source s = {.label = path, .pull = file_pull, .error = error};
  las_header h = {0};
  int status = file_open(path, &s.fd, &s.left, error);
  if (status < 0) return status;
  int64_t length = s.left;
  status = read_header(&s, &h);
  if (status >= 0) status = check_header(&s, &h, length);
  if (status >= 0 && lseek(s.fd, (off_t)h.start, SEEK_SET) < 0)
    status = io_fail(error, LAVDM_ERROR_DATA, path, "cannot be read (damaged?)");
  if (status >= 0) {
    s.left = length - h.start;
    array_describe(out, NULL, IO_REAL, 2, (int64_t[]){h.points, 3});
    status = array_allocate(out, path, 0, error);
  }
  if (status >= 0) status = read_records(&s, &h, out->data);
  close(s.fd);
  if (status < 0)
    io_array_free(out);
  else
    io_note(path, "LAS 1.%d, %lld points of format %d; left out: %s", h.minor, (long long)h.points, h.format,
            formats[h.format].fields);
  return status;
}
