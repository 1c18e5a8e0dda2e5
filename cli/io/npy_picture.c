/* A picture as an array: height x width, or height x width x channels. */
#define _POSIX_C_SOURCE 200809L
#include "io/picture_formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int describe(const npy_header *h, const char *path, picture_t *out, lavdm_error *error) {
  if (h->kind == 'U' || h->kind == 'S')
    return io_fail(error, LAVDM_ERROR_DATA, path, "holds text; numbers are needed");
  out->channels = h->rank == 3 ? h->shape[2] : 1;
  if (h->rank < 2 || h->rank > 3 || out->channels < 1 || out->channels > 4)
    return io_fail(
        error, LAVDM_ERROR_DATA, path,
        "is no picture, which is height x width, or height x width x channels with at most 4 channels");
  out->height = h->shape[0];
  out->width = h->shape[1];
  if (out->height < 1 || out->width < 1) return io_fail(error, LAVDM_ERROR_DATA, path, "has no pixels");
  out->bits = h->kind == 'u' && h->number.size <= 2 ? 8 * h->number.size : 0;
  out->single = h->kind == 'f' && h->number.size == 4;
  return LAVDM_OK;
}

int npy_read_picture(const char *path, picture_t *out, lavdm_error *error) {
  source s = {.label = path, .pull = file_pull, .error = error};
  npy_header header;
  int status = file_open(path, &s.fd, &s.left, error);
  if (status < 0) return status;
  status = npy_read_header(&s, &header);
  if (status >= 0) status = describe(&header, path, out, error);
  if (status >= 0) status = picture_allocate(out, path, error);
  if (status >= 0) {
    io_array array = {.type = IO_REAL, .rank = header.rank, .data = out->value};
    memcpy(array.shape, header.shape, sizeof array.shape);
    status = read_numbers(&s, header.number, header.columns, &array);
  }
  close(s.fd);
  return status;
}

int npy_write_picture(output_file *file, const picture_t *p) {
  char header[NPY_HEADER_SIZE], type[8];
  snprintf(type, sizeof type, "%c%c%d", p->bits == 8 ? '|' : '<', p->bits ? 'u' : 'f',
           picture_sample_size(p));
  int length =
      npy_print_typed(type, p->channels > 1 ? 3 : 2, (int64_t[]){p->height, p->width, p->channels}, header);
  int status = output_write(file, header, (size_t)length);
  return status < 0 ? status : picture_write_samples(file, p, false);
}
