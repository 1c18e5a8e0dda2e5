/* Edge lists and dense matrices: the first byte is the kind of element, of table and of ends, the rest the
 * table. */
#include "fuzz.h"
#include "input/graph_file.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const kinds[] = {NULL, "none", "sign", "angle", "matrix", "quaternion", "auto", "wrong"};
  static const char *const forms[] = {NULL, "edges", "affinity", "wrong"};
  static const char *const ends[] = {NULL, "nodes", "landmarks", "wrong"};
  if (size < 1) return 0;
  edge_terms terms = {.element = kinds[data[0] % 8],
                      .form = forms[data[0] >> 4 & 3],
                      .ends = ends[data[0] >> 6],
                      .threads = 2};
  edge_file file = {0};
  lavdm_error error = {0};
  const char *path = fuzz_file(".csv", data + 1, size - 1);
  int status = edge_file_read(path, &terms, &file, &error);
  fuzz_check_error(status, &error);
  const lavdm_edges *e = &file.edges;
  PROMISE(status < 0 || e->count > 0, "a graph has edges");
  for (int64_t i = 0; i < e->count; i++) {
    PROMISE(e->row[i] >= 0 && e->col[i] >= 0, "nodes are numbered from 0");
    PROMISE(e->weight[i] > 0 && isfinite(e->weight[i]), "weights are above zero");
  }
  PROMISE(e->kind != LAVDM_ELEMENT_MATRIX || e->q > 0, "a matrix has a size");
  if (status >= 0) edge_file_fits(&file, path, 3, data[0] & 8, &error);
  edge_file_free(&file);
  return 0;
}
