#include "graph/bsr.h"

#include "base/memory.h"

#include <string.h>

int bsr_new(run_t *run, int64_t rows, int64_t cols, int64_t q, int64_t count, bool weights, bsr_t *out) {
  memset(out, 0, sizeof *out);
  if (cols > INT32_MAX)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "more than %d references are not supported", INT32_MAX);
  out->rows = rows, out->cols = cols, out->q = q;
  out->start = NEW(int64_t, rows + 1);
  out->col = NEW(int32_t, count);
  out->weight = weights ? NEW(double, count) : NULL;
  out->block = NEW(double, count *q *q);
  if (out->start && out->col && out->block && (out->weight || !weights)) return LAVDM_OK;
  bsr_free(out);
  return fail_memory(run->error, "the connection graph");
}

void bsr_drop_weights(bsr_t *matrix) {
  if (matrix->weight != matrix->block) mem_free(matrix->weight);
  matrix->weight = NULL;
}

void bsr_free(bsr_t *matrix) {
  mem_free(matrix->start);
  mem_free(matrix->col);
  bsr_drop_weights(matrix);
  mem_free(matrix->block);
  memset(matrix, 0, sizeof *matrix);
}

int64_t bsr_find(const bsr_t *matrix, int64_t i, int64_t k) {
  int64_t low = matrix->start[i], high = matrix->start[i + 1];
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (matrix->col[middle] < k)
      low = middle + 1;
    else
      high = middle;
  }
  return low < matrix->start[i + 1] && matrix->col[low] == k ? low : -1;
}
