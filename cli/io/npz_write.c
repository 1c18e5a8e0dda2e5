/*
 * .npz: a zip archive of .npy members, stored, written here. libzip would do
 * so by a file and by random numbers of its own, for which it starts OpenSSL, and
 * that does not bear a failed allocation.
 *
 * A member is a local header, its name and its data; at the end the directory
 * has an entry for each, and where it begins. Sizes and offsets beyond 32 bits
 * stand in an extra field (zip64). All is dated 1980-01-01: the same arrays give
 * the same file.
 */
#include "io/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
  NAME_MOST = 255,
  ENTRY_MOST = 46 + 28 + NAME_MOST, /* bytes of an entry of the directory */
  VERSION = 20,                     /* of zip that a reader needs; 45 with zip64 */
  VERSION_64 = 45,
  UNIX = 3 << 8,
  DATE = 0x21,      /* 1980-01-01 */
  UTF_8 = 0x800,    /* flag: so is the name */
  ID_64 = 1,        /* of the extra field */
  MOST_16 = 0xFFFF, /* says: see the extra field, or the end of zip64 */
};
static const uint64_t MOST_32 = 0xFFFFFFFF;
static const uint64_t FILE_MODE = 0100666u << 16;

/* A member: what stands before the data, the data, and what the directory says of it. */
typedef struct {
  char name[NAME_MOST + 1], header[NPY_HEADER_SIZE];
  void *units; /* of text */
  const char *data;
  int64_t length, bytes; /* of the header and of the data */
  uint64_t size, offset;
  uint32_t sum;
} npz_member;

/* Numbers, little-endian, one behind the other. */
typedef struct {
  unsigned char byte[ENTRY_MOST];
  size_t count;
} fields;

static void put(fields *f, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++) f->byte[f->count++] = (unsigned char)(value >> 8 * i);
}

static uint64_t low_32(uint64_t value) {
  return value < MOST_32 ? value : MOST_32;
}

static bool needs_64(uint64_t value) {
  return value >= MOST_32;
}

/* The fields that a local header and an entry of the directory share. */
static void put_common(fields *f, const npz_member *m, bool large, size_t extra) {
  bool ascii = true;
  for (const char *c = m->name; *c; c++) ascii &= !(*c & 0x80);
  put(f, large ? VERSION_64 : VERSION, 2);
  put(f, ascii ? 0 : UTF_8, 2);
  put(f, 0, 2); /* stored */
  put(f, 0, 2); /* midnight */
  put(f, DATE, 2);
  put(f, m->sum, 4);
  put(f, low_32(m->size), 4);
  put(f, low_32(m->size), 4);
  put(f, strlen(m->name), 2);
  put(f, extra, 2);
}

static void put_name(fields *f, const npz_member *m) {
  size_t length = strlen(m->name);
  memcpy(f->byte + f->count, m->name, length);
  f->count += length;
}

static int write_fields(output_file *file, const fields *f) {
  return output_write(file, f->byte, f->count);
}

/* The checksum of data of any size; they need not stay in memory. */
static uint32_t sum_data(const output_file *file, uint32_t sum, const char *data, int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += OUTPUT_SLICE) {
    int64_t part = bytes - at < OUTPUT_SLICE ? bytes - at : OUTPUT_SLICE;
    sum = (uint32_t)crc32(sum, (const Bytef *)data + at, (uInt)part);
    output_trim(file);
  }
  return sum;
}

/* Texts in lines as an array of them: width characters each, zeros behind. A few long ones
 * among many short would fill the disk: those stay lines, *width 0. */
static int spread_lines(npz_member *m, int64_t units, int64_t count, int64_t *width,
                        const output_file *file) {
  uint32_t *all = m->units;
  int64_t most = 1, line = 0;
  for (int64_t i = 0; i <= units; i++) {
    bool end = i == units || all[i] == '\n';
    if (end && line > most) most = line;
    line = end ? 0 : line + 1;
  }
  *width = checked_product(count, most) < 0 || count * most > 16 * units + (1 << 20) ? 0 : most;
  if (!*width) return LAVDM_OK;
  uint32_t *out = calloc((size_t)(count * most), sizeof *out);
  if (!out) return io_memory(file->error, file->path, 4 * count * most);
  for (int64_t i = 0, row = 0, at = 0; i < units && row < count; i++) {
    if (all[i] == '\n')
      row++, at = 0;
    else
      out[row * most + at++] = all[i];
  }
  free(m->units);
  m->data = m->units = out;
  m->bytes = 4 * count * most;
  return LAVDM_OK;
}

