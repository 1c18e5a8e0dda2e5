/* .npy: one array of numbers; inside .npz also a scalar or one string. */
#define _POSIX_C_SOURCE 200809L
#include "io/formats.h"

#include <stdlib.h>
#include <unistd.h>

static int read_text(source *s, const npy_header *header, const char *name, io_array *out) {
  int64_t bytes = header->number.size, length = 0;
  int unit = header->kind == 'U' ? 4 : 1;
  char *raw = calloc((size_t)bytes + 1, 1), *text = NULL;
  if (!raw) return io_memory(s->error, s->label, bytes);
  int status = source_read(s, raw, bytes);
  if (status >= 0) {
    if (header->number.swapped) swap_bytes(raw, unit, bytes / unit);
    text = text_from_units(raw, unit, bytes / unit, &length);
    if (!text || !array_text(out, name, text, length)) status = io_memory(s->error, s->label, bytes);
  }
  free(raw);
  return status;
}

int npy_read_data(source *s, const npy_header *header, const char *name, bool data, io_array *out) {
  bool text = header->kind == 'U' || header->kind == 'S';
  int64_t zero = 0;
  if (text && data) return read_text(s, header, name, out);
  io_type type = text ? IO_TEXT : header->single ? IO_SINGLE : number_type(header->number);
  if (!array_describe(out, name, type, text ? 1 : header->rank, text ? &zero : header->shape))
    return io_memory(s->error, s->label, 0);
  if (!data) return LAVDM_OK;
  int64_t bytes = type_size(type) * io_array_count(out);
  if (!array_allocate(out)) return io_memory(s->error, s->label, bytes);
  int status = read_numbers(s, header->number, header->columns, out);
  if (status < 0) io_array_free(out);
  return status;
}

int npy_read(const char *path, bool single, io_array *out, lavdm_error *error) {
  source s = {.label = path, .pull = file_pull, .error = error};
  npy_header header;
  int status = file_open(path, &s.fd, &s.left, error);
  if (status < 0) return status;
  status = npy_read_header(&s, &header);
  header.single = single && header.kind == 'f' && header.number.size == 4;
  if (status >= 0) status = npy_read_data(&s, &header, NULL, true, out);
  close(s.fd);
  return status;
}

int npy_write(output_file *file, const io_item *item) {
  char header[NPY_HEADER_SIZE];
  int length = npy_print_header(item, 0, header);
  int status = output_write(file, header, (size_t)length);
  if (status >= 0) status = output_write_slices(file, item->data, type_size(item->type) * item_count(item));
  return status;
}
