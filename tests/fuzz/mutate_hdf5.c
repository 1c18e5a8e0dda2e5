/*
 * HDF5 as src/file/hdf5.h has it, and what others write: addresses hold whatever
 * changes, so changes are in place, mostly of one message of an object header.
 */
#define _GNU_SOURCE
#include "mutate.h"
#include "fuzz.h"
#include "repair.h"

#include <string.h>

enum { HEADERS = 64, BEFORE = 14, MESSAGE = 4 };

static size_t get(const uint8_t *at, int bytes) {
  size_t x = 0;
  for (int i = bytes - 1; i >= 0; i--) x = x << 8 | at[i];
  return x;
}

static int headers(const uint8_t *data, size_t size, size_t place[HEADERS]) {
  int count = 0;
  for (const uint8_t *at = data; count < HEADERS; at++) {
    at = memmem(at, size - (size_t)(at - data), "OHDR", 4);
    if (!at || (size_t)(at - data) + BEFORE > size) break;
    place[count++] = (size_t)(at - data);
  }
  return count;
}

/* One message of the header: where its content is, and how long. */
static bool message(const uint8_t *data, size_t size, size_t header, unsigned which, size_t *at,
                    size_t *bytes) {
  size_t end = header + BEFORE + get(data + header + 10, 4), place[HEADERS];
  unsigned count = 0;
  for (size_t m = header + BEFORE; m + MESSAGE <= end && end <= size && count < HEADERS; count++) {
    place[count] = m;
    m += MESSAGE + get(data + m + 1, 2);
  }
  if (!count) return false;
  size_t m = place[which % count];
  *at = m + MESSAGE;
  *bytes = get(data + m + 1, 2);
  return *at + *bytes <= end;
}

static void put_address(uint8_t *data, size_t at, size_t bytes, uint64_t address, unsigned chance) {
  if (bytes < 8) return;
  size_t slot = chance % (bytes - 7);
  memcpy(data + at + slot, &address, 8);
}

size_t hdf5_mutate(uint8_t *data, size_t size, size_t most, unsigned seed) {
  size_t place[HEADERS], at = 0, bytes = 0, window = 1 + (seed >> 4) % 64;
  if (stays_plain(seed)) {
    if (seed & 8 || !size || window > size) return LLVMFuzzerMutate(data, size, most);
    LLVMFuzzerMutate(data + (seed >> 8) % (size - window + 1), window, window);
    return size;
  }
  int count = headers(data, size, place);
  unsigned chance = seed >> 16;
  bool found =
      count && message(data, size, place[(seed >> 4) % (unsigned)count], seed >> 10, &at, &bytes) && bytes;
  switch (found ? seed >> 29 : 6 + (seed >> 31)) {
  case 0: /* what the message is */
    LLVMFuzzerMutate(data + at - MESSAGE, MESSAGE, MESSAGE);
    break;
  case 1: /* it leads to another header, or nowhere */
    put_address(data, at, bytes, chance % 4 ? place[chance % (unsigned)count] : chance % size, chance >> 4);
    break;
  case 6:
    if (window < size) LLVMFuzzerMutate(data + chance % (size - window), window, window);
    break;
  case 7:
    size = LLVMFuzzerMutate(data, size, most);
    break;
  default:
    LLVMFuzzerMutate(data + at, bytes, bytes);
  }
  if (chance % 16) store_repair(data, size);
  return size;
}
