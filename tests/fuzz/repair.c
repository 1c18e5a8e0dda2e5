/*
 * The checksums of a store (src/file/hdf5.h) from its bytes, however damaged:
 * headers are found by their signature, not by the addresses that lead to them.
 */
#define _GNU_SOURCE
#include "repair.h"
#include "fuzz.h"
#include "file/hdf5.h"

#include <stdbool.h>
#include <string.h>

typedef struct {
  uint8_t *data;
  size_t size;
  crc64_t crc;
} file_t;

enum { HEADER_BEFORE = 14, MESSAGE_BEFORE = 4, LAYOUT_BYTES = 18 };

static uint64_t get(const uint8_t *at, int bytes) {
  uint64_t x = 0;
  memcpy(&x, at, (size_t)bytes);
  return x;
}

static bool inside(const file_t *f, uint64_t at, uint64_t bytes) {
  return at <= f->size && bytes <= f->size - at;
}

/* The next place of a signature, or NULL. */
static uint8_t *find(uint8_t *from, const uint8_t *end, const char *signature) {
  return from < end ? memmem(from, (size_t)(end - from), signature, strlen(signature)) : NULL;
}

/* The sum of [at, at + bytes) into every "checksum" of the header. */
static void put_sum(const file_t *f, uint8_t *header, const uint8_t *end, uint64_t at, uint64_t bytes) {
  char text[SUM_BYTES + 1];
  if (!inside(f, at, bytes)) return;
  hdf5_sum_text(crc64(&f->crc, 0, f->data + at, (size_t)bytes), text);
  for (uint8_t *sum = header; (sum = find(sum, end, "crc64xz:")) && end - sum >= SUM_BYTES; sum++)
    memcpy(sum, text, SUM_BYTES);
}

/* The sum of an array's data, or in the root group that of the texts. */
static void repair_data(const file_t *f, uint8_t *header, const uint8_t *end) {
  uint8_t *m = header + HEADER_BEFORE;
  while (end - m >= MESSAGE_BEFORE + LAYOUT_BYTES && *m != MESSAGE_LAYOUT)
    m += MESSAGE_BEFORE + get(m + 1, 2);
  if (end - m >= MESSAGE_BEFORE + LAYOUT_BYTES) {
    uint64_t at = get(m + MESSAGE_BEFORE + 2, 8), bytes = get(m + MESSAGE_BEFORE + 10, 8);
    put_sum(f, header, end, bytes ? at : 0, bytes);
    return;
  }
  uint8_t *heap = find(f->data, f->data + f->size - HEAP_HEADER, "GCOL");
  if (heap) put_sum(f, header, end, (uint64_t)(heap - f->data), get(heap + 8, 8));
}

static void repair_header(const file_t *f, uint8_t *header) {
  uint64_t length = HEADER_BEFORE + get(header + 10, 4);
  if (!inside(f, (uint64_t)(header - f->data), length + 4)) return;
  repair_data(f, header, header + length);
  uint32_t sum = lookup3(header, (size_t)length);
  memcpy(header + length, &sum, 4);
}

void store_repair(uint8_t *data, size_t size) {
  static file_t f;
  if (!f.crc.table[0][1]) crc64_start(&f.crc);
  f.data = data;
  f.size = size;
  if (size < SUPERBLOCK_BYTES) return;
  uint64_t end = size;
  memcpy(data + 28, &end, 8);
  uint32_t sum = lookup3(data, SUPERBLOCK_BYTES - 4);
  memcpy(data + SUPERBLOCK_BYTES - 4, &sum, 4);
  for (uint8_t *at = data; (at = find(at, data + size - HEADER_BEFORE, "OHDR")); at++) repair_header(&f, at);
}
