/* Rows of an .npy or .mrc file, read when they are wanted. */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64
#include "io/formats.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static bool ends_in(const char *path, const char *end) {
  size_t length = strlen(path), tail = strlen(end);
  return length > tail && strcasecmp(path + length - tail, end) == 0;
}

/* 1, or 0 if the array is none of plain rows. */
static int open_npy(source *s, io_rows *rows) {
  npy_header h;
  int64_t length = s->left;
  int status = npy_read_header(s, &h);
  if (status < 0) return status == IO_UNSUPPORTED ? 0 : status;
  if (h.kind != 'f' || h.number.size < 4 || h.number.swapped || h.rank < 1 || (h.columns && h.rank > 1))
    return 0;
  rows->type = h.number.size == 4 ? IO_SINGLE : IO_REAL;
  rows->kind = 'f';
  rows->size = h.number.size;
  rows->count = h.shape[0];
  rows->width = shape_count(h.rank - 1, h.shape + 1);
  rows->lines = h.rank == 3 ? h.shape[1] : 0;
  rows->start = length - s->left;
  return 1;
}

static int open_mrc(source *s, io_rows *rows) {
  mrc_header h;
  int status = mrc_read_header(s, &h);
  if (status < 0) return status == IO_UNSUPPORTED ? 0 : status;
  rows->type = IO_SINGLE;
  rows->kind = h.number.kind;
  rows->size = h.number.size;
  rows->swapped = h.number.swapped;
  rows->count = h.shape[0];
  rows->width = h.shape[1] * h.shape[2];
  rows->lines = h.shape[1];
  rows->start = h.start;
  return 1;
}

int io_rows_open(const char *path, io_rows *rows, lavdm_error *error) {
  *rows = (io_rows){.path = path, .fd = -1};
  bool npy = ends_in(path, ".npy"),
       mrc = ends_in(path, ".mrc") || ends_in(path, ".mrcs") || ends_in(path, ".map");
  if (!npy && !mrc) return 0;
  source s = {.label = path, .pull = file_pull, .error = error};
  int status = file_open(path, &s.fd, &s.left, error);
  if (status < 0) return status;
  rows->stamp = file_stamp(s.fd);
  status = npy ? open_npy(&s, rows) : open_mrc(&s, rows);
  if (status != 1) {
    close(s.fd);
    return status;
  }
  rows->fd = s.fd;
  return 1;
}

static int read_bytes(const io_rows *rows, int64_t at, int64_t left, void *out, lavdm_error *error) {
  char *to = out;
  while (left > 0) {
    ssize_t got = pread(rows->fd, to, left < 1 << 30 ? (size_t)left : (size_t)1 << 30, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_fail(error, LAVDM_ERROR_DATA, rows->path, "cannot be read: %s", strerror(errno));
    if (got == 0) return io_fail(error, LAVDM_ERROR_DATA, rows->path, "became shorter while it was read");
    to += got;
    at += got;
    left -= got;
  }
  return LAVDM_OK;
}

int io_rows_read(const io_rows *rows, int64_t first, int64_t count, void *out, lavdm_error *error) {
  number_format f = {rows->kind, rows->size, rows->swapped};
  int64_t at = rows->start + first * rows->width * f.size, left = count * rows->width;
  if (f.kind == 'f' && f.size >= 4) {
    int status = read_bytes(rows, at, left * f.size, out, error);
    if (f.swapped && status >= 0) swap_bytes(out, f.size, left);
    return status;
  }
  char raw[1 << 14];
  float *to = out;
  int status = LAVDM_OK;
  while (left > 0 && status >= 0) {
    int64_t part = left < (int64_t)sizeof raw / f.size ? left : (int64_t)sizeof raw / f.size;
    status = read_bytes(rows, at, part * f.size, raw, error);
    if (status >= 0) numbers_single(f, raw, part, to);
    at += part * f.size;
    to += part;
    left -= part;
  }
  return status;
}

int io_rows_check(const io_rows *rows, lavdm_error *error) {
  if (!rows->path || rows->fd < 0) return LAVDM_OK;
  io_stamp now = file_stamp(rows->fd);
  int status = stamp_compare(rows->path, &rows->stamp, &now, error);
  return status < 0 ? status : io_stamp_check(rows->path, &rows->stamp, error);
}

void io_rows_close(io_rows *rows) {
  if (rows->path && rows->fd >= 0) close(rows->fd);
  *rows = (io_rows){.fd = -1};
}
