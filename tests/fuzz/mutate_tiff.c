/* Directories of TIFF: entries of 12 bytes (tag, type, count, value or place), then where the next one is. */
#include "mutate.h"
#include "fuzz.h"

#include <string.h>

enum { HEADER = 8, ENTRY = 12 };

static uint32_t get(const uint8_t *at, int bytes, bool big) {
  uint32_t x = 0;
  for (int i = 0; i < bytes; i++) x |= (uint32_t)at[i] << 8 * (big ? bytes - 1 - i : i);
  return x;
}

static void put(uint8_t *at, int bytes, bool big, uint32_t x) {
  for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(x >> 8 * (big ? bytes - 1 - i : i));
}

static const uint16_t tags[] = {254, 256, 257, 258, 259, 262, 266, 273, 274, 277, 278, 279,
                                284, 296, 317, 320, 322, 323, 324, 325, 338, 339, 347, 530};
static const uint16_t values[] = {0,  1,  2,  3,  4,   5,     6,     7,     8,    12,
                                  16, 24, 32, 64, 255, 32768, 32773, 32946, 65535};

size_t tiff_mutate(uint8_t *data, size_t size, size_t most, unsigned seed) {
  bool big = size > 0 && data[0] == 'M';
  size_t at = size >= HEADER ? get(data + 4, 4, big) : size;
  size_t count = at + 2 <= size ? get(data + at, 2, big) : 0;
  if (at + 2 + count * ENTRY > size) count = at + 2 < size ? (size - at - 2) / ENTRY : 0;
  if (stays_plain(seed) || !count) return LLVMFuzzerMutate(data, size, most);
  uint8_t *entry = data + at + 2 + (seed >> 4) % count * ENTRY,
          *other = data + at + 2 + (seed >> 12) % count * ENTRY;
  unsigned chance = seed >> 20;
  switch (chance % 8) {
  case 0:
    put(entry, 2, big, tags[chance / 8 % (sizeof tags / sizeof *tags)]);
    break;
  case 1:
    put(entry + 2, 2, big, chance / 8 % 19);
    break;
  case 2:
    LLVMFuzzerMutate(entry + 4, 8, 8);
    break;
  case 3:
    memcpy(entry, other, ENTRY);
    break;
  case 4: /* its value, a short one */
    put(entry + 8, 2, big, values[chance / 8 % (sizeof values / sizeof *values)]);
    break;
  case 5: /* the next directory is this one, or at any place */
    if (at + 2 + count * ENTRY + 4 <= size)
      put(data + at + 2 + count * ENTRY, 4, big, chance & 64 ? (uint32_t)at : chance % (uint32_t)size);
    break;
  default: /* what is not in the directory */
    if (at > HEADER)
      LLVMFuzzerMutate(data + HEADER, at - HEADER, at - HEADER);
    else
      size = LLVMFuzzerMutate(data, size, most);
  }
  return size;
}
