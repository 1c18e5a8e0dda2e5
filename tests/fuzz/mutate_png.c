/* Chunks of PNG: length, name, content, CRC-32 over name and content. */
#include "mutate.h"
#include "fuzz.h"

#include <string.h>
#include <zlib.h>

enum { SIGNATURE = 8, CHUNK = 12, CHUNKS = 64 };

static uint32_t get(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put(uint8_t *at, uint32_t x) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(x >> (24 - 8 * i));
}

static int chunks(const uint8_t *data, size_t size, size_t place[CHUNKS]) {
  int count = 0;
  for (size_t at = SIGNATURE; at + CHUNK <= size && count < CHUNKS;) {
    size_t length = get(data + at);
    if (length > size - at - CHUNK) break;
    place[count++] = at;
    at += CHUNK + length;
  }
  return count;
}

void png_repair(uint8_t *data, size_t size) {
  size_t place[CHUNKS];
  int count = chunks(data, size, place);
  for (int i = 0; i < count; i++) {
    uint8_t *at = data + place[i];
    uint32_t length = get(at);
    put(at + 8 + length, (uint32_t)crc32(0, at + 4, (uInt)length + 4));
  }
}

size_t png_mutate(uint8_t *data, size_t size, size_t most, unsigned seed) {
  size_t place[CHUNKS], now;
  int count = stays_plain(seed) ? 0 : chunks(data, size, place);
  if (!count) return LLVMFuzzerMutate(data, size, most);
  size_t at = place[(seed >> 4) % (unsigned)count], to = place[(seed >> 12) % (unsigned)count];
  uint32_t length = get(data + at);
  switch ((seed >> 20) % 8) {
  case 0:
    size = double_part(data, size, most, at, CHUNK + length, to);
    break;
  case 1:
    size = drop_part(data, size, at, CHUNK + length);
    break;
  case 2: /* its name */
    LLVMFuzzerMutate(data + at + 4, 4, 4);
    break;
  case 3:
    size = LLVMFuzzerMutate(data, size, most);
    break;
  default:
    size = mutate_part(data, size, most, at + 8, length, &now);
    put(data + at, (uint32_t)now);
  }
  png_repair(data, size);
  return size;
}
