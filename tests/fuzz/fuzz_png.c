/*
 * PNG files: as they are, and with pixels that are not deflated as if they were, so
 * that what lies behind is reached too.
 */
#include "fuzz.h"
#include "mutate.h"

#include <string.h>
#include <zlib.h>

enum { SIGNATURE = 8, CHUNK = 12, MOST = 4096 };

static uint32_t get(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put(uint8_t *at, uint32_t x) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(x >> (24 - 8 * i));
}

/* The bytes of each IDAT as pixels, in zlib's stored blocks; in place of them. */
static size_t store_pixels(const uint8_t *data, size_t size, uint8_t *out, size_t most) {
  size_t used = 0;
  for (size_t at = SIGNATURE; at + CHUNK <= size;) {
    size_t length = get(data + at);
    if (length > size - at - CHUNK) break;
    bool pixels = memcmp(data + at + 4, "IDAT", 4) == 0;
    if (used + CHUNK + length + 64 > most) break;
    if (used == 0) {
      memcpy(out, data, SIGNATURE);
      used = SIGNATURE;
    }
    memcpy(out + used, data + at, CHUNK + length);
    if (pixels) {
      uLongf packed = (uLongf)(most - used - CHUNK);
      if (compress2(out + used + 8, &packed, data + at + 8, (uLong)length, 0) != Z_OK) break;
      put(out + used, (uint32_t)packed);
      length = packed;
    }
    used += CHUNK + length;
    at += CHUNK + get(data + at);
  }
  return used;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return png_mutate(data, size, most < MOST ? most : MOST, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static uint8_t stored[2 * MOST];
  if (size > MOST) return 0;
  fuzz_check_picture(png_read, fuzz_file(".png", data, size));
  size_t length = size > SIGNATURE ? store_pixels(data, size, stored, sizeof stored) : 0;
  if (!length) return 0;
  png_repair(stored, length);
  fuzz_check_picture(png_read, fuzz_file(".png", stored, length));
  return 0;
}
