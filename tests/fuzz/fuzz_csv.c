/* Tables of text: commas, semicolons, tabs, blanks, headers, quotes. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  io_array array = {0};
  lavdm_error error = {0};
  int status = csv_read(fuzz_file(".csv", data, size), &array, &error);
  fuzz_check_error(status, &error);
  if (status >= 0) {
    fuzz_check_array(&array);
    PROMISE(array.rank == 2 && io_array_count(&array) > 0, "a table has rows and columns");
    PROMISE(array.type == IO_INTEGER || array.type == IO_REAL, "a table holds numbers");
  }
  io_array_free(&array);
  return 0;
}
