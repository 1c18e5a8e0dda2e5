/* Files of anndata by way of libhdf5, without the child process: the matrix, dense or sparse, and obs. */
#include "containers.h"
#include "io/table.h"

#include <stdio.h>
#include <string.h>

const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return FUZZ_ASAN HDF5_ASAN;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return hdf5_mutate(data, size, most, seed);
}

static void check_texts(const io_texts *t, int64_t count) {
  if (!t->text) return;
  PROMISE(t->count == count && (int64_t)strlen(t->text) <= t->bytes, "there is a text for each row");
  PROMISE(io_texts_distinct(t) >= 0, "texts can be compared");
}

static void check_cells(const char *spec, const char *labels) {
  io_cells c = {0};
  lavdm_error error = {0};
  int status = io_cells_read(spec, labels, NULL, &c, &error);
  fuzz_check_error(status, &error);
  if (status >= 0) {
    const io_sparse *s = &c.sparse;
    bool sparse = s->start != NULL;
    if (!sparse) fuzz_check_array(&c.points);
    PROMISE((sparse || c.points.rank == 2) && c.part, "cells are rows of a matrix that has a name");
    for (int64_t i = 0; sparse && i < s->rows; i++)
      for (int64_t e = s->start[i]; e < s->start[i + 1]; e++)
        PROMISE(s->index[e] >= 0 && s->index[e] < s->cols, "entries have a column");
    check_texts(&c.ids, sparse ? s->rows : c.points.shape[0]);
    check_texts(&c.labels, sparse ? s->rows : c.points.shape[0]);
    check_texts(&c.names, sparse ? s->cols : c.points.shape[1]);
    if (!sparse || s->rows * s->cols < 1 << 20) {
      status = io_cells_dense(spec, &c, &error);
      fuzz_check_error(status, &error);
      if (status >= 0) fuzz_check_array(&c.points);
    }
  }
  io_cells_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = fuzz_file(".h5ad", data, size);
  char part[512];
  check_cells(path, "kind");
  snprintf(part, sizeof part, "%s:layers/counts", path);
  check_cells(part, "note");
  return 0;
}
