/*
 * .npz files. Mutations of stored members get their checksums repaired, so that
 * what is read behind them is reached too.
 */
#include "fuzz.h"

#include <string.h>
#include <zlib.h>

static uint32_t get(const uint8_t *at, int bytes) {
  uint32_t x = 0;
  for (int i = bytes - 1; i >= 0; i--) x = x << 8 | at[i];
  return x;
}

static void put(uint8_t *at, uint32_t x) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(x >> (8 * i));
}

/* The crc of a stored member, in its local header and in the directory. */
static void repair_member(uint8_t *data, size_t size, uint8_t *entry) {
  size_t local = get(entry + 42, 4), length = get(entry + 20, 4);
  if (get(entry + 10, 2) != 0 || local + 30 > size) return;
  size_t start = local + 30 + get(data + local + 26, 2) + get(data + local + 28, 2);
  if (start > size || length > size - start) return;
  uint32_t sum = (uint32_t)crc32(0, data + start, (uInt)length);
  put(data + local + 14, sum);
  put(entry + 16, sum);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, most);
  for (size_t at = 0; seed % 8 && at + 46 <= size; at++)
    if (memcmp(data + at, "PK\1\2", 4) == 0) repair_member(data, size, data + at);
  return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  isolate_inside = true;
  const char *path = fuzz_file(".npz", data, size);
  io_list names = {0}, list = {0};
  lavdm_error error = {0};
  int status = npz_read(path, NULL, false, &names, &error);
  fuzz_check_error(status, &error);
  if (status >= 0 && names.count) {
    status = npz_read(path, names.array[names.count - 1].name, true, &list, &error);
    fuzz_check_list(status, &list, &error);
  }
  list_free(&names);
  status = npz_read(path, NULL, true, &list, &error);
  fuzz_check_list(status, &list, &error);
  return 0;
}