static int prepare(npz_member *m, const io_item *item, const output_file *file) {
  int64_t units = 0;
  io_item one = *item;
  m->data = item->data;
  m->bytes = type_size(item->type) * item_count(item);
  if (snprintf(m->name, sizeof m->name, "%s.npy", item->name) >= (int)sizeof m->name)
    return io_fail(file->error, LAVDM_ERROR_ARGUMENT, file->path,
                   "'%.100s...' cannot be the name of an array", item->name);
  if (item->type == IO_TEXT) {
    m->data = m->units = text_to_units(item->data, 4, &units);
    if (!m->units) return io_memory(file->error, file->path, 0);
    memset((char *)m->units + 4 * units, 0, 4); /* numpy has no string type without characters */
    m->bytes = 4 * (units ? units : 1);
    int64_t width = 0;
    int status = item->rank == 2 ? spread_lines(m, units, item->shape[0], &width, file) : LAVDM_OK;
    if (status < 0) return status;
    if (width) units = width;
    one.rank = width ? 2 : 1;
  }
  m->length = npy_print_header(&one, units, m->header);
  m->size = (uint64_t)(m->length + m->bytes);
  m->sum = (uint32_t)crc32(0, (const Bytef *)m->header, (uInt)m->length);
  m->sum = sum_data(file, m->sum, m->data, m->bytes);
  return LAVDM_OK;
}

static int write_member(output_file *file, const npz_member *m) {
  fields f = {.count = 0};
  bool large = needs_64(m->size);
  put(&f, 0x04034b50, 4);
  put_common(&f, m, large, large ? 20 : 0);
  put_name(&f, m);
  if (large) {
    put(&f, ID_64, 2);
    put(&f, 16, 2);
    put(&f, m->size, 8);
    put(&f, m->size, 8);
  }
  int status = write_fields(file, &f);
  if (status >= 0) status = output_write(file, m->header, (size_t)m->length);
  return status < 0 ? status : output_write_slices(file, m->data, m->bytes);
}

/* Bytes of the local header of a member. */
static uint64_t local_bytes(const npz_member *m) {
  return 30 + strlen(m->name) + (needs_64(m->size) ? 20 : 0);
}

/* An entry of the directory; returns its bytes, or an error. */
static int write_entry(output_file *file, const npz_member *m) {
  fields f = {.count = 0};
  int wide = 2 * needs_64(m->size) + needs_64(m->offset);
  put(&f, 0x02014b50, 4);
  put(&f, UNIX | VERSION_64, 2);
  put_common(&f, m, wide > 0, wide ? 4 + 8 * (size_t)wide : 0);
  put(&f, 0, 2); /* no comment */
  put(&f, 0, 2); /* on this disk */
  put(&f, 0, 2);
  put(&f, FILE_MODE, 4);
  put(&f, low_32(m->offset), 4);
  put_name(&f, m);
  if (wide) {
    put(&f, ID_64, 2);
    put(&f, 8 * (uint64_t)wide, 2);
  }
  for (int i = 0; i < 2 && needs_64(m->size); i++) put(&f, m->size, 8);
  if (needs_64(m->offset)) put(&f, m->offset, 8);
  int status = write_fields(file, &f);
  return status < 0 ? status : (int)f.count;
}

/* Where the directory is. */
static int write_end(output_file *file, uint64_t count, uint64_t bytes, uint64_t offset) {
  fields f = {.count = 0};
  if (count >= MOST_16 || needs_64(bytes) || needs_64(offset)) {
    put(&f, 0x06064b50, 4);
    put(&f, 44, 8); /* bytes that follow of this */
    put(&f, UNIX | VERSION_64, 2);
    put(&f, VERSION_64, 2);
    put(&f, 0, 8); /* one disk */
    put(&f, count, 8);
    put(&f, count, 8);
    put(&f, bytes, 8);
    put(&f, offset, 8);
    put(&f, 0x07064b50, 4);
    put(&f, 0, 4);
    put(&f, offset + bytes, 8);
    put(&f, 1, 4);
  }
  put(&f, 0x06054b50, 4);
  put(&f, 0, 4); /* one disk */
  put(&f, count < MOST_16 ? count : MOST_16, 2);
  put(&f, count < MOST_16 ? count : MOST_16, 2);
  put(&f, low_32(bytes), 4);
  put(&f, low_32(offset), 4);
  put(&f, 0, 2); /* no comment */
  return write_fields(file, &f);
}

int npz_write(output_file *file, const io_item *items, int count) {
  int status = LAVDM_OK;
  uint64_t offset = 0, directory = 0;
  npz_member *member = calloc((size_t)count + 1, sizeof *member);
  if (!member) return io_memory(file->error, file->path, 0);
  for (int i = 0; i < count && status >= 0; i++) {
    member[i].offset = offset;
    status = prepare(&member[i], &items[i], file);
    if (status >= 0) status = write_member(file, &member[i]);
    offset += local_bytes(&member[i]) + member[i].size;
  }
  for (int i = 0; i < count && status >= 0; i++) {
    status = write_entry(file, &member[i]);
    directory += status > 0 ? (uint64_t)status : 0;
  }
  if (status >= 0) status = write_end(file, (uint64_t)count, directory, offset);
  for (int i = 0; i < count; i++) free(member[i].units);
  free(member);
  return status;
}
