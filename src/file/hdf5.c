#include "file/hdf5.h"

#include <inttypes.h>
#include <stdio.h>

/* Class and version, three bytes of flags, size; then what the class asks for. */
static const hdf5_type types[] = {
    /* IEEE double: sign at bit 63, exponent of 11 bits at 52 with bias 1023 */
    [STORE_REAL] = {20, {0x11, 0x20, 63, 0, 8, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52, 0xFF, 3, 0, 0}, 8},
    [STORE_INTEGER] = {12, {0x10, 0x08, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0}, 8},
    /* UTF-8 of variable length: length, address of the heap, number in it */
    [STORE_TEXT] = {20, {0x19, 0x01, 0x01, 0, 16, 0, 0, 0, 0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0}, 16},
    /* IEEE float: sign at bit 31, exponent of 8 bits at 23 with bias 127 */
    [STORE_SINGLE] = {20, {0x11, 0x20, 31, 0, 4, 0, 0, 0, 0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0}, 4},
};

static const hdf5_type sum_type = {8, {0x13, 0x01, 0, 0, SUM_BYTES, 0, 0, 0}, SUM_BYTES};

const hdf5_type *hdf5_type_of(store_type type) {
  return &types[type];
}

const hdf5_type *hdf5_sum_type(void) {
  return &sum_type;
}

void hdf5_sum_text(uint64_t sum, char text[SUM_BYTES + 1]) {
  snprintf(text, SUM_BYTES + 1, "crc64xz:%016" PRIx64, sum);
}

int64_t store_elements(int rank, const int64_t *shape) {
  int64_t count = 1;
  if (rank < 0 || rank > STORE_RANK) return -1;
  for (int i = 0; i < rank; i++)
    if (shape[i] < 0 || __builtin_mul_overflow(count, shape[i], &count) || count > INT64_MAX / 16) return -1;
  return count;
}

int64_t store_bytes(const store_item *array) {
  return store_elements(array->rank, array->shape) * types[array->type].size;
}
