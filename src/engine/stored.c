#include "engine/stored.h"

int stored_save(const bsr_t *a, const stored_names *names, checkpoint_list *list) {
  int64_t count = a->start[a->rows], *columns = checkpoint_integers(list, names->column, count);
  if (!columns) return LAVDM_ERROR_MEMORY;
  for (int64_t e = 0; e < count; e++) columns[e] = a->col[e];
  checkpoint_integer(list, names->count, count);
  checkpoint_add(list, names->start, STORE_INTEGER, a->rows + 1, a->start);
  if (names->weight) checkpoint_add(list, names->weight, STORE_REAL, count, a->weight);
  checkpoint_add(list, names->block, STORE_REAL, count * a->q * a->q, a->block);
  return LAVDM_OK;
}

bool stored_there(const checkpoint_t *from, const stored_names *names) {
  return checkpoint_whole(from, names->count, -1) >= 0;
}

int stored_take(run_t *run, const checkpoint_t *from, const stored_names *names, int64_t rows, int64_t cols,
                int64_t q, bsr_t *a) {
  int64_t blocks = checkpoint_whole(from, names->count, -1);
  const int64_t *column = checkpoint_find(from, names->column, STORE_INTEGER, blocks);
  if (blocks < 0 || (blocks && !column)) return checkpoint_unfit(run, from);
  int status = checkpoint_range(run, from, column, blocks, 0, cols - 1);
  if (!status) status = bsr_new(run, rows, cols, q, blocks, names->weight != NULL, a);
  if (!status) status = checkpoint_copy(run, from, names->start, STORE_INTEGER, rows + 1, a->start);
  if (!status && names->weight)
    status = checkpoint_copy(run, from, names->weight, STORE_REAL, blocks, a->weight);
  if (!status) status = checkpoint_copy(run, from, names->block, STORE_REAL, blocks * q * q, a->block);
  if (status < 0) return status;
  for (int64_t e = 0; e < blocks; e++) a->col[e] = (int32_t)column[e];
  if (a->start[0] || a->start[rows] != blocks) return checkpoint_unfit(run, from);
  for (int64_t i = 0; i < rows; i++)
    if (a->start[i] > a->start[i + 1]) return checkpoint_unfit(run, from);
  return LAVDM_OK;
}
