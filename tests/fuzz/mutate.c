#include "mutate.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { PART_MOST = 1 << 14 };

bool stays_plain(unsigned seed) {
  static int plain = -1;
  if (plain < 0) plain = getenv("FUZZ_PLAIN") != NULL;
  return plain || seed % 8 == 0;
}

size_t mutate_part(uint8_t *data, size_t size, size_t most, size_t at, size_t part, size_t *now) {
  static uint8_t room[PART_MOST];
  size_t limit = part + (most > size ? most - size : 0);
  *now = part;
  if (part > sizeof room || at > size || part > size - at || !limit) return size;
  memcpy(room, data + at, part);
  *now = LLVMFuzzerMutate(room, part, limit < sizeof room ? limit : sizeof room);
  memmove(data + at + *now, data + at + part, size - at - part);
  memcpy(data + at, room, *now);
  return size - part + *now;
}

size_t double_part(uint8_t *data, size_t size, size_t most, size_t from, size_t part, size_t to) {
  static uint8_t room[PART_MOST];
  if (part > sizeof room || part > size || from > size - part || to > size || size + part > most) return size;
  memcpy(room, data + from, part);
  memmove(data + to + part, data + to, size - to);
  memcpy(data + to, room, part);
  return size + part;
}

size_t drop_part(uint8_t *data, size_t size, size_t from, size_t part) {
  if (part > size || from > size - part) return size;
  memmove(data + from, data + from + part, size - from - part);
  return size - part;
}

/* ------------------------------------------------------------------- npy */

enum { NPY_BEFORE = 10 };

size_t npy_mutate(uint8_t *data, size_t size, size_t most, unsigned seed) {
  size_t now, length = 0;
  if (stays_plain(seed) || size < NPY_BEFORE) return LLVMFuzzerMutate(data, size, most);
  const uint8_t *end = memchr(data + NPY_BEFORE, '\n', size - NPY_BEFORE);
  length = end ? (size_t)(end - data) - NPY_BEFORE : size - NPY_BEFORE;
  if (seed & 8) /* the header, or the numbers */
    size = mutate_part(data, size, most, NPY_BEFORE, length, &now);
  else
    size = mutate_part(data, size, most, NPY_BEFORE + length, size - NPY_BEFORE - length, &now);
  end = size > NPY_BEFORE ? memchr(data + NPY_BEFORE, '\n', size - NPY_BEFORE) : NULL;
  length = end ? (size_t)(end - data) + 1 - NPY_BEFORE : 0;
  if (!end || length > 65535 || data[6] != 1) return size;
  data[8] = (uint8_t)length;
  data[9] = (uint8_t)(length >> 8);
  return size;
}
