/* Matrix Market files: entries within the shape that the file says. */
#include "fuzz.h"
#include "io/mtx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mtx_file m = {0};
  lavdm_error error = {0};
  int status = mtx_read(fuzz_file(".mtx", data, size), &m, &error);
  fuzz_check_error(status, &error);
  PROMISE(status >= 0 || !m.row, "a matrix that is refused is empty");
  for (int64_t e = 0; e < m.count; e++) {
    PROMISE(m.row[e] >= 0 && m.row[e] < m.rows, "rows are within the shape");
    PROMISE(m.col[e] >= 0 && m.col[e] < m.cols, "columns are within the shape");
    PROMISE(!m.symmetric || m.col[e] <= m.row[e], "a symmetric matrix has its lower half");
  }
  mtx_free(&m);
  return 0;
}
