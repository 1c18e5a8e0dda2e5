/*
 * MAT files of version 5: as they are, and with their elements deflated, so
 * that what lies behind zlib's checksum is reached too. Version 7.3 is HDF5:
 * fuzz_mat73.c.
 */
#include "containers.h"
#include "io/scipy.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { HEADER = 128, MOST = 1 << 14 };

static bool is_hdf5(const uint8_t *data, size_t size) {
  bool little = size >= HEADER && data[126] == 'I' && data[127] == 'M' && data[125] == 2;
  bool big = size >= HEADER && data[126] == 'M' && data[127] == 'I' && data[124] == 2;
  return little || big || (size >= 8 && memcmp(data, "\x89HDF\r\n\x1a\n", 8) == 0);
}

/* One miCOMPRESSED element of the bytes, in the header's byte order. */
static size_t deflate_element(uint8_t *out, const uint8_t *data, size_t size, bool big) {
  z_stream z = {
      .next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)size, .next_out = out + 8, .avail_out = MOST};
  PROMISE(deflateInit2(&z, 1, Z_DEFLATED, 9, 1, Z_DEFAULT_STRATEGY) == Z_OK, "zlib starts");
  PROMISE(deflate(&z, Z_FINISH) == Z_STREAM_END, "zlib ends");
  deflateEnd(&z);
  uint32_t words[2] = {15, (uint32_t)z.total_out};
  if (big != machine_is_big()) swap_bytes(words, 4, 2);
  memcpy(out, words, 8);
  return 8 + z.total_out;
}

/* Its sparse matrix, if it has one. */
static void check_sparse(const char *path) {
  io_sparse sparse = {0};
  lavdm_error error = {0};
  fuzz_check_error(mat_read_sparse(path, NULL, &sparse, &error), &error);
  io_sparse_free(&sparse);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static uint8_t deflated[HEADER + 8 + MOST];
  if (is_hdf5(data, size)) return 0;
  check_container(mat_read, fuzz_file(".mat", data, size));
  check_sparse(fuzz_file(".mat", data, size));
  if (size <= HEADER || size > MOST / 2) return 0;
  memcpy(deflated, data, HEADER);
  size_t length = deflate_element(deflated + HEADER, data + HEADER, size - HEADER, data[126] == 'M');
  check_container(mat_read, fuzz_file(".mat", deflated, HEADER + length));
  check_sparse(fuzz_file(".mat", deflated, HEADER + length));
  return 0;
}
