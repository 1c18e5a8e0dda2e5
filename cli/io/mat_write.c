/* MAT files of version 5, uncompressed; see mat.c for how they are laid out. */
#include "io/formats.h"

#include <stdlib.h>
#include <string.h>

enum {
  MI_INT8 = 1,
  MI_INT32 = 5,
  MI_UINT32 = 6,
  MI_SINGLE = 7,
  MI_DOUBLE = 9,
  MI_INT64 = 12,
  MI_MATRIX = 14,
  MI_UTF8 = 16
};
enum { MX_CHAR = 4, MX_DOUBLE = 6, MX_SINGLE = 7, MX_INT64 = 14 };

static int64_t padded(int64_t bytes) {
  return (bytes + 7) / 8 * 8;
}

static int write_tag(output_file *file, uint32_t type, int64_t bytes) {
  const uint32_t tag[] = {type, (uint32_t)bytes};
  return output_write(file, tag, sizeof tag);
}

/* An element of its own: tag, data and padding. */
static int write_element(output_file *file, uint32_t type, const void *data, int64_t bytes) {
  const char zero[8] = {0};
  int status = write_tag(file, type, bytes);
  if (status >= 0) status = output_write(file, data, (size_t)bytes);
  return status < 0 ? status : output_write(file, zero, (size_t)(padded(bytes) - bytes));
}

static uint32_t number_tag(io_type type) {
  return type == IO_REAL ? MI_DOUBLE : type == IO_SINGLE ? MI_SINGLE : MI_INT64;
}

static uint32_t matrix_class(io_type type) {
  if (type == IO_TEXT) return MX_CHAR;
  return type == IO_REAL ? MX_DOUBLE : type == IO_SINGLE ? MX_SINGLE : MX_INT64;
}

static int write_columns(output_file *file, const io_item *item) {
  const char zero[8] = {0};
  int64_t part[4096], left = item_count(item), size = type_size(item->type), bytes = size * left, passed = 0;
  column_walk walk = column_start(item->type, item->rank, item->shape);
  int status = write_tag(file, number_tag(item->type), bytes);
  while (left > 0 && status >= 0) {
    int64_t count = left < 4096 ? left : 4096;
    column_get(&walk, item->data, part, count);
    status = output_write(file, part, (size_t)(size * count));
    left -= count;
    passed += count * size * walk.stride[0];
    if (passed < OUTPUT_SLICE && left > 0) continue;
    output_trim(file);
    passed = 0;
  }
  return status < 0 ? status : output_write(file, zero, (size_t)(padded(bytes) - bytes));
}

/* utf8: the text of an item that is text, of so many bytes and characters. */
static int write_matrix(output_file *file, const io_item *item, const char *utf8, int64_t length,
                        int64_t units) {
  bool text = item->type == IO_TEXT;
  const uint32_t flags[2] = {matrix_class(item->type), 0};
  int rank = text || item->rank < 2 ? 2 : item->rank;
  int32_t size[IO_RANK] = {1, 1};
  for (int i = 0; !text && i < item->rank; i++) size[i] = (int32_t)item->shape[i];
  if (text) {
    size[0] = units ? 1 : 0;
    size[1] = (int32_t)units;
  }
  int64_t name = (int64_t)strlen(item->name),
          bytes = text ? length : type_size(item->type) * item_count(item);
  int status = write_tag(file, MI_MATRIX, 16 + 8 + padded(4 * rank) + 8 + padded(name) + 8 + padded(bytes));
  if (status >= 0) status = write_element(file, MI_UINT32, flags, 8);
  if (status >= 0) status = write_element(file, MI_INT32, size, 4 * rank);
  if (status >= 0) status = write_element(file, MI_INT8, item->name, name);
  if (status < 0) return status;
  return text ? write_element(file, MI_UTF8, utf8, bytes) : write_columns(file, item);
}

static int write_item(output_file *file, const io_item *item) {
  if (item->type != IO_TEXT) return write_matrix(file, item, NULL, 0, 0);
  int64_t units = 0, length = 0;
  void *characters = text_to_units(item->data, 4, &units); /* mends what is not UTF-8 */
  char *text = characters ? text_from_units(characters, 4, units, &length) : NULL;
  int status = text ? write_matrix(file, item, text, length, units) : io_memory(file->error, file->path, 0);
  free(characters);
  free(text);
  return status;
}

int mat_write(output_file *file, const io_item *items, int count, int64_t most) {
  for (int i = 0; i < count; i++) {
    int64_t bytes = items[i].type == IO_TEXT ? 2 * (int64_t)strlen(items[i].data)
                                             : type_size(items[i].type) * item_count(&items[i]);
    bool wide = false;
    for (int j = 0; items[i].type != IO_TEXT && j < items[i].rank; j++) wide |= items[i].shape[j] > INT32_MAX;
    if (bytes > most || wide) return mat73_write(file, items, count);
  }
  char header[128] = "MATLAB 5.0 MAT-file, by lavdm";
  memset(header + strlen(header), ' ', 116 - strlen(header));
  const uint16_t end[] = {0x0100, 0x4D49}; /* version; read as MI or IM it tells the byte order */
  memcpy(header + 124, end, sizeof end);
  int status = output_write(file, header, sizeof header);
  for (int i = 0; i < count && status >= 0; i++) status = write_item(file, &items[i]);
  return status;
}
