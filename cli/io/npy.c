/* .npy: one array of numbers; also a string, or a list of strings, as lines. */
#define _POSIX_C_SOURCE 200809L
#include "io/formats.h"
#include "io/room.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One text, or a list of them as lines. */
static int read_text(source *s, const npy_header *header, const char *name, io_array *out) {
  int64_t size = header->number.size, count = header->rank ? header->shape[0] : 1, used = 0;
  int64_t most = checked_product(count, size + 1);
  int unit = header->kind == 'U' ? 4 : 1;
  int status =
      most < 0 ? io_memory(s->error, s->label, INT64_MAX) : room_check(s->label, NULL, 0, most, s->error);
  if (status < 0) return status;
  char *raw = calloc((size_t)size + 1, 1), *text = malloc((size_t)most + 8);
  if (!raw || !text) status = io_memory(s->error, s->label, most);
  for (int64_t i = 0; i < count && status >= 0; i++) {
    int64_t length = 0;
    char *line = NULL;
    status = source_read(s, raw, size);
    if (header->number.swapped) swap_bytes(raw, unit, size / unit);
    if (status >= 0 && !(line = text_from_units(raw, unit, size / unit, &length)))
      status = io_memory(s->error, s->label, size);
    for (int64_t k = 0; k < length && status >= 0 && header->rank; k++)
      if (line[k] == '\n' || !line[k]) line[k] = ' ';
    if (status >= 0 && i) text[used++] = '\n';
    if (status >= 0) memcpy(text + used, line, (size_t)length);
    used += length;
    free(line);
  }
  free(raw);
  if (status < 0) {
    free(text);
    return status;
  }
  memset(text + used, 0, 1);
  return array_text(out, name, text, used) ? LAVDM_OK : io_memory(s->error, s->label, 0);
}

static bool is_text(const npy_header *header) {
  return header->kind == 'U' || header->kind == 'S';
}

static int read_data(source *s, const npy_header *header, io_array *out) {
  if (is_text(header)) return read_text(s, header, NULL, out);
  io_type type = header->single ? IO_SINGLE : number_type(header->number);
  if (!array_describe(out, NULL, type, header->rank, header->shape)) return io_memory(s->error, s->label, 0);
  int status = array_allocate(out, s->label, 0, s->error);
  if (status >= 0) status = read_numbers(s, header->number, header->columns, out);
  if (status < 0) io_array_free(out);
  return status;
}

int npy_send(source *s, const npy_header *header, const char *name, bool data, sender *to) {
  io_array array = {.name = (char *)(uintptr_t)name, .type = IO_TEXT, .rank = 1};
  if (is_text(header) && data) {
    sender_allow(to, 2 * s->left);
    int status = read_text(s, header, name, &array);
    if (status < 0) return status;
    send_array(to, &array, false, true);
    send_bytes(to, array.data, array.shape[0]);
    io_array_free(&array);
    return LAVDM_OK;
  }
  if (!is_text(header)) {
    array.type = number_type(header->number);
    array.rank = header->rank;
    memcpy(array.shape, header->shape, sizeof array.shape);
  }
  if (data) return send_numbers(s, header->number, header->columns, &array, to);
  send_array(to, &array, false, false);
  return LAVDM_OK;
}

int npy_read(const char *path, bool single, io_array *out, lavdm_error *error) {
  source s = {.label = path, .pull = file_pull, .error = error};
  npy_header header;
  int status = file_open(path, &s.fd, &s.left, error);
  if (status < 0) return status;
  status = npy_read_header(&s, &header);
  header.single = single && header.kind == 'f' && header.number.size == 4;
  if (status >= 0) status = read_data(&s, &header, out);
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
