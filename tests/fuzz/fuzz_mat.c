/*
 * MAT files of version 5: as they are, and with their elements deflated, so
 * that what lies behind zlib's checksum is reached too. Version 7.3 is HDF5,
 * read in a child process whose coverage is not seen here.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { HEADER = 128, MOST = 1 << 14 };

static bool is_hdf5(const uint8_t *data, size_t size) {
  bool little = size >= HEADER && data[126] == 'I' && data[127] == 'M' && data[125] == 2;
  bool big = size >= HEADER && data[126] == 'M' && data[127] == 'I' && data[124] == 2;
  return little || big || (size >= 8 && memcmp(data, "\x89HDF\r\n\x1a\n", 8) == 0);
}

static void read_all(const char *path) {
  io_list names = {0}, list = {0};
  lavdm_error error = {0};
  int status = mat_read(path, NULL, false, &names, &error);
  fuzz_check_error(status, &error);
  if (status >= 0 && names.count) {
    const char *name = names.array[names.count - 1].name;
    status = mat_read(path, name, true, &list, &error);
    PROMISE(status != IO_NOT_FOUND, "an array that is listed can be found");
    fuzz_check_list(status, &list, &error);
  }
  list_free(&names);
  status = mat_read(path, NULL, true, &list, &error);
  fuzz_check_list(status, &list, &error);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static uint8_t deflated[HEADER + 8 + MOST];
  isolate_inside = true;
  if (is_hdf5(data, size)) return 0;
  read_all(fuzz_file(".mat", data, size));
  if (size <= HEADER || size > MOST / 2) return 0;
  memcpy(deflated, data, HEADER);
  size_t length = deflate_element(deflated + HEADER, data + HEADER, size - HEADER, data[126] == 'M');
  read_all(fuzz_file(".mat", deflated, HEADER + length));
  return 0;
}
