/* Sparse matrices in .npz files: rows that begin where they say, ascending columns within the shape. */
#include "containers.h"
#include "io/scipy.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return zip_mutate(data, size, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = fuzz_file(".npz", data, size);
  io_sparse s = {0};
  lavdm_error error = {0};
  fuzz_check_error(scipy_is(path, &error), &error);
  int status = scipy_read(path, &s, &error);
  fuzz_check_error(status, &error);
  PROMISE(status >= 0 || !s.start, "a matrix that is refused is empty");
  for (int64_t i = 0; i < s.rows; i++) {
    PROMISE(s.start[i] <= s.start[i + 1], "rows follow each other");
    for (int64_t e = s.start[i]; e < s.start[i + 1]; e++) {
      PROMISE(s.index[e] >= 0 && s.index[e] < s.cols, "columns are within the shape");
      PROMISE(e == s.start[i] || s.index[e] > s.index[e - 1], "columns ascend");
    }
  }
  PROMISE(status < 0 || s.start[s.rows] == s.count, "rows have all entries");
  io_sparse_free(&s);
  return 0;
}
