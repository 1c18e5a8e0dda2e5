/* Rows of an .npy file, read when they are wanted. */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64
#include "io/formats.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

int io_rows_open(const char *path, io_rows *rows, lavdm_error *error) {
  npy_header header;
  int64_t length;
  size_t name = strlen(path);
  *rows = (io_rows){.path = path, .fd = -1};
  if (name < 5 || strcasecmp(path + name - 4, ".npy") != 0) return 0;
  source s = {.label = path, .pull = file_pull, .error = error};
  int status = file_open(path, &s.fd, &length, error);
  if (status < 0) return status;
  s.left = length;
  status = npy_read_header(&s, &header);
  bool plain = status >= 0 && header.kind == 'f' && header.number.size >= 4 && !header.number.swapped &&
               header.rank > 0 && (!header.columns || header.rank == 1);
  if (!plain) {
    close(s.fd);
    return status == IO_UNSUPPORTED ? 0 : status;
  }
  rows->fd = s.fd;
  rows->type = header.number.size == 4 ? IO_SINGLE : IO_REAL;
  rows->count = header.shape[0];
  rows->width = shape_count(header.rank - 1, header.shape + 1);
  rows->start = length - s.left;
  return 1;
}

int io_rows_read(const io_rows *rows, int64_t first, int64_t count, void *out, lavdm_error *error) {
  int64_t row = rows->width * type_size(rows->type), at = rows->start + first * row, left = count * row;
  char *to = out;
  while (left > 0) {
    ssize_t got = pread(rows->fd, to, left < 1 << 30 ? (size_t)left : (size_t)1 << 30, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_fail(error, LAVDM_ERROR_DATA, rows->path, "cannot be read: %s", strerror(errno));
    if (got == 0) return file_fail(error, LAVDM_ERROR_DATA, rows->path, "became shorter while it was read");
    to += got;
    at += got;
    left -= got;
  }
  return LAVDM_OK;
}

void io_rows_close(io_rows *rows) {
  if (rows->path && rows->fd >= 0) close(rows->fd);
  *rows = (io_rows){.fd = -1};
}
