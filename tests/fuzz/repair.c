/*
 * The checksums of a store (src/file/hdf5.h) from its bytes, however damaged:
 * headers are found by their signature, not by the addresses that lead to them.
 */
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

/* The sum of [at, at + bytes) into every "checksum" of the header. */
static void put_sum(const file_t *f, uint8_t *header, size_t length, uint64_t at, uint64_t bytes) {
  char text[SUM_BYTES + 1];
  if (!inside(f, at, bytes)) return;
  hdf5_sum_text(crc64(&f->crc, 0, f->data + at, (size_t)bytes), text);
  for (size_t i = 0; i + SUM_BYTES <= length; i++)
    if (!memcmp(header + i, "crc64xz:", 8)) memcpy(header + i, text, SUM_BYTES);
}

/* The header that begins here, if one does: what its sum is of, then its own. */
static void repair_header(const file_t *f, size_t at) {
  uint8_t *header = f->data + at;
  uint64_t length = get(header + 10, 4);
  if (!inside(f, at, HEADER_BEFORE + length + 4)) return;
  size_t end = HEADER_BEFORE + (size_t)length;
  bool array = false;
  for (size_t m = HEADER_BEFORE; m + MESSAGE_BEFORE + LAYOUT_BYTES <= end;
       m += MESSAGE_BEFORE + get(header + m + 1, 2)) {
    const uint8_t *content = header + m + MESSAGE_BEFORE;
    if (header[m] != MESSAGE_LAYOUT) continue;
    array = true;
    put_sum(f, header, end, get(content + 10, 8) ? get(content + 2, 8) : 0, get(content + 10, 8));
  }
  for (size_t g = 0; !array && g + HEAP_HEADER <= f->size; g++)
    if (!memcmp(f->data + g, "GCOL", 4)) put_sum(f, header, end, g, get(f->data + g + 8, 8));
  uint32_t sum = lookup3(header, end);
  memcpy(header + end, &sum, 4);
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
  for (size_t at = SUPERBLOCK_BYTES; at + HEADER_BEFORE <= size; at++)
    if (!memcmp(data + at, "OHDR", 4)) repair_header(&f, at);
}

size_t store_mutate(uint8_t *data, size_t size, size_t most, unsigned seed) {
  size_t at = size ? (seed >> 8) % size : 0, window = 1 + (seed >> 4) % 64;
  if (seed % 4 == 0)
    size = LLVMFuzzerMutate(data, size, most);
  else if (at + window <= size)
    LLVMFuzzerMutate(data + at, window, window);
  if (seed % 16) store_repair(data, size);
  return size;
}
