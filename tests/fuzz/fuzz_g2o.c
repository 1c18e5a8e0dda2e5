/* Pose graphs: what is read can be synchronised. */
#include "fuzz.h"
#include "input/graph_file.h"
#include "lavdm/sync.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  edge_file file = {0};
  edge_terms terms = {0};
  lavdm_error error = {0};
  int status = edge_file_read(fuzz_file(".g2o", data, size), &terms, &file, &error);
  fuzz_check_error(status, &error);
  const lavdm_edges *e = &file.edges;
  PROMISE(status < 0 || e->count > 0, "a graph has edges");
  PROMISE(status < 0 || file.poses, "a file .g2o holds poses");
  for (int64_t i = 0; i < e->count; i++) {
    PROMISE(e->row[i] >= 0 && e->col[i] >= 0, "nodes are numbered from 0");
    PROMISE(e->weight[i] > 0 && isfinite(e->weight[i]), "weights are above zero");
    PROMISE(file.shift_weight[i] > 0 && isfinite(file.shift_weight[i]), "weights are above zero");
  }
  for (int64_t i = 0; i < file.vertices; i++) PROMISE(file.vertex[i] >= 0, "nodes are numbered from 0");
  if (status >= 0 && e->count < 50) {
    lavdm_sync_options options;
    lavdm_sync_t *sync;
    lavdm_sync_default(&options);
    options.threads = 1, options.rounds = 1;
    options.nodes = file.vertex, options.node_count = file.vertices;
    options.shift = file.shift, options.shift_weight = file.shift_weight;
    options.information = file.information;
    options.survey = file.surveyed ? &file.survey : NULL;
    status = lavdm_sync(e, &options, &sync, &error);
    fuzz_check_error(status, &error);
    lavdm_sync_free(sync);
  }
  edge_file_free(&file);
  return 0;
}
